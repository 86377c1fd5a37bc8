/// Digests of updates in the recording, recoveries that differ from the published updates, and kept events.

#include <fairstream/log/sqlite/recording.hpp>
#include <fairstream/service/update_digest.hpp>

#include "service/fixture.hpp"

namespace fairstream::service {
namespace {

using log::RecordedEvent;
using log::sqlite::Recording;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class UpdateDigests : public ServiceTest {
protected:
    UpdateDigests() {
        settings_.warn = [this](const std::string& text) { warnings_.push_back(text); };
    }
    /// Rebuilds the recording from its events, as if another program had published other updates from an event on.
    void publish_otherwise(Sequence from) {
        service_.reset();
        const auto old = directory_ / "old.fairstream";
        std::filesystem::rename(path_, old);
        const Recording recording = Recording::open_read_only(old);
        Recording copy = Recording::create(path_, recording.config());
        recording.for_each_event(1, [&](const RecordedEvent& event) {
            copy.append({.sequence = event.sequence,
                         .producer = event.producer,
                         .mark = event.mark,
                         .message = event.message,
                         .decisions = event.decisions,
                         .update_digest = *event.update_digest ^ (event.sequence >= from ? 1U : 0U)});
            return true;
        });
        copy.flush();
    }
    [[nodiscard]] wire::Publication snapshot_from(std::uint64_t number) {
        const auto reply = ask(*service_, wire::RangeRequest{"labels.fair", number, number + 10});
        return std::get<wire::Publication>(reply.value.body);
    }

    Settings settings_;
    std::vector<std::string> warnings_;
};

TEST_F(UpdateDigests, AreRecordedWithBuild) {
    begin();
    feed(1, 3);
    std::size_t with_digest = 0;
    service_->recording().for_each_event(1, [&](const RecordedEvent& event) {
        with_digest += event.update_digest.has_value();
        return true;
    });
    EXPECT_EQ(with_digest, 3U);
    const std::vector<log::Build> builds = service_->recording().builds();
    ASSERT_EQ(builds.size(), 1U);
    EXPECT_EQ(builds[0].from, 1U);
    EXPECT_EQ(builds[0].version, service_->health(0).version);
    EXPECT_EQ(builds[0].cpu_level, cpu_level());
    EXPECT_EQ(builds[0].differs_from, 0U);
}

TEST_F(UpdateDigests, IgnoreFigures) {
    const PointColumns points = points_.next(30);
    Engine engine(small_options());
    const Update first = engine.ingest(points.view());
    const std::uint64_t digest = update_digest(engine, first);
    Update changed = first;
    changed.models[0].cost += 1;
    changed.models[0].churn += 1;
    EXPECT_EQ(update_digest(engine, changed), digest);
    changed = first;
    std::get<Changes<ClusterId>>(changed.models[1].changes).after.back() ^= 1;
    EXPECT_NE(update_digest(engine, changed), digest);
    changed = first;
    changed.models[1].solve.outcome = Outcome::stalled;
    EXPECT_NE(update_digest(engine, changed), digest);
    changed = first;
    std::get<Changes<ClusterId>>(changed.models[0].changes).departed.push_back(3);
    EXPECT_NE(update_digest(engine, changed), digest);
    changed = first;
    ++changed.sequence;
    EXPECT_NE(update_digest(engine, changed), digest);
}

TEST_F(UpdateDigests, AreTheSameInARecovery) {
    begin(settings_);
    feed(1, 12);
    reopen(settings_);
    EXPECT_THAT(warnings_, IsEmpty());
    EXPECT_EQ(service_->recording().builds().size(), 1U);
    EXPECT_EQ(service_->counters().checkpoints, 0U);
}

TEST_F(UpdateDigests, DifferingRecoveryForcesSnapshot) {
    begin(settings_);
    feed(1, 12);
    const auto whole = ask(*service_, wire::SnapshotRequest{"labels.fair"});
    const std::uint64_t published = std::get<wire::Publication>(whole.value.body).topic_sequence;
    publish_otherwise(7);
    reopen(settings_);
    ASSERT_EQ(warnings_.size(), 1U);
    EXPECT_THAT(warnings_[0], AllOf(HasSubstr("from event 7 on"),
                                    HasSubstr("published by " + text_of(service_->recording().builds()[0]))));
    ASSERT_EQ(service_->recording().builds().size(), 2U);
    EXPECT_EQ(service_->recording().builds()[1].differs_from, 7U);
    EXPECT_EQ(service_->recording().builds()[1].from, 13U);

    const std::uint64_t number = snapshot_from(published + 1).topic_sequence;
    EXPECT_GT(number, published) << "a subscriber sees no gap";
    feed(13, 1);
    EXPECT_EQ(snapshot_from(published + 1).topic_sequence, number + 1);
    const auto next = ask(*service_, wire::RangeRequest{"labels.fair", number + 1, number + 1});
    EXPECT_EQ(std::get<wire::Publications>(next.value.body).messages.size(), 1U);
}

TEST_F(UpdateDigests, DifferingRecoveryIsMarkedOnce) {
    begin(settings_);
    feed(1, 12);
    publish_otherwise(7);
    reopen(settings_);  // killed before its checkpoint is written
    reopen(settings_);
    const std::uint64_t number = snapshot_from(1).topic_sequence;
    feed(13, 1);
    reopen(settings_);
    EXPECT_EQ(service_->recording().builds().size(), 2U);
    EXPECT_EQ(snapshot_from(1).topic_sequence, number + 1);
    service_->finish();
    warnings_.clear();
    reopen(settings_);
    EXPECT_THAT(warnings_, IsEmpty()) << "the checkpoint has the new state";
}

TEST(KeptEvents, ForATimeNeedAClock) {
    const TemporaryDirectory directory;
    const auto path = directory / "stream.fairstream";
    const EngineOptions options = small_options();
    const log::Settings keep{.keep_for = 1};
    Settings settings;
    EXPECT_THROW(Service(Recording::create(path, config::write_toml(options), {keep}), options, settings),
                 InvalidInput);
    settings.clock = [] { return std::int64_t{1'700'000'000'000'000}; };
    Service service(Recording::open(path, {keep}), options, settings);
    EXPECT_EQ(service.health(0).first_sequence, 1U);
    EXPECT_GT(service.health(0).recording_bytes, 0U);
}

}  // namespace
}  // namespace fairstream::service
