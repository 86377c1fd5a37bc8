#pragma once
/// Balance and parity of the groups that count for targets.

#include <vector>

#include <fairstream/fairness/figure.hpp>
#include <fairstream/fairness/tally.hpp>
#include <fairstream/targets/targets.hpp>

namespace fairstream {

inline constexpr FigureText balance_without_rare{
    "balance_without_rare", "",
    "balance of the least balanced cluster, without the groups that targets leave out as too rare"};
inline constexpr FigureText parity_without_rare{
    "parity_without_rare", "", "parity of the worst cluster, without the groups that targets leave out as too rare"};

/// Adds balance and parity of the groups that count, each the smallest over the attributes with targets, if targets
/// leave out a rare group. Without these figures, the figures of all groups look as if targets were missed.
/// `weight_unit` as `Window::weight_unit`.
void add_figures_without_rare(const ClusterTargets& targets, const FairnessTally& tally, double weight_unit,
                              std::vector<Figure>& figures);

}  // namespace fairstream
