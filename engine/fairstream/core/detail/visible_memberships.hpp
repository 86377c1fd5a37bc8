#pragma once
/// How probable clusters are for each retained point, as it is visible, kept up as models and points change; and the
/// points for which that changed with an event.

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

/// There are none but of a `Clusterer`.
template <class Model> class VisibleMemberships {
public:
    explicit VisibleMemberships(const Model&) {}
    [[nodiscard]] std::span<const float> rows() const noexcept { return {}; }
    void begin() {}
    void list(const Window&, std::vector<PointId>&) const {}
    void follow(const Model&, const Window&) {}
    void exchange(const Model&, const Window&, const WindowChange&, ConstRows) {}
    void take_over(const Model&, const Window&, const std::function<std::optional<Slot>(Slot)>&, std::span<const Slot>,
                   ConstRows) {}
    void save(StateWriter&, std::uint32_t) const {}
    void load(StateReader&, std::uint32_t, const Window&) {}
};

template <> class VisibleMemberships<Clusterer> {
public:
    explicit VisibleMemberships(const Clusterer& model);

    /// n x k by slot; empty for a kind of model without memberships, and while it is warming.
    [[nodiscard]] std::span<const float> rows() const noexcept;
    /// Forgets which points changed, before an event.
    void begin() { changed_.clear(); }
    /// Lists the points whose memberships changed since `begin` by what rounding to whole per cent shows, each once.
    void list(const Window& window, std::vector<PointId>& ids) const;

    /// Takes over what the model itself gives the points of the window.
    void follow(const Clusterer& model, const Window& window);
    /// Follows a change of the window: points that moved keep theirs, and those in written slots have `features`
    /// (n x d) and are predicted. The last slots written hold no point.
    void exchange(const Clusterer& model, const Window& window, const WindowChange& change, ConstRows features);
    /// Takes over a step: `origin` gives the slot that a point was in then, and the points in `fresh` came since and
    /// are predicted from their `features`.
    void take_over(const Clusterer& model, const Window& window, const std::function<std::optional<Slot>(Slot)>& origin,
                   std::span<const Slot> fresh, ConstRows features);

    void save(StateWriter& writer, std::uint32_t field) const;
    /// Throws `InvalidInput` (bad_state) for what cannot be the memberships of these points.
    void load(StateReader& reader, std::uint32_t field, const Window& window);

private:
    void set_warming(bool warming);
    void resize(Slot size);
    template <class Row> void put(Slot slot, PointId id, const Row* row);
    void put_predicted(const Clusterer& model, const Window& window, std::span<const Slot> slots, ConstRows features);

    std::size_t k_ = 0;  // 0: a kind without memberships
    bool warming_ = true;
    std::vector<PointId> ids_;  // by slot
    std::vector<float> rows_;   // by slot, n x k
    SlotSet changed_;
    std::vector<float> predicted_;  // scratch
};

}  // namespace fairstream::core
