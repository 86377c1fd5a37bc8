#pragma once
/// Seeded streams for tests: a mixture whose components attract the groups unequally, with drift.

#include <algorithm>
#include <cmath>
#include <vector>

#include <fairstream/data/point_batch.hpp>
#include <fairstream/numeric/detail/random.hpp>

namespace fairstream::test {

inline StreamFormat two_attributes(std::uint32_t dimensions = 4) {
    return {dimensions, {{"sex", {"f", "m"}}, {"age", {"young", "middle", "old"}}}, false};
}

inline float normal(Random& random) {
    return static_cast<float>(std::sqrt(-2 * std::log(1 - random.unit())) *
                              std::cos(6.283185307179586 * random.unit()));
}

/// `n` points in `components` blobs. Ids count from `first_id`. The groups of each attribute are more frequent in some
/// blobs.
inline PointColumns mixture(const StreamFormat& format, std::size_t n, std::uint64_t seed, PointId first_id = 0,
                            std::size_t components = 5, float drift = 0) {
    Random shape(42, components);
    std::vector<float> centres(components * format.dimensions);
    for (float& c : centres) c = 4 * normal(shape);
    Random random(seed);
    PointColumns points;
    for (std::size_t i = 0; i < n; ++i) {
        const std::size_t blob = random.below(static_cast<std::uint32_t>(components));
        points.ids.push_back(first_id + i);
        for (std::size_t j = 0; j < format.dimensions; ++j)
            points.features.push_back(centres[blob * format.dimensions + j] + drift + normal(random));
        for (const Attribute& attribute : format.attributes) {
            const auto groups = static_cast<std::uint32_t>(attribute.groups.size());
            const bool typical = random.unit() < 0.5;
            points.groups.push_back(static_cast<GroupId>(typical ? blob % groups : random.below(groups)));
        }
        if (format.has_targets) points.targets.push_back(normal(random));
    }
    return points;
}

/// The stream as batches of `size`, with one seed and a range of ids for each.
inline std::vector<PointColumns> batches(const StreamFormat& format, std::size_t count, std::size_t size,
                                         std::uint64_t seed, float drift = 0) {
    std::vector<PointColumns> all;
    for (std::size_t b = 0; b < count; ++b)
        all.push_back(mixture(format, size, seed + b, b * size, 5, drift * static_cast<float>(b)));
    return all;
}

}  // namespace fairstream::test
