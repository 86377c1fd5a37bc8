/// The kernel of projections onto given marginals, at every instruction set, against a plain loop.

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "kernel_sets.hpp"
#include "support/rounding.hpp"

namespace fairstream::test {
namespace {

class MarginalKernels : public KernelSets {};

constexpr double untouched_entry = -77;

// Rows of k numbers, and the arguments of their projection.
struct Problem {
    std::size_t n, k;
    std::vector<double> u, offsets, mu, weights, levels;
    double mass = 0;

    Problem(std::size_t rows, std::size_t columns, double spread, std::uint64_t seed) : n(rows), k(columns) {
        Random random(seed, rows * 100 + columns);
        const auto draw = [&] { return spread * static_cast<double>(normal(random)); };
        mass = 0.02 + random.unit();
        for (std::size_t at = 0; at < n * k; ++at) u.push_back(draw());
        double square = 0;
        for (std::size_t j = 0; j < k; ++j) {
            offsets.push_back(draw());
            mu.push_back(0.2 + random.unit());
            square += mu[j] * mu[j];
        }
        for (double& x : mu) x /= std::sqrt(square);
        for (std::size_t i = 0; i < n; ++i) {
            weights.push_back(0.1 + 3 * random.unit());
            levels.push_back(draw());
        }
    }
};

// Returns the level a with sum_j mu_j max(0, t_j - a mu_j) = mass: that of the entries of largest t_j / mu_j, as many
// as are above it.
long double exact_level(const Problem& p, const std::vector<long double>& t) {
    std::vector<std::size_t> order(p.k);
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::sort(order, std::ranges::greater{}, [&](std::size_t j) { return t[j] / p.mu[j]; });
    long double sum = -p.mass, square = 0, level = 0;
    for (const std::size_t j : order) {
        if (square > 0 && t[j] / p.mu[j] <= level) break;
        sum += p.mu[j] * t[j];
        square += static_cast<long double>(p.mu[j]) * p.mu[j];
        level = sum / square;
    }
    return level;
}

struct Projected {
    std::vector<double> levels, sums, out;
    double dual = 0;
};

Projected run(const Kernels& kernels, const Problem& p, const std::vector<std::uint32_t>& at, bool weighs) {
    Projected found{p.levels, std::vector<double>(p.k, untouched_entry),
                    std::vector<double>(p.n * p.k, untouched_entry)};
    std::vector<double> scratch(16 * p.k);
    kernels.project_marginals(p.u.data(), at.data(), at.size(), p.k, p.offsets.data(), p.mu.data(), p.mass,
                              weighs ? p.weights.data() : nullptr, found.levels.data(), scratch.data(),
                              found.sums.data(), &found.dual, found.out.data());
    return found;
}

// Some rows, in an order of their own.
std::vector<std::uint32_t> some_rows(std::size_t n, std::size_t count) {
    std::vector<std::uint32_t> at(n);
    std::iota(at.begin(), at.end(), 0U);
    std::ranges::rotate(at, at.begin() + static_cast<std::ptrdiff_t>(n / 3));
    at.resize(count);
    return at;
}

// The level is a quotient of sums of k terms, whose rounding grows by up to the largest over the least of mu, 6.
TEST_P(MarginalKernels, ProjectsRowsAndSums) {
    for (const std::size_t k : {1U, 2U, 3U, 7U, 8U, 20U})
        for (const std::size_t n : {1U, 3U, 7U, 8U, 9U, 40U})
            for (const double spread : {1e-3, 1.0, 1e3})
                for (const bool weighs : {false, true}) {
                    const Problem p(n, k, spread, 3);
                    const std::vector<std::uint32_t> at = some_rows(n, n - n / 4);
                    const Projected found = run(kernels, p, at, weighs);
                    std::vector<long double> sums(k, 0);
                    long double dual = 0, magnitude = 0, size = 0;  // what roundings are relative to
                    const double rounding = 6 * gamma(8 * k + 20, double_unit);
                    for (const std::uint32_t i : at) {
                        std::vector<long double> t(k);
                        long double largest = p.mass;
                        for (std::size_t j = 0; j < k; ++j) {
                            t[j] = static_cast<long double>(p.u[i * k + j]) - p.offsets[j];
                            largest = std::max(largest, std::abs(t[j]));
                        }
                        const long double level = exact_level(p, t), w = weighs ? p.weights[i] : 1;
                        ASSERT_LE(std::abs(found.levels[i] - level), 6 * rounding * largest) << "row " << i;
                        for (std::size_t j = 0; j < k; ++j) {
                            const long double v = std::max(0.0L, t[j] - level * p.mu[j]), way = v - p.u[i * k + j];
                            ASSERT_LE(std::abs(found.out[i * k + j] - v), 6 * rounding * largest) << "row " << i;
                            sums[j] += w * v;
                            dual += w * (way * way / 2 + p.offsets[j] * v);
                            magnitude += w * (way * way + 40 * largest * largest);
                        }
                        size += 40 * w * largest;
                    }
                    for (std::size_t j = 0; j < k; ++j) ASSERT_LE(std::abs(found.sums[j] - sums[j]), rounding * size);
                    ASSERT_LE(std::abs(found.dual - dual), rounding * magnitude);
                }
}

TEST_P(MarginalKernels, LeavesOtherRowsAlone) {
    const Problem p(20, 5, 1, 4);
    const std::vector<std::uint32_t> at = some_rows(20, 11);
    const Projected found = run(kernels, p, at, true);
    for (std::uint32_t i = 0; i < 20; ++i) {
        if (std::ranges::find(at, i) != at.end()) continue;
        EXPECT_EQ(found.levels[i], p.levels[i]);
        for (std::size_t j = 0; j < 5; ++j) EXPECT_EQ(found.out[i * 5 + j], untouched_entry);
    }
}

// The start of the search for the level does not matter, except for rounding.
TEST_P(MarginalKernels, FindsTheLevelFromAnyStart) {
    Problem p(9, 4, 1, 6);
    const std::vector<std::uint32_t> at = some_rows(9, 9);
    const Projected found = run(kernels, p, at, false);
    for (const double start : {-1e9, -1.0, 0.0, 5.0, 1e9}) {
        std::ranges::fill(p.levels, start);
        const Projected other = run(kernels, p, at, false);
        for (std::size_t e = 0; e < found.out.size(); ++e) EXPECT_NEAR(other.out[e], found.out[e], 1e-13) << start;
    }
}

TEST_P(MarginalKernels, KeepsZeroRowsAndEqualEntries) {
    Problem p(8, 4, 1, 7);
    std::ranges::fill(p.u, 0.0);
    std::ranges::fill(p.offsets, 0.0);
    std::ranges::fill(p.mu, 0.5);
    const Projected found = run(kernels, p, some_rows(8, 8), false);
    for (const double entry : found.out) EXPECT_NEAR(entry, p.mass / 2, 1e-15);
}

INSTANTIATE_TEST_SUITE_P(All, MarginalKernels, ::testing::ValuesIn(runnable()), level_of);

}  // namespace
}  // namespace fairstream::test
