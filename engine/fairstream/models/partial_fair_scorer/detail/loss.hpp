#pragma once
/// The losses to minimise, as differences of convex functions of the scores.

#include <memory>
#include <span>
#include <vector>

#include <fairstream/models/partial_fair_scorer/detail/sample.hpp>
#include <fairstream/models/partial_fair_scorer/partial_fair_scorer.hpp>

namespace fairstream::partial_fair_scorer {

/// f_0 = plus - minus. Slopes are derivatives by the score of each row; `curvatures` is a model of the second
/// derivatives of plus, none negative.
struct LossParts {
    double plus = 0, minus = 0;
    std::vector<double> plus_slopes, minus_slopes, curvatures;
    bool has_minus = false;  ///< otherwise `minus` and its slopes are 0
};

/// Curvature of the hinge loss, whose second derivative is 0 except at the kink. It is an eighth of the largest
/// curvature of the logistic loss, and keeps steps bounded.
inline constexpr double hinge_curvature = 1.0 / 32;
/// Share of the logistic loss in `Loss::sigmoid`.
inline constexpr double logistic_share = 0.1;

class LossFunction {
public:
    virtual ~LossFunction() = default;
    virtual void evaluate(std::span<const double> scores, LossParts& parts) const = 0;
};

/// Makes the loss of the options, which must not be automatic; borrows the sample.
[[nodiscard]] std::unique_ptr<LossFunction> make_loss(const Options& options, const Sample& sample);

/// The mean loss of points, (79), with any loss of Example D.1, or the sigmoid.
class PointLoss final : public LossFunction {
public:
    PointLoss(Loss loss, const Sample& sample) : loss_(loss), sample_(sample), each_(1 / sample.mass()) {}
    void evaluate(std::span<const double> scores, LossParts& parts) const override;

private:
    template <class F> void add_rows(RowRange rows, LossParts& parts, double* sum, const F& margin) const;

    Loss loss_;
    const Sample& sample_;
    double each_;  // factor of a point of weight 1
};

}  // namespace fairstream::partial_fair_scorer
