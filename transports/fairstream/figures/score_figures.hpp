#pragma once
/// Figures of scores and predictions, by part of the data.

#include <string>

#include <nlohmann/json_fwd.hpp>

#include <fairstream/fairness/score_fairness.hpp>
#include <fairstream/input/score_parts.hpp>

namespace fairstream::figures {

/// Returns "eop and eod do not cover b (no positives)" and similar; empty when eop and eod cover all groups.
[[nodiscard]] std::string missing_classes_text(const ScoreFairness& fairness);
/// Adds an object for each existing part.
void add_parts(const files::PartFairness& fairness, nlohmann::ordered_json& json);

}  // namespace fairstream::figures
