#pragma once
/// Options by name: how the command line, a configuration file and a control request set what a model lets a person
/// choose.

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <fairstream/base/option_text.hpp>
#include <fairstream/data/point_batch.hpp>
#include <fairstream/models/model_options.hpp>

namespace fairstream {

/// The names of all models, e.g. "safairkm".
[[nodiscard]] std::vector<std::string> model_names();
/// Throws `InvalidInput` (unknown_model).
[[nodiscard]] ModelOptions default_options(std::string_view model);
/// Returns the defaults for reading what a recording keeps: an option that it does not mention means what it meant
/// before there was that option, whatever the default is.
[[nodiscard]] ModelOptions recorded_options(std::string_view model);
[[nodiscard]] std::string_view model_name(const ModelOptions& options);

/// Says whether the model keeps several clusterings: a front (`OperatingPoint`).
[[nodiscard]] bool keeps_front(const ModelOptions& options);
/// Says whether the model gives points anything, clusters or numbers; otherwise it has figures of groups alone.
[[nodiscard]] bool gives_outputs(const ModelOptions& options);
/// Says whether the model gives points numbers, scores or predictions.
[[nodiscard]] bool gives_numbers(const ModelOptions& options);
/// Says whether those are predictions of their targets.
[[nodiscard]] bool gives_predictions(const ModelOptions& options);
/// Says whether the model tells how probable each cluster is for a point.
[[nodiscard]] bool has_memberships(const ModelOptions& options);
/// Returns the number of clusters; 0 for a model that gives none.
[[nodiscard]] std::size_t cluster_count(const ModelOptions& options);

/// Throws `InvalidInput` for an unknown name (the text lists the known ones) or a value out of range; `options` is then
/// as it was.
void set_option(ModelOptions& options, std::string_view name, std::string_view value);
[[nodiscard]] std::vector<OptionText> list_options(const ModelOptions& options);

/// The option of models that says which protected attributes count.
inline constexpr std::string_view attribute_option = "attribute";
/// Returns the value of `attribute_option` with indices in place of names of `attributes`, "1" for "race" or "0,1" for
/// "sex,race". A name goes before an index: "1" is the attribute called 1 where there is one, and otherwise the second.
/// The word all stays. A name with commas, and one that is all, stands in double quotes. Throws `InvalidInput`
/// (bad_option), which lists the names, for a name that no attribute has.
[[nodiscard]] std::string attribute_indices(std::string_view value, std::span<const Attribute> attributes);
/// Sets an option from a text that people write, in which protected attributes may be named.
void set_option(ModelOptions& options, std::string_view name, std::string_view value,
                std::span<const Attribute> attributes);
/// Returns the value with names in place of indices, as `attribute_indices` reads it back. An index without an
/// attribute stays.
[[nodiscard]] std::string attribute_names(std::string_view value, std::span<const Attribute> attributes);

/// An option that has no effect.
struct IdleOption {
    std::string name;
    std::string why;  ///< a clause: "is of use only with affinity=nystrom, and affinity is knn"
    /// What it lacks: `steps` or `points`; `anywhere`: values of other options.
    OptionScope lacks = OptionScope::anywhere;
};
/// Lists those of the options `named` that have no effect: since others do not have the values that they need, or since
/// they need more than there is, which is `there`, or targets. Names that there are not are passed over.
[[nodiscard]] std::vector<IdleOption> idle_options(const ModelOptions& options, std::span<const std::string> named,
                                                   OptionScope there = OptionScope::steps, bool has_targets = true);
/// Does so for the options that are not as by default, on a stream.
[[nodiscard]] std::vector<IdleOption> idle_options(const ModelOptions& options, bool has_targets = true);

}  // namespace fairstream
