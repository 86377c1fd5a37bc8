#pragma once
/// Options that name pairs of points.

#include <utility>
#include <vector>

#include <fairstream/base/types.hpp>

namespace fairstream {

/// Pairs of ids, of two points each. As text "3:17,4:5", or "none".
struct IdPairs {
    std::vector<std::pair<PointId, PointId>> pairs;
    bool operator==(const IdPairs&) const = default;
};

inline constexpr std::size_t id_pair_limit = 1000;

}  // namespace fairstream
