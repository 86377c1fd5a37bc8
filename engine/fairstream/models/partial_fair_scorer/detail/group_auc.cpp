#include <fairstream/models/partial_fair_scorer/detail/group_auc.hpp>

#include <algorithm>
#include <numeric>

namespace fairstream::partial_fair_scorer {

GroupAuc::GroupAuc(const Options& options, const Sample& sample)
    : surrogate_(options.surrogate), width_(options.width), kappa_(options.kappa), points_(sample.size()) {
    const RanksByGroup ranks = ranks_of(options, sample.groups());
    for (std::size_t g = 0; g < sample.groups(); ++g) {
        const RowRange rows = sample.group(g);
        const RankInterval& counts = ranks[g].front();
        Group group{rows, count_up_to(counts.from, rows.size()), count_up_to(counts.to, rows.size()), {}, {}, {}};
        if (group.alpha >= group.beta) continue;
        group.falling.resize(rows.size());
        groups_.push_back(std::move(group));
    }
    for (std::size_t k = 0; k < groups_.size(); ++k)
        for (std::size_t other = 0; other < groups_.size(); ++other)
            if (k != other) pairs_.push_back({k, other});
}

void GroupAuc::evaluate(std::span<const double> scores, std::span<const double>, std::span<double> plus,
                        std::span<double> minus) {
    for (Group& group : groups_) {
        std::iota(group.falling.begin(), group.falling.end(), group.rows.first);
        std::ranges::sort(group.falling, [&](std::size_t a, std::size_t b) {
            return scores[a] != scores[b] ? scores[a] > scores[b] : a < b;
        });
        group.scores.clear();
        group.sums.assign(1, 0.0);
        for (const std::size_t row : group.falling) {
            group.scores.push_back(scores[row]);
            group.sums.push_back(group.sums.back() + scores[row]);
        }
    }
    for (std::size_t i = 0; i < pairs_.size(); ++i) {
        const double n = pairs(pairs_[i]);
        const Group& below = groups_[pairs_[i].below];
        plus[i] = largest(pairs_[i], below.alpha, 1, nullptr) / n;
        minus[i] = largest(pairs_[i], below.beta, 1, nullptr) / n + 0.5 + kappa_;
    }
}

double GroupAuc::sum_above(const Group& group, std::size_t count, Side side, double z, double scale,
                           std::vector<double>* slopes, double& own) const {
    if (surrogate_ == Surrogate::clipped) {
        const double kink = z + (side == Side::plus ? -0.5 : 0.5) * width_;
        const auto end = std::ranges::partition_point(group.scores, [&](double score) { return score > kink; });
        const std::size_t many = std::min(count, static_cast<std::size_t>(end - group.scores.begin()));
        if (slopes != nullptr) (*slopes)[0] += scale / width_, (*slopes)[many] -= scale / width_;  // differences
        own = -static_cast<double>(many) / width_;
        return (group.sums[many] - static_cast<double>(many) * kink) / width_;
    }
    double sum = 0;
    own = 0;
    for (std::size_t i = 0; i < count; ++i) {
        const LogisticParts parts((group.scores[i] - z) / width_);
        const double slope = parts.of(side).slope / width_;
        sum += parts.of(side).value;
        own -= slope;
        if (slopes != nullptr) (*slopes)[i] += scale * slope, (*slopes)[i + 1] -= scale * slope;
    }
    return sum;
}

double GroupAuc::largest(const Pair& pair, std::size_t b, double scale, Slopes* out) const {
    const Group& above = groups_[pair.above];
    const Group& below = groups_[pair.below];
    std::vector<double> slopes(above.falling.size() + 1, 0.0);  // differences from one rank to the next
    double total = 0;
    for (std::size_t j = 0; j < below.scores.size(); ++j) {
        const bool in = j < b;  // V_j, otherwise U_j
        double first = 0, second = 0;
        std::vector<double>* const to = out == nullptr ? nullptr : &slopes;
        total += sum_above(above, above.beta, in ? Side::minus : Side::plus, below.scores[j], scale, to, first);
        total += sum_above(above, above.alpha, in ? Side::plus : Side::minus, below.scores[j], scale, to, second);
        if (out != nullptr) out->rows[below.falling[j]] += scale * (first + second);
    }
    if (out == nullptr) return total;
    double slope = 0;
    for (std::size_t i = 0; i < above.falling.size(); ++i) {
        slope += slopes[i];
        out->rows[above.falling[i]] += slope;
    }
    out->touched.push_back(above.rows);
    out->touched.push_back(below.rows);
    return total;
}

void GroupAuc::add_slopes(std::size_t i, Side side, double scale, Slopes& out) const {
    const Group& below = groups_[pairs_[i].below];
    (void)largest(pairs_[i], side == Side::plus ? below.alpha : below.beta, scale / pairs(pairs_[i]), &out);
}

void GroupAuc::gradients(const ScoreFunction& function, Matrix& plus, Matrix& minus) const {
    Slopes slopes(points_, 0);
    for (const Side side : {Side::plus, Side::minus}) {
        Matrix& out = side == Side::plus ? plus : minus;
        out = Matrix(count(), function.parameters());
        for (std::size_t i = 0; i < count(); ++i) {
            slopes.clear();
            add_slopes(i, side, 1, slopes);
            function.add_gradients({0, points_}, slopes.rows, {out.row(i), out.cols});
        }
    }
}

// Adds the same second derivative for every score that counts: the kinks of a sum over pairs lie dense, on average a
// score meets one per `width` of the others' range.
void GroupAuc::add_bends(std::size_t i, double multiplier, const ScoreFunction&, std::span<double> rows,
                         std::span<double>, Matrix&) const {
    for (const std::size_t g : {pairs_[i].above, pairs_[i].below}) {
        const Group& group = groups_[g];
        const double each = multiplier / (4 * static_cast<double>(group.beta - group.alpha) * width_);
        for (std::size_t rank = 0; rank < group.beta; ++rank) rows[group.falling[rank]] += each;
    }
}

}  // namespace fairstream::partial_fair_scorer
