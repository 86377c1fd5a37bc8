#include <fairstream/models/partial_fair_scorer/detail/constraints.hpp>

#include <algorithm>

#include <fairstream/models/partial_fair_scorer/detail/group_auc.hpp>
#include <fairstream/models/partial_fair_scorer/detail/tail_constraints.hpp>

namespace fairstream::partial_fair_scorer {

RanksByGroup ranks_of(const Options& options, std::size_t groups) {
    std::vector<RankInterval> pairs;
    for (std::size_t i = 0; i + 1 < options.interval.size(); i += 2)
        pairs.push_back({options.interval[i], options.interval[i + 1]});
    if (options.interval_for == IntervalFor::all) return RanksByGroup(groups, pairs);
    RanksByGroup ranks;
    for (const RankInterval& interval : pairs) ranks.push_back({interval});
    return ranks;
}

double length(const std::vector<RankInterval>& ranks) {
    double sum = 0;
    for (const RankInterval& interval : ranks) sum += interval.to - interval.from;
    return sum;
}

double shortest_ranks(const Options& options, std::size_t groups) {
    double shortest = 1;
    for (const std::vector<RankInterval>& ranks : ranks_of(options, groups))
        shortest = std::min(shortest, length(ranks));
    return shortest;
}

bool compares_at_threshold(const Options& options) {
    return options.metric == Metric::pdp || is_of_positives(options.metric) || is_of_classes(options.metric);
}

std::size_t threshold_count(const Options& options) {
    return options.metric == Metric::psp ? static_cast<std::size_t>(options.rank_levels) : 0;
}

std::unique_ptr<Constraints> make_constraints(const Options& options, const Sample& sample) {
    switch (options.metric) {
        case Metric::psp:
            return statistical_parity(options, sample);
        case Metric::gauc:
            return std::make_unique<GroupAuc>(options, sample);
        case Metric::pdp:
        case Metric::eop:
        case Metric::eod:
        case Metric::eop_in_class:
        case Metric::eod_in_class:
            return parity_at_threshold(options, sample);
        case Metric::none:
            break;
    }
    return no_constraints(options, sample);
}

}  // namespace fairstream::partial_fair_scorer
