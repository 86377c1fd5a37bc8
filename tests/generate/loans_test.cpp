#include <gmock/gmock.h>

#include <cmath>
#include <vector>

#include <fairstream/generate/loans.hpp>

namespace fairstream::generate {
namespace {

using ::testing::ElementsAre;

PointColumns loans(std::uint64_t seed, std::size_t count, std::uint64_t drift_period = 200'000) {
    PointColumns points;
    LoanApplicants(seed, drift_period).next(count, points);
    return points;
}

double mean(const PointColumns& points, std::size_t feature, std::size_t first, std::size_t last) {
    double sum = 0;
    for (std::size_t i = first; i < last; ++i) sum += points.features[6 * i + feature];
    return sum / static_cast<double>(last - first);
}

TEST(LoanApplicants, TheFirstPointsOfASeedNeverChange) {
    const PointColumns points = loans(1, 2);
    EXPECT_THAT(points.ids, ElementsAre(0, 1));
    std::vector<int> ticks;  // of 1/1024
    for (const float feature : points.features) ticks.push_back(static_cast<int>(1024 * feature));
    EXPECT_THAT(ticks, ElementsAre(-1169, 17, -2281, -1603, -1440, -527, 503, 246, -1077, 686, 1451, -542));
    EXPECT_THAT(points.groups, ElementsAre(1, 0, 1, 0));
}

TEST(LoanApplicants, StreamIsIndependentOfFetching) {
    const PointColumns whole = loans(7, 1000);
    LoanApplicants generator(7);
    PointColumns part, joined;
    for (const std::size_t count : {1, 0, 499, 17, 483}) {
        generator.next(count, part);
        joined.ids.insert(joined.ids.end(), part.ids.begin(), part.ids.end());
        joined.features.insert(joined.features.end(), part.features.begin(), part.features.end());
        joined.groups.insert(joined.groups.end(), part.groups.begin(), part.groups.end());
    }
    EXPECT_EQ(joined, whole);
    EXPECT_NE(loans(8, 1000), whole);
}

TEST(LoanApplicants, SexRatioAndAgeBands) {
    const PointColumns points = loans(3, 60'000, 60'000);
    std::vector<int> sexes(2), bands(3);
    for (std::size_t i = 0; i < points.ids.size(); ++i) {
        const double years = 42 + 12 * points.features[6 * i + 2];
        const int band = years < 30 ? 0 : years < 55 ? 1 : 2;
        ASSERT_EQ(points.groups[2 * i + 1], band) << years;
        ++sexes[points.groups[2 * i]];
        ++bands[band];
    }
    EXPECT_NEAR(sexes[1] / 60'000.0, 2.0 / 3, 0.02);
    for (const int count : bands) EXPECT_GT(count, 6'000);
}

TEST(LoanApplicants, FeaturesHaveComparableScales) {
    const PointColumns points = loans(4, 60'000, 60'000);
    for (std::size_t feature = 0; feature < 6; ++feature) {
        const double centre = mean(points, feature, 0, 60'000);
        double squares = 0;
        for (std::size_t i = 0; i < 60'000; ++i) squares += std::pow(points.features[6 * i + feature] - centre, 2);
        EXPECT_NEAR(centre, 0, 0.6) << feature;
        EXPECT_NEAR(std::sqrt(squares / 60'000), 1, 0.25) << feature;
    }
}

TEST(LoanApplicants, DriftsAwayAndComesBack) {
    constexpr std::size_t period = 60'000, part = 3'000;
    const PointColumns points = loans(5, period + part, period);
    double away = 0, back = 0;
    for (std::size_t feature = 0; feature < 6; ++feature) {
        const double start = mean(points, feature, 0, part);
        away = std::max(away, std::abs(mean(points, feature, period / 2 - part / 2, period / 2 + part / 2) - start));
        back = std::max(back, std::abs(mean(points, feature, period, period + part) - start));
    }
    EXPECT_GT(away, 0.2);
    EXPECT_LT(back, 0.1);
}

TEST(LoanApplicants, RefusesAPeriodWithoutRoomToDrift) {
    EXPECT_THROW(LoanApplicants(1, 1), InvalidInput);
    EXPECT_THROW(LoanApplicants(1, std::uint64_t{1} << 51), InvalidInput);
    EXPECT_NO_THROW(LoanApplicants(1, std::uint64_t{1} << 50));
}

}  // namespace
}  // namespace fairstream::generate
