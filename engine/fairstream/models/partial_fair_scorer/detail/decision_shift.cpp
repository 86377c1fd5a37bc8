#include <fairstream/models/partial_fair_scorer/detail/decision_shift.hpp>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include <fairstream/models/partial_fair_scorer/detail/constraints.hpp>

namespace fairstream::partial_fair_scorer {
namespace {

/// The weight of right decisions minus the weight of all positives, as a function of the weight m of points below the
/// cut. It is linear between distinct scores, so the order of equal scores does not matter.
class RightDecisions {
public:
    RightDecisions(std::span<const Score> scores, const PointBatch& points, double unit) {
        std::vector<std::size_t> rising(scores.size());
        std::iota(rising.begin(), rising.end(), std::size_t{0});
        std::ranges::sort(rising, {}, [&](std::size_t i) { return std::pair(scores[i], i); });
        for (const std::size_t i : rising) {
            if (scores_.empty() || scores_.back() != scores[i]) {
                scores_.push_back(scores[i]);
                below_.push_back(below_.back());
                right_.push_back(right_.back());
            }
            const double weight = points.weights.empty() ? 1 : points.weights[i] / unit;
            below_.back() += weight;
            right_.back() += points.targets[i] > 0 ? -weight : weight;
        }
        for (std::size_t j = 0; j < scores_.size(); ++j)
            sums_.push_back(sums_[j] + (below_[j + 1] - below_[j]) * (right_[j] + right_[j + 1]) / 2);
    }

    /// Returns the distinct scores, ascending.
    [[nodiscard]] std::span<const Score> scores() const { return scores_; }
    /// Returns 2 `half_width` times the average of the function around the cut above the j lowest distinct scores: over
    /// cuts with up to `half_width` more or less weight below.
    [[nodiscard]] double around(std::size_t j, double half_width) const {
        return integral(below_[j] + half_width) - integral(below_[j] - half_width);
    }
    /// Returns the function itself at the cut above the j lowest distinct scores.
    [[nodiscard]] double at(std::size_t j) const { return right_[j]; }
    [[nodiscard]] double mass() const { return below_.back(); }

private:
    /// Integrates from 0 to m; beyond the first and last cut the function is constant.
    [[nodiscard]] double integral(double m) const {
        if (m <= 0) return m * right_.front();
        if (m >= below_.back()) return sums_.back() + (m - below_.back()) * right_.back();
        const auto next = std::ranges::upper_bound(below_, m) - below_.begin();
        const auto j = static_cast<std::size_t>(next - 1);
        const double part = m - below_[j], slope = (right_[j + 1] - right_[j]) / (below_[j + 1] - below_[j]);
        return sums_[j] + part * (right_[j] + slope * part / 2);
    }

    std::vector<Score> scores_;
    std::vector<double> below_{0}, right_{0}, sums_{0};  // by number of distinct scores below the cut
};

}  // namespace

bool shifts_scores(const Options& options, Loss loss) {
    return loss == Loss::sigmoid && options.over == Over::points && !compares_at_threshold(options);
}

double most_accurate_shift(std::span<const Score> scores, const PointBatch& points, double unit, double threshold) {
    const RightDecisions right(scores, points, unit);
    const std::span<const Score> distinct = right.scores();
    if (distinct.size() < 2) return 0;
    const double half_width = std::cbrt(right.mass() * right.mass()) / 2;
    std::size_t best = 1;
    double most = right.around(best, half_width);
    for (std::size_t j = 2; j < distinct.size(); ++j)
        if (const double own = right.around(j, half_width); own > most) best = j, most = own;
    const auto present = static_cast<std::size_t>(std::ranges::upper_bound(distinct, threshold) - distinct.begin());
    return right.at(best) > right.at(present) ? threshold - std::midpoint(distinct[best - 1], distinct[best]) : 0;
}

}  // namespace fairstream::partial_fair_scorer
