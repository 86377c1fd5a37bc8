#pragma once
/// Confidence intervals of a largest gap: T = max over rows of (largest minus smallest value of the row's groups).
///
/// A maximum of noisy gaps is biased upwards if gaps are small or nearly equal, so neither its spread under resampling
/// nor a normal error is centred on the truth. The interval contains the candidates s that a test does not reject. The
/// test changes the measured gaps so that the largest is s, adds noise for the sizes of the groups, and rejects s if
/// the measured T is in the outermost tails of the result. (Test inversion by a resampled family: C.-S. Chuang and T.
/// L. Lai, "Hybrid resampling methods for confidence intervals", Statistica Sinica 10, 2000.)
///
/// - For a candidate below T, larger gaps are cut to it. For a candidate above T, the gaps of all thresholds are
///   stretched alike; if rows are separate figures, only the row that needs the smallest change is stretched. Within a
///   row two groups are moved, each in proportion to its variance.
/// - Gaps with one broad peak are rejected too rarely when they are cut, because measured gaps have higher and narrower
///   peaks than true gaps. So if several rows raise T, the upper tail gets more than its share: `level_widening`,
///   fitted to made-up populations (`./dev bench coverage`).
/// - If a gap of 0 is not rejected, the upper tail also gets the probability of the lower tail: no gap is below 0, so
///   an interval that starts at 0 errs on one side only (as in G. J. Feldman and R. D. Cousins, "Unified approach to
///   the classical statistical analysis of small signals", Physical Review D 57, 1998). So no interval is empty.

#include <cstddef>
#include <limits>
#include <span>
#include <vector>

#include <fairstream/fairness/detail/score_columns.hpp>
#include <fairstream/fairness/score_intervals.hpp>

namespace fairstream {

/// Kinds of sampling error of a value.
enum class GapNoise {
    bridge,  ///< a group's shares at the thresholds of all rows, which vary together: a Brownian bridge / sqrt(points)
    share,   ///< a separate share p: variance p (1 - p) / points
    pair,    ///< two values, the excess of an AUC over 1/2 and 0, each with variance (1/4 - gap^2) / points; for a gap
           ///< larger than the measured one the error is not reduced is not reduced for a gap larger than the measured
           ///< one
};

/// The part of a row's values that makes its gap.
enum class GapOf {
    tails,    ///< for each share, how much of the ranks that count lies above it
    counted,  ///< the shares, but only differences from a share whose rank counts; values must have `ranks`
};

/// The value of a group in a row.
struct GapValue {
    double value = 0;   ///< a share in [0, 1], or half the difference of two probabilities, in [-1/2, 1/2]
    double points = 1;  ///< effective number of points that it was measured on
    /// Degrees of freedom of an estimated variance, above 0. A value with finite degrees shares its noise with no other
    /// value.
    double freedom = std::numeric_limits<double>::infinity();
    std::size_t noise = 0;          ///< row of the noise that the value uses
    const Column* ranks = nullptr;  ///< column whose `intervals` count; must outlive the value; null: all ranks
};

struct GapRow {
    std::vector<GapValue> values;  ///< values of at least two groups
    double least = 0;  ///< the part of the gap that is due to ties, present even if values are equal; added to the gap
    double measured = 0;  ///< the measured gap
};

/// Parts of the test that depend on the kind of rows, see above.
struct GapTest {
    double level_widening;  ///< factor of the upper tail's probability if several rows raise T
    double floor;           ///< quantile of T among equal groups; the lower tail replaces a smaller T by this value
};
inline constexpr GapTest one_row_test{1, 0.2}, many_rows_test{1.6, 0.9};

/// Gaps with their noise. Results depend only on the arguments.
class GapModel {
public:
    static constexpr std::size_t draws = 1024;

    /// `noise` has `draws` numbers for each of its rows that a value uses: standard normal, or of the value's bridge.
    /// There must be at least one row. `largest` is the upper end of the range of T.
    GapModel(std::vector<GapRow> rows, GapNoise kind, GapOf of, GapTest test, std::vector<float> noise,
             double largest = 1);

    /// Returns the interval in which either end is wrong with probability `tail`. It contains T.
    [[nodiscard]] Interval interval(double tail) const;
    /// Returns a value that the largest gap exceeds with probability `tail`; not less than T.
    [[nodiscard]] double upper_limit(double tail) const;

private:
    class Candidates;
    [[nodiscard]] double gap(const GapRow& row) const;
    [[nodiscard]] GapRow shaped(std::size_t row, double candidate) const;
    [[nodiscard]] std::vector<GapRow> shaped(double candidate) const;
    [[nodiscard]] std::vector<float> drawn(double candidate) const;

    std::vector<GapRow> rows_;
    std::vector<double> gaps_;          // measured gaps, by row
    std::vector<double> noise_bounds_;  // by row
    GapNoise kind_;
    GapOf gap_of_;
    GapTest test_;
    std::vector<float> noise_;
    double measured_ = 0;  // T
    double largest_;
};

/// Returns `rows` rows of independent standard normal numbers, `GapModel::draws` each.
[[nodiscard]] std::vector<float> normal_noise(std::size_t rows);

/// Returns independent Brownian bridges, one per list of ascending times in [0, 1]: one row per time, list by list.
[[nodiscard]] std::vector<float> bridge_noise(const std::vector<std::vector<double>>& times);

}  // namespace fairstream
