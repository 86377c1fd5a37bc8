#pragma once
/// A note on targets with more than two values that a scorer reads as yes and no.

#include <optional>
#include <string>

#include <fairstream/files/points/table.hpp>
#include <fairstream/fit/request/fit_options.hpp>
#include <fairstream/models/model_options.hpp>

namespace fairstream::fit {

/// Returns a note if a model reads targets above 0 as yes and all others as no, although there are more than two
/// values. If the further values look like codes beside 0 and 1, or beside -1 and 1, the note gives the options that
/// leave them out. Nothing for other models, for a loss that takes targets as numbers, and if --positive names the
/// value that means yes.
[[nodiscard]] std::optional<std::string> classes_note(const FitOptions& options, const ModelOptions& model,
                                                      const files::Table& table);

}  // namespace fairstream::fit
