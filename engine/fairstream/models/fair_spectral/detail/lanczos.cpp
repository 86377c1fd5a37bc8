#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include <xtensor/xbuilder.hpp>
#include <xtensor/xview.hpp>

#include <fairstream/models/fair_spectral/detail/krylov_basis.hpp>
#include <fairstream/numeric/detail/affinity/connected_parts.hpp>
#include <fairstream/numeric/detail/linear_algebra.hpp>

namespace fairstream::fair_spectral {
namespace {

// Widths of a block: with as many products narrow ones reach farther, wide ones use the operator better: a matrix in
// memory is read once for each block, whatever its width.
constexpr std::size_t narrow = 8, wide = 16;
// Eigenvalues that lie so close, in units of the larger, may be several of one, or of parts that are loosely joined.
constexpr double close_together = 0.01;
// Falls of the cost that are more than rounding and what a solution within the tolerance may still gain.
constexpr double least_fall_of_cost = 1e-3;
// Products that a random block needs to show what it has of eigenvalues that stand out.
constexpr int products_to_show = 20;

// S is [Z V]:
//   Z   Ritz vectors that the last restart kept, X first
//   V   the blocks that M made of them since
struct Lanczos {
    KrylovBasis b;
    Matrix t;               // SᵀMS, room x room
    Matrix next;            // the next block: new directions, orthonormal
    int products_left = 0;  // of a random block before it has shown what it has

    [[nodiscard]] std::size_t room() const { return t.cols; }

    void append_next(NormalisedAffinity& m, const Matrix& q) {
        const std::size_t first = b.used, added = next.cols;
        --products_left;
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
            start_block(q, narrow, seed + b.used);
        }
    }
    // Makes the next block a random one, as wide as there is room for.
    void start_block(const Matrix& q, std::size_t block, std::uint64_t seed) {
        const std::size_t columns_left = std::min(block, room() - b.used);
        next = orthonormal_start(beside(q, columns(b.s, 0, b.used)), {}, b.s.rows, columns_left, seed);
        products_left = products_to_show;
    }
    // Makes the next block of residuals among the first `count` that are above `settled`. After random blocks those do
    // not lie in the span of the next block any more, as those of restarts alone do.
    void go_on_from_residuals(const Matrix& q, std::size_t count, double settled, std::size_t block) {
        std::vector<std::size_t> active;
        for (std::size_t j = 0; j < count && active.size() < block; ++j)
            if (b.norms[j] > settled) active.push_back(j);
        if (Matrix w = new_directions({q, b.all()}, columns(b.residual, active)); w.cols > 0) next = std::move(w);
    }
    // Says whether so many eigenvalues lie close together as a block leads to at most, so that there may be more.
    [[nodiscard]] bool may_hide_more(std::size_t block) const {
        for (std::size_t j = 0; j + block <= b.width; ++j)
            if (b.theta[j] - b.theta[j + block - 1] <= close_together * b.theta[j]) return true;
        return false;
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

// Returns eigenvectors of 1 that keep the constraints, as many as there are up to `width`, orthonormal, made from those
// of the connected parts: E Y with QᵀE Y = 0, E having a column for each part. Where they are too many, Y is random.
Matrix directions_of_parts(const NormalisedAffinity& m, const Matrix& q, std::size_t width, std::uint64_t seed) {
    const std::vector<double> roots = m.roots();
    std::vector<double> volumes(count_parts(m.parts()), 0.0);
    for (std::size_t i = 0; i < m.parts().size(); ++i)
        volumes[static_cast<std::size_t>(m.parts()[i])] += roots[i] * roots[i];
    std::vector<std::size_t> column(volumes.size(), volumes.size());  // of E; points without affinities have none
    std::size_t count = 0;
    for (std::size_t part = 0; part < volumes.size(); ++part)
        if (volumes[part] > 0) column[part] = count++;
    if (count < 2) return {};
    Matrix along(count, q.cols);           // EᵀQ
    std::vector<double> e(m.rows(), 0.0);  // the one entry of each row of E
    for (std::size_t i = 0; i < m.rows(); ++i) {
        const auto part = static_cast<std::size_t>(m.parts()[i]);
        if (column[part] == volumes.size()) continue;
        e[i] = roots[i] / std::sqrt(volumes[part]);
        for (std::size_t j = 0; j < q.cols; ++j) along.at(column[part], j) += e[i] * q.at(i, j);
    }
    const Matrix taken = orthonormal_basis(along);
    if (taken.cols >= count) return {};
    const Matrix y = orthonormal_start(taken, {}, count, std::min(width, count - taken.cols), seed);
    Matrix found(m.rows(), y.cols);
    for (std::size_t i = 0; i < m.rows(); ++i) {
        const std::size_t c = column[static_cast<std::size_t>(m.parts()[i])];
        for (std::size_t j = 0; c < count && j < y.cols; ++j) found.at(i, j) = e[i] * y.at(c, j);
    }
    return new_directions({q}, std::move(found));
}

}  // namespace

// Restarts as in K. Wu and H. Simon, "Thick-restart Lanczos method for large symmetric eigenvalue problems", 2000, with
// blocks, and with all of SᵀMS worked out. A block finds at most as many of equal eigenvalues as it is wide: where
// there may be more, what is found is kept, and the search goes on with random columns beside it until the cost stands.
Solution solve_cold(NormalisedAffinity& m, const Matrix& q, std::size_t k, std::size_t width,
                    const SolverLimits& limits, std::uint64_t seed) {
    const std::size_t n = m.rows(), free = n - q.cols;
    const std::size_t block = std::min(m.prefers_wide_blocks() ? wide : narrow, free);
    const std::size_t room = std::min(std::max(3 * width, width + 4 * block), free);
    Lanczos lanczos{{n, width, room}, Matrix(room, room), directions_of_parts(m, q, width, seed)};
    KrylovBasis& b = lanczos.b;
    if (lanczos.next.cols > 0) lanczos.append_next(m, q);
    if (b.used < room) lanczos.start_block(q, block, seed);
    lanczos.products_left = 0;
    Solution solution;
    double least_cost = std::numeric_limits<double>::infinity();
    for (;; ++solution.iterations) {
        const bool closed = lanczos.fill(m, q, seed);
        lanczos.restart(width + (room - width) / 3);
        b.find_residuals(q);
        const bool ended = has_ended(b, m, q, k, limits, solution);
        if (!ended && closed) solution.outcome = Outcome::stalled;  // X is invariant up to the operator's rounding
        if (ended && (solution.outcome == Outcome::iteration_limit || solution.iterations >= limits.iterations)) break;
        if (b.used == free) break;
        if (!closed && lanczos.products_left > 0) continue;
        if (!ended && !closed) {
            if (least_cost < std::numeric_limits<double>::infinity())
                lanczos.go_on_from_residuals(q, k, limits.tolerance * scale_of(b, k) / 2, block);
            continue;
        }
        // No eigenvalue is above 1: a cost below 0 is rounding.
        if (b.costs.back() <= least_fall_of_cost || b.costs.back() > least_cost - least_fall_of_cost) break;
        if (!lanczos.may_hide_more(block)) break;
        least_cost = b.costs.back();
        lanczos.start_block(q, block, seed + static_cast<std::uint64_t>(solution.iterations) + 1);
    }
    finish(b, m, q, k, solution);
    return solution;
}

}  // namespace fairstream::fair_spectral
