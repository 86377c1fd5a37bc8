#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <string>
#include <utility>

#include <fairstream/base/number_text.hpp>
#include <fairstream/fairness/score_fairness.hpp>

namespace fairstream {
namespace {

using Intervals = std::vector<RankInterval>;

// All points of a group that share a score. Shares are of the weight of the group, or of its class.
struct Tie {
    Score score = 0;
    double positive = 0, negative = 0;  // weights
    double above = 0;                   // share above the next lower score: F of (62) just below this one
    double tail = 0;                    // the same among the ranks that count: (62)
    double inside = 0;                  // part of the tie's own ranks that counts, times a power of two of the column
    bool counts = false;                // whether the rank `above` does

    [[nodiscard]] double weight() const { return positive + negative; }
    [[nodiscard]] double of_class(bool positives) const { return positives ? positive : negative; }
    [[nodiscard]] double mass() const { return weight() * inside; }
};

struct Column {
    std::vector<Tie> ties;    // by falling score, at least one
    bool top_counts = false;  // whether rank 0 does
};

// Merges touching intervals, so that a tie across the seam is inside by exactly 1.
Intervals joined(const Intervals& intervals) {
    Intervals all;
    for (const RankInterval& interval : intervals)
        if (!all.empty() && all.back().to == interval.from)
            all.back().to = interval.to;
        else
            all.push_back(interval);
    return all;
}

// Returns the nearest end of an interval within `rounding` of `rank`, otherwise `rank`; the nearest keeps ranks in
// order. A rank that should meet an end misses it by the rounding of a sum of weights, and the side on which it falls
// decides whether it counts, or whether a class has any mass inside.
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

// Returns how much of the ranks [from, to) counts.
double overlap(const Intervals& intervals, double from, double to) {
    double sum = 0;
    for (const RankInterval& interval : intervals)
        sum += std::max(0.0, std::min(to, interval.to) - std::max(from, interval.from));
    return sum;
}

bool contains(const Intervals& intervals, double rank) {
    return std::ranges::any_of(intervals, [&](const RankInterval& i) { return i.from <= rank && rank < i.to; });
}

// Returns 1 if the rank counts, otherwise 0: for a tie so light that its ranks round to one number.
double covers(const Intervals& intervals, double rank) {
    return std::ranges::any_of(intervals, [&](const RankInterval& i) { return i.from <= rank && rank <= i.to; }) ? 1
                                                                                                                 : 0;
}

// The ties of a group, or of one class of it, with their weights.
std::vector<Tie> ties_of(std::span<const ScoreTally::Entry> sorted, std::optional<bool> only) {
    std::vector<Tie> ties;
    ties.reserve(sorted.size());
    for (const ScoreTally::Entry& entry : sorted) {
        if (only && entry.positive != *only) continue;
        if (ties.empty() || ties.back().score != entry.score) ties.emplace_back().score = entry.score;
        (entry.positive ? ties.back().positive : ties.back().negative) += entry.weight;
    }
    return ties;
}

Column column_of(std::span<const ScoreTally::Entry> sorted, const Intervals& ranks, std::optional<bool> only = {}) {
    const Intervals intervals = joined(ranks);
    Column column{ties_of(sorted, only), contains(intervals, 0)};
    double total = 0;
    for (const Tie& tie : column.ties) total += tie.weight();
    // Each of two sums of n weights is off by n units of rounding at most, and so is their quotient by twice that.
    const double rounding = static_cast<double>(sorted.size()) * std::numeric_limits<double>::epsilon();
    const double length = overlap(intervals, 0, 1);
    // Changes no bit of a quotient of masses, and keeps those of few ranks from underflow.
    const double scale = std::exp2(-std::max(std::ilogb(length), -1000));
    double sum = 0, from = 0;
    for (Tie& tie : column.ties) {
        sum += tie.weight();
        tie.above = sum / total;
        const double to = snapped(intervals, tie.above, rounding);
        tie.tail = overlap(intervals, 0, to) / length;
        tie.inside = scale * (from < to ? overlap(intervals, from, to) / (to - from) : covers(intervals, from));
        tie.counts = contains(intervals, to);
        from = to;
    }
    return column;
}

// Largest less smallest of the values added; 0 without any.
class Gap {
public:
    void add(double value) {
        low_ = std::min(low_, value);
        high_ = std::max(high_, value);
    }
    [[nodiscard]] double low() const { return low_; }
    [[nodiscard]] double high() const { return high_; }
    [[nodiscard]] double width() const { return std::max(0.0, high_ - low_); }

private:
    double low_ = std::numeric_limits<double>::infinity(), high_ = -low_;
};

// Passes the scores of all columns together, in falling order.
class Descent {
public:
    explicit Descent(const std::vector<Column>& columns) : columns_(columns), next_(columns.size()) {}

    /// Passes the highest score left and calls `passed(tie)` for each group that has it. Returns false when none is
    /// left.
    template <class Passed> bool step(Passed&& passed) {
        const Tie* top = nullptr;
        for (std::size_t k = 0; k < next_.size(); ++k)
            if (const Tie* tie = next(k); tie && (!top || tie->score > top->score)) top = tie;
        if (!top) return false;
        for (std::size_t k = 0; k < next_.size(); ++k)
            if (const Tie* tie = next(k); tie && tie->score == top->score) {
                passed(*tie);
                ++next_[k];
            }
        return true;
    }
    /// Returns the tie of group k that was passed last; null above its first.
    [[nodiscard]] const Tie* last(std::size_t k) const {
        return next_[k] == 0 ? nullptr : &columns_[k].ties[next_[k] - 1];
    }

private:
    [[nodiscard]] const Tie* next(std::size_t k) const {
        return next_[k] == columns_[k].ties.size() ? nullptr : &columns_[k].ties[next_[k]];
    }

    const std::vector<Column>& columns_;
    std::vector<std::size_t> next_;  // by group: ties passed
};

// Sets SP^I, the largest gap of the tails and that at ranks that count, looking at scores only, where G_k and F_k
// change.
void tail_gaps(const std::vector<Column>& columns, ScoreFairness& fairness) {
    Descent descent(columns);
    while (descent.step([](const Tie&) {})) {
        Gap tails, shares;
        for (std::size_t k = 0; k < columns.size(); ++k) {
            const Tie* last = descent.last(k);
            tails.add(last ? last->tail : 0);
            shares.add(last ? last->above : 0);
        }
        fairness.sp = std::max(fairness.sp, tails.width());
        fairness.overall_gap = std::max(fairness.overall_gap, shares.width());
        for (std::size_t k = 0; k < columns.size(); ++k) {
            const Tie* last = descent.last(k);
            const double share = last ? last->above : 0;
            if (last ? last->counts : columns[k].top_counts)
                fairness.tail_gap = std::max({fairness.tail_gap, share - shares.low(), shares.high() - share});
        }
    }
}

// G_k at the threshold.
double tail_at(const Column& column, double threshold) {
    const auto below = std::ranges::partition_point(column.ties, [&](const Tie& tie) { return tie.score > threshold; });
    return below == column.ties.begin() ? 0 : std::prev(below)->tail;
}

double tail_gap_at(const std::vector<Column>& columns, double threshold) {
    Gap gap;
    for (const Column& column : columns) gap.add(tail_at(column, threshold));
    return gap.width();
}

// max over both orders of |Pr(h >= h') - 0.5|: one counts the pairs with h above or tied, the other those with h not
// above.
double auc_gap(const Column& column, const Column& other) {
    double above = 0, tied = 0, mass = 0, other_mass = 0;
    auto next = column.ties.begin();
    for (const Tie& tie : other.ties) {
        for (; next != column.ties.end() && next->score > tie.score; ++next) mass += next->mass();
        above += tie.mass() * mass;
        if (next != column.ties.end() && next->score == tie.score) tied += tie.mass() * next->mass();
        other_mass += tie.mass();
    }
    for (; next != column.ties.end(); ++next) mass += next->mass();
    const double pairs = mass * other_mass;
    const auto gap = [&](double at_least) { return std::min(0.5, std::abs(at_least / pairs - 0.5)); };
    return std::max(gap(above + tied), gap(pairs - above));
}

double largest_auc_gap(const std::vector<Column>& columns) {
    double largest = 0;
    for (std::size_t k = 0; k < columns.size(); ++k)
        for (std::size_t other = 0; other < k; ++other)
            largest = std::max(largest, auc_gap(columns[k], columns[other]));
    return largest;
}

// Gap of Pr(score > threshold | group, class, rank in I), ranks being those of the whole group.
double class_gap(const std::vector<Column>& columns, bool positives, double threshold) {
    Gap gap;
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

std::vector<Column> columns_of(const ScoreTally& tally, const RanksByGroup& ranks, std::optional<bool> only = {}) {
    std::vector<Column> columns;
    for (std::size_t k = 0; k < tally.groups(); ++k) {
        Column column = column_of(tally.sorted(static_cast<GroupId>(k)), ranks[ranks.size() == 1 ? 0 : k], only);
        if (!column.ties.empty()) columns.push_back(std::move(column));
    }
    return columns;
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
                                                   std::to_string(groups) + " groups: must be one for all or one each");
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
    fairness.accuracy = accuracy(columns, threshold);
    fairness.auc = auc(columns);
    tail_gaps(columns, fairness);
    fairness.dp = tail_gap_at(columns, threshold);
    fairness.gauc = largest_auc_gap(columns);
    fairness.eop = of_class(true);
    fairness.eod = std::max(fairness.eop, of_class(false));
    return fairness;
}

}  // namespace fairstream
