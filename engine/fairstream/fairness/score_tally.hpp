#pragma once
/// Numbers of points by group, scores or predictions: the state behind every fairness figure of a model that gives
/// such.

#include <cstddef>
#include <span>
#include <vector>

#include <fairstream/base/types.hpp>

namespace fairstream {

/// A value: copy it, compare it. `add` and `remove` cost O(1) amortised; `settle` brings the sorted columns up to date
/// in O(n + m log m) for m points added or removed since, which is what a moving window needs.
class ScoreTally {
public:
    struct Entry {
        Score score = 0;
        double weight = 1;
        float target = 0;
        [[nodiscard]] bool positive() const noexcept { return target > 0; }
        bool operator==(const Entry&) const = default;
    };

    ScoreTally() = default;
    /// `known_groups`: how many of the groups, the first ones, gaps are about; the others count in accuracy and area
    /// alone.
    explicit ScoreTally(std::size_t groups) : ScoreTally(groups, groups) {}
    ScoreTally(std::size_t groups, std::size_t known_groups);

    /// Adds a point. Weights are in [1e-100, 1e100], so that no sum or product of two sums leaves the doubles; scores
    /// are not NaN. A point scored `no_score` is passed over.
    void add(Score score, GroupId group, float target, double weight = 1);
    /// Removes a point that is in when next settled, with the values it was added with: anything else trips an
    /// assertion in `settle`, or is passed over there where assertions are off.
    void remove(Score score, GroupId group, float target, double weight = 1);
    void clear() noexcept;
    void settle();

    [[nodiscard]] std::size_t groups() const noexcept { return sorted_.size(); }
    [[nodiscard]] std::size_t known_groups() const noexcept { return known_groups_; }
    /// Number of points that are in, settled or not.
    [[nodiscard]] std::size_t size() const noexcept;
    /// Returns a group's entries by falling score, ties in an order that depends only on what is in. Only after
    /// `settle`.
    [[nodiscard]] std::span<const Entry> sorted(GroupId group) const noexcept { return sorted_[group]; }

    bool operator==(const ScoreTally&) const = default;

private:
    std::size_t known_groups_ = 0;
    std::vector<std::vector<Entry>> sorted_;   // by group
    std::vector<std::vector<Entry>> added_;    // by group, since `settle`
    std::vector<std::vector<Entry>> removed_;  // by group, since `settle`
};

}  // namespace fairstream
