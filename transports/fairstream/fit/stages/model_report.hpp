#pragma once
/// The common parts of all reports of `fit`.

#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>
#include <vector>

#include <fairstream/fit/request/fit_options.hpp>
#include <fairstream/models/model.hpp>
#include <fairstream/models/model_options.hpp>

namespace fairstream::fit {

/// Adds the model's own figures that `json` lacks; null for figures that are not available.
void add_figures(const ModelOptions& model, std::span<const Figure> figures, nlohmann::ordered_json& json);
/// Adds options, input, threads, processor and version.
void add_setup(const FitOptions& options, const ModelOptions& model, std::span<const Attribute> attributes,
               nlohmann::ordered_json& json);

/// Returns the addition to a summary's first line for a fit that was stopped early; otherwise empty.
[[nodiscard]] std::string stopped_text(bool stopped);

using TextRows = std::vector<std::vector<std::string>>;
/// Returns rows of name, value and meaning: the model's own figures without details.
[[nodiscard]] TextRows figure_rows(const ModelOptions& model, std::span<const Figure> figures);

}  // namespace fairstream::fit
