#pragma once
/// Notes of `fairstream fit` on what it takes for features.

#include <string>
#include <vector>

#include <fairstream/files/input/input.hpp>
#include <fairstream/files/points/table.hpp>
#include <fairstream/fit/request/fit_options.hpp>

namespace fairstream::fit {

/// Returns "3 features (x, y, z)" for a fit; of made-up points without names.
[[nodiscard]] std::string features_text(const FitOptions& options, std::size_t dimensions);

/// Returns a note on features that nobody named and that look like an outcome or a protected attribute: by their name,
/// or because they tell the groups of an attribute apart (half of the column's variance is between
/// groups, of 100 points or more).
[[nodiscard]] std::vector<std::string> notes_on_features(const files::InputOptions& options, const files::Table& table);

}  // namespace fairstream::fit
