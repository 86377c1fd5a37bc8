/// Quadratic problems in a box: the conditions of the minimum, and, for small ones, all active sets.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include <fairstream/optimisation/detail/dc/nnls.hpp>

#include "support/matrices.hpp"

namespace fairstream::dc {
namespace {

using namespace fairstream::test;

constexpr double unbounded = std::numeric_limits<double>::infinity();
constexpr double uppers[] = {unbounded, 0.5, 3.0};

struct BoxProblem {
    Matrix q;
    std::vector<double> b;
};

/// Q = A A', b = -A g, A n x rank: the form of nonnegative least squares |A'x + g|.
BoxProblem least_squares(std::size_t n, std::size_t rank, std::uint64_t seed) {
    const Matrix a = plain_transpose(random_matrix(n, rank, seed)), g = random_matrix(rank, 1, seed + 1000);
    BoxProblem p{plain_gram(a, a), {}};
    for (const double value : plain_gram(a, g).values) p.b.push_back(-value);
    return p;
}

double objective(const BoxProblem& p, const std::vector<double>& x) {
    double sum = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
        sum -= p.b[i] * x[i];
        for (std::size_t j = 0; j < x.size(); ++j) sum += x[i] * p.q.at(i, j) * x[j] / 2;
    }
    return sum;
}

double size_of(const BoxProblem& p) {
    double most = 1;
    for (const double value : p.b) most = std::max(most, std::abs(value));
    return most;
}

// x is in the box, and its gradient has the sign that each bound allows.
void expect_minimum(const BoxProblem& p, const std::vector<double>& x, double upper, double tolerance = 1e-9) {
    ASSERT_EQ(x.size(), p.b.size());
    for (std::size_t i = 0; i < x.size(); ++i) {
        ASSERT_GE(x[i], 0);
        ASSERT_LE(x[i], upper);
        double slope = -p.b[i];
        for (std::size_t j = 0; j < x.size(); ++j) slope += p.q.at(i, j) * x[j];
        EXPECT_TRUE(x[i] == upper || slope >= -tolerance * size_of(p)) << "raising entry " << i << " would help";
        EXPECT_TRUE(x[i] == 0 || slope <= tolerance * size_of(p)) << "lowering entry " << i << " would help";
    }
}

/// Returns the least objective over all choices of the entries at each bound. The others are solved for by elimination
/// with a ridge of 1e-12; solutions outside the box are left out.
double least_by_enumeration(const BoxProblem& p, double upper) {
    const std::size_t n = p.b.size();
    std::size_t choices = 1;
    for (std::size_t i = 0; i < n; ++i) choices *= 3;
    double least = unbounded;
    for (std::size_t choice = 0; choice < choices; ++choice) {
        std::vector<double> x(n, 0.0);
        std::vector<std::size_t> free;
        bool possible = true;
        for (std::size_t i = 0, rest = choice; i < n; ++i, rest /= 3) {
            if (rest % 3 == 1) free.push_back(i);
            if (rest % 3 == 2) x[i] = upper, possible = possible && upper < unbounded;
        }
        if (!possible) continue;
        const std::size_t m = free.size();
        Matrix rows(m, m + 1);
        for (std::size_t r = 0; r < m; ++r) {
            rows.at(r, m) = p.b[free[r]];
            for (std::size_t j = 0; j < n; ++j) rows.at(r, m) -= p.q.at(free[r], j) * x[j];
            for (std::size_t c = 0; c < m; ++c) rows.at(r, c) = p.q.at(free[r], free[c]);
            rows.at(r, r) += 1e-12;
        }
        for (std::size_t k = 0; k < m; ++k)  // positive definite: no pivoting
            for (std::size_t r = 0; r < m; ++r) {
                const double factor = rows.at(r, k) / rows.at(k, k);
                for (std::size_t c = k; r != k && c <= m; ++c) rows.at(r, c) -= factor * rows.at(k, c);
            }
        for (std::size_t r = 0; r < m; ++r) {
            x[free[r]] = rows.at(r, m) / rows.at(r, r);
            possible = possible && x[free[r]] >= 0 && x[free[r]] <= upper;
        }
        if (possible) least = std::min(least, objective(p, x));
    }
    return least;
}

TEST(SolveBox, MeetsTheConditionsOfAMinimum) {
    for (const std::size_t n : {1, 2, 5, 17, 40})
        for (const std::size_t rank : {n, n + 3, (n + 1) / 2, std::size_t{1}})
            for (const double upper : uppers)
                for (std::uint64_t seed = 0; seed < 10; ++seed) {
                    SCOPED_TRACE("n " + std::to_string(n) + " rank " + std::to_string(rank) + " upper " +
                                 std::to_string(upper) + " seed " + std::to_string(seed));
                    const BoxProblem p = least_squares(n, rank, seed);
                    expect_minimum(p, solve_box(p.q, p.b, upper, {}), upper);
                }
}

TEST(SolveBox, IsTheLeastOfAllActiveSets) {
    for (const std::size_t n : {1, 2, 3, 5, 8})
        for (const double upper : {unbounded, 0.5})
            for (std::uint64_t seed = 0; seed < 3; ++seed) {
                const BoxProblem p = least_squares(n, n < 4 ? n : n - 2, 50 + seed);
                const double found = objective(p, solve_box(p.q, p.b, upper, {}));
                EXPECT_NEAR(found, least_by_enumeration(p, upper), 1e-8 * size_of(p)) << n << " " << upper;
            }
}

TEST(SolveBox, HasTheSameValueFromAnyStart) {
    Random random(9);
    for (const std::size_t n : {2, 9, 40})
        for (const std::size_t rank : {n, n / 2})
            for (const double upper : uppers) {
                const BoxProblem p = least_squares(n, rank, n);
                const double cold = objective(p, solve_box(p.q, p.b, upper, {}));
                std::vector<double> start(n);
                for (int trial = 0; trial < 5; ++trial) {
                    for (double& x : start) x = 4 * random.unit() - 1;  // some of them outside the box
                    const std::vector<double> warm = solve_box(p.q, p.b, upper, start);
                    expect_minimum(p, warm, upper);
                    EXPECT_NEAR(objective(p, warm), cold, 1e-9 * size_of(p));
                }
                const std::vector<double> answer = solve_box(p.q, p.b, upper, {});
                EXPECT_NEAR(objective(p, solve_box(p.q, p.b, upper, answer)), cold, 1e-10 * size_of(p));
            }
}

TEST(SolveBox, OfNothing) {
    EXPECT_TRUE(solve_box({}, {}, 1, {}).empty());
}

TEST(SolveBox, WithoutCurvatureGoesToTheBounds) {
    const BoxProblem p{Matrix(3, 3), {1, 0, -1}};
    EXPECT_EQ(solve_box(p.q, p.b, 2, {}), (std::vector<double>{2, 0, 0}));
    EXPECT_EQ(solve_box(p.q, std::vector<double>(3, 0.0), unbounded, {}), std::vector<double>(3, 0.0));
}

TEST(SolveBox, EqualEntriesShareWhatOneWouldHave) {
    const std::size_t n = 6;
    BoxProblem p{Matrix(n, n), std::vector<double>(n, 3.0)};
    std::ranges::fill(p.q.values, 1.0);
    for (const double upper : {unbounded, 1.0}) {
        const std::vector<double> x = solve_box(p.q, p.b, upper, {});
        expect_minimum(p, x, upper);
        double sum = 0;
        for (const double value : x) sum += value;
        EXPECT_NEAR(sum, 3, 1e-9);
    }
}

TEST(SolveBox, OppositeEntriesCancel) {  // as for the two sides of an equality
    const Matrix a = random_matrix(1, 4, 3);
    Matrix both(2, 4);
    for (std::size_t j = 0; j < 4; ++j) both.at(0, j) = a.at(0, j), both.at(1, j) = -a.at(0, j);
    const Matrix q = plain_product(both, plain_transpose(both));
    for (const double level : {0.7, -0.7}) {
        const BoxProblem p{q, {level, -level}};
        const std::vector<double> x = solve_box(p.q, p.b, 20, {});
        expect_minimum(p, x, 20);
        EXPECT_NEAR(x[0] - x[1], level / q.at(0, 0), 1e-9);
    }
}

TEST(SolveBox, NanStartBecomesZero) {
    const BoxProblem p = least_squares(4, 4, 1);
    const std::vector<double> start{std::numeric_limits<double>::quiet_NaN(), unbounded, -unbounded, 1e300};
    expect_minimum(p, solve_box(p.q, p.b, 3, start), 3);
    expect_minimum(p, solve_box(p.q, p.b, 3, {{1.0, 1.0}}), 3);  // for a short one, too
}

// Minima kept the ridge that makes them exist. A step of the quadratic solver then passed its constraint by 1e-13, and
// no step promised progress once the residual was below 1e-6.
TEST(SolveBox, FreeEntriesHaveNoRidge) {
    const BoxProblem p{identity(1), {0.4}};
    EXPECT_NEAR(solve_box(p.q, p.b, 20, {})[0], 0.4, 1e-16);
    for (std::uint64_t seed = 0; seed < 10; ++seed) {
        const BoxProblem random = least_squares(8, 12, seed);
        expect_minimum(random, solve_box(random.q, random.b, unbounded, {}), unbounded, 2e-15);
    }
}

TEST(SolveBox, ScalesAreSolvedToTheirSize) {
    BoxProblem p = least_squares(6, 6, 4);
    for (std::size_t i = 0; i < 6; ++i) {
        const double scale = std::pow(10.0, static_cast<double>(i) - 3);
        p.b[i] *= scale;
        for (std::size_t j = 0; j < 6; ++j) p.q.at(i, j) *= scale, p.q.at(j, i) *= scale;
    }
    expect_minimum(p, solve_box(p.q, p.b, unbounded, {}), unbounded);
}

TEST(SolveBox, EndsWhereThereAreNoNumbers) {
    BoxProblem p = least_squares(4, 4, 1);
    p.q.at(1, 2) = std::numeric_limits<double>::quiet_NaN();
    EXPECT_EQ(solve_box(p.q, p.b, 3, {}).size(), 4U);
}

}  // namespace
}  // namespace fairstream::dc
