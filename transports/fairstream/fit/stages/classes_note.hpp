#pragma once
/// A note on targets that a scorer cuts into yes and no, though they have more than two values.

#include <optional>
#include <string>

#include <fairstream/files/points/table.hpp>
#include <fairstream/fit/request/fit_options.hpp>
#include <fairstream/models/model_options.hpp>

namespace fairstream::fit {

/// Returns a note where a model takes targets above 0 for yes and all others for no, and not one value alone is either:
/// on codes beside 0 and 1, or beside -1 and 1, with the options that leave them out, and on numbers. Nothing for other
/// models, for a loss that takes targets as they are, and where --positive names the value that means yes.
[[nodiscard]] std::optional<std::string> classes_note(const FitOptions& options, const ModelOptions& model,
                                                      const files::Table& table);

}  // namespace fairstream::fit
