#pragma once
/// Choice between the losses by held-back points.

#include <fairstream/models/partial_fair_scorer/detail/model.hpp>

namespace fairstream::partial_fair_scorer {

/// Makes the choice again: learns with the sigmoid and with the logistic loss from a random three quarters of the
/// window, and compares both on the rest. The loss in use, at first the sigmoid, stays unless the other is more
/// accurate by more than two standard errors. Accuracy carries little information if nearly all points are of one
/// class; so of losses with similar accuracy, the sigmoid must not be worse in AUC by more than .02. For losses over
/// pairs, the AUC decides. Returns the number of evaluations of points.
double choose_loss(const Options& options, const Window& window, State& state, const WorkHandle& work = {});

}  // namespace fairstream::partial_fair_scorer
