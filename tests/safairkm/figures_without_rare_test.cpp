/// Balance and parity without the groups that targets leave out as too rare.

#include <vector>

#include <gtest/gtest.h>

#include <fairstream/fairness/tally.hpp>
#include <fairstream/models/safairkm/safairkm.hpp>
#include <fairstream/targets/figures_without_rare.hpp>

namespace fairstream::safairkm {
namespace {

/// Counts points by their two groups, every other one in the second of two clusters.
FairnessTally tally_of(const std::vector<GroupId>& groups, const StreamFormat& format) {
    std::vector<ClusterId> labels;
    for (std::size_t i = 0; i < groups.size() / 2; ++i) labels.push_back(i % 2 == 0 ? 0 : 1);
    FairnessTally tally = empty_tally(2, format);
    tally.add(labels, groups.data());
    return tally;
}

TEST(FiguresWithoutRare, AreOfTheAttributesThatTargetsAreAbout) {
    const StreamFormat format{1, {{"sex", {"f", "m", "x"}}, {"region", {"north", "south"}}}};
    // Both clusters have 4 of f and 5 of m; the first also one of x. North and south are 9 to 1 and 1 to 8.
    std::vector<GroupId> groups;
    for (int i = 0; i < 18; ++i) {
        groups.push_back(i < 8 ? 0 : 1);
        const bool usual = i != 0 && i != 1;
        groups.push_back((i % 2 == 0) == usual ? 0 : 1);
    }
    groups.insert(groups.end(), {2, 0});
    const FairnessTally tally = tally_of(groups, format);

    Options options{.clusters = 2, .targets = {.attribute = {0, 1}}};
    options.targets.rare_below = 2;
    options.targets.balance_at_least = {0.8, 0};
    std::vector<Figure> figures;
    add_figures_without_rare(targets_of(options), tally, 1, figures);
    ASSERT_EQ(figures.size(), 2U);
    EXPECT_EQ(figures[0].name, "balance_without_rare");
    EXPECT_DOUBLE_EQ(figures[0].value, 0.8) << "no target is about the regions";
    EXPECT_EQ(figures[1].name, "parity_without_rare");
    EXPECT_DOUBLE_EQ(figures[1].value, 1);

    options.targets.balance_at_least = {0.8, 0.1};
    figures.clear();
    add_figures_without_rare(targets_of(options), tally, 1, figures);
    ASSERT_EQ(figures.size(), 2U);
    EXPECT_DOUBLE_EQ(figures[0].value, 1.0 / 9);

    options.targets.rare_below = 0;  // no group is left out: the figures of all groups suffice
    figures.clear();
    add_figures_without_rare(targets_of(options), tally, 1, figures);
    EXPECT_TRUE(figures.empty());
}

}  // namespace
}  // namespace fairstream::safairkm
