/// The window against its oracle, under random batches.

#include <gtest/gtest.h>

#include <set>
#include <sstream>

#include "support/streams.hpp"
#include "window_oracle.hpp"

namespace fairstream::test {
namespace {

struct Setting {
    WindowPolicy policy;
    Slot capacity;
    std::uint32_t dimensions;
    std::size_t attributes;
    bool targets;
};

StreamFormat format_of(const Setting& s) {
    StreamFormat format{s.dimensions, {}, s.targets};
    for (std::size_t a = 0; a < s.attributes; ++a) {
        Attribute attribute{"attribute " + std::to_string(a), {}};
        for (std::size_t j = 0; j < a + 2; ++j) attribute.groups.push_back("group " + std::to_string(j));
        format.attributes.push_back(attribute);
    }
    return format;
}

// Draws batches whose ids are new, retained, evicted long ago, or about to be evicted by the same batch.
class Producer {
public:
    Producer(const StreamFormat& format, std::uint64_t seed) : format_(format), random_(seed), seed_(seed) {}

    PointColumns batch(const WindowOracle& oracle, std::size_t size) {
        PointColumns points = mixture(format_, size, ++seed_ * 1000);
        std::set<PointId> used;
        for (PointId& id : points.ids) {
            do id = draw_id(oracle);
            while (!used.insert(id).second);
        }
        return points;
    }
    std::uint32_t below(std::uint32_t bound) { return random_.below(bound); }

private:
    PointId draw_id(const WindowOracle& oracle) {
        const std::uint32_t kind = random_.below(10);
        const auto& slots = oracle.slots();
        if (kind < 3 && !slots.empty()) return slots[random_.below(static_cast<std::uint32_t>(slots.size()))].id;
        if (kind == 3 && oracle.oldest()) return *oracle.oldest();
        if (kind == 4 && next_ > 0) return spread(random_.below(static_cast<std::uint32_t>(next_)));
        return spread(next_++);
    }
    // Uses all 64 bits, including the smallest and the largest allowed id.
    static PointId spread(std::uint64_t number) {
        return number < 2 ? number * (no_point - 1) : number * 0x9e3779b97f4a7c15U;
    }

    const StreamFormat& format_;
    Random random_;
    std::uint64_t seed_;
    std::uint64_t next_ = 0;
};

class WindowAgainstOracle : public ::testing::TestWithParam<Setting> {
protected:
    const StreamFormat format = format_of(GetParam());
    const WindowOptions options{GetParam().capacity, GetParam().policy, 77};
    Window window{format, options};
    WindowOracle oracle{format, options};
    Producer producer{format, 1000 + GetParam().capacity * 7 + GetParam().dimensions};

    // Applies a batch to both, as a slice of a larger one, and compares the change and the retained points.
    void apply(const PointColumns& batch, std::size_t first, std::size_t count) {
        const PointBatch part = batch.view().slice(first, count);
        window.validate(part);
        const std::map<Slot, Point> change = listed(format, window.apply(part));
        ASSERT_EQ(change, oracle.apply(part));
        ASSERT_EQ(retained(window), oracle.slots());
        ASSERT_EQ(window.size(), oracle.slots().size());
    }
    void step() {
        const std::size_t count = producer.below(options.capacity + 1), before = producer.below(3),
                          after = producer.below(3);
        apply(producer.batch(oracle, before + count + after), before, count);
    }
};

TEST_P(WindowAgainstOracle, RetainsAndReportsTheSame) {
    for (int round = 0; round < 150; ++round) {
        ASSERT_NO_FATAL_FAILURE(step()) << "round " << round;
        for (const Point& point : oracle.slots()) ASSERT_EQ(window.find(point.id), oracle.find(point.id));
    }
}

TEST_P(WindowAgainstOracle, FindsWhatIsRetainedAndNothingElse) {
    std::set<PointId> ever;
    for (int round = 0; round < 60; ++round) {
        const PointColumns batch = producer.batch(oracle, producer.below(options.capacity + 1));
        ASSERT_NO_FATAL_FAILURE(apply(batch, 0, batch.ids.size()));
        ever.insert(batch.ids.begin(), batch.ids.end());
        for (const PointId id : ever) ASSERT_EQ(window.find(id), oracle.find(id)) << "id " << id;
    }
    EXPECT_FALSE(window.find(no_point));
    EXPECT_FALSE(window.find(12345));
}

TEST_P(WindowAgainstOracle, CopiesAreIndependentAndGoOnEqually) {
    for (int round = 0; round < 40; ++round) {
        Window copy = window;
        ASSERT_EQ(copy, window);
        const std::vector<Point> kept = retained(copy);
        ASSERT_NO_FATAL_FAILURE(step());
        ASSERT_EQ(retained(copy), kept);

        Window again = window;
        const PointColumns batch = producer.batch(oracle, options.capacity);
        const std::map<Slot, Point> change = listed(format, again.apply(batch.view()));
        ASSERT_EQ(listed(format, window.apply(batch.view())), change);
        ASSERT_EQ(oracle.apply(batch.view()), change);
        ASSERT_EQ(again, window);
        Window moved = std::move(again);
        ASSERT_EQ(moved, window);
    }
}

TEST_P(WindowAgainstOracle, SavesAtEveryFillLevel) {
    // One point at a time covers every level of filling, and every position of a full ring.
    for (Slot fed = 0; fed <= 3 * options.capacity; ++fed) {
        const std::vector<std::byte> bytes = saved(window);
        Window loaded(format, options);
        restore(loaded, bytes);
        ASSERT_EQ(loaded, window) << "after " << fed << " batches";
        ASSERT_EQ(retained(loaded), retained(window));
        ASSERT_EQ(saved(loaded), bytes);

        const PointColumns next = producer.batch(oracle, fed % 3 == 2 ? options.capacity : 1);
        const std::map<Slot, Point> change = listed(format, loaded.apply(next.view()));
        ASSERT_NO_FATAL_FAILURE(apply(next, 0, next.ids.size()));
        ASSERT_EQ(loaded, window);
        for (const Point& point : oracle.slots()) ASSERT_EQ(loaded.find(point.id), oracle.find(point.id));
    }
}

// Loading replaces everything the window held, including its table of ids.
TEST_P(WindowAgainstOracle, LoadingForgetsWhatWasThere) {
    for (int round = 0; round < 5; ++round) step();
    const std::vector<std::byte> bytes = saved(window);
    Window other(format, options);
    PointColumns old = mixture(format, options.capacity, 9, 1'000'000);
    other.apply(old.view());
    restore(other, bytes);
    EXPECT_EQ(other, window);
    for (const PointId id : old.ids) EXPECT_FALSE(other.find(id));
}

std::string name_of(const ::testing::TestParamInfo<Setting>& info) {
    const Setting& s = info.param;
    std::ostringstream name;
    name << (s.policy == WindowPolicy::sliding ? "Sliding" : "Reservoir") << s.capacity << "Slots" << s.dimensions
         << "Dimensions" << s.attributes << "Attributes" << (s.targets ? "Targets" : "");
    return name.str();
}

constexpr auto sliding = WindowPolicy::sliding, reservoir = WindowPolicy::reservoir;
INSTANTIATE_TEST_SUITE_P(All, WindowAgainstOracle,
                         ::testing::Values(Setting{sliding, 1, 1, 0, false}, Setting{sliding, 1, 7, 3, true},
                                           Setting{sliding, 2, 16, 1, false}, Setting{sliding, 7, 33, 3, true},
                                           Setting{sliding, 13, 1, 1, true}, Setting{sliding, 40, 7, 0, true},
                                           Setting{sliding, 64, 16, 3, false}, Setting{reservoir, 1, 1, 0, true},
                                           Setting{reservoir, 2, 33, 1, false}, Setting{reservoir, 13, 7, 3, true},
                                           Setting{reservoir, 40, 16, 1, true}, Setting{reservoir, 64, 1, 0, false}),
                         name_of);

TEST(Window, DiffersWhenAnyPartOfAPointDiffers) {
    const StreamFormat format = format_of({sliding, 4, 2, 1, true});
    const auto filled = [&](auto&& change, WindowOptions options = {4, sliding, 1}) {
        PointColumns points{{1, 2, 3}, {0, 1, 2, 3, 4, 5}, {0, 1, 0}, {7, 8, 9}, 0};
        change(points);
        Window window(format, options);
        window.apply(points.view());
        return window;
    };
    const Window usual = filled([](PointColumns&) {});
    EXPECT_EQ(usual, filled([](PointColumns&) {}));
    EXPECT_FALSE(usual == filled([](PointColumns& p) { p.ids[1] = 9; }));
    EXPECT_FALSE(usual == filled([](PointColumns& p) { p.features[5] = 9; }));
    EXPECT_FALSE(usual == filled([](PointColumns& p) { p.groups[2] = 1; }));
    EXPECT_FALSE(usual == filled([](PointColumns& p) { p.targets[0] = 9; }));
    EXPECT_FALSE(usual == filled([](PointColumns& p) { p = {}; }));
    EXPECT_FALSE(usual == filled([](PointColumns&) {}, {5, sliding, 1}));
    EXPECT_FALSE(usual == filled([](PointColumns&) {}, {4, reservoir, 1}));
    EXPECT_FALSE(usual == filled([](PointColumns&) {}, {4, sliding, 2}));
}

// Two windows with the same points in the same slots may still differ in their future.
TEST(Window, DiffersWhenItsFutureDiffers) {
    const StreamFormat format = format_of({sliding, 2, 1, 0, false});
    Window one(format, {2, sliding, 1}), other(format, {2, sliding, 1});
    const PointColumns points{{1, 2, 3, 1}, {1, 2, 3, 1}, {}, {}, 0};
    one.apply(points.view().slice(0, 2));
    for (const std::size_t i : {1U, 2U, 0U, 1U}) other.apply(points.view().slice(i, 1));
    // Now {1, 2} in slots 0 and 1 of `one`; `other` passed 2, 3, 1, 2 and holds the same.
    ASSERT_EQ(retained(one), retained(other));
    EXPECT_FALSE(one == other);
}

TEST(Window, ASliceHoldsItsRowsOfEveryColumn) {
    const StreamFormat format = format_of({sliding, 1, 3, 2, true});
    const PointColumns points = mixture(format, 9, 4, 100);
    for (std::size_t first = 0; first <= 9; ++first)
        for (std::size_t count = 0; first + count <= 9; ++count) {
            const PointBatch part = points.view().slice(first, count);
            ASSERT_EQ(part.size(), count);
            ASSERT_EQ(part.features.size(), 3 * count);
            ASSERT_EQ(part.groups.size(), 2 * count);
            ASSERT_EQ(part.targets.size(), count);
            for (std::size_t i = 0; i < count; ++i)
                ASSERT_EQ(point_at(format, part, i), point_at(format, points.view(), first + i));
        }
    EXPECT_EQ(PointBatch{}.slice(0, 0).size(), 0U);
}

TEST(Window, AReservoirKeepsAUniformSample) {
    // Of 9 points a reservoir of 3 keeps one of 84 sets, each equally likely. Over n independent seeds the statistic
    // sum (count - n/84)^2 / (n/84) is near chi-square with D = 83 degrees of freedom. By Laurent and Massart (2000),
    // lemma 1, it exceeds D + 2 sqrt(D t) + 2 t, or stays below D - 2 sqrt(D t), with probability at most exp(-t) each:
    // t = 20 gives 2e-9.
    constexpr std::size_t streams = 25'200, sets = 84, points = 9;
    const StreamFormat format{1, {}, false};
    const PointColumns stream = mixture(format, points, 1);
    std::map<std::set<PointId>, double> counts;
    for (std::uint64_t seed = 0; seed < streams; ++seed) {
        Window window(format, {3, reservoir, seed});
        for (std::size_t first = 0; first < points; first += 3) window.apply(stream.view().slice(first, 3));
        const std::span<const PointId> ids = window.points().ids;
        ++counts[{ids.begin(), ids.end()}];
    }
    ASSERT_EQ(counts.size(), sets);
    constexpr double expected = static_cast<double>(streams) / sets, degrees = sets - 1, t = 20;
    double statistic = 0;
    for (const auto& [set, count] : counts) statistic += (count - expected) * (count - expected) / expected;
    EXPECT_LT(statistic, degrees + 2 * std::sqrt(degrees * t) + 2 * t);
    EXPECT_GT(statistic, degrees - 2 * std::sqrt(degrees * t));
}

}  // namespace
}  // namespace fairstream::test
