#include <algorithm>
#include <cmath>

#include <Eigen/Dense>

#include <fairstream/optimisation/detail/dc/inner.hpp>
#include <fairstream/optimisation/detail/dc/nnls.hpp>

namespace fairstream::dc {
namespace {

using Rows = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using Eigen::MatrixXd;
using Eigen::VectorXd;
using Index = Eigen::Index;

Eigen::Map<const VectorXd> column(std::span<const double> x) {
    return {x.data(), static_cast<Index>(x.size())};
}
Eigen::Map<const Rows> rows(const Matrix& x) {
    return {x.values.data(), static_cast<Index>(x.rows), static_cast<Index>(x.cols)};
}

/// H of the model: a whole matrix, factored, or its diagonal.
class Metric {
public:
    Metric(const Matrix& curvature, bool whole, double damping) {
        if (whole) {
            MatrixXd h = rows(curvature);
            h.diagonal() *= 1 + damping;
            factor_.compute(h);
        } else {
            diagonal_ = (1 + damping) * column(curvature.values);
        }
    }
    [[nodiscard]] bool usable() const { return diagonal_.size() > 0 || factor_.info() == Eigen::Success; }
    [[nodiscard]] MatrixXd solve(const MatrixXd& right) const {
        if (right.cols() == 0) return right;  // without constraints; Eigen would look at its first entry
        if (diagonal_.size() > 0) return diagonal_.cwiseInverse().asDiagonal() * right;
        return factor_.solve(right);
    }

private:
    Eigen::LLT<MatrixXd> factor_;
    VectorXd diagonal_;
};

/// min over d of g'd + d'Hd/2 + penalty x sum of max(0, f_i + a_i d), by its dual: multipliers in [0, penalty] that
/// minimise |A'x + g|^2 in the norm of H^-1, halved, less f'x. Other f solve another problem on the same factors.
class Model {
public:
    Model(const Metric& metric, const Gradients& gradients, double penalty)
        : a_(rows(gradients.constraints)), g_(column(gradients.objective)), penalty_(penalty) {
        moves_ = metric.solve(a_.transpose());
        fall_ = metric.solve(g_);
        const MatrixXd products = a_ * moves_;
        products_ = Matrix(static_cast<std::size_t>(a_.rows()), static_cast<std::size_t>(a_.rows()));
        Eigen::Map<Rows>(products_.values.data(), a_.rows(), a_.rows()) = (products + products.transpose()) / 2;
    }
    /// Returns the step; `multipliers` are where the search begins and become its answer.
    [[nodiscard]] VectorXd step(const VectorXd& f, std::vector<double>& multipliers) const {
        if (a_.rows() == 0) return -fall_;
        const VectorXd b = f - a_ * fall_;
        multipliers = solve_box(products_, {b.data(), static_cast<std::size_t>(b.size())}, penalty_, multipliers);
        return -(fall_ + moves_ * column(multipliers));
    }
    /// Returns by how much the merit function falls to first order along `d`, which is not less than what the model
    /// says.
    [[nodiscard]] double promised(const VectorXd& f, const VectorXd& d) const {
        return -g_.dot(d) + penalty_ * (f.cwiseMax(0.0).sum() - (f + a_ * d).cwiseMax(0.0).sum());
    }
    [[nodiscard]] VectorXd linear(const VectorXd& d) const { return a_ * d; }

private:
    MatrixXd a_;
    VectorXd g_;
    double penalty_;
    MatrixXd moves_;  // H^-1 A'
    VectorXd fall_;   // H^-1 g
    Matrix products_;
};

VectorXd constraint_values(const Values& values) {
    VectorXd f(static_cast<Index>(values.constraints()));
    for (Index i = 0; i < f.size(); ++i) f[i] = values.constraint(static_cast<std::size_t>(i) + 1);
    return f;
}

/// Looks for a step that lowers the merit function enough (Armijo).
class Search {
public:
    Search(Problem& problem, double penalty, const Iterate& place, std::int64_t& inner)
        : problem_(problem), penalty_(penalty), place_(place), merit_(merit(place.values)), inner_(inner) {}

    bool accepts(const VectorXd& d, double promised) {
        constexpr double share = 1e-4;
        tried_.resize(place_.v.size());
        for (std::size_t j = 0; j < tried_.size(); ++j) tried_[j] = place_.v[j] + d[static_cast<Index>(j)];
        problem_.evaluate(tried_, values_);
        ++inner_;
        return merit(values_) <= merit_ - share * promised;
    }
    [[nodiscard]] const Values& values() const { return values_; }
    void take(Iterate& place) { std::swap(place.v, tried_), std::swap(place.values, values_); }

private:
    [[nodiscard]] double merit(const Values& values) const {
        return values.objective() + penalty_ * values.violation();
    }

    Problem& problem_;
    double penalty_;
    const Iterate& place_;
    double merit_;
    std::int64_t& inner_;
    std::vector<double> tried_;
    Values values_;
};

/// Set the penalty. It begins low, so that far from feasible a step heeds the objective too and does not leap along
/// tangents to wherever they meet the constraints; it is raised where a step with multipliers at the penalty has not
/// halved the violation.
void begin_penalty(const IdcaOptions& options, Trail& trail) {
    constexpr double least = 1;
    const double known = trail.multipliers.empty() ? 0 : std::ranges::max(trail.multipliers);
    if (trail.penalty == 0) trail.penalty = std::min(options.penalty, std::max(least, 2 * known));
}
void raise_penalty(const IdcaOptions& options, double before, double after, Trail& trail) {
    const bool bound = !trail.multipliers.empty() && std::ranges::max(trail.multipliers) >= 0.99 * trail.penalty;
    if (bound && after > before / 2) trail.penalty = std::min(options.penalty, 2 * trail.penalty);
}

/// Tries the full step, the same corrected, and parts of it, until one lowers the merit function. Returns the part
/// taken; 0: none did.
double search_along(const Model& model, const VectorXd& f, const std::vector<double>& multipliers, const VectorXd& d,
                    double promised, Search& search) {
    constexpr int halvings = 2;
    if (search.accepts(d, promised)) return 1;
    // The constraints bend away from their tangents: once more with what they missed (second-order correction).
    std::vector<double> again = multipliers;
    const VectorXd corrected = model.step(constraint_values(search.values()) - model.linear(d), again);
    if (f.size() > 0 && search.accepts(corrected, promised)) return 1;
    double part = 1;
    for (int i = 0; i < halvings; ++i) {
        part /= 2;
        if (search.accepts(part * d, part * promised)) return part;
    }
    return 0;
}

/// Takes one step with the penalty as it is.
bool step(Problem& problem, const IdcaOptions& options, Iterate& place, Trail& trail, std::int64_t& inner) {
    constexpr double first = 1e-2, factor = 10, negligible = 1e-3, most = 1e6;  // of the damping
    Matrix curvature;
    const bool whole = problem.curvature(trail.multipliers, curvature);
    const VectorXd f = constraint_values(place.values);
    for (double& damping = trail.damping; damping <= most; damping = std::max(first, damping * factor)) {
        const Metric metric(curvature, whole, damping);
        if (!metric.usable()) continue;
        const Model model(metric, place.gradients, trail.penalty);
        std::vector<double> found = trail.multipliers;
        const VectorXd d = model.step(f, found);
        const double promised = model.promised(f, d);
        if (!(promised > 0)) return false;
        Search search(problem, trail.penalty, place, inner);
        const double part = search_along(model, f, found, d, promised, search);
        if (part == 0) continue;
        if (part == 1) damping = damping < negligible ? 0 : damping / factor;
        trail.multipliers = std::move(found);
        const double before = place.values.violation();
        search.take(place);
        raise_penalty(options, before, place.values.violation(), trail);
        return true;
    }
    return false;
}

}  // namespace

bool solve_by_quadratic(Problem& problem, const IdcaOptions& options, Iterate& place, Trail& trail,
                        std::int64_t& inner) {
    begin_penalty(options, trail);
    while (!step(problem, options, place, trail, inner)) {
        trail.damping = 0;
        // Near a kink of the objective its slope, and with that the multipliers, may look smaller than they are.
        if (place.values.worst() <= options.epsilon || trail.penalty >= options.penalty) return false;
        trail.penalty = std::min(options.penalty, 2 * trail.penalty);
    }
    return true;
}

}  // namespace fairstream::dc
