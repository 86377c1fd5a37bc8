#pragma once
/// What is minimised, as a function of the scores: differences of convex functions. Private to the engine.

#include <memory>
#include <span>
#include <vector>

#include <fairstream/models/partial_fair_scorer.hpp>
#include <fairstream/models/partial_fair_scorer/sample.hpp>

namespace fairstream::partial_fair_scorer {

/// f_0 = plus - minus. Slopes are derivatives by the score of each row, `bends` a model of the second derivatives of
/// plus, none negative.
struct LossParts {
    double plus = 0, minus = 0;
    std::vector<double> plus_slopes, minus_slopes, bends;
    bool has_minus = false;  ///< otherwise `minus` and its slopes are 0
};

class LossFunction {
public:
    virtual ~LossFunction() = default;
    virtual void evaluate(std::span<const double> scores, LossParts& parts) const = 0;
};

/// The loss that the options name; it borrows the sample.
[[nodiscard]] std::unique_ptr<LossFunction> make_loss(const Options& options, const Sample& sample);

/// (79) with any loss of Example D.1, and the sigmoid.
class PointLoss final : public LossFunction {
public:
    PointLoss(Loss loss, const Sample& sample) : loss_(loss), sample_(sample) {}
    void evaluate(std::span<const double> scores, LossParts& parts) const override;

private:
    Loss loss_;
    const Sample& sample_;
};

/// (83) with any loss of Example D.2; with all ranks (81). The sigmoid is taken of the difference of two scores.
/// O(n log n); logistic and sigmoid O(n+ n-).
class PairLoss final : public LossFunction {
public:
    PairLoss(Loss loss, const Sample& sample, double from, double to);
    void evaluate(std::span<const double> scores, LossParts& parts) const override;

private:
    /// The sum over pairs of a positive and one of `negatives`; slopes and bends are added to, times `scale`.
    double add_pairs(std::span<const double> scores, std::span<const std::size_t> negatives, double scale,
                     std::vector<double>& slopes, std::vector<double>* bends) const;

    Loss loss_;
    std::vector<std::size_t> positives_, negatives_;
    std::size_t from_, to_;  // n-^alpha and n-^beta
};

}  // namespace fairstream::partial_fair_scorer
