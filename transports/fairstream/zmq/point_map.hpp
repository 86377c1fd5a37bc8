#pragma once
/// A map from points to outputs, for a subscriber's view, in no particular order. It is one flat table with linear
/// probing and no tombstones, a quarter to three quarters full; an entry of a label or a score takes 16 bytes. Const
/// functions are safe from several threads.

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <optional>
#include <random>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include <fairstream/base/types.hpp>
#include <fairstream/models/model.hpp>

namespace fairstream::zmq {

template <class T> class PointMap {
public:
    class Iterator;

    /// `key` is mixed into the hash. It is random, so that nobody can choose ids that collide.
    explicit PointMap(std::uint64_t key = random_key()) : entries_(smallest), key_(key) {}

    [[nodiscard]] std::size_t size() const noexcept { return size_; }
    [[nodiscard]] bool empty() const noexcept { return size_ == 0; }
    [[nodiscard]] std::optional<T> find(PointId id) const noexcept(std::is_nothrow_copy_constructible_v<T>) {
        const Entry& entry = entries_[slot_of(id)];
        return entry.id == id && id != no_point ? std::optional(entry.output) : std::nullopt;
    }
    [[nodiscard]] bool contains(PointId id) const noexcept { return find(id).has_value(); }

    /// Sets the output of a point; `id` must not be `no_point`.
    void set(PointId id, T output) {
        std::size_t at = slot_of(id);
        if (entries_[at].id == no_point) {
            if (4 * (size_ + 1) > 3 * entries_.size()) {
                rehash(2 * entries_.size());
                at = slot_of(id);
            }
            ++size_;
        }
        entries_[at] = {id, std::move(output)};
    }
    /// Sets outputs[i] for ids[i]. Faster than single calls, as entries are prefetched.
    void set(std::span<const PointId> ids, std::span<const T> outputs) {
        reserve(size_ + ids.size());
        for_each_prefetched(ids, [&](std::size_t i) { set(ids[i], outputs[i]); });
    }
    /// Removes a point; returns whether it was there.
    bool erase(PointId id) noexcept;
    void erase(std::span<const PointId> ids) noexcept {
        for_each_prefetched(ids, [&](std::size_t i) { erase(ids[i]); });
    }
    void clear() noexcept {
        entries_.assign(entries_.size(), Entry{});
        size_ = 0;
    }
    /// Makes room for a total of `size` entries.
    void reserve(std::size_t size) {
        const std::size_t enough = std::bit_ceil(size + size / 3 + 1);
        if (enough > entries_.size()) rehash(enough);
    }

    /// Iterates over pairs of id and output, in no particular order. Any change invalidates iterators.
    [[nodiscard]] Iterator begin() const noexcept;
    [[nodiscard]] Iterator end() const noexcept;

    /// Returns whether both hold the same points with the same outputs.
    [[nodiscard]] bool operator==(const PointMap& other) const noexcept;

private:
    struct Entry {
        PointId id = no_point;  // `no_point`: free
        T output{};
    };
    static constexpr std::size_t smallest = 16;

    [[nodiscard]] static std::uint64_t random_key() {
        std::random_device device;
        return std::uint64_t{device()} << 32 | device();
    }
    /// Returns the hash slot of an id, by the finaliser of SplitMix64.
    [[nodiscard]] std::size_t home_slot(PointId id) const noexcept {
        std::uint64_t x = id ^ key_;
        x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9U;
        x = (x ^ (x >> 27)) * 0x94d049bb133111ebU;
        return (x ^ (x >> 31)) & (entries_.size() - 1);
    }
    /// Returns the slot of `id`, or the slot where it would go.
    [[nodiscard]] std::size_t slot_of(PointId id) const noexcept {
        std::size_t at = home_slot(id);
        while (entries_[at].id != id && entries_[at].id != no_point) at = (at + 1) & (entries_.size() - 1);
        return at;
    }
    void rehash(std::size_t capacity);
    // Calls `work(i)` for each id, and prefetches the entries of later ids, as a large table does not fit the cache.
    template <class Work> void for_each_prefetched(std::span<const PointId> ids, Work&& work) const {
        constexpr std::size_t lookahead = 32;
        for (std::size_t i = 0; i < ids.size(); ++i) {
            // Not in a separate function: GCC regards a function that only prefetches as one without effect, and drops
            // it.
            __builtin_prefetch(&entries_[home_slot(ids[std::min(i + lookahead, ids.size() - 1)])], 1);
            work(i);
        }
    }

    std::vector<Entry> entries_;  // size is a power of two; some entries are always free
    std::size_t size_ = 0;
    std::uint64_t key_;
};

template <class T> class PointMap<T>::Iterator {
public:
    using iterator_category = std::forward_iterator_tag;
    using value_type = std::pair<PointId, T>;
    using difference_type = std::ptrdiff_t;
    using pointer = void;
    using reference = value_type;

    Iterator() = default;
    [[nodiscard]] value_type operator*() const noexcept { return {at_->id, at_->output}; }
    Iterator& operator++() noexcept {
        ++at_;
        skip();
        return *this;
    }
    Iterator operator++(int) noexcept {
        const Iterator before = *this;
        ++*this;
        return before;
    }
    bool operator==(const Iterator&) const = default;

private:
    friend class PointMap;
    Iterator(const Entry* at, const Entry* end) : at_(at), end_(end) { skip(); }
    void skip() noexcept {
        while (at_ != end_ && at_->id == no_point) ++at_;
    }

    const Entry* at_ = nullptr;
    const Entry* end_ = nullptr;
};

template <class T> typename PointMap<T>::Iterator PointMap<T>::begin() const noexcept {
    return {entries_.data(), entries_.data() + entries_.size()};
}
template <class T> typename PointMap<T>::Iterator PointMap<T>::end() const noexcept {
    return {entries_.data() + entries_.size(), entries_.data() + entries_.size()};
}

template <class T> bool PointMap<T>::erase(PointId id) noexcept {
    std::size_t hole = slot_of(id);
    if (id == no_point || entries_[hole].id != id) return false;
    const std::size_t mask = entries_.size() - 1;
    // A later entry may fill the hole if the home of that entry is not between the hole and itself.
    for (std::size_t at = (hole + 1) & mask; entries_[at].id != no_point; at = (at + 1) & mask) {
        if (((at - home_slot(entries_[at].id)) & mask) < ((at - hole) & mask)) continue;
        entries_[hole] = std::move(entries_[at]);
        hole = at;
    }
    entries_[hole] = {};
    --size_;
    return true;
}

template <class T> void PointMap<T>::rehash(std::size_t capacity) {
    std::vector<Entry> before(capacity);
    before.swap(entries_);
    for (Entry& entry : before) {
        if (entry.id != no_point) entries_[slot_of(entry.id)] = std::move(entry);
    }
}

template <class T> bool PointMap<T>::operator==(const PointMap& other) const noexcept {
    if (size_ != other.size_) return false;
    for (const auto& [id, output] : *this) {
        if (other.find(id) != output) return false;
    }
    return true;
}

using LabelMap = PointMap<ClusterId>;
using ScoreMap = PointMap<Score>;

}  // namespace fairstream::zmq
