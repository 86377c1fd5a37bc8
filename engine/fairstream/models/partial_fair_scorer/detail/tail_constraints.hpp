#pragma once
/// Constraints (15), (21), (50) and (56), which compare shares of groups above thresholds.

#include <fairstream/models/partial_fair_scorer/detail/constraints.hpp>

namespace fairstream::partial_fair_scorer {

/// A term scale x S± of a tail.
struct TailTerm {
    std::size_t tail;
    Side side;
    double scale;
};
/// A constant plus terms.
struct TailSum {
    double constant = 0;
    std::vector<TailTerm> terms;
};
/// One of the two convex parts: `sum` plus the largest of each list in `largest`.
struct TailPart {
    TailSum sum;
    std::vector<std::vector<TailSum>> largest;
};
struct TailConstraint {
    TailPart plus, minus;
};
/// The required range of a share.
struct ShareRange {
    double low, high;
};

class TailConstraints final : public Constraints {
public:
    TailConstraints(const Options& options, const Sample& sample, std::vector<Tail> tails, std::size_t thresholds,
                    std::vector<TailConstraint> constraints, std::vector<ShareRange> ranges);

    [[nodiscard]] std::size_t count() const override { return constraints_.size(); }
    [[nodiscard]] std::size_t thresholds() const override { return thresholds_; }
    void evaluate(std::span<const double> scores, std::span<const double> thetas, std::span<double> plus,
                  std::span<double> minus) override;
    void add_slopes(std::size_t i, Side side, double scale, Slopes& out) const override;
    void gradients(const ScoreFunction& function, Matrix& plus, Matrix& minus) const override;
    void add_curvatures(std::size_t i, double multiplier, const ScoreFunction& function, std::span<double> rows,
                        std::span<double> thetas, Matrix& mixed) const override;
    [[nodiscard]] double surrogate_gap(std::span<const double> scores, std::span<const double> thetas) const override;
    [[nodiscard]] std::vector<double> fitting_thresholds(std::span<const double> scores) const override;

private:
    [[nodiscard]] const TailPart& part(std::size_t i, Side side) const {
        return side == Side::plus ? constraints_[i].plus : constraints_[i].minus;
    }
    [[nodiscard]] double value(const TailSum& sum) const;
    [[nodiscard]] double value(const TailPart& part) const;
    /// Returns the terms that make up a part at the scores and thresholds evaluated last; of equal sums the first
    /// counts as the largest.
    [[nodiscard]] std::vector<TailTerm> active_terms(const TailPart& part) const;

    Tails tails_;
    std::vector<Tail> list_;
    std::size_t points_;
    const Sample& sample_;
    double width_;
    std::size_t thresholds_;
    std::vector<TailConstraint> constraints_;
    std::vector<ShareRange> ranges_;  // by tail, if thresholds are variables
};

/// (15): at each level q a threshold above which every group has a share of its ranks between q and q + kappa.
[[nodiscard]] std::unique_ptr<Constraints> statistical_parity(const Options& options, const Sample& sample);
/// (21), (50), (56): the shares of all groups are compared at one given threshold, for the classes of `metric`.
[[nodiscard]] std::unique_ptr<Constraints> parity_at_threshold(const Options& options, const Sample& sample);

[[nodiscard]] std::unique_ptr<Constraints> no_constraints(const Options& options, const Sample& sample);

}  // namespace fairstream::partial_fair_scorer
