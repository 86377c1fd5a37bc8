#pragma once
/// Shares of points above a threshold, by a surrogate of the indicator.

#include <cstdint>
#include <span>
#include <vector>

#include <fairstream/models/partial_fair_scorer/detail/score_function.hpp>
#include <fairstream/models/partial_fair_scorer/partial_fair_scorer.hpp>

namespace fairstream::partial_fair_scorer {

/// The share of `rows` whose score is above a threshold, which is one of the variables theta, or a number.
struct Tail {
    static constexpr std::size_t fixed = static_cast<std::size_t>(-1);
    RowRange rows;
    std::size_t variable = fixed;
    double at = 0;  ///< the threshold, if it is not a variable
};

/// The two convex functions whose difference is a share.
enum class Side : std::uint8_t { plus, minus };

/// sigma+ or sigma- at a point, with its first and second derivative.
struct SurrogatePart {
    double value = 0, slope = 0, curvature = 0;
};
/// Parts of the logistic surrogate s = 1 / (1 + exp(-x)): sigma+ is s up to 0, where it is convex, and then its tangent
/// at 0; sigma- is the excess of the tangent.
struct LogisticParts {
    SurrogatePart plus, minus;

    explicit LogisticParts(double x);
    [[nodiscard]] const SurrogatePart& of(Side side) const { return side == Side::plus ? plus : minus; }
};

/// Derivatives by score and by theta, as weights for a sum of gradients.
struct Slopes {
    std::vector<double> rows;        ///< n slopes by score
    std::vector<double> thresholds;  ///< slopes by theta
    std::vector<RowRange> touched;   ///< ranges of rows whose slopes may not be 0

    Slopes(std::size_t n, std::size_t m) : rows(n, 0.0), thresholds(m, 0.0) {}
    void clear();
};

/// S = S+ - S-, S± = weighted mean over rows of sigma±((score - theta) / width). Clipped: sigma+(x) = max(x + 1/2, 0),
/// sigma-(x) = max(x - 1/2, 0). Logistic: `LogisticParts`.
class Tails {
public:
    /// Takes tails; tails of the same rows must be adjacent.
    Tails(const Options& options, const Sample& sample, std::vector<Tail> tails);

    [[nodiscard]] std::size_t size() const noexcept { return tails_.size(); }
    void evaluate(std::span<const double> scores, std::span<const double> thetas);
    [[nodiscard]] double value(std::size_t tail, Side side) const {
        return side == Side::plus ? plus_[tail] : minus_[tail];
    }
    [[nodiscard]] double share(std::size_t tail) const { return plus_[tail] - minus_[tail]; }

    // The functions below are for the scores and thresholds evaluated last.
    void add_slopes(std::size_t tail, Side side, double scale, Slopes& out) const;
    /// Computes the gradients of all S+ and S-: row 2 t + side has the derivatives of a side of tail t by w, then by
    /// theta.
    void gradients(const ScoreFunction& function, Matrix& out) const;
    /// out[row] += scale times a model of the second derivative of a side by the row's score; returns the sum. For the
    /// clipped surrogate, which has kinks, the model is the density of scores around the kink.
    double add_curvatures(std::size_t tail, Side side, double scale, std::span<double> out) const;

private:
    [[nodiscard]] double theta(std::size_t tail) const;
    /// Returns the score at which a side of a clipped tail begins to rise.
    [[nodiscard]] double kink(std::size_t tail, Side side) const;
    /// Returns the share of a row of weight 1 in the tail's rows.
    [[nodiscard]] double each(std::size_t tail) const { return 1 / masses_[tail]; }
    void add_excesses(RowRange rows, std::span<const double> kinks, double* sums) const;
    void evaluate_clipped();
    void evaluate_logistic();
    void clipped_gradients(const ScoreFunction& function, Matrix& out) const;

    Surrogate surrogate_;
    double width_;
    std::size_t points_;
    std::span<const double> weights_;  // by row of the sample; empty: 1 each
    std::vector<Tail> tails_;
    std::vector<double> masses_;  // by tail: weight of its rows; 1 without rows
    std::span<const double> scores_;
    std::vector<double> thetas_;
    std::vector<double> plus_, minus_;              // by tail
    std::vector<double> plus_count_, minus_count_;  // clipped: rows above the kink, by weight
};

}  // namespace fairstream::partial_fair_scorer
