#pragma once
/// LoRD (17) and B-LoRD (20) by projected gradients (Algorithm 1).

#include <cstdint>
#include <functional>

#include <fairstream/base/work_handle.hpp>
#include <fairstream/models/lord/detail/marginals.hpp>
#include <fairstream/models/lord/detail/similarity.hpp>

namespace fairstream::lord {

/// An objective over Omega(mu), with known quantities.
struct Problem {
    const Similarity& similarity;
    const Marginals& marginals;
    Method method = Method::b_lord;
    Spread spread;              ///< spread of S
    double tau = 0, gamma = 0;  ///< parameters of B-LoRD
    double square = 0;          ///< ||S||_F^2, of LoRD
};

/// Return multiply-adds for n points, of which some have changed: of the setup before the first iteration, of an
/// iteration of the eigensolver for starts of low cut, and of an iteration of an ascent.
[[nodiscard]] double work_of_setting(const Options& options, double dimensions, double changed, double n);
[[nodiscard]] double work_of_eigensolver(const Options& options, double n);
[[nodiscard]] double work_of_iteration(const Options& options, double n);

/// Sets tau, and the gamma that follows from it, of B-LoRD.
void set_tau(Problem& problem, double tau);

struct AscentLimits {
    std::int64_t iterations = 4000;
    double tolerance = 1e-4;
    WorkDone* done = nullptr;  ///< gets 1 for a whole ascent, and may end it; may be null
    double of_iteration = 0;   ///< counted multiply-adds of an iteration
};

struct Ascent {
    Matrix v;
    double objective = 0;  ///< as in `Quality`
    std::int64_t iterations = 0, projection_rounds = 0;
    bool converged = false;
};

/// Returns the objective; `sv` is the result of `Similarity::gradient` for v.
[[nodiscard]] double objective_of(const Problem& problem, const Matrix& v, const Matrix& sv);

/// Descends from v, which is projected first. Step sizes follow from the gradient's Lipschitz constant, 4 (3/n + ||S||)
/// and 2 ||S + gamma I||. Steps start from a point extrapolated by Nesterov's rule, or from the last point if the
/// objective would rise (H. Li and Z. Lin, "Accelerated proximal gradient methods for nonconvex programming", 2015), so
/// the objective never rises. `on_iteration`, if given, receives the objective after each iteration.
[[nodiscard]] Ascent ascend(const Problem& problem, const Matrix& v, const AscentLimits& limits,
                            const std::function<void(double)>& on_iteration = {});

/// Returns a random matrix of Omega(mu) (Algorithm 3).
[[nodiscard]] Matrix random_start(const Marginals& marginals, std::uint64_t seed, std::uint64_t stream);

}  // namespace fairstream::lord
