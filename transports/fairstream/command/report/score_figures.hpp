#pragma once
/// The figures of scores and predictions in reports.

#include <string>

#include <nlohmann/json_fwd.hpp>

#include <fairstream/command/input/score_parts.hpp>
#include <fairstream/fairness/prediction_fairness.hpp>
#include <fairstream/fairness/score_figures.hpp>

namespace fairstream::command {

/// Adds each figure by its name, and their intervals where there are such.
void add_figures(const ScoreFairness& fairness, nlohmann::ordered_json& json);
/// Adds the rates that eop and eod lack, [{"rate": "true_positive_rate", "group_names": ["b"]}, ...]; nothing where
/// they lack none.
void add_missing_rates(const ScoreFairness& fairness, nlohmann::ordered_json& json);
/// Returns "eop and eod say nothing of b" and the like; empty where they lack nothing.
[[nodiscard]] std::string missing_classes_text(const ScoreFairness& fairness);
/// Adds each figure by its name; no "mse" where the points have no targets.
void add_figures(const PredictionFairness& fairness, nlohmann::ordered_json& json);
/// Adds an object for each existing part.
void add_parts(const PartFairness& fairness, nlohmann::ordered_json& json);

}  // namespace fairstream::command
