#include <gmock/gmock.h>

#include <deque>
#include <functional>
#include <memory>
#include <set>

#include <fairstream/config/config.hpp>
#include <fairstream/generate/loans.hpp>
#include <fairstream/log/sqlite/recording.hpp>
#include <fairstream/options.hpp>
#include <fairstream/replay/detail/digest.hpp>
#include <fairstream/replay/run.hpp>
#include <fairstream/service/recorded_events.hpp>
#include <fairstream/service/service.hpp>
#include <support/names.hpp>
#include <support/refusal.hpp>
#include <support/temporary_directory.hpp>

namespace fairstream::replay {
namespace {

using log::sqlite::Recording;
using test::Names;
using Message = std::vector<std::byte>;

constexpr std::size_t batches = 24, batch_size = 50;

EngineOptions engine_options(std::uint64_t every = 0) {
    EngineOptions options;
    options.format = generate::LoanApplicants::format();
    options.window.capacity = 400;
    for (const char* name : {"fair", "plain"}) {
        ModelOptions model = default_options("safairkm");
        set_option(model, "clusters", "4");
        set_option(model, "swaps", name == std::string("plain") ? "0" : "8");
        set_option(model, "parity_at_least", "0");
        set_option(model, "effort", "0");
        set_option(model, "starts", "1");
        options.models.push_back({name, model, {}});
    }
    options.models[1].schedule.every = every;
    return options;
}

/// A recording of applicants with a change of an option and a refinement, and its publications.
class Replay : public ::testing::Test {
protected:
    void record(const EngineOptions& options, const log::Settings& settings = {},
                std::uint64_t checkpoint_events = 4096, const RunInBackground& run_in_background = {}) {
        service::Settings serving;
        serving.run_in_background = run_in_background;
        serving.checkpoint_events = checkpoint_events;
        service::Service service(Recording::create(path, config::write_toml(options), {settings}), options, serving);
        generate::LoanApplicants applicants(3);
        PointColumns points;
        for (std::size_t i = 0; i < batches; ++i) {
            applicants.next(batch_size, points);
            if (options.format.has_targets) {
                points.targets.clear();  // more income than debt
                for (std::size_t row = 0; row < batch_size; ++row) {
                    const float* const x = &points.features[row * options.format.dimensions];
                    points.targets.push_back(x[0] > x[1] ? 1.0F : -1.0F);
                }
            }
            points.event_time = 1000 * static_cast<std::int64_t>(i + 1);
            send(service, points.view());
            if (i == 10) send(service, KnobChange{"fair", "swaps", "2"});
            if (i == 15) send(service, Refinement{"fair", 2});
        }
        service.finish();
    }
    Recording open() const { return Recording::open_read_only(path); }

    test::TemporaryDirectory directory;
    std::filesystem::path path = directory / "stream.fairstream";
    std::vector<Message> published;

private:
    void send(service::Service& service, const Event& event) {
        service.handle_ingest("client", wire::write(wire::EventMessage{"test", 1, ++sent_, event}, encoder_));
        service.commit();
        service.take(outbox_);
        for (const service::Outgoing& sent : outbox_.publications)
            published.emplace_back(sent.message.view().begin(), sent.message.view().end());
    }

    wire::Encoder encoder_;
    service::Outbox outbox_;
    std::uint64_t sent_ = 0;
};

TEST_F(Replay, GivesExactlyTheBytesThatWerePublished) {
    record(engine_options(120));  // one of the models steps beside ingestion
    const Recording recording = open();
    std::vector<Message> again;
    const replay::Run run = replay::run(
        recording, recorded_options(recording), {},
        {.before = {},
         .after = {},
         .update = [&](std::span<const std::byte> message) { again.emplace_back(message.begin(), message.end()); },
         .end = {}});
    EXPECT_EQ(again, published);
    EXPECT_EQ(run.updates, published.size());
    Digest digest;
    for (const Message& message : published) digest.add(message);
    EXPECT_EQ(run.digest, digest.value());
}

TEST_F(Replay, AllModelsAreReproducible) {
    EngineOptions options = engine_options();
    options.format.has_targets = true;
    options.models.clear();
    for (const std::string& kind : model_names()) {
        options.models.push_back({kind, default_options(kind), {}});
        ModelOptions& model = options.models.back().options;
        if (!gives_outputs(model))
            set_option(model, "prediction", "0");
        else if (!gives_numbers(model))
            set_option(model, "clusters", "4");
    }
    options.models[0].name = "fair";  // whose options change on the way
    options.models.push_back({"later", default_options("fair_spectral"), {.every = 150}});
    options.models.push_back({"later-predictions", default_options("esvd_fair"), {.every = 150}});
    record(options);
    const Recording recording = open();
    Digest digest;
    for (const Message& message : published) digest.add(message);
    for (const int threads : {1, 2, 4}) {
        const replay::Run run =
            replay::run(recording, recorded_options(recording), {.threads = threads, .samples = 2}, {});
        EXPECT_EQ(run.digest, digest.value()) << threads;
        EXPECT_EQ(run.updates, published.size());
    }
}

EngineOptions preparing_options(Scale scale, ScaleUnit unit = ScaleUnit::deviation) {
    EngineOptions options = engine_options();
    options.window.max_age = 6500;  // seven batches
    ColumnPreparation how{.scale = scale, .unit = unit};
    if (scale == Scale::first) how.first = 300;
    options.prepare.columns.assign(options.format.dimensions, how);
    return options;
}

class PreparedReplay : public Replay, public testing::WithParamInterface<std::pair<Scale, ScaleUnit>> {};

TEST_P(PreparedReplay, PreparedAndTimedPointsAreReproducible) {
    const EngineOptions options = preparing_options(GetParam().first, GetParam().second);
    record(options, {}, 7);  // with checkpoints on the way
    const Recording recording = open();
    EXPECT_EQ(recorded_options(recording).prepare, options.prepare);
    Digest digest;
    for (const Message& message : published) digest.add(message);
    for (const int threads : {1, 2})
        EXPECT_EQ(replay::run(recording, recorded_options(recording), {.threads = threads}, {}).digest, digest.value());
}

INSTANTIATE_TEST_SUITE_P(Scales, PreparedReplay,
                         testing::Values(std::pair(Scale::first, ScaleUnit::deviation),
                                         std::pair(Scale::first, ScaleUnit::range),
                                         std::pair(Scale::running, ScaleUnit::range)));

TEST_F(Replay, OtherPreparationIsApplied) {
    record(engine_options());
    const auto figures_under = [](const Recording& recording, const EngineOptions& options) {
        return replay::run(recording, options).models[0].samples.back().figures;
    };
    EngineOptions other = preparing_options(Scale::running);
    for (std::uint32_t column = 0; column < other.format.dimensions; ++column)
        other.format.columns.push_back({"x" + std::to_string(column), {}, true});
    const wire::FairnessReport asked = figures_under(open(), other);
    EXPECT_NE(asked, figures_under(open(), engine_options()));
    Engine engine(other);
    generate::LoanApplicants applicants(3);
    PointColumns points;
    for (std::size_t i = 0; i < batches; ++i) {
        applicants.next(batch_size, points);
        points.event_time = 1000 * static_cast<std::int64_t>(i + 1);
        engine.ingest(points.view());
        if (i == 10) engine.ingest(KnobChange{"fair", "swaps", "2"});
        if (i == 15) engine.ingest(Refinement{"fair", 2});
    }
    EXPECT_EQ(asked, wire::fairness_report(engine.report("fair"), other.format))
        << "recordings hold points as they came";
    other.format.columns[1].levels = {"low", "high"};
    other.prepare.columns[1] = {.missing = Missing::most_frequent};
    // Recorded values are no numbers of levels.
    test::expect_refused(Reason::wrong_shape, {"'x1'", "[prepare]"}, [&] { (void)replay::run(open(), other); });
}

TEST_F(Replay, CountsWhatItRan) {
    record(engine_options());
    const Recording recording = open();
    std::vector<Sequence> seen;
    std::vector<std::int64_t> times;
    std::unique_ptr<std::vector<ClusterId>> labels;
    const replay::Run run = replay::run(recording, recorded_options(recording), {.threads = 1, .samples = 5},
                                        {.before =
                                             [&](std::int64_t time) {
                                                 times.push_back(time);
                                                 return true;
                                             },
                                         .after =
                                             [&](Sequence done, Sequence last, std::uint64_t points) {
                                                 seen.push_back(done);
                                                 EXPECT_EQ(last, batches + 2);
                                                 EXPECT_LE(points, batches * batch_size);
                                             },
                                         .update = {},
                                         .end =
                                             [&](const Engine& engine) {
                                                 labels = std::make_unique<std::vector<ClusterId>>(
                                                     engine.labels("fair").begin(), engine.labels("fair").end());
                                             }});
    EXPECT_EQ(run.events, batches + 2);
    EXPECT_EQ(run.points, batches * batch_size);
    EXPECT_EQ(run.left_out, 0U);
    EXPECT_EQ(seen.size(), batches + 2);
    EXPECT_EQ(times[0], 1000);
    EXPECT_EQ(times[11], 0);  // the change of an option has no time
    ASSERT_TRUE(labels);
    EXPECT_EQ(labels->size(), 400U);
    for (const ModelRun& model : run.models) {
        ASSERT_EQ(model.samples.size(), 5U);
        EXPECT_EQ(model.samples.back().sequence, batches + 2);
        EXPECT_EQ(model.samples.back().points, batches * batch_size);
        EXPECT_EQ(model.samples.back().figures.points, 400);
        EXPECT_GT(model.steps, 0U);
        EXPECT_GE(model.mean_churn, 0);
        EXPECT_LE(model.mean_churn, 1);
    }
    EXPECT_GT(run.models[0].swaps, 0);
    EXPECT_EQ(run.models[1].swaps, 0);
}

TEST_F(Replay, OtherOptionsSkipSameSteps) {
    EngineOptions options = engine_options(2 * batch_size);
    options.models[1].schedule.when_busy = WhenBusy::skip;
    // Tasks begin three tasks later, so that some steps are not done when the next ones are due.
    std::deque<std::function<void()>> waiting;
    record(options, {}, 4096, [&](std::function<void()> task) {
        constexpr std::size_t most_waiting = 3;
        waiting.push_back(std::move(task));
        if (waiting.size() <= most_waiting) return;
        waiting.front()();
        waiting.pop_front();
    });
    const Recording recording = open();
    std::size_t skipped = 0;
    recording.for_each_event(1, [&](const log::RecordedEvent& event) {
        for (const Decision& decision : service::read_decisions(event.decisions)) skipped += decision.skipped;
        return true;
    });
    ASSERT_GT(skipped, 0U);
    EngineOptions other = options;
    set_option(other.models[0].options, "balance_at_least", "0.2");
    const auto figures_of_skipping = [&](const EngineOptions& asked) {
        return replay::run(recording, asked).models[1].samples.back().figures;
    };
    EXPECT_EQ(figures_of_skipping(other), figures_of_skipping(options));
    other.models[1].schedule.every = 3 * batch_size;  // of which no decision is known
    EXPECT_EQ(figures_of_skipping(other), figures_of_skipping(other));
}

TEST_F(Replay, OtherOptionsOmitForeignEvents) {
    record(engine_options());
    const Recording recording = open();
    EngineOptions other = engine_options();
    other.models[0].name = "renamed";  // the change and the refinement speak of "fair"
    const replay::Run run = replay::run(recording, other);
    EXPECT_EQ(run.left_out, 2U);
    EXPECT_EQ(run.events, batches + 2);
    EXPECT_EQ(run.points, batches * batch_size);
    EXPECT_EQ(run.models[0].name, "renamed");
    EXPECT_EQ(run.models[0].samples.size(), 10U);
    // The model with the same options in both ends with the same results.
    EXPECT_EQ(run.models[1].samples.back().figures,
              replay::run(recording, engine_options()).models[1].samples.back().figures);
}

TEST_F(Replay, OtherOptionsAreApplied) {
    record(engine_options());
    EngineOptions other = engine_options();
    set_option(other.models[0].options, "clusters", "5");
    const Recording recording = open();
    const replay::Run run = replay::run(recording, other);
    // Sends the same events directly to an engine.
    Engine engine(other);
    generate::LoanApplicants applicants(3);
    PointColumns points;
    for (std::size_t i = 0; i < batches; ++i) {
        applicants.next(batch_size, points);
        engine.ingest(points.view());
        if (i == 10) engine.ingest(KnobChange{"fair", "swaps", "2"});
        if (i == 15) engine.ingest(Refinement{"fair", 2});
    }
    EXPECT_EQ(run.models[0].samples.back().figures, wire::fairness_report(engine.report("fair"), other.format));
}

TEST_F(Replay, EndsWhereItIsTold) {
    record(engine_options());
    int left = 7;
    const replay::Run run =
        replay::run(open(), engine_options(), {},
                    {.before = [&](std::int64_t) { return left-- > 0; }, .after = {}, .update = {}, .end = {}});
    EXPECT_EQ(run.events, 7U);
    EXPECT_EQ(run.models[0].samples.back().sequence, 7U);
}

/// Returns the text of the error of a run.
std::string refusal_of(const Recording& recording, const EngineOptions& options, const Settings& settings = {}) {
    try {
        (void)replay::run(recording, options, settings);
    } catch (const log::RecordingError& error) {
        return error.what();
    }
    return "none";
}

TEST_F(Replay, OtherStreamOrMissingStartIsRefused) {
    record(engine_options(), {.keep_events = 1}, 4);
    const Recording recording = open();
    EngineOptions other = engine_options();
    other.format.dimensions = 5;
    EXPECT_THROW((void)replay::run(recording, other), InvalidInput);
    EXPECT_THROW((void)replay::run(recording, engine_options(), {.threads = 0, .samples = 0}), InvalidInput);
    ASSERT_GT(recording.first_sequence(), 1U);
    const std::string first = "events from " + std::to_string(recording.first_sequence()) + " ",
                      checkpoint = "event " + std::to_string(recording.oldest_checkpoint()->sequence);
    other = engine_options();
    set_option(other.models[0].options, "clusters", "3");
    EXPECT_THAT(refusal_of(recording, other), Names({first, checkpoint, "options"}));
    EXPECT_THAT(refusal_of(recording, engine_options(), {.without_changes = true}),
                Names({first, checkpoint, "changes of"}));
}

TEST_F(Replay, OfAnEmptyRecordingIsEmpty) {
    (void)Recording::create(path, config::write_toml(engine_options()));
    const replay::Run run = replay::run(open(), engine_options());
    EXPECT_EQ(run.events, 0U);
    EXPECT_EQ(run.updates, 0U);
    EXPECT_TRUE(run.models[0].samples.empty());
}

TEST(Digest, TellsApartTheSameBytesCutOtherwise) {
    const auto of = [](const std::vector<std::vector<int>>& messages) {
        Digest digest;
        for (const auto& message : messages) {
            Message bytes;
            for (const int byte : message) bytes.push_back(static_cast<std::byte>(byte));
            digest.add(bytes);
        }
        return digest.value();
    };
    const std::set<std::array<std::byte, 16>> all{of({}),         of({{}}),       of({{1, 2}}),
                                                  of({{1}, {2}}), of({{2}, {1}}), of({{1, 2}, {}})};
    EXPECT_EQ(all.size(), 6U);
    EXPECT_EQ(of({{1}, {2}}), of({{1}, {2}}));
}

}  // namespace
}  // namespace fairstream::replay
