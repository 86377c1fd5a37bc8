#include <fairstream/optimisation/detail/dc/nnls.hpp>

#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

#include <fairstream/numeric/detail/linear_algebra.hpp>

namespace fairstream::dc {
namespace {

enum class Position : std::uint8_t { low, between, high };

/// Lawson and Hanson's active-set method with an upper bound. A few multipliers at a time leave their bounds, and the
/// multipliers between the bounds move to the minimum over these multipliers, until one reaches a bound.
class BoxSolver {
public:
    BoxSolver(const Matrix& q, std::span<const double> b, double upper, const WorkHandle& work)
        : work_(work),
          q_(q),
          b_(array(b)),
          upper_(upper),
          x_(Vector::from_shape({b.size()})),
          positions_(b.size(), Position::low) {
        x_.fill(0);
        const double scale = xt::amax(xt::abs(xt::diagonal(array(q))))();
        ridge_ = 1e-13 * (scale > 0 ? scale : 1);
    }

    std::vector<double> solve(std::span<const double> start, double tolerance) {
        for (std::size_t i = 0; i < x_.size(); ++i) {
            const double at = i < start.size() ? start[i] : 0;
            x_(i) = std::clamp(std::isfinite(at) ? at : 0, 0.0, upper_);
            positions_[i] = x_(i) <= 0 ? Position::low : (x_(i) >= upper_ ? Position::high : Position::between);
        }
        const double least = tolerance * std::max(1e-300, xt::amax(xt::abs(b_))());
        settle();
        const std::size_t limit = 50 + 10 * x_.size();
        double share = together;
        for (std::size_t changes = 0; changes < limit && !work_.stopped(); ++changes) {
            const std::vector<std::size_t> gaining = most_gaining(least, share);
            if (gaining.empty()) break;
            for (const std::size_t i : gaining) positions_[i] = Position::between;
            const Vector before = x_;
            settle();
            // Several multipliers may all return to their bounds at once; a single one, with the largest gain, never
            // does.
            share = gaining.size() > 1 && x_ == before ? 1 : together;
        }
        return {x_.begin(), x_.end()};
    }

private:
    static constexpr double together = 0.5;  // multipliers that gain at least this share of the largest gain leave
                                             // their bounds together

    // Returns b - Q x. Most multipliers are 0.
    [[nodiscard]] Vector falls() const {
        Vector fall = b_;
        for (std::size_t j = 0; j < x_.size(); ++j) {
            if (x_(j) == 0) continue;
            const double* const row = q_.row(j);
            for (std::size_t i = 0; i < x_.size(); ++i) fall(i) -= x_(j) * row[i];
        }
        return fall;
    }

    // Returns the multipliers at a bound that gain more than `least` by leaving it, and at least `share` of the largest
    // gain; with a share of 1, the first of these.
    [[nodiscard]] std::vector<std::size_t> most_gaining(double least, double share) const {
        const Vector fall = falls();
        const auto gain = [&](std::size_t i) {
            return positions_[i] == Position::low ? fall(i) : (positions_[i] == Position::high ? -fall(i) : 0);
        };
        double most = 0;
        for (std::size_t i = 0; i < x_.size(); ++i) most = std::max(most, gain(i));
        std::vector<std::size_t> found;
        for (std::size_t i = 0; i < x_.size(); ++i)
            if (gain(i) > least && gain(i) >= share * most && (share < 1 || found.empty())) found.push_back(i);
        return found;
    }

    // Moves those multipliers that are between their bounds to the minimum over these multipliers; one that reaches a
    // bound stays there.
    void settle() {
        for (;;) {
            std::vector<std::size_t> free;
            for (std::size_t i = 0; i < x_.size(); ++i)
                if (positions_[i] == Position::between) free.push_back(i);
            if (free.empty()) return;
            // Counts the work of the factor, of its matrix, and of the gradient.
            const auto f = static_cast<double>(free.size());
            work_.settle(f * f * (f / 3 + 4) + f * static_cast<double>(x_.size()));
            const Vector fall = falls();
            Vector right = Vector::from_shape({free.size()});
            for (std::size_t r = 0; r < free.size(); ++r) right(r) = fall(free[r]);
            const Vector move = minimum(free, right);
            double far = 1;
            std::optional<std::size_t> stops;
            for (std::size_t r = 0; r < free.size(); ++r) {
                const double at = x_(free[r]), room = move(r) < 0 ? at / -move(r) : (upper_ - at) / move(r);
                if (move(r) != 0 && room < far) far = room, stops = r;
            }
            for (std::size_t r = 0; r < free.size(); ++r) x_(free[r]) += far * move(r);
            if (!stops) return;
            const std::size_t i = free[*stops];
            positions_[i] = move(*stops) < 0 ? Position::low : Position::high;
            x_(i) = move(*stops) < 0 ? 0 : upper_;
        }
    }

    // A ridge, raised until there is a factor, makes the minimum over dependent multipliers exist. The second solve
    // corrects for it.
    [[nodiscard]] Vector minimum(const std::vector<std::size_t>& free, const Vector& right) const {
        constexpr int raises = 12;
        Matrix inner(free.size(), free.size());
        for (std::size_t r = 0; r < free.size(); ++r)
            for (std::size_t c = 0; c < free.size(); ++c) inner.at(r, c) = q_.at(free[r], free[c]);
        double ridge = ridge_;
        for (int i = 0; i < raises; ++i, ridge *= 10) {
            Matrix raised = inner;
            for (std::size_t r = 0; r < free.size(); ++r) raised.at(r, r) += ridge;
            const Cholesky factor(raised);
            if (!factor.positive_definite()) continue;
            const Vector first = factor.solve(right);
            return first + factor.solve(right - dot(inner, first));
        }
        return xt::zeros<double>({free.size()});  // an entry is not finite
    }

    const WorkHandle work_;
    const Matrix& q_;
    Vector b_;
    double upper_;
    double ridge_;
    Vector x_;
    std::vector<Position> positions_;
};

}  // namespace

std::vector<double> solve_box(const Matrix& q, std::span<const double> b, double upper, std::span<const double> start,
                              double tolerance, const WorkHandle& work) {
    if (b.empty()) return {};
    return BoxSolver(q, b, upper, work).solve(start, tolerance);
}

}  // namespace fairstream::dc
