#pragma once
/// The four synthetic data sets of S. Liu and L. N. Vicente, *A stochastic alternating balance k-means algorithm for
/// fair clustering* (section 4.2, Appendix D.1, Figure 2): Gaussian clusters in the plane, two groups, k = 2.
///
/// The paper shows them as pictures only. Centres, spreads and counts are those of the authors' published program
/// (github.com/sul217/SAfairKM, utils.py); the points are drawn anew. The program uses other names: the paper's
/// Syn_unequal_ds2 is its "Synthetic", the rectangle, and not its "Synthetic2", the pairs. Only "Synthetic" gives the
/// front that the paper describes: with a gap, and with half of each group in both clusters at its fair end.
///
/// | set         | spread | black                              | purple                           |
/// | ----------- | ------ | ---------------------------------- | -------------------------------- |
/// | equal_ds1   | 0.3    | 200 at (1, 1)                      | 200 at (2.1, 3.5)                |
/// | unequal_ds1 | 0.3    | 300 at (1, 1)                      | 100 at (2.1, 3.5)                |
/// | equal_ds2   | 0.1    | 100 each at (1, 1) and (2.1, 1)    | 100 each at (1, 5) and (2.1, 5)  |
/// | unequal_ds2 | 0.13   | 150 each at (1, 1) and (2.1, 1)    | 50 each at (1, 3.5), (2.1, 3.5)  |
///
/// Spread is the standard deviation of each coordinate in each cluster. In every set the groups lie apart, so that
/// k-means with k = 2 finds one cluster of each group and ends at balance 0. In ds1, balance requires splitting these
/// two clusters, and cost rises with balance, up to balance 1 or 1/3. The clusters of ds2 are the corners of a
/// rectangle. Its left and right sides each hold half of each group, which is a local minimum of k-means with the best
/// possible balance. In unequal_ds2, this minimum costs less than any clustering found with a balance above about 0.2,
/// so that the Pareto front has a gap from there to 1/3 (Figures 1 (a) and 7).

#include <array>
#include <cstddef>
#include <cstdint>
#include <random>
#include <string_view>

#include <fairstream/data/point_batch.hpp>
#include <fairstream/generate/random_order.hpp>

namespace fairstream::generate {

/// The sets; `equal_ds1` is the paper's Syn_equal_ds1, and so on.
enum class Synthetic : std::uint8_t { equal_ds1, unequal_ds1, equal_ds2, unequal_ds2 };

/// The same set, seed and number give the same points on every platform, however they are fetched: all arithmetic is in
/// integers, and every feature is a multiple of 2^-16. No coordinate is more than 6 spreads from its cluster's centre.
class SyntheticPoints {
public:
    static constexpr std::array<std::string_view, 2> feature_names = {"x", "y"};
    static constexpr std::uint64_t published_count = 400;
    static constexpr std::size_t most_clusters = 4;

    /// Makes `count` points, 1 to 2^40. Group sizes follow the table to the nearest integer, cluster sizes within one.
    /// The order is random, uniformly over all orders.
    explicit SyntheticPoints(Synthetic set, std::uint64_t seed, std::uint64_t count = published_count);

    /// Returns the format: two features; group (black, purple).
    [[nodiscard]] static StreamFormat format();

    /// Puts the next `count` points into `out`, fewer at the end of the set; their ids are 0, 1, 2, ...
    void next(std::size_t count, PointColumns& out);

private:
    void append_point(PointColumns& out);

    std::mt19937_64 random_;  // the standard defines its output
    Synthetic set_;
    std::uint64_t count_;
    RandomOrder<most_clusters> clusters_;
};

}  // namespace fairstream::generate
