#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <utility>

#include <fairstream/fairness/detail/score_columns.hpp>

namespace fairstream {
namespace {

// Merges touching intervals, so that a tie across their common end is inside by exactly 1.
Intervals joined(const Intervals& intervals) {
    Intervals all;
    for (const RankInterval& interval : intervals)
        if (!all.empty() && all.back().to == interval.from)
            all.back().to = interval.to;
        else
            all.push_back(interval);
    return all;
}

// Returns the nearest end of an interval within `rounding` of `rank`, otherwise `rank`; taking the nearest keeps ranks
// in order. The rounding of a sum of weights may move a rank off the end that it should meet. The side on which it
// falls would then decide whether it counts, or whether a class has any mass inside.
double snapped(const Intervals& intervals, double rank, double rounding) {
    double nearest = rank, distance = rounding;
    for (const RankInterval& interval : intervals)
        for (const double end : {interval.from, interval.to})
            if (std::abs(end - rank) <= distance) {
                nearest = end;
                distance = std::abs(end - rank);
            }
    return nearest;
}

// Returns 1 if the rank is in one of the intervals, otherwise 0. For a tie so light that both ends of its ranks round
// to one number, this replaces the overlap per length.
double covers(const Intervals& intervals, double rank) {
    return std::ranges::any_of(intervals, [&](const RankInterval& i) { return i.from <= rank && rank <= i.to; }) ? 1
                                                                                                                 : 0;
}

// Returns the ties of a group, or of one class of it, with their weights.
std::vector<Tie> ties_of(std::span<const ScoreTally::Entry> sorted, std::optional<bool> only) {
    std::vector<Tie> ties;
    ties.reserve(sorted.size());
    for (const ScoreTally::Entry& entry : sorted) {
        if (only && entry.positive() != *only) continue;
        if (ties.empty() || ties.back().score != entry.score) ties.emplace_back().score = entry.score;
        (entry.positive() ? ties.back().positive : ties.back().negative) += entry.weight;
    }
    return ties;
}

Column column_of(std::span<const ScoreTally::Entry> sorted, const Intervals& ranks, std::optional<bool> only) {
    const Intervals intervals = joined(ranks);
    Column column{ties_of(sorted, only), contains(intervals, 0), intervals, overlap(intervals, 0, 1)};
    double total = 0, squares = 0;
    for (const Tie& tie : column.ties) total += tie.weight();
    for (const ScoreTally::Entry& entry : sorted)
        if (!only || entry.positive() == *only) squares += entry.weight * entry.weight;
    column.points = total * total / squares;
    // A sum of n weights has an error of at most n units of rounding, and a quotient of two sums an error of twice as
    // many.
    const double rounding = static_cast<double>(sorted.size()) * std::numeric_limits<double>::epsilon();
    // A power of two changes no bit of a quotient of masses.
    column.scale = std::exp2(-std::max(std::ilogb(column.length), -1000));
    double sum = 0, from = 0;
    for (Tie& tie : column.ties) {
        sum += tie.weight();
        tie.above = sum / total;
        const double to = snapped(intervals, tie.above, rounding);
        tie.tail = overlap(intervals, 0, to) / column.length;
        tie.inside = column.scale * (from < to ? overlap(intervals, from, to) / (to - from) : covers(intervals, from));
        tie.counts = contains(intervals, to);
        from = to;
    }
    return column;
}

std::vector<Column> first_columns(const ScoreTally& tally, std::size_t groups, const RanksByGroup& ranks,
                                  std::optional<bool> only) {
    std::vector<Column> columns;
    for (std::size_t k = 0; k < groups; ++k) {
        Column column = column_of(tally.sorted(static_cast<GroupId>(k)), ranks[k < ranks.size() ? k : 0], only);
        if (!column.ties.empty()) columns.push_back(std::move(column));
    }
    return columns;
}

}  // namespace

bool contains(const Intervals& intervals, double rank) {
    return std::ranges::any_of(intervals, [&](const RankInterval& i) { return i.from <= rank && rank < i.to; });
}

double overlap(const Intervals& intervals, double from, double to) {
    double sum = 0;
    for (const RankInterval& interval : intervals)
        sum += std::max(0.0, std::min(to, interval.to) - std::max(from, interval.from));
    return sum;
}

PairMasses pair_masses(const Column& first, const Column& second) {
    PairMasses masses;
    auto next = first.ties.begin();
    for (const Tie& tie : second.ties) {
        for (; next != first.ties.end() && next->score > tie.score; ++next) masses.first += next->mass();
        masses.above += tie.mass() * masses.first;
        if (next != first.ties.end() && next->score == tie.score) masses.tied += tie.mass() * next->mass();
        masses.second += tie.mass();
    }
    for (; next != first.ties.end(); ++next) masses.first += next->mass();
    return masses;
}

std::vector<Column> columns_of(const ScoreTally& tally, const RanksByGroup& ranks, std::optional<bool> only) {
    return first_columns(tally, tally.known_groups(), ranks, only);
}

std::vector<Column> columns_with_unknown_group(const ScoreTally& tally, const RanksByGroup& ranks) {
    return first_columns(tally, tally.groups(), ranks, {});
}

}  // namespace fairstream
