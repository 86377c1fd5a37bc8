/// An engine's answers for models of scores, and for clusterings that are asked for scores.

#include <functional>
#include <thread>

#include <gtest/gtest.h>

#include <fairstream/engine.hpp>
#include <fairstream/options.hpp>

#include "engine/engine_setups.hpp"

namespace fairstream::test {
namespace {

/// A stream with targets, and a model of this kind named "m".
EngineOptions scoring(const std::string& kind, std::uint64_t every = 0) {
    EngineOptions options = setup({{"m", default_options(kind), {every, WhenBusy::wait}}});
    options.format.has_targets = true;
    return options;
}

std::vector<std::string> scorers() {
    std::vector<std::string> kinds = model_names();
    std::erase_if(kinds, [](const std::string& kind) { return !gives_numbers(default_options(kind)); });
    return kinds;
}

template <class Ask> void expect_question_refused(Reason reason, const std::string& word, const Ask& ask) {
    try {
        ask();
        ADD_FAILURE() << "answered";
    } catch (const InvalidInput& error) {
        EXPECT_EQ(error.reason(), reason) << error.what();
        EXPECT_NE(std::string(error.what()).find(word), std::string::npos) << error.what();
    }
}

TEST(EngineScores, AreRefusedByAClusteringByName) {
    Engine engine(setup());
    const PointColumns points = mixture(two_attributes(), 3, 1);
    std::vector<Score> out(3);
    expect_question_refused(Reason::unknown_request, "fair", [&] { (void)engine.scores("fair"); });
    expect_question_refused(Reason::unknown_request, "fair",
                            [&] { engine.score("fair", points.features, points.groups, out); });
    expect_question_refused(Reason::unknown_model, "other", [&] { (void)engine.scores("other"); });
    EXPECT_TRUE(std::holds_alternative<FairnessTally>(engine.report("fair").fairness));
}

// Returns whether the model has a network to ask for.
bool holds_network(const Engine& engine) {
    try {
        return engine.network("m") != nullptr;
    } catch (const InvalidInput& error) {
        EXPECT_EQ(error.reason(), Reason::unknown_request);
        return false;
    }
}

TEST(EngineScores, AreAnsweredByEveryModelOfScores) {
    for (const std::string& kind : scorers()) {
        Engine engine(scoring(kind));
        const auto stream = batches(engine.options().format, 6, 60, 3);
        for (const PointColumns& batch : stream) {
            const ModelUpdate& update = engine.ingest(event(batch)).models[0];
            ASSERT_TRUE(std::holds_alternative<Changes<Score>>(update.changes));
            OutputFairness reported = engine.report("m").fairness;
            if (auto* const scores = std::get_if<ScoreFairness>(&reported)) {
                EXPECT_TRUE(scores->intervals.has_value());
                scores->intervals.reset();
            }
            ASSERT_EQ(reported, update.fairness) << "an update has no intervals";
        }
        EXPECT_EQ(engine.scores("m").size(), engine.window().size());
        EXPECT_TRUE(engine.report("m").centres.empty());
        EXPECT_EQ(gives_predictions(engine.current_options("m")), holds_network(engine));
        std::vector<Score> all(60), one(1);
        engine.score("m", stream[0].features, stream[0].groups, all);
        const PointBatch row = stream[0].view().slice(7, 1);
        engine.score("m", row.features, row.groups, one);
        EXPECT_EQ(one[0], all[7]);
    }
}

TEST(EngineScores, ReportReflectsRequestTime) {
    for (const std::string& kind : scorers()) {
        Engine engine(scoring(kind));
        std::vector<std::function<ModelReport()>> late;
        std::vector<OutputFairness> then;
        for (const PointColumns& batch : batches(engine.options().format, 8, 60, 3)) {
            engine.ingest(event(batch));
            late.push_back(engine.report_later("m"));
            then.push_back(engine.report("m").fairness);
        }
        EXPECT_NE(then.front(), then.back());
        std::thread([&] {
            for (std::size_t i = 0; i < late.size(); ++i) EXPECT_EQ(late[i]().fairness, then[i]) << kind << " " << i;
        }).join();
    }
}

TEST(EngineScores, ScoreModelsRefuseLabels) {
    for (const std::string& kind : scorers()) {
        const Engine engine(scoring(kind));
        const PointColumns points = mixture(engine.options().format, 3, 1);
        std::vector<ClusterId> labels(3);
        std::vector<Score> scores(3);
        const auto unknown = Reason::unknown_request;
        expect_question_refused(unknown, "m gives scores", [&] { (void)engine.labels("m"); });
        expect_question_refused(unknown, "m gives scores", [&] { engine.assign("m", points.features, labels); });
        expect_question_refused(unknown, "m gives scores",
                                [&] { engine.assign_fair("m", points.features, points.groups, labels); });
        expect_question_refused(Reason::wrong_shape, "12", [&] {
            engine.score("m", std::span(points.features).first(11), points.groups, scores);
        });
        expect_question_refused(Reason::wrong_shape, "5 groups",
                                [&] { engine.score("m", points.features, std::span(points.groups).first(5), scores); });
        std::vector<GroupId> groups = points.groups;
        groups[3] = 3;
        expect_question_refused(Reason::unknown_group, " 3",
                                [&] { engine.score("m", points.features, groups, scores); });
    }
}

TEST(EngineScores, NeedAStreamWithTargets) {
    for (const std::string& kind : scorers()) {
        EngineOptions options = scoring(kind);
        options.format.has_targets = false;
        expect_question_refused(Reason::bad_option, "targets", [&] { Engine engine(options); });
    }
}

TEST(EngineScores, SavedEngineKeepsFigures) {
    for (const std::string& kind : scorers()) {
        for (const std::uint64_t every : {0, 100}) {
            Engine engine(scoring(kind, every));
            for (const PointColumns& batch : batches(engine.options().format, 8, 60, 3)) engine.ingest(event(batch));
            Engine loaded = Engine::load(engine.options(), engine.save());
            EXPECT_EQ(loaded.save(), engine.save());
            EXPECT_TRUE(std::ranges::equal(loaded.scores("m"), engine.scores("m")));
            EXPECT_EQ(loaded.report("m").fairness, engine.report("m").fairness);
        }
    }
}

}  // namespace
}  // namespace fairstream::test
