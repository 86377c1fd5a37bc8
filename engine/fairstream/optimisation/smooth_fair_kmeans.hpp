#pragma once
/// Fair k-means as a smooth bi-objective for `sa2gd::minimise`: objectives (2) of S. Liu, L. N. Vicente, "A stochastic
/// alternating balance k-means algorithm for fair clustering", relaxed as their section 5 suggests.
///
/// Point p belongs to cluster l with share s_pl > 0, sum_l s_pl = 1; m_lj is the sum of s_pl over the points of group
/// j.
///   f^a = 1/n sum_p sum_l s_pl |x_p - c_l|^2,
///   f^b = tau log sum over clusters l and ordered pairs of groups j != j' of exp(-(m_lj / m_lj') / tau),
/// where f^b is minus a soft minimum of the ratios: -f^b is below the balance of the soft counts, by at most tau log(k
/// J (J - 1)).
///
/// The variables, of size k d + n k, are the centres, k x d, followed by u, n x k, with s_p = softmax(sqrt(n) u_p):
/// - The centres are variables, while in (2) they are means. The best centres for given shares are the weighted means,
///   and f^b does not depend on centres. So the Pareto front and the stationary points (where f^a has weight) are the
///   same. As variables they make f^a a sum over points, so a few points give an unbiased gradient, without a pass over
///   all points for the means.
/// - Logits make the shares free of constraints. The factor sqrt(n) is needed because the gradient by one point's
///   logits is O(1/n): in u one step size moves shares and centres alike.
///
/// The problem is not convex, and its infimum may be at infinite logits. So Theorem 5.1 does not apply, a `step` must
/// be given, and the result depends on the start.
///
///   SmoothFairKmeans objectives({.dimensions = 2, .clusters = 3}, rows, groups);
///   const sa2gd::Options options{.steps_a = 4, .steps_b = 1, .iterations = 2000,
///                                .step = [](std::int64_t t) { return 0.2 / (1 + t / 100.0); }};
///   const auto by_points = [&](auto x, Draws& draws, auto out) { objectives.sampled_cost_gradient(x, draws, out); };
///   const auto by_counts = [&](auto x, Draws&, auto out) { objectives.imbalance_gradient(x, out); };
///   objectives.round(sa2gd::minimise(options, objectives.start(labels), by_points, by_counts).x, labels);

#include <span>
#include <vector>

#include <fairstream/base/types.hpp>
#include <fairstream/numeric/draws.hpp>

namespace fairstream {

/// Every `x` and gradient must have `size()` entries, otherwise `InvalidInput` (wrong_shape) is thrown; gradients are
/// written completely. Only the constructor and `start` allocate. Not safe from several threads: it has scratch of its
/// own.
class SmoothFairKmeans {
public:
    struct Options {
        int dimensions = 0;  ///< d, at least 1
        int clusters = 8;    ///< k, in [1, 32767]
        int groups = 2;      ///< J, in [2, 65535]
        /// tau, above 0 and finite, in units of balance; a smaller one is closer to the minimum but less smooth.
        double temperature = 0.05;
        int batch = 32;  ///< points per sampled gradient, in [1, 1e9]
    };

    /// `rows` is n x d, `groups` is n; both are borrowed for the life of the object. Throws `InvalidInput`: bad_option
    /// for options, or a group without points; wrong_shape for wrong sizes or n outside [1, 2^32); bad_feature;
    /// unknown_group.
    SmoothFairKmeans(const Options& options, ConstRows rows, std::span<const GroupId> groups);

    [[nodiscard]] std::size_t size() const noexcept { return k_ * d_ + n_ * k_; }

    /// Returns variables for these labels. Each point's largest share is of the cluster of its label; it exceeds the
    /// other shares, which are equal, by `confidence`. The centres are the weighted means. Throws `InvalidInput`:
    /// wrong_shape unless there are n labels in [0, k); bad_option unless `confidence` is in (0, 1).
    [[nodiscard]] std::vector<double> start(std::span<const ClusterId> labels, double confidence = 0.5) const;
    /// Labels each point by its largest share, ties to the lower index. `labels` is n.
    void round(std::span<const double> x, std::span<ClusterId> labels) const;

    /// Returns f^a; O(n k d).
    [[nodiscard]] double cost(std::span<const double> x);
    /// Computes grad f^a; O(n k d).
    void cost_gradient(std::span<const double> x, std::span<double> gradient);
    /// Computes an unbiased estimate of grad f^a from `batch` points drawn with replacement; O(n k) to clear, O(batch k
    /// d). It moves only the logits of the drawn points, n / batch times as far as `cost_gradient` does. If that is
    /// much more than 1 over a squared distance, a step drives their shares to 0 and 1 at once.
    void sampled_cost_gradient(std::span<const double> x, Draws& draws, std::span<double> gradient);

    /// Returns f^b; O(n k + k J^2).
    [[nodiscard]] double imbalance(std::span<const double> x);
    /// Computes grad f^b exactly; O(n k + k J^2). There is no sampled version: ratios and logarithms of sampled counts
    /// are biased. Except for an exponential per share, this costs no more than clearing a gradient.
    void imbalance_gradient(std::span<const double> x, std::span<double> gradient);

private:
    [[nodiscard]] const float* row(std::size_t p) const { return rows_.data() + p * d_; }
    [[nodiscard]] std::size_t logits(std::size_t p) const { return k_ * d_ + p * k_; }
    void shares(std::span<const double> x, std::size_t p, double* s) const;
    void distances(std::span<const double> x, std::size_t p, double* squared) const;
    void add_cost_gradient(std::span<const double> x, std::size_t p, double weight, std::span<double> gradient);
    // f^b is tau log(sum) - least; the smallest ratio is taken out of the exponentials.
    struct SoftMinimum {
        double least, sum;
    };
    template <class Visit> void for_each_ratio(Visit&& visit) const;
    void count(std::span<const double> x, std::span<double> out);
    [[nodiscard]] SoftMinimum soft_minimum() const;
    void slope_of_imbalance();

    std::size_t d_, k_, group_count_, n_;
    double temperature_, logit_scale_;
    int batch_;
    ConstRows rows_;
    std::span<const GroupId> groups_;
    // Scratch.
    std::vector<double> shares_, squared_;  // k
    std::vector<double> counts_, slopes_;   // k x J: m_lj, and the derivative of f^b by m_lj
};

}  // namespace fairstream
