#pragma once
/// SA2GD: minimises two smooth objectives f^a and f^b on R^d together, by alternating stochastic gradient steps.
/// S. Liu, L. N. Vicente, "A stochastic alternating balance k-means algorithm for fair clustering", section 5 and
/// appendix E, Algorithm 4.
///
/// Iteration t = 0, ..., T - 1 takes n_a steps x <- x - alpha_t g^a(x), then n_b steps x <- x - alpha_t g^b(x). The
/// limit x_* minimises S = lambda f^a + (1 - lambda) f^b with lambda = n_a / (n_a + n_b). It is a Pareto point, which
/// the ratio of the numbers of steps selects.
///
/// Theorem 5.1. Let
///   E.1  grad f^a and grad f^b be Lipschitz continuous with constant L,
///   E.2  f^a and f^b be strongly convex with constant c,
///   E.3  the stochastic gradients be drawn independently and unbiased, with E|g|^2 <= G + G' |grad f|^2,
///   E.4  the iterates stay within a set of diameter D (the paper's Theta),
/// and alpha_t = 2 / (c (t + 1) (n_a + n_b)). With M^2 = G + G' L^2 D^2,
///   min over t = 1, ..., T of E S(x_t) - S(x_*)
///       <= 4 / (c (T + 1)) ((n_a^2 + n_b^2) / (n_a + n_b) M^2 + (n_a + n_b) L D M).
///
/// Remarks beyond the theorem:
/// - The proof also bounds gradients at the points inside an iteration, by L times their distance to the minimisers of
///   f^a and f^b. So the set of E.4 must contain all steps, both minimisers and x_*, not only the iterates.
/// - The step size has one more factor 1 / (n_a + n_b) than the proof uses, so the bound may be divided by n_a + n_b.
///   The same recursion without S bounds the last iterate: for T >= 2,
///   E|x_T - x_*|^2 <= 8 / (c^2 T) ((n_a^2 + n_b^2) / (n_a + n_b)^2 M^2 + L D M).
/// - While alpha_t L > 2, that is for t + 1 < L / (c (n_a + n_b)), steps overshoot, by a factor of up to 4^(L / c) in
///   all. From L / c of some hundreds on, that exceeds the range of a double. A later start, `step` = 2 / (c (t + t_0)
///   (n_a + n_b)) with t_0 >= L / (c (n_a + n_b)), never overshoots and keeps the rate.
/// - Without strong convexity there is no guarantee; the steps are then a heuristic for stationary points of S.

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include <fairstream/numeric/draws.hpp>

namespace fairstream::sa2gd {

/// Writes a stochastic gradient at `x` to every entry of `gradient` (both d). All its randomness must come from
/// `draws`.
using Gradient = std::function<void(std::span<const double> x, Draws& draws, std::span<double> gradient)>;
/// Called with t = 1, ..., T and x_t (d, valid during the call).
using Observer = std::function<void(std::int64_t t, std::span<const double> x)>;

struct Options {
    std::int64_t steps_a = 1;        ///< n_a, steps on f^a per iteration, in [0, 1e9]
    std::int64_t steps_b = 1;        ///< n_b, in [0, 1e9]; at least one of the two is above 0
    std::int64_t iterations = 1000;  ///< T, >= 0
    double strong_convexity = 0;     ///< c, finite: step sizes as in the theorem, above 0; 0: `step` is used
    std::function<double(std::int64_t t)> step = {};  ///< alpha_t for t = 0, 1, ..., above 0 and finite; replaces c
    std::uint64_t seed = 1;
};

enum class Outcome : std::uint8_t {
    iteration_limit,  ///< all T iterations were taken
    not_finite,       ///< a gradient was not finite, or a step left the range of a double
};

struct Result {
    Outcome outcome = Outcome::iteration_limit;
    std::int64_t iterations = 0;  ///< t, the number of complete iterations
    std::vector<double> x;        ///< d: x_t of this t, finite
};

/// Throws `InvalidInput` (bad_option) with the option, its value and its range.
void check(const Options& options);

/// Returns lambda = n_a / (n_a + n_b), the weight of f^a in the limit. `options` must have passed `check`.
[[nodiscard]] double weight(const Options& options);

/// Runs Algorithm 4 from `start` (x_0, d >= 1, finite). Takes time T (n_a + n_b) (d + one gradient), and allocates
/// nothing after its first iteration has begun. An objective with 0 steps needs no gradient. Exceptions of a callable
/// pass through. Throws `InvalidInput`: bad_option for options, a missing gradient, or an invalid value of `step` (when
/// it is used); wrong_shape for an empty start, bad_feature for one that is not finite.
[[nodiscard]] Result minimise(const Options& options, std::span<const double> start, const Gradient& gradient_a,
                              const Gradient& gradient_b, const Observer& observe = {});

}  // namespace fairstream::sa2gd
