#include <algorithm>
#include <bit>
#include <cstring>
#include <functional>

#include <fairstream/base/number_text.hpp>
#include <fairstream/base/printable.hpp>
#include <fairstream/data/detail/check_points.hpp>
#include <fairstream/data/detail/window_parts.hpp>
#include <fairstream/data/window.hpp>

namespace fairstream {
namespace {

constexpr std::int64_t longest_time = std::int64_t{1} << 52;

}  // namespace

void check(const WindowOptions& options) {
    if (options.capacity < 1 || options.capacity >= (Slot{1} << 31))
        throw InvalidInput(Reason::bad_option,
                           "window capacity = " + std::to_string(options.capacity) + ": must be 1 to 2147483647");
    const auto fail = [](const std::string& what) { throw InvalidInput(Reason::bad_option, what); };
    const auto check_time = [&](const char* name, std::int64_t time) {
        if (time < 0 || time > longest_time)
            fail(std::string(name) + " = " + std::to_string(time) + " microseconds: must be 0 to 2^52");
    };
    check_time("max_age", options.max_age);
    check_time("half_life", options.half_life.time);
    const double points = options.half_life.points;
    if (points != 0 && !(points >= 1 && points <= 1e12))
        fail("half_life = " + number_text(points) + " points: must be 1 to 1e12");
    if (points != 0 && options.half_life.time != 0) fail("half_life: must be in points or in time, not both");
    if (options.policy != WindowPolicy::reservoir) return;
    if (options.max_age != 0)
        fail("max_age: cannot be used with a reservoir, which samples all points; remove max_age");
    if (!options.half_life.empty())
        fail("half_life: cannot be used with a reservoir, whose points all count alike; remove half_life");
}

namespace {

template <class T> bool overlap(std::span<const T> a, std::span<const T> b) {
    const std::less<> before;
    return !a.empty() && !b.empty() && before(a.data(), b.data() + b.size()) && before(b.data(), a.data() + a.size());
}

// Throws `InvalidInput` for reserved or repeated ids. Uses a separate table: a batch is small beside the window, so
// this table stays in the nearest cache.
void check_ids(const IdTable& hashes, std::span<const PointId> ids, const TextSpan& texts) {
    // Ascending ids, usual in streams, need no table; the last one is the largest.
    const bool rising = std::ranges::adjacent_find(ids, std::greater_equal{}) == ids.end();
    if (rising && (ids.empty() || ids.back() != no_point)) return;
    const std::size_t mask = std::bit_ceil(ids.size() * 2 + 1) - 1;
    std::vector<std::uint32_t> seen(mask + 1);  // position + 1; 0: free
    for (std::size_t i = 0; i < ids.size(); ++i) {
        if (ids[i] == no_point)
            throw InvalidInput(Reason::reserved_id, "id 18446744073709551615 is reserved: give the point another id");
        std::size_t at = hashes.hash(ids[i]) & mask;
        for (; seen[at] != 0; at = (at + 1) & mask)
            if (ids[seen[at] - 1] == ids[i])
                throw InvalidInput(Reason::repeated_id, "id " + std::to_string(ids[i]) +
                                                            (texts.empty() ? "" : " of '" + printable(texts[i]) + "'") +
                                                            " comes twice in the batch");
        seen[at] = static_cast<std::uint32_t>(i + 1);
    }
}

}  // namespace

Window::Window(const StreamFormat& format, const WindowOptions& options)
    : dimensions_(format.dimensions),
      attributes_(static_cast<std::uint32_t>(format.attributes.size())),
      capacity_(options.capacity) {
    check(format);
    check(options);
    ids_.assign(capacity_, no_point);
    features_.assign(std::size_t{capacity_} * dimensions_, 0);
    groups_.assign(std::size_t{capacity_} * attributes_, 0);
    if (format.has_targets) targets_.assign(capacity_, 0);
    parts_ = std::make_unique<Parts>(format, options);
    if (parts_->format.has_weights) weights_.assign(capacity_, 0);
}

Window::~Window() = default;
Window::Window(Window&&) noexcept = default;
Window& Window::operator=(Window&&) noexcept = default;

Window::Window(const Window& other) : dimensions_(0), attributes_(0), capacity_(0) {
    *this = other;
}

namespace {

// Copies a table of rows, by slot, of which `points` are points; `points_before` were. Other rows are zeros.
template <class Table>
void copy_table(const Table& from, std::size_t points, Table& to, std::size_t points_before, std::size_t width) {
    if (to.size() != from.size()) {
        to = from;
    } else if (!from.empty()) {
        std::copy_n(from.begin(), points * width, to.begin());
        if (points_before > points)
            std::fill_n(to.begin() + points * width, (points_before - points) * width, typename Table::value_type{});
    }
}

}  // namespace

Window& Window::operator=(const Window& other) {
    if (this == &other) return *this;
    const auto copy = [&](const auto& from, auto& to, std::size_t width) {
        if (dimensions_ == other.dimensions_ && attributes_ == other.attributes_)
            copy_table(from, other.size_, to, size_, width);
        else
            to = from;
    };
    copy(other.features_, features_, dimensions_);
    copy(other.groups_, groups_, attributes_);
    copy(other.targets_, targets_, 1);
    copy(other.weights_, weights_, 1);
    ids_ = other.ids_;
    dimensions_ = other.dimensions_;
    attributes_ = other.attributes_;
    capacity_ = other.capacity_;
    size_ = other.size_;
    if (parts_)
        *parts_ = *other.parts_;
    else
        parts_ = std::make_unique<Parts>(*other.parts_);
    return *this;
}

const StreamFormat& Window::format() const noexcept {
    return parts_->format;
}
const WindowOptions& Window::options() const noexcept {
    return parts_->options;
}

PointBatch Window::points() const noexcept {
    return {std::span(ids_).first(size_),
            std::span(features_).first(std::size_t{size_} * dimensions_),
            std::span(groups_).first(std::size_t{size_} * attributes_),
            targets_.empty() ? std::span<const float>{} : std::span(targets_).first(size_),
            0,
            weights()};
}

double Window::weight_unit() const noexcept {
    const Parts& p = *parts_;
    if (!p.decays() || p.arrivals.taken == 0) return 1;
    return p.decay.factor(p.options.half_life.time > 0 ? static_cast<double>(p.now)
                                                       : static_cast<double>(p.arrivals.taken - 1));
}
std::int64_t Window::now() const noexcept {
    return parts_->now;
}
std::int64_t Window::time(Slot slot) const noexcept {
    return parts_->ages.time(slot);
}
const Arrivals& Window::arrivals() const noexcept {
    return parts_->arrivals;
}
std::uint32_t Window::source(std::size_t written) const noexcept {
    return parts_->source[written];
}

std::optional<Slot> Window::find(PointId id) const noexcept {
    if (id == no_point) return std::nullopt;
    const Slot slot = parts_->table.find(parts_->table.hash(id), id, ids_);
    return slot == IdTable::none ? std::nullopt : std::optional(slot);
}

void Window::validate(const PointBatch& batch) const {
    check_points(parts_->format, batch);
    validate_ids(batch);
}

void Window::validate_ids(const PointBatch& batch) const {
    if (overlap<PointId>(batch.ids, ids_) || overlap<float>(batch.features, features_) ||
        overlap<GroupId>(batch.groups, groups_) || overlap<float>(batch.targets, targets_) ||
        overlap<double>(batch.weights, weights_))
        throw InvalidInput(Reason::wrong_shape, "the batch lies in the memory of the window: copy it first");
    check_ids(parts_->table, batch.ids, batch.id_texts);
}

const WindowChange& Window::apply(const PointBatch& batch) {
    Parts& p = *parts_;
    p.moved.clear();
    if (p.is_late(batch.event_time)) {
        p.arrivals.late += batch.size();
        p.written.clear();
        p.source.clear();
        p.old_ids.clear();
        copy_rows({});
    } else {
        if (p.keeps_time()) p.now = std::max(p.now, batch.event_time);
        if (p.decays()) compute_weights(batch);
        choose_slots(batch);
        copy_rows(batch);
        p.arrivals.taken += batch.size();
    }
    list_change();
    return p.change;
}

void Window::list_change() {
    Parts& p = *parts_;
    p.change = {p.written, {p.old_ids, p.old_features, p.old_groups, p.old_targets, 0, p.old_weights}, p.moved};
    if (p.keeps_order()) p.ages.forget_old_runs(size_);
}

const WindowChange& Window::remove(std::span<const PointId> ids) {
    Parts& p = *parts_;
    p.moved.clear();
    p.gaps.clear();
    for (const PointId id : ids)
        if (const std::optional<Slot> slot = find(id)) p.gaps.push_back(*slot);
    std::ranges::sort(p.gaps);
    if (p.options.policy == WindowPolicy::sliding && !p.keeps_order() && !p.gaps.empty()) keep_order();
    p.fresh_weights.clear();
    choose_slots_in_order({});
    copy_rows({});
    list_change();
    return p.change;
}

// Starts to keep the order of the points as a list.
void Window::keep_order() {
    Parts& p = *parts_;
    p.ages = AgeOrder(capacity_);
    for (Slot i = 0; i < size_; ++i) p.ages.append(size_ < capacity_ ? i : (p.oldest + i) % capacity_);
}

const WindowChange& Window::set_targets(std::span<const PointId> ids, std::span<const float> targets) {
    Parts& p = *parts_;
    p.moved.clear();
    p.written.clear();
    std::vector<float> set;
    for (std::size_t i = 0; i < ids.size(); ++i) {
        const std::optional<Slot> slot = find(ids[i]);
        if (!slot) continue;
        p.written.push_back(*slot);
        set.push_back(targets[i]);
    }
    const std::size_t n = p.written.size();
    p.source.assign(n, no_row);
    p.old_ids.resize(n);
    p.old_features.resize(n * dimensions_);
    p.old_groups.resize(n * attributes_);
    p.old_targets.resize(n);
    p.old_weights.resize(weights_.empty() ? 0 : n);
    for (std::size_t i = 0; i < n; ++i) {
        const Slot slot = p.written[i];
        p.old_ids[i] = ids_[slot];
        std::copy_n(features(slot), dimensions_, p.old_features.data() + i * dimensions_);
        std::copy_n(groups(slot), attributes_, p.old_groups.data() + i * attributes_);
        p.old_targets[i] = targets_[slot];
        if (!weights_.empty()) p.old_weights[i] = weights_[slot];
        targets_[slot] = set[i];
    }
    list_change();
    return p.change;
}

double Window::renew_weight_unit(const PointBatch& batch) {
    Parts& p = *parts_;
    const bool by_time = p.options.half_life.time > 0;
    // With a half-life by time, even an event without points lets time pass.
    if (!p.decays() || (batch.size() == 0 && !by_time) || p.is_late(batch.event_time)) return 1;
    // The last point has the largest factor; if it is in range, all are.
    const std::size_t last = std::max<std::size_t>(batch.size(), 1) - 1;
    const double factor = p.decay.move_landmark(p.age(last, std::max(p.now, batch.event_time)));
    if (factor == 1) return 1;
    for (double& weight : std::span(weights_).first(size_)) weight = std::max(weight * factor, least_kept_weight);
    return factor;
}

void Window::compute_weights(const PointBatch& batch) {
    Parts& p = *parts_;
    p.fresh_weights.resize(batch.size());
    if (p.options.half_life.time > 0)
        std::ranges::fill(p.fresh_weights, p.decay.factor(static_cast<double>(batch.event_time)));
    else
        p.decay.find_factors(p.arrivals.taken, p.fresh_weights);
    for (std::size_t i = 0; i < batch.weights.size(); ++i) p.fresh_weights[i] *= batch.weights[i];
}

namespace {

// Exchanges rows of `width` values: copies table row written[i] to row i of `old`, then row source[i] of `fresh` to the
// table. Runs of neighbours are copied whole; in a sliding stream of new ids a batch is one or two runs.
template <class Table, class T> void exchange_rows(std::span<const Slot> written, std::span<const std::uint32_t> source,
                                                   std::size_t width, Table& table, CacheLineVector<T>& old,
                                                   std::span<const T> fresh) {
    if (width == 0 || table.empty()) return;
    old.resize(written.size() * width);
    for (std::size_t i = 0; i < written.size();) {
        std::size_t end = i + 1;
        while (end < written.size() && written[end] == written[i] + (end - i) && source[end] == source[i] + (end - i))
            ++end;
        T* rows = table.data() + written[i] * width;
        const std::size_t bytes = (end - i) * width * sizeof(T);
        std::memcpy(old.data() + i * width, rows, bytes);
        std::memcpy(rows, fresh.data() + source[i] * width, bytes);
        i = end;
    }
}

// Exchanges rows where a slot may have no row of the batch: it takes the former row of the point that moved there, or
// is left to `clear_emptied`.
template <class Table, class T>
void exchange_rows_with_moves(std::span<const Slot> written, std::span<const std::uint32_t> source,
                              std::span<const SlotMove> moved, std::size_t width, Table& table, CacheLineVector<T>& old,
                              std::span<const T> fresh) {
    if (width == 0 || table.empty()) return;
    old.resize(written.size() * width);
    for (std::size_t i = 0; i < written.size(); ++i) std::copy_n(&table[written[i] * width], width, &old[i * width]);
    for (const SlotMove& move : moved) std::copy_n(&table[move.from * width], width, &table[move.to * width]);
    for (std::size_t i = 0; i < written.size(); ++i)
        if (source[i] != Window::no_row) std::copy_n(&fresh[source[i] * width], width, &table[written[i] * width]);
}

}  // namespace

void Window::copy_rows(const PointBatch& batch) {
    Parts& p = *parts_;
    CacheLineVector<double>& fresh = p.fresh_weights;
    if (!weights_.empty() && !p.decays()) {
        fresh.resize(batch.size());
        for (std::size_t i = 0; i < fresh.size(); ++i) fresh[i] = batch.weights.empty() ? 1 : batch.weights[i];
    }
    const bool all_are_new = p.moved.empty() && std::ranges::find(p.source, no_row) == p.source.end();
    const auto exchange = [&]<class Table, class T>(std::size_t width, Table& table, CacheLineVector<T>& old,
                                                    std::span<const T> rows) {
        if (all_are_new)
            exchange_rows(p.written, p.source, width, table, old, rows);
        else
            exchange_rows_with_moves(p.written, p.source, p.moved, width, table, old, rows);
    };
    exchange(dimensions_, features_, p.old_features, batch.features);
    exchange(attributes_, groups_, p.old_groups, batch.groups);
    exchange(1, targets_, p.old_targets, batch.targets);
    exchange(1, weights_, p.old_weights, std::span<const double>(fresh));
    clear_emptied();
}

// Sets the rows of emptied slots to zeros, so that equal windows have equal tables.
void Window::clear_emptied() {
    const std::span<const Slot> written = parts_->written;
    for (std::size_t i = written.size(); i > 0 && written[i - 1] >= size_; --i) {
        const Slot slot = written[i - 1];
        std::fill_n(features_.data() + std::size_t{slot} * dimensions_, dimensions_, 0.0F);
        std::fill_n(groups_.data() + std::size_t{slot} * attributes_, attributes_, GroupId{0});
        if (!targets_.empty()) targets_[slot] = 0;
        if (!weights_.empty()) weights_[slot] = 0;
    }
}

bool Window::is_too_old_at(Slot slot, std::int64_t time) const noexcept {
    return parts_->has_max_age() && parts_->ages.time(slot) < parts_->earliest_kept_time(time);
}
bool Window::is_late(std::int64_t time) const noexcept {
    return parts_->is_late(time);
}

}  // namespace fairstream
