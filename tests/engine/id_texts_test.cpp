/// Ids that producers hash from texts: their texts are kept for retained points, also in checkpoints, and never two for
/// one id.

#include <gtest/gtest.h>

#include <fairstream/base/archive.hpp>
#include <fairstream/engine.hpp>

#include "engine/engine_setups.hpp"
#include "support/names.hpp"

namespace fairstream::test {
namespace {

EngineOptions named_setup(Slot capacity = 6) {
    EngineOptions options = setup({model("fair", {{"clusters", "2"}})}, capacity, 1);
    options.format.has_text_ids = options.format.ids_are_hashes = true;
    return options;
}

/// Points with the ids `first`, `first` + 1, ..., of the texts "p<id>" unless others are given.
PointColumns named(PointId first, std::size_t count, const std::vector<std::string>& texts = {}) {
    PointColumns points;
    for (std::size_t i = 0; i < count; ++i) {
        const PointId id = first + i;
        points.ids.push_back(id);
        points.features.push_back(static_cast<float>(id % 5));
        points.groups.insert(points.groups.end(), {static_cast<GroupId>(id % 2), 0});
        points.id_texts.add(texts.empty() ? "p" + std::to_string(id) : texts[i]);
    }
    return points;
}

std::string refusal_of(Engine& engine, const PointColumns& points, Reason reason) {
    try {
        engine.ingest(points.view());
    } catch (const InvalidInput& error) {
        EXPECT_EQ(to_string(error.reason()), to_string(reason));
        return error.what();
    }
    ADD_FAILURE() << "taken";
    return {};
}

void expect_texts(const Engine& engine) {
    for (const PointId id : engine.window().points().ids) EXPECT_EQ(engine.id_text(id), "p" + std::to_string(id));
}

TEST(IdTexts, AreThoseOfTheRetainedPoints) {
    Engine engine(named_setup());
    engine.ingest(named(0, 4).view());
    engine.ingest(named(4, 4).view());
    ASSERT_EQ(engine.window().size(), 6U);
    expect_texts(engine);
    EXPECT_EQ(engine.id_text(0), "") << "it left";
    engine.ingest(named(5, 2).view());
    expect_texts(engine);
    engine.ingest(named(20, 17).view());  // more than the window holds
    expect_texts(engine);
}

TEST(IdTexts, FollowPointsThatLeaveByAgeAndMove) {
    EngineOptions options = named_setup(20);
    options.window.max_age = 10;
    Engine engine(options);
    for (int event = 0; event < 30; ++event) {
        PointColumns points = named(static_cast<PointId>(event * 3), 1 + event % 5);
        points.event_time = event * 4;
        engine.ingest(points.view());
        expect_texts(engine);
    }
}

TEST(IdTexts, CollisionIsRefusedWhileRetained) {
    Engine engine(named_setup(3));
    engine.ingest(named(1, 2).view());
    EXPECT_THAT(refusal_of(engine, named(2, 1, {"other"}), Reason::id_collision), Names({"'other'", " 2", "'p2'"}));
    EXPECT_EQ(engine.id_text(2), "p2");
    engine.ingest(named(10, 3).view());
    engine.ingest(named(2, 1, {"other"}).view());
    EXPECT_EQ(engine.id_text(2), "other");
    PointColumns twice = named(7, 1, {"a"});
    twice.append(named(7, 1, {"b"}).view());
    EXPECT_THAT(refusal_of(engine, twice, Reason::repeated_id), Names({"id 7", "'b'"}));
}

TEST(IdTexts, AreRequiredForEveryPoint) {
    Engine engine(named_setup());
    PointColumns points = named(0, 2);
    points.id_texts.clear();
    (void)refusal_of(engine, points, Reason::wrong_shape);
    EXPECT_THAT(refusal_of(engine, named(0, 1, {""}), Reason::wrong_shape),
                Names({"text 0 ", " 0 bytes", "1 to 1024"}));
    (void)refusal_of(engine, named(0, 1, {std::string(longest_id_text + 1, 'x')}), Reason::wrong_shape);
    engine.ingest(named(0, 1, {std::string(longest_id_text, 'x')}).view());
    EngineOptions plain = named_setup();
    plain.format.has_text_ids = plain.format.ids_are_hashes = false;
    Engine other(plain);
    (void)refusal_of(other, named(0, 2), Reason::wrong_shape);
}

TEST(IdTexts, AreSavedAndLoaded) {
    Engine engine(named_setup());
    engine.ingest(named(0, 9).view());
    const std::vector<std::byte> bytes = engine.save();
    Engine again = Engine::load(named_setup(), bytes);
    EXPECT_EQ(again.window().size(), 6U);
    expect_texts(again);
    EXPECT_EQ(again.save(), bytes);
    for (Engine* each : {&engine, &again}) each->ingest(named(30, 3).view());
    expect_texts(again);
    EXPECT_EQ(engine.save(), again.save());
}

TEST(IdTexts, SliceWithTheirBatch) {
    const PointColumns points = named(0, 5, {"a", "bb", "", "dddd", "e"});
    const PointBatch slice = points.view().slice(1, 3);
    ASSERT_EQ(slice.id_texts.size(), 3U);
    EXPECT_EQ(slice.id_texts[0], "bb");
    EXPECT_EQ(slice.id_texts[1], "");
    EXPECT_EQ(slice.slice(2, 1).id_texts[0], "dddd");
}

}  // namespace
}  // namespace fairstream::test
