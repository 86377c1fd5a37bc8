#pragma once
/// Help on `fairstream front`: on the search of one model, or of both.

#include <string>

#include <fairstream/command/console/cli.hpp>

namespace fairstream::command {

/// Hides the options of `front` that a search with `model` does not take, and says what the others do for it. Where no
/// model of that name has a front, all are left.
void adapt_front_help(CLI::App& front, const std::string& model);

}  // namespace fairstream::command
