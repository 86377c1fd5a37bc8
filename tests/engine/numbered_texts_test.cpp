/// Points with text ids that the engine numbers: no text refuses, replaces or judges the point of another text.

#include <gtest/gtest.h>

#include <limits>
#include <map>
#include <set>

#include <fairstream/base/archive.hpp>
#include <fairstream/engine.hpp>
#include <fairstream/wire/text_id.hpp>

#include "engine/engine_setups.hpp"
#include "support/refusal.hpp"
#include "support/twin_text.hpp"

namespace fairstream::test {
namespace {

constexpr float unknown = std::numeric_limits<float>::quiet_NaN();

EngineOptions text_setup(Slot capacity = 6) {
    EngineOptions options =
        setup({model("fair", {{"clusters", "2"}}), model("slow", {{"clusters", "2"}}, 7)}, capacity, 1);
    options.format.has_text_ids = options.format.has_targets = options.format.targets_come_later = true;
    return options;
}

/// Points with these texts and without ids; each has the value of `feature`, which rises.
PointColumns points_of(const std::vector<std::string>& texts, float& feature) {
    PointColumns points;
    for (const std::string& text : texts) {
        points.id_texts.add(text);
        points.features.push_back(feature += 1);
        points.groups.insert(points.groups.end(), {static_cast<GroupId>(points.features.size() % 2), 0});
        points.targets.push_back(unknown);
    }
    return points;
}
PointColumns points_of(const std::vector<std::string>& texts) {
    float feature = 0;
    return points_of(texts, feature);
}

TextColumn column(const std::vector<std::string>& texts) {
    TextColumn all;
    for (const std::string& text : texts) all.add(text);
    return all;
}

Update judge(Engine& engine, const std::vector<std::string>& texts, float target) {
    const TextColumn ids = column(texts);
    const std::vector<float> targets(texts.size(), target);
    return engine.ingest(Outcomes{.targets = targets, .id_texts = ids.view()});
}

float target_of(const Engine& engine, const std::string& text) {
    return engine.window().target(engine.window().find(engine.id_of(text).value()).value());
}

TEST(NumberedTexts, NumberAfreshAfterDeparture) {
    Engine engine(text_setup(3));
    engine.ingest(points_of({"a", "b"}).view());
    engine.ingest(points_of({"b", "c"}).view());
    EXPECT_EQ(engine.id_of("a"), 1U);
    EXPECT_EQ(engine.id_of("b"), 2U) << "it was replaced";
    EXPECT_EQ(engine.id_of("c"), 3U);
    engine.ingest(points_of({"d"}).view());  // "a" leaves
    EXPECT_EQ(engine.id_of("a"), std::nullopt);
    EXPECT_EQ(engine.id_text(1), "");
    engine.ingest(points_of({"a"}).view());
    EXPECT_EQ(engine.id_of("a"), 5U);
    EXPECT_EQ(engine.id_text(5), "a");
}

TEST(NumberedTexts, OfEqualHashStandForDifferentPoints) {
    const std::string victim = "customer-500", twin = text_with_hash(wire::text_id(victim));
    ASSERT_EQ(wire::text_id(twin), wire::text_id(victim));
    Engine engine(text_setup());
    engine.ingest(points_of({twin}).view());
    PointColumns hashed = points_of({"customer-499", victim});
    hashed.ids = {wire::text_id("customer-499"), wire::text_id(victim)};  // as sent by an old client
    engine.ingest(hashed.view());
    EXPECT_EQ(engine.window().size(), 3U);
    EXPECT_EQ(judge(engine, {victim}, 1).counts.not_retained, 0U);
    EXPECT_EQ(target_of(engine, victim), 1);
    EXPECT_TRUE(std::isnan(target_of(engine, twin)));
    EXPECT_EQ(judge(engine, {twin}, 0).counts.not_retained, 0U);
    EXPECT_EQ(target_of(engine, victim), 1);
}

TEST(NumberedTexts, IgnoreForeignNumbers) {
    Engine engine(text_setup());
    engine.ingest(points_of({"customer-500"}).view());
    PointColumns foreign = points_of({"customer-7", "customer-8"});
    foreign.ids = {1, 1};
    EXPECT_EQ(engine.ingest(foreign.view()).counts, EventCounts{});
    EXPECT_EQ(engine.id_text(1), "customer-500");
    EXPECT_EQ(engine.id_of("customer-7"), 2U);
    EXPECT_EQ(engine.id_of("customer-8"), 3U);
    foreign.ids = {no_point, 12345};
    EXPECT_EQ(engine.ingest(foreign.view()).counts.replaced, 2U) << "by their own texts";
    EXPECT_EQ(engine.id_of("customer-7"), 2U);
}

TEST(NumberedTexts, MayHaveAnyBytesAndAreToldApart) {
    const std::vector<std::string> texts{"a", std::string("a\0", 2), std::string("\0", 1), "\xff\xfe", "A", " a"};
    Engine engine(text_setup());
    engine.ingest(points_of(texts).view());
    for (std::size_t i = 0; i < texts.size(); ++i) {
        EXPECT_EQ(engine.id_of(texts[i]), i + 1);
        EXPECT_EQ(engine.id_text(i + 1), texts[i]);
    }
    Engine again = Engine::load(text_setup(), engine.save());
    EXPECT_EQ(again.id_of(texts[1]), 2U);
}

TEST(NumberedTexts, AreRefusedWhereTheyCannotBeIds) {
    Engine engine(text_setup());
    engine.ingest(points_of({"a"}).view());
    const auto before = engine.save();
    const auto refused = [&](const PointColumns& points, Reason reason, std::string_view part) {
        expect_refused(reason, {part}, [&] { engine.ingest(points.view()); });
        EXPECT_EQ(engine.save(), before);
    };
    refused(points_of({"b", ""}), Reason::wrong_shape, "text 1 ");
    refused(points_of({std::string(1025, 'x')}), Reason::wrong_shape, " 1025 bytes");
    refused(points_of({"b", "c", "b"}), Reason::repeated_id, "id 'b'");
    PointColumns points = points_of({"b", "c"});
    points.ids = {1};
    refused(points, Reason::wrong_shape, "2 features for 1 points");
    points.ids = {1, 2};
    points.id_texts.clear();
    refused(points, Reason::wrong_shape, "0 texts");
    points = points_of({"b", "c\n"});
    points.features[1] = unknown;
    refused(points, Reason::bad_feature, "feature 0 of point 'c\\x0a' is nan");
    engine.ingest(points_of({std::string(1024, 'x')}).view());
    EXPECT_EQ(engine.id_of(std::string(1024, 'x')), 2U) << "what is refused uses no number up";
}

TEST(NumberedTexts, OfOutcomesMustBeThoseOfPoints) {
    Engine engine(text_setup());
    engine.ingest(points_of({"a", "b"}).view());
    EXPECT_EQ(judge(engine, {"a", "c", "b", "\xff"}, 1).counts.not_retained, 2U);
    EXPECT_EQ(target_of(engine, "b"), 1);
    EXPECT_EQ(engine.ingest(Outcomes{}).counts.not_retained, 0U);
    const auto before = engine.save();
    const std::vector<PointId> ids{1, 2};
    const std::vector<float> targets{0, 0};
    const auto refused = [&](const Outcomes& outcomes, Reason reason, std::string_view part) {
        expect_refused(reason, {part}, [&] { engine.ingest(outcomes); });
        EXPECT_EQ(engine.save(), before);
    };
    refused({ids, targets}, Reason::wrong_shape, "texts");
    const TextColumn twice = column({"a", "a"}), empty = column({"a", ""}), one = column({"a"}),
                     both = column({"a", "b"});
    refused({.targets = targets, .id_texts = twice.view()}, Reason::repeated_id, "id 'a'");
    refused({.targets = targets, .id_texts = empty.view()}, Reason::wrong_shape, "text 1 ");
    refused({.targets = targets, .id_texts = one.view()}, Reason::wrong_shape, "2 targets for 1 ");
    const std::vector<float> bad{0, unknown};
    refused({.targets = bad, .id_texts = both.view()}, Reason::bad_feature, "point 'b' is nan");
    // Ids from a client that hashes texts have no effect.
    EXPECT_EQ(engine.ingest(Outcomes{ids, targets, both.view()}).counts.not_retained, 0U);
    EXPECT_EQ(target_of(engine, "a"), 0);
    EngineOptions by_number = text_setup();
    by_number.format.has_text_ids = false;
    Engine other(by_number);
    expect_refused(Reason::wrong_shape, {"by number"}, [&] { other.ingest(Outcomes{ids, targets, both.view()}); });
}

TEST(NumberedTexts, OfLateEventsGetNoNumber) {
    EngineOptions options = text_setup();
    options.window.max_age = 10;
    Engine engine(options);
    PointColumns points = points_of({"a"});
    points.event_time = 100;
    engine.ingest(points.view());
    points = points_of({"b", "c", "d", "e", "f", "g", "h"});  // more than the window holds
    points.event_time = 50;
    EXPECT_EQ(engine.ingest(points.view()).arrivals.late, 7U);
    EXPECT_EQ(engine.id_of("b"), std::nullopt);
    points.event_time = 101;
    engine.ingest(points.view());
    EXPECT_EQ(engine.id_of("h"), 8U);
}

TEST(NumberedTexts, OfDamagedStatesAreRefused) {
    Engine engine(text_setup());
    engine.ingest(points_of({"first", "other"}).view());
    const std::vector<std::byte> bytes = engine.save();
    const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    std::vector<std::byte> twice = bytes;
    std::memcpy(twice.data() + text.find("other"), "first", 5);
    expect_refused(Reason::bad_state, {"two points"}, [&] { (void)Engine::load(text_setup(), twice); });
    EngineOptions hashed = text_setup();
    hashed.format.ids_are_hashes = true;
    expect_refused(Reason::bad_state, {"it has 'stream.ids = numbered text', this engine has 'stream.ids = text'"},
                   [&] { (void)Engine::load(hashed, bytes); });
}

/// An engine that numbers texts, beside one with the numbers of a slow oracle. All their results must be equal, and
/// each retained point must be the newest with its text.
class Twins {
public:
    explicit Twins(const WindowOptions& window)
        : texts_(options(window, true), 1), numbers_(options(window, false), 1) {}

    void bring(const std::vector<std::string>& texts, std::int64_t time) {
        PointColumns points = points_of(texts, feature_);
        points.event_time = time;
        PointColumns numbered = points;
        numbered.id_texts.clear();
        const bool late = texts_.window().is_late(time);
        const std::size_t piece = texts_.window().capacity();
        std::map<std::string, PointId> retained;
        for (const auto& [id, text] : retained_texts()) retained[text] = id;
        for (std::size_t i = 0; i < texts.size(); ++i) {
            if (i > 0 && i % piece == 0) retained = numbers_in_line();
            const auto at = retained.find(texts[i]);
            const PointId id = late ? 1'000'000 + i : at == retained.end() ? ++last_number_ : at->second;
            numbered.ids.push_back(id);
            if (late) continue;
            number_of_[texts[i]] = id;
            text_of_[id] = texts[i];
            feature_of_[id] = points.features[i];
            target_of_[id] = unknown;
            if (std::ranges::find(line_, texts[i]) == line_.end()) line_.push_back(texts[i]);
            if (line_.size() > piece) line_.erase(line_.begin());
        }
        points.ids.assign(texts.size(), 3);  // without effect
        expect_same(texts_.ingest(points.view()), numbers_.ingest(numbered.view()));
    }
    void judge(const std::vector<std::string>& texts, float target) {
        std::vector<PointId> ids;
        for (const std::string& text : texts) {
            const std::optional<PointId> id = texts_.id_of(text);
            ids.push_back(id.value_or(2'000'000 + ids.size()));
            if (id) target_of_[*id] = target;
        }
        const std::vector<float> targets(texts.size(), target);
        const TextColumn column_of_texts = column(texts);
        expect_same(texts_.ingest(Outcomes{.targets = targets, .id_texts = column_of_texts.view()}),
                    numbers_.ingest(Outcomes{ids, targets}));
    }
    void resume() {
        const std::vector<std::byte> bytes = texts_.save();
        texts_ = Engine::load(texts_.options(), bytes, 1);
        EXPECT_EQ(texts_.save(), bytes);
    }

private:
    static EngineOptions options(const WindowOptions& window, bool has_texts) {
        EngineOptions options = text_setup();
        options.format.has_text_ids = has_texts;
        options.window = window;
        return options;
    }
    /// Returns the numbers of the texts that a window that slides by number retains within a batch above its capacity.
    [[nodiscard]] std::map<std::string, PointId> numbers_in_line() const {
        std::map<std::string, PointId> retained;
        for (const std::string& text : line_) retained[text] = number_of_.at(text);
        return retained;
    }
    [[nodiscard]] std::map<PointId, std::string> retained_texts() const {
        std::map<PointId, std::string> all;
        for (const PointId id : texts_.window().points().ids) all[id] = texts_.id_text(id);
        return all;
    }
    void expect_same(const Update& update, const Update& wanted) {
        ASSERT_EQ(update.counts, wanted.counts);
        ASSERT_EQ(update.arrivals, wanted.arrivals);
        for (std::size_t i = 0; i < update.models.size(); ++i) {
            ASSERT_EQ(update.models[i].labels(), wanted.models[i].labels());
            views_[i].fold(update.models[i].labels());
            ASSERT_EQ(views_[i].labels(), labelled(texts_, update.models[i].model));
        }
        ASSERT_TRUE(texts_.window() == numbers_.window());
        std::set<std::string> seen;
        for (const auto& [id, text] : retained_texts()) {
            const Slot slot = texts_.window().find(id).value();
            ASSERT_EQ(text, text_of_.at(id));
            ASSERT_TRUE(seen.insert(text).second);
            ASSERT_EQ(texts_.id_of(text), id);
            ASSERT_EQ(*texts_.window().features(slot), feature_of_.at(id));
            const float target = texts_.window().target(slot);
            ASSERT_TRUE(target == target_of_.at(id) || (std::isnan(target) && std::isnan(target_of_.at(id))));
        }
    }

    Engine texts_, numbers_;
    PointId last_number_ = 0;
    float feature_ = 0;
    std::vector<std::string> line_;  // of a window that slides by number: the retained texts, the oldest first
    std::map<std::string, PointId> number_of_;
    std::map<PointId, std::string> text_of_;
    std::map<PointId, float> feature_of_, target_of_;
    std::array<View, 2> views_;
};

TEST(NumberedTexts, MatchSlowOracle) {
    const WindowOptions windows[] = {{.capacity = 12},
                                     {.capacity = 12, .policy = WindowPolicy::reservoir},
                                     {.capacity = 12, .max_age = 6},
                                     {.capacity = 3}};
    for (const WindowOptions& window : windows) {
        std::vector<std::string> pool;
        for (int i = 0; i < 15; ++i) {
            pool.push_back("customer-" + std::to_string(i));
            pool.push_back(text_with_hash(wire::text_id(pool.back())));
        }
        Twins twins(window);
        Random random(window.capacity + static_cast<std::uint64_t>(window.max_age));
        for (int event = 0; event < 60 && !HasFatalFailure(); ++event) {
            for (std::size_t i = pool.size(); i-- > 1;)
                std::swap(pool[i], pool[random.below(static_cast<std::uint32_t>(i + 1))]);
            const std::vector<std::string> some(pool.begin(), pool.begin() + 1 + random.below(9));
            if (random.below(3) == 0)
                twins.judge(some, static_cast<float>(random.below(2)));
            else
                twins.bring(some, event - random.below(10));
            if (random.below(8) == 0) twins.resume();
        }
    }
}

}  // namespace
}  // namespace fairstream::test
