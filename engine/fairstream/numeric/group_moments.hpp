#pragma once
/// Counts, means and covariances of the groups of a stream's rows, kept up as rows come, leave and lose weight.
///
/// A batch is centred at its own mean, summed by products of blocks of columns, and joined to what is there (T. Chan,
/// G. Golub, R. LeVeque, "Updating formulae and a pairwise algorithm for computing sample variances", 1979): no large
/// sums cancel, however far rows lie from 0. Products of centred values are in float32 over at most `slab_rows` rows,
/// and those sums added in double. Results do not depend on threads.
///
/// Rows that leave are taken out by the same formula backwards. What that loses to rounding is bounded by `rounding`;
/// where it nears what matters, the sums are to be made anew from the rows that are left.

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
    std::vector<double> mean;  ///< p; zeros where there is no mass
    /// p x p, the lower triangle: sum of w (x - mean)(x - mean)ᵀ. What lies above the diagonal is 0.
    Matrix scatter;
    /// Every entry of `scatter` is exact but for this much, absolute.
    double rounding = 0;

    Moments() = default;
    explicit Moments(std::size_t dimensions) : mean(dimensions, 0.0), scatter(dimensions, dimensions) {}

    /// Returns scatter / mass, whole; zeros where there is no mass.
    [[nodiscard]] Matrix covariance() const;
    /// Adds other rows, of as many dimensions.
    void add(const Moments& other);
    /// Takes out rows that were added. Without mass, or nearly so, nothing is left.
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

/// Rows of p values, the group of each, and what each weighs.
struct GroupedRows {
    ConstRows rows;                     ///< n x p
    std::span<const GroupId> groups;    ///< n, below the number of groups; others are passed over
    std::span<const double> weights{};  ///< n, above 0; empty: 1 each
};

/// Rows whose products are summed in float32 before they are added in double.
inline constexpr std::size_t slab_rows = 64;

/// Returns the moments of each group's rows.
[[nodiscard]] std::vector<Moments> moments_of_groups(const GroupedRows& rows, std::size_t groups,
                                                     std::size_t dimensions);

/// Moments of each group of a window.
class GroupMoments {
public:
    GroupMoments() = default;
    GroupMoments(std::size_t groups, std::size_t dimensions) : groups_(groups, Moments(dimensions)) {}

    /// Adds rows of as many dimensions, all finite.
    void add(const GroupedRows& rows);
    /// Takes out rows that were added, with the weights that they have now.
    void remove(const GroupedRows& rows);
    /// Multiplies the weights of all rows by `factor`, above 0.
    void scale_weights(double factor);
    /// Adds the moments of other rows, of the same groups and dimensions.
    void merge(const GroupMoments& other);

    [[nodiscard]] std::size_t groups() const noexcept { return groups_.size(); }
    [[nodiscard]] std::size_t dimensions() const noexcept { return groups_.empty() ? 0 : groups_[0].mean.size(); }
    [[nodiscard]] const Moments& of(std::size_t group) const { return groups_[group]; }
    /// Returns those of the first groups' first values.
    [[nodiscard]] GroupMoments leading(std::size_t groups, std::size_t dimensions) const;
    /// Returns the moments of the rows of all groups together.
    [[nodiscard]] Moments pooled() const;

    bool operator==(const GroupMoments&) const = default;
    template <class Self, class Archive> static void fields(Self& self, Archive& archive) { archive(1, self.groups_); }

private:
    std::vector<Moments> groups_;
};

}  // namespace fairstream
