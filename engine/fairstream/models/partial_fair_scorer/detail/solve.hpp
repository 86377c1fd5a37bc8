#pragma once
/// Solves of a training problem on one sample: cold, warm, and until the points keep to kappa.

#include <cstdint>

#include <fairstream/models/partial_fair_scorer/detail/model.hpp>
#include <fairstream/models/partial_fair_scorer/detail/sample.hpp>

namespace fairstream::partial_fair_scorer {

struct Solved {
    Solution solution;
    Outcome outcome = Outcome::iteration_limit;  ///< `stalled` too where it should keep to kappa and does not
};

/// Goes on from a solution by at most `outer` iterations a solve, or begins from nothing where it has no weights. With
/// `enforce` = empirical it solves until the points keep to kappa, a few times at most. Returns the best solution met.
/// The options name a loss. Asked to end, it ends after an outer iteration with the best so far.
[[nodiscard]] Solved solve(const Options& options, const Sample& sample, std::int64_t outer, Solution from,
                           const WorkHandle& work = {});

/// Goes on where the points do not keep to kappa: starts from solves with other ridges, which end elsewhere, and looks
/// near the best of all for longer. Changes nothing where they keep to it.
void seek_kappa(const Options& options, const Sample& sample, std::int64_t outer, Solved& solved,
                const WorkHandle& work = {});

/// Says whether a solution is better than another one of the same options and points: it keeps to kappa and the other
/// one does not, or it exceeds kappa by less, or where both keep to it its loss is lower by more than a share `by`.
[[nodiscard]] bool is_better(const Options& options, const Solution& one, const Solution& other, double by = 0);

}  // namespace fairstream::partial_fair_scorer
