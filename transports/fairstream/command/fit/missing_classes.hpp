#pragma once
/// Groups without positives or without negatives, of which figures by class say nothing.

#include <vector>

#include <nlohmann/json_fwd.hpp>

#include <fairstream/command/input/score_parts.hpp>
#include <fairstream/models/model_options.hpp>

namespace fairstream::command {

/// A known group that has points in a part, and none of a class there: `eod` is then that of the other groups or of the
/// other class, and so is `eop` where the class is the positive one.
struct MissingClass {
    csv::Part part = csv::Part::training;
    GroupId group = 0;  ///< of the attribute that the model compares
    bool is_positive = true;
};
[[nodiscard]] std::vector<MissingClass> missing_classes(const ModelOptions& model,
                                                        const std::vector<Attribute>& attributes,
                                                        const PartPoints& points);

/// Prints a note for each missing class of a part.
void note_missing_classes(const std::vector<MissingClass>& missing, csv::Part part, const Attribute& compared);
/// Says whether kappa bounds a figure that lacks a class among the training points.
[[nodiscard]] bool bounds_missing_class(const ModelOptions& model, const std::vector<MissingClass>& missing);
/// Returns the rates of a part that are missing: [{"rate": "true_positive_rate", "group_names": ["b"]}, ...].
[[nodiscard]] nlohmann::ordered_json missing_rates_json(const std::vector<MissingClass>& missing, csv::Part part,
                                                        const Attribute& compared);

}  // namespace fairstream::command
