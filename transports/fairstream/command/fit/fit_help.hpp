#pragma once
/// Help on `fairstream fit`, for one model or for all.

#include <string>

#include <fairstream/command/console/cli.hpp>

namespace fairstream::command {

/// Hides the options of `fit` that `model` does not take, and explains the others for it. Appends the model's own
/// options, figures and examples. For an unknown model, only options that all models take are left, and the models are
/// listed.
void adapt_fit_help(CLI::App& fit, const std::string& model);

}  // namespace fairstream::command
