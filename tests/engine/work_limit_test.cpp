/// Work that would take too long is refused beforehand; long work can be ended.

#include <atomic>
#include <memory>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fairstream/answers.hpp>
#include <fairstream/engine.hpp>
#include <fairstream/models/model_kind.hpp>
#include <fairstream/models/safairkm/detail/model.hpp>
#include <fairstream/options.hpp>

#include "support/names.hpp"
#include "support/service_stream.hpp"

namespace fairstream {
namespace {

using test::Names;

using namespace test;

EngineOptions one_model(const std::string& kind, Slot capacity = 150) {
    EngineOptions options = small_options();
    options.window.capacity = capacity;
    options.format.has_targets = true;
    options.models = {{"model", default_options(kind), {}}};
    // The stream's columns have no names.
    if (!gives_outputs(options.models[0].options)) set_option(options.models[0].options, "prediction", "0");
    return options;
}

Engine filled(const EngineOptions& options) {
    Engine engine(options);
    Points points(5);
    PointColumns columns = points.next(100);
    if (options.format.has_targets)
        for (std::size_t i = 0; i < 100; ++i) columns.targets.push_back(i % 3 == 0 ? 1.0F : -1.0F);
    engine.ingest(columns.view());
    return engine;
}

template <class Action> std::string refusal(Reason reason, Action&& action) {
    try {
        action();
    } catch (const InvalidInput& error) {
        EXPECT_EQ(error.reason(), reason) << error.what();
        return error.what();
    }
    ADD_FAILURE() << "nothing was refused";
    return {};
}

TEST(WorkLimit, EndlessRefinementIsRefused) {
    for (const std::string& kind : model_names()) {
        if (!default_options(kind).kind().is_refinable()) continue;
        Engine engine = filled(one_model(kind));
        const std::string text = refusal(Reason::oversized, [&] {
            engine.check(Refinement{"model", 1'000'000'000'000'000});
        });
        EXPECT_THAT(text, Names({"model", "1000000000000000 rounds"})) << kind;
        EXPECT_THAT(text, testing::HasSubstr("event_work_limit = 3e+11")) << kind;
        EXPECT_NO_THROW(engine.ingest(Refinement{"model", 2})) << kind;
        EXPECT_NO_THROW(engine.ingest(Refinement{"model", 0})) << kind;
    }
}

TEST(WorkLimit, EndlessStepOptionIsRefused) {
    const std::vector<std::tuple<std::string, std::string, std::string>> cases{
        {"safairkm", "kmeans_updates", "1000000000"},
        {"live_front", "kmeans_updates", "1000000000"},
        {"live_front", "swaps", "1000000000"},
        {"fair_spectral", "iterations", "1000000000"},
        {"partial_fair_scorer", "solve_iterations", "1000000"},
    };
    for (const auto& [kind, option, value] : cases) {
        EngineOptions options = one_model(kind, 100'000);
        const Engine engine(options);
        const std::string text = refusal(Reason::bad_option, [&, &option = option, &value = value] {
            engine.check(KnobChange{"model", option, value});
        });
        EXPECT_THAT(text, testing::HasSubstr(option + " = " + value)) << kind;
        EXPECT_THAT(text, testing::ContainsRegex("reduce .*" + option)) << kind;
        set_option(options.models[0].options, option, value);
        EXPECT_THAT(refusal(Reason::bad_option, [&] { check(options); }), testing::ContainsRegex("reduce .*" + option));
        options.event_work_limit = no_work_limit;
        EXPECT_NO_THROW(check(options)) << kind;
    }
}

TEST(WorkLimit, RepeatedPassesAreCounted) {
    EngineOptions options = small_options();
    options.event_work_limit = 20'000'000;
    const Engine engine(options);
    Points points(5);
    EXPECT_NO_THROW(engine.check(points.next(100).view()));
    const PointColumns large = points.next(20'000);
    EXPECT_THAT(refusal(Reason::oversized, [&] { engine.check(large.view()); }), testing::HasSubstr("20000 points"));
}

TEST(WorkLimit, UsualLargeCasesAreWithinTheDefault) {
    const EngineOptions defaults;
    StreamFormat format = small_options().format;
    format.dimensions = 16;
    constexpr std::uint64_t million = 1'000'000;
    safairkm::Options options;
    for (const int clusters : {8, 64}) {
        options.clusters = clusters;
        const auto limit = static_cast<double>(defaults.event_work_limit);
        EXPECT_LE(safairkm::Model::refine_work(options, format, 0, million).multiply_adds, limit) << clusters;
        EXPECT_LE(safairkm::Model::step_work(options, format, million, million).multiply_adds, limit) << clusters;
    }
    for (const std::string& kind : model_names()) {
        EXPECT_NO_THROW(check(one_model(kind, million))) << kind;
    }
}

TEST(WorkLimit, ReplayedEventIsTaken) {
    EngineOptions options = small_options();
    options.models.erase(options.models.begin() + 1, options.models.end());
    Engine first(options);
    const Event event = Refinement{"fair", 3};
    Points points(5);
    const PointColumns columns = points.next(100);
    first.ingest(columns.view());
    first.ingest(event);
    options.models[0].options = first.options().models[0].options;
    options.event_work_limit = 100'000'000;
    Engine again(options);
    again.ingest(columns.view(), std::span<const Decision>{});
    EXPECT_EQ(again.options().event_work_limit, 100'000'000U);
    const Event longer = Refinement{"fair", 100'000};
    EXPECT_THROW(again.ingest(longer), InvalidInput);
    EXPECT_NO_THROW(again.ingest(longer, std::span<const Decision>{}));
    EXPECT_EQ(again.sequence(), 2U);
}

TEST(WorkLimit, IsNoPartOfWhatARecordingRemembers) {
    EngineOptions options = small_options(), other = options;
    other.event_work_limit *= 2;
    EXPECT_EQ(canonical_text(options), canonical_text(other));
    Engine engine = Engine(options);
    EXPECT_NO_THROW((void)Engine::load(other, engine.save()));
}

TEST(StepWorkLimit, IsRecordedUnlessUnlimited) {
    EngineOptions options = small_options(), other = options, none = options;
    other.step_work_limit *= 2;
    none.step_work_limit = no_work_limit;
    EXPECT_NE(canonical_text(options), canonical_text(other));
    EXPECT_EQ(canonical_text(none).find("step_work_limit"), std::string::npos);
    Engine engine(options);
    EXPECT_THROW((void)Engine::load(other, engine.save()), InvalidInput);
    options.step_work_limit = 0;
    EXPECT_THAT(refusal(Reason::bad_option, [&] { check(options); }), testing::StartsWith("step_work_limit = 0: "));
}

TEST(StepWorkLimit, EndsEventsOfAnyModel) {
    for (const std::string& kind : model_names()) {
        if (!default_options(kind).kind().is_refinable()) continue;
        EngineOptions options = one_model(kind);
        options.event_work_limit = no_work_limit;
        options.step_work_limit = 10'000'000;
        Engine engine = filled(options);
        for (const std::int64_t rounds : {std::int64_t{0}, std::int64_t{1'000'000'000'000}}) {
            const Update& update = engine.ingest(Refinement{"model", rounds});
            const bool is_warming = update.models[0].solve.outcome == Outcome::warming;
            EXPECT_EQ(update.work == 0, is_warming) << kind;
            EXPECT_LT(update.work, 10 * options.step_work_limit) << kind;
        }
    }
}

TEST(StepWorkLimit, IsSharedByTheModelsOfAnEvent) {
    EngineOptions options = small_options();
    options.event_work_limit = no_work_limit;
    options.step_work_limit = 40'000'000;
    options.models.clear();
    for (const char* const name : {"one", "two", "three"}) {
        options.models.push_back(small_model(name, 5, 0, {}));
        options.models.back().options.get<safairkm::Options>().kmeans_updates = 1'000'000'000;
    }
    Engine engine(options);
    Points points(5);
    const PointColumns columns = points.next(100);
    const Update& update = engine.ingest(columns.view());
    EXPECT_LT(update.work, options.step_work_limit);
    for (const ModelUpdate& model : update.models) EXPECT_EQ(model.solve.outcome, Outcome::iteration_limit);
}

TEST(StepWorkLimit, BackgroundStepGetsTenfold) {
    EngineOptions options = small_options();
    options.event_work_limit = no_work_limit;
    options.step_work_limit = 1'000'000;
    options.models = {small_model("slow", 5, 0, {64, WhenBusy::wait})};
    options.models[0].options.get<safairkm::Options>().kmeans_updates = 1'000'000'000;
    Engine engine(options);
    Points points(5);
    const PointColumns first = points.next(64), second = points.next(64);
    EXPECT_EQ(engine.ingest(first.view()).work, 0U);
    Engine loaded = Engine::load(options, engine.save());
    const std::uint64_t work = engine.ingest(second.view()).work;
    EXPECT_GT(work, background_work_factor * options.step_work_limit / 2);
    EXPECT_LT(work, 2 * background_work_factor * options.step_work_limit);
    EXPECT_EQ(loaded.ingest(second.view()).work, work);
}

TEST(Interrupt, EndsUnfairAnswers) {
    int asked = 0;
    for (const std::string& kind : model_names()) {
        const ModelOptions options = default_options(kind);
        if (options.kind().outputs() != OutputKind::labels || options.kind().assigns_fairly()) continue;
        const Engine engine = filled(one_model(kind));
        const std::unique_ptr<Answers> answers = engine.answers("model");
        const PointColumns points = Points(5).next(8);
        const std::vector<GroupId> groups(8 * options.kind().protected_attributes(options).size());
        std::vector<ClusterId> labels(8);
        answers->assign_fair(points.features, groups, labels);
        answers->interrupt();
        EXPECT_THROW(answers->assign_fair(points.features, groups, labels), Interrupted) << kind;
        ++asked;
    }
    EXPECT_GT(asked, 0);
}

TEST(Interrupt, EndsEventAndEngine) {
    for (const std::string& kind : model_names()) {
        if (!default_options(kind).kind().is_refinable()) continue;
        Engine engine = filled(one_model(kind));
        engine.interrupt();
        EXPECT_THROW(engine.ingest(Refinement{"model", 1}), Interrupted) << kind;
        EXPECT_EQ(engine.sequence(), 1U);
        EXPECT_THROW((void)engine.save(), std::logic_error);
        EXPECT_THROW(engine.ingest(Refinement{"model", 1}), std::logic_error);
    }
}

TEST(Interrupt, EndsWhatWouldNeverEndByItself) {
    for (const char* const kind : {"safairkm", "live_front"}) {
        EngineOptions options = one_model(kind);
        options.event_work_limit = options.step_work_limit = no_work_limit;
        Engine engine = filled(options);
        std::thread other([&] { engine.interrupt(); });
        EXPECT_THROW(engine.ingest(Refinement{"model", 1'000'000'000'000'000}), Interrupted) << kind;
        other.join();
    }
}

TEST(Interrupt, WithinARefinementEndsIt) {
    EngineOptions options = one_model("safairkm");
    Engine engine = filled(options);
    std::atomic<int> told = 0;
    engine.on_progress([&](const WorkProgress&) {
        ++told;
        engine.interrupt();
        return true;
    });
    EXPECT_THROW(engine.ingest(Refinement{"model", 0}), Interrupted);
    EXPECT_GT(told, 0);
}

TEST(Interrupt, EndsAStepInTheBackground) {
    EngineOptions options = small_options();
    options.models = {small_model("slow", 5, 0.2, {64, WhenBusy::wait})};
    options.event_work_limit = options.step_work_limit = no_work_limit;
    options.models[0].options.get<safairkm::Options>().kmeans_updates = 1'000'000'000;
    Engine engine(options);
    Points points(5);
    engine.ingest(points.next(100).view());
    engine.interrupt();
    EXPECT_THROW((void)engine.save(), Interrupted);
}

}  // namespace
}  // namespace fairstream
