#pragma once
/// The common parts of reports of `fit` on any model.

#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>
#include <vector>

#include <fairstream/fit/request/fit_options.hpp>
#include <fairstream/models/model.hpp>
#include <fairstream/models/model_options.hpp>

namespace fairstream::fit {

/// Adds the model's own figures that are not in `json` yet; null for those that it could have and has not.
void add_figures(const ModelOptions& model, std::span<const Figure> figures, nlohmann::ordered_json& json);
/// Adds options, input, threads, processor and version.
void add_setup(const FitOptions& options, const ModelOptions& model, std::span<const Attribute> attributes,
               nlohmann::ordered_json& json);

/// Returns what the first line of a summary says of a fit that was stopped before its end; empty of others.
[[nodiscard]] std::string stopped_text(bool stopped);

using TextRows = std::vector<std::vector<std::string>>;
/// Returns rows of name, value and meaning: the model's own figures but details.
[[nodiscard]] TextRows figure_rows(const ModelOptions& model, std::span<const Figure> figures);

}  // namespace fairstream::fit
