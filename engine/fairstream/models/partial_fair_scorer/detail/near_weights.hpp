#pragma once
/// Weights near those of a solve with which the points keep to kappa, or come nearer to it.

#include <fairstream/models/partial_fair_scorer/detail/model.hpp>
#include <fairstream/models/partial_fair_scorer/detail/sample.hpp>

namespace fairstream::partial_fair_scorer {

/// Changes the weights of a solution that misses kappa at random, little by little, and keeps what is better
/// (`is_better`). With few points in the ranks that count their gap moves in steps, by a point's share each, which the
/// surrogate does not see: whether it ends below kappa is chance among solutions that the surrogate takes for equal.
/// Evaluates so many times, each without slopes, and sets the figures of what it ends with. Returns whether the weights
/// changed.
bool look_near(const Options& options, const Sample& sample, double trials, Solution& solution,
               const WorkHandle& work = {});

}  // namespace fairstream::partial_fair_scorer
