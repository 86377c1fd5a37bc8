#pragma once
/// The points of each group by descending score, ties together. Figures of scores and their sampling errors are
/// computed from them.

#include <algorithm>
#include <limits>
#include <optional>
#include <vector>

#include <fairstream/fairness/score_fairness.hpp>

namespace fairstream {

using Intervals = std::vector<RankInterval>;

/// All points of a group with the same score. Shares are of the weight of the group, or of its class.
struct Tie {
    Score score = 0;
    double positive = 0, negative = 0;  ///< weights
    double above = 0;                   ///< share above the next lower score: F of (62) just below this score
    double tail = 0;                    ///< share above the next lower score among the ranks that count: (62)
    double inside = 0;                  ///< part of the tie's own ranks that counts, times `scale` of the column
    bool counts = false;                ///< whether the rank `above` counts

    [[nodiscard]] double weight() const { return positive + negative; }
    [[nodiscard]] double of_class(bool positives) const { return positives ? positive : negative; }
    [[nodiscard]] double mass() const { return weight() * inside; }
};

/// The ties of a group that has points, and the group's ranks that count.
struct Column {
    std::vector<Tie> ties;    ///< by descending score, at least one
    bool top_counts = false;  ///< whether rank 0 counts
    Intervals intervals;      ///< intervals that count; touching intervals are joined
    double length = 1;        ///< total length of the intervals
    double points = 0;        ///< effective number: (sum of weights)^2 / sum of squared weights (L. Kish)
    double scale = 1;         ///< power of two that keeps `inside` from underflow if few ranks count
};

/// Smallest and largest of the added values.
struct Extent {
    double low = std::numeric_limits<double>::infinity(), high = -low;
    void add(double value) {
        low = std::min(low, value);
        high = std::max(high, value);
    }
    [[nodiscard]] double width() const { return std::max(0.0, high - low); }  ///< 0 without values
};

/// Returns whether a rank counts.
[[nodiscard]] bool contains(const Intervals& intervals, double rank);
/// Returns the length of the part of the ranks [from, to) that counts.
[[nodiscard]] double overlap(const Intervals& intervals, double from, double to);

/// Returns a column for each known group that has points, or that has points of the given class.
[[nodiscard]] std::vector<Column> columns_of(const ScoreTally& tally, const RanksByGroup& ranks,
                                             std::optional<bool> only = {});
/// Returns a column for each group that has points, the unknown group included, whose ranks have no meaning.
[[nodiscard]] std::vector<Column> columns_with_unknown_group(const ScoreTally& tally, const RanksByGroup& ranks);

/// Masses of two columns, and of the pairs with one point of each.
struct PairMasses {
    double above = 0, tied = 0;  ///< weight of the pairs in which the first column's score is higher, and of those in
                                 ///< which both are equal
    double first = 0, second = 0;
};
[[nodiscard]] PairMasses pair_masses(const Column& first, const Column& second);

/// Walks through the scores of all columns together, in descending order.
class Descent {
public:
    explicit Descent(const std::vector<Column>& columns) : columns_(columns), next_(columns.size()) {}

    /// Moves past the highest remaining score and calls `passed(tie)` for each group that has this score. Returns false
    /// if none remains.
    template <class Passed> bool step(Passed&& passed) {
        const std::optional<Score> highest = top();
        if (!highest) return false;
        for (std::size_t k = 0; k < next_.size(); ++k)
            if (const Tie* tie = next(k); tie && tie->score == *highest) {
                passed(*tie);
                ++next_[k];
            }
        return true;
    }
    /// Returns the highest remaining score; empty if there is none.
    [[nodiscard]] std::optional<Score> top() const {
        std::optional<Score> top;
        for (std::size_t k = 0; k < next_.size(); ++k)
            if (const Tie* tie = next(k); tie && (!top || tie->score > *top)) top = tie->score;
        return top;
    }
    /// Sets `above` to the share of each column that was passed so far, and returns the smallest and largest of these
    /// shares.
    Extent shares(std::vector<double>& above) const {
        Extent extent;
        above.resize(columns_.size());
        for (std::size_t k = 0; k < columns_.size(); ++k) {
            const Tie* passed = last(k);
            extent.add(above[k] = passed ? passed->above : 0);
        }
        return extent;
    }
    /// Returns the last tie of group k that was passed; null before the group's first tie.
    [[nodiscard]] const Tie* last(std::size_t k) const {
        return next_[k] == 0 ? nullptr : &columns_[k].ties[next_[k] - 1];
    }

private:
    [[nodiscard]] const Tie* next(std::size_t k) const {
        return next_[k] == columns_[k].ties.size() ? nullptr : &columns_[k].ties[next_[k]];
    }

    const std::vector<Column>& columns_;
    std::vector<std::size_t> next_;  // by group: number of ties passed
};

}  // namespace fairstream
