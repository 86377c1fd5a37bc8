#include <fairstream/core/detail/pending_change.hpp>

#include <algorithm>

namespace fairstream::core {

void PendingChange::add(const WindowChange& change, const Window& window) {
    std::vector<std::pair<Slot, std::optional<Slot>>> moved;
    for (const SlotMove& move : change.moved) moved.emplace_back(move.to, origin(move.from));
    const PointBatch& old = change.replaced;
    for (std::size_t i = 0; i < change.written.size(); ++i) {
        if (slots_.insert(change.written[i])) replaced_.append(old.slice(i, 1));
        if (!origins_.by_slot.empty()) origins_.by_slot.erase(change.written[i]);
    }
    for (const auto& [to, from] : moved)
        if (from && to < window.size()) origins_.by_slot[to] = *from;
}

void PendingChange::re_express(const MeasureChange& change) {
    const std::size_t d = change.factors.size();
    for (std::size_t i = 0; i < replaced_.ids.size(); ++i) {
        if (replaced_.ids[i] == no_point) continue;
        if (d > 0) change.apply(std::span(replaced_.features).subspan(i * d, d));
        if (!replaced_.weights.empty())
            replaced_.weights[i] = std::max(replaced_.weights[i] * change.weight_factor, least_kept_weight);
    }
}

std::optional<Slot> PendingChange::origin(Slot slot) const {
    if (!slots_.contains(slot)) return slot;
    const auto found = origins_.by_slot.find(slot);
    return found == origins_.by_slot.end() ? std::nullopt : std::optional(found->second);
}

WindowChange PendingChange::view(Slot size) {
    moved_.clear();
    for (const auto& [to, from] : origins_.by_slot)
        if (to != from) moved_.push_back({from, to});
    if (std::ranges::all_of(slots_.slots(), [&](Slot slot) { return slot < size; }))
        return {slots_.slots(), replaced_.view(), moved_};
    written_.clear();
    rows_.clear();
    const PointBatch all = replaced_.view();
    for (const bool held : {true, false})
        for (std::size_t i = 0; i < slots_.slots().size(); ++i) {
            const Slot slot = slots_.slots()[i];
            // A slot that was free and is free again has not changed.
            if ((slot < size) != held || (!held && all.ids[i] == no_point)) continue;
            written_.push_back(slot);
            rows_.append(all.slice(i, 1));
        }
    return {written_, rows_.view(), moved_};
}

Window PendingChange::window_before(const Window& window) const {
    const std::size_t n = slots_.slots().size();
    const auto in_range = [&](Slot slot) { return slot < window.capacity(); };
    const bool fits = replaced_.ids.size() == n && replaced_.features.size() == n * window.dimensions() &&
                      replaced_.groups.size() == n * window.attributes() &&
                      replaced_.targets.size() == (window.format().has_targets ? n : 0) &&
                      replaced_.weights.size() == (window.format().has_weights ? n : 0) && slots_.is_sound() &&
                      std::ranges::all_of(slots_.slots(), in_range) &&
                      std::ranges::all_of(origins_.by_slot, [&](const auto& entry) {
                          return in_range(entry.first) && in_range(entry.second) && contains(entry.first);
                      });
    if (!fits) StateReader::fail("the points since the last step do not match the window");
    const PointColumns earlier = rows_before(window);
    Window before(window.format(), window.options());
    try {
        before.put(earlier.view());
    } catch (const InvalidInput& error) {
        StateReader::fail(std::string("the window at the last step held an invalid point: ") + error.what());
    }
    return before;
}

// Returns the former rows of all slots that were occupied; these are the first slots. `replaced_` has zeros for free
// slots.
PointColumns PendingChange::rows_before(const Window& window) const {
    const PointBatch old = replaced_.view(), now = window.points();
    const auto is_zero = [](const auto& columns) {
        return std::ranges::all_of(columns, [](auto value) { return value == 0; });
    };
    Slot size = window.size();
    for (std::size_t i = 0; i < old.size(); ++i)
        if (old.ids[i] != no_point) size = std::max(size, slots_.slots()[i] + 1);
    while (size > 0 && (contains(size - 1) ? old.ids[slots_.place(size - 1)] == no_point : size > window.size()))
        --size;
    for (std::size_t i = 0; i < old.size(); ++i)
        if (const PointBatch row = old.slice(i, 1); row.ids[0] == no_point)
            if (slots_.slots()[i] < size || !is_zero(row.features) || !is_zero(row.groups) || !is_zero(row.targets) ||
                !is_zero(row.weights))
                StateReader::fail("a free slot was not empty at the last step");
    PointColumns rows;
    for (Slot slot = 0; slot < size; ++slot) {
        if (!contains(slot) && slot >= window.size())
            StateReader::fail("a slot became free but is not listed as written");
        rows.append(contains(slot) ? old.slice(slots_.place(slot), 1) : now.slice(slot, 1));
    }
    return rows;
}

}  // namespace fairstream::core
