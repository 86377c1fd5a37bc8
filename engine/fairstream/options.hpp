#pragma once
/// Options by name, as the command line, configuration files and control requests set them.

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <fairstream/base/option_text.hpp>
#include <fairstream/data/point_batch.hpp>
#include <fairstream/models/model_options.hpp>

namespace fairstream {

/// Returns the names of all models, e.g. "safairkm".
[[nodiscard]] std::vector<std::string> model_names();
/// Returns the model's options with their defaults. Throws `InvalidInput` (unknown_model).
[[nodiscard]] ModelOptions default_options(std::string_view model);
/// Returns the options before the text of a recording is applied to them. An option that the text does not mention
/// keeps its value here, which means the behaviour before the option existed, whatever its default is now.
[[nodiscard]] ModelOptions recorded_options(std::string_view model);
[[nodiscard]] std::string_view model_name(const ModelOptions& options);

/// Returns whether the model keeps several clusterings, a front (`OperatingPoint`).
[[nodiscard]] bool keeps_front(const ModelOptions& options);
/// Returns whether the model gives points clusters or numbers; otherwise it only measures groups.
[[nodiscard]] bool gives_outputs(const ModelOptions& options);
/// Returns whether the model gives points numbers: scores or predictions.
[[nodiscard]] bool gives_numbers(const ModelOptions& options);
/// Returns whether the model's numbers are predictions of targets.
[[nodiscard]] bool gives_predictions(const ModelOptions& options);
/// Returns whether the model gives the probability of each cluster for a point.
[[nodiscard]] bool has_memberships(const ModelOptions& options);
/// Returns the number of clusters; 0 for a model without clusters.
[[nodiscard]] std::size_t cluster_count(const ModelOptions& options);

/// Sets an option by name. Throws `InvalidInput` for an unknown name (the text lists the known names) or a value out of
/// range, and leaves `options` unchanged.
void set_option(ModelOptions& options, std::string_view name, std::string_view value);
[[nodiscard]] std::vector<OptionText> list_options(const ModelOptions& options);

/// Name of the option that chooses the protected attributes of a model.
inline constexpr std::string_view attribute_option = "attribute";
/// Returns the value of `attribute_option` with attributes' names replaced by indices: "race" by "1", "sex,race" by
/// "0,1". Names take precedence over indices: "1" is the attribute called 1 if there is one, otherwise the second. The
/// word "all" stays. A name that has commas, or that is the word "all", must be in double quotes. Throws `InvalidInput`
/// (bad_option), which lists the names, for an unknown name.
[[nodiscard]] std::string attribute_indices(std::string_view value, std::span<const Attribute> attributes);
/// Sets an option from a text written by a person, in which protected attributes may be named.
void set_option(ModelOptions& options, std::string_view name, std::string_view value,
                std::span<const Attribute> attributes);
/// Returns the value with indices replaced by names; `attribute_indices` is the inverse. An index without an attribute
/// stays.
[[nodiscard]] std::string attribute_names(std::string_view value, std::span<const Attribute> attributes);

/// An option that has no effect.
struct IdleOption {
    std::string name;
    std::string why;  ///< a clause: "has an effect only with affinity=nystrom, but affinity is knn"
    /// The missing input: `steps` or `points`; `anywhere` if values of other options are missing.
    OptionScope lacks = OptionScope::anywhere;
};
/// Lists those of the options `named` that have no effect: other options lack the required values, or the option needs
/// targets or more input than `there`. Unknown names are ignored.
[[nodiscard]] std::vector<IdleOption> idle_options(const ModelOptions& options, std::span<const std::string> named,
                                                   OptionScope there = OptionScope::steps, bool has_targets = true);
/// Lists, for a stream, the options without effect among those that differ from their defaults.
[[nodiscard]] std::vector<IdleOption> idle_options(const ModelOptions& options, bool has_targets = true);

}  // namespace fairstream
