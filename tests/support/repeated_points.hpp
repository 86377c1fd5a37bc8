#pragma once
/// Points with integer weights, and the same points repeated as many times as their weight.

#include <cstddef>
#include <utility>
#include <vector>

#include <fairstream/data/point_batch.hpp>
#include <fairstream/numeric/detail/random.hpp>

namespace fairstream::test {

struct WeightedPair {
    PointColumns weighted, repeated;  ///< ids of the repeated count from 0
    std::vector<std::size_t> origin;  ///< by repeated point: index among the weighted points
};

/// Returns the points, which have no weights yet, with random weights 1 to 5, and repeated as often as they weigh.
inline WeightedPair weigh_and_repeat(PointColumns points, std::uint64_t seed) {
    WeightedPair pair;
    Random random(seed, 9);
    for (std::size_t i = 0; i < points.ids.size(); ++i) {
        PointColumns one;
        one.append(points.view().slice(i, 1));
        const std::uint32_t weight = 1 + random.below(5);
        pair.weighted.weights.push_back(weight);
        for (std::uint32_t copy = 0; copy < weight; ++copy) {
            one.ids[0] = pair.repeated.ids.size();
            pair.repeated.append(one.view());
            pair.origin.push_back(i);
        }
    }
    points.weights = std::move(pair.weighted.weights);
    pair.weighted = std::move(points);
    return pair;
}

}  // namespace fairstream::test
