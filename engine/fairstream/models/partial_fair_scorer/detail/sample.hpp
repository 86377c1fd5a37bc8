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

/// Returns the rows in both ranges; a range without rows if there are none.
[[nodiscard]] inline RowRange overlap(RowRange a, RowRange b) noexcept {
    const std::size_t first = std::max(a.first, b.first);
    return {first, std::max(first, std::min(a.last, b.last))};
}

/// n points, sorted by group, and within a group by class, negatives (target <= 0) first; otherwise in their original
/// order. Features that are mostly zero are stored without the zeros.
class Sample {
public:
    Sample() = default;
    /// `attribute` is the column of `points.groups` to use, of `attributes` columns. `points` must have targets. `unit`
    /// is the weight in `points` of a point of weight 1. Only the first `known_groups` groups are compared; 0: all.
    Sample(const PointBatch& points, std::size_t dimensions, std::size_t attributes, std::size_t attribute,
           std::size_t groups, double unit = 1, std::size_t known_groups = 0);

    [[nodiscard]] std::size_t size() const noexcept { return order_.size(); }
    [[nodiscard]] std::size_t dimensions() const noexcept { return dimensions_; }
    [[nodiscard]] std::size_t groups() const noexcept { return (cells_.size() - 1) / 2; }
    /// Returns the number of groups that are compared: all except the unknown group.
    [[nodiscard]] std::size_t known_groups() const noexcept { return known_groups_ == 0 ? groups() : known_groups_; }
    [[nodiscard]] RowRange group(std::size_t g) const noexcept { return {cells_[2 * g], cells_[2 * g + 2]}; }
    [[nodiscard]] RowRange negatives(std::size_t g) const noexcept { return {cells_[2 * g], cells_[2 * g + 1]}; }
    [[nodiscard]] RowRange positives(std::size_t g) const noexcept { return {cells_[2 * g + 1], cells_[2 * g + 2]}; }
    /// Returns the index of a row among the points.
    [[nodiscard]] std::size_t point(std::size_t row) const noexcept { return order_[row]; }
    /// Returns a row's target as given by the stream.
    [[nodiscard]] double target(std::size_t row) const noexcept { return targets_[row]; }
    /// Returns the classes by row: 1 for positive, -1 for negative.
    [[nodiscard]] std::span<const double> signs() const noexcept { return signs_; }

    /// Returns the weights by row; empty: 1 each. A point of weight 2 counts as two equal points.
    [[nodiscard]] std::span<const double> weights() const noexcept { return weights_; }
    [[nodiscard]] double weight(std::size_t row) const noexcept { return weights_.empty() ? 1 : weights_[row]; }
    /// Returns the total weight of rows.
    [[nodiscard]] double mass(RowRange rows) const noexcept;
    [[nodiscard]] double mass() const noexcept { return mass({0, size()}); }

    [[nodiscard]] bool is_sparse() const noexcept { return !begins_.empty(); }
    /// Returns the features of rows from `row` on, row-major; only for a dense sample.
    [[nodiscard]] const float* features(std::size_t row) const noexcept { return dense_.data() + row * dimensions_; }
    /// Return the columns, ascending, and the values of a row's nonzero features; only for a sparse sample.
    [[nodiscard]] std::span<const std::uint32_t> columns(std::size_t row) const noexcept {
        return {columns_.data() + begins_[row], begins_[row + 1] - begins_[row]};
    }
    [[nodiscard]] const float* entries(std::size_t row) const noexcept { return entries_.data() + begins_[row]; }

    /// Returns the scale of these features within a solve.
    [[nodiscard]] const FeatureScale& scale() const noexcept { return scale_; }

private:
    void sort(const PointBatch& points, std::size_t attributes, std::size_t attribute, std::size_t groups);
    void copy_features(ConstRows features);

    std::size_t dimensions_ = 0;
    std::vector<std::size_t> cells_{0};  // 2 x groups + 1: first row of each group and class
    std::vector<std::uint32_t> order_;
    std::vector<double> targets_, signs_, weights_;
    std::size_t known_groups_ = 0;
    std::vector<float> dense_;
    std::vector<float> entries_;
    std::vector<std::uint32_t> columns_;
    std::vector<std::size_t> begins_;
    FeatureScale scale_;
};

/// Returns whether some targets are positive and some are not.
[[nodiscard]] bool has_both_classes(std::span<const float> targets) noexcept;

/// Returns the number of points, of n by descending score, with ranks up to `rank`: the ceiling of rank x n, corrected
/// for rounding errors of that product, as in 0.07 x 100.
[[nodiscard]] std::size_t count_up_to(double rank, std::size_t n) noexcept;

/// Returns the weight of the points, of total weight `mass` by descending score, with ranks up to `rank`; at most
/// `mass`.
[[nodiscard]] double mass_up_to(double rank, double mass) noexcept;

/// Sums over `rows` in parts of a fixed number of rows, each a task, added in order. `body` adds its part to `sums`,
/// `width` numbers that start at 0. The result does not depend on threads.
void add_in_order(RowRange rows, std::size_t width, std::span<double> out,
                  const std::function<void(RowRange part, double* sums)>& body);
/// Calls `body` in parallel for the parts that `add_in_order` sums.
void for_parts(RowRange rows, const std::function<void(RowRange part)>& body);

}  // namespace fairstream::partial_fair_scorer
