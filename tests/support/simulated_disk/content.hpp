#pragma once
/// The bytes of a file on a simulated disk: as programs see them, and as a power cut may leave them.

#include <cstddef>
#include <cstdint>
#include <random>
#include <span>
#include <vector>

namespace fairstream::test {

/// The unit that a disk writes atomically.
inline constexpr std::size_t sector_bytes = 512;

class SimulatedContent {
public:
    [[nodiscard]] const std::vector<std::byte>& bytes() const noexcept { return bytes_; }
    /// Returns the number of bytes read: fewer than `out.size()` only at the end.
    [[nodiscard]] std::size_t read(std::uint64_t offset, std::span<std::byte> out) const;
    void write(std::uint64_t offset, std::span<const std::byte> bytes);
    void truncate(std::uint64_t size);
    void sync();
    /// Drops, keeps or tears each write since the last sync; a torn write keeps some of its sectors. Drops or keeps
    /// each truncation as a whole. A file that grew may have its new size, with zeros for what was not kept.
    void lose_unsynced(std::mt19937_64& random);

private:
    struct Change {
        bool truncation = false;
        std::uint64_t offset = 0;  // of a truncation: the new size
        std::vector<std::byte> bytes;
    };

    std::vector<std::byte> bytes_;
    std::vector<std::byte> synced_;
    std::vector<Change> changes_;  // since the last sync, in order
};

}  // namespace fairstream::test
