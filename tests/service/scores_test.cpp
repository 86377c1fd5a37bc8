/// Publications and answers of the service for every model of scores or predictions.

#include <fairstream/options.hpp>

#include "service/fixture.hpp"
#include "support/streams.hpp"

namespace fairstream::service {
namespace {

using ScoreMap = std::map<PointId, Score>;

class Scores : public ServiceTest {
protected:
    /// One model of scores of this kind, named "m", beside a clustering.
    static EngineOptions scoring(const std::string& kind, std::uint64_t every) {
        EngineOptions options = small_options();
        options.format.has_targets = true;
        options.models = {small_model("fair", 3, 0, {}), {"m", default_options(kind), {every, WhenBusy::wait}}};
        return options;
    }
    /// Calls `check` with a service for each of these models.
    template <class Check> void for_every_scorer(const Check& check) {
        for (const std::string& kind : model_names()) {
            if (!gives_numbers(default_options(kind))) continue;
            for (const std::uint64_t every : {0, 100}) {
                begin({}, scoring(kind, every));
                check();
            }
        }
    }
    [[nodiscard]] std::vector<std::pair<Sequence, Network>> published_networks() const {
        std::vector<std::pair<Sequence, Network>> found;
        for (const Outgoing& each : published_) {
            if (each.topic != "network.m") continue;
            const auto publication = read_publication(each.message.view());
            found.emplace_back(publication.value.sequence,
                               std::get<wire::NetworkReport>(publication.value.body).network);
        }
        return found;
    }
    [[nodiscard]] Network visible_network() const { return *service_->engine().network("m"); }
    void send_batch(std::uint64_t number) {
        columns_ = mixture(options_.format, 60, number, 60 * number);
        send_all(event("p", 1, number, columns_.view()));
    }
    void send_all(const Message& message) {
        service_->handle_ingest("c", message);
        service_->commit();
        for (const Outgoing& each : take(*service_).publications) published_.push_back(each);
    }
    [[nodiscard]] ScoreMap visible() const {
        ScoreMap all;
        const auto scores = service_->engine().scores("m");
        for (Slot slot = 0; slot < scores.size(); ++slot)
            if (scores[slot] != no_score) all[service_->engine().window().id(slot)] = scores[slot];
        return all;
    }
    static void fold_scores(const wire::ScoreUpdate& update, ScoreMap& view) {
        for (const PointId id : update.departed) view.erase(id);
        for (std::size_t i = 0; i < update.ids.size(); ++i) view[update.ids[i]] = update.outputs[i];
    }

    std::vector<Outgoing> published_;
};

TEST_F(Scores, UpdatesAddUp) {
    for_every_scorer([&] {
        published_.clear();
        for (std::uint64_t number = 1; number <= 10; ++number) send_batch(number);
        ScoreMap view;
        std::map<std::string, int> topics;
        for (const Outgoing& each : published_) {
            ++topics[std::string(each.topic)];
            const auto publication = read_publication(each.message.view());
            if (each.topic == "scores.m") fold_scores(std::get<wire::ScoreUpdate>(publication.value.body), view);
            if (each.topic != "fairness.m") continue;
            const auto& report = std::get<wire::FairnessReport>(publication.value.body);
            const bool predicts = gives_predictions(service_->engine().current_options("m"));
            EXPECT_EQ(report.scores() != nullptr, !predicts);
            EXPECT_EQ(report.predictions() != nullptr, predicts);
        }
        EXPECT_EQ(view, visible());
        EXPECT_FALSE(view.empty());
        EXPECT_EQ(topics["scores.m"], 10);
        EXPECT_EQ(topics["fairness.m"], 10);
        EXPECT_FALSE(topics.contains("labels.m") || topics.contains("clusters.m") || topics.contains("front.m"));
    });
}

TEST_F(Scores, HaveIntervalsOnTheirTopicWithStepsAlone) {
    for (const std::uint64_t every : {0, 100}) {
        begin({}, scoring("partial_fair_scorer", every));
        published_.clear();
        for (std::uint64_t number = 1; number <= 10; ++number) send_batch(number);
        std::vector<Sequence> with;
        for (const Outgoing& each : published_) {
            if (each.topic != "fairness.m") continue;
            const auto publication = read_publication(each.message.view());
            const ScoreFairness& scores = *std::get<wire::FairnessReport>(publication.value.body).scores();
            if (scores.intervals) with.push_back(publication.value.sequence);
            if (publication.value.sequence == 10) {
                EXPECT_EQ(scores, service_->engine().report("m").score_fairness());
            }
        }
        // Events of 60 points each: a step begins with every second event, and is visible two events later.
        const std::vector<Sequence> all{1, 2, 3, 4, 5, 6, 7, 8, 9, 10}, scheduled{4, 6, 8, 10};
        EXPECT_EQ(with, every == 0 ? all : scheduled);
    }
}

TEST_F(Scores, SnapshotsCoverRetainedPoints) {
    for_every_scorer([&] {
        for (std::uint64_t number = 1; number <= 10; ++number) send_batch(number);
        const auto reply = ask(*service_, wire::SnapshotRequest{"scores.m"});
        ScoreMap view;
        fold_scores(std::get<wire::ScoreUpdate>(std::get<wire::Publication>(reply.value.body).body), view);
        EXPECT_EQ(view, visible());
        const auto figures = ask(*service_, wire::SnapshotRequest{"fairness.m"});
        EXPECT_EQ(std::get<wire::FairnessReport>(std::get<wire::Publication>(figures.value.body).body),
                  wire::fairness_report(service_->engine().report("m"), options_.format));
        EXPECT_TRUE(std::holds_alternative<wire::Nack>(ask(*service_, wire::SnapshotRequest{"labels.m"}).value.body));
    });
}

TEST_F(Scores, AnswersAndReports) {
    for_every_scorer([&] {
        for (std::uint64_t number = 1; number <= 10; ++number) send_batch(number);
        const PointColumns points = mixture(options_.format, 9, 77);
        std::vector<Score> expected(9);
        service_->engine().score("m", points.features, points.groups, expected);
        const auto scored = ask(*service_, wire::AssignRequest{"m", points.features, points.groups});
        const auto& assigned = std::get<wire::Assigned>(scored.value.body);
        EXPECT_TRUE(std::ranges::equal(std::get<wire::Answered<Score>>(assigned.outputs).values, expected));
        const auto report = ask(*service_, wire::ReportRequest{"m"});
        EXPECT_EQ(std::get<wire::ModelReport>(report.value.body).fairness,
                  wire::fairness_report(service_->engine().report("m"), options_.format));
        const auto few = std::span(points.groups).first(3);
        const auto refused = ask(*service_, wire::AssignRequest{"m", points.features, few});
        EXPECT_EQ(std::get<wire::Nack>(refused.value.body).reason, Reason::wrong_shape);
    });
}

TEST_F(Scores, ReportsUseLastCommit) {
    for_every_scorer([&] {
        for (std::uint64_t number = 1; number <= 9; ++number) send_batch(number);
        const OutputFairness committed = service_->engine().report("m").fairness;
        columns_ = mixture(options_.format, 60, 10, 600);
        service_->handle_ingest("c", event("p", 1, 10, columns_.view()));
        EXPECT_NE(service_->engine().report("m").fairness, committed);
        const auto answer = service_->answer_of_last_commit({7, wire::ReportRequest{"m"}});
        ASSERT_TRUE(answer.has_value());
        ModelFigures figures;
        figures.fairness = committed;
        EXPECT_EQ(std::get<wire::ModelReport>(*answer).fairness.fairness,
                  wire::fairness_report(figures, options_.format).fairness);
        service_->commit();
        (void)take(*service_);
    });
}

TEST_F(Scores, SurviveARecovery) {
    for_every_scorer([&] {
        for (std::uint64_t number = 1; number <= 10; ++number) send_batch(number);
        const ScoreMap before = visible();
        const OutputFairness figures = service_->engine().report("m").fairness;
        reopen();
        EXPECT_EQ(visible(), before);
        EXPECT_EQ(service_->engine().report("m").fairness, figures);
    });
}

TEST_F(Scores, ChangedNetworkIsPublished) {
    begin({}, scoring("esvd_fair", 0));
    for (std::uint64_t number = 1; number <= 10; ++number) send_batch(number);
    ASSERT_EQ(published_networks().size(), 1U) << "it starts with a full window, and the stream does not change";
    EXPECT_EQ(published_networks()[0].first, 3U);
    send_all(event("p", 1, 11, KnobChange{"m", "means", "0.5"}));
    ASSERT_EQ(published_networks().size(), 2U);
    const Network network = published_networks()[1].second;
    EXPECT_FALSE(network == published_networks()[0].second);
    const std::vector<float> predicted = Evaluation(network)(service_->engine().window().points().features);
    const std::span<const Score> scores = service_->engine().scores("m");
    EXPECT_TRUE(std::ranges::equal(predicted, scores, [](float a, Score b) { return double{a} == b; }));

    const auto snapshot = [&] {
        const auto reply = ask(*service_, wire::SnapshotRequest{"network.m"});
        return std::get<wire::NetworkReport>(std::get<wire::Publication>(reply.value.body).body).network;
    };
    EXPECT_EQ(snapshot(), network);
    const Network before = visible_network();
    reopen();
    EXPECT_EQ(visible_network(), before);
    EXPECT_EQ(snapshot(), network);
}

TEST_F(Scores, OfAClassHaveNoNetwork) {
    begin({}, scoring("partial_fair_scorer", 0));
    send_batch(1);
    const auto refused = ask(*service_, wire::SnapshotRequest{"network.m"});
    EXPECT_EQ(std::get<wire::Nack>(refused.value.body).reason, Reason::unknown_model);
}

TEST_F(Scores, OfAnUnknownModelAreRefused) {
    begin();
    const auto reply = ask(*service_, wire::AssignRequest{"other", {}, {}});
    EXPECT_EQ(std::get<wire::Nack>(reply.value.body).reason, Reason::unknown_model);
}

}  // namespace
}  // namespace fairstream::service
