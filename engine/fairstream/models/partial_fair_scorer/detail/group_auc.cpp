#include <fairstream/models/partial_fair_scorer/detail/group_auc.hpp>

#include <algorithm>
#include <numeric>

namespace fairstream::partial_fair_scorer {

GroupAuc::GroupAuc(const Options& options, const Sample& sample)
    : surrogate_(options.surrogate),
      width_(options.width),
      kappa_(options.kappa),
      points_(sample.size()),
      sample_(sample) {
    const RanksByGroup ranks = ranks_of(options, sample.known_groups());
    for (std::size_t g = 0; g < sample.known_groups(); ++g) {
        const RowRange rows = sample.group(g);
        const RankInterval& counts = ranks[g].front();
        const double mass = sample.mass(rows);
        Group group{rows, mass_up_to(counts.from, mass), mass_up_to(counts.to, mass), {}, {}, {}, {}, {}};
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
        group.weights.clear();
        group.sums.assign(1, 0.0);
        group.masses.assign(1, 0.0);
        for (const std::size_t row : group.falling) {
            const double weight = sample_.weight(row);
            group.scores.push_back(scores[row]);
            group.weights.push_back(weight);
            group.sums.push_back(group.sums.back() + weight * scores[row]);
            group.masses.push_back(group.masses.back() + weight);
        }
    }
    for (std::size_t i = 0; i < pairs_.size(); ++i) {
        const double n = pairs(pairs_[i]);
        const Group& below = groups_[pairs_[i].below];
        plus[i] = largest(pairs_[i], below.alpha, 1, nullptr) / n;
        minus[i] = largest(pairs_[i], below.beta, 1, nullptr) / n + 0.5 + kappa_;
    }
}

GroupAuc::Top GroupAuc::top(const Group& group, double mass) {
    const auto end = std::ranges::upper_bound(group.masses, mass);
    const auto count = static_cast<std::size_t>(end - group.masses.begin()) - 1;
    return {count, count < group.weights.size() ? mass - group.masses[count] : 0};
}

double GroupAuc::sum_above(const Group& group, Top highest, Side side, double z, double scale,
                           std::vector<double>* slopes, double& own) const {
    const double part = highest.rest > 0 ? highest.rest / group.weights[highest.count] : 0;
    if (surrogate_ == Surrogate::clipped) {
        const double kink = z + (side == Side::plus ? -0.5 : 0.5) * width_;
        const auto end = static_cast<std::size_t>(
            std::ranges::partition_point(group.scores, [&](double score) { return score > kink; }) -
            group.scores.begin());
        const std::size_t many = std::min(highest.count, end);
        const bool next = part > 0 && end > highest.count;
        if (slopes != nullptr) {  // differences
            (*slopes)[0] += scale / width_, (*slopes)[many] -= scale / width_;
            if (next) (*slopes)[many] += part * scale / width_, (*slopes)[many + 1] -= part * scale / width_;
        }
        const double mass = group.masses[many] + (next ? highest.rest : 0);
        const double sum = group.sums[many] + (next ? highest.rest * group.scores[many] : 0);
        own = -mass / width_;
        return (sum - mass * kink) / width_;
    }
    double sum = 0;
    own = 0;
    for (std::size_t i = 0; i < highest.count + (part > 0 ? 1 : 0); ++i) {
        const LogisticParts parts((group.scores[i] - z) / width_);
        const double share = i < highest.count ? 1 : part, weight = share * group.weights[i];
        const double slope = parts.of(side).slope / width_;
        sum += weight * parts.of(side).value;
        own -= weight * slope;
        if (slopes != nullptr) (*slopes)[i] += share * scale * slope, (*slopes)[i + 1] -= share * scale * slope;
    }
    return sum;
}

double GroupAuc::largest(const Pair& pair, double b, double scale, Slopes* out) const {
    const Group& above = groups_[pair.above];
    const Group& below = groups_[pair.below];
    const Top to_beta = top(above, above.beta), to_alpha = top(above, above.alpha);
    std::vector<double> slopes(above.falling.size() + 1, 0.0);  // differences between successive ranks
    std::vector<double>* const to = out == nullptr ? nullptr : &slopes;
    double total = 0;
    for (std::size_t j = 0; j < below.scores.size(); ++j) {
        const double inside = std::clamp(b - below.masses[j], 0.0, below.weights[j]);
        for (const bool in : {true, false}) {  // V_j if `in`, otherwise U_j
            const double weight = in ? inside : below.weights[j] - inside;
            if (weight <= 0) continue;
            double first = 0, second = 0;
            const double z = below.scores[j], by = scale * weight;
            const double at_beta = sum_above(above, to_beta, in ? Side::minus : Side::plus, z, by, to, first);
            const double at_alpha = sum_above(above, to_alpha, in ? Side::plus : Side::minus, z, by, to, second);
            total += weight * at_beta;
            total += weight * at_alpha;
            if (out != nullptr) out->rows[below.falling[j]] += by * (first + second);
        }
    }
    if (out == nullptr) return total;
    double slope = 0;
    for (std::size_t i = 0; i < above.falling.size(); ++i) {
        slope += slopes[i];
        out->rows[above.falling[i]] += slope * above.weights[i];
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

// Adds the same second derivative for every score that counts. The kinks of a sum over pairs are dense: on average a
// score meets one kink per `width` of the range of the other scores.
void GroupAuc::add_curvatures(std::size_t i, double multiplier, const ScoreFunction&, std::span<double> rows,
                              std::span<double>, Matrix&) const {
    for (const std::size_t g : {pairs_[i].above, pairs_[i].below}) {
        const Group& group = groups_[g];
        const double each = multiplier / (4 * (group.beta - group.alpha) * width_);
        const Top highest = top(group, group.beta);
        for (std::size_t rank = 0; rank < highest.count; ++rank)
            rows[group.falling[rank]] += each * group.weights[rank];
        if (highest.rest > 0) rows[group.falling[highest.count]] += each * highest.rest;
    }
}

}  // namespace fairstream::partial_fair_scorer
