#pragma once
/// The order of the retained points by arrival, and by the time of the event that brought them.

#include <algorithm>
#include <cstdint>
#include <functional>
#include <limits>
#include <span>
#include <vector>

#include <fairstream/base/types.hpp>

namespace fairstream {

/// Order of slots in [0, capacity). The order of arrival is a doubly linked list. Times are in a heap of runs; a run is
/// neighbouring slots written together. A run may be out of date: the time of each slot decides. With capacity 0 there
/// is no order, and `remove` and `move` do nothing.
class AgeOrder {
public:
    static constexpr Slot none = std::numeric_limits<Slot>::max();

    explicit AgeOrder(Slot capacity) : times_(capacity, 0), older_(capacity, none), newer_(capacity, none) {}

    [[nodiscard]] bool empty() const noexcept { return times_.empty(); }
    [[nodiscard]] std::int64_t time(Slot slot) const noexcept { return times_[slot]; }
    [[nodiscard]] Slot oldest() const noexcept { return oldest_; }
    /// Appends a slot that is not in the order; the caller must call `note_time` next.
    void append(Slot slot) noexcept {
        older_[slot] = newest_;
        newer_[slot] = none;
        (newest_ == none ? oldest_ : newer_[newest_]) = slot;
        newest_ = slot;
    }
    void remove(Slot slot) noexcept {
        if (empty()) return;
        const Slot before = older_[slot], after = newer_[slot];
        (before == none ? oldest_ : newer_[before]) = after;
        (after == none ? newest_ : older_[after]) = before;
    }
    /// Moves the `out.size()` oldest slots, which must exist, to the end without changing their order, and lists them
    /// in `out`. The caller must call `note_time` next.
    void renew_oldest(std::span<Slot> out) noexcept {
        for (Slot& slot : out) {
            slot = oldest_;
            oldest_ = newer_[oldest_];
            if (oldest_ == none) oldest_ = out.front();
        }
        if (out.empty() || oldest_ == out.front()) return;
        newer_[newest_] = out.front();
        older_[out.front()] = newest_;
        newest_ = out.back();
        newer_[newest_] = none;
        older_[oldest_] = none;
    }
    /// Moves the place and time of slot `from` to slot `to`, which is not in the order.
    void move(Slot from, Slot to) {
        if (empty()) return;
        const Slot before = older_[from], after = newer_[from];
        older_[to] = before;
        newer_[to] = after;
        (before == none ? oldest_ : newer_[before]) = to;
        (after == none ? newest_ : older_[after]) = to;
        note_time({&to, 1}, times_[from]);
    }
    /// Sets the time of slots; consecutive slots make one run.
    void note_time(std::span<const Slot> slots, std::int64_t time) {
        for (std::size_t i = 0; i < slots.size();) {
            std::size_t end = i + 1;
            while (end < slots.size() && slots[end] == slots[i] + (end - i)) ++end;
            std::fill_n(times_.begin() + slots[i], end - i, time);
            runs_.push_back({time, slots[i], static_cast<Slot>(end - i)});
            std::ranges::push_heap(runs_, std::greater());
            i = end;
        }
    }
    /// Lists in `out` the slots in [0, size) whose time is before `edge`, ascending and without repeats, and drops
    /// their runs.
    void take_before(std::int64_t edge, Slot size, std::vector<Slot>& out) {
        out.clear();
        while (!runs_.empty() && runs_.front().time < edge) {
            const Run run = runs_.front();
            for (Slot slot = run.first; slot < std::min(size, run.first + run.count); ++slot)
                if (times_[slot] < edge) out.push_back(slot);
            std::ranges::pop_heap(runs_, std::greater());
            runs_.pop_back();
        }
        if (std::ranges::adjacent_find(out, std::greater_equal()) == out.end()) return;
        std::ranges::sort(out);
        out.erase(std::ranges::unique(out).begin(), out.end());
    }
    /// Rebuilds the runs once most of them are out of date; slots [0, size) hold points.
    void forget_old_runs(Slot size) {
        if (runs_.size() <= 2 * std::size_t{size} + 64) return;
        runs_.clear();
        for (Slot slot = 0; slot < size; ++slot) note_time({&slot, 1}, times_[slot]);
    }
    /// Returns the slots, oldest first.
    [[nodiscard]] std::vector<Slot> oldest_first() const {
        std::vector<Slot> slots;
        for (Slot slot = oldest_; slot != none; slot = newer_[slot]) slots.push_back(slot);
        return slots;
    }

private:
    struct Run {
        std::int64_t time;
        Slot first, count;
        auto operator<=>(const Run&) const = default;
    };

    std::vector<std::int64_t> times_;  // by slot
    std::vector<Slot> older_, newer_;  // by slot
    Slot oldest_ = none, newest_ = none;
    std::vector<Run> runs_;  // a heap, the earliest first
};

}  // namespace fairstream
