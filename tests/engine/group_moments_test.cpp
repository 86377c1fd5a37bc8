/// Moments of groups against sums in long double, however rows come and go.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include <fairstream/base/archive.hpp>
#include <fairstream/numeric/detail/random.hpp>
#include <fairstream/numeric/group_moments.hpp>

#include "support/streams.hpp"
#include "support/threads.hpp"

namespace fairstream {
namespace {

// Rows of `groups` groups with different means and spreads, `place` away from 0.
struct Rows {
    Rows(std::size_t n, std::size_t dimensions, std::size_t groups, std::uint64_t seed, float place = 0,
         bool weighted = false)
        : d(dimensions) {
        Random random(seed, 3);
        for (std::size_t i = 0; i < n; ++i) {
            of.push_back(static_cast<GroupId>(random.below(static_cast<std::uint32_t>(groups))));
            for (std::size_t j = 0; j < d; ++j)
                x.push_back(place + static_cast<float>(of.back()) +
                            (1 + static_cast<float>(of.back())) * test::normal(random) +
                            (j > 0 ? 0.5F * x[x.size() - 1] : 0));
            if (weighted) w.push_back(std::exp(4 * random.unit()));
        }
    }
    [[nodiscard]] GroupedRows view(std::size_t first = 0, std::size_t count = SIZE_MAX) const {
        count = std::min(count, of.size() - first);
        return {ConstRows(x).subspan(first * d, count * d), std::span(of).subspan(first, count),
                w.empty() ? std::span<const double>() : std::span(w).subspan(first, count)};
    }
    std::size_t d;
    std::vector<float> x;
    std::vector<GroupId> of;
    std::vector<double> w;
};

Moments counted(const GroupedRows& rows, std::size_t d, GroupId group) {
    std::vector<long double> mean(d), scatter(d * d);
    long double mass = 0;
    const auto weight = [&](std::size_t i) { return rows.weights.empty() ? 1.0L : (long double)(rows.weights[i]); };
    for (std::size_t i = 0; i < rows.groups.size(); ++i) {
        if (rows.groups[i] != group) continue;
        mass += weight(i);
        for (std::size_t j = 0; j < d; ++j) mean[j] += weight(i) * (long double)(rows.rows[i * d + j]);
    }
    for (long double& value : mean) value /= mass > 0 ? mass : 1;
    for (std::size_t i = 0; i < rows.groups.size(); ++i) {
        if (rows.groups[i] != group) continue;
        for (std::size_t a = 0; a < d; ++a)
            for (std::size_t b = 0; b <= a; ++b)
                scatter[a * d + b] += weight(i) * ((long double)(rows.rows[i * d + a]) - mean[a]) *
                                      ((long double)(rows.rows[i * d + b]) - mean[b]);
    }
    Moments out(d);
    out.mass = static_cast<double>(mass);
    for (std::size_t j = 0; j < d; ++j) out.mean[j] = static_cast<double>(mean[j]);
    for (std::size_t e = 0; e < d * d; ++e) out.scatter.values[e] = static_cast<double>(scatter[e]);
    return out;
}

double largest_of(const Matrix& x) {
    double largest = 0;
    for (const double value : x.values) largest = std::max(largest, std::abs(value));
    return largest;
}

// Expects the moments to be within their own bound, and the bound to be small.
void expect_near(const Moments& found, const Moments& right, double small) {
    EXPECT_NEAR(found.mass, right.mass, 1e-12 * right.mass);
    const double scale = largest_of(right.scatter);
    for (std::size_t j = 0; j < right.mean.size(); ++j)
        EXPECT_NEAR(found.mean[j], right.mean[j], 1e-10 * std::abs(right.mean[j]) + 1e-9 * std::sqrt(1e-30 + scale));
    EXPECT_LE(found.rounding, small * scale + 1e-300);
    for (std::size_t e = 0; e < right.scatter.values.size(); ++e)
        ASSERT_NEAR(found.scatter.values[e], right.scatter.values[e], found.rounding + 1e-12 * scale) << e;
}

TEST(GroupMoments, AreTheSumsOfTheRows) {
    for (const std::size_t d : {1, 2, 17, 64, 65, 130})
        for (const bool weighted : {false, true})
            for (const float place : {0.0F, 1e4F}) {
                const Rows rows(700, d, 3, d, place, weighted);
                GroupMoments moments(3, d);
                for (std::size_t first = 0; first < 700; first += 93) moments.add(rows.view(first, 93));
                for (GroupId g = 0; g < 3; ++g) expect_near(moments.of(g), counted(rows.view(), d, g), 1e-5);
            }
}

TEST(GroupMoments, ForgetRowsThatLeave) {
    for (const bool weighted : {false, true}) {
        constexpr std::size_t d = 20, window = 300;
        const Rows rows(3'000, d, 2, 5, 50, weighted);
        GroupMoments moments(2, d);
        moments.add(rows.view(0, window));
        for (std::size_t first = window; first + 50 <= 3'000; first += 50) {
            moments.add(rows.view(first, 50));
            moments.remove(rows.view(first - window, 50));
        }
        for (GroupId g = 0; g < 2; ++g) expect_near(moments.of(g), counted(rows.view(2'700, window), d, g), 1e-3);
    }
}

// The bound includes what a distant row leaves behind.
TEST(GroupMoments, SayHowMuchRowsFarAwayLeaveBehind) {
    const Rows rows(200, 5, 1, 8);
    Rows far(1, 5, 1, 9);
    std::ranges::fill(far.x, 1e9F);
    GroupMoments moments(1, 5);
    moments.add(rows.view());
    moments.add(far.view());
    moments.remove(far.view());
    const Moments right = counted(rows.view(), 5, 0);
    EXPECT_GT(moments.of(0).rounding, 1e-3 * largest_of(right.scatter)) << "a new count is due";
    for (std::size_t e = 0; e < 25; ++e)
        EXPECT_NEAR(moments.of(0).scatter.values[e], right.scatter.values[e], moments.of(0).rounding);
}

TEST(GroupMoments, OfMergedRowsAreThoseOfAll) {
    const Rows rows(600, 9, 2, 4, 7, true);
    GroupMoments one(2, 9), other(2, 9);
    one.add(rows.view(0, 250));
    other.add(rows.view(250));
    one.merge(other);
    for (GroupId g = 0; g < 2; ++g) expect_near(one.of(g), counted(rows.view(), 9, g), 1e-5);
    Rows together = rows;
    std::ranges::fill(together.of, GroupId{0});
    expect_near(one.pooled(), counted(together.view(), 9, 0), 1e-5);
}

TEST(GroupMoments, OfScaledWeightsAreScaled) {
    Rows rows(100, 4, 1, 2, 1, true);
    GroupMoments moments(1, 4);
    moments.add(rows.view());
    moments.scale_weights(0.25);
    for (double& weight : rows.w) weight *= 0.25;
    expect_near(moments.of(0), counted(rows.view(), 4, 0), 1e-5);
}

TEST(GroupMoments, OfWeightsThatAreFarApartHold) {
    Rows rows(90, 3, 1, 2, 1, true);
    for (std::size_t i = 0; i < 90; ++i) rows.w[i] = i % 3 == 0 ? 1e-15 : i % 3 == 1 ? 1e15 : 1;
    GroupMoments moments(1, 3);
    moments.add(rows.view());
    expect_near(moments.of(0), counted(rows.view(), 3, 0), 1e-5);
}

TEST(GroupMoments, OfNothingAreZero) {
    GroupMoments moments(2, 3);
    moments.add({{}, {}});
    EXPECT_EQ(moments, GroupMoments(2, 3));
    const Rows rows(50, 3, 1, 1, 1e6F);
    moments.add(rows.view());
    moments.remove(rows.view());
    EXPECT_EQ(moments, GroupMoments(2, 3)) << "without rows nothing is left of them";
    EXPECT_EQ(moments.of(1).covariance(), Matrix(3, 3));
}

TEST(GroupMoments, OfEqualRowsHaveNoSpread) {
    Rows rows(80, 3, 1, 1);
    std::ranges::fill(rows.x, 12'345.678F);
    GroupMoments moments(1, 3);
    moments.add(rows.view(0, 40));
    moments.add(rows.view(40));
    EXPECT_LE(largest_of(moments.of(0).scatter), 1e-15 * 80 * 12'345.0 * 12'345.0);
}

TEST(GroupMoments, DoNotDependOnThreads) {
    const Rows rows(2'500, 130, 2, 3, 1, true);
    const auto made = [&] {
        GroupMoments moments(2, 130);
        moments.add(rows.view(0, 2'000));
        moments.remove(rows.view(0, 700));
        return moments;
    };
    const GroupMoments first = test::with_threads(1, made);
    EXPECT_EQ(first, test::with_threads(2, made));
    EXPECT_EQ(first, test::with_threads(4, made));
}

TEST(GroupMoments, SavedAndLoadedAreTheSame) {
    const Rows rows(60, 4, 2, 1);
    GroupMoments moments(2, 4), loaded;
    moments.add(rows.view());
    StateWriter writer;
    writer(1, moments);
    const std::vector<std::byte> bytes = writer.take();
    StateReader reader(bytes);
    reader(1, loaded);
    EXPECT_EQ(moments, loaded);
}

}  // namespace
}  // namespace fairstream
