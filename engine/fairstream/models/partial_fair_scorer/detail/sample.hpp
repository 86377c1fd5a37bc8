#pragma once
/// Labelled points, ordered for sums over groups and classes.

#include <algorithm>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include <fairstream/data/point_batch.hpp>
#include <fairstream/models/partial_fair_scorer/detail/feature_scale.hpp>

namespace fairstream::partial_fair_scorer {

/// Rows [first, last) of a sample.
struct RowRange {
    std::size_t first = 0, last = 0;
    [[nodiscard]] std::size_t size() const noexcept { return last - first; }
    bool operator==(const RowRange&) const = default;
};

/// Returns the rows that are in both, in a range without rows where none are.
[[nodiscard]] inline RowRange overlap(RowRange a, RowRange b) noexcept {
    const std::size_t first = std::max(a.first, b.first);
    return {first, std::max(first, std::min(a.last, b.last))};
}

/// n points, sorted by group and within a group by class, negatives (target <= 0) first; otherwise in their old order.
/// Features that are mostly zero are kept without the zeros.
class Sample {
public:
    Sample() = default;
    /// `attribute` is the column of `points.groups` that is taken, of `attributes` columns. `points` have targets.
    /// `unit` is what a point of weight 1 weighs among them. `known_groups`: how many of the groups, the first ones,
    /// are compared; 0: all.
    Sample(const PointBatch& points, std::size_t dimensions, std::size_t attributes, std::size_t attribute,
           std::size_t groups, double unit = 1, std::size_t known_groups = 0);

    [[nodiscard]] std::size_t size() const noexcept { return order_.size(); }
    [[nodiscard]] std::size_t dimensions() const noexcept { return dimensions_; }
    [[nodiscard]] std::size_t groups() const noexcept { return (cells_.size() - 1) / 2; }
    /// Number of the groups that are compared with each other: all but that of unknown group.
    [[nodiscard]] std::size_t known_groups() const noexcept { return known_groups_ == 0 ? groups() : known_groups_; }
    [[nodiscard]] RowRange group(std::size_t g) const noexcept { return {cells_[2 * g], cells_[2 * g + 2]}; }
    [[nodiscard]] RowRange negatives(std::size_t g) const noexcept { return {cells_[2 * g], cells_[2 * g + 1]}; }
    [[nodiscard]] RowRange positives(std::size_t g) const noexcept { return {cells_[2 * g + 1], cells_[2 * g + 2]}; }
    /// Returns the index of a row among the points.
    [[nodiscard]] std::size_t point(std::size_t row) const noexcept { return order_[row]; }
    /// Returns a row's target as the stream has it.
    [[nodiscard]] double target(std::size_t row) const noexcept { return targets_[row]; }
    /// Classes by row: 1 for positive, -1 for negative.
    [[nodiscard]] std::span<const double> signs() const noexcept { return signs_; }

    /// Weights by row; empty: 1 each. A point of weight 2 counts as two equal points.
    [[nodiscard]] std::span<const double> weights() const noexcept { return weights_; }
    [[nodiscard]] double weight(std::size_t row) const noexcept { return weights_.empty() ? 1 : weights_[row]; }
    /// Returns the sum of the weights of rows.
    [[nodiscard]] double mass(RowRange rows) const noexcept;
    [[nodiscard]] double mass() const noexcept { return mass({0, size()}); }

    [[nodiscard]] bool is_sparse() const noexcept { return !begins_.empty(); }
    /// Returns the features of rows from `row` on, row-major; only for a sample that is not sparse.
    [[nodiscard]] const float* features(std::size_t row) const noexcept { return dense_.data() + row * dimensions_; }
    /// Return the columns, rising, and the values of a row's features that are not zero; only for a sparse sample.
    [[nodiscard]] std::span<const std::uint32_t> columns(std::size_t row) const noexcept {
        return {columns_.data() + begins_[row], begins_[row + 1] - begins_[row]};
    }
    [[nodiscard]] const float* entries(std::size_t row) const noexcept { return entries_.data() + begins_[row]; }

    /// The measure in which a solve sees these features.
    [[nodiscard]] const FeatureScale& scale() const noexcept { return scale_; }

private:
    void sort(const PointBatch& points, std::size_t attributes, std::size_t attribute, std::size_t groups);
    void copy_features(ConstRows features);

    std::size_t dimensions_ = 0;
    std::vector<std::size_t> cells_{0};  // 2 x groups + 1: where the rows of a group and class begin
    std::vector<std::uint32_t> order_;
    std::vector<double> targets_, signs_, weights_;
    std::size_t known_groups_ = 0;
    std::vector<float> dense_;
    std::vector<float> entries_;
    std::vector<std::uint32_t> columns_;
    std::vector<std::size_t> begins_;
    FeatureScale scale_;
};

/// Says whether some targets are positive and some are not.
[[nodiscard]] bool has_both_classes(std::span<const float> targets) noexcept;

/// Returns how many of n points, by falling score, have ranks up to `rank`: the ceiling of rank x n, without what
/// rounding alone adds to that product, as to 0.07 x 100.
[[nodiscard]] std::size_t count_up_to(double rank, std::size_t n) noexcept;

/// Returns how much of a mass of points, by falling score, has ranks up to `rank`: the same for weights in place of
/// numbers of points, at most `mass`.
[[nodiscard]] double mass_up_to(double rank, double mass) noexcept;

/// Sums over `rows` in parts of a fixed number of rows, tasks of their own, added in order: `body` adds its part to
/// `sums`, `width` numbers from 0. The result does not depend on threads.
void add_in_order(RowRange rows, std::size_t width, std::span<double> out,
                  const std::function<void(RowRange part, double* sums)>& body);
/// Calls `body` for the same parts, side by side.
void for_parts(RowRange rows, const std::function<void(RowRange part)>& body);

}  // namespace fairstream::partial_fair_scorer
