#pragma once
/// The losses to be minimised, as differences of convex functions of the scores.

#include <memory>
#include <span>
#include <vector>

#include <fairstream/models/partial_fair_scorer/detail/sample.hpp>
#include <fairstream/models/partial_fair_scorer/partial_fair_scorer.hpp>

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

/// Makes the loss that the options name, which is not automatic; it borrows the sample.
[[nodiscard]] std::unique_ptr<LossFunction> make_loss(const Options& options, const Sample& sample);

/// The mean loss of points, (79), with any loss of Example D.1, and the sigmoid.
class PointLoss final : public LossFunction {
public:
    PointLoss(Loss loss, const Sample& sample) : loss_(loss), sample_(sample) {}
    void evaluate(std::span<const double> scores, LossParts& parts) const override;

private:
    template <class F> void add_rows(RowRange rows, LossParts& parts, double* sum, const F& margin) const;

    Loss loss_;
    const Sample& sample_;
};

/// The mean loss of pairs, (83), with any loss of Example D.2, and the sigmoid, of the difference of two scores; with
/// all ranks (81). O(n log n); logistic and sigmoid O(n+ n-). With part of the ranks the squared loss is a difference
/// of convex functions only while no positive is above a negative by more than 1, from where on it rises with the
/// difference.
class PairLoss final : public LossFunction {
public:
    PairLoss(Loss loss, const Sample& sample, double from, double to);
    void evaluate(std::span<const double> scores, LossParts& parts) const override;

private:
    /// Destination of a sum over pairs; `bends` is null where they are not wanted.
    struct Sink {
        double* value;
        std::vector<double>*slopes, *bends;
    };
    /// Adds `each` times the sum over pairs of a positive and one of `negatives`, which are by falling score.
    void add_pairs(std::span<const double> scores, std::span<const std::size_t> negatives, double each,
                   const Sink& plus, const Sink& minus) const;
    void add_squared(std::span<const double> scores, std::span<const std::size_t> negatives, double each,
                     const Sink& out) const;
    void add_hinge(std::span<const double> scores, std::span<const std::size_t> negatives, double each,
                   const Sink& out) const;
    void add_smooth(std::span<const double> scores, std::span<const std::size_t> negatives, double each,
                    const Sink& plus, const Sink& minus) const;
    /// Adds a second derivative of `each` for every pair.
    void add_even_bends(std::span<const std::size_t> negatives, double each, const Sink& out) const;

    Loss loss_;
    std::vector<std::size_t> positives_, negatives_;
    std::size_t from_, to_;  // n-^alpha and n-^beta
};

}  // namespace fairstream::partial_fair_scorer
