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

/// They are kept as a table, n x k, where a move costs a row of K. Of points merged into m places, K = P (S + I) Pᵀ -
/// I, the table is (S + I) Pᵀ times the indicators of the clusters, m x k, and a move costs a row of S. Where the
/// affinity has factors, K = L Rᵀ, sums of rows of R over the clusters are kept too, m x k: a move costs O(m) and
/// leaves the table as it was; the affinities of a point as they are now cost O(m k), those of all points together,
/// `refresh`, far less.
class ClusterAffinities {
public:
    /// `labels` are in [0, k). `factors` are the affinity's, or null; both must outlive this.
    ClusterAffinities(const Affinity& affinity, const AffinityFactors* factors, std::span<const ClusterId> labels,
                      std::size_t k);

    /// The affinities of point i to all clusters, k: those of the last `refresh`, and as they are now. Valid until the
    /// next call of the same function, or of one that is not const.
    [[nodiscard]] const double* before(std::size_t i) { return merged_ ? of_merged(i, earlier_) : table_.row(i); }
    [[nodiscard]] const double* now(std::size_t i);
    /// Brings the table up to date; without factors it always is.
    void refresh();
    [[nodiscard]] double at(std::size_t i, std::size_t l) const;
    /// Books that point i moves.
    void move(std::size_t i, std::size_t from, std::size_t to);

    /// Takes out the affinities of point i to points, for `to_point`; `put_back` follows before the next move.
    void take_out(std::size_t i);
    void put_back();
    /// The affinity of the point taken out to point j.
    [[nodiscard]] double to_point(std::size_t j) const;

private:
    [[nodiscard]] std::size_t place(std::size_t i) const { return merged_ ? merged_->places.of()[i] : i; }
    void sum_by_place();
    const double* of_merged(std::size_t i, std::vector<double>& out) const;
    void copy_row(std::size_t i);

    const Affinity& affinity_;
    const AffinityFactors* factors_;
    std::optional<MergedRows> merged_;
    std::vector<ClusterId> labels_;  // of merged points
    std::size_t k_;
    Matrix table_;             // n x k, or m x k
    AffinityRow row_;          // of the point taken out or moved, or of its place
    std::vector<float> near_;  // of the point taken out, by point or place; else 0
    std::size_t taken_out_ = 0;
    std::size_t stride_ = 0;
    CacheLineVector<double> sums_;         // m x stride_, with factors
    std::vector<double> found_, earlier_;  // k
};

}  // namespace fairstream
