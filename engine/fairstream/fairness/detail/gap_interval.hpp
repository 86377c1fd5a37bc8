#pragma once
/// Confidence intervals of a largest gap: T = max over rows of (largest less smallest value of the row's groups).
///
/// A maximum of noisy gaps is too large where the gaps are small or nearly equal, so that neither its spread under
/// resampling nor a normal error centres on the truth. The interval holds the candidates s that a test does not refuse:
/// gaps whose largest is s are made of the measured ones, noise of the groups' sizes is added, and s is refused when
/// the measured T is among the outermost of what comes out. (Test inversion by a resampled family: C.-S. Chuang and
/// T. L. Lai, "Hybrid resampling methods for confidence intervals", Statistica Sinica 10, 2000.)
///
/// - Gaps above a candidate below T are cut to it. For a candidate above T the gaps of all thresholds are stretched
///   alike; where rows are figures of their own, only the one that it takes least to change. Within a row two groups
///   are moved, each as its variance has it.
/// - Gaps with one broad peak are refused too rarely when they are cut: the measured ones have higher and narrower
///   peaks than the true ones. Where several rows raise T the upper tail is therefore given more than its part:
///   `level_widening`, fitted to made-up populations (`./dev bench coverage`).
/// - Where a gap of 0 would not be refused the lower tail is left to the upper one: no gap is less than 0, and an
///   interval that starts there errs on one side only (as in G. J. Feldman and R. D. Cousins, "Unified approach to the
///   classical statistical analysis of small signals", Physical Review D 57, 1998). So no interval is empty.

#include <cstddef>
#include <limits>
#include <span>
#include <vector>

#include <fairstream/fairness/detail/score_columns.hpp>
#include <fairstream/fairness/score_intervals.hpp>

namespace fairstream {

/// Kinds of sampling error of a value.
enum class GapNoise {
    bridge,  ///< shares of a group at the thresholds of all rows, which vary together: a Brownian bridge / sqrt(points)
    share,   ///< a share p of its own: variance p (1 - p) / points
    pair,    ///< the excess of an AUC over 1/2, beside a 0: variance (1/4 - gap^2) / points of either;
             ///< a gap larger than the measured one is not given the smaller error that nothing has shown
};

/// Parts of a row's values that make its gap.
enum class GapOf {
    tails,    ///< the parts of the shares among the ranks that count
    counted,  ///< the shares, but only differences from one whose rank counts; values have `ranks`
};

/// The value of a group in a row.
struct GapValue {
    double value = 0;   ///< a share in [0, 1], or half the difference of two chances, in [-1/2, 1/2]
    double points = 1;  ///< effective number that it was measured on
    /// Degrees of freedom of an estimated variance, above 0; a value where they are finite shares its noise with none.
    double freedom = std::numeric_limits<double>::infinity();
    std::size_t noise = 0;          ///< row of the noise
    const Column* ranks = nullptr;  ///< whose `intervals` count, and which outlives the value; null: all do
};

struct GapRow {
    std::vector<GapValue> values;  ///< of at least two groups
    double least = 0;              ///< added to the gap: what ties make of it when the values are equal
    double measured = 0;           ///< gap as it was measured
};

/// How the test differs with the rows, see above.
struct GapTest {
    double level_widening;  ///< what the upper tail is given where several rows raise T, for each that it shall have
    double floor;           ///< quantile of T among equal groups; a smaller T is taken for this one by the lower tail
};
inline constexpr GapTest one_row_test{1, 0.2}, many_rows_test{1.6, 0.9};

/// Gaps with their noise. Results are functions of the arguments alone.
class GapModel {
public:
    static constexpr std::size_t draws = 1024;

    /// `noise` has `draws` numbers for each row of it that a value names: of the value in standard units, or of its
    /// bridge. There is at least one row. `largest` is what T can be at most.
    GapModel(std::vector<GapRow> rows, GapNoise kind, GapOf of, GapTest test, std::vector<float> noise,
             double largest = 1);

    /// Returns the interval either end of which is wrong with the chance `tail`. It contains T.
    [[nodiscard]] Interval interval(double tail) const;
    /// Returns what the largest gap exceeds with the chance `tail`; not less than T.
    [[nodiscard]] double upper_limit(double tail) const;

private:
    class Candidates;
    [[nodiscard]] double gap(const GapRow& row) const;
    [[nodiscard]] GapRow shaped(std::size_t row, double candidate) const;
    [[nodiscard]] std::vector<GapRow> shaped(double candidate) const;
    [[nodiscard]] std::vector<float> drawn(double candidate) const;

    std::vector<GapRow> rows_;
    std::vector<double> gaps_;     // measured, by row
    std::vector<double> reaches_;  // of noise, by row
    GapNoise kind_;
    GapOf of_;
    GapTest test_;
    std::vector<float> noise_;
    double measured_ = 0;  // T
    double largest_;
};

/// Returns `rows` rows of independent standard normal numbers, `GapModel::draws` each.
[[nodiscard]] std::vector<float> normal_noise(std::size_t rows);

/// Returns independent Brownian bridges, one for each list of rising times in [0, 1]: a row for each time, list by
/// list.
[[nodiscard]] std::vector<float> bridge_noise(const std::vector<std::vector<double>>& times);

}  // namespace fairstream
