#pragma once
/// Scores or predictions of points by group: the state behind every fairness figure of such models.

#include <cstddef>
#include <span>
#include <vector>

#include <fairstream/base/types.hpp>

namespace fairstream {

/// A value type. `add` and `remove` cost O(1) amortised. `settle` updates the sorted columns in O(n + m log m) for m
/// points added or removed since its last call, which suits a moving window.
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
    /// Gaps cover the first `known_groups` groups, by default all; other groups count only in accuracy and AUC.
    explicit ScoreTally(std::size_t groups) : ScoreTally(groups, groups) {}
    ScoreTally(std::size_t groups, std::size_t known_groups);

    /// Adds a point. Weights must be in [1e-100, 1e100], so that no sum or product of two sums leaves the range of
    /// double; scores must not be NaN. A point with `no_score` is ignored.
    void add(Score score, GroupId group, float target, double weight = 1);
    /// Removes a point that is present at the next `settle`, with the values it was added with. A point that is not
    /// present fails an assertion in `settle`, or is ignored there if assertions are off.
    void remove(Score score, GroupId group, float target, double weight = 1);
    void clear() noexcept;
    void settle();

    [[nodiscard]] std::size_t groups() const noexcept { return sorted_.size(); }
    [[nodiscard]] std::size_t known_groups() const noexcept { return known_groups_; }
    /// Returns the number of points added and not removed, settled or not.
    [[nodiscard]] std::size_t size() const noexcept;
    /// Returns a group's entries by descending score; the order of ties depends only on the contents. Only valid after
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
