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

// Orthonormal bases of the range of F and of what is orthogonal to it.
struct Split {
    Eigen::MatrixXd range, null;
};
Split split(const Eigen::MatrixXd& f) {
    const Eigen::Index n = f.rows();
    if (f.cols() == 0) return {Eigen::MatrixXd(n, 0), Eigen::MatrixXd::Identity(n, n)};
    Eigen::ColPivHouseholderQR<Eigen::MatrixXd> qr(n, f.cols());
    qr.setThreshold(1e-10);
    qr.compute(f);
    const Eigen::MatrixXd q = qr.householderQ();
    return {q.leftCols(qr.rank()), q.rightCols(n - qr.rank())};
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
    const Eigen::MatrixXd null = split(matrix(f, n)).null;
    Reference result = top(null, null.transpose() * matrix(m, n) * null, k);
    result.cost = static_cast<double>(k);
    for (const double value : result.values) result.cost -= value;
    return result;
}

Reference s_fsc(std::size_t n, const Product& m, const std::vector<double>& f, std::size_t k, double shift,
                double tolerance) {
    const Eigen::MatrixXd range = split(matrix(f, n)).range;
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
    const Eigen::MatrixXd square = matrix(m, n), null = split(square * matrix(f, n)).null;
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
