#pragma once
/// Help on `fairstream front`, for the search of one model or of both.

#include <string>

#include <fairstream/command/console/cli.hpp>

namespace fairstream::command {

/// Hides the options of `front` that a search with `model` does not take, and explains the others for it. When no model
/// of that name has a front, all options are left.
void adapt_front_help(CLI::App& front, const std::string& model);

}  // namespace fairstream::command
