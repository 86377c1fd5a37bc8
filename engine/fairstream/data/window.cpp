#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <functional>
#include <numeric>

#include <fairstream/base/archive.hpp>
#include <fairstream/base/number_text.hpp>
#include <fairstream/base/printable.hpp>
#include <fairstream/data/detail/age_order.hpp>
#include <fairstream/data/detail/check_points.hpp>
#include <fairstream/data/detail/decay.hpp>
#include <fairstream/data/detail/id_table.hpp>
#include <fairstream/data/window.hpp>
#include <fairstream/numeric/detail/kernels.hpp>
#include <fairstream/numeric/detail/random.hpp>

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
    if (points != 0 && options.half_life.time != 0) fail("half_life is of points or of time, not of both");
    if (options.policy != WindowPolicy::reservoir) return;
    if (options.max_age != 0) fail("max_age does not go with a reservoir, which is a sample of all points");
    if (!options.half_life.empty())
        fail("half_life does not go with a reservoir, whose points stand alike for all that came");
}

namespace {

template <class T> bool overlap(std::span<const T> a, std::span<const T> b) {
    const std::less<> before;
    return !a.empty() && !b.empty() && before(a.data(), b.data() + b.size()) && before(b.data(), a.data() + a.size());
}

// Throws `InvalidInput` for reserved or repeated ids. The table is one of its own: a batch is small beside the window,
// so that it stays in the nearest cache.
void check_ids(const IdTable& hashes, std::span<const PointId> ids, const TextSpan& texts) {
    // Rising ids, those of most streams, are seen to differ without a table; the last one is the largest.
    const bool rising = std::ranges::adjacent_find(ids, std::greater_equal{}) == ids.end();
    if (rising && (ids.empty() || ids.back() != no_point)) return;
    const std::size_t mask = std::bit_ceil(ids.size() * 2 + 1) - 1;
    std::vector<std::uint32_t> seen(mask + 1);  // position + 1, 0: free
    for (std::size_t i = 0; i < ids.size(); ++i) {
        if (ids[i] == no_point) throw InvalidInput(Reason::reserved_id, "id 18446744073709551615 is reserved");
        std::size_t at = hashes.hash(ids[i]) & mask;
        for (; seen[at] != 0; at = (at + 1) & mask)
            if (ids[seen[at] - 1] == ids[i])
                throw InvalidInput(Reason::repeated_id, "id " + std::to_string(ids[i]) +
                                                            (texts.empty() ? "" : " of '" + printable(texts[i]) + "'") +
                                                            " is twice in the batch");
        seen[at] = static_cast<std::uint32_t>(i + 1);
    }
}

// Points by which look-ups are prefetched ahead, since they miss the near caches.
constexpr std::size_t lookahead = 32;

}  // namespace

struct Window::Parts {
    Parts(const StreamFormat& stream_format, const WindowOptions& window_options)
        : format(stream_format),
          options(window_options),
          table(options.capacity, {Random(options.seed, 1).next(), Random(options.seed, 3).next()}),
          random(options.seed, 2),
          decay(options.half_life),
          ages(options.max_age > 0 ? options.capacity : 0),
          mark(options.capacity) {
        format.has_weights = format.has_weights || decays();
    }

    [[nodiscard]] bool decays() const noexcept { return !options.half_life.empty(); }
    [[nodiscard]] bool goes_by_age() const noexcept { return options.max_age > 0; }
    [[nodiscard]] bool keeps_time() const noexcept { return decays() || goes_by_age(); }
    // Returns the age, in the unit of the half-life, of the i-th point from now on, of an event of this time.
    [[nodiscard]] double age(std::size_t i, std::int64_t time) const {
        return options.half_life.time > 0 ? static_cast<double>(time) : static_cast<double>(arrivals.taken + i);
    }
    [[nodiscard]] bool is_late(std::int64_t time) const {
        // `now` is at least the time of any event, so that neither difference overflows where it matters.
        return goes_by_age() && time<now&& static_cast<std::uint64_t>(now) -
                                     static_cast<std::uint64_t>(time)> static_cast<std::uint64_t>(options.max_age);
    }
    // Returns the earliest time that is not too old when it is `at`, or later already.
    [[nodiscard]] std::int64_t edge(std::int64_t at) const {
        constexpr std::int64_t first = std::numeric_limits<std::int64_t>::min();
        const std::int64_t latest = std::max(now, at);
        return latest < first + options.max_age ? first : latest - options.max_age;
    }

    // Puts `slot` on the list of written ones, once, with the id it held before the call and the row it gets now;
    // `count` are listed.
    void list(Slot slot, PointId held, std::uint32_t row, std::size_t& count) {
        std::size_t at = mark[slot];
        if (at >= count || written[at] != slot) {
            at = count++;
            mark[slot] = static_cast<Slot>(at);
            written[at] = slot;
            old_ids[at] = held;
        }
        source[at] = row;
    }

    StreamFormat format;
    WindowOptions options;
    IdTable table;
    Random random;  // of the reservoir
    Decay decay;
    AgeOrder ages;  // of a window with `max_age`
    Arrivals arrivals;
    std::int64_t now = std::numeric_limits<std::int64_t>::min();
    std::uint64_t seen = 0;  // new points so far
    Slot oldest = 0;         // of a full sliding window: the slot of the next new point

    // Scratch of `apply`. mark[slot] < count and written[mark[slot]] == slot: listed already in this call (a sparse
    // set, which needs no clearing).
    std::vector<Slot> mark;                 // capacity
    CacheLineVector<std::uint32_t> hashes;  // of the batch's ids
    CacheLineVector<Slot> written;
    CacheLineVector<std::uint32_t> source;  // row of the batch that written[i] ends up with, or `no_row`
    std::vector<SlotMove> moved;
    std::vector<Slot> gaps;
    CacheLineVector<double> fresh_weights;  // of the batch, here
    CacheLineVector<PointId> old_ids;       // what written[i] held before, this column and those below
    CacheLineVector<float> old_features;
    CacheLineVector<GroupId> old_groups;
    CacheLineVector<float> old_targets;
    CacheLineVector<double> old_weights;
    WindowChange change;
};

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

Window& Window::operator=(const Window& other) {
    dimensions_ = other.dimensions_;
    attributes_ = other.attributes_;
    capacity_ = other.capacity_;
    size_ = other.size_;
    ids_ = other.ids_;
    features_ = other.features_;
    groups_ = other.groups_;
    targets_ = other.targets_;
    weights_ = other.weights_;
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
        throw InvalidInput(Reason::wrong_shape, "the batch lies in the memory of the window that takes it in: copy it");
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
        if (p.decays()) weigh(batch);
        choose_slots(batch);
        copy_rows(batch);
        p.arrivals.taken += batch.size();
        if (p.goes_by_age()) p.ages.forget_old_runs(size_);
    }
    p.change = {p.written, {p.old_ids, p.old_features, p.old_groups, p.old_targets, 0, p.old_weights}, p.moved};
    return p.change;
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
    p.change = {p.written, {p.old_ids, p.old_features, p.old_groups, p.old_targets, 0, p.old_weights}, p.moved};
    return p.change;
}

double Window::renew_weight_unit(const PointBatch& batch) {
    Parts& p = *parts_;
    const bool by_time = p.options.half_life.time > 0;
    // An event without points lets time pass, too.
    if (!p.decays() || (batch.size() == 0 && !by_time) || p.is_late(batch.event_time)) return 1;
    // What the last point weighs is in range then, and with it what the others do.
    const std::size_t last = std::max<std::size_t>(batch.size(), 1) - 1;
    const double factor = p.decay.shift_to(p.age(last, std::max(p.now, batch.event_time)));
    if (factor == 1) return 1;
    for (double& weight : std::span(weights_).first(size_)) weight = std::max(weight * factor, least_kept_weight);
    return factor;
}

void Window::weigh(const PointBatch& batch) {
    Parts& p = *parts_;
    p.fresh_weights.resize(batch.size());
    if (p.options.half_life.time > 0)
        std::ranges::fill(p.fresh_weights, p.decay.factor(static_cast<double>(batch.event_time)));
    else
        p.decay.find_factors(p.arrivals.taken, p.fresh_weights);
    for (std::size_t i = 0; i < batch.weights.size(); ++i) p.fresh_weights[i] *= batch.weights[i];
}

// Chooses slots for the batch and updates the ids and the id table; leaves in `written` and `source` which row goes
// where, in `old_ids` which point each slot held.
void Window::choose_slots(const PointBatch& batch) {
    Parts& p = *parts_;
    p.hashes.resize(batch.size());
    for (std::size_t i = 0; i < batch.size(); ++i) p.hashes[i] = p.table.hash(batch.ids[i]);
    if (p.goes_by_age()) p.ages.take_before(p.edge(p.now), size_, p.gaps);
    if (!replace_oldest(batch)) {
        if (p.goes_by_age())
            choose_slots_by_age(batch);
        else
            choose_slots_by_number(batch);
    }
    if (p.goes_by_age()) note_times(batch.event_time);
}

// Does so for a window whose points leave by their number alone.
void Window::choose_slots_by_number(const PointBatch& batch) {
    Parts& p = *parts_;
    const std::size_t n = batch.size();
    p.written.resize(n);
    p.source.resize(n);
    p.old_ids.resize(n);
    std::size_t listed = 0;
    const auto list = [&](Slot slot, std::size_t row) {
        p.list(slot, ids_[slot], static_cast<std::uint32_t>(row), listed);
    };
    for (std::size_t i = 0; i < n; ++i) {
        if (i + lookahead < n) p.table.prefetch(p.hashes[i + lookahead]);
        const PointId id = batch.ids[i];
        Slot slot = p.table.find(p.hashes[i], id, ids_);
        const bool retained = slot != IdTable::none;
        if (!retained) {
            slot = slot_for_new_point();
            if (slot == IdTable::none) continue;
        }
        list(slot, i);
        if (retained) continue;
        if (ids_[slot] != no_point) p.table.erase(p.table.hash(ids_[slot]), slot);
        ids_[slot] = id;
        p.table.insert(p.hashes[i], slot);
    }
    p.written.resize(listed);
    p.source.resize(listed);
    p.old_ids.resize(listed);
}

// Does the same for a window whose points leave by age: those that are too old go first, new ones fill their slots, and
// where slots are left over the points of the last ones move there.
void Window::choose_slots_by_age(const PointBatch& batch) {
    Parts& p = *parts_;
    const std::size_t n = batch.size();
    // Each gap, each row of the batch, and each slot that is left at the end is listed once.
    const std::size_t most = n + 2 * p.gaps.size();
    p.written.resize(most);
    p.source.resize(most);
    p.old_ids.resize(most);
    std::size_t listed = 0;
    const auto list = [&](Slot slot, std::uint32_t row) { p.list(slot, ids_[slot], row, listed); };
    for (std::size_t i = 0; i < p.gaps.size(); ++i) {
        if (i + lookahead < p.gaps.size()) p.table.prefetch(p.table.hash(ids_[p.gaps[i + lookahead]]));
        const Slot slot = p.gaps[i];
        list(slot, no_row);
        p.table.erase(p.table.hash(ids_[slot]), slot);
        p.ages.remove(slot);
        ids_[slot] = no_point;
    }
    std::size_t filled = 0;  // gaps
    for (std::size_t i = 0; i < n; ++i) {
        if (i + lookahead < n) p.table.prefetch(p.hashes[i + lookahead]);
        const PointId id = batch.ids[i];
        Slot slot = p.table.find(p.hashes[i], id, ids_);
        if (slot == IdTable::none) {
            ++p.seen;
            slot = filled < p.gaps.size() ? p.gaps[filled++] : size_ < capacity_ ? size_++ : p.ages.oldest();
            list(slot, static_cast<std::uint32_t>(i));
            if (ids_[slot] != no_point) {
                p.table.erase(p.table.hash(ids_[slot]), slot);
                p.ages.remove(slot);
            }
            ids_[slot] = id;
            p.table.insert(p.hashes[i], slot);
            p.ages.append(slot);
        } else {
            list(slot, static_cast<std::uint32_t>(i));
        }
    }
    // New points now fill the gaps from below; the points of the last slots fill the others.
    Slot gap_end = static_cast<Slot>(p.gaps.size());
    for (Slot next = static_cast<Slot>(filled); next < gap_end;) {
        const Slot last = size_ - 1;
        if (ids_[last] == no_point) {
            --size_, --gap_end;
            continue;
        }
        const Slot to = p.gaps[next++];
        const bool is_fresh = p.mark[last] < listed && p.written[p.mark[last]] == last;
        const std::uint32_t row = is_fresh ? p.source[p.mark[last]] : no_row;
        list(to, row);
        list(last, no_row);
        if (!is_fresh) p.moved.push_back({last, to});
        p.table.erase(p.table.hash(ids_[last]), last);
        ids_[to] = ids_[last];
        ids_[last] = no_point;
        p.table.insert(p.table.hash(ids_[to]), to);
        p.ages.move(last, to);
        --size_;
    }
    p.written.resize(listed);
    p.source.resize(listed);
    p.old_ids.resize(listed);
    put_emptied_last();
}

void Window::note_times(std::int64_t time) {
    Parts& p = *parts_;
    std::vector<Slot>& taken = p.gaps;
    taken.clear();
    for (std::size_t i = 0; i < p.written.size(); ++i)
        if (p.source[i] != no_row) taken.push_back(p.written[i]);
    p.ages.note_time(taken, time);
}

// Moves the slots that hold no point any more to the end of the list, in order.
void Window::put_emptied_last() {
    Parts& p = *parts_;
    const std::size_t n = p.written.size();
    if (std::ranges::all_of(p.written, [&](Slot slot) { return slot < size_; })) return;
    std::vector<std::size_t> order;
    for (const bool held : {true, false})
        for (std::size_t i = 0; i < n; ++i)
            if ((p.written[i] < size_) == held) order.push_back(i);
    const auto in_order = [&](auto& column) {
        auto sorted = column;
        for (std::size_t i = 0; i < n; ++i) sorted[i] = column[order[i]];
        column.swap(sorted);
    };
    in_order(p.written);
    in_order(p.source);
    in_order(p.old_ids);
    for (std::size_t i = 0; i < n; ++i) p.mark[p.written[i]] = static_cast<Slot>(i);
}

// Handles the usual case: a full sliding window, none of whose points is too old, and a batch of new ids, so that the
// slots are known beforehand. Returns false, with nothing changed, in any other case.
bool Window::replace_oldest(const PointBatch& batch) {
    Parts& p = *parts_;
    const std::size_t n = batch.size();
    if (p.options.policy != WindowPolicy::sliding || size_ < capacity_ || !p.gaps.empty()) return false;
    for (std::size_t i = 0; i < n; ++i) {
        p.table.prefetch(p.hashes[std::min(i + lookahead, n - 1)]);
        if (p.table.find(p.hashes[i], batch.ids[i], ids_) != IdTable::none) return false;
    }
    p.written.resize(n);
    p.source.resize(n);
    p.old_ids.resize(n);
    std::iota(p.source.begin(), p.source.end(), 0U);
    if (p.goes_by_age()) {
        p.ages.renew_oldest(p.written);
    } else {
        for (Slot& slot : p.written) {
            slot = p.oldest;
            p.oldest = p.oldest + 1 == capacity_ ? 0 : p.oldest + 1;
        }
    }
    for (std::size_t i = 0; i < n; ++i) {
        p.table.prefetch(p.table.hash(ids_[p.written[std::min(i + lookahead, n - 1)]]));
        PointId& id = ids_[p.written[i]];
        p.old_ids[i] = id;
        p.table.erase(p.table.hash(id), p.written[i]);
        id = batch.ids[i];
        p.table.insert(p.hashes[i], p.written[i]);
    }
    p.seen += n;
    return true;
}

// Returns the slot that the next new point takes by the window's policy; `none` when the reservoir lets it pass.
Slot Window::slot_for_new_point() {
    Parts& p = *parts_;
    const std::uint64_t number = p.seen++;
    if (size_ < capacity_) return size_++;
    if (p.options.policy == WindowPolicy::sliding) {
        const Slot slot = p.oldest;
        p.oldest = slot + 1 == capacity_ ? 0 : slot + 1;
        return slot;
    }
    const std::uint64_t draw = p.random.below_wide(number + 1);
    return draw < capacity_ ? static_cast<Slot>(draw) : IdTable::none;
}

namespace {

// Copies rows of `width` values: table row written[i] to row i of `old`, then row source[i] of `fresh` to the table.
// Runs of neighbours are copied whole: in a sliding stream of new ids the batch is one or two runs.
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

}  // namespace

namespace {

// Does the same where a slot may have no row of the batch: it takes what the one that moved there held before, or
// zeros.
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
    // Slots are left without a row of the batch only where points leave by age.
    const bool all_are_new =
        !p.goes_by_age() || (p.moved.empty() && std::ranges::find(p.source, no_row) == p.source.end());
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
    if (p.goes_by_age()) clear_emptied();
}

// Sets the rows of slots that hold no point any more to zeros, so that equal windows have equal tables.
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

void Window::put(const PointBatch& points) {
    constexpr double least = 0x1p-301, largest = 0x1p151;  // of weights in range, decayed, in a unit of the past
    Parts& p = *parts_;
    PointBatch unweighted = points;
    unweighted.weights = {};
    validate(unweighted);
    if (points.weights.size() != (weights_.empty() ? 0 : points.size()))
        throw InvalidInput(Reason::bad_weight, "the weights are not those of the points");
    for (const double weight : points.weights)
        if (!(weight >= least && weight <= largest))
            throw InvalidInput(Reason::bad_weight, "the weight of a point is " + number_text(weight));
    size_ = static_cast<Slot>(points.size());
    std::ranges::copy(points.ids, ids_.begin());
    std::ranges::copy(points.features, features_.begin());
    std::ranges::copy(points.groups, groups_.begin());
    std::ranges::copy(points.targets, targets_.begin());
    std::ranges::copy(points.weights, weights_.begin());
    for (Slot slot = 0; slot < size_; ++slot) p.table.insert(p.table.hash(ids_[slot]), slot);
}

bool Window::leaves_by(Slot slot, std::int64_t time) const noexcept {
    return parts_->goes_by_age() && parts_->ages.time(slot) < parts_->edge(time);
}
bool Window::is_late(std::int64_t time) const noexcept {
    return parts_->is_late(time);
}

namespace {

// Two targets that are not known are alike.
bool same_target(float a, float b) {
    return a == b || (std::isnan(a) && std::isnan(b));
}

}  // namespace

bool Window::operator==(const Window& other) const {
    const Parts& p = *parts_;
    const Parts& o = *other.parts_;
    return p.format == o.format && p.options == o.options && p.seen == o.seen && p.random.words() == o.random.words() &&
           size_ == other.size_ && ids_ == other.ids_ && features_ == other.features_ && groups_ == other.groups_ &&
           std::ranges::equal(targets_, other.targets_, same_target) && weights_ == other.weights_ &&
           (!p.keeps_time() || p.arrivals == o.arrivals) && p.now == o.now && p.decay.landmark == o.decay.landmark &&
           p.ages.in_order() == o.ages.in_order() && (!p.goes_by_age() || times() == other.times());
}

std::vector<std::int64_t> Window::times() const {
    std::vector<std::int64_t> times;
    for (Slot slot = 0; slot < size_; ++slot) times.push_back(time(slot));
    return times;
}

void Window::save(StateWriter& writer) const {
    const PointBatch kept = points();
    writer(1, parts_->seen);
    writer(2, parts_->random.words());
    writer(3, kept.ids);
    writer(4, kept.features);
    writer(5, kept.groups);
    writer(6, kept.targets);
    const Parts& p = *parts_;
    if (p.format.has_weights) writer(7, kept.weights);
    if (p.decays()) {
        writer(8, p.decay.landmark);
        writer(9, p.decay.begun);
    }
    // Ids that come again take no new place, so that more may have come than the window has seen.
    if (p.keeps_time() || p.arrivals.taken != p.seen) {
        writer(10, p.now);
        writer(11, p.arrivals.taken);
        writer(12, p.arrivals.late);
    }
    if (!p.goes_by_age()) return;
    writer(13, times());
    writer(14, p.ages.in_order());
}

void Window::load(StateReader& reader) {
    Window loaded(format(), options());
    Parts& p = *loaded.parts_;
    PointColumns kept;
    Random::Words words{};
    reader(1, p.seen);
    reader(2, words);
    reader(3, kept.ids);
    reader(4, kept.features);
    reader(5, kept.groups);
    reader(6, kept.targets);
    if (!Random::can_be(words)) StateReader::fail("the window's generator has an even increment");
    p.random = Random(words);
    constexpr std::uint64_t no_stream_is_longer = std::uint64_t{1} << 63;  // the count must never wrap to 0
    if (kept.ids.size() > capacity_ || kept.ids.size() > p.seen ||
        (kept.ids.size() < capacity_ && kept.ids.size() != p.seen && !p.goes_by_age()) || p.seen > no_stream_is_longer)
        StateReader::fail("the window holds an impossible number of points");
    if (p.format.has_weights) reader(7, kept.weights);
    try {
        loaded.put(kept.view());
    } catch (const InvalidInput& error) {
        StateReader::fail(std::string("the window holds a point that could not have come in: ") + error.what());
    }
    loaded.load_clock(reader);
    if (p.goes_by_age()) loaded.load_ages(reader);
    p.oldest = loaded.size_ < capacity_ ? 0 : static_cast<Slot>(p.seen % capacity_);
    *this = std::move(loaded);
}

void Window::load_clock(StateReader& reader) {
    Parts& p = *parts_;
    if (p.decays()) {
        reader(8, p.decay.landmark);
        reader(9, p.decay.begun);
        if (!(std::abs(p.decay.landmark) <= 0x1p63)) StateReader::fail("the window's weights have no unit");
    }
    if (!p.keeps_time() && !reader.has(10)) {
        p.arrivals.taken = p.seen;
        return;
    }
    reader(10, p.now);
    reader(11, p.arrivals.taken);
    reader(12, p.arrivals.late);
    if (p.arrivals.taken < p.seen) StateReader::fail("the window holds more points than came");
}

void Window::load_ages(StateReader& reader) {
    Parts& p = *parts_;
    std::vector<std::int64_t> times;
    std::vector<Slot> order;
    reader(13, times);
    reader(14, order);
    std::vector<bool> listed(size_);
    for (const Slot slot : order) {
        if (slot >= size_ || listed[slot])
            StateReader::fail("the order of the window's points does not list each once");
        listed[slot] = true;
        p.ages.append(slot);
    }
    if (times.size() != size_ || order.size() != size_)
        StateReader::fail("the window's times are not those of its points");
    for (Slot slot = 0; slot < size_; ++slot) {
        if (times[slot] > p.now || p.is_late(times[slot]))
            StateReader::fail("a point is of a time that is out of the window");
        p.ages.note_time({&slot, 1}, times[slot]);
    }
}

}  // namespace fairstream
