/// Distances between distributions against their definitions.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include <fairstream/fairness/distribution_gaps.hpp>
#include <fairstream/numeric/detail/random.hpp>

namespace fairstream {
namespace {

struct Outputs {
    std::vector<float> values;
    std::vector<GroupId> groups;
    std::vector<double> weights;
};

// Some values are shared by many rows where `places` is small.
Outputs random_outputs(std::size_t n, std::uint32_t groups, std::uint32_t places, std::uint64_t seed) {
    Random random(seed, 4);
    Outputs out;
    for (std::size_t i = 0; i < n; ++i) {
        out.groups.push_back(static_cast<GroupId>(random.below(groups)));
        out.values.push_back(static_cast<float>(random.below(places)) * 0.25F + static_cast<float>(out.groups.back()));
        out.weights.push_back(static_cast<double>(1 + random.below(4)));
    }
    return out;
}

double share(const Outputs& of, GroupId group, double value, bool weighted) {
    double below = 0, all = 0;
    for (std::size_t i = 0; i < of.values.size(); ++i) {
        if (of.groups[i] != group) continue;
        const double weight = weighted ? of.weights[i] : 1;
        all += weight;
        if (double{of.values[i]} <= value) below += weight;
    }
    return below / all;
}

TEST(DistributionGaps, AreThoseOfTheDefinitions) {
    for (const GroupId groups : {2, 3, 5})
        for (const std::uint32_t places : {3, 1'000'000})
            for (const bool weighted : {false, true}) {
                const Outputs of = random_outputs(150, groups, places, groups + places);
                std::vector<float> at = of.values;
                std::ranges::sort(at);
                double ks = 0, wasserstein = 0, mean = 0;
                for (GroupId g = 0; g < groups; ++g)
                    for (GroupId h = 0; h < g; ++h) {
                        double area = 0, signed_area = 0;
                        for (std::size_t i = 0; i < at.size(); ++i) {
                            const double gap =
                                share(of, g, double{at[i]}, weighted) - share(of, h, double{at[i]}, weighted);
                            ks = std::max(ks, std::abs(gap));
                            const double width = i + 1 < at.size() ? double{at[i + 1]} - double{at[i]} : 0;
                            area += width * std::abs(gap), signed_area += width * gap;
                        }
                        wasserstein = std::max(wasserstein, area);
                        mean = std::max(mean, std::abs(signed_area));  // the means differ by the signed area
                    }
                const DistributionGaps found =
                    distribution_gaps(of.values, of.groups, groups, weighted ? of.weights : std::vector<double>());
                EXPECT_NEAR(found.ks, ks, 1e-12);
                EXPECT_NEAR(found.wasserstein, wasserstein, 1e-9 * wasserstein);
                EXPECT_NEAR(found.mean, mean, 1e-9 * (1 + mean));
            }
}

TEST(DistributionGaps, TakeAWeightForAsManyEqualRows) {
    const Outputs of = random_outputs(80, 3, 7, 1);
    Outputs repeated;
    for (std::size_t i = 0; i < 80; ++i)
        for (int copy = 0; copy < static_cast<int>(of.weights[i]); ++copy) {
            repeated.values.push_back(of.values[i]);
            repeated.groups.push_back(of.groups[i]);
        }
    const DistributionGaps one = distribution_gaps(of.values, of.groups, 3, of.weights);
    const DistributionGaps many = distribution_gaps(repeated.values, repeated.groups, 3);
    EXPECT_NEAR(one.ks, many.ks, 1e-12);
    EXPECT_NEAR(one.wasserstein, many.wasserstein, 1e-12);
    EXPECT_NEAR(one.mean, many.mean, 1e-12);
}

TEST(DistributionGaps, AreNoneWithoutTwoGroups) {
    const std::vector<float> values{1, 2, 3};
    EXPECT_EQ(distribution_gaps({}, {}, 2), DistributionGaps{});
    EXPECT_EQ(distribution_gaps(values, std::vector<GroupId>{1, 1, 1}, 2), DistributionGaps{});
    EXPECT_EQ(distribution_gaps(values, std::vector<GroupId>{0, 0, 2}, 2), DistributionGaps{}) << "2 is unknown";
    EXPECT_EQ(distribution_gaps(values, std::vector<GroupId>{0, 1, 1}, 2), (DistributionGaps{1, 1.5, 1.5}));
    EXPECT_EQ(distribution_gaps(std::vector<float>{4, 4, 4}, std::vector<GroupId>{0, 1, 1}, 2), DistributionGaps{});
}

}  // namespace
}  // namespace fairstream
