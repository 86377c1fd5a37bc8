/// Projections onto the matrices with given marginals: the result is one of them, and the nearest.

#include <gtest/gtest.h>

#include <string>

#include <fairstream/models/lord/detail/marginals.hpp>
#include <fairstream/numeric/detail/linear_algebra.hpp>

#include "support/marginal_set.hpp"
#include "support/threads.hpp"

namespace fairstream::lord {
namespace {

using namespace fairstream::test;

// The error of column sums that `project` is asked for.
constexpr double asked = 1e-9;

Marginals marginals_of(const MarginalSet& set) {
    return {set.mu, set.points(), set.weights, set.blocks};
}

Matrix projected(const MarginalSet& set, const Matrix& u, double tolerance = asked) {
    const Marginals marginals = marginals_of(set);
    ProjectionStart start = marginals.start();
    Matrix v;
    marginals.project(u, start, v, tolerance);
    return v;
}

// A member of the set: scaled powers of positive numbers; the higher the power, the fewer entries are far above 0.
Matrix member(const MarginalSet& set, int power, std::uint64_t seed) {
    Random random(seed, 5);
    Matrix u(set.points(), set.clusters());
    for (double& value : u.values) value = std::pow(0.02 + random.unit(), power);
    marginals_of(set).scale_into(u);
    return u;
}

enum class Weighing { one, unlike };
enum class Grouping { one, three, one_of_a_point };

MarginalSet set_of(std::size_t n, std::vector<double> mu, Weighing weighing, Grouping blocks) {
    MarginalSet set(std::move(mu), n);
    Random random(n, 3);
    for (std::size_t i = 0; i < n; ++i) {
        if (weighing == Weighing::unlike) set.weights[i] = 0.25 * (1 + random.below(12));
        if (blocks == Grouping::three) set.blocks[i] = static_cast<std::uint32_t>(i < 3 ? i : random.below(3));
        if (blocks == Grouping::one_of_a_point) set.blocks[i] = i == n / 2 ? 1 : 0;
    }
    return set;
}

std::vector<MarginalSet> sets(std::size_t n, std::size_t k) {
    std::vector<MarginalSet> all;
    for (const bool alike : {true, false})
        for (const Weighing weighing : {Weighing::one, Weighing::unlike})
            for (const Grouping blocks : {Grouping::one, Grouping::three, Grouping::one_of_a_point}) {
                if (n < 3 && blocks != Grouping::one) continue;
                all.push_back(set_of(n, alike ? equal_roots(k) : unequal_roots(k), weighing, blocks));
            }
    return all;
}

// Matrices of the kinds that steps produce, and others, with largest entries up to some hundred times those of the set.
std::vector<std::pair<std::string, Matrix>> matrices(const MarginalSet& set, std::uint64_t seed) {
    const std::size_t n = set.points(), k = set.clusters();
    const double usual = 1 / set.mass();
    std::vector<std::pair<std::string, Matrix>> all;
    const auto noise = [&](double size) {
        Matrix u = random_matrix(n, k, seed);
        for (double& value : u.values) value *= size * usual;
        return u;
    };
    Matrix near = member(set, 3, seed);
    const Matrix little = noise(0.1);
    for (std::size_t at = 0; at < near.values.size(); ++at) near.values[at] += little.values[at];
    all.emplace_back("near the set", near);
    all.emplace_back("noise", noise(1));
    all.emplace_back("far noise", noise(30));
    Matrix equal(n, k);
    for (std::size_t i = 0; i < n; ++i)
        for (std::size_t j = 0; j < k; ++j) equal.at(i, j) = usual * static_cast<double>(j * j);
    all.emplace_back("equal rows", equal);
    Matrix starved = noise(1);
    for (std::size_t i = 0; i < n; ++i) starved.at(i, k - 1) -= 50 * usual;
    all.emplace_back("a column below all", starved);
    Matrix fed = noise(1);
    for (std::size_t i = 0; i < n; ++i) fed.at(i, 0) += 50 * usual;
    all.emplace_back("a column above all", fed);
    all.emplace_back("zero", Matrix(n, k));
    return all;
}

TEST(Projection, IsInTheSet) {
    for (const std::size_t n : {3U, 8U, 60U, 700U})
        for (const std::size_t k : {1U, 2U, 5U, 12U})
            for (const MarginalSet& set : sets(n, k))
                for (const auto& [kind, u] : matrices(set, n + k)) {
                    const Matrix v = projected(set, u);
                    EXPECT_LE(set.violation(v), asked + 1e-11) << kind << ", n " << n << ", k " << k;
                    EXPECT_GE(std::ranges::min(v.values), 0.0);
                }
}

// V is the nearest point of a convex set if (U - V) . (Z - V) <= 0 for every Z in it. U - V = a muᵀ + 1 bᵀ - L, and
// column sums with a relative error e add at most e times |b|, of the size of U, to the product.
TEST(Projection, LeavesNoMemberOfTheSetNearer) {
    for (const std::size_t n : {8U, 60U})
        for (const std::size_t k : {2U, 5U, 12U})
            for (const MarginalSet& set : sets(n, k)) {
                std::vector<Matrix> members;
                for (std::uint64_t seed = 0; seed < 6; ++seed)
                    for (const int power : {1, 4, 12}) members.push_back(member(set, power, seed));
                for (std::size_t at = 1; at < 10; ++at) {
                    Matrix mixed = members[at];
                    for (std::size_t e = 0; e < mixed.values.size(); ++e)
                        mixed.values[e] = 0.3 * mixed.values[e] + 0.7 * members[at - 1].values[e];
                    members.push_back(mixed);
                }
                for (const auto& [kind, u] : matrices(set, n + k)) {
                    const Matrix v = projected(set, u);
                    Matrix out = u;
                    for (std::size_t e = 0; e < out.values.size(); ++e) out.values[e] -= v.values[e];
                    const double size = largest(out);
                    // Also points between V and another projection, which lies on the border, too.
                    std::vector<Matrix> others = members;
                    others.push_back(projected(set, out));
                    for (const Matrix& z : others) {
                        Matrix way = z;
                        for (std::size_t e = 0; e < way.values.size(); ++e) way.values[e] -= v.values[e];
                        // Members are scaled into the set up to rounding, or up to the error of their scaling.
                        const double error = 20 * (asked + set.violation(z)) * static_cast<double>(k);
                        EXPECT_LE(set.inner(out, way), error * size) << kind << ", n " << n << ", k " << k;
                    }
                }
            }
}

TEST(Projection, IsWhatAlgorithmTwoComesTo) {
    for (const std::size_t n : {1U, 2U, 7U, 30U})
        for (const std::size_t k : {1U, 2U, 4U})
            for (const MarginalSet& set : sets(n, k))
                for (const auto& [kind, u] : matrices(set, 2 * n + k)) {
                    const Matrix slow = set.project_slowly(u, 1e-12, 100'000), v = projected(set, u);
                    EXPECT_LE(largest_difference(v, slow), 1e-7 * largest(slow)) << kind << ", n " << n << ", k " << k;
                }
}

// Returns the nearest member of the set by trying all sets of entries above 0. For each such set A, the nearest matrix
// with the right sums is U_A - Mᵀ lambda with M Mᵀ lambda = M U_A - c, where M maps these entries to the sums.
Matrix nearest_by_trying(const MarginalSet& set, const Matrix& u) {
    const std::size_t n = set.points(), k = set.clusters();
    Matrix best;
    double least = std::numeric_limits<double>::infinity();
    for (std::size_t chosen = 0; chosen < std::size_t{1} << (n * k); ++chosen) {
        Matrix m(n + k, n * k), free(n * k, 1), sums(n + k, 1);
        for (std::size_t i = 0; i < n; ++i) sums.at(i, 0) = -1 / set.mass();
        for (std::size_t j = 0; j < k; ++j) sums.at(n + j, 0) = -set.mu[j];
        for (std::size_t i = 0; i < n; ++i)
            for (std::size_t j = 0; j < k; ++j) {
                const std::size_t e = i * k + j;
                if ((chosen >> e & 1U) == 0) continue;
                // In coordinates sqrt(w_i) V_ij, where distances are plain.
                const double root = std::sqrt(set.weights[i]);
                m.at(i, e) = set.mu[j] / root;
                m.at(n + j, e) = root;
                free.at(e, 0) = root * u.at(i, j);
            }
        const Matrix reached = plain_product(m, free);
        for (std::size_t r = 0; r < n + k; ++r) sums.at(r, 0) += reached.at(r, 0);
        const Matrix inverse = symmetric_function(plain_gram(plain_transpose(m), plain_transpose(m)),
                                                  [](double x) { return x > 1e-9 ? 1 / x : 0; });
        const Matrix back = plain_gram(m, plain_product(inverse, sums));
        Matrix v(n, k);
        for (std::size_t e = 0; e < n * k; ++e)
            v.values[e] = (free.at(e, 0) - back.at(e, 0)) / std::sqrt(set.weights[e / k]);
        if (!(set.violation(v) <= 1e-8)) continue;
        const double distance = set.squared_distance(u, v);
        if (distance < least) least = distance, best = v;
    }
    return best;
}

TEST(Projection, IsTheNearestOfAllChoicesOfEntries) {
    for (const auto& [n, k] : {std::pair<std::size_t, std::size_t>{3, 3}, {2, 4}, {4, 2}, {1, 5}})
        for (const bool alike : {true, false})
            for (const Weighing weighing : {Weighing::one, Weighing::unlike}) {
                const MarginalSet set = set_of(n, alike ? equal_roots(k) : unequal_roots(k), weighing, Grouping::one);
                for (const auto& [kind, u] : matrices(set, 9 * n + k)) {
                    const Matrix v = projected(set, u), best = nearest_by_trying(set, u);
                    EXPECT_LE(largest_difference(v, best), 1e-7) << kind << ", n " << n << ", k " << k;
                }
            }
}

TEST(Projection, KeepsMembers) {
    for (const std::size_t n : {1U, 2U, 5U, 300U})
        for (const std::size_t k : {1U, 3U, 8U})
            for (const MarginalSet& set : sets(n, k)) {
                const Matrix u = member(set, 2, n);
                ASSERT_LE(set.violation(u), 1e-8);
                EXPECT_LE(largest_difference(projected(set, u), u), 1e-8 * largest(u));
            }
}

TEST(Projection, OfAProjectionIsIt) {
    for (const MarginalSet& set : sets(50, 4))
        for (const auto& [kind, u] : matrices(set, 3)) {
            const Matrix v = projected(set, u);
            EXPECT_LE(largest_difference(projected(set, v), v), 10 * asked * largest(v)) << kind;
        }
}

TEST(Projection, SinglePointBlockIsLevel) {
    const MarginalSet set = set_of(9, unequal_roots(3), Weighing::unlike, Grouping::one_of_a_point);
    for (const auto& [kind, u] : matrices(set, 2)) {
        const Matrix v = projected(set, u);
        for (std::size_t j = 0; j < 3; ++j) EXPECT_NEAR(v.at(4, j), set.mu[j] / set.mass(), 1e-9) << kind;
    }
}

// Constants added to whole rows or columns cancel. An entry of U + c is known to c 2^-53, and no result can be closer.
TEST(Projection, IgnoresRowAndColumnConstants) {
    for (const double c : {1.0, 1e3, 1e6})
        for (const MarginalSet& set : sets(80, 4)) {
            Matrix u = random_matrix(80, 4, 8);
            for (double& value : u.values) value /= set.mass();
            const Matrix v = projected(set, u);
            Matrix far = u;
            for (std::size_t i = 0; i < 80; ++i)
                for (std::size_t j = 0; j < 4; ++j)
                    far.at(i, j) += c * (1 + static_cast<double>(j) + static_cast<double>(i % 5) * set.mu[j]);
            const Matrix found = projected(set, far);
            const double known = c * 20 * 0x1p-53;
            EXPECT_LE(largest_difference(found, v), 10 * asked * largest(v) + 40 * known) << c;
            EXPECT_LE(set.violation(found), asked + 100 * known * set.mass()) << c;
        }
}

TEST(Projection, FromAnyStartEndsAtTheSamePoint) {
    for (const MarginalSet& set : sets(60, 5)) {
        const Marginals marginals = marginals_of(set);
        ProjectionStart start = marginals.start();
        for (const auto& [kind, u] : matrices(set, 4)) {
            Matrix warm;
            marginals.project(u, start, warm);
            EXPECT_LE(largest_difference(warm, projected(set, u)), 1e-7 * largest(warm)) << kind;
            EXPECT_EQ(start.levels.size(), 60U);
        }
    }
}

TEST(Projection, TakesFewPassesNearTheLast) {
    for (const MarginalSet& set : sets(500, 6)) {
        const Marginals marginals = marginals_of(set);
        ProjectionStart start = marginals.start();
        Matrix u = member(set, 3, 1), v;
        const Matrix noise = random_matrix(500, 6, 2);
        for (std::size_t e = 0; e < u.values.size(); ++e) u.values[e] += 0.2 * noise.values[e] / set.mass();
        EXPECT_LE(marginals.project(u, start, v), 20);
        for (double& value : u.values) value *= 1 + 1e-4;
        EXPECT_LE(marginals.project(u, start, v), 6);
    }
}

TEST(Projection, TakesAWeightForAsManyEqualPoints) {
    for (const Grouping blocks : {Grouping::one, Grouping::three}) {
        MarginalSet one = set_of(40, unequal_roots(4), Weighing::one, blocks);
        MarginalSet many = one;
        many.weights.clear(), many.blocks.clear();
        const Matrix u = random_matrix(40, 4, 6);
        Matrix repeated;
        repeated.cols = 4;
        std::vector<std::size_t> origin;
        for (std::size_t i = 0; i < 40; ++i) {
            one.weights[i] = static_cast<double>(1 + i % 3);
            for (std::size_t copy = 0; copy <= i % 3; ++copy) {
                origin.push_back(i);
                many.weights.push_back(1), many.blocks.push_back(one.blocks[i]);
                repeated.values.insert(repeated.values.end(), u.row(i), u.row(i) + 4);
            }
        }
        repeated.rows = origin.size();
        const Matrix v = projected(one, u), w = projected(many, repeated);
        for (std::size_t r = 0; r < origin.size(); ++r)
            for (std::size_t j = 0; j < 4; ++j) EXPECT_NEAR(v.at(origin[r], j), w.at(r, j), 1e-7 * largest(v));
        Matrix scaled = u, scaled_many = repeated;
        for (double& x : scaled.values) x = std::exp(x);
        for (double& x : scaled_many.values) x = std::exp(x);
        marginals_of(one).scale_into(scaled);
        marginals_of(many).scale_into(scaled_many);
        for (std::size_t r = 0; r < origin.size(); ++r)
            for (std::size_t j = 0; j < 4; ++j)
                EXPECT_NEAR(scaled.at(origin[r], j), scaled_many.at(r, j), 1e-7 * largest(scaled));
    }
}

TEST(Projection, TakesWeightsThatAreFarApart) {
    MarginalSet set(unequal_roots(3), 60);
    for (std::size_t i = 0; i < 60; ++i) set.weights[i] = i % 3 == 0 ? 1e-15 : i % 3 == 1 ? 1e15 : 1;
    for (const auto& [kind, u] : matrices(set, 7)) EXPECT_LE(set.violation(projected(set, u)), 1e-7) << kind;
}

TEST(Projection, TakesPriorsThatAreFarApart) {
    std::vector<double> mu{1e-12, 1, 1e-6, 1};
    double sum = 0;
    for (const double x : mu) sum += x;
    for (double& x : mu) x = std::sqrt(x / sum);
    for (const auto& blocks : {Grouping::one, Grouping::three}) {
        const MarginalSet set = set_of(60, mu, Weighing::one, blocks);
        for (const auto& [kind, u] : matrices(set, 7)) EXPECT_LE(set.violation(projected(set, u)), 1e-7) << kind;
    }
}

TEST(Projection, GivesTheSameBitsAtAnyThreadCount) {
    for (const Grouping blocks : {Grouping::one, Grouping::three}) {
        const MarginalSet set = set_of(3000, unequal_roots(5), Weighing::unlike, blocks);
        const Matrix u = random_matrix(3000, 5, 2);
        expect_same_at_any_thread_count([&] { return projected(set, u); });
        expect_same_at_any_thread_count([&] {
            Matrix v = u;
            for (double& value : v.values) value = std::exp(value);
            marginals_of(set).scale_into(v);
            return v;
        });
    }
}

TEST(Scaling, LeadsIntoTheSetAlongRowsAndColumns) {
    for (const std::size_t k : {1U, 2U, 6U})
        for (const MarginalSet& set : sets(40, k)) {
            Random random(k, 4);
            Matrix u(40, k);
            for (double& value : u.values) value = random.unit() + 0x1p-54;
            Matrix v = u;
            marginals_of(set).scale_into(v);
            EXPECT_LE(set.violation(v), 1e-9);
            // V_ij = r_i c_j U_ij within a block: cross ratios stay.
            for (std::size_t i = 1; i < 40; ++i)
                for (std::size_t j = 1; j < k; ++j) {
                    if (set.blocks[i] != set.blocks[0]) continue;
                    const double before = u.at(i, j) * u.at(0, 0) / (u.at(i, 0) * u.at(0, j));
                    const double after = v.at(i, j) * v.at(0, 0) / (v.at(i, 0) * v.at(0, j));
                    EXPECT_NEAR(after / before, 1, 1e-9);
                }
        }
}

TEST(Blocks, HaveTheMarginalsOfTheWholeAmongThem) {
    const MarginalSet set = set_of(200, unequal_roots(4), Weighing::unlike, Grouping::three);
    MarginalSet whole = set;
    std::ranges::fill(whole.blocks, 0U);
    EXPECT_LE(whole.violation(projected(set, random_matrix(200, 4, 1))), 1e-8);
}

}  // namespace
}  // namespace fairstream::lord
