#include <fairstream/models/safairkm/fair_labels.hpp>

#include <algorithm>
#include <optional>
#include <utility>

#include <fairstream/models/safairkm/detail/fair_assignment.hpp>
#include <fairstream/models/safairkm/detail/targets.hpp>

namespace fairstream::safairkm {
namespace {

// Rounds in which prices settle for centres that stay.
constexpr int price_rounds = 5;

std::vector<ClusterId> by_slot(const FairAssignment& assignment, std::span<const ClusterId> labels) {
    std::vector<ClusterId> ordered(labels.size());
    for (std::size_t i = 0; i < labels.size(); ++i) ordered[assignment.order()[i]] = labels[i];
    return ordered;
}

// Levels of demands that are eased: from none of a demand to all of it.
constexpr int whole = 32;
// Bounds the search at each level: about half a second of one core.
constexpr std::int64_t weighings_by_level = 100'000'000;

// Returns the demands with those of groups at these levels.
Demands eased(const Demands& demands, std::span<const int> levels) {
    Demands kept{{}, demands.of_sizes};
    for (std::size_t i = 0; i < levels.size(); ++i) {
        if (levels[i] == 0) continue;
        Demand demand = demands.of_groups[i];
        const double level = static_cast<double>(levels[i]) / whole;
        demand.ratio *= level;
        for (double& share : demand.lower) share *= level;
        for (double& share : demand.upper) share = 1 - (1 - share) * level;
        kept.of_groups.push_back(std::move(demand));
    }
    return kept;
}

// Raises some of the levels, which are alike and can be kept, to the highest at which `can_keep` says yes, as far as
// bisection finds it.
template <class CanKeep> void raise(std::span<int> some, const CanKeep& can_keep) {
    const auto can_keep_at = [&](int level) {
        std::ranges::fill(some, level);
        return can_keep();
    };
    int kept = some[0], missed = whole;
    if (kept == whole || can_keep_at(whole)) return;
    while (missed - kept > 1) {
        const int level = (kept + missed) / 2;
        (can_keep_at(level) ? kept : missed) = level;
    }
    std::ranges::fill(some, kept);
}

}  // namespace

FairLabels::FairLabels(const Options& options, const Window& window)
    : options_(options), window_(window), demands_(demands_for(options, group_masses(window))) {
    if (window.attributes() == 0) return;
    for (const int attribute : options.attribute) attributes_.push_back(static_cast<std::uint32_t>(attribute));
}

FairAssignment FairLabels::priced(std::span<const float> centres, const Demands& demands) const {
    FairAssignment assignment(window_, centres.size() / window_.dimensions(), attributes_);
    assignment.measure(centres);
    for (int round = 0; round < price_rounds; ++round) assignment.settle(demands.of_groups, demands.of_sizes);
    (void)assignment.assign();
    return assignment;
}

std::vector<ClusterId> FairLabels::about(std::span<const float> centres) const {
    FairAssignment assignment = priced(centres, demands_);
    return by_slot(assignment, assignment.assign());
}

std::optional<std::vector<ClusterId>> FairLabels::exactly(std::span<const float> centres,
                                                          const Demands& demands) const {
    FairAssignment assignment = priced(centres, demands);
    const auto counts = counts_that_keep(demands, window_.format(), assignment, centres);
    if (!counts) return std::nullopt;
    return by_slot(assignment, assignment.assign_counts(*counts));
}

std::optional<std::vector<ClusterId>> FairLabels::as_far_as_possible(std::span<const float> centres,
                                                                     const Options& first) const {
    if (!window_.weights().empty()) return std::nullopt;
    if (auto labels = exactly(centres, demands_)) return labels;
    Demands demands = demands_for(first, group_masses(window_));
    const std::size_t of_first = demands.of_groups.size();
    FairAssignment assignment = priced(centres, demands);
    for (const Demand& demand : demands_.of_groups)
        if (std::ranges::count(demands.of_groups, demand) == 0) demands.of_groups.push_back(demand);
    std::vector<int> levels(demands.of_groups.size());
    std::vector<std::int64_t> counts = assignment.counts();
    const auto can_keep = [&] {
        auto found =
            counts_that_keep(eased(demands, levels), window_.format(), assignment, centres, counts, weighings_by_level);
        if (!found) return false;
        counts = std::move(*found);
        return true;
    };
    if (!can_keep()) return std::nullopt;
    for (const std::span<int> some : {std::span(levels).first(of_first), std::span(levels).subspan(of_first)}) {
        if (some.empty()) continue;
        raise(some, can_keep);
        for (int& level : some) raise({&level, 1}, can_keep);
    }
    // Prices of demands that can be kept lead to cheaper labels.
    if (auto labels = exactly(centres, eased(demands, levels))) return labels;
    return by_slot(assignment, assignment.assign_counts(counts));
}

}  // namespace fairstream::safairkm
