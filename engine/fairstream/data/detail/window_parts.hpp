#pragma once
/// What a window has beside the columns of its points: the id table, the state of its policy, and scratch.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include <fairstream/base/types.hpp>
#include <fairstream/data/detail/age_order.hpp>
#include <fairstream/data/detail/decay.hpp>
#include <fairstream/data/detail/id_table.hpp>
#include <fairstream/data/window.hpp>
#include <fairstream/numeric/cache_line_vector.hpp>
#include <fairstream/numeric/detail/random.hpp>

namespace fairstream {

struct Window::Parts {
    Parts(const StreamFormat& stream_format, const WindowOptions& window_options)
        : format(stream_format),
          options(window_options),
          table(options.capacity, {Random(options.seed, 1).next(), Random(options.seed, 3).next()}),
          random(options.seed, 2),
          decay(options.half_life),
          ages(options.max_age > 0 ? options.capacity : 0),
          mark(options.capacity) {
        format.has_weights = format.has_weights || decays();
    }

    [[nodiscard]] bool decays() const noexcept { return !options.half_life.empty(); }
    [[nodiscard]] bool goes_by_age() const noexcept { return options.max_age > 0; }
    // Says whether the order of the points is a list; otherwise a sliding window's is that of its slots.
    [[nodiscard]] bool keeps_order() const noexcept { return !ages.empty(); }
    [[nodiscard]] bool keeps_time() const noexcept { return decays() || goes_by_age(); }
    // Returns the age, in the unit of the half-life, of the i-th point from now on, of an event of this time.
    [[nodiscard]] double age(std::size_t i, std::int64_t time) const {
        return options.half_life.time > 0 ? static_cast<double>(time) : static_cast<double>(arrivals.taken + i);
    }
    [[nodiscard]] bool is_late(std::int64_t time) const {
        if (!goes_by_age() || time >= now) return false;
        // Without a sign, since the difference of two times may be more than one with a sign holds.
        const std::uint64_t late_by = static_cast<std::uint64_t>(now) - static_cast<std::uint64_t>(time);
        return late_by > static_cast<std::uint64_t>(options.max_age);
    }
    // Returns the earliest time that is not too old when it is `at`, or later already.
    [[nodiscard]] std::int64_t edge(std::int64_t at) const {
        constexpr std::int64_t first = std::numeric_limits<std::int64_t>::min();
        const std::int64_t latest = std::max(now, at);
        return latest < first + options.max_age ? first : latest - options.max_age;
    }

    // Puts `slot` on the list of written ones, once, with the id it held before the call and the row it gets now;
    // `count` are listed.
    void list(Slot slot, PointId held, std::uint32_t row, std::size_t& count) {
        std::size_t at = mark[slot];
        if (at >= count || written[at] != slot) {
            at = count++;
            mark[slot] = static_cast<Slot>(at);
            written[at] = slot;
            old_ids[at] = held;
        }
        source[at] = row;
    }

    StreamFormat format;
    WindowOptions options;
    IdTable table;
    Random random;  // of the reservoir
    Decay decay;
    AgeOrder ages;  // of a window with `max_age`, or from which points were removed; times only of the former
    Arrivals arrivals;
    std::int64_t now = std::numeric_limits<std::int64_t>::min();
    std::uint64_t seen = 0;  // new points so far
    Slot oldest = 0;         // of a full sliding window that keeps no order: the slot of the next new point

    // Scratch of `apply`. mark[slot] < count and written[mark[slot]] == slot: listed already in this call (a sparse
    // set, which needs no clearing).
    std::vector<Slot> mark;                 // capacity
    CacheLineVector<std::uint32_t> hashes;  // of the batch's ids
    CacheLineVector<Slot> written;
    CacheLineVector<std::uint32_t> source;  // row of the batch that written[i] ends up with, or `no_row`
    std::vector<SlotMove> moved;
    std::vector<Slot> gaps;
    CacheLineVector<double> fresh_weights;  // of the batch, here
    CacheLineVector<PointId> old_ids;       // what written[i] held before, this column and those below
    CacheLineVector<float> old_features;
    CacheLineVector<GroupId> old_groups;
    CacheLineVector<float> old_targets;
    CacheLineVector<double> old_weights;
    WindowChange change;
};

}  // namespace fairstream
