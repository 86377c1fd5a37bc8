#include <fairstream/models/partial_fair_scorer/detail/score_problem.hpp>

#include <algorithm>
#include <numeric>

namespace fairstream::partial_fair_scorer {

namespace {

/// Relative increase of an entry of a diagonal.
constexpr double own_share = 1e-3;

/// Makes the diagonal positive by adding a share of each entry and a smaller share of the largest. Otherwise steps
/// without curvature would become long.
void raise_diagonal(std::vector<Matrix>& blocks, double ridge) {
    constexpr double largest_share = 1e-6, least = 1e-12;
    const auto own = [](Matrix& block, std::size_t i) -> double& { return block.at(i, block.cols == 1 ? 0 : i); };
    double most = 0;
    for (Matrix& block : blocks)
        for (std::size_t i = 0; i < block.rows; ++i) most = std::max(most, own(block, i));
    for (Matrix& block : blocks)
        for (std::size_t i = 0; i < block.rows; ++i)
            own(block, i) += own_share * own(block, i) + largest_share * most + least + ridge;
}

/// Adds the thresholds: if there is only the block of w, to this block, with the mixed derivatives; otherwise as a
/// further, diagonal block.
void append_thresholds(const Matrix& mixed, const std::vector<double>& by_theta, std::vector<Matrix>& blocks) {
    const std::size_t m = by_theta.size();
    if (m == 0) return;
    if (blocks.size() > 1) {
        blocks.emplace_back(m, 1).values = by_theta;
        return;
    }
    const Matrix by_w = std::move(blocks.front());
    const std::size_t p = by_w.rows;
    Matrix& whole = blocks.front() = Matrix(p + m, p + m);
    for (std::size_t i = 0; i < p; ++i) std::copy_n(by_w.row(i), p, whole.row(i));
    for (std::size_t t = 0; t < m; ++t) {
        whole.at(p + t, p + t) = by_theta[t];
        for (std::size_t j = 0; j < p; ++j) whole.at(p + t, j) = whole.at(j, p + t) = mixed.at(t, j);
    }
}

}  // namespace

ScoreProblem::ScoreProblem(const Options& options, const Sample& sample)
    : sample_(sample),
      ridge_(options.ridge),
      width_(options.width),
      function_(make_score_function(options, sample)),
      loss_(make_loss(options, sample)),
      constraints_(make_constraints(options, sample)),
      weak_convexity_(function_->weak_convexity()),
      scores_(sample.size()),
      slopes_(sample.size(), constraints_->thresholds()) {}

// Multiply-adds of an evaluation: a fixed part, and for each point its loss and its rank. Features and constraints are
// counted separately.
constexpr double fixed_work = 1e4, work_of_point = 50;

double ScoreProblem::work_of_values() const {
    const auto n = static_cast<double>(sample_.size()), m = static_cast<double>(constraints());
    return fixed_work + n * (static_cast<double>(parameters()) + m + work_of_point);
}

double ScoreProblem::work_of_gradients() const {
    const auto m = static_cast<double>(constraints()), p = static_cast<double>(variables());
    const auto n = static_cast<double>(sample_.size()), inputs = static_cast<double>(1 + sample_.dimensions());
    return work_of_values() + (n + m) * p + n * p * inputs;
}

void ScoreProblem::evaluate(std::span<const double> v, dc::Values& values) {
    evaluate_constraints(v, values);
    evaluate_objective(values);
}

void ScoreProblem::evaluate_constraints(std::span<const double> v, dc::Values& values) {
    w_.assign(v.begin(), v.begin() + static_cast<std::ptrdiff_t>(parameters()));
    thetas_.assign(v.begin() + static_cast<std::ptrdiff_t>(parameters()), v.end());
    function_->evaluate(w_, scores_);
    values.plus.resize(constraints() + 1);
    values.minus.resize(constraints() + 1);
    constraints_->evaluate(scores_, thetas_, std::span(values.plus).subspan(1), std::span(values.minus).subspan(1));
    for (std::size_t i = 1; i < values.plus.size(); ++i) add_convexity(i, values);
}

void ScoreProblem::evaluate_objective(dc::Values& values) {
    loss_->evaluate(scores_, parts_);
    values.plus[0] = parts_.plus + ridge_ / 2 * std::inner_product(w_.begin(), w_.end(), w_.begin(), 0.0);
    values.minus[0] = parts_.minus;
    add_convexity(0, values);
}

void ScoreProblem::add_convexity(std::size_t i, dc::Values& values) const {
    if (weak_convexity_ == 0) return;
    const double added = added_convexity(i) / 2 * std::inner_product(w_.begin(), w_.end(), w_.begin(), 0.0);
    values.plus[i] += added;
    values.minus[i] += added;
}

void ScoreProblem::add_loss_gradient(Side side, double scale, std::span<double> out) {
    if (side == Side::minus && !parts_.has_minus) return;
    std::vector<double> weights = side == Side::plus ? parts_.plus_slopes : parts_.minus_slopes;
    if (scale != 1)
        for (double& weight : weights) weight *= scale;
    function_->add_gradients({0, sample_.size()}, weights, out.first(parameters()));
}

void ScoreProblem::add_constraint_gradient(std::size_t i, Side side, double scale, std::span<double> out) {
    slopes_.clear();
    constraints_->add_slopes(i, side, scale, slopes_);
    RowRange touched{sample_.size(), 0};
    for (const RowRange rows : slopes_.touched)
        touched = {std::min(touched.first, rows.first), std::max(touched.last, rows.last)};
    if (touched.first < touched.last) function_->add_gradients(touched, slopes_.rows, out.first(parameters()));
    for (std::size_t j = 0; j < slopes_.thresholds.size(); ++j) out[parameters() + j] += slopes_.thresholds[j];
}

void ScoreProblem::add_plus_gradient(std::size_t i, double scale, std::span<double> out) {
    i == 0 ? add_loss_gradient(Side::plus, scale, out) : add_constraint_gradient(i - 1, Side::plus, scale, out);
    const double by = scale * (added_convexity(i) + (i == 0 ? ridge_ : 0));
    for (std::size_t j = 0; by != 0 && j < w_.size(); ++j) out[j] += by * w_[j];
}

void ScoreProblem::add_minus_gradient(std::size_t i, double scale, std::span<double> out) {
    i == 0 ? add_loss_gradient(Side::minus, scale, out) : add_constraint_gradient(i - 1, Side::minus, scale, out);
    const double by = scale * added_convexity(i);
    for (std::size_t j = 0; by != 0 && j < w_.size(); ++j) out[j] += by * w_[j];
}

void ScoreProblem::constraint_gradients(Matrix& plus, Matrix& minus) {
    constraints_->gradients(*function_, plus, minus);
    for (Matrix* const part : {&plus, &minus})
        for (std::size_t i = 0; weak_convexity_ != 0 && i < part->rows; ++i)
            for (std::size_t j = 0; j < w_.size(); ++j) part->at(i, j) += added_convexity(i + 1) * w_[j];
}

dc::Curvature ScoreProblem::curvature(std::span<const double> multipliers) {
    std::vector<double> rows = parts_.curvatures, by_theta(thetas_.size(), 0.0);
    Matrix mixed(thetas_.size(), parameters());
    for (std::size_t i = 0; i < multipliers.size(); ++i)
        if (multipliers[i] > 0) constraints_->add_curvatures(i, multipliers[i], *function_, rows, by_theta, mixed);
    dc::Curvature found = function_->gram(rows);
    raise_diagonal(found.blocks, ridge_);
    for (double& own : by_theta) own += own_share / (width_ * width_);
    append_thresholds(mixed, by_theta, found.blocks);
    return found;
}

std::vector<double> ScoreProblem::with_fitting_thresholds(std::span<const double> w) {
    std::vector<double> v(w.begin(), w.end());
    function_->evaluate(w, scores_);
    const std::vector<double> thetas = constraints_->fitting_thresholds(scores_);
    v.insert(v.end(), thetas.begin(), thetas.end());
    return v;
}

}  // namespace fairstream::partial_fair_scorer
