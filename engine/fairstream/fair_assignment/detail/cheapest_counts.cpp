#include <fairstream/fair_assignment/detail/cheapest_counts.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <utility>

namespace fairstream {
namespace {

// Both kinds of demand bound the members m_j of every group by one number, the scale s of the cluster: lower_j s <= m_j
// <= upper_j s. For shares, s is the size of the cluster. For a ratio, with lower_j = ratio / w_j and upper_j = 1 /
// w_j, s is the largest w_j m_j, which is free. A point of rank m that joins changes the cost by its gap, so the cost
// V(s) of the best members, with fractions of points allowed, is convex. Groups within their bounds have gaps up to one
// level g: 0 for a ratio, and for shares the level at which the size is met. By the envelope theorem
//
//   V'(s) = g + sum_j lower_j max(0, a_j - g) - sum_j upper_j max(0, g - b_j)
//
// where a_j and b_j are the gaps of group j at the ranks lower_j s and upper_j s. Gaps beyond the bands are known only
// as intervals. Sums and products round monotonically, so a sign shown by an interval is the sign that the number
// itself would have. If an interval shows no sign, bands are widened.

constexpr double infinite = std::numeric_limits<double>::infinity();
// Rounding errors of products of shares and sizes, and of a derivative that is 0.
constexpr double rounding = 1e-9, rounding_of_slope = 1e-12;

using Counts = std::vector<std::size_t>;
using Interval = RankedGaps::Range<double>;

// The derivative of V for a demand's bounds.
class Slope {
public:
    Slope(std::vector<double> lower, std::vector<double> upper, std::vector<RankedGaps>& gaps)
        : lower_(std::move(lower)), upper_(std::move(upper)), gaps_(gaps) {}

    // Returns whether V' >= 0 if groups within their bounds have gaps up to this level. A level of minus infinity means
    // that all groups are at their lower bounds, so V' = sum_j lower_j a_j.
    [[nodiscard]] bool is_rising(double scale, double level) {
        const bool at_least = level == -infinite;
        const double g = at_least ? 0 : level;
        const std::vector<double>& upper = at_least ? lower_ : upper_;
        for (;;) {
            Interval rise{std::max(0.0, g), std::max(0.0, g)}, fall{std::max(0.0, -g), std::max(0.0, -g)};
            for (std::size_t j = 0; j < gaps_.size(); ++j) {
                add(gaps_[j].above(rank_of(lower_[j] * scale), g), lower_[j], rise);
                add(gaps_[j].below(rank_of(upper[j] * scale), g), upper[j], fall);
            }
            if (rise.low >= fall.high * (1 - rounding_of_slope)) return true;
            if (rise.high < fall.low * (1 - rounding_of_slope)) return false;
            for (std::size_t j = 0; j < gaps_.size(); ++j)
                if (is_open(gaps_[j].above(rank_of(lower_[j] * scale), g), lower_[j]) ||
                    is_open(gaps_[j].below(rank_of(upper[j] * scale), g), upper[j]))
                    gaps_[j].widen();
        }
    }

private:
    static std::size_t rank_of(double members) { return static_cast<std::size_t>(members); }
    static void add(const Interval& part, double factor, Interval& sum) {
        if (factor > 0) sum = {sum.low + factor * part.low, sum.high + factor * part.high};
    }
    static bool is_open(const Interval& part, double factor) { return factor > 0 && part.low != part.high; }

    std::vector<double> lower_, upper_;
    std::vector<RankedGaps>& gaps_;
};

// Returns the counts with all w_j m_j between ratio * t and t, for the best t.
Counts counts_by_ratio(const Demand& demand, std::vector<RankedGaps>& gaps) {
    constexpr int halvings = 52;  // a bisection over doubles needs no more halvings than they have bits
    std::vector<double> lower, upper;
    double most = 0;  // at larger scales no group has too many points, so the cost rises
    for (std::size_t j = 0; j < gaps.size(); ++j) {
        const double weight = demand.weight(j);
        lower.push_back(weight > 0 ? demand.ratio / weight : 0);
        upper.push_back(weight > 0 ? 1 / weight : 0);
        most = std::max(most, weight * static_cast<double>(gaps[j].free()));
    }
    Slope slope(lower, upper, gaps);
    double low = 0, high = most;
    for (int i = 0; i < halvings && high - low >= 1e-9 * most && low < high; ++i) {
        const double middle = low + (high - low) / 2;
        (slope.is_rising(middle, 0) ? high : low) = middle;
    }
    Counts members;
    double reached = 0;
    for (std::size_t j = 0; j < gaps.size(); ++j) {
        members.push_back(gaps[j].free());
        if (demand.weight(j) == 0) continue;
        members[j] = std::min(members[j], static_cast<std::size_t>(upper[j] * high * (1 + rounding)));
        reached = std::max(reached, demand.weight(j) * static_cast<double>(members[j]));
    }
    for (std::size_t j = 0; j < gaps.size(); ++j) {
        const auto needed = static_cast<std::size_t>(std::ceil(lower[j] * reached * (1 - rounding)));
        members[j] = std::min(std::max(members[j], needed), gaps[j].total());
    }
    return members;
}

// Finds counts with m_j between lower_j m and upper_j m, where m is their sum: at the least m with V'(m + 1/2) >= 0.
class ShareProblem {
public:
    ShareProblem(const Demand& demand, std::vector<RankedGaps>& gaps)
        : demand_(demand),
          gaps_(gaps),
          slope_(demand.lower, demand.upper, gaps),
          least_(gaps.size()),
          greatest_(gaps.size()) {
        for (const RankedGaps& group : gaps) points_ += static_cast<std::int64_t>(group.total());
    }

    // Returns whole counts of the cheapest size. If that size has no such counts, takes the nearest smaller and the
    // nearest larger size that have some, and returns the cheaper counts.
    Counts solve() {
        constexpr std::int64_t reach = 64;
        const std::int64_t size = cheapest_size();
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
            Counts counts = counts_of(at);
            if (!best || is_cheaper(counts, *best)) best = std::move(counts);
        }
        return best ? *best : rounded_counts(size);
    }

private:
    // Searches in growing steps from the size at the present prices, which is nearly right: the bands are around those
    // prices, and distant sizes need gaps far outside of them.
    [[nodiscard]] std::int64_t cheapest_size() {
        std::int64_t low = -1, high = points_, so_far = 0;  // V falls up to `low`, and rises from `high`
        bool met_low = false, met_high = false;
        for (const RankedGaps& group : gaps_) so_far += static_cast<std::int64_t>(group.count_below_middle());
        std::int64_t size = std::clamp<std::int64_t>(so_far, 0, std::max<std::int64_t>(0, points_ - 1));
        for (std::int64_t step = 1; high - low > 1; step *= 2) {
            if (is_rising(size))
                high = size, met_high = true;
            else
                low = size, met_low = true;
            if (met_low && met_high)
                size = low + (high - low) / 2;
            else
                size = met_low ? std::min(low + step, high - 1) : std::max(high - step, low + 1);
        }
        return high;
    }

    // Returns whether V does not fall at half a point above the size; true beyond the sizes that the bounds allow.
    [[nodiscard]] bool is_rising(std::int64_t size) {
        const double middle = static_cast<double>(size) + 0.5;
        bound(middle);
        return !fits(middle) || slope_.is_rising(middle, level_of(middle));
    }

    // Sets the bounds at a size, in fractions of points.
    void bound(double size) {
        for (std::size_t j = 0; j < gaps_.size(); ++j) {
            least_[j] = demand_.lower[j] * size;
            greatest_[j] = std::min(demand_.upper[j] * size, static_cast<double>(gaps_[j].total()));
        }
    }
    // Sets the bounds in whole points; returns whether counts within them can add up to the size.
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

    // Returns whether counts within the bounds can add up to the size.
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
    // Returns the number of points of a group, within its bounds, with gaps up to a level, as far as the band shows.
    [[nodiscard]] Interval members_up_to(std::size_t j, double level) const {
        const auto [low, high] = gaps_[j].count_up_to(level);
        return {within_bounds(j, low), within_bounds(j, high)};
    }
    // Widens the bands until the number of points that `count` gives, within the bounds, is certain.
    template <class Count> [[nodiscard]] double members(std::size_t j, const Count& count) {
        for (;; gaps_[j].widen()) {
            const auto [low, high] = count();
            if (within_bounds(j, low) == within_bounds(j, high)) return within_bounds(j, low);
        }
    }

    // Returns the lowest level at which the size is met.
    [[nodiscard]] double level_of(double size) {
        for (;;) {
            const Interval level = level_in_bands(size);
            if (level.low == level.high) return level.low;
            std::vector<std::size_t> open, incomplete;
            for (std::size_t j = 0; j < gaps_.size(); ++j) {
                const Interval at_low = members_up_to(j, level.low), at_high = members_up_to(j, level.high);
                if (at_low.low != at_low.high || at_high.low != at_high.high) open.push_back(j);
                if (!gaps_[j].is_complete()) incomplete.push_back(j);
            }
            for (const std::size_t j : open.empty() ? incomplete : open) gaps_[j].widen();
        }
    }
    // Returns the level at which the size is met, as far as the bands show.
    [[nodiscard]] Interval level_in_bands(double size) {
        std::size_t known = 0;
        for (const RankedGaps& group : gaps_) known += group.band().size();
        if (levels_.size() != known) {
            levels_.clear();
            for (const RankedGaps& group : gaps_)
                levels_.insert(levels_.end(), group.band().begin(), group.band().end());
            std::ranges::sort(levels_);
        }
        const double wanted = size * (1 - rounding);
        const auto reaches = [&](double level, double Interval::*end) {
            double total = 0;
            for (std::size_t j = 0; j < gaps_.size(); ++j) total += members_up_to(j, level).*end;
            return total >= wanted;
        };
        const auto first = [&](double Interval::*end) {
            return std::partition_point(levels_.begin(), levels_.end(),
                                        [&](float level) { return !reaches(level, end); });
        };
        if (reaches(-infinite, &Interval::low)) return {-infinite, -infinite};
        const auto high = first(&Interval::low);
        const double highest = high == levels_.end() ? infinite : double{*high};
        if (reaches(-infinite, &Interval::high)) return {-infinite, highest};
        // Usually both ends are equal.
        const bool is_same = high != levels_.begin() && !reaches(*(high - 1), &Interval::high);
        const auto low = is_same ? high : first(&Interval::high);
        return {low == levels_.end() ? infinite : double{*low}, highest};
    }

    // Returns the cheapest whole counts within the bounds.
    [[nodiscard]] Counts counts_of(std::int64_t size) {
        const double level = level_of(static_cast<double>(size));
        Counts counts;
        auto rest = static_cast<std::size_t>(size);
        for (std::size_t j = 0; j < gaps_.size(); ++j) {
            counts.push_back(static_cast<std::size_t>(members(j, [&] { return gaps_[j].count_below(level); })));
            rest -= counts[j];
        }
        // Points whose gap equals the level are taken while there is room.
        for (std::size_t j = 0; j < gaps_.size() && rest > 0; ++j) {
            const double up_to = members(j, [&] { return gaps_[j].count_up_to(level); });
            const std::size_t more = std::min(rest, static_cast<std::size_t>(up_to) - counts[j]);
            counts[j] += more;
            rest -= more;
        }
        return counts;
    }

    [[nodiscard]] bool is_cheaper(const Counts& one, const Counts& other) {
        double change = 0;
        for (std::size_t j = 0; j < gaps_.size(); ++j)
            for (std::size_t rank = std::min(one[j], other[j]); rank < std::max(one[j], other[j]); ++rank)
                change += one[j] > other[j] ? gaps_[j].at(rank) : -gaps_[j].at(rank);
        return change < 0;
    }

    // Returns counts near the fractional ones, for sizes at which whole counts cannot meet the bounds.
    [[nodiscard]] Counts rounded_counts(std::int64_t size) {
        bound(static_cast<double>(size));
        const double level = level_of(static_cast<double>(size));
        Counts counts;
        for (std::size_t j = 0; j < gaps_.size(); ++j)
            counts.push_back(
                static_cast<std::size_t>(std::llround(members(j, [&] { return gaps_[j].count_up_to(level); }))));
        return counts;
    }

    const Demand& demand_;
    std::vector<RankedGaps>& gaps_;
    Slope slope_;
    std::vector<float> levels_;             // gaps within the bands of all groups, ascending
    std::vector<double> least_, greatest_;  // bounds on the members of each group at the present size
    std::int64_t points_ = 0;
};

}  // namespace

std::vector<std::size_t> cheapest_counts(const Demand& demand, std::vector<RankedGaps>& gaps) {
    return demand.of_shares() ? ShareProblem(demand, gaps).solve() : counts_by_ratio(demand, gaps);
}

}  // namespace fairstream
