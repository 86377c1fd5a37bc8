#pragma once
/// Models of second derivatives that can be factored quickly.

#include <vector>

#include <fairstream/numeric/detail/linear_algebra.hpp>
#include <fairstream/numeric/matrix.hpp>

namespace fairstream::dc {

/// A symmetric positive definite matrix H that is 0 outside of blocks along its diagonal.
struct Curvature {
    std::vector<Matrix> blocks;  ///< n_j x n_j; or n_j x 1, the diagonal of a diagonal block

    [[nodiscard]] std::size_t variables() const;
    /// Returns whether H is an estimate: it leaves out entries outside of the blocks, and off the diagonals of diagonal
    /// blocks.
    [[nodiscard]] bool is_estimate() const;
};

/// H as F Fᵀ, with its diagonal raised by `damping` times itself.
class CurvatureFactors {
public:
    CurvatureFactors(const Curvature& curvature, double damping);

    [[nodiscard]] double damping() const { return damping_; }
    /// Returns whether H is positive definite to rounding; otherwise the object cannot solve.
    [[nodiscard]] bool usable() const { return usable_; }
    /// Replace each row x of `rows`, m x variables, by F^-1 x, and x by F^-T x.
    void forward(Matrix& rows) const;
    void backward(Vector& x) const;

private:
    struct Block {
        std::size_t first, size;
        Cholesky factor;
        std::vector<double> roots;  // square roots of the diagonal, instead of `factor`, of a diagonal block
    };

    double damping_;
    std::vector<Block> blocks_;
    bool usable_ = true;
};

}  // namespace fairstream::dc
