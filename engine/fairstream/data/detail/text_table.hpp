#pragma once
/// A hash table from texts, which are stored elsewhere, to numbers below a capacity, such as slots or rows.
///
/// The hash has no key, so texts can be chosen to fill one bucket. Texts beyond a bucket's seven are kept in an ordered
/// map, so a call takes at most O(log n) comparisons of texts.

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <limits>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <fairstream/data/detail/hash_bucket.hpp>

namespace fairstream {

class TextTable {
public:
    static constexpr std::uint32_t none = std::numeric_limits<std::uint32_t>::max();

    /// Sized for four texts per bucket when all numbers are taken; then one text in fifty does not fit into its bucket.
    explicit TextTable(std::size_t capacity)
        : buckets_(std::bit_ceil(capacity / 4 + 2)), mask_(static_cast<std::uint32_t>(buckets_.size() - 1)) {}

    [[nodiscard]] static std::uint32_t hash(std::string_view text) noexcept {
        // Folds 64 x 64-bit products of 16 bytes each. The last 16 bytes may overlap the bytes before them. Shorter
        // texts count as padded with zeros.
        constexpr std::uint64_t odd = 0x9e3779b97f4a7c15;
        __extension__ using Wide = unsigned __int128;
        const auto folded = [](std::uint64_t a, std::uint64_t b) {
            const Wide product = static_cast<Wide>(a) * b;
            return static_cast<std::uint64_t>(product >> 64) ^ static_cast<std::uint64_t>(product);
        };
        const auto bytes = [&](std::size_t at) {
            std::uint64_t eight = 0;
            std::memcpy(&eight, text.data() + at, std::min<std::size_t>(text.size() - at, sizeof eight));
            return eight;
        };
        std::uint64_t hash = text.size() * odd;
        for (std::size_t at = 0; at + 16 < text.size(); at += 16) hash = folded(bytes(at) ^ odd, bytes(at + 8) ^ hash);
        const std::size_t last = text.size() < 16 ? 0 : text.size() - 16;
        hash = folded(bytes(last) ^ odd, bytes(std::min(last + 8, text.size())) ^ hash) + odd;
        return static_cast<std::uint32_t>(hash ^ (hash >> 32));
    }
    void prefetch(std::uint32_t hash) const noexcept { __builtin_prefetch(&buckets_[hash & mask_], 1); }

    /// Returns the number of `text`, or `none`. `text_of(number)` is the text of a number in the table.
    template <class TextOf>
    [[nodiscard]] std::uint32_t find(std::uint32_t hash, std::string_view text, const TextOf& text_of) const {
        const HashBucket& bucket = buckets_[hash & mask_];
        const std::uint32_t found =
            bucket.find(hash, none, [&](std::uint32_t number) { return text_of(number) == text; });
        if (found != none || bucket.spilled == 0) return found;
        const auto spilled = spilled_.find(text);
        return spilled == spilled_.end() ? none : spilled->second;
    }
    /// Inserts a text with its number; neither may be in the table.
    void insert(std::uint32_t hash, std::string_view text, std::uint32_t number) {
        HashBucket& bucket = buckets_[hash & mask_];
        if (!bucket.is_full()) return bucket.insert(hash, number);
        spilled_.emplace(text, number);
        ++bucket.spilled;
    }
    /// Removes a text; it must be in the table with this number.
    void erase(std::uint32_t hash, std::string_view text, std::uint32_t number) {
        HashBucket& bucket = buckets_[hash & mask_];
        if (bucket.erase(number)) return;
        spilled_.erase(spilled_.find(text));
        --bucket.spilled;
    }

private:
    std::vector<HashBucket> buckets_;
    std::uint32_t mask_;
    std::map<std::string, std::uint32_t, std::less<>> spilled_;
};

}  // namespace fairstream
