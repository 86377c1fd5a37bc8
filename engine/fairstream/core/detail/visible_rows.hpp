#pragma once
/// The visible rows, of one kind, of the retained points, kept up to date as models and points change. Lists the points
/// whose rows an event changed.

#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include <fairstream/base/archive.hpp>
#include <fairstream/core/detail/pending_change.hpp>
#include <fairstream/data/window.hpp>
#include <fairstream/models/model_kind.hpp>

namespace fairstream::core {

class VisibleRows {
public:
    VisibleRows(const RowRules& rules, std::size_t width) : rules_(&rules), k_(width) {}

    [[nodiscard]] RowKind kind() const noexcept { return rules_->kind; }
    /// Returns the rows, n x k by slot; empty while the model is warming.
    [[nodiscard]] std::span<const float> rows() const noexcept;
    /// Forgets which points changed; called before an event.
    void begin() { changed_.clear(); }
    /// Lists, each once, the points whose rows changed enough since `begin` to tell subscribers (`RowRules`).
    void list(const Window& window, std::vector<PointId>& ids) const;

    /// Takes over the model's own rows of the points of the window.
    void follow(const RowSource& model, const Window& window);
    /// Follows a change of the window: points that moved keep their rows, and points in written slots are predicted
    /// from `features`, n x d. Written slots without a point come last.
    void exchange(const RowSource& model, const Window& window, const WindowChange& change, ConstRows features);
    /// Takes over the rows of a step. `origin` gives a point's slot at that step; points in `fresh` came since and are
    /// predicted from their `features`.
    void take_over(const RowSource& model, const Window& window, const std::function<std::optional<Slot>(Slot)>& origin,
                   std::span<const Slot> fresh, ConstRows features);

    void save(StateWriter& writer) const;
    /// Throws `InvalidInput` (bad_state) if the loaded values cannot be rows of these points.
    void load(StateReader& reader, const Window& window);

private:
    void set_warming(bool warming);
    void resize(Slot size);
    template <class Row> void put(Slot slot, PointId id, const Row* row);
    void put_predicted(const RowSource& model, const Window& window, std::span<const Slot> slots, ConstRows features);

    const RowRules* rules_;
    std::size_t k_;
    bool warming_ = true;
    std::vector<PointId> ids_;  // by slot
    std::vector<float> rows_;   // by slot, n x k
    SlotSet changed_;
    std::vector<float> predicted_;  // scratch
};

/// Returns one object for each kind of rows that a model with these options gives.
[[nodiscard]] std::vector<VisibleRows> visible_rows(const ModelOptions& options);

}  // namespace fairstream::core
