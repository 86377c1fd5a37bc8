#pragma once
/// The figures of scores, by their names in reports.

#include <array>
#include <nlohmann/json_fwd.hpp>
#include <string_view>

#include <fairstream/command/input/score_parts.hpp>

namespace fairstream::command {

struct ScoreFigure {
    std::string_view name;
    double ScoreFairness::*value;
    Interval ScoreIntervals::*interval;
    std::string_view meaning;
};

/// All figures but the number of points.
inline constexpr std::array<ScoreFigure, 9> score_figures{
    {{"accuracy", &ScoreFairness::accuracy, &ScoreIntervals::accuracy, "share of decisions that are right"},
     {"auc", &ScoreFairness::auc, &ScoreIntervals::auc, "positives above negatives"},
     {"sp", &ScoreFairness::sp, &ScoreIntervals::sp,
      "partial statistical parity: largest gap of the tails within the ranks"},
     {"dp", &ScoreFairness::dp, &ScoreIntervals::dp, "partial demographic parity: the same at the threshold"},
     {"gauc", &ScoreFairness::gauc, &ScoreIntervals::gauc, "partial group AUC, off 1/2"},
     {"eop", &ScoreFairness::eop, &ScoreIntervals::eop, "partial equal opportunity: dp of the positives"},
     {"eod", &ScoreFairness::eod, &ScoreIntervals::eod, "partial equalised odds: that, or of the negatives"},
     {"tail_gap", &ScoreFairness::tail_gap, &ScoreIntervals::tail_gap,
      "largest gap of the tails at scores with such ranks"},
     {"overall_gap", &ScoreFairness::overall_gap, &ScoreIntervals::overall_gap, "the same at all scores"}}};

/// Adds each figure by its name, and their intervals where there are such.
void add_figures(const ScoreFairness& fairness, nlohmann::ordered_json& json);
/// Adds an object for each existing part.
void add_parts(const PartFairness& fairness, nlohmann::ordered_json& json);

}  // namespace fairstream::command
