#pragma once
/// The predictions in a file, whose figures a model without outputs gives.

#include <fairstream/fit/request/fit_options.hpp>
#include <fairstream/models/model_options.hpp>

namespace fairstream::fit {

/// Reads of a file's features the predictions alone, where neither a configuration nor the options name others.
void read_predictions_alone(const ModelOptions& model, files::InputOptions& input);

}  // namespace fairstream::fit
