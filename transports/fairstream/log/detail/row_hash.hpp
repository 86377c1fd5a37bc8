#pragma once
/// Checksums of rows: XXH3-64 over the table's name and every column in a fixed order.

#include <xxhash.h>

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include <fairstream/log/event_log.hpp>

namespace fairstream::log {

static_assert(std::endian::native == std::endian::little, "row checksums are taken over little-endian words");

[[nodiscard]] inline Bytes bytes_of(std::string_view text) noexcept {
    return std::as_bytes(std::span(text.data(), text.size()));
}

[[nodiscard]] inline std::uint64_t hash_of(Bytes bytes) noexcept {
    return XXH3_64bits(bytes.data(), bytes.size());
}

/// Checksum of a row. Columns of variable length enter as (length, hash), so that different rows of a table give
/// different words.
class RowHash {
public:
    explicit RowHash(std::string_view table) noexcept { add(table); }

    RowHash& add(std::uint64_t value) noexcept {
        words_[count_++] = value;
        return *this;
    }
    RowHash& add(std::size_t size, std::uint64_t hash) noexcept { return add(std::uint64_t{size}).add(hash); }
    RowHash& add(Bytes bytes) noexcept { return add(bytes.size(), hash_of(bytes)); }
    RowHash& add(std::string_view text) noexcept { return add(bytes_of(text)); }

    [[nodiscard]] std::uint64_t value() const noexcept { return XXH3_64bits(words_.data(), count_ * sizeof words_[0]); }

private:
    std::array<std::uint64_t, 16> words_{};  // a refused message, the widest row, takes 12
    std::size_t count_ = 0;
};

}  // namespace fairstream::log
