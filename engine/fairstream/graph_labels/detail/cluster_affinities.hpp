#pragma once
/// Affinities of points to clusters, kept up to date while points move.

#include <optional>
#include <span>
#include <vector>

#include <fairstream/base/types.hpp>
#include <fairstream/numeric/cache_line_vector.hpp>
#include <fairstream/numeric/detail/affinity/affinity.hpp>
#include <fairstream/numeric/detail/affinity/places.hpp>

namespace fairstream {

/// Usually keeps a table of the affinities, n x k, where a move costs a row of K. For points merged into m places, K =
/// P (S + I) Pᵀ - I: the table is (S + I) Pᵀ times the indicators of the clusters, m x k, and a move costs a row of S.
/// If the affinity has factors, K = L Rᵀ: sums of rows of R over the clusters are also kept, m x k. A move then costs
/// O(m) and does not change the table; the present affinities of a point cost O(m k), and those of all points together,
/// by `refresh`, much less per point.
class ClusterAffinities {
public:
    /// `labels` are in [0, k). `factors` are the affinity's, or null; both must outlive this.
    ClusterAffinities(const Affinity& affinity, const AffinityFactors* factors, std::span<const ClusterId> labels,
                      std::size_t k);

    /// Return the affinities of point i to all k clusters: as of the last `refresh`, and at present. Valid until the
    /// next call of the same function or of any function that is not const.
    [[nodiscard]] const double* before(std::size_t i) {
        return merged_ ? merged_affinities(i, earlier_) : table_.row(i);
    }
    [[nodiscard]] const double* now(std::size_t i);
    /// Updates the table; without factors it is always up to date.
    void refresh();
    [[nodiscard]] double at(std::size_t i, std::size_t l) const;
    /// Updates the affinities for a move of point i.
    void move(std::size_t i, std::size_t from, std::size_t to);

    /// Loads the affinities of point i to points, for `to_selected`; `release_point` must follow before the next move.
    void select_point(std::size_t i);
    void release_point();
    /// Returns the affinity of the selected point to point j.
    [[nodiscard]] double to_selected(std::size_t j) const;

private:
    [[nodiscard]] std::size_t place(std::size_t i) const { return merged_ ? merged_->places.of()[i] : i; }
    void sum_by_place();
    const double* merged_affinities(std::size_t i, std::vector<double>& out) const;
    void copy_row(std::size_t i);

    const Affinity& affinity_;
    const AffinityFactors* factors_;
    std::optional<MergedRows> merged_;
    std::vector<ClusterId> labels_;  // labels of merged points
    std::size_t k_;
    Matrix table_;     // n x k, or m x k
    AffinityRow row_;  // row of the selected or moved point, or of its place
    std::vector<float>
        point_affinities_;  // affinities of the selected point, by point or place; zeros if no point is selected
    std::size_t selected_ = 0;
    std::size_t stride_ = 0;
    CacheLineVector<double> sums_;         // m x stride_, with factors
    std::vector<double> found_, earlier_;  // k
};

}  // namespace fairstream
