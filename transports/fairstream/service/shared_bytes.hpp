#pragma once
/// A serialised message with several owners: a topic's ring, the outbox, and the transport.

#include <algorithm>
#include <cstddef>
#include <memory>
#include <span>

namespace fairstream::service {

using Bytes = std::span<const std::byte>;

/// Immutable bytes; copying copies a pointer. May be destroyed on any thread.
class SharedBytes {
public:
    SharedBytes() = default;
    /// Copies `bytes`.
    explicit SharedBytes(Bytes bytes) : size_(bytes.size()) {
        auto memory = std::make_shared_for_overwrite<std::byte[]>(bytes.size());
        std::ranges::copy(bytes, memory.get());
        memory_ = std::move(memory);
    }

    [[nodiscard]] Bytes view() const noexcept { return {memory_.get(), size_}; }
    [[nodiscard]] std::size_t size() const noexcept { return size_; }

private:
    std::shared_ptr<const std::byte[]> memory_;
    std::size_t size_ = 0;
};

}  // namespace fairstream::service
