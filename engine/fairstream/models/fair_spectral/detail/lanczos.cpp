#include <algorithm>
#include <array>

#include <xtensor/xbuilder.hpp>
#include <xtensor/xview.hpp>

#include <fairstream/models/fair_spectral/detail/krylov_basis.hpp>
#include <fairstream/numeric/detail/linear_algebra.hpp>

namespace fairstream::fair_spectral {
namespace {

// Widths of a block: with as many products narrow ones reach farther, wide ones use the operator better: a matrix in
// memory is read once for each block, whatever its width.
constexpr std::size_t narrow = 8, wide = 16;

// S is [Z V]:
//   Z   Ritz vectors that the last restart kept, X first
//   V   the blocks that M made of them since
struct Lanczos {
    KrylovBasis b;
    Matrix t;     // SᵀMS, room x room
    Matrix next;  // the next block: new directions, orthonormal

    [[nodiscard]] std::size_t room() const { return t.cols; }

    void append_next(NormalisedAffinity& m, const Matrix& q) {
        const std::size_t first = b.used, added = next.cols;
        b.append(m, next);
        const Matrix to_new = gram(b.all(), {b.ms, first, added});
        xt::view(array(t), xt::range(0, b.used), xt::range(first, b.used)) = array(to_new);
        xt::view(array(t), xt::range(first, b.used), xt::range(0, b.used)) = xt::transpose(array(to_new));
        next = new_directions({q, b.all()}, columns(b.ms, first, added));
    }
    // Extends S until its room is full or S is invariant; returns whether it is. An invariant S of fewer than `width`
    // columns is extended by a random block, as M leads nowhere new.
    bool fill(NormalisedAffinity& m, const Matrix& q, std::uint64_t seed) {
        for (;;) {
            while (next.cols > 0 && b.used + next.cols <= room()) append_next(m, q);
            if (next.cols > 0) return false;
            if (b.used >= b.width) return true;
            next = orthonormal_start(beside(q, columns(b.s, 0, b.used)), {}, b.s.rows,
                                     std::min(narrow, room() - b.used), seed + b.used);
        }
    }
    // Restarts by Rayleigh-Ritz on S, keeping `kept` vectors.
    void restart(std::size_t kept) {
        Matrix square(b.used, b.used);
        array(square) = xt::view(array(t), xt::range(0, b.used), xt::range(0, b.used));
        const Spectrum ritz = symmetric_spectrum(square);
        kept = std::min(kept, b.used);
        b.turn(columns(ritz.vectors, 0, kept));
        b.theta = ritz.values;
        xt::view(array(t), xt::range(0, kept), xt::range(0, kept)) =
            xt::diag(array(std::span(ritz.values).first(kept)));
    }
};

}  // namespace

// Restarts as in K. Wu and H. Simon, "Thick-restart Lanczos method for large symmetric eigenvalue problems", 2000, with
// blocks, so that eigenvalues that are equal are all found, and with all of SᵀMS worked out.
Solution solve_cold(NormalisedAffinity& m, const Matrix& q, std::size_t k, std::size_t width,
                    const SolverLimits& limits, std::uint64_t seed) {
    const std::size_t n = m.rows(), free = n - q.cols;
    const std::size_t block = std::min(m.prefers_wide_blocks() ? wide : narrow, free);
    const std::size_t room = std::min(std::max(3 * width, width + 4 * block), free);
    Lanczos lanczos{{n, width, room}, Matrix(room, room), orthonormal_start(q, {}, n, block, seed)};
    KrylovBasis& b = lanczos.b;
    Solution solution;
    for (;; ++solution.iterations) {
        const bool closed = lanczos.fill(m, q, seed);
        lanczos.restart(width + (room - width) / 3);
        b.find_residuals(q);
        if (has_ended(b, m, q, k, limits, solution)) break;
        solution.outcome = Outcome::stalled;  // X is invariant up to the operator's rounding
        if (closed) break;
    }
    finish(b, m, q, k, solution);
    return solution;
}

}  // namespace fairstream::fair_spectral
