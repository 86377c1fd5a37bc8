#pragma once
/// Help on `fairstream fit`: on one model, or on all of them.

#include <string>

#include <fairstream/command/console/cli.hpp>

namespace fairstream::command {

/// Hides the options of `fit` that `model` does not take, says what the others do for it, and puts its own options,
/// figures and examples below. Where there is no model of that name, only options that all models take are left, and
/// the models are listed.
void adapt_fit_help(CLI::App& fit, const std::string& model);

}  // namespace fairstream::command
