#pragma once
/// Losses of pairs of a positive and a negative.

#include <fairstream/models/partial_fair_scorer/detail/loss.hpp>

namespace fairstream::partial_fair_scorer {

/// The mean loss of pairs, (83); with all ranks it is (81). It is any loss of Example D.2, or the sigmoid, of the
/// difference of two scores. O(n log n). With part of the ranks, the squared loss is a difference of convex functions
/// only while no positive is above a negative by more than 1: beyond a difference of 1 the loss rises.
class PairLoss final : public LossFunction {
public:
    /// Borrows the sample. A pair counts with the product of its weights; a negative at an end of the ranks counts in
    /// part.
    PairLoss(Loss loss, const Sample& sample, double from, double to);
    void evaluate(std::span<const double> scores, LossParts& parts) const override;

private:
    Loss loss_;
    const Sample& sample_;
    std::vector<std::size_t> positives_, negatives_;
    double mass_ = 0;   // total weight of the positives
    double from_, to_;  // n-^alpha and n-^beta, in weight
};

}  // namespace fairstream::partial_fair_scorer
