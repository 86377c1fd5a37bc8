#pragma once
/// The retained points of a stream: a fixed table of slots.
///
/// Invariants: slots [0, size()) are occupied and no other; every retained id is in exactly one slot; a point moves to
/// another slot while it is retained only where points that leave by age, or are removed, leave a gap. Const functions
/// are safe from several threads; `apply` is not.

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
    reservoir,  ///< a uniform sample of all points so far (Vitter's algorithm R); a point may pass without being
                ///< retained
};

/// The age at which a point weighs half of what it did when it came, and a quarter at twice that age. Without one
/// points weigh the same as long as they are retained. At most one of both is given.
struct HalfLife {
    double points = 0;      ///< points that came since, in [1, 1e12]; 0: not by count
    std::int64_t time = 0;  ///< microseconds between the event that brought the point and the latest, in [1, 2^52]
    [[nodiscard]] bool empty() const noexcept { return points == 0 && time == 0; }
    bool operator==(const HalfLife&) const = default;
};

/// Time is that of the events (`PointBatch::event_time`): now is the latest that any of them had, and never falls.
struct WindowOptions {
    Slot capacity = 100'000;  ///< points retained, in [1, 2^31); memory is about capacity * (4 d + 2 a + 30) bytes
    WindowPolicy policy = WindowPolicy::sliding;
    std::uint64_t seed = 1;  ///< of the reservoir's draws, and of the id table's hash
    /// Microseconds, in [0, 2^52]; 0: points leave by their number alone. Otherwise a point also leaves once the event
    /// that brought it is older than this, and an event that is older when it comes is late: it is counted, and none of
    /// its points retained. Not with a reservoir, which is a sample of all points.
    std::int64_t max_age = 0;
    HalfLife half_life = {};  ///< not with a reservoir, whose points stand for all that came
    bool operator==(const WindowOptions&) const = default;
};

/// Throws `InvalidInput` when a value is out of range, or one that does not go with the policy.
void check(const WindowOptions& options);

/// The least weight of a retained point: one that came so long ago that it weighs nothing beside others keeps a weight
/// that sums can hold.
inline constexpr double least_kept_weight = 0x1p-300;

/// A point that is in another slot than before.
struct SlotMove {
    Slot from, to;
    bool operator==(const SlotMove&) const = default;
};

/// A change of the window: each written slot once, with the point it held before, so that a model can take that out
/// exactly.
struct WindowChange {
    /// Slots that hold another point than before, or the same id with new values, or none any more: those past the
    /// window's size, which come last.
    std::span<const Slot> written;
    PointBatch replaced;  ///< row i was in written[i]; id `no_point` (and zeros) where the slot was free. Weights are
                          ///< what the points weighed in the window; empty where all weigh 1
    /// Points that filled a gap; both slots are among the written. A model that takes them out of one and into the
    /// other as it does others is right, and one that carries over what it knows of them is better.
    std::span<const SlotMove> moved = {};

    /// Number of the written slots that hold a point now, which come first.
    [[nodiscard]] std::size_t held(Slot window_size) const noexcept {
        std::size_t count = written.size();
        while (count > 0 && written[count - 1] >= window_size) --count;
        return count;
    }
};

/// Counts points that came, since the window began.
struct Arrivals {
    std::uint64_t taken = 0;  ///< retained at first, or passed over by a reservoir
    std::uint64_t late = 0;   ///< of late events
    bool operator==(const Arrivals&) const = default;
};

class Window {
public:
    /// Throws `InvalidInput` for a format or capacity out of range.
    Window(const StreamFormat& format, const WindowOptions& options);
    ~Window();
    Window(const Window& other);
    Window& operator=(const Window& other);  ///< allocates nothing when `other` has the same format and options
    Window(Window&&) noexcept;
    Window& operator=(Window&&) noexcept;

    /// The format of the retained points: with weights where they decay, too.
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
    /// What a point weighs beside the others: its own weight, decayed, in `weight_unit`.
    [[nodiscard]] double weight(Slot slot) const noexcept { return weights_.empty() ? 1 : weights_[slot]; }
    /// By slot; empty: all weigh 1.
    [[nodiscard]] std::span<const double> weights() const noexcept {
        return std::span(weights_).first(weights_.empty() ? 0 : size_);
    }
    /// What a point of weight 1 weighs here that comes now: 1 unless weights decay. They are kept in a unit of the
    /// past, so that those of older points stay as they are while newer ones weigh more.
    [[nodiscard]] double weight_unit() const noexcept;
    /// All retained points, row i being slot i, with their weights here. Valid until the next `apply`.
    [[nodiscard]] PointBatch points() const noexcept;
    /// The latest time of an event, of a window with `max_age` or a half-life of time or points; the smallest there is
    /// before the first, and of other windows.
    [[nodiscard]] std::int64_t now() const noexcept;
    /// The time of the event that brought a point; only of a window with `max_age`.
    [[nodiscard]] std::int64_t time(Slot slot) const noexcept;
    [[nodiscard]] const Arrivals& arrivals() const noexcept;
    [[nodiscard]] std::optional<Slot> find(PointId id) const noexcept;

    /// Throws `InvalidInput` naming the first value that breaks a rule, and for a batch in the window's own memory;
    /// `apply` may then be called with `batch`.
    void validate(const PointBatch& batch) const;
    /// Does so for the rules that do not depend on the format: ids that differ, in memory other than the window's.
    void validate_ids(const PointBatch& batch) const;
    /// Says whether a retained point leaves by age when an event of this time comes.
    [[nodiscard]] bool leaves_by(Slot slot, std::int64_t time) const noexcept;
    /// Says whether an event of this time comes too late for the window.
    [[nodiscard]] bool is_late(std::int64_t time) const noexcept;

    /// Takes in a valid batch of at most `capacity` points, in order. A retained id that comes again replaces its point
    /// and keeps its slot and its place in line; its age is then that of this event. The result is valid until the next
    /// call.
    const WindowChange& apply(const PointBatch& batch);
    /// Sets the targets of the retained points with these ids, all of which differ; others are passed over. The result
    /// lists their slots, with the points as they were, and is valid until the next call of this or of `apply`.
    const WindowChange& set_targets(std::span<const PointId> ids, std::span<const float> targets);
    /// Takes out the retained points with these ids, all of which differ; others are passed over. The order of the
    /// other points stays. In a reservoir a new point is retained as likely as without the removal, and may then fill a
    /// free slot: all that came and were not removed stay in the sample with one probability. The result is valid until
    /// the next call of this or of `apply`.
    const WindowChange& remove(std::span<const PointId> ids);
    /// The row of the batch last applied that is in a written slot; `no_row` for a slot whose point moved there, or
    /// that holds none any more.
    static constexpr std::uint32_t no_row = 0xffffffff;
    [[nodiscard]] std::uint32_t source(std::size_t written) const noexcept;

    /// Prepares for a batch by a change of the unit of weights where it is due, and returns the factor by which all
    /// retained weights were multiplied, a power of 2; 1: nothing was done. O(n) once in 64 half-lives.
    [[nodiscard]] double renew_weight_unit(const PointBatch& batch);
    /// Puts valid points, at most `capacity`, into the slots from 0 of a window without points, with weights as they
    /// are in a window. Throws `InvalidInput` for points that could not be those of a window.
    void put(const PointBatch& points);
    /// The features of all retained points, n x d, to be replaced by those in another measure.
    [[nodiscard]] std::span<float> replaceable_features() noexcept {
        return std::span(features_).first(std::size_t{size_} * dimensions_);
    }

    [[nodiscard]] bool operator==(const Window& other) const;
    void save(StateWriter& writer) const;
    /// Throws `InvalidInput` (bad_state) when the bytes are not a window of this format and these options.
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
    void weigh(const PointBatch& batch);
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
