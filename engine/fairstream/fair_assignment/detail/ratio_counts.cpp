#include <fairstream/fair_assignment/detail/ratio_counts.hpp>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>
#include <span>
#include <vector>

#include <fairstream/fairness/attainable.hpp>

namespace fairstream {
namespace {

constexpr std::size_t no_cell = static_cast<std::size_t>(-1);

// A ratio of the groups of one attribute, and their points; either all groups have equal weights, or there are two
// groups.
struct Ratio {
    const Demand* demand = nullptr;
    std::size_t smallest = no_cell;
    std::int64_t least = 0, most = 0;  // points of the smallest group that counts, and of the largest other group
    double room = 0, need = 0;         // bounds on another group's points, upper and lower, per point of the smallest

    // Return the largest and the smallest number of points that another group may have beside `part` points of the
    // smallest.
    [[nodiscard]] std::int64_t most_of_other(std::int64_t part) const { return most_of_other_group(part, 1 / room); }
    [[nodiscard]] std::int64_t fewest_of_other(std::int64_t part) const {
        constexpr double rounding = 1e-12;
        return static_cast<std::int64_t>(std::ceil(static_cast<double>(part) * need * (1 - rounding)));
    }
};

// Returns the only demand of a problem if it is such a ratio; otherwise nothing.
std::optional<Ratio> only_ratio(const CountProblem& p, const CellCounts& counts) {
    if (p.demands.of_groups.size() != 1 || p.attributes.size() != 1 || p.demands.of_sizes.at_least > 1 ||
        p.demands.of_sizes.at_most < std::numeric_limits<std::int64_t>::max())
        return std::nullopt;
    Ratio found{&p.demands.of_groups[0]};
    const Demand& demand = *found.demand;
    if (demand.of_shares() || demand.ratio <= 0) return std::nullopt;
    const CellCounts totals = p.totals_of(counts);
    std::vector<std::size_t> counted;
    for (std::size_t c = 0; c < totals.size(); ++c)
        if (p.weight_of(c, demand) != 0) counted.push_back(c);
    if (counted.empty()) return std::nullopt;
    std::ranges::stable_sort(counted, {}, [&](std::size_t c) { return totals[c]; });
    found.smallest = counted[0];
    found.least = totals[counted[0]];
    found.most = totals[counted.back()];
    const double weight = p.weight_of(counted[0], demand), other = p.weight_of(counted.back(), demand);
    found.room = weight / other / demand.ratio;
    const bool have_equal_weights =
        std::ranges::all_of(counted, [&](std::size_t c) { return p.weight_of(c, demand) == weight; });
    // With equal weights the smallest group has the fewest points in every cluster, which leaves room for all others.
    found.need = have_equal_weights ? 1 : weight / other * demand.ratio;
    const auto all = std::ranges::count_if(demand.weights, [](double own) { return own > 0; });
    return have_equal_weights || all == 2 ? std::optional(found) : std::nullopt;
}

// Moves points of every other group so that they fit beside the parts of the smallest group. Returns nothing if a group
// does not fit; all fit if the parts leave enough room.
std::optional<CellCounts> place_other_groups(const CellCounts& parts, const CountProblem& p, const Ratio& ratio,
                                             const CellCounts& counts) {
    const std::size_t cells = p.cells.size();
    const CellCounts totals = p.totals_of(counts);
    CellCounts low, high;
    for (const std::int64_t part : parts) {
        low.push_back(ratio.fewest_of_other(part));
        high.push_back(std::min(ratio.most, ratio.most_of_other(part)));
        if (low.back() > high.back()) return std::nullopt;
    }
    if (sum_of(high) < ratio.most) return std::nullopt;
    CellCounts result = counts;
    for (std::size_t c = 0; c < cells; ++c) {
        if (p.weight_of(c, *ratio.demand) == 0) continue;
        std::int64_t rest = totals[c];
        const auto lead = [&](std::size_t l, std::int64_t wanted) {
            std::int64_t& count = result[l * cells + c];
            count = c == ratio.smallest ? parts[l] : std::clamp(wanted, low[l], high[l]);
            return count;
        };
        for (std::size_t l = 0; l < p.clusters; ++l) rest -= lead(l, counts[l * cells + c]);
        for (std::size_t l = 0; l < p.clusters && rest != 0; ++l) {
            const std::int64_t count = result[l * cells + c];
            rest -= lead(l, count + rest) - count;
        }
        if (rest != 0) return std::nullopt;
    }
    return result;
}

// Points lost by rounding.
struct RoundingLoss {
    std::int64_t room = 0, need = 0;
    // Returns the number of possible losses up to this one.
    [[nodiscard]] std::int64_t states() const { return (room + 1) * (need + 1); }
};

// Dynamic programme over clusters. A part is a cluster's number of points of the smallest group. Its room and its need
// are the most and the fewest points of another group beside it. The rooms of two parts add up to the room of their sum
// or to one less, because a part divided by the ratio is rounded down. Likewise the needs of two parts add up to the
// need of their sum or to one more. So the state of a split of the first clusters has two components. One is how many
// more points the split holds than these clusters have now, at most twice the radius. The other is the number of points
// lost by rounding of rooms and of needs, which no later cluster returns.
class SplitSearch {
public:
    SplitSearch(const CountProblem& p, const Ratio& ratio, const CellCounts& counts, const RoundingLoss& largest_loss,
                std::int64_t radius)
        : p_(p),
          ratio_(ratio),
          counts_(counts),
          largest_loss_(largest_loss),
          radius_(radius),
          losses_(static_cast<std::size_t>(largest_loss.states())),
          states_(static_cast<std::size_t>(4 * radius + 1) * losses_),
          moves_(states_, never),
          next_(states_) {}

    std::optional<CellCounts> run() {
        moves_[state(0, {})] = 0;
        for (std::size_t l = 0; l < p_.clusters; ++l) add(l);
        const std::size_t first = state(0, {});
        const auto best_of = std::span(moves_).subspan(first, losses_);
        std::size_t best = first + static_cast<std::size_t>(std::ranges::min_element(best_of) - best_of.begin());
        if (moves_[best] == never) return std::nullopt;
        CellCounts parts(p_.clusters);
        for (std::size_t l = p_.clusters; l-- > 0;) {
            const Step& step = steps_[l][best];
            parts[l] = present(l) + step.change;
            best = step.before;
        }
        return parts;
    }

private:
    static constexpr std::int64_t never = std::numeric_limits<std::int64_t>::max();
    struct Step {
        std::size_t before = 0;
        std::int64_t change = 0;
    };
    struct OtherGroupRange {
        std::int64_t fewest = 0, most = 0;
    };

    [[nodiscard]] std::size_t state(std::int64_t more, const RoundingLoss& lost) const {
        return static_cast<std::size_t>(more + 2 * radius_) * losses_ +
               static_cast<std::size_t>(lost.need * (largest_loss_.room + 1) + lost.room);
    }
    [[nodiscard]] std::int64_t present(std::size_t l) const { return p_.row_of(counts_, l)[ratio_.smallest]; }
    [[nodiscard]] OtherGroupRange other_group_range(std::int64_t part) const {
        return {ratio_.fewest_of_other(part), ratio_.most_of_other(part)};
    }

    // Returns the number of points, of all groups that count, that leave or enter cluster l if it gets this part.
    [[nodiscard]] std::int64_t moves_for(std::size_t l, std::int64_t part, const OtherGroupRange& own) const {
        std::int64_t moves = 0;
        for (std::size_t c = 0; c < p_.cells.size(); ++c) {
            if (p_.weight_of(c, *ratio_.demand) == 0) continue;
            const std::int64_t now = p_.row_of(counts_, l)[c];
            moves += std::abs(now - (c == ratio_.smallest ? part : std::clamp(now, own.fewest, own.most)));
        }
        return moves;
    }

    // Returns how many points of another group some clusters may have beside `held` points of the smallest group, for
    // each change of `held` from minus twice the radius to plus twice the radius.
    [[nodiscard]] std::vector<OtherGroupRange> other_group_ranges(std::int64_t held) const {
        std::vector<OtherGroupRange> all;
        for (std::int64_t more = -2 * radius_; more <= 2 * radius_; ++more)
            all.push_back(other_group_range(std::max<std::int64_t>(0, held + more)));
        return all;
    }

    void add(std::size_t l) {
        const std::vector<OtherGroupRange> before = other_group_ranges(held_);
        held_ += present(l);
        const std::vector<OtherGroupRange> after = other_group_ranges(held_);
        std::ranges::fill(next_, never);
        std::vector<Step>& steps = steps_.emplace_back(states_);
        for (std::int64_t change = -radius_; change <= radius_; ++change) {
            const std::int64_t part = present(l) + change;
            if (part < 1) continue;
            const OtherGroupRange own = other_group_range(part);
            if (own.fewest > own.most) continue;
            const std::int64_t moves = moves_for(l, part, own);
            for (std::int64_t more = std::max(-2 * radius_, -2 * radius_ - change);
                 more <= std::min(2 * radius_, 2 * radius_ - change); ++more) {
                const OtherGroupRange& of_others = before[static_cast<std::size_t>(more + 2 * radius_)];
                const OtherGroupRange& of_all = after[static_cast<std::size_t>(more + change + 2 * radius_)];
                const RoundingLoss lost{std::max<std::int64_t>(0, of_all.most - of_others.most - own.most),
                                        std::max<std::int64_t>(0, of_others.fewest + own.fewest - of_all.fewest)};
                const std::size_t shift = state(0, lost) - state(0, {});
                for (RoundingLoss so_far; so_far.need + lost.need <= largest_loss_.need; ++so_far.need)
                    for (so_far.room = 0; so_far.room + lost.room <= largest_loss_.room; ++so_far.room) {
                        const std::size_t from = state(more, so_far), to = state(more + change, so_far) + shift;
                        if (moves_[from] == never || moves_[from] + moves >= next_[to]) continue;
                        next_[to] = moves_[from] + moves;
                        steps[to] = {from, change};
                    }
            }
        }
        moves_.swap(next_);
    }

    const CountProblem& p_;
    const Ratio& ratio_;
    const CellCounts& counts_;
    RoundingLoss largest_loss_;
    std::int64_t radius_;
    std::size_t losses_, states_;
    std::vector<std::int64_t> moves_, next_;  // by state: fewest moves
    std::vector<std::vector<Step>> steps_;    // by cluster and state
    std::int64_t held_ = 0;                   // present points of the clusters so far
};

// Returns the points of the smallest group for each cluster, so that all other groups find room beside them. No part is
// farther from the present part than a radius, which is doubled until there is such a split. Of the splits within the
// radius, returns one that moves nearly the fewest points. Nothing if there is none, or if the search would take more
// than some ten milliseconds.
std::optional<CellCounts> split_near_counts(const CountProblem& p, const Ratio& ratio, const CellCounts& counts) {
    constexpr std::int64_t first_radius = 8;
    constexpr double work_limit = 1e7;  // weighed changes of a part
    // By rounding, every cluster except the first can lose one point. With equal weights the need is the part itself,
    // which is not rounded.
    const std::int64_t others = static_cast<std::int64_t>(p.clusters) - 1;
    const RoundingLoss spare{std::min(ratio.most_of_other(ratio.least) - ratio.most, others),
                             ratio.need == 1 ? 0 : std::min(ratio.most - ratio.fewest_of_other(ratio.least), others)};
    if (spare.room < 0 || spare.need < 0) return std::nullopt;
    for (std::int64_t wanted = first_radius;; wanted *= 2) {
        const std::int64_t radius = std::min(wanted, ratio.least);
        const auto reach = static_cast<double>(radius);
        const double work = static_cast<double>(p.clusters) * (2 * reach + 1) * (4 * reach + 1);
        if (work * static_cast<double>(spare.states()) > work_limit) break;
        if (auto parts = SplitSearch(p, ratio, counts, spare, radius).run()) return parts;
        if (radius == ratio.least) break;
    }
    return std::nullopt;
}

// Returns the parts with the most room for groups of equal weights, at any distance from the present counts: larger
// parts go to clusters that have more of the smallest group.
std::optional<CellCounts> parts_with_most_room(const CountProblem& p, const Ratio& ratio, const CellCounts& counts) {
    const CellCounts by_size = split_with_most_room(ratio.least, static_cast<std::int64_t>(p.clusters), 1 / ratio.room);
    if (by_size.empty()) return std::nullopt;
    std::vector<std::size_t> order(p.clusters);
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::stable_sort(order, std::greater<>(),
                             [&](std::size_t l) { return p.row_of(counts, l)[ratio.smallest]; });
    CellCounts parts(p.clusters);
    for (std::size_t i = 0; i < order.size(); ++i) parts[order[i]] = by_size[i];
    return parts;
}

}  // namespace

std::optional<CellCounts> ratio_counts(const CountProblem& problem, const CellCounts& counts) {
    const std::optional<Ratio> ratio = only_ratio(problem, counts);
    if (!ratio) return std::nullopt;
    auto parts = split_near_counts(problem, *ratio, counts);
    if (!parts) parts = parts_with_most_room(problem, *ratio, counts);
    return parts ? place_other_groups(*parts, problem, *ratio, counts) : std::nullopt;
}

}  // namespace fairstream
