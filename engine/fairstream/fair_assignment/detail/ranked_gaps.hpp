#pragma once
/// The ordered gaps of one group's points to a cluster: how many points want to join at a price, and the price of a
/// number of points.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <limits>
#include <span>
#include <vector>

#include <fairstream/numeric/detail/kernels.hpp>
#include <fairstream/numeric/detail/sort_floats.hpp>

namespace fairstream {

/// Keeps and sorts the gaps within a band around the expected price; gaps beyond are only counted. `widen` takes in
/// more gaps if a question cannot be answered from the band.
class RankedGaps {
public:
    /// The band begins with the gaps within `reach` of `middle`. It is widened up to `widest`, then by numbers of
    /// points. `room` is scratch for one float per gap, and 16 more.
    RankedGaps(double middle, double reach, double widest, std::span<float> room)
        : middle_(middle), reach_(reach), widest_(widest), room_(room) {}

    /// Adds gaps, which it borrows; `shift` is to be added to each of them.
    void add(std::span<const float> gaps, float shift) {
        sources_.push_back({gaps, shift});
        total_ += gaps.size();
    }
    /// Ends the additions; to be called once, before any function below.
    void collect() {
        const double low = middle_ - reach_, high = middle_ + reach_;
        double rounding = 0;  // rounding error of the limits and of gaps plus shift
        band_.clear();
        below_ = free_ = 0;
        for (const auto& [gaps, shift] : sources_) {
            std::size_t below = 0, free = 0;
            const std::size_t count =
                kernels().within(gaps.data(), gaps.size(), static_cast<float>(low) - shift,
                                 static_cast<float>(high) - shift, -shift, room_.data(), &below, &free);
            const std::size_t before = band_.size();
            band_.resize(before + count);
            std::ranges::transform(room_.first(count), band_.begin() + static_cast<std::ptrdiff_t>(before),
                                   [add = shift](float gap) { return gap + add; });
            below_ += below;
            free_ += free;
            rounding = std::max(rounding, 4e-7 * (std::max(-low, high) + double{std::abs(shift)}));
        }
        sort_floats(band_, room_);
        most_below_ = low + rounding;
        least_above_ = high - rounding;
    }
    /// Takes in more gaps, unless all are in.
    void widen() {
        constexpr std::size_t least = 16, factor = 4;
        constexpr double wider_by = 8;
        if (is_complete()) return;
        if (reach_ == 0 || reach_ >= widest_) return collect_nearest(std::max(least, factor * band_.size()));
        reach_ = std::min(wider_by * reach_, widest_);
        collect();
    }

    /// Returns the number of points that want to join at price 0.
    [[nodiscard]] std::size_t free() const { return free_; }
    [[nodiscard]] std::size_t total() const { return total_; }
    /// Returns the gaps within the band, ascending.
    [[nodiscard]] std::span<const float> band() const { return band_; }
    /// Returns whether the band holds all gaps.
    [[nodiscard]] bool is_complete() const { return band_.size() == total_; }
    /// Returns the number of points with a gap below the middle of the band.
    [[nodiscard]] std::size_t count_below_middle() const { return below_ + rank_in_band(middle_); }

    /// Range of a number that the band does not determine exactly.
    template <class Number> struct Range { Number low, high; };
    /// Return the number of points with a gap below `level`, or up to it. Sums of a gap and a shift may round to the
    /// end of the band from either side; only the kept gaps tell what is beyond.
    [[nodiscard]] Range<std::size_t> count_below(double level) const {
        if (band_.empty()) return {0, total_};
        if (level <= band_.front()) return {0, below_};
        if (level > band_.back()) return {below_ + band_.size(), total_};
        return exactly(below_ + rank_in_band(level));
    }
    [[nodiscard]] Range<std::size_t> count_up_to(double level) const {
        if (band_.empty()) return {0, total_};
        if (level < band_.front()) return {0, below_};
        if (level >= band_.back()) return {below_ + band_.size(), total_};
        const auto end = std::ranges::upper_bound(band_, level, {}, [](float gap) { return double{gap}; });
        return exactly(below_ + static_cast<std::size_t>(end - band_.begin()));
    }
    /// Return by how much the gap of the point at this rank, from 0, is above `level`, or below it. Beyond the last
    /// point the gap counts as infinite.
    [[nodiscard]] Range<double> above(std::size_t rank, double level) const {
        if (level >= 0 && rank < free_) return {0, 0};
        const auto [low, high] = gap_at(rank);
        return {std::max(0.0, low - level), std::max(0.0, high - level)};
    }
    [[nodiscard]] Range<double> below(std::size_t rank, double level) const {
        if (level <= 0 && rank >= free_) return {0, 0};
        const auto [low, high] = gap_at(rank);
        return {std::max(0.0, level - high), std::max(0.0, level - low)};
    }
    /// Returns the gap of the point at this rank, which must exist; widens the band to it.
    [[nodiscard]] double at(std::size_t rank) {
        while (rank < below_ || rank - below_ >= band_.size()) widen();
        return band_[rank - below_];
    }
    /// Returns a price at which `count` points join: between the gaps of the last point that joins and of the first
    /// point that does not join.
    [[nodiscard]] double price_for(std::size_t count) {
        const auto margin = [](double gap) { return 1e-6 * std::max(std::abs(gap), 1e-30); };
        if (total_ == 0) return 0;
        if (count == 0) return -at(0) + margin(at(0));
        if (count >= total_) return -at(total_ - 1) - margin(at(total_ - 1));
        const double last = at(count - 1);
        return -(last + at(count)) / 2;
    }

private:
    struct Source {
        std::span<const float> gaps;
        float shift;
    };

    [[nodiscard]] Range<double> gap_at(std::size_t rank) const {
        constexpr double infinity = std::numeric_limits<double>::infinity();
        if (rank >= total_) return {infinity, infinity};
        if (rank >= below_ && rank - below_ < band_.size()) return {band_[rank - below_], band_[rank - below_]};
        return rank < below_ ? Range<double>{-infinity, most_below_} : Range<double>{least_above_, infinity};
    }
    static Range<std::size_t> exactly(std::size_t count) { return {count, count}; }
    [[nodiscard]] std::size_t rank_in_band(double level) const {
        const auto end = std::ranges::lower_bound(band_, level, {}, [](float gap) { return double{gap}; });
        return static_cast<std::size_t>(end - band_.begin());
    }
    // Keeps at most `most` gaps on either side of the middle: a wide band around a distant price would hold nearly all
    // gaps, which are about 0.
    void collect_nearest(std::size_t most) {
        std::size_t count = 0;
        for (const auto& [gaps, shift] : sources_)
            for (const float gap : gaps) room_[count++] = gap + shift;
        const std::span<float> all = room_.first(count);
        const auto above = std::ranges::partition(all, [&](float gap) { return double{gap} < middle_; });
        const std::span<float> under = all.first(all.size() - above.size());
        band_.resize(std::min(most, under.size()) + std::min(most, above.size()));
        const std::span<float> lower = std::span(band_).first(std::min(most, under.size()));
        std::ranges::partial_sort_copy(under, lower, std::greater());
        std::ranges::reverse(lower);
        std::ranges::partial_sort_copy(above, std::span(band_).subspan(lower.size()));
        below_ = under.size() - lower.size();
        most_below_ = lower.empty() ? middle_ : double{lower.front()};
        least_above_ = band_.size() == lower.size() ? middle_ : double{band_.back()};
    }

    double middle_, reach_, widest_;
    std::span<float> room_;
    std::vector<Source> sources_;
    std::vector<float> band_;
    std::size_t below_ = 0, free_ = 0, total_ = 0;
    double most_below_ = 0, least_above_ = 0;  // bounds of the gaps beyond the band
};

}  // namespace fairstream
