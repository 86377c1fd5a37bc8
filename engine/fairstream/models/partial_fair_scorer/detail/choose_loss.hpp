#pragma once
/// Chooses between the losses by points that are held back.

#include <fairstream/models/partial_fair_scorer/detail/model.hpp>

namespace fairstream::partial_fair_scorer {

/// Makes the choice anew: learns with the sigmoid and with the logistic loss from three quarters of the window, drawn
/// at random, and compares the two on the rest. The one in use stays, at first the sigmoid, unless the other one is
/// more accurate by more than two standard errors. Accuracy says little where nearly all points are of one class: of
/// losses alike in it, the sigmoid must not be worse in AUC by more than .02. Over pairs the AUC decides. Returns the
/// points evaluated.
double choose_loss(const Options& options, const Window& window, State& state, const WorkHandle& work = {});

}  // namespace fairstream::partial_fair_scorer
