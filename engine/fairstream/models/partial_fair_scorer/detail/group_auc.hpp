#pragma once
/// Constraint (49): among the ranks that count, a point of one group is above a point of another half of the time.
/// Private to the engine.
///
/// For an ordered pair of groups k, k' let A_j(a) be the sum over the a highest scores of k of sigma+(z_i - z_j), and
/// B_j(a) that of sigma-. Both are convex: sigma± are convex and nondecreasing, so the highest scores make the largest
/// sum. With U_j = A_j(n^beta) + B_j(n^alpha) and V_j = B_j(n^beta) + A_j(n^alpha), a point j of k' adds U_j - V_j,
/// which decreases in z_j. So over its b highest scores the sum is the least over subsets P of b points,
///   sum_j U_j - M_b,  M_b = max over P of (sum of U_j outside P + sum of V_j in P),
/// and (49) is M_(n'^alpha) - M_(n'^beta) <= (1/2 + kappa) N. Example D.7 instead adds n'^beta sum_j U_j to both parts.

#include <fairstream/models/partial_fair_scorer/detail/constraints.hpp>

namespace fairstream::partial_fair_scorer {

/// Takes O(n log n) for the clipped surrogate, O(n_k n_k') for the logistic one. The ranks of a group must be one
/// interval.
class GroupAuc final : public Constraints {
public:
    GroupAuc(const Options& options, const Sample& sample);

    [[nodiscard]] std::size_t count() const override { return pairs_.size(); }
    [[nodiscard]] std::size_t thresholds() const override { return 0; }
    void evaluate(std::span<const double> scores, std::span<const double> thetas, std::span<double> plus,
                  std::span<double> minus) override;
    void add_slopes(std::size_t i, Side side, double scale, Slopes& out) const override;
    void gradients(const ScoreFunction& function, Matrix& plus, Matrix& minus) const override;
    void add_curvatures(std::size_t i, double multiplier, const ScoreFunction& function, std::span<double> rows,
                        std::span<double> thetas, Matrix& mixed) const override;
    [[nodiscard]] double surrogate_gap(std::span<const double>, std::span<const double>) const override { return 0; }
    [[nodiscard]] std::vector<double> fitting_thresholds(std::span<const double>) const override { return {}; }

private:
    struct Group {
        RowRange rows;
        double alpha, beta;                // weight of the highest scores with ranks up to each end of the interval
        std::vector<std::size_t> falling;  // rows by descending score
        std::vector<double> scores;        // scores of these rows
        std::vector<double> weights;       // weights of these rows
        std::vector<double> sums;          // weighted sums of the first scores
        std::vector<double> masses;        // sums of the first weights
    };
    /// The highest scores of a group with a given total weight: a number of them, and a part of the next.
    struct Top {
        std::size_t count = 0;
        double rest = 0;
    };
    [[nodiscard]] static Top top(const Group& group, double mass);
    struct Pair {
        std::size_t above, below;  // k and k', in `groups_`
    };
    [[nodiscard]] double pairs(const Pair& pair) const {
        return (groups_[pair.above].beta - groups_[pair.above].alpha) *
               (groups_[pair.below].beta - groups_[pair.below].alpha);
    }
    /// Returns M_b; adds `scale` times its derivatives to `out`.
    double largest(const Pair& pair, double b, double scale, Slopes* out) const;
    /// Returns the weighted sum over the highest scores of `group` of sigma±(z_i - z). Adds `scale` times the
    /// derivative by each score, for weight 1, to `slopes` (by rank), and stores the derivative by z in `own`.
    double sum_above(const Group& group, Top highest, Side side, double z, double scale, std::vector<double>* slopes,
                     double& own) const;

    Surrogate surrogate_;
    double width_;
    double kappa_;
    std::size_t points_;
    const Sample& sample_;
    std::vector<Group> groups_;
    std::vector<Pair> pairs_;
};

}  // namespace fairstream::partial_fair_scorer
