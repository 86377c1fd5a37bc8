#pragma once
/// The figures of scores, with their names in reports.

#include <array>
#include <string_view>

#include <fairstream/fairness/score_fairness.hpp>

namespace fairstream {

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
     {"psp", &ScoreFairness::sp, &ScoreIntervals::sp,
      "partial statistical parity: largest gap of the tails within the ranks"},
     {"pdp", &ScoreFairness::dp, &ScoreIntervals::dp, "partial demographic parity: the same at the threshold"},
     {"gauc", &ScoreFairness::gauc, &ScoreIntervals::gauc, "partial group AUC, off 1/2"},
     {"eop", &ScoreFairness::eop, &ScoreIntervals::eop, "partial equal opportunity: pdp of the positives"},
     {"eod", &ScoreFairness::eod, &ScoreIntervals::eod, "partial equalised odds: that, or of the negatives"},
     {"tail_gap", &ScoreFairness::tail_gap, &ScoreIntervals::tail_gap,
      "largest gap of the tails at scores with such ranks"},
     {"overall_gap", &ScoreFairness::overall_gap, &ScoreIntervals::overall_gap, "the same at all scores"}}};

}  // namespace fairstream
