#include <fairstream/models/partial_fair_scorer/detail/pair_sums.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

namespace fairstream::partial_fair_scorer {
namespace {

/// Number of nodes of an interval. A polynomial through this many Chebyshev points approximates a function that is
/// analytic out to pi times the interval's length, with an error of the order of rho^-16 = 2e-18 of its size there, rho
/// = 2 pi + sqrt(4 pi^2 + 1) (L. N. Trefethen, "Approximation theory and approximation practice", theorem 8.2).
constexpr std::size_t order = 16;
/// Points whose polynomials are computed in parallel.
constexpr std::size_t lanes = 8;

using Polynomials = std::array<std::array<double, lanes>, order>;  // T_k at each point

/// Computes T_k(u), k < order, for all lanes.
void chebyshev(const std::array<double, lanes>& u, Polynomials& t) {
    t[0].fill(1);
    t[1] = u;
    for (std::size_t k = 2; k < order; ++k)
        for (std::size_t lane = 0; lane < lanes; ++lane) t[k][lane] = 2 * u[lane] * t[k - 1][lane] - t[k - 2][lane];
}

/// T_k(u_m) at the Chebyshev points of this order, row k.
std::array<std::array<double, order>, order> polynomials_at_nodes() {
    std::array<std::array<double, order>, order> t;
    for (std::size_t k = 0; k < order; ++k)
        for (std::size_t m = 0; m < order; ++m)
            t[k][m] = std::cos(std::numbers::pi * static_cast<double>(k) * (static_cast<double>(m) + 0.5) / order);
    return t;
}

/// Points of one interval, ascending, and the nodes that represent them: the points themselves if they are few,
/// otherwise Chebyshev points with weights for which sums of polynomials are equal.
struct Interval {
    double begin;
    std::size_t first, last;  // the points from `first` to before `last`
    std::size_t first_node, last_node;
    [[nodiscard]] bool is_own() const { return last - first <= order; }
};

/// One of the two sets.
class NodeSet {
public:
    NodeSet(std::span<const double> points, std::span<const double> weights, double length)
        : points_(points), point_weights_(weights), length_(length), at_nodes_(polynomials_at_nodes()) {
        for (std::size_t first = 0; first < points.size();) {
            std::size_t last = first + 1;
            while (last < points.size() && points[last] - points[first] <= length) ++last;
            add({points[first], first, last, offsets_.size(), 0});
            first = last;
        }
        sum_points();
    }

    [[nodiscard]] const std::vector<Interval>& intervals() const { return intervals_; }
    [[nodiscard]] std::size_t nodes() const { return offsets_.size(); }
    /// A node is at its interval's begin plus its offset, so that differences of scores far from 0 stay exact.
    [[nodiscard]] double offset(std::size_t node) const { return offsets_[node]; }
    [[nodiscard]] double weight(std::size_t node) const { return weights_[node]; }

    /// Several points at one place, with their total weight as `count`.
    struct MergedPoints {
        double mean = 0, count = 0;
    };
    /// Return the points of the intervals before the i-th, and the points of the i-th and all later intervals.
    [[nodiscard]] MergedPoints before(std::size_t i) const { return merged_points(sums_before_[i], counts_before_[i]); }
    [[nodiscard]] MergedPoints from(std::size_t i) const { return merged_points(sums_from_[i], counts_from_[i]); }

    /// Evaluates functions given at the nodes, one in each row, at the points.
    [[nodiscard]] Matrix at_points(const Matrix& at_nodes) const {
        Matrix out(at_nodes.rows, points_.size());
        for (const Interval& interval : intervals_) {
            if (!interval.is_own()) interpolate(interval, at_nodes, out);
            for (std::size_t c = 0; interval.is_own() && c < out.rows; ++c)
                std::copy_n(at_nodes.row(c) + interval.first_node, interval.last - interval.first,
                            out.row(c) + interval.first);
        }
        return out;
    }

private:
    void add(Interval interval) {
        if (interval.is_own()) {
            for (std::size_t i = interval.first; i < interval.last; ++i) {
                offsets_.push_back(points_[i] - interval.begin);
                weights_.push_back(point_weight(i));
            }
        } else {
            for (std::size_t m = 0; m < order; ++m) offsets_.push_back(length_ / 2 * (1 + at_nodes_[1][m]));
            add_weights(interval);
        }
        interval.last_node = offsets_.size();
        intervals_.push_back(interval);
    }

    /// Calls `body` with the polynomials at a few points of an interval at a time, and the number of these points.
    template <class Body> void for_lanes(const Interval& interval, const Body& body) const {
        Polynomials t;
        std::array<double, lanes> u{};
        for (std::size_t i = interval.first; i < interval.last; i += lanes) {
            const std::size_t count = std::min(lanes, interval.last - i);
            for (std::size_t lane = 0; lane < count; ++lane)
                u[lane] = 2 * (points_[i + lane] - interval.begin) / length_ - 1;
            chebyshev(u, t);
            body(i, count, t);
        }
    }

    // The polynomial through values at the nodes is (1 / order) times the sum over m of the value times 1 + 2 sum_k>0
    // T_k(u_m) T_k(u). So a node's weight follows from the points' sums of T_k, and the transpose gives the
    // polynomial's coefficients.
    void add_weights(const Interval& interval) {
        std::array<double, order> moments{};
        for_lanes(interval, [&](std::size_t i, std::size_t count, const Polynomials& t) {
            for (std::size_t k = 0; k < order; ++k)
                for (std::size_t lane = 0; lane < count; ++lane) moments[k] += point_weight(i + lane) * t[k][lane];
        });
        for (std::size_t m = 0; m < order; ++m) {
            double sum = moments[0];
            for (std::size_t k = 1; k < order; ++k) sum += 2 * at_nodes_[k][m] * moments[k];
            weights_.push_back(sum / order);
        }
    }
    void interpolate(const Interval& interval, const Matrix& at_nodes, Matrix& out) const {
        Matrix coefficients(out.rows, order);
        for (std::size_t c = 0; c < out.rows; ++c)
            for (std::size_t k = 0; k < order; ++k) {
                const double* const values = at_nodes.row(c) + interval.first_node;
                double sum = 0;
                for (std::size_t m = 0; m < order; ++m) sum += at_nodes_[k][m] * values[m];
                coefficients.at(c, k) = (k == 0 ? 1 : 2) * sum / order;
            }
        for_lanes(interval, [&](std::size_t i, std::size_t count, const Polynomials& t) {
            for (std::size_t c = 0; c < out.rows; ++c) {
                std::array<double, lanes> sums{};
                for (std::size_t k = 0; k < order; ++k)
                    for (std::size_t lane = 0; lane < lanes; ++lane) sums[lane] += coefficients.at(c, k) * t[k][lane];
                std::copy_n(sums.begin(), count, out.row(c) + i);
            }
        });
    }

    void sum_points() {
        sums_before_.assign(intervals_.size() + 1, 0.0);
        sums_from_ = counts_before_ = counts_from_ = sums_before_;
        const auto sum = [&](const Interval& interval) {
            double total = 0;
            for (std::size_t i = interval.first; i < interval.last; ++i)
                total += point_weight(i) * (points_[i] - points_[0]);
            return total;
        };
        const auto count = [&](const Interval& interval) {
            double total = 0;
            for (std::size_t i = interval.first; i < interval.last; ++i) total += point_weight(i);
            return total;
        };
        for (std::size_t i = 0; i < intervals_.size(); ++i) {
            sums_before_[i + 1] = sums_before_[i] + sum(intervals_[i]);
            counts_before_[i + 1] = counts_before_[i] + count(intervals_[i]);
        }
        for (std::size_t i = intervals_.size(); i > 0; --i) {
            sums_from_[i - 1] = sums_from_[i] + sum(intervals_[i - 1]);
            counts_from_[i - 1] = counts_from_[i] + count(intervals_[i - 1]);
        }
    }
    [[nodiscard]] MergedPoints merged_points(double sum, double count) const {
        if (count == 0) return {};
        return {points_[0] + sum / count, count};
    }
    [[nodiscard]] double point_weight(std::size_t i) const { return point_weights_.empty() ? 1 : point_weights_[i]; }

    std::span<const double> points_, point_weights_;
    double length_;
    std::array<std::array<double, order>, order> at_nodes_;
    std::vector<Interval> intervals_;
    std::vector<double> offsets_, weights_;            // by node
    std::vector<double> sums_before_, sums_from_;      // sums of points minus the first one, by interval
    std::vector<double> counts_before_, counts_from_;  // total weights of points
};

/// Intervals of the other set that begin within a distance of an interval's begin: [first, last).
struct NearIntervals {
    std::size_t first, last;
};
std::vector<NearIntervals> near_intervals(const NodeSet& one, const NodeSet& other, double distance) {
    std::vector<NearIntervals> near;
    const auto& intervals = other.intervals();
    NearIntervals range{0, 0};
    for (const Interval& own : one.intervals()) {
        while (range.first < intervals.size() && own.begin - intervals[range.first].begin > distance) ++range.first;
        range.last = std::max(range.last, range.first);
        while (range.last < intervals.size() && intervals[range.last].begin - own.begin <= distance) ++range.last;
        near.push_back(range);
    }
    return near;
}

class PairSummation {
public:
    PairSummation(const NodeSet& first, const NodeSet& second, const PairKernel& kernel)
        : kernel_(kernel),
          first_(first),
          second_(second),
          totals_(kernel.functions, 0.0),
          by_first_(kernel.functions - kernel.totals, first.nodes()),
          by_second_(kernel.functions - kernel.totals, second.nodes()) {}

    void add_near_pairs() {
        const std::vector<NearIntervals> near = near_intervals(first_, second_, kernel_.reach + kernel_.length);
        for (std::size_t i = 0; i < near.size(); ++i) {
            if (near[i].first == near[i].last) continue;
            const std::size_t begin = second_.intervals()[near[i].first].first_node,
                              end = second_.intervals()[near[i].last - 1].last_node;
            const Interval& own = first_.intervals()[i];
            for (std::size_t a = own.first_node; a < own.last_node; ++a) {
                t_.clear();
                for (std::size_t j = near[i].first; j < near[i].last; ++j) {
                    const Interval& other = second_.intervals()[j];
                    for (std::size_t b = other.first_node; b < other.last_node; ++b)
                        t_.push_back((own.begin - other.begin) + (first_.offset(a) - second_.offset(b)));
                }
                add_row(a, begin, end);
            }
        }
    }
    /// Adds to each node of one set the pairs with far points of the other.
    void add_far_pairs() {
        add_far(first_, second_, 1, by_first_, true);
        add_far(second_, first_, -1, by_second_, false);
    }
    [[nodiscard]] PairSums result() && {
        return {std::move(totals_), first_.at_points(by_first_), second_.at_points(by_second_)};
    }

private:
    void evaluate() {
        if (values_.cols < t_.size()) values_.reshape(kernel_.functions, t_.size());
        kernel_.evaluate(t_, values_);
    }
    /// Adds the pairs of node a with the nodes [begin, end) of the second set.
    void add_row(std::size_t a, std::size_t begin, std::size_t end) {
        evaluate();
        for (std::size_t c = 0; c < kernel_.functions; ++c) {
            const double* const values = values_.row(c);
            double sum = 0;
            for (std::size_t b = begin; b < end; ++b) sum += second_.weight(b) * values[b - begin];
            totals_[c] += first_.weight(a) * sum;
            if (c < kernel_.totals) continue;
            by_first_.at(c - kernel_.totals, a) += sum;
            double* const others = by_second_.row(c - kernel_.totals);
            for (std::size_t b = begin; b < end; ++b) others[b] += first_.weight(a) * values[b - begin];
        }
    }
    void add_far(const NodeSet& one, const NodeSet& other, double sign, Matrix& sums, bool count_totals) {
        const std::vector<NearIntervals> near = near_intervals(one, other, kernel_.reach + kernel_.length);
        for (std::size_t i = 0; i < near.size(); ++i) {
            const Interval& own = one.intervals()[i];
            for (const NodeSet::MergedPoints far : {other.before(near[i].first), other.from(near[i].last)}) {
                if (far.count == 0) continue;
                t_.clear();
                for (std::size_t a = own.first_node; a < own.last_node; ++a)
                    t_.push_back(sign * ((own.begin - far.mean) + one.offset(a)));
                evaluate();
                for (std::size_t c = 0; c < kernel_.functions; ++c)
                    for (std::size_t a = own.first_node; a < own.last_node; ++a) {
                        const double sum = far.count * values_.at(c, a - own.first_node);
                        if (count_totals) totals_[c] += one.weight(a) * sum;
                        if (c >= kernel_.totals) sums.at(c - kernel_.totals, a) += sum;
                    }
            }
        }
    }

    const PairKernel& kernel_;
    const NodeSet &first_, &second_;
    std::vector<double> totals_;
    Matrix by_first_, by_second_;  // by node
    std::vector<double> t_;
    Matrix values_;
};

}  // namespace

PairSums pair_sums(std::span<const double> first, std::span<const double> second, const PairKernel& kernel,
                   std::span<const double> first_weights, std::span<const double> second_weights) {
    const NodeSet one(first, first_weights, kernel.length), other(second, second_weights, kernel.length);
    PairSummation summation(one, other, kernel);
    summation.add_near_pairs();
    summation.add_far_pairs();
    return std::move(summation).result();
}

}  // namespace fairstream::partial_fair_scorer
