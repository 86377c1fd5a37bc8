#include <fairstream/optimisation/detail/dc/nnls.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

#include <Eigen/Dense>

namespace fairstream::dc {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;
using Index = Eigen::Index;

enum class Position : std::uint8_t { low, between, high };

/// Lawson and Hanson's active-set method, with an upper bound: one multiplier at a time leaves its bound, and those in
/// between go to the minimum over them as far as no bound is passed.
class BoxSolver {
public:
    BoxSolver(const Matrix& q, std::span<const double> b, double upper)
        : q_(Eigen::Map<const Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>>(
              q.values.data(), static_cast<Index>(q.rows), static_cast<Index>(q.cols))),
          b_(Eigen::Map<const VectorXd>(b.data(), static_cast<Index>(b.size()))),
          upper_(upper),
          x_(VectorXd::Zero(b_.size())),
          positions_(b.size(), Position::low) {
        const double scale = q_.diagonal().cwiseAbs().maxCoeff();
        ridge_ = 1e-13 * (scale > 0 ? scale : 1);
    }

    std::vector<double> solve(std::span<const double> start, double tolerance) {
        for (Index i = 0; i < x_.size(); ++i) {
            const double at = i < static_cast<Index>(start.size()) ? start[static_cast<std::size_t>(i)] : 0;
            x_[i] = std::clamp(std::isfinite(at) ? at : 0, 0.0, upper_);
            positions_[static_cast<std::size_t>(i)] =
                x_[i] <= 0 ? Position::low : (x_[i] >= upper_ ? Position::high : Position::between);
        }
        const double least = tolerance * std::max(1e-300, b_.cwiseAbs().maxCoeff());
        settle();
        const Index limit = 50 + 10 * x_.size();
        for (Index changes = 0; changes < limit; ++changes) {
            const VectorXd fall = b_ - q_ * x_;
            Index best = -1;
            double most = least;
            for (Index i = 0; i < x_.size(); ++i) {
                const Position position = positions_[static_cast<std::size_t>(i)];
                const double gain = position == Position::low ? fall[i] : (position == Position::high ? -fall[i] : 0);
                if (gain > most) most = gain, best = i;
            }
            if (best < 0) break;
            positions_[static_cast<std::size_t>(best)] = Position::between;
            settle();
        }
        return {x_.data(), x_.data() + x_.size()};
    }

private:
    // Moves multipliers between their bounds to the minimum over them; one that meets a bound on the way stays there.
    void settle() {
        for (;;) {
            std::vector<Index> free;
            for (Index i = 0; i < x_.size(); ++i)
                if (positions_[static_cast<std::size_t>(i)] == Position::between) free.push_back(i);
            if (free.empty()) return;
            const VectorXd fall = b_ - q_ * x_;
            const auto n = static_cast<Index>(free.size());
            MatrixXd inner(n, n);
            VectorXd right(n);
            for (Index r = 0; r < n; ++r) {
                right[r] = fall[free[static_cast<std::size_t>(r)]];
                for (Index c = 0; c < n; ++c)
                    inner(r, c) = q_(free[static_cast<std::size_t>(r)], free[static_cast<std::size_t>(c)]);
            }
            const VectorXd move = minimum(inner, right);
            double far = 1;
            Index stops = -1;
            for (Index r = 0; r < n; ++r) {
                const Index i = free[static_cast<std::size_t>(r)];
                const double room = move[r] < 0 ? x_[i] / -move[r] : (upper_ - x_[i]) / move[r];
                if (move[r] != 0 && room < far) far = room, stops = r;
            }
            for (Index r = 0; r < n; ++r) x_[free[static_cast<std::size_t>(r)]] += far * move[r];
            if (stops < 0) return;
            const Index i = free[static_cast<std::size_t>(stops)];
            positions_[static_cast<std::size_t>(i)] = move[stops] < 0 ? Position::low : Position::high;
            x_[i] = move[stops] < 0 ? 0 : upper_;
        }
    }

    // The ridge lets minima over dependent multipliers exist; the second solve takes out again what it changed.
    [[nodiscard]] VectorXd minimum(const MatrixXd& inner, const VectorXd& right) const {
        MatrixXd raised = inner;
        raised.diagonal().array() += ridge_;
        const Eigen::LDLT<MatrixXd> factor(raised);
        const VectorXd first = factor.solve(right);
        return first + factor.solve(right - inner * first);
    }

    MatrixXd q_;
    VectorXd b_;
    double upper_;
    double ridge_;
    VectorXd x_;
    std::vector<Position> positions_;
};

}  // namespace

std::vector<double> solve_box(const Matrix& q, std::span<const double> b, double upper, std::span<const double> start,
                              double tolerance) {
    if (b.empty()) return {};
    return BoxSolver(q, b, upper).solve(start, tolerance);
}

}  // namespace fairstream::dc
