#pragma once
/// The window, implemented slowly and plainly from its documentation: a vector of points, a queue of ids by age, a map.

#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <map>
#include <optional>
#include <vector>

#include <fairstream/base/archive.hpp>
#include <fairstream/data/window.hpp>
#include <fairstream/numeric/detail/random.hpp>

namespace fairstream::test {

struct Point {
    PointId id = no_point;
    std::vector<float> features;
    std::vector<GroupId> groups;
    float target = 0;
    bool operator==(const Point&) const = default;
};

/// Row `i` of a batch of this format.
inline Point point_at(const StreamFormat& format, const PointBatch& batch, std::size_t i) {
    const std::size_t d = format.dimensions, a = format.attributes.size();
    const auto features = batch.features.subspan(i * d, d);
    const auto groups = batch.groups.subspan(i * a, a);
    return {batch.ids[i],
            {features.begin(), features.end()},
            {groups.begin(), groups.end()},
            format.has_targets ? batch.targets[i] : 0};
}

class WindowOracle {
public:
    WindowOracle(const StreamFormat& format, const WindowOptions& options)
        : format_(format), options_(options), draws_(options.seed, 2) {}

    /// Takes in a batch; returns each touched slot with its earlier contents.
    std::map<Slot, Point> apply(const PointBatch& batch) {
        std::map<Slot, Point> before;
        for (std::size_t i = 0; i < batch.size(); ++i) {
            Point point = point_at(format_, batch, i);
            const auto known = where_.find(point.id);
            const std::optional<Slot> slot =
                known != where_.end() ? std::optional(known->second) : place_of_new(point.id);
            if (!slot) continue;
            before.try_emplace(*slot, held_before(*slot));
            write(*slot, std::move(point));
        }
        size_before_ = slots_.size();
        return before;
    }

    [[nodiscard]] const std::vector<Point>& slots() const { return slots_; }
    [[nodiscard]] std::optional<Slot> find(PointId id) const {
        const auto at = where_.find(id);
        return at == where_.end() ? std::nullopt : std::optional(at->second);
    }
    /// The retained id that the next new point of a full sliding window evicts.
    [[nodiscard]] std::optional<PointId> oldest() const {
        return by_age_.empty() ? std::nullopt : std::optional(by_age_.front());
    }

private:
    [[nodiscard]] Point free_slot() const {
        return {no_point, std::vector<float>(format_.dimensions), std::vector<GroupId>(format_.attributes.size()), 0};
    }
    [[nodiscard]] Point held_before(Slot slot) const { return slot < size_before_ ? slots_[slot] : free_slot(); }

    std::optional<Slot> place_of_new(PointId id) {
        ++seen_;
        if (slots_.size() < options_.capacity) {
            by_age_.push_back(id);
            slots_.push_back(free_slot());
            return static_cast<Slot>(slots_.size() - 1);
        }
        return options_.policy == WindowPolicy::sliding ? oldest_slot(id) : sampled_slot();
    }
    Slot oldest_slot(PointId id) {
        const Slot slot = where_.at(by_age_.front());
        by_age_.pop_front();
        by_age_.push_back(id);
        return slot;
    }
    // Algorithm R (Vitter 1985): point t, counted from 1, replaces member j if j, drawn from [0, t), is below the
    // capacity.
    std::optional<Slot> sampled_slot() {
        const std::uint64_t draw = draws_.below_wide(seen_);
        return draw < options_.capacity ? std::optional(static_cast<Slot>(draw)) : std::nullopt;
    }
    void write(Slot slot, Point point) {
        if (slots_[slot].id != point.id) {
            where_.erase(slots_[slot].id);
            where_[point.id] = slot;
        }
        slots_[slot] = std::move(point);
    }

    StreamFormat format_;
    WindowOptions options_;
    Random draws_;
    std::uint64_t seen_ = 0;
    std::vector<Point> slots_;
    std::size_t size_before_ = 0;  // points retained before the running call
    std::deque<PointId> by_age_;   // oldest first
    std::map<PointId, Slot> where_;
};

inline std::vector<Point> retained(const Window& window) {
    std::vector<Point> points;
    for (std::size_t i = 0; i < window.points().size(); ++i)
        points.push_back(point_at(window.format(), window.points(), i));
    return points;
}

/// Returns each listed slot with its earlier contents; fails the test if one is listed twice.
inline std::map<Slot, Point> listed(const StreamFormat& format, const WindowChange& change) {
    std::map<Slot, Point> all;
    for (std::size_t i = 0; i < change.written.size(); ++i)
        EXPECT_TRUE(all.emplace(change.written[i], point_at(format, change.replaced, i)).second)
            << "slot " << change.written[i] << " twice";
    return all;
}

inline std::vector<std::byte> saved(const Window& window) {
    StateWriter writer;
    window.save(writer);
    return writer.take();
}
inline void restore(Window& window, std::span<const std::byte> bytes) {
    StateReader reader(bytes);
    window.load(reader);
}

}  // namespace fairstream::test
