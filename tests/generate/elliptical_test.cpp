#include <gmock/gmock.h>

#include <array>
#include <cmath>
#include <vector>

#include <fairstream/generate/elliptical.hpp>

#include <support/refusal.hpp>

namespace fairstream::generate {
namespace {

using ::testing::AllOf;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::Ge;
using ::testing::Le;

PointColumns points_of(std::uint64_t seed, std::uint64_t count) {
    PointColumns points;
    EllipticalPoints(seed, count).next(count, points);
    return points;
}

double x(const PointColumns& points, std::size_t i) {
    return points.features[2 * i];
}
double y(const PointColumns& points, std::size_t i) {
    return points.features[2 * i + 1];
}

/// Counts by ellipse and group.
std::array<std::uint64_t, 4> cells(const PointColumns& points) {
    std::array<std::uint64_t, 4> counts{};
    for (std::size_t i = 0; i < points.ids.size(); ++i) ++counts.at((y(points, i) > 0 ? 2 : 0) + points.groups[i]);
    return counts;
}

TEST(EllipticalPoints, FillTwoEllipsesEvenly) {
    constexpr std::size_t n = 40'000;
    const PointColumns points = points_of(3, n);
    double x_squares = 0, y_squares = 0, inner = 0;
    for (std::size_t i = 0; i < n; ++i) {
        const double from_centre = y(points, i) - (y(points, i) > 0 ? 1 : -1);
        const double radius = std::hypot(x(points, i) / 4, from_centre / 0.5);  // 1 on the edge
        ASSERT_LE(radius, 1 + 1e-9);
        inner += radius < std::sqrt(0.5) ? 1 : 0;
        x_squares += x(points, i) * x(points, i);
        y_squares += from_centre * from_centre;
    }
    // Of a filled ellipse the variance is a quarter of the half-axis squared. Errors are within five deviations.
    EXPECT_NEAR(inner / n, 0.5, 0.0125);
    EXPECT_NEAR(x_squares / n, 4, 0.1);
    EXPECT_NEAR(y_squares / n, 1.0 / 16, 0.0016);
}

TEST(EllipticalPoints, EveryEllipseAndGroupHasAQuarter) {
    for (std::uint64_t count = 1; count <= 1'000; count += count < 20 ? 1 : 37)
        EXPECT_THAT(cells(points_of(1, count)), Each(AllOf(Ge(count / 4), Le((count + 3) / 4)))) << count;
    for (const std::uint64_t seed : {0, 1, 2, 77})
        EXPECT_THAT(cells(points_of(seed, 1'000)), ElementsAre(250, 250, 250, 250));
}

TEST(EllipticalPoints, GroupsMixInMiddle) {
    constexpr std::size_t n = 40'000;
    const PointColumns points = points_of(5, n);
    std::array<double, 4> rights{}, all{};  // by quarter of the overlap
    std::uint64_t across = 0;
    for (std::size_t i = 0; i < n; ++i) {
        across += (x(points, i) > 0) != (points.groups[i] == 1) ? 1 : 0;
        if (std::abs(x(points, i)) > 1) {
            ASSERT_EQ(points.groups[i], x(points, i) > 0 ? 1 : 0);
        } else if (x(points, i) < 1) {
            const auto quarter = static_cast<std::size_t>(2 * (x(points, i) + 1));
            rights.at(quarter) += points.groups[i];
            ++all.at(quarter);
        }
    }
    for (std::size_t i = 0; i < 4; ++i)
        EXPECT_NEAR(rights.at(i) / all.at(i), 0.125 + 0.25 * static_cast<double>(i), 0.04);
    // Cut at x = 0, a half has this share of the other end's group: a balance of about 1/11.
    EXPECT_NEAR(static_cast<double>(across) / n, 1 / 12.5, 0.01);
}

TEST(EllipticalPoints, SetIsIndependentOfFetching) {
    const PointColumns whole = points_of(7, 1'000);
    EllipticalPoints generator(7);
    PointColumns part, joined;
    for (const std::size_t count : {1, 0, 199, 17, 5'000}) {
        generator.next(count, part);
        joined.ids.insert(joined.ids.end(), part.ids.begin(), part.ids.end());
        joined.features.insert(joined.features.end(), part.features.begin(), part.features.end());
        joined.groups.insert(joined.groups.end(), part.groups.begin(), part.groups.end());
    }
    EXPECT_EQ(joined, whole);
    generator.next(1, part);
    EXPECT_EQ(part, PointColumns{});
    EXPECT_NE(points_of(8, 1'000), whole);
}

TEST(EllipticalPoints, ThePointsOfASeedNeverChange) {
    const PointColumns points = points_of(1, 1'000);
    std::vector<int> first;  // of 1/65536
    for (std::size_t i = 0; i < 6; ++i) first.push_back(static_cast<int>(65536 * points.features[i]));
    EXPECT_THAT(first, ElementsAre(-190628, 62339, 215670, -67453, -131189, 51895));
    EXPECT_THAT(std::vector<GroupId>(points.groups.begin(), points.groups.begin() + 3), ElementsAre(0, 1, 0));
    std::int64_t sum = 0;
    for (const float feature : points.features) sum += static_cast<std::int64_t>(65536 * feature);
    EXPECT_EQ(sum, 4970109);
}

TEST(EllipticalPoints, RefusesNoPointsAndTooMany) {
    const auto with = [](std::uint64_t count) { EllipticalPoints(1, count); };
    test::expect_refused(Reason::bad_option, {"points = 0 must be 1 to 2^40"}, [&] { with(0); });
    test::expect_refused(Reason::bad_option, {"points = 1099511627777 must"},
                         [&] { with((std::uint64_t{1} << 40) + 1); });
}

}  // namespace
}  // namespace fairstream::generate
