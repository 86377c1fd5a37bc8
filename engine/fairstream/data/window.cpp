#include <algorithm>
#include <bit>
#include <cstring>
#include <functional>

#include <fairstream/base/archive.hpp>
#include <fairstream/data/detail/id_table.hpp>
#include <fairstream/data/window.hpp>
#include <fairstream/numeric/detail/kernels.hpp>
#include <fairstream/numeric/detail/random.hpp>

namespace fairstream {

void check(const WindowOptions& options) {
    if (options.capacity < 1 || options.capacity >= (Slot{1} << 31))
        throw InvalidInput(Reason::bad_option,
                           "window capacity = " + std::to_string(options.capacity) + ": must be 1 to 2147483647");
}

namespace {

std::string counted(std::size_t count, const char* what) {
    return std::to_string(count) + " " + what;
}

template <class T> bool overlap(std::span<const T> a, std::span<const T> b) {
    const std::less<> before;
    return !a.empty() && !b.empty() && before(a.data(), b.data() + b.size()) && before(b.data(), a.data() + a.size());
}

void check_shape(const StreamFormat& format, const PointBatch& batch) {
    const std::size_t n = batch.size();
    const auto expect = [&](std::size_t have, std::size_t want, const char* what, std::size_t per_point) {
        if (have != want)
            throw InvalidInput(Reason::wrong_shape, counted(have, what) + " for " + counted(n, "points: must be ") +
                                                        std::to_string(want) + " (" + std::to_string(per_point) +
                                                        " per point)");
    };
    expect(batch.features.size(), n * format.dimensions, "features", format.dimensions);
    expect(batch.groups.size(), n * format.attributes.size(), "groups", format.attributes.size());
    expect(batch.targets.size(), format.has_targets ? n : 0, "targets", format.has_targets ? 1 : 0);
}

void check_values(const StreamFormat& format, const PointBatch& batch) {
    const auto bad = [](float x) { return !(std::abs(x) <= feature_limit); };
    const auto name = [&](std::size_t i, const char* what, float value) {
        throw InvalidInput(Reason::bad_feature, std::string(what) + " of point " + std::to_string(batch.ids[i]) +
                                                    " is " + std::to_string(value) +
                                                    ": must be finite and within +-1e15");
    };
    const Kernels& k = kernels();
    if (!k.all_within(batch.features.data(), batch.features.size(), feature_limit)) {
        const auto at = static_cast<std::size_t>(std::ranges::find_if(batch.features, bad) - batch.features.begin());
        name(at / format.dimensions, ("feature " + std::to_string(at % format.dimensions)).c_str(), batch.features[at]);
    }
    if (!k.all_within(batch.targets.data(), batch.targets.size(), feature_limit)) {
        const auto at = static_cast<std::size_t>(std::ranges::find_if(batch.targets, bad) - batch.targets.begin());
        name(at, "the target", batch.targets[at]);
    }
}

void check_groups(const StreamFormat& format, const PointBatch& batch) {
    const std::size_t a = format.attributes.size();
    for (std::size_t column = 0; column < a; ++column) {
        const std::size_t groups = format.attributes[column].groups.size();
        for (std::size_t at = column; at < batch.groups.size(); at += a)
            if (batch.groups[at] >= groups) [[unlikely]]
                throw InvalidInput(Reason::unknown_group, "point " + std::to_string(batch.ids[at / a]) + " has group " +
                                                              std::to_string(batch.groups[at]) + " of '" +
                                                              format.attributes[column].name + "': must be below " +
                                                              std::to_string(groups));
    }
}

// Throws `InvalidInput` for reserved or repeated ids. The table is one of its own: a batch is small beside the window,
// so that it stays in the nearest cache.
void check_ids(const IdTable& hashes, std::span<const PointId> ids) {
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
                throw InvalidInput(Reason::repeated_id, "id " + std::to_string(ids[i]) + " is twice in the batch");
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
          mark(options.capacity) {}

    StreamFormat format;
    WindowOptions options;
    IdTable table;
    Random random;           // of the reservoir
    std::uint64_t seen = 0;  // new points so far
    Slot oldest = 0;         // of a full sliding window: the slot of the next new point

    // Scratch of `apply`. mark[slot] < listed and written[mark[slot]] == slot: listed already in this call (a sparse
    // set, which needs no clearing).
    std::vector<Slot> mark;  // capacity
    std::size_t listed = 0;
    CacheLineVector<std::uint32_t> hashes;  // of the batch's ids
    CacheLineVector<Slot> written;
    CacheLineVector<std::uint32_t> source;  // row of the batch that written[i] ends up with
    CacheLineVector<PointId> old_ids;       // what written[i] held before, this column and those below
    CacheLineVector<float> old_features;
    CacheLineVector<GroupId> old_groups;
    CacheLineVector<float> old_targets;
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
    return {std::span(ids_).first(size_), std::span(features_).first(std::size_t{size_} * dimensions_),
            std::span(groups_).first(std::size_t{size_} * attributes_),
            targets_.empty() ? std::span<const float>{} : std::span(targets_).first(size_)};
}

std::optional<Slot> Window::find(PointId id) const noexcept {
    if (id == no_point) return std::nullopt;
    const Slot slot = parts_->table.find(parts_->table.hash(id), id, ids_);
    return slot == IdTable::none ? std::nullopt : std::optional(slot);
}

void Window::validate(const PointBatch& batch) const {
    check_shape(parts_->format, batch);
    if (overlap<PointId>(batch.ids, ids_) || overlap<float>(batch.features, features_) ||
        overlap<GroupId>(batch.groups, groups_) || overlap<float>(batch.targets, targets_))
        throw InvalidInput(Reason::wrong_shape, "the batch lies in the memory of the window that takes it in: copy it");
    check_ids(parts_->table, batch.ids);
    check_values(parts_->format, batch);
    check_groups(parts_->format, batch);
}

const WindowChange& Window::apply(const PointBatch& batch) {
    Parts& p = *parts_;
    choose_slots(batch);
    copy_rows(batch);
    p.change = {p.written, {p.old_ids, p.old_features, p.old_groups, p.old_targets}};
    return p.change;
}

// Chooses slots for the batch and updates the ids and the id table; leaves in `written` and `source` which row goes
// where, in `old_ids` which point each slot held.
void Window::choose_slots(const PointBatch& batch) {
    Parts& p = *parts_;
    const std::size_t n = batch.size();
    p.hashes.resize(n);
    p.written.resize(n);
    p.source.resize(n);
    p.old_ids.resize(n);
    for (std::size_t i = 0; i < n; ++i) p.hashes[i] = p.table.hash(batch.ids[i]);
    if (replace_oldest(batch)) return;

    std::size_t listed = 0;
    // Puts `slot` on the list of written ones, once, with the id it held before the call and the row it gets now.
    const auto list = [&](Slot slot, std::size_t row) {
        std::size_t at = p.mark[slot];
        if (at >= listed || p.written[at] != slot) {
            at = listed++;
            p.mark[slot] = static_cast<Slot>(at);
            p.written[at] = slot;
            p.old_ids[at] = ids_[slot];
        }
        p.source[at] = static_cast<std::uint32_t>(row);
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

// Handles the usual case: a full sliding window and a batch of new ids, whose slots are known beforehand and follow one
// another. Returns false, with nothing changed, in any other case.
bool Window::replace_oldest(const PointBatch& batch) {
    Parts& p = *parts_;
    const std::size_t n = batch.size();
    if (p.options.policy != WindowPolicy::sliding || size_ < capacity_) return false;
    for (std::size_t i = 0; i < n; ++i) {
        p.table.prefetch(p.hashes[std::min(i + lookahead, n - 1)]);
        if (p.table.find(p.hashes[i], batch.ids[i], ids_) != IdTable::none) return false;
    }
    Slot slot = p.oldest;
    for (std::size_t i = 0; i < n; ++i) {
        p.written[i] = slot;
        p.source[i] = static_cast<std::uint32_t>(i);
        if (++slot == capacity_) slot = 0;
    }
    for (std::size_t i = 0; i < n; ++i) {
        p.table.prefetch(p.table.hash(ids_[p.written[std::min(i + lookahead, n - 1)]]));
        PointId& id = ids_[p.written[i]];
        p.old_ids[i] = id;
        p.table.erase(p.table.hash(id), p.written[i]);
        id = batch.ids[i];
        p.table.insert(p.hashes[i], p.written[i]);
    }
    p.oldest = slot;
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

void Window::copy_rows(const PointBatch& batch) {
    Parts& p = *parts_;
    exchange_rows(p.written, p.source, dimensions_, features_, p.old_features, batch.features);
    exchange_rows(p.written, p.source, attributes_, groups_, p.old_groups, batch.groups);
    exchange_rows(p.written, p.source, 1, targets_, p.old_targets, batch.targets);
}

bool Window::operator==(const Window& other) const {
    const Parts& p = *parts_;
    const Parts& o = *other.parts_;
    return p.format == o.format && p.options == o.options && p.seen == o.seen && p.random.words() == o.random.words() &&
           size_ == other.size_ && ids_ == other.ids_ && features_ == other.features_ && groups_ == other.groups_ &&
           targets_ == other.targets_;
}

void Window::save(StateWriter& writer) const {
    const PointBatch kept = points();
    writer(1, parts_->seen);
    writer(2, parts_->random.words());
    writer(3, kept.ids);
    writer(4, kept.features);
    writer(5, kept.groups);
    writer(6, kept.targets);
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
        (kept.ids.size() < capacity_ && kept.ids.size() != p.seen) || p.seen > no_stream_is_longer)
        StateReader::fail("the window holds an impossible number of points");
    try {
        loaded.validate(kept.view());
    } catch (const InvalidInput& error) {
        StateReader::fail(std::string("the window holds a point that could not have come in: ") + error.what());
    }
    loaded.size_ = static_cast<Slot>(kept.ids.size());
    std::ranges::copy(kept.ids, loaded.ids_.begin());
    std::ranges::copy(kept.features, loaded.features_.begin());
    std::ranges::copy(kept.groups, loaded.groups_.begin());
    std::ranges::copy(kept.targets, loaded.targets_.begin());
    for (Slot slot = 0; slot < loaded.size_; ++slot) p.table.insert(p.table.hash(loaded.ids_[slot]), slot);
    p.oldest = loaded.size_ < capacity_ ? 0 : static_cast<Slot>(p.seen % capacity_);
    *this = std::move(loaded);
}

}  // namespace fairstream
