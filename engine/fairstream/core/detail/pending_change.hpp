#pragma once
/// The change of a window over several batches.

#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <fairstream/base/archive.hpp>
#include <fairstream/data/measure_change.hpp>
#include <fairstream/data/window.hpp>

namespace fairstream::core {

/// A set of slots in order of insertion with look-ups in constant time (a sparse set). Columns kept beside it follow
/// the order of `slots()`.
class SlotSet {
public:
    [[nodiscard]] bool contains(Slot slot) const {
        return slot < mark_.size() && mark_[slot] < slots_.size() && slots_[mark_[slot]] == slot;
    }
    /// Inserts `slot`; returns false if the set contains it.
    bool insert(Slot slot) {
        if (contains(slot)) return false;
        if (mark_.size() <= slot) mark_.resize(std::size_t{slot} + 1);
        mark_[slot] = static_cast<Slot>(slots_.size());
        slots_.push_back(slot);
        return true;
    }
    void clear() { slots_.clear(); }
    /// Returns whether a loaded set is valid: every slot is listed once, and its mark is its index in the list.
    [[nodiscard]] bool is_sound() const {
        for (std::size_t i = 0; i < slots_.size(); ++i)
            if (slots_[i] >= mark_.size() || mark_[slots_[i]] != i) return false;
        return true;
    }
    /// Returns the index in `slots()` of a slot that the set contains.
    [[nodiscard]] std::size_t place(Slot slot) const { return mark_[slot]; }
    [[nodiscard]] std::span<const Slot> slots() const { return slots_; }
    template <class Self, class Archive> static void fields(Self& self, Archive& archive) {
        archive(1, self.slots_);
        archive(2, self.mark_);
    }

private:
    std::vector<Slot> slots_;
    std::vector<Slot> mark_;
};

/// The slots written since a model's last step, each with the point it held at that step.
class PendingChange {
public:
    /// Adds a change that `window` has already applied.
    void add(const WindowChange& change, const Window& window);
    [[nodiscard]] bool contains(Slot slot) const { return slots_.contains(slot); }
    /// Converts the replaced points to a new measure, which the window already has.
    void re_express(const MeasureChange& change);
    /// Returns the slot that the point now in `slot` had at the last step; empty if the point came, or came again,
    /// since then.
    [[nodiscard]] std::optional<Slot> origin(Slot slot) const;
    /// Returns the change in the form that models receive; valid until the next call of any function. `size` is the
    /// size of the window.
    [[nodiscard]] WindowChange view(Slot size);
    /// Returns the window before a loaded change. Throws `InvalidInput` (bad_state) if the change cannot lead to
    /// `window`.
    [[nodiscard]] Window window_before(const Window& window) const;

    template <class Self, class Archive> static void fields(Self& self, Archive& archive) {
        archive(1, self.slots_);
        archive(2, self.replaced_.ids);
        archive(3, self.replaced_.features);
        archive(4, self.replaced_.groups);
        archive(5, self.replaced_.targets);
        archive.later(6, self.replaced_.weights);
        archive.later(7, self.origins_);
    }

private:
    /// By the present slot of a point that moved: the point's slot at the last step.
    struct Origins {
        std::map<Slot, Slot> by_slot;
        bool operator==(const Origins&) const = default;
        template <class Self, class Archive> static void fields(Self& self, Archive& archive) {
            std::vector<Slot> to, from;
            for (const auto& [slot, origin] : self.by_slot) to.push_back(slot), from.push_back(origin);
            archive(1, to);
            archive(2, from);
            if constexpr (!std::is_const_v<Self>) {
                if (to.size() != from.size()) StateReader::fail("moved points have no origin");
                self.by_slot.clear();
                for (std::size_t i = 0; i < to.size(); ++i) self.by_slot[to[i]] = from[i];
            }
        }
    };

    [[nodiscard]] PointColumns rows_before(const Window& window) const;

    SlotSet slots_;
    PointColumns replaced_;
    Origins origins_;
    // The members below hold results of `view` if not all slots hold points.
    std::vector<Slot> written_;
    PointColumns rows_;
    std::vector<SlotMove> moved_;
};

}  // namespace fairstream::core
