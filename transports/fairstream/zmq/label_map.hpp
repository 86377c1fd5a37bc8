#pragma once
/// A map from point to label for views that are folded from a stream: one flat table with linear probing and no
/// tombstones, 16 bytes an entry, a quarter to three quarters full. Unordered. Const functions are safe from several
/// threads.

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <optional>
#include <random>
#include <span>
#include <utility>
#include <vector>

#include <fairstream/types.hpp>

namespace fairstream::zmq {

class LabelMap {
public:
    class Iterator;

    /// `key` of the hash: random, so that nobody can choose ids that collide.
    explicit LabelMap(std::uint64_t key = random_key()) : entries_(smallest), key_(key) {}

    [[nodiscard]] std::size_t size() const noexcept { return size_; }
    [[nodiscard]] bool empty() const noexcept { return size_ == 0; }
    [[nodiscard]] std::optional<ClusterId> find(PointId id) const noexcept {
        const Entry& entry = entries_[place(id)];
        return entry.id == id && id != no_point ? std::optional(entry.label) : std::nullopt;
    }
    [[nodiscard]] bool contains(PointId id) const noexcept { return find(id).has_value(); }

    /// Any id but `no_point`.
    void set(PointId id, ClusterId label) {
        std::size_t at = place(id);
        if (entries_[at].id == no_point) {
            if (4 * (size_ + 1) > 3 * entries_.size()) {
                rehash(2 * entries_.size());
                at = place(id);
            }
            ++size_;
        }
        entries_[at] = {id, label};
    }
    /// The same of many, labels[i] for ids[i]. Faster than one by one: lookups are announced ahead.
    void set(std::span<const PointId> ids, std::span<const ClusterId> labels) {
        reserve(size_ + ids.size());
        announced(ids, [&](std::size_t i) { set(ids[i], labels[i]); });
    }
    /// Whether it was there.
    bool erase(PointId id) noexcept;
    void erase(std::span<const PointId> ids) noexcept {
        announced(ids, [&](std::size_t i) { erase(ids[i]); });
    }
    void clear() noexcept {
        entries_.assign(entries_.size(), Entry{});
        size_ = 0;
    }
    /// Makes room for `size` entries in all.
    void reserve(std::size_t size) {
        const std::size_t enough = std::bit_ceil(size + size / 3 + 1);
        if (enough > entries_.size()) rehash(enough);
    }

    /// Over pairs of id and label, in no particular order. Any change ends their validity.
    [[nodiscard]] Iterator begin() const noexcept;
    [[nodiscard]] Iterator end() const noexcept;

    /// Whether both hold the same labels of the same points.
    [[nodiscard]] bool operator==(const LabelMap& other) const noexcept;

private:
    struct Entry {
        PointId id = no_point;  // free
        ClusterId label = no_cluster;
    };
    static constexpr std::size_t smallest = 16;

    [[nodiscard]] static std::uint64_t random_key() {
        std::random_device device;
        return std::uint64_t{device()} << 32 | device();
    }
    /// The finaliser of SplitMix64.
    [[nodiscard]] std::size_t home(PointId id) const noexcept {
        std::uint64_t x = id ^ key_;
        x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9U;
        x = (x ^ (x >> 27)) * 0x94d049bb133111ebU;
        return (x ^ (x >> 31)) & (entries_.size() - 1);
    }
    /// Where `id` is, or would go.
    [[nodiscard]] std::size_t place(PointId id) const noexcept {
        std::size_t at = home(id);
        while (entries_[at].id != id && entries_[at].id != no_point) at = (at + 1) & (entries_.size() - 1);
        return at;
    }
    void rehash(std::size_t capacity);
    // A table of many ids lies far away in memory.
    template <class Work> void announced(std::span<const PointId> ids, Work&& work) const {
        constexpr std::size_t lookahead = 32;
        for (std::size_t i = 0; i < ids.size(); ++i) {
            // Not in a function of its own: GCC takes one that only announces for one without effect, and drops it.
            __builtin_prefetch(&entries_[home(ids[std::min(i + lookahead, ids.size() - 1)])], 1);
            work(i);
        }
    }

    std::vector<Entry> entries_;  // a power of two of them, never all in use
    std::size_t size_ = 0;
    std::uint64_t key_;
};

class LabelMap::Iterator {
public:
    using iterator_category = std::forward_iterator_tag;
    using value_type = std::pair<PointId, ClusterId>;
    using difference_type = std::ptrdiff_t;
    using pointer = void;
    using reference = value_type;

    Iterator() = default;
    [[nodiscard]] value_type operator*() const noexcept { return {at_->id, at_->label}; }
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
    friend class LabelMap;
    Iterator(const Entry* at, const Entry* end) : at_(at), end_(end) { skip(); }
    void skip() noexcept {
        while (at_ != end_ && at_->id == no_point) ++at_;
    }

    const Entry* at_ = nullptr;
    const Entry* end_ = nullptr;
};

inline LabelMap::Iterator LabelMap::begin() const noexcept {
    return {entries_.data(), entries_.data() + entries_.size()};
}
inline LabelMap::Iterator LabelMap::end() const noexcept {
    return {entries_.data() + entries_.size(), entries_.data() + entries_.size()};
}

inline bool LabelMap::erase(PointId id) noexcept {
    std::size_t hole = place(id);
    if (id == no_point || entries_[hole].id != id) return false;
    const std::size_t mask = entries_.size() - 1;
    // An entry further on may fill the hole if its own home is not between the hole and itself.
    for (std::size_t at = (hole + 1) & mask; entries_[at].id != no_point; at = (at + 1) & mask) {
        if (((at - home(entries_[at].id)) & mask) < ((at - hole) & mask)) continue;
        entries_[hole] = entries_[at];
        hole = at;
    }
    entries_[hole] = {};
    --size_;
    return true;
}

inline void LabelMap::rehash(std::size_t capacity) {
    std::vector<Entry> before(capacity);
    before.swap(entries_);
    for (const Entry& entry : before) {
        if (entry.id != no_point) entries_[place(entry.id)] = entry;
    }
}

inline bool LabelMap::operator==(const LabelMap& other) const noexcept {
    if (size_ != other.size_) return false;
    for (const auto& [id, label] : *this) {
        if (other.find(id) != label) return false;
    }
    return true;
}

}  // namespace fairstream::zmq
