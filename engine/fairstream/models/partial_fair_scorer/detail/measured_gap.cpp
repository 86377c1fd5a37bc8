#include <fairstream/models/partial_fair_scorer/detail/measured_gap.hpp>

#include <algorithm>

#include <fairstream/fairness/score_intervals.hpp>
#include <fairstream/models/partial_fair_scorer/detail/constraints.hpp>

namespace fairstream::partial_fair_scorer {
namespace {

struct Constrained {
    double ScoreFairness::*figure;
    ScoreGap gap;
};
Constrained constrained(Metric metric) {
    switch (metric) {
        case Metric::pdp:
            return {&ScoreFairness::dp, ScoreGap::dp};
        case Metric::eop:
        case Metric::eop_in_class:
            return {&ScoreFairness::eop, ScoreGap::eop};
        case Metric::eod:
        case Metric::eod_in_class:
            return {&ScoreFairness::eod, ScoreGap::eod};
        case Metric::gauc:
            return {&ScoreFairness::gauc, ScoreGap::gauc};
        case Metric::psp:
        case Metric::none:
            break;
    }
    return {&ScoreFairness::sp, ScoreGap::sp};
}

}  // namespace

bool is_kept_by_points(const Options& options) {
    return options.enforce == Enforce::empirical && options.metric != Metric::none;
}

bool exceeds_kappa(const Options& options, const Quality& quality) {
    return is_kept_by_points(options) && judged_gap(quality) > options.kappa;
}

void measure_gap(const Options& options, const Sample& sample, std::span<const double> scores, Quality& quality) {
    quality.measured = quality.limit = 0;
    quality.tied = std::ranges::all_of(scores, [&](double score) { return score == scores[0]; });
    if (options.metric == Metric::none) return;
    ScoreTally tally(sample.known_groups());
    for (std::size_t g = 0; g < sample.known_groups(); ++g)
        for (std::size_t row = sample.group(g).first; row < sample.group(g).last; ++row)
            tally.add(scores[row], static_cast<GroupId>(g), sample.signs()[row] > 0, sample.weight(row));
    tally.settle();
    const RankAmong among = ranks_in_class(options.metric) ? RankAmong::group_and_class : RankAmong::group;
    const RanksByGroup ranks = ranks_of(options, sample.known_groups());
    const auto [figure, gap] = constrained(options.metric);
    quality.measured = score_fairness(tally, ranks, options.threshold, among).*figure;
    if (options.confidence > 0)
        quality.limit = upper_limit(gap, tally, ranks, options.threshold, among, options.confidence);
}

}  // namespace fairstream::partial_fair_scorer
