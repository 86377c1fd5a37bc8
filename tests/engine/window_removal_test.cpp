/// Removals of points from windows, against an oracle that keeps a list of them.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <vector>

#include "support/streams.hpp"
#include "window_oracle.hpp"

namespace fairstream::test {
namespace {

constexpr std::int64_t one_second = 1'000'000;

StreamFormat removal_format() {
    return {.dimensions = 2, .attributes = {{"sex", {"f", "m"}}}, .has_targets = true};
}

/// The retained points of a sliding window, in order of arrival.
class ListOracle {
public:
    explicit ListOracle(const WindowOptions& options) : options_(options) {}

    void apply(const PointBatch& batch, const StreamFormat& format) {
        if (options_.max_age > 0)
            std::erase_if(points_, [&](const Kept& each) { return batch.event_time - each.time > options_.max_age; });
        for (std::size_t i = 0; i < batch.size(); ++i) {
            const Kept kept{point_at(format, batch, i), batch.event_time};
            const auto known =
                std::ranges::find(points_, kept.point.id, [](const Kept& each) { return each.point.id; });
            if (known != points_.end()) {
                *known = kept;
                continue;
            }
            if (points_.size() == options_.capacity) points_.erase(points_.begin());
            points_.push_back(kept);
        }
    }
    void remove(const std::vector<PointId>& ids) {
        std::erase_if(points_, [&](const Kept& each) { return std::ranges::count(ids, each.point.id) > 0; });
    }
    [[nodiscard]] std::map<PointId, Point> points() const {
        std::map<PointId, Point> all;
        for (const Kept& each : points_) all[each.point.id] = each.point;
        return all;
    }

private:
    struct Kept {
        Point point;
        std::int64_t time = 0;
    };
    WindowOptions options_;
    std::vector<Kept> points_;
};

std::map<PointId, Point> by_id(const Window& window) {
    std::map<PointId, Point> all;
    for (const Point& point : retained(window)) all[point.id] = point;
    return all;
}

/// Tracks the point in each slot by the changes alone.
void follow(std::map<Slot, Point>& slots, const WindowChange& change, const Window& window) {
    const std::map<Slot, Point> before = slots;
    const std::size_t held = change.occupied_count(window.size());
    for (const auto& [slot, old] : listed(window.format(), change)) {
        ASSERT_EQ(old.id, before.contains(slot) ? before.at(slot).id : no_point) << slot;
        slots.erase(slot);
    }
    for (std::size_t i = 0; i < held; ++i) slots[change.written[i]] = retained(window)[change.written[i]];
    for (std::size_t i = held; i < change.written.size(); ++i) ASSERT_GE(change.written[i], window.size());
    for (const SlotMove& move : change.moved) ASSERT_EQ(before.at(move.from), slots.at(move.to));
}

class WindowRemovals : public ::testing::TestWithParam<WindowOptions> {
protected:
    /// Draws a batch of new points and of earlier ids, which may be retained or removed.
    PointColumns batch(std::size_t size) {
        ++drawn_;
        PointColumns points = mixture(format, size, drawn_, 100 * drawn_);
        for (PointId& id : points.ids)
            if (random_.below(4) == 0) id = 100 * (1 + random_.below(static_cast<std::uint32_t>(drawn_))) + id % 100;
        std::ranges::sort(points.ids);
        const auto repeated = std::ranges::unique(points.ids);
        std::uint64_t fresh = 1'000'000 + 100 * drawn_;
        for (PointId& id : repeated) id = ++fresh;
        clock_ += random_.below(one_second);
        points.event_time = clock_;
        return points;
    }
    /// Draws retained ids, and one other id.
    std::vector<PointId> some_ids(const Window& window) {
        std::vector<PointId> ids{5};
        const std::uint32_t share = 1 + random_.below(6);
        for (const PointId id : window.points().ids)
            if (random_.below(6) < share) ids.push_back(id);
        return ids;
    }

    const StreamFormat format = removal_format();
    Random random_{GetParam().capacity};
    std::uint64_t drawn_ = 0;
    std::int64_t clock_ = 100 * one_second;
};

TEST_P(WindowRemovals, KeepOrderAcrossSave) {
    Window window(format, GetParam());
    ListOracle oracle(GetParam());
    std::map<Slot, Point> followed;
    for (int round = 0; round < 120; ++round) {
        const PointColumns next = batch(random_.below(std::min<Slot>(GetParam().capacity, 9) + 1));
        window.validate(next.view());
        ASSERT_NO_FATAL_FAILURE(follow(followed, window.apply(next.view()), window));
        oracle.apply(next.view(), format);
        if (round > 5 && random_.below(3) == 0) {
            const std::vector<PointId> ids = some_ids(window);
            ASSERT_NO_FATAL_FAILURE(follow(followed, window.remove(ids), window));
            oracle.remove(ids);
            for (const PointId id : ids) ASSERT_FALSE(window.find(id));
        }
        ASSERT_EQ(by_id(window), oracle.points()) << "round " << round;
        for (const auto& [id, point] : oracle.points()) ASSERT_EQ(window.id(window.find(id).value()), id);
        ASSERT_EQ(followed.size(), window.size());
        Window loaded(format, GetParam());
        restore(loaded, saved(window));
        ASSERT_EQ(loaded, window);
        if (round % 2 == 1) window = std::move(loaded);
    }
}

INSTANTIATE_TEST_SUITE_P(All, WindowRemovals,
                         ::testing::Values(WindowOptions{.capacity = 1}, WindowOptions{.capacity = 2},
                                           WindowOptions{.capacity = 13}, WindowOptions{.capacity = 40},
                                           WindowOptions{.capacity = 3, .max_age = 4 * one_second},
                                           WindowOptions{.capacity = 40, .max_age = 4 * one_second}));

TEST(RemovalsFromAWindow, OfNothingChangeNothing) {
    const StreamFormat format = removal_format();
    Window window(format, {.capacity = 4});
    window.apply(mixture(format, 4, 1).view());
    const std::vector<std::byte> before = saved(window);
    const std::vector<PointId> unknown{77, 78};
    EXPECT_TRUE(window.remove(unknown).written.empty());
    EXPECT_TRUE(window.remove({}).written.empty());
    EXPECT_EQ(saved(window), before);
}

// Each point that came and was not removed is in the sample equally often.
TEST(RemovalsFromAWindow, LeaveAReservoirUniform) {
    const StreamFormat format = removal_format();
    constexpr Slot capacity = 10;
    constexpr std::size_t points = 60;
    constexpr int draws = 4000;
    std::vector<int> seen(points, 0);
    for (int seed = 1; seed <= draws; ++seed) {
        Window window(format, {capacity, WindowPolicy::reservoir, static_cast<std::uint64_t>(seed)});
        for (std::size_t i = 0; i < points; ++i) {
            const PointColumns one = mixture(format, 1, 3, i);
            window.apply(one.view());
            // Every third of the points so far, whether in the sample or not.
            if (i != 5 && i != 29) continue;
            std::vector<PointId> leaving;
            for (PointId id = 0; id <= i; id += 3) leaving.push_back(id);
            window.remove(leaving);
            Window loaded(format, window.options());
            restore(loaded, saved(window));
            ASSERT_EQ(loaded, window);
            window = std::move(loaded);
        }
        for (const PointId id : window.points().ids) ++seen[id];
    }
    const double share = static_cast<double>(capacity) / points;
    const double allowed = 4 * std::sqrt(draws * share * (1 - share));  // standard deviations
    for (std::size_t i = 0; i < points; ++i) {
        if (i < 30 && i % 3 == 0)
            EXPECT_EQ(seen[i], 0) << i;
        else
            EXPECT_NEAR(seen[i], draws * share, allowed) << i;
    }
}

}  // namespace
}  // namespace fairstream::test
