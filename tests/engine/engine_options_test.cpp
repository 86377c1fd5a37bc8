/// Refused options of engines, and refused questions.

#include <gtest/gtest.h>

#include <functional>
#include <limits>

#include <fairstream/models/safairkm/safairkm.hpp>

#include "engine_setups.hpp"
#include "support/refusal.hpp"

namespace fairstream::test {
namespace {

using Change = std::function<void(EngineOptions&)>;

// Both the check and the constructor refuse, in the same words.
void expect_bad_options(std::initializer_list<std::string_view> parts, const Change& change) {
    EngineOptions options = setup({model("fair"), model("other")}, 100);
    check(options);
    change(options);
    expect_refused(Reason::bad_option, parts, [&] { check(options); });
    expect_refused(Reason::bad_option, parts, [&] { Engine engine(options); });
    expect_refused(Reason::bad_option, parts, [&] { (void)Engine::load(options, {}); });
}

TEST(EngineOptions, NoModelIsRefused) {
    expect_bad_options({"models"}, [](EngineOptions& o) { o.models.clear(); });
}

TEST(EngineOptions, BadModelNamesAreRefused) {
    for (const std::string& name :
         {std::string(), std::string("Fair"), std::string("a b"), std::string("a.b"), std::string("a/b"),
          std::string("a\n"), std::string("\xc3\xa4"), std::string(65, 'a')})
        expect_bad_options({"'" + name + "'", "1 to 64"}, [&](EngineOptions& o) { o.models[1].name = name; });
    expect_bad_options({"model name"}, [](EngineOptions& o) { o.models[1].name = std::string("a\0b", 3); });
    for (const std::string& name : {std::string("a"), std::string("0"), std::string("_-_"), std::string(64, 'z')})
        check(setup({model(name)}));
}

TEST(EngineOptions, TwoModelsOfOneNameAreRefused) {
    expect_bad_options({"two models", "'fair'"}, [](EngineOptions& o) { o.models[1].name = "fair"; });
}

TEST(EngineOptions, MoreClustersThanSlotsAreRefused) {
    expect_bad_options({"101", "other", "100"},
                       [](EngineOptions& o) { set_option(o.models[1].options, "clusters", "101"); });
    EngineOptions options = setup({model("fair")}, 4);
    Engine engine(options);
    const PointColumns points = mixture(options.format, 9, 1);
    engine.ingest(event(points));
    EXPECT_EQ(engine.window().size(), 4U) << "as many clusters as slots";
    EXPECT_EQ(labelled(engine, "fair").size(), 4U);
}

TEST(EngineOptions, FormatsOutOfRangeAreRefused) {
    expect_bad_options({"dimensions", "0"}, [](EngineOptions& o) { o.format.dimensions = 0; });
    expect_bad_options({"dimensions", "65537"}, [](EngineOptions& o) { o.format.dimensions = 65537; });
    expect_bad_options({"'sex'", "twice"}, [](EngineOptions& o) { o.format.attributes[1].name = "sex"; });
    expect_bad_options({"'age'", "0 groups"}, [](EngineOptions& o) { o.format.attributes[1].groups.clear(); });
    expect_bad_options({"no name"}, [](EngineOptions& o) { o.format.attributes[0].name.clear(); });
}

TEST(EngineOptions, CapacitiesOutOfRangeAreRefused) {
    expect_bad_options({"capacity", "0"}, [](EngineOptions& o) { o.window.capacity = 0; });
    expect_bad_options({"capacity", "2147483648"}, [](EngineOptions& o) { o.window.capacity = Slot{1} << 31; });
}

TEST(EngineOptions, OutOfRangeOptionsAreRefused) {
    const auto of = [](EngineOptions& o) -> safairkm::Options& { return o.models[0].options.get<safairkm::Options>(); };
    expect_bad_options({"clusters", "0"}, [&](EngineOptions& o) { of(o).clusters = 0; });
    expect_bad_options({"swaps", "-1"}, [&](EngineOptions& o) { of(o).swaps = -1; });
    expect_bad_options({"balance_at_least", "nan"}, [&](EngineOptions& o) {
        of(o).targets.balance_at_least = std::numeric_limits<double>::quiet_NaN();
    });
    expect_bad_options({"candidate_growth", "2.5"}, [&](EngineOptions& o) { of(o).candidate_growth = 2.5; });
    expect_bad_options({"swap_with", "7"},
                       [&](EngineOptions& o) { of(o).swap_with = static_cast<safairkm::SwapWith>(7); });
    expect_bad_options({"attribute", "2"}, [&](EngineOptions& o) { of(o).targets.attribute = 2; });
    expect_bad_options({"attribute"}, [](EngineOptions& o) { o.format.attributes.clear(); });
}

TEST(EngineOptions, AreKeptAsGiven) {
    const EngineOptions options = setup({model("fair", {{"swaps", "3"}}), model("slow", {}, 50)});
    const Engine engine(options);
    EXPECT_EQ(engine.options(), options);
    EXPECT_EQ(engine.current_options("slow"), options.models[1].options);
    EXPECT_EQ(engine.sequence(), 0U);
    EXPECT_EQ(engine.window().size(), 0U);
}

// -- questions

class Questions : public ::testing::Test {
protected:
    Questions() {
        for (const PointColumns& batch : batches(options.format, 4, 50, 1)) engine.ingest(event(batch));
        state = engine.save();
    }
    void TearDown() override { EXPECT_EQ(engine.save(), state) << "a question changes nothing"; }

    const EngineOptions options =
        setup({model("fair", {{"balance_at_least", "0.4"}}), model("other", {{"attribute", "1"}})});
    Engine engine{options};
    std::vector<std::byte> state;
    std::vector<ClusterId> out = std::vector<ClusterId>(3);
    const std::vector<float> rows = std::vector<float>(12, 0.5F);
    const std::vector<GroupId> groups{0, 1, 1};
};

TEST_F(Questions, UnknownModelsAreNamedWithTheKnownOnes) {
    const auto unknown = [](auto&& call) {
        expect_refused(Reason::unknown_model, {"'nobody'", "fair", "other"}, call);
    };
    unknown([&] { engine.assign("nobody", rows, out); });
    unknown([&] { engine.assign_fair("nobody", rows, groups, out); });
    unknown([&] { (void)engine.labels("nobody"); });
    unknown([&] { (void)engine.report("nobody"); });
    unknown([&] { (void)engine.current_options("nobody"); });
    unknown([&] { engine.check(KnobChange{"nobody", "swaps", "1"}); });
    unknown([&] { engine.ingest(KnobChange{"nobody", "swaps", "1"}); });
    unknown([&] { engine.ingest(Refinement{"nobody", 1}); });
}

TEST_F(Questions, WrongShapesAreRefused) {
    const std::vector<float> short_rows(11), long_rows(13);
    for (const auto& bad : {short_rows, long_rows}) {
        expect_refused(Reason::wrong_shape, {std::to_string(bad.size()), "12"},
                       [&] { engine.assign("fair", bad, out); });
        expect_refused(Reason::wrong_shape, {std::to_string(bad.size()), "12"},
                       [&] { engine.assign_fair("fair", bad, groups, out); });
    }
    for (const std::size_t count : {0U, 2U, 4U})
        expect_refused(Reason::wrong_shape, {std::to_string(count) + " groups", "3 points"},
                       [&] { engine.assign_fair("fair", rows, std::vector<GroupId>(count), out); });
    engine.assign("fair", {}, {});
    engine.assign_fair("fair", {}, {}, {});
}

TEST_F(Questions, BadFeaturesAreNamedByRowAndPlace) {
    for (std::size_t at = 0; at < 12; ++at)
        for (const float bad :
             {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity(), -1.1e15F}) {
            std::vector<float> spoilt = rows;
            spoilt[at] = bad;
            const std::string place = "feature " + std::to_string(at % 4) + " of row " + std::to_string(at / 4);
            out.assign(3, 77);
            expect_refused(Reason::bad_feature, {place, "1e15"}, [&] { engine.assign("fair", spoilt, out); });
            expect_refused(Reason::bad_feature, {place}, [&] { engine.assign_fair("fair", spoilt, groups, out); });
            EXPECT_EQ(out, std::vector<ClusterId>(3, 77));
        }
}

// `groups` are those of the attribute that the model balances.
TEST_F(Questions, UnknownGroupsAreRefused) {
    expect_refused(Reason::unknown_group, {"group 2", "below 2"}, [&] {
        engine.assign_fair("fair", rows, std::vector<GroupId>{0, 2, 0}, out);
    });
    engine.assign_fair("other", rows, std::vector<GroupId>{0, 2, 0}, out);
    expect_refused(Reason::unknown_group, {"group 3", "below 3"}, [&] {
        engine.assign_fair("other", rows, std::vector<GroupId>{0, 3, 0}, out);
    });
}

TEST_F(Questions, CheckRefusesWhatIngestRefusesAndNothingElse) {
    const PointColumns good = mixture(options.format, 5, 9, 900);
    PointColumns twice = good, nan = good;
    twice.ids[4] = twice.ids[0];
    nan.features[7] = std::numeric_limits<float>::quiet_NaN();
    const std::vector<std::pair<Event, Reason>> bad{{event(twice), Reason::repeated_id},
                                                    {event(nan), Reason::bad_feature},
                                                    {KnobChange{"fair", "swap", "4"}, Reason::bad_option},
                                                    {KnobChange{"fair", "swop", "4"}, Reason::unknown_option},
                                                    {Refinement{"fair", -1}, Reason::bad_option}};
    for (const auto& [refused, reason] : bad) {
        expect_refused(reason, {}, [&, &refused = refused] { engine.check(refused); });
        expect_refused(reason, {}, [&, &refused = refused] { engine.ingest(refused); });
        EXPECT_EQ(engine.save(), state);
        EXPECT_EQ(engine.sequence(), 4U);
    }
    engine.check(event(good));
    engine.check(KnobChange{"fair", "swap", "nearest"});
    engine.check(Refinement{"fair", 0});
}

TEST(Warming, AnswersWithoutAnyLabel) {
    Engine engine(setup());
    const PointColumns few = mixture(engine.options().format, 3, 1);
    engine.ingest(event(few));
    std::vector<ClusterId> out(3, 9);
    engine.assign("fair", few.features, out);
    EXPECT_EQ(out, std::vector<ClusterId>(3, no_cluster));
    out.assign(3, 9);
    engine.assign_fair("fair", few.features, std::vector<GroupId>{0, 1, 0}, out);
    EXPECT_EQ(out, std::vector<ClusterId>(3, no_cluster));
    const ModelReport report = engine.report("fair");
    EXPECT_EQ(report.solve.outcome, Outcome::warming);
    EXPECT_EQ(report.cost, 0);
    EXPECT_EQ(report.tally().total(), 0);
    EXPECT_TRUE(report.centres.empty());
    EXPECT_TRUE(labelled(engine, "fair").empty());
}

}  // namespace
}  // namespace fairstream::test
