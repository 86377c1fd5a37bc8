/// Every affinity of points against its definition, entry by entry, in double.

#include <gtest/gtest.h>

#include <utility>

#include "references.hpp"
#include "support/affinities.hpp"
#include "support/rounding.hpp"
#include "support/threads.hpp"

namespace fairstream::test {
namespace {

// exp(-y) of an exact distance: y passes four roundings, the series of the kernel is within 2e-7, and the rounding to
// float32 is one of those of graphs, whose exponential is in double.
double entry_tolerance(double y) {
    return 2e-7 + gamma(6, float_unit) * (1 + y);
}

struct Oracle {
    Matrix values, tolerance;  // relative
};
Oracle oracle(std::size_t n) {
    return {Matrix(n, n), Matrix(n, n)};
}
void set(Oracle& o, std::size_t i, std::size_t j, double y) {
    o.values.at(i, j) = std::exp(-y);
    o.tolerance.at(i, j) = entry_tolerance(y);
}

Oracle radial(const Cloud& cloud) {
    Oracle o = oracle(cloud.size());
    for (std::size_t i = 0; i < cloud.size(); ++i)
        for (std::size_t j = 0; j < cloud.size(); ++j)
            set(o, i, j, squared_distance(cloud, i, j) / (2 * test_bandwidth * test_bandwidth));
    return o;
}

// Returns the first points of all places.
std::vector<std::size_t> firsts_of(const Cloud& cloud) {
    std::vector<std::size_t> firsts;
    for (std::size_t i = 0; i < cloud.size(); ++i)
        if (std::ranges::none_of(firsts, [&](std::size_t j) { return squared_distance(cloud, i, j) == 0; }))
            firsts.push_back(i);
    return firsts;
}

// Returns all other places by rising distance; equal ones by their first points.
std::vector<std::pair<double, std::size_t>> others(const Cloud& cloud, std::span<const std::size_t> firsts,
                                                   std::size_t i) {
    std::vector<std::pair<double, std::size_t>> all;
    for (const std::size_t j : firsts)
        if (j != i) all.emplace_back(squared_distance(cloud, i, j), j);
    std::ranges::sort(all);
    return all;
}

double scale_of(const std::vector<std::pair<double, std::size_t>>& near) {
    return near.empty() ? 1 : std::sqrt(near[std::min<std::size_t>(near.size(), 7) - 1].first);
}

Oracle graph(const Cloud& cloud, std::size_t q, bool self_tuning) {
    const std::size_t n = cloud.size();
    const std::vector<std::size_t> firsts = firsts_of(cloud);
    if (q == 0) q = static_cast<std::size_t>(std::floor(std::log2(static_cast<double>(firsts.size())))) + 1;
    Oracle places = oracle(n);  // those of first points
    std::vector<double> scales(n, 1);
    for (const std::size_t i : firsts) scales[i] = scale_of(others(cloud, firsts, i));
    for (const std::size_t i : firsts) {
        const auto near = others(cloud, firsts, i);
        for (std::size_t at = 0; at < std::min(q, near.size()); ++at) {
            const auto [distance, j] = near[at];
            const double y = distance / (self_tuning ? scales[i] * scales[j] : 2 * test_bandwidth * test_bandwidth);
            set(places, i, j, y), set(places, j, i, y);
        }
    }
    Oracle o = oracle(n);
    const auto first = [&](std::size_t i) {
        return *std::ranges::find_if(firsts, [&](std::size_t f) { return squared_distance(cloud, i, f) == 0; });
    };
    for (std::size_t i = 0; i < n; ++i)
        for (std::size_t j = 0; j < n; ++j) {
            if (i == j) continue;
            o.values.at(i, j) = first(i) == first(j) ? 1 : places.values.at(first(i), first(j));
            o.tolerance.at(i, j) = first(i) == first(j) ? 0 : places.tolerance.at(first(i), first(j));
        }
    return o;
}

Oracle oracle_of(const PointAffinityKind& kind, const Cloud& cloud) {
    if (kind.name == "dense" || kind.name == "tiled") return radial(cloud);
    return graph(cloud, kind.name == "knn_3" ? 3 : kind.name == "knn_30" ? 30 : 0, kind.name != "knn_rbf");
}

// Bounds the error of the product of these rows with x: the entries' own errors, x rounded to float32, float32 sums of
// a tile for products in float, and sums in double.
void expect_product(const PointAffinityKind& kind, const Oracle& o, std::span<const Slot> rows, const Matrix& x,
                    const Matrix& out) {
    ASSERT_EQ(out.rows, rows.size());
    ASSERT_EQ(out.cols, x.cols);
    const std::size_t n = x.rows;
    const double sums =
        gamma(n + 4, double_unit) + (kind.sparse ? 0.0 : gamma(std::min(n, tile_width) + 4, float_unit));
    for (std::size_t r = 0; r < rows.size(); ++r)
        for (std::size_t c = 0; c < x.cols; ++c) {
            double exact = 0, bound = 0;
            for (std::size_t j = 0; j < n; ++j) {
                const double value = o.values.at(rows[r], j);
                exact += value * x.at(j, c);
                // 2^-126: below it an affinity is 0.
                bound += (value * (o.tolerance.at(rows[r], j) + sums) + 0x1p-125) * std::abs(x.at(j, c));
            }
            ASSERT_LE(std::abs(out.at(r, c) - exact), bound) << "row " << rows[r];
        }
}

class PointAffinities : public ::testing::TestWithParam<PointAffinityKind> {};

TEST_P(PointAffinities, MatchDefinition) {
    const PointAffinityKind& kind = GetParam();
    if (kind.name == "nystrom") return;  // an approximation: below
    for (const CloudKind shape : cloud_kinds) {
        if (shape == CloudKind::huge) continue;  // not exact in float32
        for (const std::size_t n : {1, 2, 3, 8, 9, 60, 150}) {
            const Cloud cloud = cloud_of(shape, n, n);
            const auto affinity = new_point_affinity(kind, cloud);
            const Oracle o = oracle_of(kind, cloud);
            std::vector<Slot> all(n);
            std::iota(all.begin(), all.end(), Slot{0});
            Matrix x = random_matrix(n, 5, n), ones(n, 1), out, degrees(n, 1);
            std::ranges::fill(ones.values, 1.0);
            expect_product(kind, o, all, x, times(*affinity, x));
            std::ranges::copy(affinity->degrees(), degrees.values.begin());
            expect_product(kind, o, all, ones, degrees);
            std::vector<Slot> some{static_cast<Slot>(n - 1), 0, static_cast<Slot>(n / 2), 0};
            affinity->multiply_rows(some, x, out);
            expect_product(kind, o, some, x, out);
        }
    }
}

// More points than a tile is wide, and than a block has rows.
TEST_P(PointAffinities, ManyPointsMatchDefinition) {
    const PointAffinityKind& kind = GetParam();
    if (kind.name == "nystrom") return;
    constexpr std::size_t n = 1'100;
    const Cloud cloud = cloud_of(CloudKind::clusters, n, 1);
    const auto affinity = new_point_affinity(kind, cloud);
    const Oracle o = oracle_of(kind, cloud);
    const Matrix x = random_matrix(n, 3, 2);
    const Matrix whole = times(*affinity, x);
    std::vector<Slot> some;
    Matrix part(0, 3), out;
    for (Slot i = 5; i < n; i += 7) {
        some.push_back(i);
        part.values.insert(part.values.end(), whole.row(i), whole.row(i) + 3), ++part.rows;
    }
    expect_product(kind, o, some, x, part);
    affinity->multiply_rows(some, x, out);
    expect_product(kind, o, some, x, out);
}

TEST_P(PointAffinities, RowsAndDiagonalsAreProductsWithUnitVectors) {
    for (const CloudKind shape : cloud_kinds)
        for (const std::size_t n : {1, 2, 9, 60}) {
            const auto affinity = new_point_affinity(GetParam(), cloud_of(shape, n, n));
            const std::vector<double> diagonal = affinity->diagonal();
            AffinityRow row;
            for (std::size_t i = 0; i < n; ++i) {
                Matrix unit(n, 1);
                unit.at(i, 0) = 1;
                const Matrix column = times(*affinity, unit);
                ASSERT_NEAR(diagonal[i], column.at(i, 0), 1e-6);
                affinity->copy_row(static_cast<Slot>(i), row);
                ASSERT_TRUE(std::ranges::is_sorted(row.at));
                Matrix copied(n, 1);
                for (std::size_t e = 0; e < row.at.size(); ++e)
                    copied.at(row.at[e], 0) = static_cast<double>(row.weights[e]);
                for (std::size_t j = 0; j < n; ++j) ASSERT_NEAR(copied.at(j, 0), column.at(j, 0), 1e-6) << i << j;
            }
        }
}

TEST_P(PointAffinities, AreSymmetricAndNotNegative) {
    const PointAffinityKind& kind = GetParam();
    const double tolerance = kind.name == "nystrom" ? 1e-9 : 0;
    for (const CloudKind shape : cloud_kinds) {
        const Matrix k = entries_of(*new_point_affinity(kind, cloud_of(shape, 70, 3)));
        EXPECT_LE(largest_difference(k, plain_transpose(k)), tolerance);
        if (kind.name == "nystrom") continue;
        for (const double entry : k.values) ASSERT_TRUE(entry >= 0 && entry <= 1) << entry;
    }
}

TEST_P(PointAffinities, WithoutColumnsAProductIsEmpty) {
    const auto affinity = new_point_affinity(GetParam(), cloud_of(CloudKind::clusters, 20, 3));
    Matrix out(3, 3);
    affinity->multiply(Matrix(20, 0), out);
    EXPECT_EQ(out.rows, 20U);
    EXPECT_EQ(out.cols, 0U);
    affinity->multiply_rows({}, Matrix(20, 2), out);
    EXPECT_EQ(out.rows, 0U);
}

TEST_P(PointAffinities, DoNotDependOnThreads) {
    const PointAffinityKind& kind = GetParam();
    const Cloud cloud = cloud_of(CloudKind::clusters, 1'300, 4);
    const Matrix x = random_matrix(1'300, 4, 5);
    const std::vector<Slot> some{3, 900, 77};
    expect_same_at_any_thread_count([&] {
        const auto affinity = new_point_affinity(kind, cloud);
        Matrix rows;
        affinity->multiply_rows(some, x, rows);
        const std::vector<double> degrees(affinity->degrees().begin(), affinity->degrees().end());
        return std::make_tuple(times(*affinity, x), rows, degrees);
    });
}

INSTANTIATE_TEST_SUITE_P(All, PointAffinities, ::testing::ValuesIn(point_affinities()),
                         [](const auto& kind) { return kind.param.name; });

// For any bandwidth, points at one place have full weight, and others less with distance.
TEST(RadialAffinity, OfAnyBandwidthJoinsPointsAtOnePlace) {
    const Cloud cloud{1, {0, 0, 1e-15F, 1, 1e15F}};
    for (const double bandwidth : {1e-300, 1e-30, 1e-19, 1e-3, 1e15})
        for (const bool tiled : {false, true}) {
            PackedPoints points;
            const std::vector<Slot> all = points.update(cloud.rows.data(), 5, 1);
            std::unique_ptr<PointAffinity> affinity = std::make_unique<DenseAffinity>(bandwidth);
            if (tiled) affinity = std::make_unique<TiledAffinity>(bandwidth);
            affinity->update(points, all);
            const Matrix k = entries_of(*affinity);
            for (std::size_t i = 0; i < 5; ++i) EXPECT_EQ(k.at(i, i), 1) << bandwidth;
            EXPECT_EQ(k.at(0, 1), 1) << bandwidth;
            EXPECT_GE(k.at(0, 2), k.at(0, 3));
            EXPECT_GE(k.at(0, 3), k.at(0, 4));
        }
}

std::unique_ptr<PointAffinity> nystrom_of(const Cloud& cloud, std::size_t landmarks) {
    PackedPoints points;
    const std::vector<Slot> all = points.update(cloud.rows.data(), cloud.size(), cloud.d);
    auto affinity = std::make_unique<NystromAffinity>(test_bandwidth, landmarks, 3);
    affinity->update(points, all);
    return affinity;
}

// Eigenvalues up to 1e-6 m of the landmarks' matrix are left out; their contribution to K has this size.
TEST(Nystrom, AllLandmarksGiveExactMatrix) {
    for (const CloudKind shape : cloud_kinds)
        for (const std::size_t n : {1, 2, 30, 120}) {
            const Cloud cloud = cloud_of(shape, n, n);
            const Matrix exact = entries_of(*new_point_affinity(point_affinities()[0], cloud));
            for (const std::size_t landmarks : {n, n + 50}) {
                const Matrix k = entries_of(*nystrom_of(cloud, landmarks));
                EXPECT_LE(largest_difference(k, exact), 2e-6 * static_cast<double>(n) + 1e-7);
            }
        }
}

// K - C W⁺ Cᵀ is a Schur complement: without negative eigenvalues, and 0 in the landmarks' rows.
TEST(Nystrom, ApproximatesFromBelowAndExactlyAtItsLandmarks) {
    constexpr std::size_t n = 90, m = 15;
    const Cloud cloud = cloud_of(CloudKind::clusters, n, 5);
    Matrix rest = entries_of(*new_point_affinity(point_affinities()[0], cloud));
    const auto nystrom = nystrom_of(cloud, m);
    const Matrix k = entries_of(*nystrom);
    for (std::size_t at = 0; at < k.values.size(); ++at) rest.values[at] -= k.values[at];
    const double tolerance = 1e-5 * m;
    EXPECT_GE(eigenvalues(n, rest.values).back(), -tolerance);
    const std::vector<double> own = eigenvalues(n, k.values);
    EXPECT_NEAR(own[m], 0, 1e-9) << "its rank is that of the landmarks";
    EXPECT_GE(own.back(), -1e-9);
    std::size_t exact_rows = 0;
    for (std::size_t i = 0; i < n; ++i) {
        double most = 0;
        for (std::size_t j = 0; j < n; ++j) most = std::max(most, std::abs(rest.at(i, j)));
        exact_rows += most < tolerance ? 1 : 0;
    }
    EXPECT_GE(exact_rows, m);
    EXPECT_LT(exact_rows, n);
    Matrix ones(n, 1);
    std::ranges::fill(ones.values, 1.0);
    const Matrix sums = times(*nystrom, ones);
    for (std::size_t i = 0; i < n; ++i) EXPECT_NEAR(nystrom->degrees()[i], std::max(0.0, sums.values[i]), 1e-12);
    const std::vector<Slot> some{80, 2, 80};
    Matrix rows;
    nystrom->multiply_rows(some, ones, rows);
    for (std::size_t r = 0; r < some.size(); ++r) EXPECT_NEAR(rows.at(r, 0), sums.at(some[r], 0), 1e-12);
}

}  // namespace
}  // namespace fairstream::test
