#include <gmock/gmock.h>

#include <vector>

#include <fairstream/generate/loan_decisions.hpp>

namespace fairstream::generate {
namespace {

PointColumns decisions(std::uint64_t seed, std::size_t count) {
    PointColumns points;
    LoanDecisions(seed).next(count, points);
    return points;
}

TEST(LoanDecisions, TheApplicantsAreThoseWithoutDecisions) {
    PointColumns with = decisions(5, 300), without;
    LoanApplicants(5).next(300, without);
    with.targets.clear();
    EXPECT_EQ(with, without);
    EXPECT_TRUE(LoanDecisions::format().has_targets);
}

TEST(LoanDecisions, TheFirstDecisionsOfASeedNeverChange) {
    EXPECT_THAT(decisions(1, 12).targets, ::testing::ElementsAre(-1, -1, 1, -1, -1, -1, -1, -1, 1, 1, 1, 1));
}

TEST(LoanDecisions, StreamIsIndependentOfFetching) {
    const PointColumns whole = decisions(7, 100);
    LoanDecisions generator(7);
    PointColumns part;
    std::vector<float> joined;
    for (const std::size_t count : {1, 0, 49, 50}) {
        generator.next(count, part);
        joined.insert(joined.end(), part.targets.begin(), part.targets.end());
    }
    EXPECT_EQ(joined, whole.targets);
}

TEST(LoanDecisions, GrantsAThirdAndFavoursMen) {
    const PointColumns points = decisions(3, 20'000);
    double granted[2] = {}, all[2] = {};
    for (std::size_t i = 0; i < points.ids.size(); ++i) {
        all[points.groups[2 * i]] += 1;
        granted[points.groups[2 * i]] += points.targets[i] > 0;
    }
    EXPECT_NEAR((granted[0] + granted[1]) / (all[0] + all[1]), 0.3, 0.05);
    EXPECT_GT(granted[1] / all[1], 1.5 * granted[0] / all[0]);
}

}  // namespace
}  // namespace fairstream::generate
