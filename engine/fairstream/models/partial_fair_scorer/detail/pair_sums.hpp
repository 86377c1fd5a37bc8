#pragma once
/// Sums of smooth functions over all pairs of a point of one set and a point of another, in time linear in the number
/// of points.

#include <cstddef>
#include <functional>
#include <span>
#include <vector>

#include <fairstream/numeric/matrix.hpp>

namespace fairstream::partial_fair_scorer {

/// Functions k_c(t) of the difference t of a pair.
struct PairKernel {
    std::size_t functions;  ///< number of them, at least 1
    std::size_t totals;     ///< the first `totals` functions need only their sum over all pairs
    double length;          ///< above 0: the functions are analytic where |Im t| < pi length
    double reach;           ///< the functions are linear to rounding for t > reach and for t < -reach
    /// Computes out(c, b) = k_c(t[b]); `out` is functions x n or wider, t is n.
    std::function<void(std::span<const double> t, Matrix& out)> evaluate;
};

/// The sums of each function c, with t = first[i] - second[j]. A term counts with the weights of the points that are
/// summed over.
struct PairSums {
    std::vector<double> totals;  ///< sum of k_c(t) over i and j, for all functions
    Matrix by_first, by_second;  ///< the sum over j for each i, and over i for each j; (functions - totals) x points
};

/// Computes the sums for ascending points, with an error of about 1e-14 of the sum of absolute terms. Points are
/// divided into intervals of `length`, and a polynomial approximates the functions on each pair of intervals. All
/// points beyond `reach` on one side are replaced by as many at their mean, which is exact for linear functions. Takes
/// memory linear in the number of points for any spread, and one thread. Weights are by point, above 0; empty: 1 each.
[[nodiscard]] PairSums pair_sums(std::span<const double> first, std::span<const double> second,
                                 const PairKernel& kernel, std::span<const double> first_weights = {},
                                 std::span<const double> second_weights = {});

}  // namespace fairstream::partial_fair_scorer
