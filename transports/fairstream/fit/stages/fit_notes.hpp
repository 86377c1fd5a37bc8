#pragma once
/// Notes of `fairstream fit` on what it was asked for that has no effect, or hardly one that is meant.

#include <string>
#include <vector>

#include <fairstream/files/points/table.hpp>
#include <fairstream/fit/request/fit_options.hpp>
#include <fairstream/models/model_options.hpp>

namespace fairstream::fit {

/// Returns notes on what the command line asks for that has no effect: options of the model, and those of several
/// --group columns that are not balanced or compared, unless it says which are. Notes also a last layer whose solutions
/// take long.
[[nodiscard]] std::vector<std::string> notes_on_fit(const FitOptions& options, const ModelOptions& model,
                                                    const StreamFormat& format);
/// Returns these notes, and those on targets (`classes_note`), small groups and the scales of the columns
/// (`notes_on_scales`).
[[nodiscard]] std::vector<std::string> notes_on_points(const FitOptions& options, const ModelOptions& model,
                                                       const files::Table& table);

}  // namespace fairstream::fit
