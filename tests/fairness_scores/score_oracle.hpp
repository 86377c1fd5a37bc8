#pragma once
/// The figures of `ScoreFairness`, counted from lists of points: nothing is sorted by blocks, summed or divided before
/// the end.
///
/// Weights are integers, and ends of intervals multiples of 1/10. So the ranks of a group of weight W consist of 10 W
/// cells of equal length, each of which belongs to one score, and counts or does not. Ties are spread evenly: the share
/// of a cell that is positive is the share of positives in the weight with its score.

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include <fairstream/fairness/score_fairness.hpp>
#include <fairstream/numeric/detail/random.hpp>

namespace fairstream::test {

constexpr int tenths = 10;

struct ScoredPoint {
    Score score;
    GroupId group;
    bool positive;
    int weight;
};

/// Rank intervals [first/10, second/10), of one group or of all.
using Tenths = std::vector<std::pair<int, int>>;

struct Sample {
    int groups;
    std::vector<ScoredPoint> points;
    std::vector<Tenths> ranks;  // 1 or one per group
    double threshold;
    double unit = 1;  // of the weights in the tally

    [[nodiscard]] const Tenths& of(int group) const { return ranks[ranks.size() == 1 ? 0 : std::size_t(group)]; }
    [[nodiscard]] RanksByGroup rank_intervals() const {
        RanksByGroup all;
        for (const Tenths& list : ranks) {
            all.emplace_back();
            for (const auto& [from, to] : list) all.back().push_back({from / 10.0, to / 10.0});
        }
        return all;
    }
    [[nodiscard]] ScoreTally tally() const {
        ScoreTally tally(static_cast<std::size_t>(groups));
        for (const ScoredPoint& p : points) tally.add(p.score, p.group, p.positive, p.weight * unit);
        tally.settle();
        return tally;
    }
    [[nodiscard]] ScoreFairness fairness(RankAmong among = RankAmong::group) const {
        return score_fairness(tally(), rank_intervals(), threshold, among);
    }
};

inline Tenths random_tenths(Random& random) {
    Tenths list;
    for (int from = static_cast<int>(random.below(9)); from < tenths; from += 1 + static_cast<int>(random.below(4))) {
        const int to = from + 1 + static_cast<int>(random.below(static_cast<std::uint32_t>(tenths - from)));
        list.emplace_back(from, to);
        from = to - static_cast<int>(random.below(2));  // some touch the interval before
        if (random.below(2) == 0) break;
    }
    return list;
}

inline Sample random_sample(Random& random) {
    Sample x{static_cast<int>(1 + random.below(4)), {}, {}, static_cast<double>(random.below(9)) / 8};
    const std::uint32_t scores = random.below(2) == 0 ? 6 : 100'000;
    const std::uint32_t heaviest = 1 + random.below(3);
    const std::uint32_t n = random.below(30);
    for (std::uint32_t i = 0; i < n; ++i)
        x.points.push_back({static_cast<double>(random.below(scores)) / (scores - 1),
                            static_cast<GroupId>(random.below(static_cast<std::uint32_t>(x.groups))),
                            random.below(3) == 0, static_cast<int>(1 + random.below(heaviest))});
    const int lists = random.below(2) == 0 ? 1 : x.groups;
    for (int k = 0; k < lists; ++k) x.ranks.push_back(random_tenths(random));
    x.unit = random.below(2) == 0 ? 1 : 0.1;
    return x;
}

namespace counted {

enum class Class { any, negative, positive };

inline bool belongs(const ScoredPoint& p, int group, Class c = Class::any) {
    return p.group == group && (c == Class::any || p.positive == (c == Class::positive));
}

// Weight of the points of a group for which `holds`.
template <class Holds> int weight(const Sample& x, int group, Class c, Holds&& holds) {
    int sum = 0;
    for (const ScoredPoint& p : x.points) sum += belongs(p, group, c) && holds(p) ? p.weight : 0;
    return sum;
}
inline int weight(const Sample& x, int group, Class c = Class::any) {
    return weight(x, group, c, [](const auto&) { return true; });
}

struct Cell {
    Score score;
    double positive;
};

// Returns the cells that count; ranks are taken among the points of the group and class.
inline std::vector<Cell> cells(const Sample& x, int group, Class among = Class::any) {
    std::vector<Score> ranked;  // the score of each cell
    for (const ScoredPoint& p : x.points)
        if (belongs(p, group, among)) ranked.insert(ranked.end(), static_cast<std::size_t>(p.weight) * tenths, p.score);
    std::ranges::sort(ranked, std::greater{});
    const int total = weight(x, group, among);
    std::vector<Cell> inside;
    for (int j = 0; j < total * tenths; ++j) {
        const Score score = ranked[static_cast<std::size_t>(j)];
        const auto tied = [&](const ScoredPoint& p) { return p.score == score; };
        const double share = weight(x, group, Class::positive, tied) / double(weight(x, group, Class::any, tied));
        for (const auto& [from, to] : x.of(group))
            if (from * total <= j && j < to * total) inside.push_back({score, share});
    }
    return inside;
}

// Pr(score > theta) over the cells, each with the weight from `of`; NaN if there is none.
template <class Of> double tail(const std::vector<Cell>& cells, double theta, Of&& of) {
    double above = 0, all = 0;
    for (const Cell& cell : cells) {
        all += of(cell);
        if (cell.score > theta) above += of(cell);
    }
    return all > 0 ? above / all : std::numeric_limits<double>::quiet_NaN();
}

inline double even(const Cell&) {
    return 1;
}

// max over pairs of groups of |value - value|; NaN means no group.
inline double largest_gap(const std::vector<double>& values) {
    double largest = 0;
    for (const double a : values)
        for (const double b : values)
            if (a - b > largest) largest = a - b;
    return largest;
}

inline double dp(const Sample& x, double theta, Class among = Class::any) {
    std::vector<double> tails;
    for (int k = 0; k < x.groups; ++k) tails.push_back(tail(cells(x, k, among), theta, even));
    return largest_gap(tails);
}

inline double sp(const Sample& x) {
    double largest = 0;
    for (const ScoredPoint& p : x.points) largest = std::max(largest, dp(x, p.score));
    return largest;
}

inline double class_gap(const Sample& x, bool positives) {
    std::vector<double> tails;
    for (int k = 0; k < x.groups; ++k)
        tails.push_back(tail(cells(x, k), x.threshold,
                             [&](const Cell& cell) { return positives ? cell.positive : 1 - cell.positive; }));
    return largest_gap(tails);
}

inline double gauc(const Sample& x) {
    double largest = 0;
    for (int k = 0; k < x.groups; ++k)
        for (int other = 0; other < x.groups; ++other) {
            const std::vector<Cell> ours = cells(x, k), theirs = cells(x, other);
            if (k == other || ours.empty() || theirs.empty()) continue;
            double at_least = 0;
            for (const Cell& a : ours)
                for (const Cell& b : theirs) at_least += a.score >= b.score;
            largest = std::max(largest, std::abs(at_least / double(ours.size() * theirs.size()) - 0.5));
        }
    return largest;
}

// Largest gap of Pr(score > theta | group). `at_ranks`: only if the rank of theta counts in one of the two groups.
inline double tail_gap(const Sample& x, bool at_ranks) {
    double largest = 0;
    for (const ScoredPoint& p : x.points)
        for (int k = 0; k < x.groups; ++k)
            for (int other = 0; other < x.groups; ++other) {
                const auto higher = [&](const ScoredPoint& q) { return q.score > p.score; };
                const int all = weight(x, k), theirs = weight(x, other);
                if (all == 0 || theirs == 0) continue;
                const int above = weight(x, k, Class::any, higher);
                const bool counts = std::ranges::any_of(x.of(k), [&](const auto& interval) {
                    return interval.first * all <= above * tenths && above * tenths < interval.second * all;
                });
                if (at_ranks && !counts) continue;
                largest = std::max(
                    largest, std::abs(double(above) / all - double(weight(x, other, Class::any, higher)) / theirs));
            }
    return largest;
}

inline double accuracy(const Sample& x) {
    double right = 0, all = 0;
    for (const ScoredPoint& p : x.points) {
        all += p.weight;
        if ((p.score > x.threshold) == p.positive) right += p.weight;
    }
    return all > 0 ? right / all : 0;
}

inline double auc(const Sample& x) {
    double above = 0, pairs = 0;
    for (const ScoredPoint& p : x.points)
        for (const ScoredPoint& q : x.points) {
            if (!p.positive || q.positive) continue;
            const double weight = double(p.weight) * q.weight;
            pairs += weight;
            above += p.score > q.score ? weight : p.score == q.score ? weight / 2 : 0;
        }
    return pairs > 0 ? above / pairs : 0.5;
}

inline ScoreFairness fairness(const Sample& x, RankAmong among) {
    const auto of_class = [&](bool positives) {
        return among == RankAmong::group ? class_gap(x, positives)
                                         : dp(x, x.threshold, positives ? Class::positive : Class::negative);
    };
    return {.points = static_cast<std::int64_t>(x.points.size()),
            .accuracy = accuracy(x),
            .auc = auc(x),
            .sp = sp(x),
            .dp = dp(x, x.threshold),
            .gauc = gauc(x),
            .eop = of_class(true),
            .eod = std::max(of_class(true), of_class(false)),
            .tail_gap = tail_gap(x, true),
            .overall_gap = tail_gap(x, false)};
}

}  // namespace counted
}  // namespace fairstream::test
