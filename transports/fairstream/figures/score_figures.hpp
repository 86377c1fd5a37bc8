#pragma once
/// Words for the figures of scores.

#include <string>

#include <fairstream/fairness/score_fairness.hpp>

namespace fairstream::figures {

/// Returns "eop and eod do not cover b (no positives)" and similar; empty when eop and eod cover all groups.
[[nodiscard]] std::string missing_classes_text(const ScoreFairness& fairness);

}  // namespace fairstream::figures
