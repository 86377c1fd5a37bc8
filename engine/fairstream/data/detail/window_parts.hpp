#pragma once
/// The parts of a window other than the columns of its points: id table, policy state and scratch.

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
    [[nodiscard]] bool has_max_age() const noexcept { return options.max_age > 0; }
    // Returns whether the points' order is kept as a list; otherwise the order of a sliding window follows from its
    // slots.
    [[nodiscard]] bool keeps_order() const noexcept { return !ages.empty(); }
    [[nodiscard]] bool keeps_time() const noexcept { return decays() || has_max_age(); }
    // Returns the age of the stream, in the unit of the half-life, when the i-th coming point arrives in an event of
    // this time.
    [[nodiscard]] double age(std::size_t i, std::int64_t time) const {
        return options.half_life.time > 0 ? static_cast<double>(time) : static_cast<double>(arrivals.taken + i);
    }
    [[nodiscard]] bool is_late(std::int64_t time) const {
        if (!has_max_age() || time >= now) return false;
        // Unsigned, because the difference of two times may exceed a signed number.
        const std::uint64_t late_by = static_cast<std::uint64_t>(now) - static_cast<std::uint64_t>(time);
        return late_by > static_cast<std::uint64_t>(options.max_age);
    }
    // Returns the earliest time that is not too old at time max(now, at).
    [[nodiscard]] std::int64_t earliest_kept_time(std::int64_t at) const {
        constexpr std::int64_t first = std::numeric_limits<std::int64_t>::min();
        const std::int64_t latest = std::max(now, at);
        return latest < first + options.max_age ? first : latest - options.max_age;
    }

    // Lists a written slot once, with the id it held before the call and its new row of the batch; `count` is the
    // number of slots listed.
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
    Random random;  // random numbers of the reservoir
    Decay decay;
    AgeOrder ages;  // used once points were removed, and with `max_age`, which also needs times
    Arrivals arrivals;
    std::int64_t now = std::numeric_limits<std::int64_t>::min();
    std::uint64_t seen = 0;  // new points so far
    Slot oldest = 0;         // slot of the next new point, in a full sliding window without a list

    // Scratch of `apply`. A slot is listed in this call if mark[slot] < count and written[mark[slot]] == slot: a sparse
    // set, which needs no clearing.
    std::vector<Slot> mark;                 // capacity
    CacheLineVector<std::uint32_t> hashes;  // hashes of the batch's ids
    CacheLineVector<Slot> written;
    CacheLineVector<std::uint32_t> source;  // final row of the batch in written[i], or `no_row`
    std::vector<SlotMove> moved;
    std::vector<Slot> gaps;
    CacheLineVector<double> fresh_weights;  // weights of the batch in the window's unit
    CacheLineVector<PointId> old_ids;       // point that written[i] held before; likewise the columns below
    CacheLineVector<float> old_features;
    CacheLineVector<GroupId> old_groups;
    CacheLineVector<float> old_targets;
    CacheLineVector<double> old_weights;
    WindowChange change;
};

}  // namespace fairstream
