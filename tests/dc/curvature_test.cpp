/// Factors of blocks against a product written out.

#include <gtest/gtest.h>

#include <cmath>

#include <fairstream/optimisation/detail/dc/curvature.hpp>

#include "support/streams.hpp"

namespace fairstream::dc {
namespace {

// A A' + I, A random.
Matrix random_block(std::size_t n, std::uint64_t seed) {
    Random random(seed);
    Matrix a(n, n), block(n, n);
    for (double& x : a.values) x = static_cast<double>(test::normal(random));
    for (std::size_t i = 0; i < n; ++i)
        for (std::size_t j = 0; j < n; ++j)
            for (std::size_t k = 0; k <= n; ++k) block.at(i, j) += k < n ? a.at(i, k) * a.at(j, k) : (i == j ? 1 : 0);
    return block;
}

Curvature some_blocks() {
    Matrix diagonal(3, 1);
    diagonal.values = {0.5, 4, 1e-3};
    return {{random_block(4, 1), diagonal, random_block(1, 2), random_block(70, 3)}};
}

Vector times(const Curvature& curvature, double damping, const Vector& x) {
    Vector out = xt::zeros<double>({x.size()});
    std::size_t first = 0;
    for (const Matrix& block : curvature.blocks) {
        for (std::size_t i = 0; i < block.rows; ++i)
            for (std::size_t j = 0; j < block.rows; ++j) {
                const double entry = block.cols == block.rows ? block.at(i, j) : (i == j ? block.values[i] : 0);
                out(first + i) += (i == j ? 1 + damping : 1) * entry * x(first + j);
            }
        first += block.rows;
    }
    return out;
}

TEST(Curvature, OfBlocksIsSolvedBlockByBlock) {
    const Curvature curvature = some_blocks();
    ASSERT_EQ(curvature.variables(), 78);
    for (const double damping : {0.0, 0.01, 30.0}) {
        const CurvatureFactors factors(curvature, damping);
        ASSERT_TRUE(factors.usable());
        Random random(4);
        Matrix rows(2, 78);
        for (double& x : rows.values) x = static_cast<double>(test::normal(random));
        const Matrix given = rows;
        factors.forward(rows);
        for (std::size_t r = 0; r < 2; ++r) {
            Vector x = Vector::from_shape({78});
            std::copy_n(rows.row(r), 78, x.begin());
            factors.backward(x);
            const Vector back = times(curvature, damping, x);
            for (std::size_t j = 0; j < 78; ++j) EXPECT_NEAR(back(j), given.at(r, j), 1e-10);
        }
    }
}

TEST(Curvature, NeedsPositiveDefiniteBlocks) {
    Curvature curvature = some_blocks();
    curvature.blocks[1].values[2] = 0;
    EXPECT_FALSE(CurvatureFactors(curvature, 0).usable());
    curvature = some_blocks();
    curvature.blocks[0].at(2, 2) = -1;
    EXPECT_FALSE(CurvatureFactors(curvature, 1).usable());
    EXPECT_TRUE(CurvatureFactors({}, 0).usable());
}

}  // namespace
}  // namespace fairstream::dc
