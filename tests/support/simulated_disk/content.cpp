#include "support/simulated_disk/content.hpp"

#include <algorithm>
#include <cstring>

namespace fairstream::test {

namespace {

void put(std::vector<std::byte>& image, std::uint64_t offset, std::span<const std::byte> bytes) {
    if (bytes.empty()) return;
    image.resize(std::max<std::size_t>(image.size(), offset + bytes.size()));
    std::memcpy(image.data() + offset, bytes.data(), bytes.size());
}

/// Calls `each` with the offset and bytes of every part of a write that falls into one sector.
template <class Each> void for_each_sector(std::uint64_t offset, std::span<const std::byte> bytes, Each&& each) {
    while (!bytes.empty()) {
        const std::size_t size = std::min<std::size_t>(bytes.size(), sector_bytes - offset % sector_bytes);
        each(offset, bytes.first(size));
        offset += size;
        bytes = bytes.subspan(size);
    }
}

}  // namespace

std::size_t SimulatedContent::read(std::uint64_t offset, std::span<std::byte> out) const {
    if (offset >= bytes_.size()) return 0;
    const std::size_t size = std::min<std::size_t>(out.size(), bytes_.size() - offset);
    std::memcpy(out.data(), bytes_.data() + offset, size);
    return size;
}

void SimulatedContent::write(std::uint64_t offset, std::span<const std::byte> bytes) {
    put(bytes_, offset, bytes);
    changes_.push_back({false, offset, {bytes.begin(), bytes.end()}});
}

void SimulatedContent::truncate(std::uint64_t size) {
    bytes_.resize(size);
    changes_.push_back({true, size, {}});
}

void SimulatedContent::sync() {
    for (const Change& change : changes_) {
        if (change.truncation) {
            synced_.resize(change.offset);
        } else {
            put(synced_, change.offset, change.bytes);
        }
    }
    changes_.clear();
}

void SimulatedContent::lose_unsynced(std::mt19937_64& random) {
    enum WriteOutcome : std::uint64_t { dropped, kept, torn };
    const std::size_t grown = bytes_.size();
    for (const Change& change : changes_) {
        const auto outcome = WriteOutcome{random() % 3};
        if (outcome == dropped) continue;
        if (change.truncation) {
            synced_.resize(change.offset);
            continue;
        }
        for_each_sector(change.offset, change.bytes, [&](std::uint64_t offset, std::span<const std::byte> part) {
            if (outcome == kept || random() % 2 == 0) put(synced_, offset, part);
        });
    }
    if (!changes_.empty() && grown > synced_.size() && random() % 2 == 0) synced_.resize(grown);
    bytes_ = synced_;
    changes_.clear();
}

}  // namespace fairstream::test
