#include <gtest/gtest.h>

#include <fairstream/fairness/measures.hpp>
#include <fairstream/models/safairkm/safairkm.hpp>
#include <fairstream/wire/messages.hpp>

namespace fairstream::wire {
namespace {

const StreamFormat format{
    .dimensions = 2, .attributes = {{"sex", {"f", "m"}}, {"age", {"a", "b", "c"}}}, .has_targets = false};

FairnessTally tally() {
    const int counts[] = {2, 3};
    FairnessTally out(2, counts);
    const GroupId points[][2] = {{0, 0}, {1, 2}, {1, 1}, {0, 2}, {1, 0}};
    for (int i = 0; i < 5; ++i) out.add(i < 3 ? 0 : 1, points[i]);
    return out;
}

TEST(Reports, CarryFiguresByAttribute) {
    ModelUpdate update;
    update.fairness = tally();
    update.cost = 0.5;
    update.churn = 0.25;
    update.figures = {{"plain_cost", 0.375}};
    update.solve = {.outcome = Outcome::stalled, .iterations = 3, .moves = 4, .swaps = 5, .objective = 6};
    const FairnessReport report = fairness_report(update, format);
    EXPECT_EQ(report.cost, 0.5);
    EXPECT_EQ(report.churn, 0.25);
    EXPECT_EQ(report.figure("plain_cost"), 0.375);
    EXPECT_EQ(report.figure("other"), std::nullopt);
    EXPECT_EQ(report.iterations, 3);
    EXPECT_EQ(report.scores(), nullptr);
    EXPECT_EQ(report.outcome, Outcome::stalled);
    EXPECT_EQ(report.moves, 4);
    EXPECT_EQ(report.swaps, 5);
    EXPECT_EQ(report.points, 5);
    ASSERT_EQ(report.attributes().size(), 2U);
    for (int a = 0; a < 2; ++a) {
        const AttributeFairness expected = attribute_fairness(update.tally(), a);
        const AttributeReport& out = report.attributes()[a];
        EXPECT_EQ(out.attribute, format.attributes[a].name);
        EXPECT_EQ(static_cast<const ClusterFairness&>(out), expected);
    }
    EXPECT_EQ(report.attributes()[0].counts, (std::vector<std::int64_t>{1, 2, 1, 1}));
    EXPECT_EQ(report.attributes()[1].counts, (std::vector<std::int64_t>{1, 1, 1, 1, 0, 1}));
}

TEST(Reports, OfScoresCarryCostChurnAndFigures) {
    ModelUpdate update;
    update.cost = 0.5;
    update.churn = 0.25;
    update.solve = {.outcome = Outcome::stalled, .iterations = 3, .moves = 4, .swaps = 5, .objective = 6};
    update.fairness = ScoreFairness{.points = 5, .accuracy = 0.8, .gauc = 0.1};
    const FairnessReport expected{.cost = 0.5,
                                  .churn = 0.25,
                                  .outcome = Outcome::stalled,
                                  .iterations = 3,
                                  .moves = 4,
                                  .swaps = 5,
                                  .points = 5,
                                  .fairness = update.score_fairness(),
                                  .figures = {}};
    EXPECT_EQ(fairness_report(update, format), expected);
    fairstream::ModelReport report;
    static_cast<ModelFigures&>(report) = static_cast<const ModelFigures&>(update);
    EXPECT_EQ(fairness_report(report, format), expected);
    EXPECT_TRUE(fairness_report(report, format).attributes().empty());
    EXPECT_EQ(*fairness_report(report, format).scores(), update.score_fairness());
}

TEST(Reports, WarmingModelIsEmpty) {
    const fairstream::ModelReport warming{};
    EXPECT_TRUE(fairness_report(warming, format).attributes().empty());
    EXPECT_EQ(cluster_report(warming, format.dimensions),
              (ClusterReport{.clusters = 0, .dimensions = 2, .sizes = {}, .centres = {}}));
}

TEST(Reports, ListSizesAndCentresByCluster) {
    fairstream::ModelReport report;
    report.fairness = tally();
    report.centres = {1, 2, 3, 4};
    EXPECT_EQ(cluster_report(report, format.dimensions),
              (ClusterReport{.clusters = 2, .dimensions = 2, .sizes = {3, 2}, .centres = {1, 2, 3, 4}}));
}

TEST(Reports, SayWhatTheFiguresOfAModelMean) {
    const ModelReport report = model_report({}, safairkm::Options{}, format, format.dimensions);
    EXPECT_NE(report.cost_meaning, "");
    ASSERT_EQ(report.figures.size(), 4U);
    EXPECT_EQ(report.figures[1], (FigureMeaning{"price_of_fairness", "share", report.figures[1].meaning}));
    EXPECT_NE(report.figures[1].meaning, "");
}

TEST(Reports, GiveWeightsBesideCountsWherePointsAreWeighted) {
    const StreamFormat weighted{
        .dimensions = 2, .attributes = {{"sex", {"female", "male", "not said"}, true}}, .has_weights = true};
    FairnessTally counted = empty_tally(2, weighted);
    const GroupId female = 0, male = 1, unknown = 2;
    counted.add(0, &female, 2);
    counted.add(0, &male, 0.5);
    counted.add(1, &unknown, 4);
    fairstream::ModelReport report;
    report.fairness = counted;
    report.centres = {1, 2, 3, 4, 5, 6};
    const FairnessReport fairness = fairness_report(report, weighted);
    ASSERT_EQ(fairness.attributes().size(), 1U);
    EXPECT_EQ(fairness.attributes()[0].counts, (std::vector<std::int64_t>{1, 1, 0, 0, 0, 1}));
    EXPECT_EQ(fairness.attributes()[0].weights, (std::vector<double>{2, 0.5, 0, 0, 0, 4}));
    EXPECT_EQ(fairness.attributes()[0].known, 2U);
    const ClusterReport clusters = cluster_report(report, 3);  // columns that became three when they were prepared
    EXPECT_EQ(clusters, (ClusterReport{2, 3, {2, 1}, report.centres, {2.5, 4}}));
}

TEST(Reports, RefuseFiguresOfAnotherFormat) {
    ModelUpdate update;
    update.fairness = tally();
    StreamFormat other = format;
    other.attributes.pop_back();
    EXPECT_THROW(static_cast<void>(fairness_report(update, other)), InvalidInput);
    fairstream::ModelReport report;
    report.fairness = tally();
    report.centres = {1, 2, 3};
    Encoder encoder;
    EXPECT_THROW(write(Publication{{}, "clusters.m", 1, 1, cluster_report(report, format.dimensions)}, encoder),
                 InvalidInput);
}

}  // namespace
}  // namespace fairstream::wire
