#pragma once
/// Starts of cold solves.

#include <cstdint>
#include <vector>

#include <fairstream/models/partial_fair_scorer/detail/score_problem.hpp>
#include <fairstream/optimisation/detail/dc/idca.hpp>

namespace fairstream::partial_fair_scorer {

[[nodiscard]] dc::IdcaOptions idca_options(const Options& options, std::int64_t outer);

/// Returns the parameters at which the subgradient method begins: all scores tie, as with w = 0, at a value that meets
/// the constraints. With a given threshold, it is the value whose surrogate share is in the middle of the first
/// interval. At the threshold itself the share is 1/2, often outside of all intervals, where constraints have no slope
/// and nothing moves.
[[nodiscard]] std::vector<double> tied_start(const Options& options, const Sample& sample);

/// Returns the v at which the solver of `problem` begins. Adds the number of evaluations to `inner`.
[[nodiscard]] std::vector<double> cold_start(const Options& options, const Sample& sample, ScoreProblem& problem,
                                             std::int64_t& inner, const WorkHandle& work = {});

}  // namespace fairstream::partial_fair_scorer
