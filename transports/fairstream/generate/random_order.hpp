#pragma once
/// The order of a made-up set whose counts are fixed.

#include <array>
#include <cstddef>
#include <cstdint>
#include <random>

namespace fairstream::generate {

/// So and so many of a few kinds, one after another in an order that is random, each as likely as any other.
template <std::size_t kinds> class RandomOrder {
public:
    explicit RandomOrder(const std::array<std::uint64_t, kinds>& counts) : left_(counts) {
        for (const std::uint64_t count : counts) all_left_ += count;
    }

    [[nodiscard]] std::uint64_t left() const noexcept { return all_left_; }

    /// A kind by how many it still has, which makes all orders alike; below 2^40 the bias of the remainder is below
    /// 2^-24. Something must be left.
    std::size_t draw(std::mt19937_64& random) {
        std::uint64_t position = random() % all_left_;
        std::size_t kind = 0;
        while (position >= left_[kind]) position -= left_[kind++];
        --left_[kind];
        --all_left_;
        return kind;
    }

private:
    std::array<std::uint64_t, kinds> left_;
    std::uint64_t all_left_ = 0;
};

}  // namespace fairstream::generate
