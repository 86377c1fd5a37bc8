// Windows whose points leave by age, or lose weight, against an oracle that visits all points.

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <vector>

#include <fairstream/base/archive.hpp>
#include <fairstream/data/window.hpp>
#include <fairstream/numeric/detail/random.hpp>

#include "window_oracle.hpp"

namespace fairstream::test {
namespace {

constexpr std::int64_t second = 1'000'000;

StreamFormat timed_format() {
    return {.dimensions = 2, .attributes = {{"sex", {"f", "m"}}}, .has_targets = true, .has_weights = true};
}

/// A point as sent.
struct Arrival {
    Point point;
    double weight = 1;
    std::int64_t time = 0;
    std::uint64_t place = 0;   // in line
    std::uint64_t number = 0;  // among all points that were taken
};

/// The window by its documented options: every event visits every point.
class TimedOracle {
public:
    TimedOracle(const StreamFormat& format, const WindowOptions& options) : format_(format), options_(options) {}

    void apply(const PointBatch& batch) {
        if (options_.max_age > 0 && now_ != unknown && now_ - batch.event_time > options_.max_age) {
            late_ += batch.size();
            return;
        }
        now_ = now_ == unknown ? batch.event_time : std::max(now_, batch.event_time);
        if (options_.max_age > 0)
            std::erase_if(points_, [&](const auto& entry) { return now_ - entry.second.time > options_.max_age; });
        for (std::size_t i = 0; i < batch.size(); ++i) {
            Arrival arrival{point_at(format_, batch, i), batch.weights.empty() ? 1 : batch.weights[i], batch.event_time,
                            line_, taken_ + i};
            const auto known = points_.find(arrival.point.id);
            if (known != points_.end()) {
                arrival.place = known->second.place;
            } else {
                ++line_;
                if (points_.size() == options_.capacity)
                    points_.erase(std::ranges::min_element(points_, {}, [](const auto& e) { return e.second.place; }));
            }
            points_[arrival.point.id] = arrival;
        }
        taken_ += batch.size();
    }

    [[nodiscard]] const std::map<PointId, Arrival>& points() const { return points_; }
    [[nodiscard]] std::uint64_t late() const { return late_; }
    /// Returns the current weight of a point; no weight is below that of 250 half-lives before its time.
    [[nodiscard]] double weight(const Arrival& arrival) const {
        const HalfLife& half_life = options_.half_life;
        double ages = 0;
        if (half_life.time > 0) ages = static_cast<double>(now_ - arrival.time) / static_cast<double>(half_life.time);
        if (half_life.points > 0) ages = static_cast<double>(taken_ - 1 - arrival.number) / half_life.points;
        return arrival.weight * std::exp2(-ages);
    }

private:
    static constexpr std::int64_t unknown = std::numeric_limits<std::int64_t>::min();
    StreamFormat format_;
    WindowOptions options_;
    std::map<PointId, Arrival> points_;
    std::int64_t now_ = unknown;
    std::uint64_t line_ = 0, taken_ = 0, late_ = 0;
};

/// Follows a window by its changes alone.
class Follower {
public:
    explicit Follower(const StreamFormat& format) : format_(format) {}

    void apply(const WindowChange& change, const Window& window) {
        const std::map<Slot, Point> before = slots_;
        const std::size_t held = change.occupied_count(window.size());
        std::map<Slot, int> written;
        for (std::size_t i = 0; i < change.written.size(); ++i) {
            const Slot slot = change.written[i];
            EXPECT_EQ(++written[slot], 1) << "slot " << slot << " is listed twice";
            const Point old = point_at(format_, change.replaced, i);
            EXPECT_EQ(old.id, before.contains(slot) ? before.at(slot).id : no_point) << slot;
            if (before.contains(slot)) {
                EXPECT_EQ(old, before.at(slot));
                EXPECT_EQ(change.replaced.weights[i], weights_.at(slot));
            }
            EXPECT_EQ(slot < window.size(), i < held) << "slots without a point come last";
            slots_.erase(slot);
            weights_.erase(slot);
            if (i >= held) continue;
            slots_[slot] = point_at(format_, window.points(), slot);
            weights_[slot] = window.weight(slot);
        }
        for (const SlotMove& move : change.moved) {
            EXPECT_TRUE(written.contains(move.from) && written.contains(move.to));
            EXPECT_EQ(before.at(move.from), slots_.at(move.to)) << "a point moves as it is";
        }
    }
    void rescale(double factor) {
        for (auto& [slot, weight] : weights_) weight = std::max(weight * factor, 0x1p-300);
    }
    void expect_window(const Window& window) const {
        ASSERT_EQ(slots_.size(), window.size());
        for (Slot slot = 0; slot < window.size(); ++slot) {
            EXPECT_EQ(slots_.at(slot), point_at(format_, window.points(), slot));
            EXPECT_EQ(weights_.at(slot), window.weight(slot));
        }
    }

private:
    StreamFormat format_;
    std::map<Slot, Point> slots_;
    std::map<Slot, double> weights_;
};

/// Events of up to five points, half of them close in time to the one before, some late, some far ahead.
class TimedEvents {
public:
    TimedEvents(std::uint64_t seed, std::uint32_t ids) : random_(seed), ids_(ids) {}

    const PointColumns& next() {
        event_.clear();
        const std::uint32_t kind = random_.below(40);
        if (kind < 18) clock_ += random_.below(second);
        if (kind == 18) clock_ += 30 * second + random_.below(90 * second);
        event_.event_time = kind >= 36 ? clock_ - std::int64_t{random_.below(40)} * second : clock_;
        for (std::uint32_t i = random_.below(6); i > 0; --i) {
            const PointId id = random_.below(4) == 0 ? random_.below(ids_) : ids_ + number_++;
            if (std::ranges::count(event_.ids, id) > 0) continue;
            event_.ids.push_back(id);
            event_.features.insert(event_.features.end(),
                                   {static_cast<float>(random_.unit()), static_cast<float>(number_)});
            event_.groups.push_back(static_cast<GroupId>(random_.below(2)));
            event_.targets.push_back(static_cast<float>(random_.below(2)));
            event_.weights.push_back(1 + random_.below(5));
        }
        return event_;
    }

private:
    Random random_;
    std::uint32_t ids_;
    std::uint32_t number_ = 0;
    std::int64_t clock_ = 1'700'000'000 * second;
    PointColumns event_;
};

void expect_equal(const Window& window, const TimedOracle& oracle) {
    ASSERT_EQ(window.size(), oracle.points().size());
    ASSERT_EQ(window.arrivals().late, oracle.late());
    const double unit = window.weight_unit();
    for (const auto& [id, arrival] : oracle.points()) {
        const std::optional<Slot> slot = window.find(id);
        ASSERT_TRUE(slot) << "id " << id << " is not retained";
        ASSERT_EQ(point_at(window.format(), window.points(), *slot), arrival.point);
        if (window.options().max_age > 0) {
            ASSERT_EQ(window.time(*slot), arrival.time);
        }
        const double wanted = oracle.weight(arrival), got = window.weight(*slot) / unit;
        ASSERT_NEAR(got, wanted, 1e-11 * wanted + 0x1p-180) << "of id " << id;
    }
}

class TimedWindow : public testing::TestWithParam<WindowOptions> {};

TEST_P(TimedWindow, EqualsOneRecomputedAfterEachOfManyEvents) {
    const StreamFormat format = timed_format();
    Window window(format, GetParam());
    TimedOracle oracle(format, GetParam());
    Follower follower(format);
    TimedEvents events(GetParam().seed, 50);
    // The window with a maximal age and decay is followed for long.
    const int count = GetParam().max_age > 0 && !GetParam().half_life.empty() ? 100'000 : 10'000;
    for (int event = 0; event < count && !HasFatalFailure(); ++event) {
        const PointBatch batch = events.next().view();
        if (batch.size() > window.capacity()) continue;
        if (const double factor = window.renew_weight_unit(batch); factor != 1) follower.rescale(factor);
        follower.apply(window.apply(batch), window);
        oracle.apply(batch);
        if (event % 16 == 0) follower.expect_window(window);
        if (event % 16 == 0) expect_equal(window, oracle);
    }
    EXPECT_TRUE(GetParam().max_age == 0 || oracle.late() > 0);
}

TEST_P(TimedWindow, ContinuesAfterLoad) {
    const StreamFormat format = timed_format();
    Window window(format, GetParam());
    TimedEvents events(GetParam().seed + 1, 20);
    for (int round = 0; round < 40; ++round) {
        Window loaded(format, GetParam());
        restore(loaded, saved(window));
        ASSERT_EQ(saved(loaded), saved(window));
        ASSERT_EQ(loaded, window);
        for (int event = 0; event < 50; ++event) {
            const PointBatch batch = events.next().view();
            if (batch.size() > window.capacity()) continue;
            ASSERT_EQ(window.renew_weight_unit(batch), loaded.renew_weight_unit(batch));
            const std::map<Slot, Point> change = listed(format, window.apply(batch));
            ASSERT_EQ(change, listed(format, loaded.apply(batch)));
            ASSERT_EQ(loaded, window);
        }
    }
}

INSTANTIATE_TEST_SUITE_P(
    All, TimedWindow,
    testing::Values(WindowOptions{.capacity = 200, .seed = 1, .max_age = 20 * second},
                    WindowOptions{.capacity = 20, .seed = 2, .max_age = 20 * second},
                    WindowOptions{.capacity = 1000, .seed = 3, .max_age = 1},
                    WindowOptions{.capacity = 5, .seed = 4, .max_age = 10 * second},
                    WindowOptions{.capacity = 100, .seed = 5, .half_life = {.points = 7}},
                    WindowOptions{.capacity = 100, .seed = 6, .half_life = {.points = 1000.5}},
                    WindowOptions{.capacity = 100, .seed = 7, .half_life = {.time = second}},
                    WindowOptions{.capacity = 100, .seed = 8, .half_life = {.time = 1000 * second}},
                    WindowOptions{
                        .capacity = 150, .seed = 9, .max_age = 30 * second, .half_life = {.time = 9 * second}},
                    WindowOptions{.capacity = 150, .seed = 10, .max_age = 30 * second, .half_life = {.points = 30}}));

PointColumns at_time(std::vector<PointId> ids, std::int64_t time) {
    PointColumns points{.ids = ids, .features = {}, .groups = {}, .targets = {}, .event_time = time};
    for (const PointId id : ids) {
        points.features.insert(points.features.end(), {static_cast<float>(id), 0});
        points.groups.push_back(0);
        points.targets.push_back(0);
    }
    return points;
}

TEST(TimedWindowEdges, PointLeavesAfterItsAge) {
    Window window(timed_format(), {.capacity = 10, .max_age = 5});
    window.apply(at_time({1}, 100).view());
    window.apply(at_time({2}, 105).view());
    EXPECT_TRUE(window.find(1)) << "5 microseconds old";
    window.apply(at_time({}, 106).view());
    EXPECT_FALSE(window.find(1)) << "an event without points moves the clock";
    EXPECT_TRUE(window.find(2));
}

TEST(TimedWindowEdges, ALateEventIsCountedAndChangesNothing) {
    Window window(timed_format(), {.capacity = 10, .max_age = 5});
    window.apply(at_time({1, 2}, 100).view());
    const PointColumns too_late = at_time({1, 3, 4}, 94), just_in_time = at_time({5}, 95);
    EXPECT_TRUE(window.is_late(94));
    EXPECT_TRUE(window.apply(too_late.view()).written.empty());
    EXPECT_EQ(window.arrivals().late, 3U);
    EXPECT_EQ(window.size(), 2U);
    window.apply(just_in_time.view());
    EXPECT_TRUE(window.find(5));
    EXPECT_EQ(window.now(), 100) << "the clock does not go back";
    window.apply(at_time({}, 101).view());
    EXPECT_FALSE(window.find(5)) << "its age is that of its own event";
}

TEST(TimedWindowEdges, RepeatedIdTakesAgeOfEvent) {
    Window window(timed_format(), {.capacity = 10, .max_age = 5});
    window.apply(at_time({1, 2}, 100).view());
    window.apply(at_time({1}, 104).view());
    window.apply(at_time({}, 107).view());
    EXPECT_TRUE(window.find(1));
    EXPECT_FALSE(window.find(2));
}

TEST(TimedWindowEdges, ExtremeTimesAreTaken) {
    constexpr std::int64_t least = std::numeric_limits<std::int64_t>::min(),
                           most = std::numeric_limits<std::int64_t>::max();
    Window window(timed_format(), {.capacity = 10, .max_age = 5});
    window.apply(at_time({1}, least).view());
    window.apply(at_time({2}, least + 5).view());
    EXPECT_EQ(window.size(), 2U);
    window.apply(at_time({3}, most).view());
    EXPECT_EQ(window.size(), 1U);
    window.apply(at_time({4}, least).view());
    EXPECT_EQ(window.arrivals().late, 1U);
    Window decaying(timed_format(), {.capacity = 10, .half_life = {.time = 1}});
    for (const std::int64_t time : {least, most}) {
        const PointColumns points = at_time({time == least ? 1U : 2U}, time);
        (void)decaying.renew_weight_unit(points.view());
        decaying.apply(points.view());
    }
    for (const double weight : decaying.weights()) EXPECT_TRUE(std::isfinite(weight) && weight > 0);
}

TEST(TimedWindowEdges, AnEventWithoutPointsLetsWeightsDecay) {
    StreamFormat format{.dimensions = 1, .attributes = {}};
    Window window(format, {.capacity = 4, .half_life = {.time = second}});
    const std::vector<PointId> ids{1, 2};
    const std::vector<float> features{1, 2};
    const PointBatch first{
        .ids = ids, .features = features, .groups = {}, .targets = {}, .event_time = 0, .weights = {}};
    (void)window.renew_weight_unit(first);
    window.apply(first);
    const PointBatch nothing{
        .ids = {}, .features = {}, .groups = {}, .targets = {}, .event_time = 2'000'000 * second, .weights = {}};
    EXPECT_LT(window.renew_weight_unit(nothing), 1);
    window.apply(nothing);
    EXPECT_TRUE(std::isfinite(window.weight_unit()));
    EXPECT_EQ(window.weight(0), least_kept_weight);
    StateWriter writer;
    window.save(writer);
    Window loaded(format, {.capacity = 4, .half_life = {.time = second}});
    const std::vector<std::byte> bytes = writer.take();
    StateReader reader(bytes);
    loaded.load(reader);
    EXPECT_EQ(loaded, window);
}

TEST(WindowArrivals, CountRepeatedIdsAfterLoad) {
    StreamFormat format{.dimensions = 1, .attributes = {}};
    Window window(format, {.capacity = 4});
    const std::vector<PointId> ids{1, 2};
    const std::vector<float> features{1, 2};
    for (int i = 0; i < 3; ++i)
        window.apply({.ids = ids, .features = features, .groups = {}, .targets = {}, .weights = {}});
    EXPECT_EQ(window.arrivals().taken, 6U);
    StateWriter writer;
    window.save(writer);
    Window loaded(format, {.capacity = 4});
    const std::vector<std::byte> bytes = writer.take();
    StateReader reader(bytes);
    loaded.load(reader);
    EXPECT_EQ(loaded.arrivals(), window.arrivals());
}

TEST(TimedWindowEdges, ReservoirIgnoresAgeAndWeight) {
    EXPECT_THROW(check({.policy = WindowPolicy::reservoir, .max_age = 1}), InvalidInput);
    EXPECT_THROW(check({.policy = WindowPolicy::reservoir, .half_life = {.points = 10}}), InvalidInput);
    EXPECT_THROW(check({.half_life = {.points = 10, .time = 10}}), InvalidInput);
    EXPECT_THROW(check({.half_life = {.points = 0.5}}), InvalidInput);
    EXPECT_THROW(check({.max_age = -1}), InvalidInput);
    EXPECT_NO_THROW(check({.max_age = 1, .half_life = {.points = 10}}));
}

TEST(WeightedWindow, RefusesWeightsOutOfRangeByPoint) {
    const Window window(timed_format(), {.capacity = 10});
    for (const double bad : {0.0, -1.0, 1e-16, 1e16, std::nan(""), std::numeric_limits<double>::infinity()}) {
        PointColumns points = at_time({7}, 0);
        points.weights = {bad};
        try {
            window.validate(points.view());
            ADD_FAILURE() << bad;
        } catch (const InvalidInput& error) {
            EXPECT_EQ(error.reason(), Reason::bad_weight);
            EXPECT_NE(std::string(error.what()).find("point 7"), std::string::npos) << error.what();
        }
    }
    StreamFormat plain = timed_format();
    plain.has_weights = false;
    PointColumns points = at_time({7}, 0);
    points.weights = {2};
    EXPECT_THROW(Window(plain, {.capacity = 10}).validate(points.view()), InvalidInput);
}

TEST(WeightedWindow, PointsWithoutWeightsWeighOne) {
    Window window(timed_format(), {.capacity = 10});
    window.apply(at_time({7, 8}, 0).view());
    EXPECT_EQ(window.weight(0), 1);
    PointColumns heavy = at_time({8}, 0);
    heavy.weights = {2.5};
    const WindowChange& change = window.apply(heavy.view());
    EXPECT_EQ(change.replaced.weights[0], 1);
    EXPECT_EQ(window.weight(1), 2.5);
}

}  // namespace
}  // namespace fairstream::test
