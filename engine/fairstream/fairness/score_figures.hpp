#pragma once
/// The figures of scores, with their names in reports.

#include <array>

#include <fairstream/fairness/figure.hpp>
#include <fairstream/fairness/score_fairness.hpp>

namespace fairstream {

struct ScoreFigure : MemberFigure<ScoreFairness> {
    Interval ScoreIntervals::*interval;
};

/// All figures except the number of points.
inline constexpr std::array<ScoreFigure, 9> score_figures{
    {{{"accuracy", "number", "share of decisions that are right", &ScoreFairness::accuracy}, &ScoreIntervals::accuracy},
     {{"auc", "number", "positives above negatives", &ScoreFairness::auc}, &ScoreIntervals::auc},
     {{"psp", "number", "partial statistical parity: largest gap of the tails within the ranks", &ScoreFairness::sp},
      &ScoreIntervals::sp},
     {{"pdp", "number", "partial demographic parity: the same at the threshold", &ScoreFairness::dp},
      &ScoreIntervals::dp},
     {{"gauc", "number", "partial group AUC, off 1/2", &ScoreFairness::gauc}, &ScoreIntervals::gauc},
     {{"eop", "number", "partial equal opportunity: pdp of the positives", &ScoreFairness::eop}, &ScoreIntervals::eop},
     {{"eod", "number", "partial equalised odds: that, or of the negatives", &ScoreFairness::eod},
      &ScoreIntervals::eod},
     {{"tail_gap", "number", "largest gap of the tails at scores with such ranks", &ScoreFairness::tail_gap},
      &ScoreIntervals::tail_gap},
     {{"overall_gap", "number", "the same at all scores", &ScoreFairness::overall_gap}, &ScoreIntervals::overall_gap}}};

}  // namespace fairstream
