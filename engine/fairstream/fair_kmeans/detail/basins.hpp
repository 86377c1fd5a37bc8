#pragma once
/// Centres at which clusterings that keep demands may begin, other than those of clusterings without demands.
///
/// A cluster that keeps a demand joins points of several places where groups lie in different ones, and its cost
/// depends on which ones it joins. Paths from clusterings without demands do not choose that: those are nearly alike,
/// and so is what they lead to. Here many centres are tried that have nothing to do with them, most of them means of
/// points of all groups, and are judged by the cost of assignments that keep the demands.

#include <cstdint>
#include <span>
#include <vector>

#include <fairstream/base/work_handle.hpp>
#include <fairstream/data/window.hpp>
#include <fairstream/fairness/demand.hpp>

namespace fairstream::safairkm {

/// Part of the cost without demands by which these make clusters dearer where other basins are looked for.
inline constexpr double dear_target = 0.01;
/// Centres that are tried for each start.
inline constexpr std::size_t tries_for_each_start = 8;

/// Centres with prices at which an assignment to them keeps demands, about.
struct PricedCentres {
    std::vector<float> centres;               // k x d
    std::vector<std::vector<double>> prices;  // see `FairAssignment`
    double cost = 0;                          // see `FairLloyd::cost`
};

/// A window, and the demands for which a search for centres is made; borrows.
struct BasinProblem {
    const Window& window;
    std::size_t clusters;
    std::span<const std::uint32_t> attributes;  ///< balanced ones
    const Demands& demands;
    std::uint64_t seed;
};

/// Tries `tries` centres, goes on with those that cost least, and returns at most `wanted` of different costs, the
/// least first. The same on any number of threads. Tells `done` of rounds, but of no work.
[[nodiscard]] std::vector<PricedCentres> find_basins(const BasinProblem& problem, std::size_t tries, std::size_t wanted,
                                                     WorkDone& done);

}  // namespace fairstream::safairkm
