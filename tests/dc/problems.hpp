#pragma once
/// Problems with known answers, each written as a difference of convex functions.

#include <cmath>
#include <functional>
#include <limits>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include <fairstream/optimisation/detail/dc/problem.hpp>

namespace fairstream::dc::test {

using Vector = std::vector<double>;

/// A convex function with a subgradient, and a positive semidefinite model of its second derivatives (a multiple of the
/// identity).
struct Convex {
    std::function<double(const Vector&)> value;
    std::function<Vector(const Vector&)> gradient;
    double curvature = 0;
};

inline double dot(const Vector& a, const Vector& b) {
    return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}

inline Convex nothing() {
    return {[](const Vector&) { return 0.0; }, [](const Vector& v) { return Vector(v.size(), 0.0); }, 0};
}
/// a'v + c.
inline Convex affine(const Vector& a, double c) {
    return {[a, c](const Vector& v) { return dot(a, v) + c; }, [a](const Vector&) { return a; }, 0};
}
/// scale |v - centre|^2 / 2 + c.
inline Convex paraboloid(double scale, const Vector& centre, double c = 0) {
    return {[=](const Vector& v) {
                double sum = 0;
                for (std::size_t j = 0; j < v.size(); ++j) sum += (v[j] - centre[j]) * (v[j] - centre[j]);
                return scale * sum / 2 + c;
            },
            [=](const Vector& v) {
                Vector g(v.size());
                for (std::size_t j = 0; j < v.size(); ++j) g[j] = scale * (v[j] - centre[j]);
                return g;
            },
            scale};
}
/// The largest of affine functions.
inline Convex largest_of(const std::vector<std::pair<Vector, double>>& pieces, double curvature = 1) {
    const auto at = [pieces](const Vector& v) {
        std::size_t best = 0;
        for (std::size_t i = 1; i < pieces.size(); ++i)
            if (dot(pieces[i].first, v) + pieces[i].second > dot(pieces[best].first, v) + pieces[best].second) best = i;
        return best;
    };
    return {[=](const Vector& v) { return dot(pieces[at(v)].first, v) + pieces[at(v)].second; },
            [=](const Vector& v) { return pieces[at(v)].first; }, curvature};
}

/// Entry 0 is the objective: plus less minus.
class Example final : public Problem {
public:
    Example(std::size_t variables, std::vector<std::pair<Convex, Convex>> parts, bool whole = true)
        : variables_(variables), parts_(std::move(parts)), whole_(whole) {}

    [[nodiscard]] std::size_t variables() const override { return variables_; }
    [[nodiscard]] std::size_t constraints() const override { return parts_.size() - 1; }
    void evaluate(std::span<const double> v, Values& values) override {
        v_.assign(v.begin(), v.end());
        values.plus.clear(), values.minus.clear();
        for (const auto& [plus, minus] : parts_) {
            values.plus.push_back(plus.value(v_));
            values.minus.push_back(minus.value(v_));
        }
        ++evaluations;
        if (seen) seen(v_, values);
    }
    void add_plus_gradient(std::size_t i, double scale, std::span<double> out) override {
        add(parts_[i].first, scale, out);
    }
    void add_minus_gradient(std::size_t i, double scale, std::span<double> out) override {
        add(parts_[i].second, scale, out);
    }
    void constraint_gradients(Matrix& plus, Matrix& minus) override {
        plus = minus = Matrix(constraints(), variables_);
        for (std::size_t i = 0; i < constraints(); ++i) {
            add(parts_[i + 1].first, 1, {plus.row(i), variables_});
            add(parts_[i + 1].second, 1, {minus.row(i), variables_});
        }
    }
    Curvature curvature(std::span<const double> multipliers) override {
        double sum = parts_[0].first.curvature + 1e-9;
        for (std::size_t i = 0; i < multipliers.size(); ++i) sum += multipliers[i] * parts_[i + 1].first.curvature;
        Matrix out = whole_ ? Matrix(variables_, variables_) : Matrix(variables_, 1);
        for (std::size_t j = 0; j < variables_; ++j) (whole_ ? out.at(j, j) : out.values[j]) = sum;
        return {{out}};
    }

    [[nodiscard]] const Vector& place() const { return v_; }
    [[nodiscard]] double value(std::size_t i, const Vector& v) const {
        return parts_[i].first.value(v) - parts_[i].second.value(v);
    }
    std::int64_t evaluations = 0;
    std::function<void(const Vector&, const Values&)> seen;

private:
    void add(const Convex& f, double scale, std::span<double> out) const {
        const Vector g = f.gradient(v_);
        for (std::size_t j = 0; j < g.size(); ++j) out[j] += scale * g[j];
    }

    std::size_t variables_;
    std::vector<std::pair<Convex, Convex>> parts_;
    bool whole_;
    Vector v_;
};

/// A problem with a feasible start, and the least objective among nearby points that meet the conditions.
struct Known {
    std::string name;
    Example problem;
    Vector start;
    double least;
    Vector multipliers;  // at the answer
};

/// min |v - (2, 2)|^2 / 2, v_0 + v_1 <= 2, v_0 <= 1.5, answer (1, 1), the last constraint free.
inline Known triangle(bool whole = true) {
    return {"triangle",
            {2,
             {{paraboloid(1, {2, 2}), nothing()}, {affine({1, 1}, -2), nothing()}, {affine({1, 0}, -1.5), nothing()}},
             whole},
            {0, 0},
            1,
            {1, 0}};
}
/// min |v - (0.2, 0.1)|^2 / 2 outside the unit circle, 1 <= |v|^2: the nearest point on it.
inline Known outside_circle() {
    const double r = std::hypot(0.2, 0.1);
    return {"outside a circle",
            {2, {{paraboloid(1, {0.2, 0.1}), nothing()}, {affine({0, 0}, 1), paraboloid(2, {0, 0})}}},
            {1.5, 1.0},
            (1 - r) * (1 - r) / 2,
            {(1 - r) / 2}};
}
/// min |v_0 - 3| + |v_1 + 1| in |v|_1 <= 2, as maxima of affine functions: 2 at every (2 - t, -t), t in [0, 1].
inline Known diamond() {
    return {"diamond",
            {2,
             {{largest_of({{{1, 1}, -2}, {{1, -1}, -4}, {{-1, 1}, 4}, {{-1, -1}, 2}}), nothing()},
              {largest_of({{{1, 1}, -2}, {{1, -1}, -2}, {{-1, 1}, -2}, {{-1, -1}, -2}}), nothing()}}},
            {0, 0},
            2,
            {}};
}
/// min |v|^2 / 2 - 2 |v_0|, v_0 <= 1: from v_0 > 0 on it ends at (1, 0), from below at (-2, 0).
inline Known two_wells() {
    return {"two wells",
            {2, {{paraboloid(1, {0, 0}), largest_of({{{2, 0}, 0}, {{-2, 0}, 0}}, 0)}, {affine({1, 0}, -1), nothing()}}},
            {0.5, 1},
            -1.5,
            {1}};
}
inline Known free_paraboloid() {
    return {"no constraints", {3, {{paraboloid(2, {1, -2, 3}), nothing()}}}, {0, 0, 0}, 0, {}};
}

inline std::vector<Known> known_problems() {
    return {triangle(), triangle(false), outside_circle(), diamond(), two_wells(), free_paraboloid()};
}

/// v_0 <= -1 and v_0 >= 1.
inline Example infeasible() {
    return {1, {{paraboloid(1, {0}), nothing()}, {affine({1}, 1), nothing()}, {affine({-1}, 1), nothing()}}};
}

}  // namespace fairstream::dc::test
