#pragma once
/// The predictions in a file, measured by a model without outputs.

#include <fairstream/fit/request/fit_options.hpp>
#include <fairstream/models/model_options.hpp>

namespace fairstream::fit {

/// Restricts the features of a file to the predictions, unless a configuration or the options name features.
void read_predictions_alone(const ModelOptions& model, files::InputOptions& input);

}  // namespace fairstream::fit
