#include <fairstream/models/lord/detail/marginals.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include <fairstream/numeric/detail/blocks.hpp>
#include <fairstream/numeric/detail/interruption.hpp>
#include <fairstream/numeric/detail/kernels.hpp>
#include <fairstream/numeric/detail/linear_algebra.hpp>

namespace fairstream::lord {
namespace {

// Largest numbers of Newton steps, and of trials of a step's length; beyond them only rounding errors are left.
constexpr int most_steps = 100, most_trials = 40;
// Bounds of the damping, relative to the curvature with all entries above 0. Damping falls with the error, so it hardly
// slows the last steps.
constexpr double most_damping = 1e-2, least_damping = 1e-12;
// Relative rounding error of the dual.
constexpr double dual_rounding = 1e-12;
// Largest number of rounds of scaling, and the error of the sums at which they end.
constexpr int most_scalings = 10'000;
constexpr double scaling_tolerance = 1e-10;

}  // namespace

Marginals::Marginals(std::vector<double> mu, std::size_t points, std::span<const double> weights,
                     std::span<const std::uint32_t> blocks)
    : mu_(std::move(mu)), weights_(weights.begin(), weights.end()) {
    const std::size_t count = blocks.empty() ? 1 : std::size_t{std::ranges::max(blocks)} + 1;
    begins_.assign(count + 1, 0);
    shares_.assign(count, 0);
    const auto block = [&](std::size_t i) { return blocks.empty() ? 0 : blocks[i]; };
    for (std::size_t i = 0; i < points; ++i) {
        ++begins_[block(i) + 1];
        shares_[block(i)] += weight(i);
        mass_ += weight(i);
    }
    for (std::size_t b = 0; b < count; ++b) begins_[b + 1] += begins_[b];
    for (double& share : shares_) share /= mass_;
    order_.resize(points);
    std::vector<std::size_t> next(begins_.begin(), begins_.end() - 1);
    for (std::size_t i = 0; i < points; ++i) order_[next[block(i)]++] = static_cast<Slot>(i);
}

ProjectionStart Marginals::start() const {
    return {Matrix(blocks(), clusters()), std::vector<double>(points(), 0.0)};
}

// The projection of the rows of one block.
class Marginals::Newton {
public:
    Newton(const Marginals& set, std::size_t block, const Matrix& u, ProjectionStart& start, Matrix& out)
        : set_(set),
          block_(block),
          rows_(set.rows_of(block)),
          k_(set.clusters()),
          u_(u),
          levels_(start.levels),
          out_(out),
          centre_(means()),
          offsets_(start.offsets.row(block), start.offsets.row(block) + k_) {}

    // Returns the number of passes over the rows.
    int run(double tolerance) {
        Pass now = pass(offsets_);
        double factor = 1;  // factor of the damping
        for (int step = 0; step < most_steps && error(now) > tolerance; ++step) {
            check_interrupted();
            const double damping = std::clamp(most_damping * error(now), least_damping, most_damping) * factor;
            if (advance(now, direction(now, damping))) {
                factor = 1;
                continue;
            }
            // No length of the step helps, because the curvature carries too little information: the damping is raised.
            now = pass(offsets_);
            if (damping >= 1) break;
            factor *= 1e3;
        }
        return passes_;
    }
    // Returns the offsets relative to the means of the columns.
    [[nodiscard]] std::span<const double> offsets() const { return offsets_; }

private:
    // Returns the means of the columns of u. Offsets are relative to these means: they contain only what entries at 0
    // require, and are 0 if the projection has no such entry.
    [[nodiscard]] std::vector<double> means() const {
        const std::size_t tasks = (rows_.size() + block_rows - 1) / block_rows;
        std::vector<double> parts(tasks * k_, 0.0), sums(k_, 0.0);
        parallel_for(std::size_t{0}, tasks, [&](std::size_t task) {
            const std::size_t first = task * block_rows, last = std::min(first + block_rows, rows_.size());
            for (std::size_t i = first; i < last; ++i)
                for (std::size_t j = 0; j < k_; ++j) parts[task * k_ + j] += set_.weight(rows_[i]) * u_.at(rows_[i], j);
        });
        for (std::size_t at = 0; at < parts.size(); ++at) sums[at % k_] += parts[at];
        for (double& sum : sums) sum /= mass();
        return sums;
    }
    [[nodiscard]] double mass() const { return set_.shares_[block_] * set_.mass_; }
    // Projects the rows for given offsets, and sums the columns of the result and the dual.
    Pass pass(std::span<const double> from_centre) {
        std::vector<double> offsets = centre_;
        for (std::size_t j = 0; j < k_; ++j) offsets[j] += from_centre[j];
        const std::size_t tasks = (rows_.size() + block_rows - 1) / block_rows;
        parts_.resize(tasks * (k_ + 1));
        parallel_for(std::size_t{0}, tasks, [&](std::size_t task) {
            std::vector<double> scratch(16 * k_);
            const std::size_t first = task * block_rows, count = std::min(block_rows, rows_.size() - first);
            double* part = &parts_[task * (k_ + 1)];
            kernels().project_marginals(u_.values.data(), rows_.data() + first, count, k_, offsets.data(),
                                        set_.mu_.data(), 1 / set_.mass_,
                                        set_.weights_.empty() ? nullptr : set_.weights_.data(), levels_.data(),
                                        scratch.data(), part, part + k_, out_.values.data());
        });
        ++passes_;
        Pass sum{std::vector<double>(k_, 0.0), 0};
        for (std::size_t task = 0; task < tasks; ++task) {
            for (std::size_t j = 0; j < k_; ++j) sum.sums[j] += parts_[task * (k_ + 1) + j];
            sum.dual += parts_[task * (k_ + 1) + k_];
        }
        for (std::size_t j = 0; j < k_; ++j) sum.dual -= offsets[j] * set_.target(block_, j);
        return sum;
    }
    [[nodiscard]] double error(const Pass& at) const {
        double largest = 0;
        for (std::size_t j = 0; j < k_; ++j)
            largest = std::max(largest, std::abs(at.sums[j] / set_.target(block_, j) - 1));
        return largest;
    }
    // Returns minus the second derivative of the dual: the sum over rows of w (diag(1_A) - mu_A mu_Aᵀ / |mu_A|^2), with
    // A the entries of the row that are above 0.
    Matrix curvature() const {
        const std::size_t tasks = (rows_.size() + block_rows - 1) / block_rows;
        std::vector<Matrix> parts(tasks, Matrix(k_, k_));
        parallel_for(std::size_t{0}, tasks, [&](std::size_t task) {
            Matrix& h = parts[task];
            std::vector<std::size_t> active(k_);
            const std::size_t first = task * block_rows, last = std::min(first + block_rows, rows_.size());
            for (std::size_t i = first; i < last; ++i) {
                const double* v = out_.row(rows_[i]);
                std::size_t count = 0;
                double square = 0;
                for (std::size_t j = 0; j < k_; ++j) {
                    active[count] = j;
                    count += v[j] > 0 ? 1 : 0;
                    square += v[j] > 0 ? set_.mu_[j] * set_.mu_[j] : 0;
                }
                if (count < 2) continue;
                const double w = set_.weight(rows_[i]);
                for (std::size_t a = 0; a < count; ++a) {
                    double* to = h.row(active[a]);
                    const double factor = w * set_.mu_[active[a]] / square;
                    to[active[a]] += w;
                    for (std::size_t b = 0; b <= a; ++b) to[active[b]] -= factor * set_.mu_[active[b]];
                }
            }
        });
        Matrix sum = std::move(parts[0]);
        for (std::size_t task = 1; task < tasks; ++task) array(sum) += array(parts[task]);
        for (std::size_t a = 0; a < k_; ++a)
            for (std::size_t b = 0; b < a; ++b) sum.at(b, a) = sum.at(a, b);
        return sum;
    }
    // Returns a Newton step. Offsets in the direction of mu change nothing, because levels compensate them, so the step
    // has no such component. Column j sums to W_b mu_j / W, and its entries are below 1 / (W mu_j): if all can move,
    // its curvature is about W_b mu_j^2.
    [[nodiscard]] std::vector<double> direction(const Pass& at, double damping) const {
        Matrix h = curvature();
        for (std::size_t a = 0; a < k_; ++a)
            for (std::size_t b = 0; b < k_; ++b)
                h.at(a, b) += mass() * set_.mu_[a] * set_.mu_[b] * (a == b ? 1 + damping : 1);
        Vector excess(std::array<std::size_t, 1>{k_});
        for (std::size_t j = 0; j < k_; ++j) excess(j) = at.sums[j] - set_.target(block_, j);
        const Cholesky factor(h);
        if (!factor.positive_definite()) return std::vector<double>(k_, std::numeric_limits<double>::quiet_NaN());
        const Vector way = factor.solve(excess);
        return {way.begin(), way.end()};
    }
    // Returns the derivative of the dual along `way`.
    [[nodiscard]] double slope(const Pass& at, std::span<const double> way) const {
        double sum = 0;
        for (std::size_t j = 0; j < k_; ++j) sum += way[j] * (at.sums[j] - set_.target(block_, j));
        return sum;
    }
    // Moves along `way` to near the maximum of the dual, which is concave. If rounding does not permit that, moves to a
    // place where the dual is no lower and the errors of the sums are smaller. Returns false if there is no such place.
    bool advance(Pass& now, std::span<const double> way) {
        constexpr double enough = 1e-4, flat = 0.5, better = 0.9;
        const double first = slope(now, way);
        if (!(first > 0)) return false;
        // The maximum is beyond `low` and before `high`.
        double low = 0, high = std::numeric_limits<double>::infinity(), part = 1;
        std::vector<double> next(k_);
        for (int trial = 0; trial < most_trials; ++trial) {
            for (std::size_t j = 0; j < k_; ++j) next[j] = offsets_[j] + part * way[j];
            Pass there = pass(next);
            const double here = slope(there, way);
            const bool rises = there.dual >= now.dual + enough * part * first && std::abs(here) <= flat * first;
            const bool stays = there.dual >= now.dual - dual_rounding * std::abs(now.dual);
            if (rises || (stays && error(there) < better * error(now))) {
                now = std::move(there);
                offsets_ = next;
                return true;
            }
            (here > 0 ? low : high) = part;
            part = high < std::numeric_limits<double>::infinity() ? low + (high - low) / 2 : 4 * part;
        }
        return false;
    }

    const Marginals& set_;
    std::size_t block_;
    std::span<const Slot> rows_;
    std::size_t k_;
    const Matrix& u_;
    std::vector<double>& levels_;
    Matrix& out_;
    std::vector<double> centre_;   // k
    std::vector<double> offsets_;  // k, relative to the centre
    std::vector<double> parts_;    // by task: sums, dual
    int passes_ = 0;
};

int Marginals::project(const Matrix& u, ProjectionStart& start, Matrix& out, double tolerance) const {
    out.reshape(points(), clusters());
    int most = 0;
    for (std::size_t block = 0; block < blocks(); ++block) {
        Newton newton(*this, block, u, start, out);
        most = std::max(most, newton.run(tolerance));
        std::ranges::copy(newton.offsets(), start.offsets.row(block));
    }
    return most;
}

void Marginals::scale_into(Matrix& u) const {
    const std::size_t k = clusters();
    const double row_mass = 1 / mass_;
    for (std::size_t block = 0; block < blocks(); ++block) {
        const std::span<const Slot> rows = rows_of(block);
        std::vector<double> factors(k, 1.0), sums(k);
        double error = 1;
        for (int round = 0; round < most_scalings && error > scaling_tolerance; ++round) {
            check_interrupted();
            std::ranges::fill(sums, 0.0);
            for (const Slot i : rows) {
                double* row = u.row(i);
                double along = 0;
                for (std::size_t j = 0; j < k; ++j) along += mu_[j] * (row[j] *= factors[j]);
                const double factor = row_mass / along;
                for (std::size_t j = 0; j < k; ++j) sums[j] += weight(i) * (row[j] *= factor);
            }
            error = 0;
            for (std::size_t j = 0; j < k; ++j) {
                factors[j] = target(block, j) / sums[j];
                error = std::max(error, std::abs(factors[j] - 1));
            }
        }
    }
}

}  // namespace fairstream::lord
