/// Answers to control clients, which never go beyond what is on disk.

#include "service/fixture.hpp"

namespace fairstream::service {
namespace {

class Control : public ServiceTest {
protected:
    template <class Body> Body answer(decltype(wire::ControlRequest::body) request) {
        const auto reply = ask(*service_, std::move(request));
        EXPECT_TRUE(std::holds_alternative<Body>(reply.value.body));
        return std::get<Body>(reply.value.body);
    }
    Reason refusal(decltype(wire::ControlRequest::body) request) {
        return answer<wire::Nack>(std::move(request)).reason;
    }
};

TEST_F(Control, SnapshotShowsCommittedState) {
    begin();
    feed(1, 10);
    service_->handle_ingest("c", batch("p", 1, 11));
    const auto reply = ask(*service_, wire::SnapshotRequest{"labels.fair"});
    const auto& snapshot = std::get<wire::Publication>(reply.value.body);
    EXPECT_EQ(snapshot.sequence, 11U);
    View view;
    fold(std::get<wire::LabelUpdate>(snapshot.body), view);
    EXPECT_EQ(view, view_of(service_->engine(), "fair"));
    reopen();
    EXPECT_EQ(service_->engine().sequence(), 11U);
}

TEST_F(Control, HealthShowsLastCommit) {
    begin();
    feed(1, 3);
    service_->handle_ingest("c", batch("p", 1, 4));
    service_->handle_ingest("c", Message(5));
    service_->handle_control("asker", control(7, wire::HealthRequest{}), 1.5);
    const Outbox out = take(*service_);
    EXPECT_TRUE(out.ingest.empty()) << "a health request waited for the disk";
    EXPECT_TRUE(out.publications.empty());
    ASSERT_EQ(out.control.size(), 1U);
    const auto before = read_control_reply(out.control[0].message.view());
    EXPECT_EQ(std::get<wire::Health>(before.value.body).sequence, 3U);
    EXPECT_EQ(std::get<wire::Health>(before.value.body).refused, 0U);
    service_->commit();
    EXPECT_EQ(take(*service_).ingest.size(), 2U);
    EXPECT_EQ(answer<wire::Health>(wire::HealthRequest{}).sequence, 4U);
    EXPECT_EQ(answer<wire::Health>(wire::HealthRequest{}).refused, 1U);
}

TEST_F(Control, AnswersWaitForTheirCommit) {
    begin();
    feed(1, 10);
    service_->handle_control("free", control(1, wire::SnapshotRequest{"labels.fair"}), 0);
    EXPECT_EQ(take(*service_).control.size(), 1U) << "nothing is uncommitted";
    service_->handle_ingest("c", batch("p", 1, 11));
    service_->handle_control("bound", control(2, wire::SnapshotRequest{"labels.fair"}), 0);
    service_->handle_control("knob", control(3, KnobChange{"fair", "kmeans_updates", "3"}), 0);
    service_->handle_control("bad", control(4, KnobChange{"fair", "kmeans_updates", "many"}), 0);
    service_->handle_ingest("c", batch("p", 1, 12));
    EXPECT_EQ(service_->engine().sequence(), 13U) << "ingestion goes on";
    EXPECT_EQ(service_->recording().last_sequence(), 10U) << "control waited for the disk";
    Outbox out = take(*service_);
    EXPECT_TRUE(out.control.empty() && out.ingest.empty() && out.publications.empty());
    service_->commit();
    out = take(*service_);
    ASSERT_EQ(out.control.size(), 3U);
    EXPECT_EQ(out.control[0].client, "bound");
    const auto snapshot = read_control_reply(out.control[0].message.view());
    EXPECT_EQ(std::get<wire::Publication>(snapshot.value.body).sequence, 11U);
    const auto done = read_control_reply(out.control[1].message.view());
    EXPECT_EQ(std::get<wire::Done>(done.value.body).sequence, 12U);
    const auto refused = read_control_reply(out.control[2].message.view());
    EXPECT_EQ(std::get<wire::Nack>(refused.value.body).reason, Reason::bad_option);
    EXPECT_EQ(out.ingest.size(), 2U);
}

TEST_F(Control, InFlightAnswerIsReleased) {
    begin();
    service_->handle_ingest("c", batch("p", 1, 1));
    service_->begin_commit({});
    service_->handle_control("asker", control(1, wire::SnapshotRequest{"labels.fair"}), 0);
    EXPECT_TRUE(take(*service_).control.empty());
    service_->handle_ingest("c", batch("p", 1, 2));
    service_->finish_commit(true);
    const Outbox out = take(*service_);
    EXPECT_EQ(out.ingest.size(), 1U);
    EXPECT_EQ(out.control.size(), 1U);
}

TEST_F(Control, SnapshotsOfFiguresAreTheNewestPublications) {
    begin();
    feed(1, 10);
    service_->handle_ingest("c", batch("p", 1, 11));
    service_->commit();
    std::map<std::string, std::vector<std::byte>> newest;
    for (const Outgoing& each : take(*service_).publications) {
        newest[std::string(each.topic)] = {each.message.view().begin(), each.message.view().end()};
    }
    for (const char* const model : {"fair", "plain"}) {
        for (const char* const kind : {"fairness.", "clusters."}) {
            const auto reply = ask(*service_, wire::SnapshotRequest{std::string(kind) + model});
            auto snapshot = std::get<wire::Publication>(reply.value.body);
            EXPECT_EQ(snapshot.previous_hash, snapshot.running_hash) << "it stands for the newest one too";
            snapshot.previous_hash = read_publication(newest.at(std::string(kind) + model)).value.previous_hash;
            wire::Encoder encoder;
            const Bytes bytes = wire::write(snapshot, encoder);
            EXPECT_EQ(newest.at(std::string(kind) + model), std::vector<std::byte>(bytes.begin(), bytes.end()))
                << kind << model;
        }
    }
}

TEST_F(Control, AWarmingModelHasAnEmptySnapshot) {
    begin();
    const auto reply = ask(*service_, wire::SnapshotRequest{"labels.fair"});
    const auto& snapshot = std::get<wire::Publication>(reply.value.body);
    EXPECT_EQ(snapshot.topic_sequence, 0U);
    EXPECT_TRUE(std::get<wire::LabelUpdate>(snapshot.body).ids.empty());
}

TEST_F(Control, OldRangeBecomesSnapshot) {
    begin({.ring = {.messages = 4}});
    feed(1, 30);
    const std::uint64_t last =
        std::get<wire::Publication>(ask(*service_, wire::SnapshotRequest{"fairness.fair"}).value.body).topic_sequence;
    ASSERT_GT(last, 8U);
    const auto kept = ask(*service_, wire::RangeRequest{"fairness.fair", last - 3, ~std::uint64_t{0}});
    const auto& messages = std::get<wire::Publications>(kept.value.body).messages;
    ASSERT_EQ(messages.size(), 4U);
    for (std::uint64_t i = 0; i < 4; ++i) EXPECT_EQ(read_publication(messages[i]).value.topic_sequence, last - 3 + i);
    const auto old = ask(*service_, wire::RangeRequest{"fairness.fair", last - 4, last});
    EXPECT_EQ(std::get<wire::Publication>(old.value.body).topic_sequence, last);
    EXPECT_TRUE(answer<wire::Publications>(wire::RangeRequest{"fairness.fair", last + 1, last + 9}).messages.empty());
    EXPECT_EQ(refusal(wire::RangeRequest{"fairness.fair", 0, 3}), Reason::malformed);
    EXPECT_EQ(refusal(wire::RangeRequest{"fairness.fair", 3, 2}), Reason::malformed);
}

std::span<const ClusterId> labels_of(const wire::ControlReply& reply) {
    return std::get<wire::Answered<ClusterId>>(std::get<wire::Assigned>(reply.body).outputs).values;
}

TEST_F(Control, AssignAndReportAreTheEngines) {
    begin();
    feed(1, 10);
    const PointColumns points = points_.next(9);
    std::vector<ClusterId> expected(9);
    service_->engine().assign("fair", points.features, expected);
    const auto nearest = ask(*service_, wire::AssignRequest{"fair", points.features, {}});
    EXPECT_TRUE(std::ranges::equal(labels_of(nearest.value), expected));
    const std::vector<GroupId> groups{0, 1, 0, 1, 1, 1, 0, 0, 1};
    service_->engine().assign_fair("fair", points.features, groups, expected);
    const auto fair = ask(*service_, wire::AssignRequest{"fair", points.features, groups});
    EXPECT_TRUE(std::ranges::equal(labels_of(fair.value), expected));
    const auto report = answer<wire::ModelReport>(wire::ReportRequest{"plain"});
    EXPECT_EQ(report.fairness, wire::fairness_report(service_->engine().report("plain"), options_.format));
    EXPECT_EQ(report.clusters, wire::cluster_report(service_->engine().report("plain"), options_.format.dimensions));
}

TEST_F(Control, KnobsAndRefinementsAreEventsThatSurvive) {
    begin();
    feed(1, 10);
    EXPECT_EQ(answer<wire::Done>(KnobChange{"fair", "balance_at_least", "0.1"}).sequence, 11U);
    EXPECT_EQ(answer<wire::Done>(Refinement{"plain", 3}).sequence, 12U);
    const ModelOptions changed = service_->engine().current_options("fair");
    EXPECT_NE(changed, service_->engine().options().models[0].options);
    reopen();
    EXPECT_EQ(service_->engine().sequence(), 12U);
    EXPECT_EQ(service_->engine().current_options("fair"), changed);
    EXPECT_EQ(answer<wire::Done>(KnobChange{"fair", "balance_at_least", "0.2"}).sequence, 13U);
}

TEST_F(Control, BadRequestsAreRefused) {
    begin();
    feed(1, 5);
    const std::vector<float> features(4);
    EXPECT_EQ(refusal(wire::SnapshotRequest{"labels.nobody"}), Reason::unknown_model);
    EXPECT_EQ(refusal(wire::RangeRequest{"status", 1, 2}), Reason::unknown_model);
    EXPECT_EQ(refusal(wire::ReportRequest{"nobody"}), Reason::unknown_model);
    EXPECT_EQ(refusal(wire::AssignRequest{"fair", features, {}}), Reason::wrong_shape);
    EXPECT_EQ(refusal(KnobChange{"nobody", "swaps", "1"}), Reason::unknown_model);
    EXPECT_EQ(refusal(KnobChange{"fair", "swoops", "1"}), Reason::unknown_option);
    EXPECT_EQ(refusal(KnobChange{"fair", "clusters", "9"}), Reason::bad_option);
    EXPECT_EQ(refusal(KnobChange{"fair", "kmeans_updates", "many"}), Reason::bad_option);
    EXPECT_EQ(service_->engine().sequence(), 5U);
    EXPECT_EQ(answer<wire::Done>(KnobChange{"fair", "kmeans_updates", "1"}).sequence, 6U);
}

TEST_F(Control, GarbageIsAnswered) {
    begin();
    for (std::size_t size : {0, 1, 8, 64, 1000}) {
        service_->handle_control("c", Message(size, std::byte{0xff}), 0);
        const Outbox out = take(*service_);
        ASSERT_EQ(out.control.size(), 1U);
        EXPECT_EQ(std::get<wire::Nack>(read_control_reply(out.control[0].message.view()).value.body).reason,
                  Reason::malformed);
    }
    Message message = control(42, wire::HealthRequest{});
    for (std::size_t at = 0; at < message.size(); ++at) {
        for (int bit = 0; bit < 8; ++bit) {
            Message damaged = message;
            damaged[at] ^= static_cast<std::byte>(1U << bit);
            service_->handle_control("c", damaged, 0);
            EXPECT_EQ(take(*service_).control.size(), 1U);
        }
    }
}

TEST_F(Control, HealthCountsProducersAndRefusals) {
    begin();
    feed(1, 3);
    send(*service_, batch("q", 1, 1));
    send(*service_, Message(5));
    ask(*service_, KnobChange{"fair", "kmeans_updates", "3"});
    const auto health = answer<wire::Health>(wire::HealthRequest{});
    EXPECT_TRUE(health.ready);
    EXPECT_EQ(health.sequence, 5U);
    EXPECT_EQ(health.retained, service_->engine().window().size());
    EXPECT_EQ(health.producers, 2U);
    EXPECT_EQ(health.refused, 1U);
    EXPECT_EQ(health.uptime_seconds, 1.5);
    EXPECT_EQ(health.cpu_level, cpu_level());
    EXPECT_THAT(health.version, testing::MatchesRegex("[0-9]+\\.[0-9]+\\.[0-9]+"));
}

TEST_F(Control, DescriptionShowsBothOptions) {
    begin();
    feed(1, 3);
    EXPECT_EQ(answer<wire::Done>(KnobChange{"fair", "balance_at_least", "0.1"}).sequence, 4U);
    const auto check = [&](Sequence fair, Sequence plain, std::uint64_t events) {
        const auto description = answer<wire::Description>(wire::DescriptionRequest{});
        EXPECT_EQ(description.sequence, 4U);
        EXPECT_EQ(description.recording, std::filesystem::canonical(path_));
        EXPECT_EQ(description.format, options_.format);
        EXPECT_EQ(description.events, events);
        ASSERT_EQ(description.models.size(), options_.models.size());
        EXPECT_EQ(description.models[0].name, "fair");
        EXPECT_EQ(description.models[0].kind, "safairkm");
        EXPECT_EQ(description.models[0].stepped_at, fair);
        EXPECT_EQ(description.models[1].stepped_at, plain);
        const std::vector<wire::OptionState>& options = description.models[0].options;
        const auto balance = std::ranges::find(options, "balance_at_least", &wire::OptionState::name);
        ASSERT_NE(balance, options.end());
        EXPECT_EQ(balance->value, "0.1");
        EXPECT_NE(balance->configured, "0.1");
        EXPECT_TRUE(balance->live);
        for (const wire::OptionState& option : options)
            EXPECT_EQ(option.value == option.configured, option.name != "balance_at_least") << option.name;
        for (const wire::OptionState& option : description.models[1].options)
            EXPECT_EQ(option.value, option.configured) << option.name;
    };
    check(3, 3, 4);
    service_->finish();
    reopen();
    check(0, 0, 0);  // everything was before this process, except the options
}

TEST_F(Control, DeletedRecordingEndsService) {
    const auto begin_and_delete = [&] {
        service_.reset();
        std::filesystem::remove(path_.string() + "-wal");
        begin();
        feed(1, 3);
        std::filesystem::remove(path_);
    };
    begin_and_delete();
    EXPECT_THROW(service_->publish_status(), ServiceFailure) << "though there is nothing to commit";
    begin_and_delete();
    EXPECT_THROW(ask(*service_, wire::HealthRequest{}), ServiceFailure);
    begin_and_delete();
    service_->handle_ingest("c", batch("p", 1, 4));
    EXPECT_THROW(service_->commit(), ServiceFailure);
    EXPECT_TRUE(take(*service_).ingest.empty());
}

TEST_F(Control, StopLeavesACheckpointOfTheNewestEvent) {
    begin();
    feed(1, 12);
    service_->handle_ingest("c", batch("p", 1, 13));
    EXPECT_EQ(answer<wire::Done>(wire::StopRequest{}).sequence, 13U);
    EXPECT_TRUE(service_->stopping());
    const Message state = service_->recording().newest_checkpoint()->state;
    std::uint64_t replayed = 0;
    reopen({}, [&](Sequence, Sequence) { ++replayed; });
    EXPECT_EQ(replayed, 0U);
    EXPECT_FALSE(service_->stopping());
    EXPECT_EQ(saved_state(*service_), state);
}

TEST_F(Control, StatusSaysHowFarEveryTopicIs) {
    begin();
    feed(1, 9);
    service_->handle_ingest("c", batch("p", 1, 10));
    service_->publish_status();
    EXPECT_TRUE(take(*service_).publications.empty()) << "it tells of an event that is not on disk";
    service_->commit();
    const std::vector<Outgoing> published = take(*service_).publications;
    ASSERT_FALSE(published.empty());
    const Outgoing& status = published.back();
    EXPECT_EQ(status.topic, "status");
    const auto read = read_publication(status.message.view());
    EXPECT_EQ(read.value.topic_sequence, 0U);
    EXPECT_EQ(read.value.sequence, 10U);
    const auto& body = std::get<wire::Status>(read.value.body);
    EXPECT_EQ(body.retained, service_->engine().window().size());
    ASSERT_EQ(body.topics.size(), 3 * options_.models.size());
    for (const wire::TopicMark& mark : body.topics) {
        const auto reply = ask(*service_, wire::SnapshotRequest{mark.topic});
        EXPECT_EQ(std::get<wire::Publication>(reply.value.body).topic_sequence, mark.topic_sequence) << mark.topic;
    }
}

}  // namespace
}  // namespace fairstream::service
