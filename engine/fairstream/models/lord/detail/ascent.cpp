#include <fairstream/models/lord/detail/ascent.hpp>

#include <algorithm>
#include <cmath>
#include <utility>

#include <fairstream/numeric/detail/blocks.hpp>
#include <fairstream/numeric/detail/interruption.hpp>
#include <fairstream/numeric/detail/random.hpp>

namespace fairstream::lord {
namespace {

// Returns the sum of `of(i)` over the rows, in order.
template <class Of> double sum_over_rows(std::size_t n, const Of& of) {
    std::vector<double> parts((n + block_rows - 1) / block_rows, 0.0);
    for_row_blocks(n, [&](std::size_t first, std::size_t last) {
        double sum = 0;
        for (std::size_t i = first; i < last; ++i) sum += of(i);
        parts[first / block_rows] = sum;
    });
    double sum = 0;
    for (const double part : parts) sum += part;
    return sum;
}

double dot(const double* a, const double* b, std::size_t k) {
    double sum = 0;
    for (std::size_t j = 0; j < k; ++j) sum += a[j] * b[j];
    return sum;
}

// Returns the sum over points of w_i a_i . b_i.
double inner(const Marginals& m, const Matrix& a, const Matrix& b) {
    return sum_over_rows(a.rows, [&](std::size_t i) { return m.weight(i) * dot(a.row(i), b.row(i), a.cols); });
}

double squared_distance(const Marginals& m, const Matrix& a, const Matrix& b) {
    return sum_over_rows(a.rows, [&](std::size_t i) {
        double sum = 0;
        for (std::size_t j = 0; j < a.cols; ++j) sum += (a.at(i, j) - b.at(i, j)) * (a.at(i, j) - b.at(i, j));
        return m.weight(i) * sum;
    });
}

// Returns Vᵀ D V, with D the weights.
Matrix weighted_gram(const Marginals& m, const Matrix& v) {
    if (m.weights().empty()) return gram(v, v);
    Matrix scaled = v;
    for_row_blocks(v.rows, [&](std::size_t first, std::size_t last) {
        for (std::size_t i = first; i < last; ++i)
            for (std::size_t j = 0; j < v.cols; ++j) scaled.at(i, j) *= m.weight(i);
    });
    return gram(v, scaled);
}

// out = a + factor (a - b).
void extrapolate(const Matrix& a, const Matrix& b, double factor, Matrix& out) {
    out.reshape(a.rows, a.cols);
    for_row_blocks(a.rows, [&](std::size_t first, std::size_t last) {
        for (std::size_t at = first * a.cols; at < last * a.cols; ++at)
            out.values[at] = a.values[at] + factor * (a.values[at] - b.values[at]);
    });
}

// out = y minus the gradient at y divided by its Lipschitz constant.
void step_down(const Problem& p, const Matrix& y, const Matrix& sy, Matrix& out) {
    const std::size_t n = y.rows, k = y.cols;
    out.reshape(n, k);
    if (p.method == Method::b_lord) {
        const double norm = std::max(p.tau, 1 - p.tau) * p.spread.width(), by = norm > 0 ? 1 / norm : 0;
        for_row_blocks(n, [&](std::size_t first, std::size_t last) {
            for (std::size_t at = first * k; at < last * k; ++at)
                out.values[at] = y.values[at] + by * (sy.values[at] + p.gamma * y.values[at]);
        });
        return;
    }
    const double by = 1 / (3 / p.marginals.mass() + p.spread.norm());
    Matrix along;
    multiply(y, weighted_gram(p.marginals, y), along);
    for_row_blocks(n, [&](std::size_t first, std::size_t last) {
        for (std::size_t at = first * k; at < last * k; ++at)
            out.values[at] = y.values[at] + by * (sy.values[at] - along.values[at]);
    });
}

// The share of an ascent's work that was reported to its listener.
class ReportedShare {
public:
    ReportedShare(const AscentLimits& limits, double of_iteration)
        : done_(limits.done), of_iteration_(of_iteration), share_(limits.tolerance, limits.iterations) {}
    // Reports an iteration that moved V by this share of itself; returns whether to go on.
    bool report_progress(std::int64_t iterations, double moved) {
        if (done_ == nullptr) return true;
        done_->handle().settle(of_iteration_);
        const double now = share_.after(iterations, moved);
        return done_->add(now - std::exchange(reported_, now));
    }
    void end() {
        if (done_ != nullptr) done_->add(1 - reported_);
    }

private:
    WorkDone* done_;
    double of_iteration_;  // in multiply-adds
    ResidualShare share_;
    double reported_ = 0;
};

// A matrix with its product and objective.
struct Iterate {
    Matrix v, sv;
    double objective = 0;
};

}  // namespace

void set_tau(Problem& problem, double tau) {
    problem.tau = tau;
    problem.gamma = -problem.spread.largest + tau * problem.spread.width();
}

double objective_of(const Problem& p, const Matrix& v, const Matrix& sv) {
    const double along = inner(p.marginals, v, sv);
    if (p.method == Method::b_lord) return -(along + p.gamma * inner(p.marginals, v, v));
    // The squared distance is a difference of large sums, so rounding may take it below 0.
    return std::max(0.0, p.square - 2 * along + squared_norm(weighted_gram(p.marginals, v)));
}

Ascent ascend(const Problem& p, const Matrix& v, const AscentLimits& limits,
              const std::function<void(double)>& on_iteration) {
    Ascent result;
    ProjectionStart start = p.marginals.start();
    const auto projected = [&](const Matrix& u, Matrix& out) {
        result.projection_rounds += p.marginals.project(u, start, out);
    };
    const auto complete = [&](Iterate& at) {
        p.similarity.gradient(at.v, at.sv);
        at.objective = objective_of(p, at.v, at.sv);
    };
    Iterate now, before, next;
    projected(v, now.v);
    complete(now);
    Matrix y, sy, u;
    double t = 1;  // the sequence t of Nesterov's rule
    ReportedShare reported(limits, limits.of_iteration);
    while (result.iterations < limits.iterations) {
        check_interrupted();
        const double t_next = (1 + std::sqrt(1 + 4 * t * t)) / 2, beyond = (t - 1) / t_next;
        if (beyond > 0) {
            extrapolate(now.v, before.v, beyond, y);
            extrapolate(now.sv, before.sv, beyond, sy);
            step_down(p, y, sy, u);
        } else {
            step_down(p, now.v, now.sv, u);
        }
        projected(u, next.v);
        complete(next);
        ++result.iterations;
        if (beyond > 0 && next.objective > now.objective) {
            t = 1;
            continue;
        }
        const double moved = squared_distance(p.marginals, next.v, now.v), size = inner(p.marginals, next.v, next.v);
        std::swap(before, now);
        std::swap(now, next);
        t = t_next;
        if (on_iteration) on_iteration(now.objective);
        if (moved <= limits.tolerance * limits.tolerance * size) {
            result.converged = true;
            break;
        }
        if (!reported.report_progress(result.iterations, std::sqrt(moved / size))) break;
    }
    reported.end();
    result.v = std::move(now.v);
    result.objective = now.objective;
    return result;
}

Matrix random_start(const Marginals& marginals, std::uint64_t seed, std::uint64_t stream) {
    Random random(seed, stream);
    Matrix u(marginals.points(), marginals.clusters());
    // Above 0: 53 bits of [0, 1), plus half of the last bit.
    for (double& value : u.values) value = random.unit() + 0x1p-54;
    marginals.scale_into(u);
    return u;
}

}  // namespace fairstream::lord
