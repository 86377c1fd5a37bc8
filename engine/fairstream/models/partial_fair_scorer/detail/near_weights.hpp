#pragma once
/// Search for weights near a solution, with which the points meet kappa or come nearer to it.

#include <fairstream/models/partial_fair_scorer/detail/model.hpp>
#include <fairstream/models/partial_fair_scorer/detail/sample.hpp>

namespace fairstream::partial_fair_scorer {

/// Changes the weights of a solution that misses kappa by small random steps, and keeps better weights (`is_better`).
/// With few points in the ranks that count, their gap changes in steps of a point's share; the surrogate shows no such
/// steps. Among solutions that are equal by the surrogate, chance decides whether the gap is below kappa. Makes
/// `trials` evaluations without slopes, and sets the figures of the final weights. Returns whether the weights changed.
bool search_near(const Options& options, const Sample& sample, double trials, Solution& solution,
                 const WorkHandle& work = {});

}  // namespace fairstream::partial_fair_scorer
