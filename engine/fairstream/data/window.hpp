#pragma once
/// The retained points of a stream: a fixed table of slots.
///
/// Invariants: slots [0, size()) are occupied and no others; every retained id is in exactly one slot. A retained point
/// changes its slot only to fill a gap after points left by age or were removed. Const functions are safe from several
/// threads; `apply` is not.

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include <fairstream/base/types.hpp>
#include <fairstream/data/point_batch.hpp>
#include <fairstream/numeric/cache_line_vector.hpp>

namespace fairstream {

class StateReader;
class StateWriter;

enum class WindowPolicy : std::uint8_t {
    sliding,    ///< the most recent `capacity` points; a new point takes the slot of the oldest
    reservoir,  ///< a uniform sample of all points so far (Vitter's algorithm R); new points may be passed over
};

/// The age at which a point's weight is half of its first weight; at twice that age it is a quarter. Without a
/// half-life, weights do not change while points are retained. At most one of the two may be given.
struct HalfLife {
    double points = 0;      ///< number of points that came since, in [1, 1e12]; 0: not by count
    std::int64_t time = 0;  ///< microseconds since the event that brought the point, in [1, 2^52]; 0: not by time
    [[nodiscard]] bool empty() const noexcept { return points == 0 && time == 0; }
    bool operator==(const HalfLife&) const = default;
};

/// Times are those of events (`PointBatch::event_time`); the present time is the latest of them and never falls.
struct WindowOptions {
    Slot capacity = 100'000;  ///< points retained, in [1, 2^31); memory is about capacity * (4 d + 2 a + 30) bytes
    WindowPolicy policy = WindowPolicy::sliding;
    std::uint64_t seed = 1;  ///< seed of the reservoir's draws and the id table's hash
    /// Largest age of a retained point in microseconds, in [0, 2^52]; 0: points leave only to make room. A point's age
    /// is that of the event that brought it. An event that is older than this when it comes is late: it is counted, and
    /// none of its points is retained. Not for a reservoir, which is a sample of all points.
    std::int64_t max_age = 0;
    HalfLife half_life = {};  ///< not for a reservoir, whose points stand for all that came
    bool operator==(const WindowOptions&) const = default;
};

/// Throws `InvalidInput` if a value is out of range or does not go with the policy.
void check(const WindowOptions& options);

/// Least weight of a retained point: negligible beside others, but not 0 in sums.
inline constexpr double least_kept_weight = 0x1p-300;

/// A point that moved to another slot.
struct SlotMove {
    Slot from, to;
    bool operator==(const SlotMove&) const = default;
};

/// A change of the window. Each written slot is listed once, with the point it held before, so that a model can remove
/// that point exactly.
struct WindowChange {
    /// Slots that hold another point than before, the same id with new values, or no point any more. Slots without a
    /// point come last; they are past the window's size.
    std::span<const Slot> written;
    PointBatch replaced;  ///< row i was in written[i]; id `no_point` (and zeros) where the slot was free. Weights are
                          ///< stored weights; empty if all are 1
    /// Points that filled a gap; both slots are among the written slots. A model may treat a move as a removal and an
    /// insertion, or carry over what it knows of the point.
    std::span<const SlotMove> moved = {};

    /// Returns the number of written slots that now hold a point; they come first.
    [[nodiscard]] std::size_t occupied_count(Slot window_size) const noexcept {
        std::size_t count = written.size();
        while (count > 0 && written[count - 1] >= window_size) --count;
        return count;
    }
};

/// Numbers of points that came since the window began.
struct Arrivals {
    std::uint64_t taken = 0;  ///< retained at first, or passed over by a reservoir
    std::uint64_t late = 0;   ///< points in late events
    bool operator==(const Arrivals&) const = default;
};

class Window {
public:
    /// Throws `InvalidInput` if the format or an option is out of range.
    Window(const StreamFormat& format, const WindowOptions& options);
    ~Window();
    Window(const Window& other);
    Window& operator=(const Window& other);  ///< does not allocate if `other` has the same format and options
    Window(Window&&) noexcept;
    Window& operator=(Window&&) noexcept;

    /// Returns the format of the retained points. They also have weights if weights decay.
    [[nodiscard]] const StreamFormat& format() const noexcept;
    [[nodiscard]] const WindowOptions& options() const noexcept;
    [[nodiscard]] Slot capacity() const noexcept { return capacity_; }
    [[nodiscard]] Slot size() const noexcept { return size_; }
    [[nodiscard]] std::uint32_t dimensions() const noexcept { return dimensions_; }
    [[nodiscard]] std::uint32_t attributes() const noexcept { return attributes_; }

    [[nodiscard]] PointId id(Slot slot) const noexcept { return ids_[slot]; }
    [[nodiscard]] const float* features(Slot slot) const noexcept {
        return &features_[std::size_t{slot} * dimensions_];
    }
    [[nodiscard]] const GroupId* groups(Slot slot) const noexcept {
        return groups_.data() + std::size_t{slot} * attributes_;
    }
    [[nodiscard]] GroupId group(Slot slot, std::uint32_t attribute) const noexcept { return groups(slot)[attribute]; }
    [[nodiscard]] float target(Slot slot) const noexcept { return targets_[slot]; }
    /// Returns the weight of a point relative to the others: the weight that came with the point, decayed, in
    /// `weight_unit`.
    [[nodiscard]] double weight(Slot slot) const noexcept { return weights_.empty() ? 1 : weights_[slot]; }
    /// Returns the weights by slot; empty if all are 1.
    [[nodiscard]] std::span<const double> weights() const noexcept {
        return std::span(weights_).first(weights_.empty() ? 0 : size_);
    }
    /// Returns the stored weight of a point of weight 1 that comes now: 1 unless weights decay. With decay the stored
    /// weights of new points grow; those of older points do not shrink.
    [[nodiscard]] double weight_unit() const noexcept;
    /// Returns all retained points, row i being slot i, with their stored weights. Valid until the next `apply`.
    [[nodiscard]] PointBatch points() const noexcept;
    /// Returns the latest time of an event, in a window with `max_age` or a half-life. Before the first event, and in
    /// other windows, it is the smallest possible time.
    [[nodiscard]] std::int64_t now() const noexcept;
    /// Returns the time of the event that brought a point; only for a window with `max_age`.
    [[nodiscard]] std::int64_t time(Slot slot) const noexcept;
    [[nodiscard]] const Arrivals& arrivals() const noexcept;
    [[nodiscard]] std::optional<Slot> find(PointId id) const noexcept;

    /// Throws `InvalidInput` for the first value that breaks a rule, and for a batch in the window's own memory.
    /// `apply` accepts a batch that passes.
    void validate(const PointBatch& batch) const;
    /// Throws `InvalidInput` where a rule is broken that does not depend on the format: repeated or reserved ids, or
    /// memory of the window itself.
    void validate_ids(const PointBatch& batch) const;
    /// Returns whether a retained point leaves by age when an event of this time comes.
    [[nodiscard]] bool is_too_old_at(Slot slot, std::int64_t time) const noexcept;
    /// Returns whether an event of this time is late for the window.
    [[nodiscard]] bool is_late(std::int64_t time) const noexcept;

    /// Takes in a valid batch of at most `capacity` points, in order. A retained id that comes again replaces its
    /// point; it keeps its slot and its place in the order of arrival, but its age is that of this event. The result is
    /// valid until the next call.
    const WindowChange& apply(const PointBatch& batch);
    /// Sets the targets of the retained points with these ids, no two equal; other ids are ignored. The result lists
    /// their slots with the former points, and is valid until the next call of this or of `apply`.
    const WindowChange& set_targets(std::span<const PointId> ids, std::span<const float> targets);
    /// Removes the retained points with these ids, no two equal; other ids are ignored. The order of the other points
    /// stays. In a reservoir a new point is retained with the same probability as without the removal, and may fill a
    /// free slot. So all points that came and were not removed are in the sample with equal probability. The result is
    /// valid until the next call of this or of `apply`.
    const WindowChange& remove(std::span<const PointId> ids);
    /// `source` of a written slot that holds no point of the last applied batch.
    static constexpr std::uint32_t no_row = 0xffffffff;
    /// Returns the row of the last applied batch that the slot `WindowChange::written[written]` now holds; `no_row` if
    /// a retained point moved to the slot, or if it no longer holds a point.
    [[nodiscard]] std::uint32_t source(std::size_t written) const noexcept;

    /// Changes the unit of weights, if that is due, before a batch. Returns the factor by which all retained weights
    /// were multiplied, a power of 2; 1: no change. O(n) once in 64 half-lives.
    [[nodiscard]] double renew_weight_unit(const PointBatch& batch);
    /// Puts valid points, at most `capacity`, into the slots from 0 of a window without points, with stored weights.
    /// Throws `InvalidInput` if they cannot be the points of a window.
    void put(const PointBatch& points);
    /// Returns the features of all retained points, n x d, for replacement by newly prepared ones.
    [[nodiscard]] std::span<float> replaceable_features() noexcept {
        return std::span(features_).first(std::size_t{size_} * dimensions_);
    }

    [[nodiscard]] bool operator==(const Window& other) const;
    void save(StateWriter& writer) const;
    /// Throws `InvalidInput` (bad_state) if the bytes are not a window of this format and these options.
    void load(StateReader& reader);

private:
    struct Parts;  // id table, policy state and scratch

    void choose_slots(const PointBatch& batch);
    void choose_slots_by_number(const PointBatch& batch);
    void choose_slots_in_order(const PointBatch& batch);
    void list_change();
    void keep_order();
    void note_times(std::int64_t time);
    void put_emptied_last();
    void clear_emptied();
    void compute_weights(const PointBatch& batch);
    [[nodiscard]] std::vector<std::int64_t> times() const;
    void load_clock(StateReader& reader);
    void load_order(StateReader& reader);
    void load_times(StateReader& reader);
    bool replace_oldest(const PointBatch& batch);
    Slot slot_for_new_point();
    void copy_rows(const PointBatch& batch);

    std::uint32_t dimensions_;
    std::uint32_t attributes_;
    Slot capacity_;
    Slot size_ = 0;
    std::vector<PointId> ids_;         // capacity
    CacheLineVector<float> features_;  // capacity x d
    std::vector<GroupId> groups_;      // capacity x a
    std::vector<float> targets_;       // capacity, or empty
    std::vector<double> weights_;      // capacity, or empty
    std::unique_ptr<Parts> parts_;
};

}  // namespace fairstream
