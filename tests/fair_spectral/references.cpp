#include "references.hpp"

#include <algorithm>

#include <Spectra/SymEigsSolver.h>
#include <Eigen/Dense>

namespace fairstream::test {
namespace {

using Rows = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

Eigen::MatrixXd matrix(const std::vector<double>& values, std::size_t rows) {
    const auto n = static_cast<Eigen::Index>(rows);
    return Eigen::Map<const Rows>(values.data(), n, static_cast<Eigen::Index>(values.size()) / n);
}

Eigen::ColPivHouseholderQR<Eigen::MatrixXd> decomposed(const Eigen::MatrixXd& f) {
    Eigen::ColPivHouseholderQR<Eigen::MatrixXd> qr(f.rows(), f.cols());
    qr.setThreshold(1e-10);
    qr.compute(f);
    return qr;
}

// An orthonormal basis of the range of F.
Eigen::MatrixXd range_of(const Eigen::MatrixXd& f) {
    if (f.cols() == 0) return f;
    const auto qr = decomposed(f);
    return qr.householderQ() * Eigen::MatrixXd::Identity(f.rows(), qr.rank());
}

// And one of what is orthogonal to it, n x (n - rank).
Eigen::MatrixXd null_of(const Eigen::MatrixXd& f) {
    if (f.cols() == 0) return Eigen::MatrixXd::Identity(f.rows(), f.rows());
    const auto qr = decomposed(f);
    const Eigen::MatrixXd q = qr.householderQ();
    return q.rightCols(f.rows() - qr.rank());
}

// Columns Z times the top eigenvectors of the symmetric `a`.
Reference top(const Eigen::MatrixXd& z, const Eigen::MatrixXd& a, std::size_t k) {
    const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(a);
    const auto count = static_cast<Eigen::Index>(k);
    const Rows h = z * solver.eigenvectors().rightCols(count).rowwise().reverse();
    Reference result;
    result.h.assign(h.data(), h.data() + h.size());
    for (Eigen::Index j = 0; j < count; ++j) result.values.push_back(solver.eigenvalues()[a.rows() - 1 - j]);
    return result;
}

// P (M + shift I) P as Spectra asks for it.
class Projected {
public:
    using Scalar = double;
    Projected(const Product& m, const Eigen::MatrixXd& range, double shift) : m_(m), range_(range), shift_(shift) {}
    [[nodiscard]] Eigen::Index rows() const { return range_.rows(); }
    [[nodiscard]] Eigen::Index cols() const { return range_.rows(); }
    void perform_op(const double* x, double* out) const {
        Eigen::VectorXd in = Eigen::Map<const Eigen::VectorXd>(x, rows()), image(rows());
        in -= range_ * (range_.transpose() * in);
        m_(in.data(), image.data());
        image += shift_ * in;
        image -= range_ * (range_.transpose() * image);
        Eigen::Map<Eigen::VectorXd>(out, rows()) = image;
        ++products_;
    }
    [[nodiscard]] std::size_t products() const { return products_; }

private:
    const Product& m_;
    const Eigen::MatrixXd& range_;
    double shift_;
    mutable std::size_t products_ = 0;
};

}  // namespace

Reference o_fsc(std::size_t n, const std::vector<double>& m, const std::vector<double>& f, std::size_t k) {
    const Eigen::MatrixXd null = null_of(matrix(f, n));
    Reference result = top(null, null.transpose() * matrix(m, n) * null, k);
    result.cost = static_cast<double>(k);
    for (const double value : result.values) result.cost -= value;
    return result;
}

Reference s_fsc(std::size_t n, const Product& m, const std::vector<double>& f, std::size_t k, double shift,
                double tolerance) {
    const Eigen::MatrixXd range = range_of(matrix(f, n));
    Projected projected(m, range, shift);
    const auto count = static_cast<Eigen::Index>(k);
    const Eigen::Index basis =
        std::min<Eigen::Index>(static_cast<Eigen::Index>(n), std::max<Eigen::Index>(2 * count + 1, 20));
    Spectra::SymEigsSolver<Projected> solver(projected, count, basis);
    solver.init();
    const Eigen::Index found = solver.compute(Spectra::SortRule::LargestAlge, 1000, tolerance);
    Reference result;
    result.converged = found == count;
    result.products = projected.products();
    const Rows h = solver.eigenvectors();
    result.h.assign(h.data(), h.data() + h.size());
    result.cost = static_cast<double>(k);
    for (Eigen::Index j = 0; j < found; ++j) {
        result.values.push_back(solver.eigenvalues()[j] - shift);
        result.cost -= result.values.back();
    }
    return result;
}

Reference problem_nine(std::size_t n, const std::vector<double>& m, const std::vector<double>& f, std::size_t k) {
    const Eigen::MatrixXd square = matrix(m, n), null = null_of(square * matrix(f, n));
    const Eigen::MatrixXd image = square * null;
    Reference result = top(null, image.transpose() * image, k);
    const Eigen::MatrixXd h = matrix(result.h, n);
    result.cost = static_cast<double>(k) - (h.transpose() * square * h).trace();
    return result;
}

std::vector<double> eigenvalues(std::size_t n, const std::vector<double>& a) {
    return top(Eigen::MatrixXd::Identity(static_cast<Eigen::Index>(n), static_cast<Eigen::Index>(n)), matrix(a, n), n)
        .values;
}

}  // namespace fairstream::test
