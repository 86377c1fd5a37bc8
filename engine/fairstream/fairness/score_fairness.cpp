#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <utility>

#include <fairstream/base/number_text.hpp>
#include <fairstream/fairness/detail/score_columns.hpp>
#include <fairstream/fairness/score_fairness.hpp>

namespace fairstream {
namespace {

// Sets SP^I, the largest gap of the tails, and the largest gap at ranks that count. Checks only thresholds that are
// scores, because G_k and F_k change only there.
void tail_gaps(const std::vector<Column>& columns, ScoreFairness& fairness) {
    Descent descent(columns);
    std::vector<double> above;
    while (descent.step([](const Tie&) {})) {
        const Extent shares = descent.shares(above);
        Extent tails;
        for (std::size_t k = 0; k < columns.size(); ++k) {
            const Tie* last = descent.last(k);
            tails.add(last ? last->tail : 0);
        }
        fairness.sp = std::max(fairness.sp, tails.width());
        fairness.overall_gap = std::max(fairness.overall_gap, shares.width());
        for (std::size_t k = 0; k < columns.size(); ++k) {
            const Tie* last = descent.last(k);
            if (last ? last->counts : columns[k].top_counts)
                fairness.tail_gap = std::max({fairness.tail_gap, above[k] - shares.low, shares.high - above[k]});
        }
    }
}

// Returns G_k at the threshold.
double tail_at(const Column& column, double threshold) {
    const auto below = std::ranges::partition_point(column.ties, [&](const Tie& tie) { return tie.score > threshold; });
    return below == column.ties.begin() ? 0 : std::prev(below)->tail;
}

double tail_gap_at(const std::vector<Column>& columns, double threshold) {
    Extent gap;
    for (const Column& column : columns) gap.add(tail_at(column, threshold));
    return gap.width();
}

// max over both orders of |Pr(h >= h') - 0.5|: one order counts pairs with h above or tied, the other pairs with h not
// above.
double auc_gap(const Column& column, const Column& other) {
    const PairMasses masses = pair_masses(column, other);
    const double pairs = masses.first * masses.second;
    const auto gap = [&](double at_least) { return std::min(0.5, std::abs(at_least / pairs - 0.5)); };
    return std::max(gap(masses.above + masses.tied), gap(pairs - masses.above));
}

double largest_auc_gap(const std::vector<Column>& columns) {
    double largest = 0;
    for (std::size_t k = 0; k < columns.size(); ++k)
        for (std::size_t other = 0; other < k; ++other)
            largest = std::max(largest, auc_gap(columns[k], columns[other]));
    return largest;
}

// Gap of Pr(score > threshold | group, class, rank in I), with ranks within the whole group.
double class_gap(const std::vector<Column>& columns, bool positives, double threshold) {
    Extent gap;
    for (const Column& column : columns) {
        double above = 0, all = 0;
        for (const Tie& tie : column.ties) {
            all += tie.of_class(positives) * tie.inside;
            if (tie.score > threshold) above = all;
        }
        if (all > 0) gap.add(above / all);
    }
    return gap.width();
}

double accuracy(const std::vector<Column>& columns, double threshold) {
    double right = 0, all = 0;
    for (const Column& column : columns)
        for (const Tie& tie : column.ties) {
            right += tie.of_class(tie.score > threshold);
            all += tie.weight();
        }
    return all > 0 ? right / all : 0;
}

double auc(const std::vector<Column>& columns) {
    double positives = 0, negatives = 0, above = 0, positive = 0, negative = 0;
    Descent descent(columns);
    const auto count = [&](const Tie& tie) {
        positive += tie.positive;
        negative += tie.negative;
    };
    while (descent.step(count)) {
        above += negative * (positives + positive / 2);
        positives += std::exchange(positive, 0);
        negatives += std::exchange(negative, 0);
    }
    return positives > 0 && negatives > 0 ? std::min(1.0, above / (positives * negatives)) : 0.5;
}

std::string text(const RankInterval& interval) {
    return "[" + number_text(interval.from) + ", " + number_text(interval.to) + ")";
}

}  // namespace

void check(const RanksByGroup& ranks, std::size_t groups) {
    if (ranks.size() != 1 && ranks.size() != groups)
        throw InvalidInput(Reason::bad_option, std::to_string(ranks.size()) + " lists of ranks for " +
                                                   std::to_string(groups) +
                                                   " groups: must be one for all groups, or one per group");
    for (std::size_t k = 0; k < ranks.size(); ++k) {
        const auto fail = [&](const std::string& what) {
            const std::string whose = ranks.size() == 1 ? "ranks" : "ranks of group " + std::to_string(k);
            throw InvalidInput(Reason::bad_option, whose + ": " + what);
        };
        if (ranks[k].empty()) fail("at least one interval is needed");
        for (std::size_t i = 0; i < ranks[k].size(); ++i) {
            const RankInterval& interval = ranks[k][i];
            if (!(interval.from >= 0 && interval.from < interval.to && interval.to <= 1))
                fail(text(interval) + " must be 0 <= from < to <= 1");
            if (i > 0 && interval.from < ranks[k][i - 1].to)
                fail(text(interval) + " must begin where " + text(ranks[k][i - 1]) + " ends, or after");
        }
    }
}

ScoreFairness score_fairness(const ScoreTally& tally, const RanksByGroup& ranks, double threshold, RankAmong among) {
    ScoreFairness fairness;
    const std::vector<Column> columns = columns_of(tally, ranks);
    const auto of_class = [&](bool positives) {
        return among == RankAmong::group ? class_gap(columns, positives, threshold)
                                         : tail_gap_at(columns_of(tally, ranks, positives), threshold);
    };
    fairness.points = static_cast<std::int64_t>(tally.size());
    const bool all_known = tally.known_groups() == tally.groups();
    const std::vector<Column> all = all_known ? std::vector<Column>() : columns_with_unknown_group(tally, ranks);
    fairness.accuracy = accuracy(all_known ? columns : all, threshold);
    fairness.auc = auc(all_known ? columns : all);
    tail_gaps(columns, fairness);
    fairness.dp = tail_gap_at(columns, threshold);
    fairness.gauc = largest_auc_gap(columns);
    fairness.eop = of_class(true);
    fairness.eod = std::max(fairness.eop, of_class(false));
    return fairness;
}

void name_groups_without(const ScoreTally& tally, const std::vector<std::string>& groups, ScoreFairness& fairness) {
    for (std::size_t g = 0; g < tally.known_groups(); ++g) {
        const auto entries = tally.sorted(static_cast<GroupId>(g));
        const auto is_positive = [](const ScoreTally::Entry& entry) { return entry.positive(); };
        if (entries.empty()) continue;
        if (std::ranges::none_of(entries, is_positive)) fairness.without_positives.push_back(groups[g]);
        if (std::ranges::all_of(entries, is_positive)) fairness.without_negatives.push_back(groups[g]);
    }
}

}  // namespace fairstream
