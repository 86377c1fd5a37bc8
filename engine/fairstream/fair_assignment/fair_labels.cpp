#include <fairstream/fair_assignment/fair_labels.hpp>

#include <algorithm>
#include <limits>
#include <numeric>
#include <optional>
#include <utility>

#include <fairstream/fair_assignment/detail/fair_assignment.hpp>
#include <fairstream/fair_assignment/detail/feasible_counts.hpp>
#include <fairstream/fair_assignment/detail/label_search.hpp>
#include <fairstream/fairness/attainable.hpp>
#include <fairstream/targets/demands.hpp>
#include <fairstream/targets/targets_among.hpp>

namespace fairstream {
namespace {

// Rounds of prices for fixed centres.
constexpr int price_rounds = 5;

std::vector<ClusterId> by_slot(const FairAssignment& assignment, std::span<const ClusterId> labels) {
    std::vector<ClusterId> ordered(labels.size());
    for (std::size_t i = 0; i < labels.size(); ++i) ordered[assignment.order()[i]] = labels[i];
    return ordered;
}

// With fewer points per cluster than this, clusters may stay empty: so few whole points rarely meet the demands in each
// cluster.
constexpr std::size_t few_of_cluster = 8;

// Up to this number of points times clusters, counts are searched from several starts, and labels may use any of the
// clusters.
constexpr std::size_t few_points_by_clusters = 1000;

// Bounds of the search of counts for relaxed demands: about half a second of one core per level, about ten seconds in
// all.
constexpr std::int64_t most_weighings = std::numeric_limits<std::int64_t>::max(), weighings_by_level = 100'000'000,
                       weighings_in_all = 20 * weighings_by_level;

// Returns a demand at a level from 0, no demand, to 1, the full demand.
Demand relaxed(Demand demand, double level) {
    demand.ratio *= level;
    for (double& share : demand.lower) share *= level;
    for (double& share : demand.upper) share = 1 - (1 - share) * level;
    return demand;
}

Demands relaxed(const Demands& demands, std::span<const double> levels) {
    Demands kept{{}, demands.of_sizes};
    for (std::size_t i = 0; i < levels.size(); ++i)
        if (levels[i] > 0) kept.of_groups.push_back(relaxed(demands.of_groups[i], levels[i]));
    return kept;
}

// Returns the highest level at which a cluster with these counts by group meets a demand.
double level_of(const Demand& demand, std::span<const std::int64_t> counts) {
    if (!demand.of_shares())
        return demand.ratio > 0 ? std::min(1.0, weighted_balance(demand, counts) / demand.ratio) : 1;
    const auto all = static_cast<double>(std::accumulate(counts.begin(), counts.end(), std::int64_t{0}));
    double level = 1;
    for (std::size_t j = 0; j < counts.size() && all > 0; ++j) {
        const double share = static_cast<double>(counts[j]) / all;
        if (demand.lower[j] > 0) level = std::min(level, share / demand.lower[j]);
        if (demand.upper[j] < 1) level = std::min(level, (1 - share) / (1 - demand.upper[j]));
    }
    return level;
}

std::vector<ClusterId> distinct(std::vector<ClusterId> labels) {
    std::ranges::sort(labels);
    labels.erase(std::ranges::unique(labels).begin(), labels.end());
    return labels;
}

// Returns the clusters for labels that are indices into `clusters`.
std::vector<ClusterId> renamed(std::vector<ClusterId> labels, std::span<const ClusterId> clusters) {
    for (ClusterId& label : labels) label = clusters[static_cast<std::size_t>(label)];
    return labels;
}

std::vector<float> centres_of(std::span<const ClusterId> clusters, std::span<const float> centres, std::size_t d) {
    std::vector<float> some;
    for (const ClusterId cluster : clusters) {
        const std::span<const float> centre = centres.subspan(static_cast<std::size_t>(cluster) * d, d);
        some.insert(some.end(), centre.begin(), centre.end());
    }
    return some;
}

// Demands that points cannot all meet, each at the highest level that a search finds.
class RelaxedDemands {
public:
    RelaxedDemands(const Demands& demands, const StreamFormat& format, const FairAssignment& assignment,
                   std::span<const float> centres)
        : demands_(demands),
          problem_(count_problem(demands, format, assignment, centres)),
          counts_(assignment.counts()),
          levels_(demands.of_groups.size()) {
        for (const Demand& demand : demands.of_groups) highest_levels_.push_back(highest_level(demand));
    }

    /// Raises the levels of the demands, first together and then one by one.
    void raise() {
        const std::size_t all = levels_.size();
        if (all == 0) return;
        raise_equal_levels(0, all);
        for (std::size_t i = 0; i < all; ++i) raise_equal_levels(i, i + 1);
    }
    /// Finds counts that meet the demands at their levels; returns false if the search finds none.
    bool find_counts() {
        problem_.demands = relaxed(demands_, levels_);
        const std::int64_t most = std::min(weighings_by_level, left_);
        CountLimits limits{.weighings = most};
        std::vector<CellCounts> found = feasible_counts(problem_, counts_, limits);
        left_ -= most - limits.weighings;
        if (found.empty()) return false;
        counts_ = std::move(found[0]);
        return true;
    }
    [[nodiscard]] Demands at_levels() const { return relaxed(demands_, levels_); }
    [[nodiscard]] const std::vector<std::int64_t>& counts() const { return counts_; }

private:
    // Returns an upper bound of the level, from the ratio of all points together and the best balance of whole points.
    [[nodiscard]] double highest_level(const Demand& demand) const {
        const std::size_t cells = problem_.cells.size();
        std::vector<std::int64_t> totals(cells);
        for (std::size_t i = 0; i < counts_.size(); ++i) totals[i % cells] += counts_[i];
        const std::vector<std::int64_t> of_groups = problem_.counts_by_group(totals, problem_.attribute_index(demand));
        const double top = level_of(demand, of_groups);
        if (demand.ratio == 0) return top;
        const auto counted = totals_of_equal_weights(demand, of_groups);
        if (!counted || counted->empty() || std::ranges::min(*counted) > exact_split_limit) return top;
        return std::min(top, attainable_balance(*counted, static_cast<std::int64_t>(problem_.clusters)) / demand.ratio);
    }

    // Raises levels that are equal and feasible to the highest feasible level, as far as bisection finds it.
    void raise_equal_levels(std::size_t first, std::size_t end) {
        const std::span<double> some = std::span(levels_).subspan(first, end - first);
        const double top = *std::min_element(highest_levels_.begin() + static_cast<std::ptrdiff_t>(first),
                                             highest_levels_.begin() + static_cast<std::ptrdiff_t>(end));
        double kept = some[0], missed = top;
        const auto is_feasible_at = [&](double level) {
            std::ranges::fill(some, level);
            if (!find_counts()) return false;
            kept = std::max(level, std::min(top, level_found(first, end)));
            return true;
        };
        // Precision of a level below 1; it is this small because a small part of a ratio may move many points.
        constexpr double apart = 1.0 / 1024;
        if (top < 1 || kept == 1 || !is_feasible_at(1))
            while (missed - kept > apart)
                if (const double level = (kept + missed) / 2; !is_feasible_at(level)) missed = level;
        std::ranges::fill(some, kept);
    }

    // Returns the highest level at which the present counts meet demands [first, end).
    [[nodiscard]] double level_found(std::size_t first, std::size_t end) const {
        const std::size_t cells = problem_.cells.size();
        double level = 1;
        for (std::size_t i = first; i < end; ++i)
            for (std::size_t l = 0; l < problem_.clusters; ++l) {
                const Demand& demand = demands_.of_groups[i];
                const auto row = std::span(counts_).subspan(l * cells, cells);
                level =
                    std::min(level, level_of(demand, problem_.counts_by_group(row, problem_.attribute_index(demand))));
            }
        return level;
    }

    const Demands& demands_;
    CountProblem problem_;
    std::vector<std::int64_t> counts_;
    std::vector<double> levels_, highest_levels_;
    std::int64_t left_ = weighings_in_all;
};

}  // namespace

FairLabels::FairLabels(const ClusterTargets& targets, const Window& window) : targets_(targets), window_(window) {
    const GroupMasses masses = group_masses(window);
    demands_ = demands_for(targets, masses);
    for (const std::size_t a : demanded_attributes(targets, masses))
        attributes_.push_back(static_cast<std::uint32_t>(targets.attribute[a]));
}

FairAssignment FairLabels::priced(std::span<const float> centres, const Demands& demands) const {
    FairAssignment assignment(window_, centres.size() / window_.dimensions(), attributes_);
    assignment.measure(centres);
    for (int round = 0; round < price_rounds; ++round) assignment.optimise_prices(demands.of_groups, demands.of_sizes);
    (void)assignment.assign();
    return assignment;
}

bool FairLabels::is_of_few(std::size_t clusters) const {
    return window_.size() * clusters <= few_points_by_clusters;
}

std::vector<ClusterId> FairLabels::about(std::span<const float> centres) const {
    FairAssignment assignment = priced(centres, demands_);
    return by_slot(assignment, assignment.assign());
}

std::optional<FoundLabels> FairLabels::exactly(std::span<const float> centres, const Demands& demands,
                                               std::size_t least_used, std::int64_t weighings) const {
    FairAssignment assignment = priced(centres, demands);
    CountProblem problem = count_problem(demands, window_.format(), assignment, centres);
    problem.least_used = least_used;
    CountLimits limits{.weighings = weighings};
    const std::size_t k = problem.clusters, cells = problem.cells.size();
    std::vector<CellCounts> found;
    CellCounts start = assignment.counts();
    // If few counts meet the demands, rotating the counts of the start among the clusters leads to other results.
    const std::size_t turns = is_of_few(k) ? k : 1;
    for (std::size_t turn = 0; turn < turns; ++turn) {
        for (CellCounts& counts : feasible_counts(problem, start, limits)) found.push_back(std::move(counts));
        std::ranges::rotate(start, start.begin() + static_cast<std::ptrdiff_t>(cells));
    }
    auto labels = search_labels(assignment, problem, found);
    if (labels) labels->labels = by_slot(assignment, labels->labels);
    return labels;
}

std::optional<FoundLabels> FairLabels::cheapest(std::span<const float> centres, std::span<const ClusterId> near,
                                                const Demands& demands, std::int64_t weighings) const {
    constexpr std::size_t all = 0;
    auto found = exactly(centres_of(near, centres, window_.dimensions()), demands, all, weighings);
    if (found) found->labels = renamed(std::move(found->labels), near);
    if (!is_of_few(centres.size() / window_.dimensions())) return found;
    const std::size_t least_used =
        std::min(near.size(), std::max((near.size() + 1) / 2, std::size_t{window_.size()} / few_of_cluster));
    auto of_all = exactly(centres, demands, least_used, weighings);
    return of_all && (!found || of_all->cost < found->cost) ? of_all : found;
}

std::optional<std::vector<ClusterId>> FairLabels::relaxed(std::span<const float> centres,
                                                          const Demands& demands) const {
    FairAssignment assignment = priced(centres, demands);
    RelaxedDemands found(demands, window_.format(), assignment, centres);
    if (!found.find_counts()) return std::nullopt;
    found.raise();
    // The demands can be met at these levels, so a search at their prices finds cheaper labels than `found.counts()`
    // gives.
    constexpr std::size_t all = 0;
    if (auto labels = exactly(centres, found.at_levels(), all, most_weighings)) return std::move(labels->labels);
    return by_slot(assignment, assignment.assign_counts(found.counts()));
}

std::vector<ClusterId> FairLabels::with_relaxed_demands(std::span<const float> centres,
                                                        const ClusterTargets& first) const {
    std::vector<ClusterId> at_prices = about(centres);
    if (!window_.weights().empty()) return at_prices;
    const std::vector<ClusterId> near = distinct(at_prices);
    if (auto found = cheapest(centres, near, demands_, most_weighings)) return std::move(found->labels);
    const GroupMasses masses = group_masses(window_);
    const Demands of_first = demands_for(first, masses);
    auto found = of_first == demands_ ? std::nullopt : cheapest(centres, near, of_first, most_weighings);
    if (!found) {
        auto labels = relaxed(centres_of(near, centres, window_.dimensions()), of_first);
        return labels ? renamed(std::move(*labels), near) : at_prices;
    }
    constexpr int most_tried = 8;  // largest number of groups tried; each needs a search
    int tried = 0;
    ClusterTargets kept = first;
    for (const int group : targets_.named_groups) {
        if (std::ranges::count(first.named_groups, group) > 0) continue;
        if (++tried > most_tried) break;
        ClusterTargets with = with_group(kept, group);
        auto more = cheapest(centres, near, demands_for(with, masses), weighings_by_level);
        if (!more) continue;
        found = std::move(more);
        kept = std::move(with);
    }
    return std::move(found->labels);
}

}  // namespace fairstream
