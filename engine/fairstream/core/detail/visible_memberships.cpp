#include <fairstream/core/detail/visible_memberships.hpp>

#include <algorithm>
#include <cmath>

namespace fairstream::core {
namespace {

long per_cent(float probability) {
    return std::lround(100 * probability);
}

}  // namespace

VisibleMemberships<Clusterer>::VisibleMemberships(const Clusterer& model) {
    const ModelKind& kind = model.options().kind();
    if (kind.has_memberships()) k_ = static_cast<std::size_t>(kind.cluster_count(model.options()));
}

std::span<const float> VisibleMemberships<Clusterer>::rows() const noexcept {
    return warming_ ? std::span<const float>{} : std::span<const float>(rows_);
}

void VisibleMemberships<Clusterer>::list(const Window& window, std::vector<PointId>& ids) const {
    ids.clear();
    if (warming_) return;
    for (const Slot slot : changed_.slots())
        if (slot < window.size()) ids.push_back(window.id(slot));
}

void VisibleMemberships<Clusterer>::set_warming(bool warming) {
    warming_ = warming;
    if (!warming) return;
    // Whatever comes afterwards is new.
    ids_.clear();
    rows_.clear();
}

void VisibleMemberships<Clusterer>::resize(Slot size) {
    ids_.resize(size, no_point);
    rows_.resize(std::size_t{size} * k_, 0);
}

template <class Row> void VisibleMemberships<Clusterer>::put(Slot slot, PointId id, const Row* row) {
    float* const here = &rows_[std::size_t{slot} * k_];
    bool changes = ids_[slot] != id;
    for (std::size_t l = 0; l < k_; ++l) {
        const auto probability = static_cast<float>(row[l]);
        changes = changes || per_cent(here[l]) != per_cent(probability);
        here[l] = probability;
    }
    ids_[slot] = id;
    if (changes) changed_.insert(slot);
}

void VisibleMemberships<Clusterer>::put_predicted(const Clusterer& model, const Window& window,
                                                  std::span<const Slot> slots, ConstRows features) {
    predicted_.resize(slots.size() * k_);
    model.predict_memberships(features, predicted_);
    for (std::size_t i = 0; i < slots.size(); ++i) put(slots[i], window.id(slots[i]), &predicted_[i * k_]);
}

void VisibleMemberships<Clusterer>::follow(const Clusterer& model, const Window& window) {
    if (k_ == 0) return;
    const Matrix found = model.memberships();
    set_warming(found.rows == 0);
    resize(window.size());
    for (Slot slot = 0; slot < found.rows; ++slot) put(slot, window.id(slot), found.row(slot));
}

void VisibleMemberships<Clusterer>::exchange(const Clusterer& model, const Window& window, const WindowChange& change,
                                             ConstRows features) {
    if (k_ == 0 || warming_) return;
    std::vector<float> carried;
    for (const SlotMove& move : change.moved)
        carried.insert(carried.end(), &rows_[std::size_t{move.from} * k_], &rows_[std::size_t{move.from} * k_] + k_);
    resize(std::max(window.size(), static_cast<Slot>(ids_.size())));
    put_predicted(model, window, change.written.first(change.held(window.size())), features);
    for (std::size_t i = 0; i < change.moved.size(); ++i)
        put(change.moved[i].to, window.id(change.moved[i].to), &carried[i * k_]);
    resize(window.size());
}

void VisibleMemberships<Clusterer>::take_over(const Clusterer& model, const Window& window,
                                              const std::function<std::optional<Slot>(Slot)>& origin,
                                              std::span<const Slot> fresh, ConstRows features) {
    if (k_ == 0) return;
    const Matrix settled = model.memberships();
    set_warming(settled.rows == 0);
    if (warming_) return;
    resize(window.size());
    for (Slot slot = 0; slot < window.size(); ++slot)
        if (const std::optional<Slot> from = origin(slot); from && *from < settled.rows)
            put(slot, window.id(slot), settled.row(*from));
    put_predicted(model, window, fresh, features);
}

void VisibleMemberships<Clusterer>::save(StateWriter& writer, std::uint32_t field) const {
    if (k_ > 0 && !warming_) writer(field, rows_);
}

void VisibleMemberships<Clusterer>::load(StateReader& reader, std::uint32_t field, const Window& window) {
    changed_.clear();
    if (k_ == 0) return;
    set_warming(!reader.has(field));
    if (warming_) return;
    ids_.assign(window.points().ids.begin(), window.points().ids.end());
    reader(field, rows_);
    const auto is_probability = [](float p) { return p >= 0 && p <= 1 + 1e-4F; };
    if (rows_.size() != ids_.size() * k_ || !std::ranges::all_of(rows_, is_probability))
        StateReader::fail("the memberships are not those of the window");
}

}  // namespace fairstream::core
