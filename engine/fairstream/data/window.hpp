#pragma once
/// The retained points of a stream: a fixed table of slots.
///
/// Invariants: slots [0, size()) are occupied and no other; every retained id is in exactly one slot; a point never
/// moves to another slot while it is retained. Const functions are safe from several threads; `apply` is not.

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

struct WindowOptions {
    Slot capacity = 100'000;  ///< points retained, in [1, 2^31); memory is about capacity * (4 d + 2 a + 30) bytes
    WindowPolicy policy = WindowPolicy::sliding;
    std::uint64_t seed = 1;  ///< of the reservoir's draws, and of the id table's hash
    bool operator==(const WindowOptions&) const = default;
};

/// Throws `InvalidInput` when the capacity is out of range.
void check(const WindowOptions& options);

/// A change of the window: each written slot once, with the point it held before, so that a model can take that out
/// exactly.
struct WindowChange {
    std::span<const Slot> written;  ///< slots that hold another point than before, or the same id with new values
    PointBatch replaced;            ///< row i was in written[i]; id `no_point` (and zeros) where the slot was free
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
    /// All retained points, row i being slot i. Valid until the next `apply`.
    [[nodiscard]] PointBatch points() const noexcept;
    [[nodiscard]] std::optional<Slot> find(PointId id) const noexcept;

    /// Throws `InvalidInput` naming the first value that breaks a rule, and for a batch in the window's own memory;
    /// `apply` may then be called with `batch`.
    void validate(const PointBatch& batch) const;

    /// Takes in a valid batch of at most `capacity` points, in order. A retained id that comes again replaces its point
    /// and keeps its slot and its age. The result is valid until the next call.
    const WindowChange& apply(const PointBatch& batch);

    [[nodiscard]] bool operator==(const Window& other) const;
    void save(StateWriter& writer) const;
    /// Throws `InvalidInput` (bad_state) when the bytes are not a window of this format and these options.
    void load(StateReader& reader);

private:
    struct Parts;  // id table, policy state and scratch

    void choose_slots(const PointBatch& batch);
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
    std::unique_ptr<Parts> parts_;
};

}  // namespace fairstream
