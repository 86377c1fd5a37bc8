#pragma once
/// Notes of `fairstream fit` on requests that have no effect or are probably not meant.

#include <string>
#include <vector>

#include <fairstream/files/points/table.hpp>
#include <fairstream/fit/request/fit_options.hpp>
#include <fairstream/models/model_options.hpp>

namespace fairstream::fit {

/// Returns notes on requests without effect: options of the model, and --group columns that are neither balanced nor
/// compared, unless the command line chooses the attributes. Also notes a last layer that takes long to solve.
[[nodiscard]] std::vector<std::string> notes_on_fit(const FitOptions& options, const ModelOptions& model,
                                                    const StreamFormat& format);
/// Returns the notes of `notes_on_fit`, and notes on targets (`classes_note`), small groups, and scales of columns
/// (`notes_on_scales`).
[[nodiscard]] std::vector<std::string> notes_on_points(const FitOptions& options, const ModelOptions& model,
                                                       const files::Table& table);

}  // namespace fairstream::fit
