#include <fairstream/fair_assignment/detail/counts_by_shares.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <utility>

namespace fairstream {
namespace {

// The cost V(m) of the best counts of m points, fractions of points allowed, is convex. At a size m the groups that are
// within their bounds have gaps up to one level g, by which the size is met, and by the envelope theorem
//
//   V'(m) = g + sum_j lower_j max(0, a_j - g) - sum_j upper_j max(0, g - b_j)
//
// where a_j and b_j are the gaps of group j at the ranks lower_j m and upper_j m. The size sought is the least m with
// V'(m + 1/2) >= 0. Numbers that lie beyond the bands are known as intervals only; sums and products round
// monotonically, so that a sign which an interval shows is the sign that the number itself would have, and the answer
// does not depend on the bands.

constexpr double infinite = std::numeric_limits<double>::infinity();
// Products of shares and sizes carry rounding, and so does a derivative of 0.
constexpr double rounding = 1e-9, rounding_of_slope = 1e-12;

enum class Sign { negative, not_negative, unknown };

class ShareProblem {
public:
    ShareProblem(const Demand& demand, const std::vector<RankedGaps>& gaps)
        : demand_(demand), gaps_(gaps), least_(gaps.size()), greatest_(gaps.size()) {
        for (const RankedGaps& group : gaps) {
            points_ += static_cast<std::int64_t>(group.total());
            levels_.insert(levels_.end(), group.near().begin(), group.near().end());
        }
        std::ranges::sort(levels_);
    }

    std::optional<std::vector<std::size_t>> solve(std::vector<bool>& lacking) {
        const std::optional<std::int64_t> size = cheapest_size(lacking);
        if (!size) return std::nullopt;
        std::optional<std::vector<std::size_t>> members = counts_near(*size, lacking);
        if (!members) return std::nullopt;
        for (std::size_t j = 0; j < gaps_.size(); ++j)
            lacking[j] = (*members)[j] != gaps_[j].free() && !gaps_[j].knows((*members)[j]);
        if (std::ranges::count(lacking, true) > 0) return std::nullopt;
        return members;
    }

private:
    // -- sizes

    // Searches in growing steps from the size at the prices so far, which is nearly right: the bands are about those
    // prices, and sizes far away take gaps far beyond them.
    std::optional<std::int64_t> cheapest_size(std::vector<bool>& lacking) {
        std::int64_t low = -1, high = points_;  // V falls up to the one, and rises from the other
        bool low_known = true, high_known = true, met_low = false, met_high = false;
        std::int64_t size = std::clamp<std::int64_t>(size_so_far(), 0, std::max<std::int64_t>(0, points_ - 1));
        for (std::int64_t step = 1; high - low > 1; step *= 2) {
            const Sign sign = slope(size);
            if (sign == Sign::unknown) {
                // Beyond the last size that is known, in the direction of the search, all may be unknown.
                if (met_high && !met_low)
                    low = size, low_known = false, met_low = true;
                else if (met_low && !met_high)
                    high = size, high_known = false, met_high = true;
                else if (!low_known)
                    low = size;
                else if (!high_known)
                    high = size;
                else
                    return mark(size, lacking), std::nullopt;
            } else if (sign == Sign::negative) {
                low = size, low_known = met_low = true;
            } else {
                high = size, high_known = met_high = true;
            }
            if (met_low && met_high)
                size = low + (high - low) / 2;
            else
                size = met_low ? std::min(low + step, high - 1) : std::max(high - step, low + 1);
        }
        if (!low_known || !high_known) return mark(low_known ? high : low, lacking), std::nullopt;
        return high;
    }

    // Returns how many points join at the middle of their band.
    [[nodiscard]] std::int64_t size_so_far() const {
        std::size_t size = 0;
        for (const RankedGaps& group : gaps_) size += group.count_below_middle();
        return static_cast<std::int64_t>(size);
    }

    // -- one size

    // Sets the bounds at a size, in fractions of points.
    void bound(double size) {
        for (std::size_t j = 0; j < gaps_.size(); ++j) {
            least_[j] = demand_.lower[j] * size;
            greatest_[j] = std::min(demand_.upper[j] * size, static_cast<double>(gaps_[j].total()));
        }
    }

    // Says whether some counts within the bounds add up to the size.
    [[nodiscard]] bool fits(double size) const {
        double needed = 0, room = 0;
        for (std::size_t j = 0; j < gaps_.size(); ++j) {
            if (least_[j] > greatest_[j] * (1 + rounding)) return false;
            needed += least_[j];
            room += greatest_[j];
        }
        return needed <= size * (1 + rounding) && room >= size * (1 - rounding);
    }

    [[nodiscard]] double within_bounds(std::size_t j, std::size_t count) const {
        return std::max(std::min(static_cast<double>(count), greatest_[j]), least_[j]);
    }
    // Return the least and the most points, as far as the bands tell, that all groups within their bounds have up to
    // this level.
    [[nodiscard]] double at_least(double level) const {
        double total = 0;
        for (std::size_t j = 0; j < gaps_.size(); ++j) total += within_bounds(j, gaps_[j].count_up_to(level).low);
        return total;
    }
    [[nodiscard]] double at_most(double level) const {
        double total = 0;
        for (std::size_t j = 0; j < gaps_.size(); ++j) total += within_bounds(j, gaps_[j].count_up_to(level).high);
        return total;
    }

    struct Interval {
        double low, high;
    };

    // Returns the lowest level up to which the size is met, as an interval.
    [[nodiscard]] Interval level_of(double size) const {
        const auto first = [&](auto begin, const auto& total) {
            return std::partition_point(begin, levels_.end(),
                                        [&](float level) { return total(level) < size * (1 - rounding); });
        };
        if (at_least(-infinite) >= size * (1 - rounding)) return {-infinite, -infinite};
        const auto high = first(levels_.begin(), [&](double level) { return at_least(level); });
        const double highest = high == levels_.end() ? infinite : double{*high};
        if (at_most(-infinite) >= size * (1 - rounding)) return {-infinite, highest};
        // Mostly both ends are the same.
        auto low = high;
        if (low == levels_.begin() || at_most(*(low - 1)) >= size * (1 - rounding))
            low = first(levels_.begin(), [&](double level) { return at_most(level); });
        return {low == levels_.end() ? infinite : double{*low}, highest};
    }

    // The parts of V' above and below 0, as intervals.
    struct Slope {
        double rise_low = 0, rise_high = 0, fall_low = 0, fall_high = 0;
    };
    struct Part {
        Interval rise, fall;
    };

    [[nodiscard]] Part part_of(std::size_t j, double size, const Interval& level) const {
        Part part{};
        if (const double share = demand_.lower[j]; share > 0) {
            const auto gap = gaps_[j].gap_at(static_cast<std::size_t>(share * size));
            part.rise = {share * std::max(0.0, gap.low - level.high), share * std::max(0.0, gap.high - level.low)};
        }
        const double share = demand_.upper[j];
        const auto gap = gaps_[j].gap_at(static_cast<std::size_t>(share * size));
        if (share > 0)
            part.fall = {share * std::max(0.0, level.low - gap.high), share * std::max(0.0, level.high - gap.low)};
        return part;
    }

    // Returns the sign of V' half a point above the size; past the sizes that the bounds allow it is not negative.
    Sign slope(std::int64_t size) {
        const double middle = static_cast<double>(size) + 0.5;
        bound(middle);
        if (!fits(middle)) return Sign::not_negative;
        const Interval level = level_of(middle);
        Slope sum;
        if (level.high == -infinite) {  // every group at its least
            for (std::size_t j = 0; j < gaps_.size(); ++j) add(least_part_of(j, middle), sum);
        } else {
            add({{std::max(0.0, level.low), std::max(0.0, level.high)},
                 {std::max(0.0, -level.high), std::max(0.0, -level.low)}},
                sum);
            for (std::size_t j = 0; j < gaps_.size(); ++j) add(part_of(j, middle, level), sum);
        }
        if (sum.rise_low >= sum.fall_high * (1 - rounding_of_slope)) return Sign::not_negative;
        return sum.rise_high < sum.fall_low * (1 - rounding_of_slope) ? Sign::negative : Sign::unknown;
    }

    static void add(const Part& part, Slope& sum) {
        sum.rise_low += part.rise.low;
        sum.rise_high += part.rise.high;
        sum.fall_low += part.fall.low;
        sum.fall_high += part.fall.high;
    }

    // Returns group j's part of V' where lower bounds leave no choice: V' = sum_j lower_j a_j.
    [[nodiscard]] Part least_part_of(std::size_t j, double size) const {
        const double share = demand_.lower[j];
        if (share == 0) return {};
        const auto gap = gaps_[j].gap_at(static_cast<std::size_t>(share * size));
        return {{share * std::max(0.0, gap.low), share * std::max(0.0, gap.high)},
                {share * std::max(0.0, -gap.high), share * std::max(0.0, -gap.low)}};
    }

    // -- groups that lack gaps

    // Marks the groups whose bands leave the slope at this size open.
    void mark(std::int64_t size, std::vector<bool>& lacking) {
        const double middle = static_cast<double>(size) + 0.5;
        bound(middle);
        const Interval level = level_of(middle);
        for (std::size_t j = 0; j < gaps_.size(); ++j) {
            const Part part = level.high == -infinite ? least_part_of(j, middle) : part_of(j, middle, level);
            if (part.rise.low != part.rise.high || part.fall.low != part.fall.high)
                lacking[j] = !gaps_[j].is_complete();  // it may be the level alone that is open
        }
        mark(level, lacking);
    }
    // Marks the groups whose bands leave the level open.
    void mark(const Interval& level, std::vector<bool>& lacking) const {
        for (std::size_t j = 0; j < gaps_.size(); ++j)
            for (const double end : {level.low, level.high}) {
                const auto count = gaps_[j].count_up_to(end);
                if (within_bounds(j, count.low) != within_bounds(j, count.high)) lacking[j] = true;
            }
        if (std::ranges::count(lacking, true) > 0) return;
        for (std::size_t j = 0; j < gaps_.size(); ++j) lacking[j] = !gaps_[j].is_complete();
    }

    // -- whole points

    using Counts = std::vector<std::size_t>;

    // Returns counts in whole points of this size, or of the nearest sizes above and below that have such counts, the
    // cheaper ones.
    std::optional<Counts> counts_near(std::int64_t size, std::vector<bool>& lacking) {
        constexpr std::int64_t reach = 64;
        if (size == 0) return Counts(gaps_.size());
        const auto nearest = [&](std::int64_t step) {
            std::int64_t at = size;
            for (int i = 0; i < reach; ++i, at += step)
                if (at < 1 || at > points_ || whole_bounds(at)) return at;
            return std::int64_t{0};
        };
        const std::int64_t above = nearest(+1), below = above == size ? 0 : nearest(-1);
        std::optional<Counts> best;
        for (const std::int64_t at : {above, below}) {
            if (at < 1 || at > points_) continue;
            whole_bounds(at);
            std::optional<Counts> counts = counts_of(at, lacking);
            if (!counts) return std::nullopt;
            if (!best) {
                best = std::move(counts);
                continue;
            }
            const std::optional<bool> cheaper = is_cheaper(*counts, *best, lacking);
            if (!cheaper) return std::nullopt;
            if (*cheaper) best = std::move(counts);
        }
        return best ? best : rounded_counts(size, lacking);
    }

    // Sets the bounds in whole points; returns whether some counts within them add up to the size.
    bool whole_bounds(std::int64_t size) {
        const auto wanted = static_cast<double>(size);
        bound(wanted);
        double needed = 0, room = 0;
        bool some = true;
        for (std::size_t j = 0; j < gaps_.size(); ++j) {
            least_[j] = std::ceil(least_[j] * (1 - rounding));
            greatest_[j] = std::floor(greatest_[j] * (1 + rounding));
            some = some && least_[j] <= greatest_[j];
            needed += least_[j];
            room += greatest_[j];
        }
        return some && needed <= wanted && wanted <= room;
    }

    // Returns the cheapest counts within the bounds in whole points.
    std::optional<Counts> counts_of(std::int64_t size, std::vector<bool>& lacking) const {
        const Interval level = level_of(static_cast<double>(size));
        if (level.low != level.high) return mark(level, lacking), std::nullopt;
        Counts counts;
        auto rest = static_cast<std::size_t>(size);
        for (std::size_t j = 0; j < gaps_.size(); ++j) {
            const auto below = gaps_[j].count_below(level.low);
            counts.push_back(static_cast<std::size_t>(within_bounds(j, below.low)));
            lacking[j] = within_bounds(j, below.low) != within_bounds(j, below.high);
            rest -= counts[j];
        }
        if (std::ranges::count(lacking, true) > 0) return std::nullopt;
        // Points whose gap equals the level are taken as far as there is room.
        for (std::size_t j = 0; j < gaps_.size() && rest > 0; ++j) {
            const auto up_to = gaps_[j].count_up_to(level.low);
            if (within_bounds(j, up_to.low) != within_bounds(j, up_to.high)) {
                lacking[j] = true;
                return std::nullopt;
            }
            const std::size_t more = std::min(rest, static_cast<std::size_t>(within_bounds(j, up_to.low)) - counts[j]);
            counts[j] += more;
            rest -= more;
        }
        return counts;
    }

    [[nodiscard]] std::optional<bool> is_cheaper(const Counts& one, const Counts& other,
                                                 std::vector<bool>& lacking) const {
        double change = 0;
        for (std::size_t j = 0; j < gaps_.size(); ++j)
            for (std::size_t rank = std::min(one[j], other[j]); rank < std::max(one[j], other[j]); ++rank) {
                const auto gap = gaps_[j].gap_at(rank);
                if (gap.low != gap.high) lacking[j] = true;
                change += one[j] > other[j] ? gap.low : -gap.low;
            }
        if (std::ranges::count(lacking, true) > 0) return std::nullopt;
        return change < 0;
    }

    // Returns counts near the fractional ones, for sizes at which whole points cannot keep the bounds.
    std::optional<Counts> rounded_counts(std::int64_t size, std::vector<bool>& lacking) {
        bound(static_cast<double>(size));
        const Interval level = level_of(static_cast<double>(size));
        Counts counts;
        for (std::size_t j = 0; j < gaps_.size(); ++j) {
            const auto up_to = gaps_[j].count_up_to(level.low);
            counts.push_back(static_cast<std::size_t>(std::llround(within_bounds(j, up_to.low))));
            lacking[j] = within_bounds(j, up_to.low) != within_bounds(j, up_to.high);
        }
        if (level.low != level.high) return mark(level, lacking), std::nullopt;
        if (std::ranges::count(lacking, true) > 0) return std::nullopt;
        return counts;
    }

    const Demand& demand_;
    const std::vector<RankedGaps>& gaps_;
    std::vector<float> levels_;             // gaps within the bands of all groups, in order
    std::vector<double> least_, greatest_;  // members of each group at the size that is looked at
    std::int64_t points_ = 0;
};

}  // namespace

std::optional<std::vector<std::size_t>> counts_by_shares(const Demand& demand, const std::vector<RankedGaps>& gaps,
                                                         std::vector<bool>& lacking) {
    return ShareProblem(demand, gaps).solve(lacking);
}

}  // namespace fairstream
