/// The generator: the same numbers everywhere, complete in four words, uniform below any bound.

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include <fairstream/numeric/detail/random.hpp>

namespace fairstream::test {
namespace {

std::vector<std::uint64_t> draws(Random random, std::size_t count) {
    std::vector<std::uint64_t> all;
    for (std::size_t i = 0; i < count; ++i) all.push_back(random.next());
    return all;
}

// Seed 42, stream 54 is the check printed by the PCG paper's own code; a second implementation confirms all values.
TEST(Random, GivesTheKnownNumbers) {
    EXPECT_EQ(draws(Random(42, 54), 6),
              (std::vector<std::uint64_t>{0x86b1da1d72062b68, 0x1304aa46c9853d39, 0xa3670e9e0dd50358,
                                          0xf9090e529a7dae00, 0xc85b9fd837996f2c, 0x606121f8e3919196}));
    EXPECT_EQ(draws(Random(1), 6),
              (std::vector<std::uint64_t>{0x71564ba1920863f1, 0x06f710dff5126daf, 0xaf595b987d60ea49,
                                          0xa3d0bb4a02495b7f, 0x392129ec7bcd6922, 0xf5a9bb5fc929b0ea}));
    EXPECT_EQ(draws(Random(~std::uint64_t{0}, 7), 3),
              (std::vector<std::uint64_t>{0xdff1c0f7cfdc8292, 0x294ff74ef1110e82, 0x8fe7938771cf0cf4}));
}

TEST(Random, WordsAreStateAndIncrement) {
    Random random(42, 54);
    for (int i = 0; i < 6; ++i) (void)random.next();
    EXPECT_EQ(random.words(), (Random::Words{0x67232e702845f3b9, 0x96e40d53048531fa, 0, 0x6d}));
}

TEST(Random, GoesOnFromItsWordsMidStream) {
    Random random(7, 3);
    for (int i = 0; i < 200; ++i) {
        const Random::Words words = random.words();
        EXPECT_EQ(Random(words).words(), words);
        ASSERT_EQ(draws(Random(words), 5), draws(random, 5));
        switch (i % 4) {
            case 0:
                (void)random.next();
                break;
            case 1:
                (void)random.below(3'000'000'000);
                break;
            case 2:
                (void)random.below_wide(std::uint64_t{3} << 62);
                break;
            default:
                (void)random.unit();
        }
        ASSERT_NE(random.words(), words);
    }
}

TEST(Random, StreamsAndSeedsDiffer) {
    EXPECT_NE(draws(Random(1, 0), 4), draws(Random(1, 1), 4));
    EXPECT_NE(draws(Random(1, 0), 4), draws(Random(2, 0), 4));
    EXPECT_EQ(draws(Random(1, 0), 4), draws(Random(1), 4));
}

TEST(Random, StaysBelowItsBound) {
    Random random(5);
    for (const std::uint32_t bound : {1U, 2U, 3U, 10U, 1000U, 0x7fffffffU, 0x80000000U, 0x80000001U, 0xffffffffU})
        for (int i = 0; i < 1000; ++i) {
            ASSERT_LT(random.below(bound), bound);
            ASSERT_LT(random.below_wide(bound), bound);
        }
    for (const std::uint64_t bound :
         {std::uint64_t{1} << 32, (std::uint64_t{1} << 32) + 1, (std::uint64_t{1} << 63) + 1, ~std::uint64_t{0}})
        for (int i = 0; i < 1000; ++i) ASSERT_LT(random.below_wide(bound), bound);
    for (int i = 0; i < 1000; ++i) {
        const double x = random.unit();
        ASSERT_GE(x, 0);
        ASSERT_LT(x, 1);
        ASSERT_EQ(std::ldexp(x, 53), std::floor(std::ldexp(x, 53))) << "a multiple of 2^-53";
    }
}

// n draws over D + 1 equal cells: sum (count - e)^2 / e is near chi-square with D degrees of freedom, and by Laurent
// and Massart (2000), lemma 1, above the first or below the second bound with probability at most exp(-20) = 2e-9 each.
template <class Draw> void expect_uniform(std::size_t cells, Draw&& draw) {
    const std::size_t n = 500 * cells;
    std::vector<double> counts(cells);
    for (std::size_t i = 0; i < n; ++i) ++counts[static_cast<std::size_t>(draw())];
    const double expected = static_cast<double>(n) / static_cast<double>(cells),
                 degrees = static_cast<double>(cells - 1), t = 20;
    double statistic = 0;
    for (const double count : counts) statistic += (count - expected) * (count - expected) / expected;
    EXPECT_LT(statistic, degrees + 2 * std::sqrt(degrees * t) + 2 * t) << cells << " cells";
    EXPECT_GT(statistic, degrees - 2 * std::sqrt(degrees * t)) << cells << " cells";
}

TEST(Random, IsUniformBelowSmallBounds) {
    Random random(11);
    for (const std::uint32_t bound : {2U, 3U, 7U, 100U, 1000U}) {
        expect_uniform(bound, [&] { return random.below(bound); });
        expect_uniform(bound, [&] { return random.below_wide(bound); });
    }
    expect_uniform(64, [&] { return random.unit() * 64; });
}

// At three quarters of the range, draws without rejection would be twice as frequent for some values: below 2^30 by
// taking remainders, at every third by scaling. Both would show in the remainders and in the high parts of the result.
TEST(Random, IsUniformBelowLargeBounds) {
    Random random(12);
    constexpr std::uint32_t bound = 3U << 30;
    expect_uniform(3, [&] { return random.below(bound) % 3; });
    expect_uniform(3, [&] { return random.below(bound) >> 30; });
    constexpr std::uint64_t wide = std::uint64_t{3} << 62;
    expect_uniform(3, [&] { return random.below_wide(wide) % 3; });
    expect_uniform(3, [&] { return random.below_wide(wide) >> 62; });
}

}  // namespace
}  // namespace fairstream::test
