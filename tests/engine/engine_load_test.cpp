/// Saved engines: how they continue, why they are refused, and what damage can do.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <functional>
#include <numeric>
#include <string_view>
#include <tuple>

#include "engine_setups.hpp"
#include "support/refusal.hpp"

namespace fairstream::test {
namespace {

using Change = std::function<void(EngineOptions&)>;

EngineOptions two_models() {
    return setup({model("fair"), model("late", {{"clusters", "3"}}, 30)}, 100, 3);
}

Engine fed(const EngineOptions& options, std::size_t count, std::size_t size = 20) {
    Engine engine(options);
    for (const PointColumns& batch : batches(options.format, count, size, 5)) engine.ingest(event(batch));
    return engine;
}

TEST(SavedEngines, GoOnAsIfNeverInterrupted) {
    for (const WindowPolicy policy : {WindowPolicy::sliding, WindowPolicy::reservoir}) {
        EngineOptions options = two_models();
        options.window.policy = policy;
        options.format.has_targets = policy == WindowPolicy::reservoir;
        Engine whole(options);
        const std::vector<PointColumns> stream = batches(options.format, 12, 25, 5);
        for (const PointColumns& batch : stream) {
            const std::vector<std::byte> bytes = whole.save();
            Engine loaded = Engine::load(options, bytes);
            ASSERT_EQ(loaded.save(), bytes) << "equal states give equal bytes";
            ASSERT_EQ(loaded.window(), whole.window());
            const Update& expected = whole.ingest(event(batch));
            const std::vector<Seen> seen(expected.models.begin(), expected.models.end());
            const Update& update = loaded.ingest(event(batch));
            ASSERT_EQ(std::vector<Seen>(update.models.begin(), update.models.end()), seen);
            ASSERT_EQ(update.sequence, whole.sequence());
            ASSERT_EQ(loaded.save(), whole.save());
        }
    }
}

TEST(SavedEngines, AnswerAsTheyDid) {
    Engine engine = fed(two_models(), 6);
    const Engine loaded = Engine::load(two_models(), engine.save());
    const PointColumns fresh = mixture(engine.options().format, 50, 3);
    for (const char* name : {"fair", "late"}) {
        std::vector<ClusterId> before(50), after(50);
        engine.assign(name, fresh.features, before);
        loaded.assign(name, fresh.features, after);
        EXPECT_EQ(before, after);
        const ModelReport one = engine.report(name), other = loaded.report(name);
        EXPECT_EQ(one.solve, other.solve);
        EXPECT_EQ(one.cost, other.cost);
        EXPECT_EQ(one.churn, other.churn);
        EXPECT_EQ(one.tally(), other.tally());
        EXPECT_EQ(labelled(engine, name), labelled(loaded, name));
    }
}

// For every option the refusal quotes the differing line, in both versions.
TEST(SavedEngines, AreRefusedUnderOtherOptionsWhichAreNamed) {
    struct Case {
        std::string there, here;
        Change change;
    };
    std::vector<Case> cases{
        {"stream.dimensions = 3", "stream.dimensions = 4", [](EngineOptions& o) { o.format.dimensions = 4; }},
        {"stream.dimensions = 3", "stream.dimensions = 33", [](EngineOptions& o) { o.format.dimensions = 33; }},
        {"stream.targets = false", "stream.targets = true", [](EngineOptions& o) { o.format.has_targets = true; }},
        {"stream.attribute.sex = f, m", "stream.attribute.sex = f, m, x",
         [](EngineOptions& o) { o.format.attributes[0].groups.push_back("x"); }},
        {"stream.attribute.sex = f, m", "stream.attribute.sexe = f, m",
         [](EngineOptions& o) { o.format.attributes[0].name = "sexe"; }},
        {"stream.attribute.age = young, middle, old", "stream.attribute.age = young, middle, ol",
         [](EngineOptions& o) { o.format.attributes[1].groups[2] = "ol"; }},
        {"window.capacity = 100", "window.capacity = 1000", [](EngineOptions& o) { o.window.capacity = 1000; }},
        {"window.capacity = 100", "window.capacity = 10", [](EngineOptions& o) { o.window.capacity = 10; }},
        {"window.policy = sliding", "window.policy = reservoir",
         [](EngineOptions& o) { o.window.policy = WindowPolicy::reservoir; }},
        {"window.seed = 1", "window.seed = 12", [](EngineOptions& o) { o.window.seed = 12; }},
        {"model.fair.kind = safairkm", "model.fairer.kind = safairkm",
         [](EngineOptions& o) { o.models[0].name = "fairer"; }},
        {"model.late.every = 30", "model.late.every = 3", [](EngineOptions& o) { o.models[1].schedule.every = 3; }},
        {"model.late.when_busy = wait", "model.late.when_busy = skip",
         [](EngineOptions& o) { o.models[1].schedule.when_busy = WhenBusy::skip; }},
        {"model.late.kind = safairkm", "''", [](EngineOptions& o) { o.models.pop_back(); }},
        {"''", "model.last.kind = safairkm", [](EngineOptions& o) { o.models.push_back(model("last")); }},
    };
    for (const OptionText& option : list_options(two_models().models[0].options)) {
        std::string value = option.name == "attribute" || option.value != "1" ? "1" : "10";
        if (option.name == "candidate_growth") value = "1.5";
        if (option.range == "0 to 1" && option.value == "1") value = "0.5";
        if (const std::size_t bar = option.range.find('|'); bar != option.range.npos)
            value = option.range.substr(bar + 1);
        // If the default is left out, the quoted line is the next one.
        cases.push_back({option.left_out ? "model.fair." : "model.fair." + option.name + " = " + option.value,
                         "model.fair." + option.name + " = " + value,
                         [=](EngineOptions& o) { set_option(o.models[0].options, option.name, value); }});
    }
    const std::vector<std::byte> bytes = fed(two_models(), 3).save();
    for (const Case& each : cases) {
        EngineOptions changed = two_models();
        each.change(changed);
        const auto quoted = [](const std::string& line) { return line == "''" ? line : "'" + line + "'"; };
        const std::string saved = "it has " + (each.there == "model.fair." ? "'" + each.there : quoted(each.there));
        expect_refused(Reason::bad_state, {"other options", saved, "this engine has " + quoted(each.here)},
                       [&] { (void)Engine::load(changed, bytes); });
    }
}

TEST(SavedEngines, CutAnywhereAreRefused) {
    const EngineOptions options =
        setup({model("fair", {{"clusters", "2"}}), model("late", {{"clusters", "2"}}, 5)}, 8, 1);
    const std::vector<std::byte> bytes = fed(options, 4, 4).save();
    for (std::size_t length = 0; length < bytes.size(); ++length)
        expect_refused(Reason::bad_state, {}, [&] { (void)Engine::load(options, std::span(bytes).first(length), 1); });
}

TEST(SavedEngines, OfAnotherVersionAreRefused) {
    const EngineOptions options = two_models();
    std::vector<std::byte> bytes = fed(options, 1).save();
    bytes[12] = std::byte{9};  // the version follows its tag and length
    expect_refused(Reason::bad_state, {"version 9", "version 1"}, [&] { (void)Engine::load(options, bytes); });
}

// A slot listed twice hid another slot, whose point the next step then never labelled.
TEST(SavedEngines, RepeatedWrittenSlotIsRefused) {
    std::vector<std::byte> bytes = fed(two_models(), 3).save();  // the step begun with the second batch has 40 points
    std::vector<Slot> since(20);
    std::iota(since.begin(), since.end(), Slot{40});
    const std::span<const std::byte> listed = std::as_bytes(std::span(since));
    const auto found = std::ranges::search(bytes, listed);
    ASSERT_EQ(found.size(), listed.size());
    std::copy_n(found.begin(), sizeof(Slot), found.begin() + sizeof(Slot));
    expect_refused(Reason::bad_state, {"last step"}, [&] { (void)Engine::load(two_models(), bytes); });
}

// The options as changed by knobs are saved with the state; an option that no knob changes must equal the given one.
TEST(SavedEngines, ChangedFixedOptionIsRefused) {
    const std::vector<std::byte> bytes = fed(two_models(), 3).save();
    const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    for (const auto& [there, name, value] :
         {std::tuple<std::string_view, std::string_view, char>{"\nseed=1", "'seed' of fair", '2'},
          {"\nattribute=0", "'attribute' of fair", '1'},
          {"clusters=4", "'clusters' of fair", '3'}}) {
        const std::size_t at = text.find(there);
        ASSERT_NE(at, text.npos) << there;
        std::vector<std::byte> damaged = bytes;
        damaged[at + there.size() - 1] = static_cast<std::byte>(value);
        expect_refused(Reason::bad_state, {name}, [&] { (void)Engine::load(two_models(), damaged); });
    }
}

// For any wrong bit the engine is refused as damaged, or it can continue, with labels in range and a consistent update.
// Damage may stay unnoticed: a feature may become another feature.
void expect_harmless(const EngineOptions& options, std::span<const std::byte> damaged,
                     const std::vector<PointColumns>& more) {
    try {
        Engine engine = Engine::load(options, damaged, 1);
        for (const PointColumns& batch : more) {
            engine.ingest(event(batch));
            for (const ModelSetup& each : options.models) {
                const ModelReport report = engine.report(each.name);
                for (const ClusterId label : engine.labels(each.name))
                    ASSERT_TRUE(label >= no_cluster && label < report.tally().clusters()) << label;
            }
        }
    } catch (const InvalidInput& error) {
        ASSERT_EQ(to_string(error.reason()), to_string(Reason::bad_state)) << error.what();
    }
}

// A small engine in the middle of its stream, saved, and the next batches.
struct Saved {
    explicit Saved(const EngineOptions& chosen) : options(chosen) {
        const std::vector<PointColumns> stream = batches(options.format, 6, 4, 5);
        Engine engine(options);
        for (std::size_t b = 0; b < 4; ++b) engine.ingest(event(stream[b]));
        engine.ingest(KnobChange{options.models[0].name, "kmeans_updates", "9"});
        bytes = engine.save();
        more.assign(stream.begin() + 4, stream.end());
    }
    EngineOptions options;
    std::vector<std::byte> bytes;
    std::vector<PointColumns> more;
};

void expect_no_bit_does_harm(const EngineOptions& options) {
    const Saved saved(options);
    for (std::size_t bit = 0; bit < 8 * saved.bytes.size(); ++bit) {
        std::vector<std::byte> damaged = saved.bytes;
        damaged[bit / 8] ^= std::byte{1} << (bit % 8);
        ASSERT_NO_FATAL_FAILURE(expect_harmless(options, damaged, saved.more))
            << "bit " << bit % 8 << " of byte " << bit / 8;
    }
}

// Eight bytes at a time become the worst values that numbers of any type can have.
void expect_no_word_does_harm(const EngineOptions& options) {
    const Saved saved(options);
    constexpr std::uint64_t nans = 0x7fc000007fc00000, infinities = 0x7f8000007f800000, wide_nan = 0x7ff8000000000000;
    for (const std::uint64_t word :
         {std::uint64_t{0}, ~std::uint64_t{0}, std::uint64_t{1} << 63, nans, infinities, wide_nan})
        for (std::size_t at = 0; at + sizeof word <= saved.bytes.size(); ++at) {
            std::vector<std::byte> damaged = saved.bytes;
            std::memcpy(&damaged[at], &word, sizeof word);
            ASSERT_NO_FATAL_FAILURE(expect_harmless(options, damaged, saved.more)) << word << " at byte " << at;
        }
}

EngineOptions live() {
    return setup({model("fair", {{"clusters", "2"}})}, 8, 1);
}
EngineOptions plain() {
    return setup({model("plain", {{"clusters", "2"}, {"swaps", "0"}})}, 8, 1);
}
EngineOptions scheduled() {
    return setup({model("late", {{"clusters", "2"}}, 6)}, 8, 1);
}
EngineOptions paper() {
    EngineOptions options =
        setup({model("paper", {{"clusters", "3"}, {"attribute", "1"}, {"centre_update", "paper"}})}, 9, 2);
    options.window.policy = WindowPolicy::reservoir;
    return options;
}

TEST(SavedEngines, NoFlippedBitDoesHarm) {
    expect_no_bit_does_harm(live());
    expect_no_bit_does_harm(plain());
    expect_no_bit_does_harm(paper());
}
TEST(SavedEngines, ScheduledModelSurvivesFlippedBits) {
    expect_no_bit_does_harm(scheduled());
}
TEST(SavedEngines, NoOverwrittenWordDoesHarm) {
    expect_no_word_does_harm(live());
    expect_no_word_does_harm(plain());
    expect_no_word_does_harm(paper());
}
TEST(SavedEngines, ScheduledModelSurvivesOverwrittenWords) {
    expect_no_word_does_harm(scheduled());
}

}  // namespace
}  // namespace fairstream::test
