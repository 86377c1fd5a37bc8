#include <fairstream/numeric/detail/eigen/affinity_operators.hpp>

#include <utility>

#include <fairstream/numeric/detail/affinity/connected_parts.hpp>
#include <fairstream/numeric/detail/blocks.hpp>

namespace fairstream {

LaplacianOperator::LaplacianOperator(const Affinity& affinity)
    : LaplacianOperator(affinity,
                        affinity.factors() ? std::vector<ClusterId>(affinity.rows(), 0) : connected_parts(affinity)) {}

LaplacianOperator::LaplacianOperator(const Affinity& affinity, std::vector<ClusterId> parts)
    : affinity_(affinity), parts_(std::move(parts)) {}

void LaplacianOperator::multiply(const Matrix& x, Matrix& out) {
    affinity_.multiply(x, out);
    const std::span<const double> d = degrees();
    for_row_blocks(x.rows, [&](std::size_t first, std::size_t last) {
        for (std::size_t i = first; i < last; ++i)
            for (std::size_t j = 0; j < x.cols; ++j) out.at(i, j) = d[i] * x.at(i, j) - out.at(i, j);
    });
}

}  // namespace fairstream
