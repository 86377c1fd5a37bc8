#pragma once
/// The gaps of one group's points to a cluster, in order: how many points want to join at a price, and which price a
/// number of points takes. Private to the model.

#include <algorithm>
#include <cstddef>
#include <limits>
#include <span>
#include <vector>

namespace fairstream::safairkm {

/// Only gaps within a band, where the price is looked for, are kept and sorted; what lies beyond is counted.
class RankedGaps {
public:
    RankedGaps(double low, double high) : low_(low), high_(high) {}

    /// `near` are the gaps within the band, before `shift` is added; `below`, `free` and `total` count those below the
    /// band, those below 0, and all.
    void add(std::span<const float> near, float shift, std::size_t below, std::size_t free, std::size_t total) {
        const std::size_t before = near_.size();
        near_.resize(before + near.size());
        std::ranges::transform(near, near_.begin() + static_cast<std::ptrdiff_t>(before),
                               [=](float gap) { return gap + shift; });
        below_ += below;
        free_ += free;
        total_ += total;
    }
    void sort() { std::ranges::sort(near_); }

    /// Points that want to join for free.
    [[nodiscard]] std::size_t free() const { return free_; }
    [[nodiscard]] std::size_t total() const { return total_; }
    /// Of the gaps within the band, in order.
    [[nodiscard]] std::span<const float> near() const { return near_; }
    /// Points with a gap below `limit`; exact for a limit within the band.
    [[nodiscard]] std::size_t count_below(double limit) const {
        const auto end = std::ranges::lower_bound(near_, limit, {}, [](float gap) { return double{gap}; });
        return below_ + static_cast<std::size_t>(end - near_.begin());
    }
    /// The gap of the point at this rank, from 0; the end of the band for one that lies beyond it, infinite past the
    /// last point.
    [[nodiscard]] double at(std::size_t rank) const {
        if (rank >= total_) return std::numeric_limits<double>::infinity();
        if (rank < below_) return low_;
        return rank - below_ < near_.size() ? double{near_[rank - below_]} : high_;
    }
    /// Whether the point at this rank lies below the band, or above it.
    [[nodiscard]] bool is_below(std::size_t rank) const { return rank < below_; }
    [[nodiscard]] bool is_above(std::size_t rank) const { return rank < total_ && rank >= below_ + near_.size(); }
    /// Whether `price_for(count)` is exact.
    [[nodiscard]] bool knows(std::size_t count) const {
        return !(count > 0 && (is_below(count - 1) || is_above(count - 1))) && !is_below(count) && !is_above(count);
    }
    /// A price at which `count` points join: between the gaps of the last that does and the first that does not.
    [[nodiscard]] double price_for(std::size_t count) const {
        if (total_ == 0) return 0;
        if (count == 0) return -at(0) + margin(at(0));
        if (count >= total_) return -at(total_ - 1) - margin(at(total_ - 1));
        return -(at(count - 1) + at(count)) / 2;
    }

private:
    static double margin(double gap) { return 1e-6 * std::max(gap < 0 ? -gap : gap, 1e-30); }

    double low_, high_;
    std::vector<float> near_;
    std::size_t below_ = 0, free_ = 0, total_ = 0;
};

}  // namespace fairstream::safairkm
