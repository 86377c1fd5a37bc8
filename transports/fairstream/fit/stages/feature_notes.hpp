#pragma once
/// Notes of `fairstream fit` on its features.

#include <string>
#include <vector>

#include <fairstream/files/points/table.hpp>
#include <fairstream/fit/request/fit_options.hpp>
#include <fairstream/input/input.hpp>

namespace fairstream::fit {

/// Returns "3 features (x, y, z)" for a fit; without names for generated points.
[[nodiscard]] std::string features_text(const FitOptions& options, std::size_t dimensions);

/// Returns notes on features that nobody named and that may be an outcome or a protected attribute: because of their
/// name, or because they tell the groups of an attribute apart (at least half of the column's variance lies between
/// groups, over at least 100 points).
[[nodiscard]] std::vector<std::string> notes_on_features(const files::InputOptions& options, const files::Table& table);

}  // namespace fairstream::fit
