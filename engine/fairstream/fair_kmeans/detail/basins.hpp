#pragma once
/// Start centres for clusterings that meet demands, independent of clusterings without demands. A basin is the set of
/// centres from which rounds lead to the same clustering.
///
/// A cluster that meets a demand joins points of several places if groups are in different places, and its cost depends
/// on which places it joins. Paths from clusterings without demands do not choose these places: the clusterings are
/// nearly equal, and so are the results. Here many unrelated centres are tried, most of them means of points of all
/// groups, and are compared by the cost of assignments that meet the demands.

#include <cstdint>
#include <span>
#include <vector>

#include <fairstream/base/work_handle.hpp>
#include <fairstream/data/window.hpp>
#include <fairstream/fairness/demand.hpp>

namespace fairstream::safairkm {

/// Other basins are searched if demands raise the cost by more than this share of the cost without demands.
inline constexpr double cost_rise_for_basins = 0.01;
/// Centres that are tried for each start.
inline constexpr std::size_t tries_for_each_start = 8;

/// Centres, with prices at which an assignment to them about meets the demands.
struct PricedCentres {
    std::vector<float> centres;               // k x d
    std::vector<std::vector<double>> prices;  // see `FairAssignment`
    double cost = 0;                          // see `FairLloyd::cost`
};

/// A window, and the demands for which centres are searched; borrows both.
struct BasinProblem {
    const Window& window;
    std::size_t clusters;
    std::span<const std::uint32_t> attributes;  ///< the balanced attributes
    const Demands& demands;
    std::uint64_t seed;
    /// Number of points among which centres are tried. It grows until the sample has enough points of each group per
    /// cluster, without which its prices carry no information.
    Slot sample = 8192;
};

/// Tries `tries` sets of centres, continues with the cheapest, and returns at most `wanted` of different costs, the
/// cheapest first. The result does not depend on the number of threads. Reports rounds to `done`, but no work.
[[nodiscard]] std::vector<PricedCentres> find_basins(const BasinProblem& problem, std::size_t tries, std::size_t wanted,
                                                     WorkDone& done);

}  // namespace fairstream::safairkm
