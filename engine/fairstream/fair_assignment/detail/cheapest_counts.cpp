#include <fairstream/fair_assignment/detail/cheapest_counts.hpp>

#include <algorithm>
#include <cmath>
#include <utility>

#include <fairstream/fair_assignment/detail/counts_by_shares.hpp>

namespace fairstream {
namespace {

// A bisection over doubles needs no more halvings than they have bits.
constexpr int halvings = 52;

// Adding a point of rank m to a group changes the cost by its gap, so that the cost of m members is convex in m.

/// Finds the counts of one cluster at least cost with all w_j m_j between ratio * t and t for one t, its scale. Finds
/// nothing when that takes a gap beyond the band of its group, which is then `lacking`.
class RatioProblem {
public:
    RatioProblem(const Demand& demand, const std::vector<RankedGaps>& gaps) : demand_(demand), gaps_(gaps) {
        for (std::size_t j = 0; j < gaps.size(); ++j) {
            free_.push_back(gaps[j].free());
            if (counts(j)) most_ = std::max(most_, demand.weight(j) * static_cast<double>(free_[j]));
        }
    }

    std::optional<std::vector<std::size_t>> solve(std::vector<bool>& lacking) const {
        // Beyond `most_` nothing is too many; the cost rises from there on.
        double low = 0, high = most_;
        for (int i = 0; i < halvings && low < high; ++i) {
            const double middle = low + (high - low) / 2;
            const std::optional<bool> rises = cost_rises(middle, lacking);
            if (!rises) return std::nullopt;
            (*rises ? high : low) = middle;
            if (high - low < 1e-9 * most_) break;
        }
        return counts_at(high, lacking);
    }

private:
    [[nodiscard]] bool counts(std::size_t j) const { return demand_.weight(j) > 0; }
    [[nodiscard]] double least(std::size_t j, double t) const { return demand_.ratio * t / demand_.weight(j); }
    [[nodiscard]] double greatest(std::size_t j, double t) const { return t / demand_.weight(j); }

    // Says whether the derivative of the cost by t is positive. A group that must have more members than want to join
    // adds the gap of the next one, which is positive; one that may not have as many adds the gap of the next that
    // could join, which is negative.
    [[nodiscard]] std::optional<bool> cost_rises(double t, std::vector<bool>& lacking) const {
        double slope = 0;
        bool more = false, less = false;  // the slope may be more, or less, than the bands show
        std::vector<bool> beyond(gaps_.size());
        for (std::size_t j = 0; j < gaps_.size(); ++j) {
            if (!counts(j)) continue;
            const auto wanted = static_cast<double>(free_[j]);
            const bool short_of = least(j, t) > wanted, too_many = greatest(j, t) < wanted;
            if (!short_of && !too_many) continue;
            const double members = short_of ? least(j, t) : greatest(j, t);
            const auto rank = static_cast<std::size_t>(members);
            slope += (short_of ? demand_.ratio : 1) / demand_.weight(j) * gaps_[j].at(rank);
            beyond[j] = gaps_[j].is_above(rank) || gaps_[j].is_below(rank);
            more = more || gaps_[j].is_above(rank);
            less = less || gaps_[j].is_below(rank);
        }
        if (slope >= 0 ? !less : !more) return slope >= 0;
        lacking = std::move(beyond);
        return std::nullopt;
    }

    [[nodiscard]] std::optional<std::vector<std::size_t>> counts_at(double t, std::vector<bool>& lacking) const {
        constexpr double rounding = 1e-9;
        std::vector<std::size_t> members = free_;
        double reached = 0;
        for (std::size_t j = 0; j < gaps_.size(); ++j) {
            if (!counts(j)) continue;
            members[j] = std::min(free_[j], static_cast<std::size_t>(greatest(j, t) * (1 + rounding)));
            reached = std::max(reached, demand_.weight(j) * static_cast<double>(members[j]));
        }
        for (std::size_t j = 0; j < gaps_.size(); ++j) {
            if (!counts(j)) continue;
            const auto needed = static_cast<std::size_t>(std::ceil(least(j, reached) * (1 - rounding)));
            members[j] = std::min(std::max(members[j], needed), gaps_[j].total());
            lacking[j] = members[j] != free_[j] && !gaps_[j].knows(members[j]);
        }
        if (std::ranges::count(lacking, true) > 0) return std::nullopt;
        return members;
    }

    const Demand& demand_;
    const std::vector<RankedGaps>& gaps_;
    std::vector<std::size_t> free_;  // members that want to join for free
    double most_ = 0;
};

}  // namespace

std::optional<std::vector<std::size_t>> cheapest_counts(const Demand& demand, const std::vector<RankedGaps>& gaps,
                                                        std::vector<bool>& lacking) {
    return demand.of_shares() ? counts_by_shares(demand, gaps, lacking) : RatioProblem(demand, gaps).solve(lacking);
}

}  // namespace fairstream
