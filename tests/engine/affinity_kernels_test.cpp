/// The kernels of affinities, at every instruction set, against naive loops.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "kernel_sets.hpp"
#include "support/rounding.hpp"

namespace fairstream::test {
namespace {

class AffinityKernels : public KernelSets {};

constexpr float untouched_distance = -77;

// The documented 2e-7 applies to exp(-y) with y = scale x in float: y has two more roundings beside those of the
// series.
void expect_decay(float out, float x, float scale) {
    const double y = double{x} * double{scale}, exact = std::exp(-y);
    if (exact < 0x1p-126 * (1 - 1e-4)) {
        ASSERT_EQ(out, 0.0F) << x;
    } else if (exact > 0x1p-126 * (1 + 1e-4)) {
        ASSERT_LE(std::abs(double{out} - exact), (2e-7 + 2 * float_unit * y) * exact) << x << " scale " << scale;
    }
}

TEST_P(AffinityKernels, DecaysAreExponentials) {
    for (const float scale : {1.0F, 0.3F, 1e-6F, 1e6F}) {
        std::vector<float> x;
        for (int i = 0; i <= 20'000; ++i) x.push_back(static_cast<float>(i) * 0.005F / scale);
        std::vector<float> out(x.size());
        kernels.decays(x.data(), x.size(), scale, out.data());
        for (std::size_t i = 0; i < x.size(); ++i) expect_decay(out[i], x[i], scale);
        EXPECT_TRUE(std::ranges::is_sorted(out, std::greater{})) << "the farther the less";
    }
}

TEST_P(AffinityKernels, DecaysOfTheEndsAreExact) {
    const std::vector<float> x{0, infinity, std::numeric_limits<float>::max(),
                               std::numeric_limits<float>::denorm_min()};
    for (const float scale : {0.0F, 1e-30F, 1.0F, 1e30F, 2e38F}) {
        std::vector<float> out(4, untouched_distance);
        kernels.decays(x.data(), 4, scale, out.data());
        EXPECT_EQ(out[0], 1.0F) << scale;
        EXPECT_EQ(out[1], 0.0F) << scale;
        EXPECT_EQ(out[2], scale == 0.0F ? 1.0F : scale < 1e-20F ? out[2] : 0.0F) << scale;
        for (const float affinity : out) EXPECT_TRUE(affinity >= 0 && affinity <= 1) << affinity << " " << scale;
    }
}

TEST_P(AffinityKernels, DecaysFitAnySizeAndPlace) {
    std::vector<float> x = values(60, 1);
    for (float& v : x) v = std::abs(v);
    std::vector<float> alone(60);
    for (std::size_t i = 0; i < 60; ++i) kernels.decays(&x[i], 1, 0.1F, &alone[i]);
    for (std::size_t n = 0; n <= 40; ++n)
        for (const std::size_t shift : {0, 1, 3, 15}) {
            std::vector<float> out(n + 20, untouched_distance), in_place = x;
            kernels.decays(x.data() + shift, n, 0.1F, out.data());
            kernels.decays(in_place.data() + shift, n, 0.1F, in_place.data() + shift);
            ASSERT_EQ(std::ranges::count(out, untouched_distance), 20) << "beyond n nothing is written";
            ASSERT_TRUE(std::equal(out.data(), out.data() + n, alone.data() + shift)) << n;
            ASSERT_TRUE(std::equal(out.data(), out.data() + n, in_place.data() + shift)) << n;
        }
}

// Sums of `count` products of a float and a double: as many roundings, and one for each product.
TEST_P(AffinityKernels, GatheredRowsAreThoseOfTheNaiveLoop) {
    constexpr std::size_t n = 23;
    for (std::size_t k = 0; k <= 70; ++k)
        for (const std::size_t count : {0, 1, 2, 9, 40}) {
            const std::vector<float> weights = values(count, k + count), cells = values(n * k + k, k);
            std::vector<double> rows(cells.begin(), cells.end()), out(k + 4, 2.5), exact(k, 2.5), sizes(k, 2.5);
            Random random(k);
            std::vector<std::uint32_t> at(count);
            for (std::uint32_t& slot : at) slot = random.below(n);
            for (std::size_t i = 0; i < count; ++i)
                for (std::size_t j = 0; j < k; ++j) {
                    const double term = double{weights[i]} * rows[at[i] * k + j];
                    exact[j] += term, sizes[j] += std::abs(term);
                }
            kernels.gather_rows(weights.data(), at.data(), count, rows.data(), k, out.data());
            for (std::size_t j = 0; j < k; ++j)
                ASSERT_LE(std::abs(out[j] - exact[j]), 2 * gamma(count + 1, double_unit) * sizes[j]) << k << " " << j;
            for (std::size_t j = k; j < out.size(); ++j) ASSERT_EQ(out[j], 2.5) << "beyond the row";
        }
}

INSTANTIATE_TEST_SUITE_P(All, AffinityKernels, ::testing::ValuesIn(runnable()), level_of);

}  // namespace
}  // namespace fairstream::test
