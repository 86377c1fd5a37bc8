#pragma once
/// Points with one group each, for the tests of fair k-means objectives.

#include <cstddef>
#include <vector>

#include <fairstream/base/types.hpp>

namespace fairstream::test {

/// `rows` holds n x d coordinates, one point after another.
struct GroupedPoints {
    std::vector<float> rows;
    std::vector<GroupId> groups;

    [[nodiscard]] std::size_t size() const { return groups.size(); }
};

}  // namespace fairstream::test
