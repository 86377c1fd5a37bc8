#pragma once
/// Notes of `fairstream fit` on what it takes for features.

#include <string>
#include <vector>

#include <fairstream/command/fit/fit_options.hpp>
#include <fairstream/command/input/input.hpp>
#include <fairstream/csv/table.hpp>

namespace fairstream::command {

/// Returns "3 features (x, y, z)" for a fit; of made-up points without names.
[[nodiscard]] std::string features_text(const FitOptions& options, std::size_t dimensions);

/// Returns a note on features that nobody named and that look like an outcome or a protected attribute: by their name,
/// or because they tell the groups of an attribute apart (half of the column's variance is between
/// groups, of 100 points or more).
[[nodiscard]] std::vector<std::string> notes_on_features(const InputOptions& options, const csv::Table& table);

}  // namespace fairstream::command
