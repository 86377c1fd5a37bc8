/// Options changed while an engine runs.

#include <gtest/gtest.h>

#include <fairstream/fairness/measures.hpp>

#include "engine_setups.hpp"
#include "support/refusal.hpp"

namespace fairstream::test {
namespace {

// For each live option another value than in `usual`, and the settings under which it matters. A new live option must
// be added here.
struct LiveValue {
    std::string name, value;
    std::vector<std::pair<std::string, std::string>> base = {};
};
// A target, and groups too rare for it.
const std::vector<std::pair<std::string, std::string>> rare{{"attribute", "1"}, {"balance_at_least", "0.9"}};
const std::vector<LiveValue> live_values{
    {"kmeans_updates", "3"},
    {"swaps", "0"},
    {"balance_at_least", "0.5"},
    {"swap_with", "global"},
    {"swap", "nearest"},
    {"candidates", "1"},
    {"starts", "9"},
    {"candidate_growth", "1.5"},
    {"centre_update", "paper"},
    {"parity_at_least", "0.9"},
    {"share_delta", "0.1"},
    {"share_at_least", "0.3"},
    {"share_at_most", "0.6"},
    {"size_at_least", "20"},
    {"size_at_most", "30"},
    {"rare_below", "8", rare},
    {"named_groups", "2", {rare[0], rare[1], {"rare_below", "8"}}},
};

ModelSetup usual_model() {
    return model("fair", {{"swap_with", "global"}});
}

// The end of a run: labels and costs after some batches and an open-ended refinement.
struct Ending {
    std::vector<Seen> updates;
    std::map<PointId, ClusterId> labels;
    bool operator==(const Ending&) const = default;
};

Ending run(Engine& engine, std::size_t from, std::size_t to) {
    Ending ending;
    const std::vector<PointColumns> stream = batches(engine.options().format, to, 40, 3, 0.1F);
    for (std::size_t b = from; b < to; ++b) ending.updates.emplace_back(engine.ingest(event(stream[b])).models[0]);
    ending.updates.emplace_back(engine.ingest(Refinement{"fair", 0}).models[0]);
    ending.labels = labelled(engine, "fair");
    return ending;
}

std::string value_of(const ModelOptions& options, const std::string& name) {
    for (const OptionText& option : list_options(options))
        if (option.name == name) return option.value;
    return "?";
}

TEST(Knobs, EveryLiveOptionIsTriedHere) {
    for (const OptionText& option : list_options(usual_model().options)) {
        if (option.name == "effort" || option.name == "change_price") continue;
        EXPECT_EQ(option.live, std::ranges::find(live_values, option.name, &LiveValue::name) != live_values.end())
            << option.name;
    }
}

TEST(Knobs, EarlyChangeEqualsInitialChoice) {
    for (const auto& [name, value, base] : live_values) {
        const EngineOptions options = setup({model("fair", base)}, 100);
        Engine untouched(options);
        const Ending without = run(untouched, 0, 8);
        EngineOptions chosen = options;
        set_option(chosen.models[0].options, name, value);
        Engine started(chosen), changed(options);
        const Update& update = changed.ingest(KnobChange{"fair", name, value});
        EXPECT_FALSE(update.models[0].changed);
        EXPECT_TRUE(update.models[0].labels().empty());
        EXPECT_EQ(value_of(changed.current_options("fair"), name), value);
        EXPECT_EQ(changed.current_options("fair"), started.current_options("fair"));
        EXPECT_EQ(changed.options(), options) << "as given at the start";
        const Ending with = run(changed, 0, 8);
        EXPECT_TRUE(with == run(started, 0, 8)) << name;
        EXPECT_FALSE(with == without) << name << " = " << value << " has no effect";
    }
}

TEST(Knobs, ChangedMidStreamTakeEffectFromThenOn) {
    for (const auto& [name, value, base] : live_values) {
        const EngineOptions options = setup({model("fair", base)}, 100);
        Engine usual_one(options), changed(options);
        for (const PointColumns& batch : batches(options.format, 4, 40, 3, 0.1F)) {
            usual_one.ingest(event(batch));
            changed.ingest(event(batch));
        }
        const std::map<PointId, ClusterId> before = labelled(changed, "fair");
        changed.ingest(KnobChange{"fair", name, value});
        EXPECT_EQ(labelled(changed, "fair"), before) << "a knob alone moves no point";
        EXPECT_FALSE(run(changed, 4, 10) == run(usual_one, 4, 10)) << name;
    }
}

TEST(Knobs, ATargetSetWhileRunningIsMet) {
    Engine engine(setup({model("fair", {{"swaps", "0"}})}, 150));
    const std::vector<PointColumns> stream = batches(engine.options().format, 10, 50, 3);
    for (std::size_t b = 0; b < 5; ++b) engine.ingest(event(stream[b]));
    EXPECT_LT(minimum_balance(engine.report("fair").tally(), 0), 0.5)
        << "met without a target: this stream shows nothing";
    engine.ingest(KnobChange{"fair", "balance_at_least", "0.5"});
    for (std::size_t b = 5; b < 10; ++b) {
        EXPECT_EQ(engine.ingest(event(stream[b])).models[0].solve.outcome, Outcome::converged);
        EXPECT_GE(minimum_balance(engine.report("fair").tally(), 0), 0.5);
    }
}

class RefusedKnobs : public ::testing::TestWithParam<std::uint64_t> {
protected:
    RefusedKnobs() {
        for (const PointColumns& batch : batches(options.format, 3, 40, 3)) engine.ingest(event(batch));
        engine.ingest(KnobChange{"fair", "swaps", "5"});
        state = engine.save();
    }
    void refused(Reason reason, std::initializer_list<std::string_view> parts, const KnobChange& knob) {
        const ModelOptions before = engine.current_options("fair");
        const Sequence sequence = engine.sequence();
        expect_refused(reason, parts, [&] { engine.check(knob); });
        expect_refused(reason, parts, [&] { engine.ingest(knob); });
        EXPECT_EQ(engine.current_options("fair"), before);
        EXPECT_EQ(engine.sequence(), sequence);
        EXPECT_EQ(engine.save(), state);
    }

    const EngineOptions options = setup({model("fair", {}, GetParam())}, 100);
    Engine engine{options};
    std::vector<std::byte> state;
};

TEST_P(RefusedKnobs, FixedOptionsWhateverTheValue) {
    for (const OptionText& option : list_options(engine.current_options("fair")))
        if (!option.live)
            for (const std::string& value : {option.value, std::string("1"), std::string("2")})
                if (option.name != "attribute" || value != "2")  // out of range before it is fixed
                    refused(Reason::bad_option, {"'" + option.name + "'", "fair", "cannot change"},
                            {"fair", option.name, value});
}

TEST_P(RefusedKnobs, UnknownOptionsListTheKnownOnes) {
    for (const std::string name : {"", "swop", "Swaps", "kind", "every"})
        refused(Reason::unknown_option, {"'" + name + "'", "swaps", "seed"}, {"fair", name, "1"});
}

TEST_P(RefusedKnobs, UnknownModelsListTheKnownOnes) {
    refused(Reason::unknown_model, {"'nobody'", "fair"}, {"nobody", "swaps", "1"});
}

TEST_P(RefusedKnobs, ValuesOutOfRange) {
    for (const OptionText& option : list_options(engine.current_options("fair")))
        for (const std::string value : {"", option.range.starts_with("-1 ") ? "-2" : "-1", "nan", "x", "1e99"})
            refused(Reason::bad_option, {option.name, option.live ? option.range : "running"},
                    {"fair", option.name, value});
}

INSTANTIATE_TEST_SUITE_P(All, RefusedKnobs, ::testing::Values(0, 50));

// An option that needs an attribute cannot be switched on in a stream without one.
TEST(Knobs, BalanceWithoutAnAttributeIsRefused) {
    EngineOptions options = setup({model("plain", {{"swaps", "0"}})});
    options.format.attributes.clear();
    Engine engine(options);
    expect_refused(Reason::bad_option, {"attribute"}, [&] { engine.ingest(KnobChange{"plain", "swaps", "1"}); });
    expect_refused(Reason::bad_option, {"attribute"}, [&] {
        engine.ingest(KnobChange{"plain", "balance_at_least", "0.5"});
    });
    engine.ingest(KnobChange{"plain", "kmeans_updates", "1"});
}

TEST(Knobs, AreSavedAndRestored) {
    for (const std::uint64_t every : {0U, 50U})
        for (const auto& [name, value, base] : live_values) {
            const EngineOptions options = setup({model("fair", base, every), model("other")}, 100);
            Engine engine(options);
            const std::vector<PointColumns> stream = batches(options.format, 8, 40, 3);
            for (std::size_t b = 0; b < 4; ++b) engine.ingest(event(stream[b]));
            engine.ingest(KnobChange{"fair", name, value});
            Engine loaded = Engine::load(options, engine.save());
            EXPECT_EQ(loaded.current_options("fair"), engine.current_options("fair"));
            EXPECT_EQ(value_of(loaded.current_options("fair"), name), value);
            EXPECT_EQ(loaded.current_options("other"), options.models[1].options);
            EXPECT_EQ(loaded.options(), options);
            for (std::size_t b = 4; b < 8; ++b) {
                const Seen seen(engine.ingest(event(stream[b])).models[0]);
                ASSERT_EQ(Seen(loaded.ingest(event(stream[b])).models[0]), seen) << name;
            }
            EXPECT_EQ(loaded.save(), engine.save());
        }
}

}  // namespace
}  // namespace fairstream::test
