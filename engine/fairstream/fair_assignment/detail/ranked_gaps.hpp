#pragma once
/// The gaps of one group's points to a cluster, in order: how many points want to join at a price, and which price a
/// number of points takes.

#include <algorithm>
#include <cstddef>
#include <functional>
#include <limits>
#include <span>
#include <vector>

namespace fairstream {

/// Only gaps within a band, where the price is looked for, are kept and sorted; what lies beyond is counted.
class RankedGaps {
public:
    RankedGaps(double low, double high) : low_(low), high_(high) {}
    /// Keeps a band of at most `reach` gaps on either side of `middle`, out of all `gaps`, which it puts into another
    /// order.
    RankedGaps(std::span<float> gaps, double middle, std::size_t reach)
        : low_(middle), high_(middle), total_(gaps.size()) {
        free_ = static_cast<std::size_t>(std::ranges::count_if(gaps, [](float gap) { return gap < 0; }));
        const std::ranges::subrange above =
            std::ranges::partition(gaps, [=](float gap) { return double{gap} < middle; });
        const std::span<float> under = gaps.first(gaps.size() - above.size());
        near_.resize(std::min(reach, under.size()) + std::min(reach, above.size()));
        const std::span<float> lower = std::span(near_).first(std::min(reach, under.size()));
        std::ranges::partial_sort_copy(under, lower, std::greater());
        std::ranges::reverse(lower);
        std::ranges::partial_sort_copy(above, std::span(near_).subspan(lower.size()));
        below_ = under.size() - lower.size();
    }

    /// Adds gaps: `near` are those within the band, before `shift` is added; `below`, `free` and `total` count those
    /// below the band, those below 0, and all.
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

    /// Number of points that want to join for free.
    [[nodiscard]] std::size_t free() const { return free_; }
    [[nodiscard]] std::size_t total() const { return total_; }
    /// Gaps within the band, in order.
    [[nodiscard]] std::span<const float> near() const { return near_; }
    /// Says whether the band holds all gaps.
    [[nodiscard]] bool is_complete() const { return near_.size() == total_; }
    /// Returns how many points have a gap below the middle of the band.
    [[nodiscard]] std::size_t count_below_middle() const { return below_ + rank_in_band((low_ + high_) / 2); }

    /// Range of a number that the band does not tell exactly.
    template <class Number> struct Range { Number low, high; };
    /// Return how many points have a gap below `level`, or up to it. Sums of a gap and a shift may round to the end of
    /// the band from either side of it, so that only the gaps that are kept tell what lies beyond.
    [[nodiscard]] Range<std::size_t> count_below(double level) const {
        if (near_.empty()) return {0, total_};
        if (level <= near_.front()) return {0, below_};
        if (level > near_.back()) return {below_ + near_.size(), total_};
        return exactly(below_ + rank_in_band(level));
    }
    [[nodiscard]] Range<std::size_t> count_up_to(double level) const {
        if (near_.empty()) return {0, total_};
        if (level < near_.front()) return {0, below_};
        if (level >= near_.back()) return {below_ + near_.size(), total_};
        const auto end = std::ranges::upper_bound(near_, level, {}, [](float gap) { return double{gap}; });
        return exactly(below_ + static_cast<std::size_t>(end - near_.begin()));
    }
    /// Returns the gap of the point at this rank, from 0; infinite past the last point.
    [[nodiscard]] Range<double> gap_at(std::size_t rank) const {
        constexpr double infinity = std::numeric_limits<double>::infinity();
        if (rank >= total_) return {infinity, infinity};
        if (is_below(rank)) return {-infinity, near_.empty() ? infinity : double{near_.front()}};
        if (is_above(rank)) return {near_.empty() ? -infinity : double{near_.back()}, infinity};
        return {near_[rank - below_], near_[rank - below_]};
    }
    /// Returns the gap of the point at this rank, from 0; the end of the band for one that lies beyond it, infinite
    /// past the last point.
    [[nodiscard]] double at(std::size_t rank) const {
        if (rank >= total_) return std::numeric_limits<double>::infinity();
        if (rank < below_) return low_;
        return rank - below_ < near_.size() ? double{near_[rank - below_]} : high_;
    }
    /// Say whether the point at this rank lies below the band, or above it.
    [[nodiscard]] bool is_below(std::size_t rank) const { return rank < below_; }
    [[nodiscard]] bool is_above(std::size_t rank) const { return rank < total_ && rank >= below_ + near_.size(); }
    /// Says whether `price_for(count)` is exact.
    [[nodiscard]] bool knows(std::size_t count) const {
        return !(count > 0 && (is_below(count - 1) || is_above(count - 1))) && !is_below(count) && !is_above(count);
    }
    /// Returns a price at which `count` points join: between the gaps of the last that does and the first that does
    /// not.
    [[nodiscard]] double price_for(std::size_t count) const {
        if (total_ == 0) return 0;
        if (count == 0) return -at(0) + margin(at(0));
        if (count >= total_) return -at(total_ - 1) - margin(at(total_ - 1));
        return -(at(count - 1) + at(count)) / 2;
    }

private:
    static Range<std::size_t> exactly(std::size_t count) { return {count, count}; }
    [[nodiscard]] std::size_t rank_in_band(double level) const {
        const auto end = std::ranges::lower_bound(near_, level, {}, [](float gap) { return double{gap}; });
        return static_cast<std::size_t>(end - near_.begin());
    }
    static double margin(double gap) { return 1e-6 * std::max(gap < 0 ? -gap : gap, 1e-30); }

    double low_, high_;
    std::vector<float> near_;
    std::size_t below_ = 0, free_ = 0, total_ = 0;
};

}  // namespace fairstream
