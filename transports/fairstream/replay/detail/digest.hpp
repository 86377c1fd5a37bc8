#pragma once
/// XXH3-128 over a sequence of messages.

#include <array>
#include <cstddef>
#include <memory>
#include <span>

namespace fairstream::replay {

class Digest {
public:
    Digest();
    ~Digest();
    Digest(const Digest&) = delete;
    Digest& operator=(const Digest&) = delete;

    /// Adds a message and its length, so that other boundaries between the same bytes give another digest.
    void add(std::span<const std::byte> message);
    [[nodiscard]] std::array<std::byte, 16> value() const;

private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace fairstream::replay
