#pragma once
/// Solves of a training problem on one sample: cold, warm, and until the points meet kappa.

#include <cstdint>

#include <fairstream/models/partial_fair_scorer/detail/model.hpp>
#include <fairstream/models/partial_fair_scorer/detail/sample.hpp>

namespace fairstream::partial_fair_scorer {

struct Solved {
    Solution solution;
    Outcome outcome = Outcome::iteration_limit;  ///< also `stalled` if the points should meet kappa and do not
};

/// Continues from a solution with at most `outer` iterations per solve, or starts cold if it has no weights. With
/// `enforce` = empirical, repeats a few times until the points meet kappa. Returns the best solution found. The options
/// must name a loss. If the work is ended, stops after an outer iteration with the best solution so far.
[[nodiscard]] Solved solve(const Options& options, const Sample& sample, std::int64_t outer, Solution from,
                           const WorkHandle& work = {});

/// If the points do not meet kappa, solves with other ridges and continues from each of these solutions. If none meets
/// kappa, searches longer near the best solution found. Changes nothing if the points meet kappa.
void seek_kappa(const Options& options, const Sample& sample, std::int64_t outer, Solved& solved,
                const WorkHandle& work = {});

/// Returns whether a solution is better than another with the same options and points. A solution whose scores do not
/// all tie is better than one whose scores do. Then a solution that meets kappa is better than one that does not.
/// Otherwise a solution is better if its loss, raised by a price of the excess over kappa, is lower by more than a
/// share `by`.
[[nodiscard]] bool is_better(const Options& options, const Solution& one, const Solution& other, double by = 0);

}  // namespace fairstream::partial_fair_scorer
