// The kernels that scale rows and find what to scale them by, against plain loops.

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "kernel_sets.hpp"

namespace fairstream::test {
namespace {

class PreparationKernels : public KernelSets {};

TEST_P(PreparationKernels, ScaledRowsAreThoseOfPlainLoops) {
    for (const std::size_t d : {1, 3, 8, 16, 21}) {
        const std::size_t n = 13;
        const std::vector<float> rows = values(n * d, d);
        std::vector<double> origins(d), factors(d);
        for (std::size_t j = 0; j < d; ++j)
            origins[j] = 0.5 * static_cast<double>(j), factors[j] = 1 / (1 + static_cast<double>(j));
        std::vector<float> out(n * d);
        constexpr double limit = 2.5;
        kernels.scale_rows(rows.data(), n, d, origins.data(), factors.data(), limit, out.data());
        for (std::size_t at = 0; at < out.size(); ++at) {
            const double scaled = (double{rows[at]} - origins[at % d]) * factors[at % d];
            EXPECT_EQ(out[at], static_cast<float>(std::clamp(scaled, -limit, limit))) << at;
        }
    }
}

TEST_P(PreparationKernels, MomentsAreThoseOfPlainLoops) {
    for (const std::size_t d : {1, 3, 8, 16, 21}) {
        const std::size_t n = 29;
        const std::vector<float> rows = values(n * d, d);
        std::vector<double> origins(d, 0.25), weights(n);
        for (std::size_t i = 0; i < n; ++i) weights[i] = 1 + static_cast<double>(i % 5);
        for (const double* own : {static_cast<const double*>(nullptr), static_cast<const double*>(weights.data())}) {
            std::vector<double> sums(d, 1), squares(d, 2);
            kernels.add_moments(rows.data(), n, d, origins.data(), own, sums.data(), squares.data());
            for (std::size_t j = 0; j < d; ++j) {
                double sum = 1, square = 2;
                for (std::size_t i = 0; i < n; ++i) {
                    const double x = double{rows[i * d + j]} - origins[j], w = own == nullptr ? 1 : own[i];
                    sum += w * x;
                    square += w * x * x;
                }
                EXPECT_NEAR(sums[j], sum, 1e-12 * square);
                EXPECT_NEAR(squares[j], square, 1e-12 * square);
            }
        }
    }
}

INSTANTIATE_TEST_SUITE_P(All, PreparationKernels, ::testing::ValuesIn(runnable()), level_of);

}  // namespace
}  // namespace fairstream::test
