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
     {{"auc", "number",
       "area under the ROC curve: share of pairs of a positive and a negative in which the positive has the higher "
       "score",
       &ScoreFairness::auc},
      &ScoreIntervals::auc},
     {{"psp", "number",
       "partial statistical parity: largest gap between two groups' shares above a score, in the ranks of the option "
       "'interval'",
       &ScoreFairness::sp},
      &ScoreIntervals::sp},
     {{"pdp", "number", "partial demographic parity: psp at the decision threshold only", &ScoreFairness::dp},
      &ScoreIntervals::dp},
     {{"gauc", "number", "distance of the partial group AUC from 1/2", &ScoreFairness::gauc}, &ScoreIntervals::gauc},
     {{"eop", "number", "partial equal opportunity: pdp of the positives", &ScoreFairness::eop}, &ScoreIntervals::eop},
     {{"eod", "number", "partial equalised odds: the larger of eop and the pdp of the negatives", &ScoreFairness::eod},
      &ScoreIntervals::eod},
     {{"tail_gap", "number",
       "largest gap between two groups' shares above a score, for scores whose rank is in the option 'interval'",
       &ScoreFairness::tail_gap},
      &ScoreIntervals::tail_gap},
     {{"overall_gap", "number", "largest gap between two groups' shares above a score, for all scores",
       &ScoreFairness::overall_gap},
      &ScoreIntervals::overall_gap}}};

}  // namespace fairstream
