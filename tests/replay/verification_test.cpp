/// Replays compared with published updates.

#include <gmock/gmock.h>

#include <fairstream/config/config.hpp>
#include <fairstream/generate/loans.hpp>
#include <fairstream/log/sqlite/recording.hpp>
#include <fairstream/options.hpp>
#include <fairstream/replay/run.hpp>
#include <fairstream/service/service.hpp>
#include <support/temporary_directory.hpp>

namespace fairstream::replay {
namespace {

using log::RecordedEvent;
using log::sqlite::Recording;
using ::testing::Each;
using ::testing::HasSubstr;

constexpr std::size_t sent_batches = 24, points_of_each = 50;

/// All models, including some that step beside the stream.
EngineOptions all_models() {
    EngineOptions options;
    options.format = generate::LoanApplicants::format();
    options.format.has_targets = true;
    options.window.capacity = 400;
    const auto add = [&](const std::string& kind, const std::string& name, const Schedule& schedule) {
        options.models.push_back({name, default_options(kind), schedule});
        ModelOptions& model = options.models.back().options;
        if (!gives_outputs(model))
            set_option(model, "prediction", "0");
        else if (!gives_numbers(model))
            set_option(model, "clusters", "4");
    };
    for (const std::string& kind : model_names()) add(kind, kind, {});
    for (const char* kind : {"safairkm", "fair_spectral", "esvd_fair"})
        add(kind, std::string("later-") + kind, {.every = 150});
    return options;
}

/// One model that takes no time.
EngineOptions one_model() {
    EngineOptions options = all_models();
    options.models = {{"fair", default_options("safairkm"), {}}};
    set_option(options.models[0].options, "clusters", "4");
    set_option(options.models[0].options, "effort", "0");
    set_option(options.models[0].options, "starts", "1");
    return options;
}

class VerifiedReplay : public ::testing::Test {
protected:
    /// Records a stream; the service is killed after every `events_between_kills` events, and recovers.
    void record(const EngineOptions& options, std::size_t events_between_kills, const log::Settings& keep = {}) {
        service::Settings settings;
        settings.checkpoint_events = 4;
        settings.warn = [&](const std::string& text) { warnings.push_back(text); };
        auto service = std::make_unique<service::Service>(Recording::create(path, config::write_toml(options), {keep}),
                                                          options, settings);
        generate::LoanApplicants applicants(3);
        PointColumns points;
        wire::Encoder encoder;
        for (std::size_t i = 1; i <= sent_batches; ++i) {
            applicants.next(points_of_each, points);
            points.targets.clear();  // more income than debt
            for (std::size_t row = 0; row < points_of_each && options.format.has_targets; ++row) {
                const float* const x = &points.features[row * options.format.dimensions];
                points.targets.push_back(x[0] > x[1] ? 1.0F : -1.0F);
            }
            service->handle_ingest("client", wire::write(wire::EventMessage{"test", 1, i, points.view()}, encoder));
            service->commit();
            if (removes && i % 4 == 3) remove_some(*service, points);
            if (i % events_between_kills != 0) continue;
            service.reset();
            service = std::make_unique<service::Service>(Recording::open(path, {keep}), options, settings);
        }
        service->finish();
    }
    /// Removes every third of these points, and one unknown point.
    void remove_some(service::Service& service, const PointColumns& points) {
        std::vector<PointId> ids{12345678};
        for (std::size_t i = 0; i < points.ids.size(); i += 3) ids.push_back(points.ids[i]);
        wire::Encoder encoder;
        service.handle_control("client", wire::write(wire::ControlRequest{1, PointRemoval{ids}}, encoder), 0);
        service.commit();
    }
    /// Copies the recording with the digest of one event changed; 0: without digests.
    void copy_with_difference(Sequence different) {
        const Recording recording = open();
        copy = directory / "copy.fairstream";
        Recording changed = Recording::create(copy, recording.config());
        recording.for_each_event(1, [&](const RecordedEvent& event) {
            log::NewEvent copied{.sequence = event.sequence,
                                 .producer = event.producer,
                                 .mark = event.mark,
                                 .message = event.message,
                                 .decisions = event.decisions};
            if (different > 0) copied.update_digest = *event.update_digest ^ (event.sequence == different ? 1U : 0U);
            changed.append(copied);
            return true;
        });
        changed.flush();
    }
    [[nodiscard]] Recording open() const { return Recording::open_read_only(path); }
    [[nodiscard]] static replay::Run verified(const Recording& recording, int threads = 0) {
        return replay::run(recording, recorded_options(recording), {.threads = threads});
    }

    test::TemporaryDirectory directory;
    std::filesystem::path path = directory / "stream.fairstream", copy;
    std::vector<std::string> warnings;
    bool removes = false;  // points, now and then
};

TEST_F(VerifiedReplay, KilledServiceIsIdentical) {
    record(all_models(), 3);
    EXPECT_THAT(warnings, Each(HasSubstr("the figure"))) << "a recovery came to other updates";
    for (const int threads : {1, 4}) {
        const replay::Run run = verified(open(), threads);
        ASSERT_TRUE(run.verification.has_value());
        EXPECT_EQ(run.verification->differs_from, 0U);
        EXPECT_EQ(run.verification->compared, sent_batches);
        EXPECT_EQ(run.verification->not_recorded, 0U);
        EXPECT_EQ(run.running_hash, open().running_hash());
        EXPECT_EQ(run.last, sent_batches);
    }
}

TEST_F(VerifiedReplay, OfRemovalsFindsTheUpdatesIdentical) {
    removes = true;
    record(all_models(), 3);
    EXPECT_THAT(warnings, Each(HasSubstr("the figure"))) << "a recovery came to other updates";
    const replay::Run run = verified(open());
    EXPECT_EQ(run.verification->differs_from, 0U);
    EXPECT_EQ(run.verification->compared, sent_batches + sent_batches / 4);
}

TEST_F(VerifiedReplay, NamesTheFirstEventThatDiffers) {
    record(one_model(), sent_batches);
    copy_with_difference(17);
    const replay::Run run = verified(Recording::open_read_only(copy));
    EXPECT_EQ(run.verification->differs_from, 17U);
    EXPECT_EQ(run.verification->compared, sent_batches);
}

TEST_F(VerifiedReplay, SaysWhereDigestsWereNotRecorded) {
    record(one_model(), sent_batches);
    copy_with_difference(0);
    const replay::Run run = verified(Recording::open_read_only(copy));
    EXPECT_EQ(run.verification->compared, 0U);
    EXPECT_EQ(run.verification->not_recorded, sent_batches);
}

TEST_F(VerifiedReplay, IsOfTheRecordedOptionsAlone) {
    record(one_model(), sent_batches);
    EngineOptions other = one_model();
    set_option(other.models[0].options, "clusters", "3");
    EXPECT_FALSE(replay::run(open(), other).verification.has_value());
    EXPECT_FALSE(replay::run(open(), one_model(), {.without_changes = true}).verification.has_value());
}

TEST_F(VerifiedReplay, StartsWithOlderCheckpoint) {
    record(all_models(), 5, {.keep_events = 1});
    const Recording recording = open();
    ASSERT_GT(recording.first_sequence(), 1U);
    const Sequence from = recording.oldest_checkpoint()->sequence;
    const replay::Run run = verified(recording);
    EXPECT_EQ(run.from, from);
    EXPECT_EQ(run.events, sent_batches - from);
    EXPECT_EQ(run.verification->compared, sent_batches - from);
    EXPECT_EQ(run.verification->differs_from, 0U);
    EXPECT_EQ(run.running_hash, recording.running_hash());
    EXPECT_EQ(run.models[0].samples.back().sequence, sent_batches);
}

}  // namespace
}  // namespace fairstream::replay
