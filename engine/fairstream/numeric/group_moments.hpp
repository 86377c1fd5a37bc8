#pragma once
/// Counts, means and covariances of groups of rows, updated as rows come, leave and lose weight.
///
/// A batch is centred at its own mean, summed by products of blocks of columns, and merged with the present sums (T.
/// Chan, G. Golub, R. LeVeque, "Updating formulae and a pairwise algorithm for computing sample variances", 1979). So
/// no large sums cancel, however far rows lie from 0. Products of centred values are summed in float32 over at most
/// `slab_rows` rows; these sums are added in double. Results do not depend on threads.
///
/// Rows that leave are removed by the inverse of the same formula. `rounding` bounds the error of this removal; before
/// it becomes significant, the sums must be computed anew from the remaining rows.

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <fairstream/base/types.hpp>
#include <fairstream/numeric/matrix.hpp>

namespace fairstream {

/// Moments of weighted rows of p values.
struct Moments {
    double mass = 0;           ///< sum of the weights
    std::vector<double> mean;  ///< p; zeros if there is no weight
    /// p x p, lower triangle: sum of w (x - mean)(x - mean)ᵀ. Entries above the diagonal are 0.
    Matrix scatter;
    /// Bound of the absolute error of every entry of `scatter`.
    double rounding = 0;

    Moments() = default;
    explicit Moments(std::size_t dimensions) : mean(dimensions, 0.0), scatter(dimensions, dimensions) {}

    /// Returns scatter / mass as a full symmetric matrix; zeros if there is no weight.
    [[nodiscard]] Matrix covariance() const;
    /// Adds other rows of the same number of values.
    void add(const Moments& other);
    /// Removes rows that were added. If the remaining weight is 0 or nearly 0, the moments become those of no rows.
    void remove(const Moments& other);
    /// Multiplies all weights by `factor`, above 0.
    void scale_weights(double factor);

    bool operator==(const Moments&) const = default;
    template <class Self, class Archive> static void fields(Self& self, Archive& archive) {
        archive(1, self.mass);
        archive(2, self.mean);
        archive(3, self.scatter);
        archive(4, self.rounding);
    }
};

/// Rows of p values, with the group and weight of each.
struct GroupedRows {
    ConstRows rows;                     ///< n x p
    std::span<const GroupId> groups;    ///< n; rows whose group is not below the number of groups are ignored
    std::span<const double> weights{};  ///< n, above 0; empty: 1 each
};

/// Number of rows whose products are summed in float32 before they are added in double.
inline constexpr std::size_t slab_rows = 64;

/// Returns the moments of each group's rows.
[[nodiscard]] std::vector<Moments> moments_of_groups(const GroupedRows& rows, std::size_t groups,
                                                     std::size_t dimensions);

/// Moments of each group of a window.
class GroupMoments {
public:
    GroupMoments() = default;
    GroupMoments(std::size_t groups, std::size_t dimensions) : groups_(groups, Moments(dimensions)) {}

    /// Adds rows of the same number of values, all finite.
    void add(const GroupedRows& rows);
    /// Removes rows that were added, with their present weights.
    void remove(const GroupedRows& rows);
    /// Multiplies the weights of all rows by `factor`, above 0.
    void scale_weights(double factor);
    /// Adds the moments of other rows with the same groups and number of values.
    void merge(const GroupMoments& other);

    [[nodiscard]] std::size_t groups() const noexcept { return groups_.size(); }
    [[nodiscard]] std::size_t dimensions() const noexcept { return groups_.empty() ? 0 : groups_[0].mean.size(); }
    [[nodiscard]] const Moments& of(std::size_t group) const { return groups_[group]; }
    /// Returns the moments of the first `groups` groups and the first `dimensions` values.
    [[nodiscard]] GroupMoments leading(std::size_t groups, std::size_t dimensions) const;
    /// Returns the moments of the rows of all groups together.
    [[nodiscard]] Moments pooled() const;

    bool operator==(const GroupMoments&) const = default;
    template <class Self, class Archive> static void fields(Self& self, Archive& archive) { archive(1, self.groups_); }

private:
    std::vector<Moments> groups_;
};

}  // namespace fairstream
