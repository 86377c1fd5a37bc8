/// Refusals of a window and their texts; a refusal changes nothing.

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "support/refusal.hpp"
#include "support/streams.hpp"
#include "window_oracle.hpp"

namespace fairstream::test {
namespace {

constexpr float infinite = std::numeric_limits<float>::infinity();
constexpr float nan_input = std::numeric_limits<float>::quiet_NaN();

class WindowRefusals : public ::testing::Test {
protected:
    WindowRefusals() { window.apply(mixture(format, 7, 1).view()); }

    // A spoilt batch of points 100 to 104 is refused and leaves no trace.
    template <class Spoil> void refused(Reason reason, std::initializer_list<std::string_view> parts, Spoil&& spoil) {
        const std::vector<std::byte> before = saved(window);
        PointColumns batch = mixture(format, 5, 2, 100);
        window.validate(batch.view());
        spoil(batch);
        expect_refused(reason, parts, [&] { window.validate(batch.view()); });
        EXPECT_EQ(saved(window), before);
    }

    const StreamFormat format{2, {{"sex", {"f", "m"}}, {"age", {"young", "middle", "old"}}}, true};
    Window window{format, {10, WindowPolicy::sliding, 1}};
};

TEST_F(WindowRefusals, WrongShapeNamesColumnAndLengths) {
    refused(Reason::wrong_shape, {"9 features", "5 points", "10", "2 per point"},
            [](PointColumns& p) { p.features.pop_back(); });
    refused(Reason::wrong_shape, {"11 features"}, [](PointColumns& p) { p.features.push_back(0); });
    refused(Reason::wrong_shape, {"0 features"}, [](PointColumns& p) { p.features.clear(); });
    refused(Reason::wrong_shape, {"5 groups", "10"}, [](PointColumns& p) { p.groups.resize(5); });
    refused(Reason::wrong_shape, {"11 groups"}, [](PointColumns& p) { p.groups.push_back(0); });
    refused(Reason::wrong_shape, {"0 targets", "5"}, [](PointColumns& p) { p.targets.clear(); });
    refused(Reason::wrong_shape, {"6 targets"}, [](PointColumns& p) { p.targets.push_back(0); });
    refused(Reason::wrong_shape, {"0 points", "10 features"}, [](PointColumns& p) { p.ids.clear(); });
}

TEST_F(WindowRefusals, AStreamWithoutATargetTakesNone) {
    Window plain({1, {}, false}, {4, WindowPolicy::sliding, 1});
    const PointColumns batch{{1}, {0}, {}, {3}, 0};
    expect_refused(Reason::wrong_shape, {"1 targets", "must be 0"}, [&] { plain.validate(batch.view()); });
}

TEST_F(WindowRefusals, BadFeatureNamesPoint) {
    const float above = std::nextafter(feature_limit, infinite);
    for (std::size_t at = 0; at < 10; ++at)
        for (const auto& [bad, text] : {std::pair(nan_input, "nan"),
                                        {-nan_input, "nan"},
                                        {infinite, "inf"},
                                        {-infinite, "-inf"},
                                        {above, "1000000054"},
                                        {-above, "-1000000054"},
                                        {std::numeric_limits<float>::max(), "34028"}})
            refused(Reason::bad_feature,
                    {"feature " + std::to_string(at % 2), "point " + std::to_string(100 + at / 2), text, "1e15"},
                    [&](PointColumns& p) { p.features[at] = bad; });
}

TEST_F(WindowRefusals, EveryBadTargetIsNamedWithItsPoint) {
    for (std::size_t at = 0; at < 5; ++at)
        for (const float bad : {nan_input, infinite, -infinite, 2e15F})
            refused(Reason::bad_feature, {"target", "point " + std::to_string(100 + at)},
                    [&](PointColumns& p) { p.targets[at] = bad; });
}

TEST_F(WindowRefusals, FirstBadFeatureIsNamed) {
    refused(Reason::bad_feature, {"feature 1", "point 101", "inf"},
            [](PointColumns& p) { p.features[3] = infinite, p.features[8] = nan_input; });
}

TEST_F(WindowRefusals, UnknownGroupsNamePointAttributeAndRange) {
    refused(Reason::unknown_group, {"point 102", "group 2", "'sex'", "below 2"},
            [](PointColumns& p) { p.groups[4] = 2; });
    refused(Reason::unknown_group, {"point 104", "group 65535", "'age'", "below 3"},
            [](PointColumns& p) { p.groups[9] = 65535; });
}

TEST_F(WindowRefusals, RepeatedAndReservedIdsAreNamed) {
    for (std::size_t i = 0; i < 5; ++i)
        for (std::size_t j = 0; j < i; ++j)
            refused(Reason::repeated_id, {std::to_string(100 + j), "twice"},
                    [&](PointColumns& p) { p.ids[i] = p.ids[j]; });
    for (std::size_t i = 0; i < 5; ++i)
        refused(Reason::reserved_id, {"18446744073709551615"}, [&](PointColumns& p) { p.ids[i] = no_point; });
}

TEST_F(WindowRefusals, WhatIsJustAllowedIsTaken) {
    PointColumns batch = mixture(format, 5, 2, 100);
    batch.features = {feature_limit, -feature_limit, 0, -0.0F, std::numeric_limits<float>::denorm_min(), 1, 2, 3, 4, 5};
    batch.targets[1] = -feature_limit;
    batch.ids[1] = no_point - 1;
    batch.ids[2] = 0;
    window.validate(batch.view());
    window.validate({});
    window.validate(mixture(format, 1000, 2, 100).view());  // more than its capacity: the engine has to cut it
    window.apply(batch.view());
    EXPECT_EQ(window.target(window.find(no_point - 1).value()), -feature_limit);
}

TEST(WindowOptionsRefusals, CapacityOutOfRange) {
    for (const Slot capacity : {Slot{0}, Slot{1} << 31, std::numeric_limits<Slot>::max()})
        expect_refused(Reason::bad_option, {"capacity", std::to_string(capacity), "1 to 2147483647"}, [&] {
            Window({1, {}, false}, {capacity, WindowPolicy::sliding, 1});
        });
}

TEST(WindowOptionsRefusals, FormatsOutOfRange) {
    const auto refused = [](const StreamFormat& format, std::initializer_list<std::string_view> parts) {
        expect_refused(Reason::bad_option, parts, [&] { check(format); });
        expect_refused(Reason::bad_option, parts, [&] { Window(format, {}); });
    };
    refused({0, {}, false}, {"dimensions", "0", "1 to 65536"});
    refused({65537, {}, false}, {"dimensions", "65537"});
    refused({1, {{"", {"a"}}}, false}, {"no name"});
    refused({1, {{"x", {"a"}}, {"y", {"a"}}, {"x", {"b"}}}, false}, {"'x'", "twice"});
    refused({1, {{"x", {}}}, false}, {"'x'", "0 groups"});
    refused({1, {{"x", std::vector<std::string>(65536, "g")}}, false}, {"'x'", "65536"});
    std::vector<Attribute> many;
    for (int a = 0; a < 257; ++a) many.push_back({std::to_string(a), {"g"}});
    refused({1, many, false}, {"257", "256"});
    many.pop_back();
    check({65536, many, true});
}

class DamagedWindows : public ::testing::Test {
protected:
    // Saved fields of a window of 4 slots, d = 1, one attribute of 2 groups; `change` spoils one of them.
    struct Fields {
        std::uint64_t seen = 3;
        Random::Words words = Random(1).words();
        std::vector<PointId> ids{1, 2, 3};
        std::vector<float> features{1, 2, 3};
        std::vector<GroupId> groups{0, 1, 0};
        std::vector<float> targets{};
        template <class Self, class Archive> static void fields(Self& self, Archive& archive) {
            archive(1, self.seen), archive(2, self.words), archive(3, self.ids);
            archive(4, self.features), archive(5, self.groups), archive(6, self.targets);
        }
    };
    static Window load(const Fields& fields, WindowPolicy policy = WindowPolicy::reservoir) {
        Window window({1, {{"sex", {"f", "m"}}}, false}, {4, policy, 1});
        window.apply(PointColumns{{9}, {9}, {1}, {}, 0}.view());
        const Window before = window;
        StateWriter writer;
        Fields::fields(fields, writer);
        try {
            restore(window, writer.take());
        } catch (const InvalidInput&) {
            EXPECT_EQ(window, before);
            throw;
        }
        return window;
    }
    template <class Spoil> static void refused(std::initializer_list<std::string_view> parts, Spoil&& spoil) {
        Fields fields;
        spoil(fields);
        expect_refused(Reason::bad_state, parts, [&] { (void)load(fields); });
    }
};

TEST_F(DamagedWindows, ImpossibleContentsAreRefusedAndNothingIsLoaded) {
    EXPECT_EQ(load({}).size(), 3U);
    // A reservoir may hold fewer points than possible after removals.
    expect_refused(Reason::bad_state, {"impossible number"}, [] { (void)load({.seen = 4}, WindowPolicy::sliding); });
    refused({"impossible number"}, [](Fields& f) { f.seen = 2; });
    refused({"impossible number"}, [](Fields& f) { f.ids = {1, 2, 3, 4, 5}, f.seen = 5; });
    refused({"4 features"}, [](Fields& f) { f.features.push_back(0); });
    refused({"2 groups"}, [](Fields& f) { f.groups.pop_back(); });
    refused({"1 targets"}, [](Fields& f) { f.targets.push_back(1); });
    refused({"id 1 comes twice"}, [](Fields& f) { f.ids[2] = 1; });
    refused({"reserved"}, [](Fields& f) { f.ids[0] = no_point; });
    refused({"group 2"}, [](Fields& f) { f.groups[1] = 2; });
    refused({"nan"}, [](Fields& f) { f.features[1] = nan_input; });
}

TEST_F(DamagedWindows, EvenIncrementIsRefused) {
    refused({"even increment"}, [](Fields& f) { f.words[3] = 2; });
    Fields other;
    other.words = Random(2).words();
    EXPECT_TRUE(load({}) == load({}));
    EXPECT_FALSE(load({}) == load(other)) << "they hold the same and will not go on alike";
}

// A reservoir draws below the number of points it has seen: that number must have a successor.
TEST_F(DamagedWindows, ImpossibleCountIsRefused) {
    refused({"impossible number"}, [](Fields& f) {
        f = {std::numeric_limits<std::uint64_t>::max(), f.words, {1, 2, 3, 4}, {1, 2, 3, 4}, {0, 0, 0, 0}, {}};
    });
}

}  // namespace
}  // namespace fairstream::test
