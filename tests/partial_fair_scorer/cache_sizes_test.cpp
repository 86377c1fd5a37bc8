/// The sizes of a processor's caches, which its CPU level does not name, must not change results.
///
/// Eigen derives the blocks of its products and solves from them, so that two processors of one level may group sums
/// differently. It allows the sizes to be set for the whole process, which simulates two such processors here.

#include <gtest/gtest.h>

#include <Eigen/Core>

#include <fairstream/engine.hpp>
#include <fairstream/models/partial_fair_scorer/partial_fair_scorer.hpp>

#include "samples.hpp"

namespace fairstream::partial_fair_scorer {
namespace {

struct CacheSizes {
    std::ptrdiff_t l1, l2, l3;
};
constexpr CacheSizes small{4 << 10, 16 << 10, 64 << 10}, large{32 << 10, 1 << 20, 32 << 20};

// More features than Eigen takes in one block.
constexpr std::size_t many_features = 160;

std::vector<std::byte> state_after_a_step(const CacheSizes& caches) {
    Eigen::setCpuCacheSizes(caches.l1, caches.l2, caches.l3);
    Options options;
    options.loss = Loss::logistic;
    options.kappa = 0.05;
    const StreamFormat format{many_features, {{"sex", {"0", "1"}}}, true};
    Engine engine({format, {.capacity = 1'000}, {{"scorer", options, {}}}});
    engine.ingest(test::random_points(600, many_features, 2, 1).view());
    return engine.save();
}

TEST(CacheSizes, DoNotChangeAnyBitOfAState) {
    const std::vector<std::byte> state = state_after_a_step(large);
    EXPECT_EQ(state_after_a_step(small), state);
}

}  // namespace
}  // namespace fairstream::partial_fair_scorer
