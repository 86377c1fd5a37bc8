#pragma once
/// Random order of a synthetic set with fixed counts.

#include <array>
#include <cstddef>
#include <cstdint>
#include <random>

namespace fairstream::generate {

/// Draws a fixed number of elements of each kind. All orders are equally likely.
template <std::size_t kinds> class RandomOrder {
public:
    explicit RandomOrder(const std::array<std::uint64_t, kinds>& counts) : left_(counts) {
        for (const std::uint64_t count : counts) total_left_ += count;
    }

    [[nodiscard]] std::uint64_t left() const noexcept { return total_left_; }

    /// Draws a kind with probability proportional to its remaining count, so that all orders are equally likely. With
    /// fewer than 2^40 elements, the bias of the remainder is below 2^-24. `left()` must be positive.
    std::size_t draw(std::mt19937_64& random) {
        std::uint64_t position = random() % total_left_;
        std::size_t kind = 0;
        while (position >= left_[kind]) position -= left_[kind++];
        --left_[kind];
        --total_left_;
        return kind;
    }

private:
    std::array<std::uint64_t, kinds> left_;
    std::uint64_t total_left_ = 0;
};

}  // namespace fairstream::generate
