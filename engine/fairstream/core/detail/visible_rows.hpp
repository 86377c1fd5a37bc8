#pragma once
/// The rows of one kind that a model gives each retained point, as they are visible, kept up as models and points
/// change; and the points whose rows changed with an event.

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
    /// n x k by slot; empty while the model is warming.
    [[nodiscard]] std::span<const float> rows() const noexcept;
    /// Forgets which points changed, before an event.
    void begin() { changed_.clear(); }
    /// Lists the points whose rows changed since `begin` by what subscribers are told, each once.
    void list(const Window& window, std::vector<PointId>& ids) const;

    /// Takes over what the model itself gives the points of the window.
    void follow(const RowSource& model, const Window& window);
    /// Follows a change of the window: points that moved keep theirs, and those in written slots have `features`
    /// (n x d) and are predicted. The last slots written hold no point.
    void exchange(const RowSource& model, const Window& window, const WindowChange& change, ConstRows features);
    /// Takes over a step: `origin` gives the slot that a point was in then, and the points in `fresh` came since and
    /// are predicted from their `features`.
    void take_over(const RowSource& model, const Window& window, const std::function<std::optional<Slot>(Slot)>& origin,
                   std::span<const Slot> fresh, ConstRows features);

    void save(StateWriter& writer) const;
    /// Throws `InvalidInput` (bad_state) for what cannot be the rows of these points.
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

/// Returns those of the kinds that a model with these options gives.
[[nodiscard]] std::vector<VisibleRows> visible_rows(const ModelOptions& options);

}  // namespace fairstream::core
