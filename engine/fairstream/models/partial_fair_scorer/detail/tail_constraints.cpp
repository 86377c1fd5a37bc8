#include <fairstream/models/partial_fair_scorer/detail/tail_constraints.hpp>

#include <algorithm>
#include <cmath>

namespace fairstream::partial_fair_scorer {
namespace {

/// Returns the rank below which the share `level`, in [0, 1], of the ranks that count lies. Between two intervals this
/// share is constant: `low` selects the end of the first interval, otherwise the beginning of the second. A level meets
/// an end up to rounding.
double rank_at(const std::vector<RankInterval>& ranks, double level, bool low) {
    constexpr double rounding = 1e-12;
    double left = level * length(ranks);
    for (const RankInterval& interval : ranks) {
        const double here = interval.to - interval.from;
        if (left < here - rounding) return interval.from + std::max(left, 0.0);
        if (left <= here + rounding && low) return interval.to;
        left -= here;
    }
    return ranks.back().to;
}

TailConstraint at_least(std::size_t tail, double share) {
    return {{{share, {{tail, Side::minus, 1}}}, {}}, {{0, {{tail, Side::plus, 1}}}, {}}};
}
TailConstraint at_most(std::size_t tail, double share) {
    return {{{0, {{tail, Side::plus, 1}}}, {}}, {{share, {{tail, Side::minus, 1}}}, {}}};
}

/// Adds `by` x max{S- + rank, S+} to a part.
void add_largest(TailPart& part, std::size_t tail, double by, double rank) {
    part.largest.push_back({{by * rank, {{tail, Side::minus, by}}}, {0, {{tail, Side::plus, by}}}});
}

/// Returns constraint (26): a tail's share of its ranks is at most kappa more than another's. In
///   min{S, c} = S+ + c - max{S- + c, S+}
/// the S+ of both ends of an interval cancel, which leaves
///   max{S_k- + alpha, S_k+} + max{S_k'- + beta, S_k'+} minus the same with alpha and beta exchanged.
/// Ranks of unequal length count by their share, times the mean length.
TailConstraint at_most_kappa_above(std::size_t tail, const std::vector<RankInterval>& ranks, std::size_t other,
                                   const std::vector<RankInterval>& other_ranks, double kappa) {
    const double scale = (length(ranks) + length(other_ranks)) / 2;
    const double by = scale / length(ranks), other_by = scale / length(other_ranks);
    TailConstraint constraint;
    constraint.minus.sum.constant = kappa * scale;
    for (const RankInterval& interval : ranks) {
        add_largest(constraint.plus, tail, by, interval.from);
        add_largest(constraint.minus, tail, by, interval.to);
    }
    for (const RankInterval& interval : other_ranks) {
        add_largest(constraint.plus, other, other_by, interval.to);
        add_largest(constraint.minus, other, other_by, interval.from);
    }
    return constraint;
}

}  // namespace

TailConstraints::TailConstraints(const Options& options, const Sample& sample, std::vector<Tail> tails,
                                 std::size_t thresholds, std::vector<TailConstraint> constraints,
                                 std::vector<ShareRange> ranges)
    : tails_(options, sample, tails),
      list_(std::move(tails)),
      points_(sample.size()),
      sample_(sample),
      width_(options.width),
      thresholds_(thresholds),
      constraints_(std::move(constraints)),
      ranges_(std::move(ranges)) {}

double TailConstraints::value(const TailSum& sum) const {
    double total = sum.constant;
    for (const TailTerm& term : sum.terms) total += term.scale * tails_.value(term.tail, term.side);
    return total;
}

double TailConstraints::value(const TailPart& part) const {
    double total = value(part.sum);
    for (const auto& sums : part.largest) {
        double most = value(sums.front());
        for (const TailSum& sum : sums) most = std::max(most, value(sum));
        total += most;
    }
    return total;
}

std::vector<TailTerm> TailConstraints::active_terms(const TailPart& part) const {
    std::vector<TailTerm> terms = part.sum.terms;
    for (const auto& sums : part.largest) {
        const TailSum* most = &sums.front();
        for (const TailSum& sum : sums)
            if (value(sum) > value(*most)) most = &sum;
        terms.insert(terms.end(), most->terms.begin(), most->terms.end());
    }
    return terms;
}

void TailConstraints::evaluate(std::span<const double> scores, std::span<const double> thetas, std::span<double> plus,
                               std::span<double> minus) {
    tails_.evaluate(scores, thetas);
    for (std::size_t i = 0; i < count(); ++i)
        plus[i] = value(constraints_[i].plus), minus[i] = value(constraints_[i].minus);
}

void TailConstraints::add_slopes(std::size_t i, Side side, double scale, Slopes& out) const {
    for (const TailTerm& term : active_terms(part(i, side)))
        tails_.add_slopes(term.tail, term.side, scale * term.scale, out);
}

void TailConstraints::gradients(const ScoreFunction& function, Matrix& plus, Matrix& minus) const {
    Matrix of_tails;
    tails_.gradients(function, of_tails);
    const std::size_t width = of_tails.cols;
    for (const Side side : {Side::plus, Side::minus}) {
        Matrix& out = side == Side::plus ? plus : minus;
        out = Matrix(count(), function.parameters() + thresholds_);
        for (std::size_t i = 0; i < count(); ++i)
            for (const TailTerm& term : active_terms(part(i, side))) {
                const double* const from = of_tails.row(2 * term.tail + static_cast<std::size_t>(term.side));
                for (std::size_t j = 0; j < width; ++j) out.at(i, j) += term.scale * from[j];
            }
    }
}

void TailConstraints::add_curvatures(std::size_t i, double multiplier, const ScoreFunction& function,
                                     std::span<double> rows, std::span<double> thetas, Matrix& mixed) const {
    std::vector<double> own(points_);
    for (const TailTerm& term : active_terms(constraints_[i].plus)) {
        if (term.scale <= 0) continue;
        const Tail& tail = list_[term.tail];
        std::fill(own.begin() + static_cast<std::ptrdiff_t>(tail.rows.first),
                  own.begin() + static_cast<std::ptrdiff_t>(tail.rows.last), 0.0);
        const double sum = tails_.add_curvatures(term.tail, term.side, multiplier * term.scale, own);
        for (std::size_t row = tail.rows.first; row < tail.rows.last; ++row) rows[row] += own[row];
        if (tail.variable == Tail::fixed) continue;
        thetas[tail.variable] += sum;
        for (std::size_t row = tail.rows.first; row < tail.rows.last; ++row) own[row] = -own[row];
        function.add_gradients(tail.rows, own, {mixed.row(tail.variable), mixed.cols});
    }
}

double TailConstraints::surrogate_gap(std::span<const double> scores, std::span<const double> thetas) const {
    Tails tails = tails_;
    tails.evaluate(scores, thetas);
    double gap = 0;
    for (std::size_t t = 0; t < list_.size(); ++t) {
        const Tail& tail = list_[t];
        const double theta = tail.variable == Tail::fixed ? tail.at : thetas[tail.variable];
        double above = 0;
        for (std::size_t row = tail.rows.first; row < tail.rows.last; ++row)
            above += scores[row] > theta ? sample_.weight(row) : 0;
        gap = std::max(gap, std::abs(tails.share(t) - above / sample_.mass(tail.rows)));
    }
    return gap;
}

// Finds the thresholds whose largest violation is least, all at once. At these thresholds the largest excess of a share
// over its range equals the largest lack; bisection finds them.
std::vector<double> TailConstraints::fitting_thresholds(std::span<const double> scores) const {
    if (thresholds_ == 0 || scores.empty()) return std::vector<double>(thresholds_, 0.0);
    constexpr int bisections = 50;
    const auto [least, most] = std::ranges::minmax(scores);
    const double beyond = width_ * 20;  // where the logistic surrogate is also 0 or 1 up to rounding
    std::vector<double> low(thresholds_, least - beyond), high(thresholds_, most + beyond), middle(thresholds_);
    std::vector<double> excess(thresholds_), lack(thresholds_);
    Tails tails = tails_;
    for (int round = 0; round < bisections; ++round) {
        for (std::size_t v = 0; v < thresholds_; ++v) middle[v] = (low[v] + high[v]) / 2;
        tails.evaluate(scores, middle);
        std::ranges::fill(excess, -1.0);  // no share can be further inside a range
        std::ranges::fill(lack, -1.0);
        for (std::size_t t = 0; t < list_.size(); ++t) {
            const std::size_t v = list_[t].variable;
            excess[v] = std::max(excess[v], tails.share(t) - ranges_[t].high);
            lack[v] = std::max(lack[v], ranges_[t].low - tails.share(t));
        }
        for (std::size_t v = 0; v < thresholds_; ++v) (excess[v] > lack[v] ? low : high)[v] = middle[v];
    }
    return middle;
}

std::unique_ptr<Constraints> statistical_parity(const Options& options, const Sample& sample) {
    const RanksByGroup ranks = ranks_of(options, sample.known_groups());
    const auto levels = static_cast<std::size_t>(options.rank_levels);
    std::vector<Tail> tails;
    std::vector<TailConstraint> constraints;
    std::vector<ShareRange> ranges;
    for (std::size_t g = 0; g < sample.known_groups(); ++g) {
        if (sample.group(g).size() == 0) continue;
        for (std::size_t q = 0; q < levels; ++q) {
            // Uses both ends of [0, 1 - kappa]. Without the upper end, as for a half-open interval, the bound of the
            // gap beyond it would be larger by the spacing.
            const double level = (1 - options.kappa) * static_cast<double>(q) / static_cast<double>(levels - 1);
            const double low = rank_at(ranks[g], level, true);
            const double high = rank_at(ranks[g], std::min(1.0, level + options.kappa), false);
            const std::size_t tail = tails.size();
            tails.push_back({sample.group(g), q, 0});
            if (low > 0) constraints.push_back(at_least(tail, low));
            if (high < 1) constraints.push_back(at_most(tail, high));
            ranges.push_back({low, high});
        }
    }
    return std::make_unique<TailConstraints>(options, sample, std::move(tails), levels, std::move(constraints),
                                             std::move(ranges));
}

std::unique_ptr<Constraints> parity_at_threshold(const Options& options, const Sample& sample) {
    const RanksByGroup ranks = ranks_of(options, sample.known_groups());
    std::vector<Tail> tails;
    std::vector<TailConstraint> constraints;
    const auto compare = [&](RowRange (Sample::*rows)(std::size_t) const noexcept) {
        std::vector<std::pair<std::size_t, std::size_t>> there;  // group and tail
        for (std::size_t g = 0; g < sample.known_groups(); ++g) {
            if ((sample.*rows)(g).size() == 0) continue;
            there.emplace_back(g, tails.size());
            tails.push_back({(sample.*rows)(g), Tail::fixed, options.threshold});
        }
        for (const auto& [k, tail] : there)
            for (const auto& [other_k, other] : there)
                if (k != other_k)
                    constraints.push_back(at_most_kappa_above(tail, ranks[k], other, ranks[other_k], options.kappa));
    };
    if (options.metric == Metric::pdp) compare(&Sample::group);
    if (options.metric != Metric::pdp) compare(&Sample::positives);
    if (is_of_classes(options.metric)) compare(&Sample::negatives);
    return std::make_unique<TailConstraints>(options, sample, std::move(tails), 0, std::move(constraints),
                                             std::vector<ShareRange>{});
}

std::unique_ptr<Constraints> no_constraints(const Options& options, const Sample& sample) {
    return std::make_unique<TailConstraints>(options, sample, std::vector<Tail>{}, 0, std::vector<TailConstraint>{},
                                             std::vector<ShareRange>{});
}

}  // namespace fairstream::partial_fair_scorer
