#pragma once
/// Starts of cold solves.

#include <cstdint>
#include <vector>

#include <fairstream/models/partial_fair_scorer/detail/score_problem.hpp>
#include <fairstream/optimisation/detail/dc/idca.hpp>

namespace fairstream::partial_fair_scorer {

[[nodiscard]] dc::IdcaOptions idca_options(const Options& options, std::int64_t outer);

/// Returns the parameters at which the subgradient method begins: all scores tie, as w = 0 makes them, at a value that
/// meets the constraints. At a given threshold that is one whose surrogate share lies in the middle of the first
/// interval: at the threshold itself it is 1/2, often outside of all intervals, where the constraints have no slope and
/// nothing moves.
[[nodiscard]] std::vector<double> tied_start(const Options& options, const Sample& sample);

/// Returns the v at which the solver of `problem` begins. `inner` is raised by the points evaluated.
[[nodiscard]] std::vector<double> cold_start(const Options& options, const Sample& sample, ScoreProblem& problem,
                                             std::int64_t& inner, const WorkHandle& work = {});

}  // namespace fairstream::partial_fair_scorer
