#pragma once
/// A stream whose clusters are plain to see.

#include "support/streams.hpp"

namespace fairstream::test {

/// Blobs far apart, of equal size, the groups of every attribute drawn alike in each: `blob(id)` is where a point is.
struct SeparatedStream {
    StreamFormat format;
    std::uint32_t blobs = 4;
    [[nodiscard]] std::uint32_t blob(PointId id) const { return static_cast<std::uint32_t>(id % blobs); }
    [[nodiscard]] PointColumns points(PointId first, std::size_t n) const {
        PointColumns columns;
        for (PointId id = first; id < first + n; ++id) {
            Random random(id, 11);
            columns.ids.push_back(id);
            const auto turn = blob(id) / format.dimensions;
            const float place = 20 * static_cast<float>(1 + turn);
            for (std::uint32_t j = 0; j < format.dimensions; ++j)
                columns.features.push_back((blob(id) % format.dimensions == j ? place : 0.0F) + normal(random));
            for (const Attribute& attribute : format.attributes)
                columns.groups.push_back(
                    static_cast<GroupId>(random.below(static_cast<std::uint32_t>(attribute.groups.size()))));
        }
        return columns;
    }
};

}  // namespace fairstream::test
