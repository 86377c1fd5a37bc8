#include <fairstream/core/detail/visible_rows.hpp>

#include <algorithm>
#include <string>

namespace fairstream::core {

std::vector<VisibleRows> visible_rows(const ModelOptions& options) {
    const ModelKind& kind = options.kind();
    std::vector<VisibleRows> all;
    for (const RowRules& rules : row_rules)
        if (kind.gives(rules.kind)) all.emplace_back(rules, static_cast<std::size_t>(kind.cluster_count(options)));
    return all;
}

std::span<const float> VisibleRows::rows() const noexcept {
    return warming_ ? std::span<const float>{} : std::span<const float>(rows_);
}

void VisibleRows::list(const Window& window, std::vector<PointId>& ids) const {
    ids.clear();
    if (warming_) return;
    for (const Slot slot : changed_.slots())
        if (slot < window.size()) ids.push_back(window.id(slot));
}

void VisibleRows::set_warming(bool warming) {
    warming_ = warming;
    if (!warming) return;
    // All later rows are new to subscribers.
    ids_.clear();
    rows_.clear();
}

void VisibleRows::resize(Slot size) {
    ids_.resize(size, no_point);
    rows_.resize(std::size_t{size} * k_, 0);
}

template <class Row> void VisibleRows::put(Slot slot, PointId id, const Row* row) {
    float* const here = &rows_[std::size_t{slot} * k_];
    bool changes = ids_[slot] != id;
    for (std::size_t l = 0; l < k_; ++l) {
        const auto now = static_cast<float>(row[l]);
        changes = changes || rules_->differ(here[l], now);
        here[l] = now;
    }
    ids_[slot] = id;
    if (changes) changed_.insert(slot);
}

void VisibleRows::put_predicted(const RowSource& model, const Window& window, std::span<const Slot> slots,
                                ConstRows features) {
    predicted_.resize(slots.size() * k_);
    model.predict_rows(kind(), features, predicted_);
    for (std::size_t i = 0; i < slots.size(); ++i) put(slots[i], window.id(slots[i]), &predicted_[i * k_]);
}

void VisibleRows::follow(const RowSource& model, const Window& window) {
    const Matrix found = model.rows(kind());
    set_warming(found.rows == 0);
    resize(window.size());
    for (Slot slot = 0; slot < found.rows; ++slot) put(slot, window.id(slot), found.row(slot));
}

void VisibleRows::exchange(const RowSource& model, const Window& window, const WindowChange& change,
                           ConstRows features) {
    if (warming_) return;
    std::vector<float> carried;
    for (const SlotMove& move : change.moved)
        carried.insert(carried.end(), &rows_[std::size_t{move.from} * k_], &rows_[std::size_t{move.from} * k_] + k_);
    resize(std::max(window.size(), static_cast<Slot>(ids_.size())));
    put_predicted(model, window, change.written.first(change.occupied_count(window.size())), features);
    for (std::size_t i = 0; i < change.moved.size(); ++i)
        put(change.moved[i].to, window.id(change.moved[i].to), &carried[i * k_]);
    resize(window.size());
}

void VisibleRows::take_over(const RowSource& model, const Window& window,
                            const std::function<std::optional<Slot>(Slot)>& origin, std::span<const Slot> fresh,
                            ConstRows features) {
    const Matrix settled = model.rows(kind());
    set_warming(settled.rows == 0);
    if (warming_) return;
    resize(window.size());
    for (Slot slot = 0; slot < window.size(); ++slot)
        if (const std::optional<Slot> from = origin(slot); from && *from < settled.rows)
            put(slot, window.id(slot), settled.row(*from));
    put_predicted(model, window, fresh, features);
}

void VisibleRows::save(StateWriter& writer) const {
    if (!warming_) writer(rules_->saved_as, rows_);
}

void VisibleRows::load(StateReader& reader, const Window& window) {
    changed_.clear();
    set_warming(!reader.has(rules_->saved_as));
    if (warming_) return;
    ids_.assign(window.points().ids.begin(), window.points().ids.end());
    reader(rules_->saved_as, rows_);
    if (rows_.size() != ids_.size() * k_ || !std::ranges::all_of(rows_, rules_->shows))
        StateReader::fail("the " + std::string(rules_->name) + " do not match the window");
}

}  // namespace fairstream::core
