#include <fairstream/optimisation/detail/dc/curvature.hpp>

#include <algorithm>
#include <cmath>

#include <fairstream/numeric/detail/blocks.hpp>

namespace fairstream::dc {
std::size_t Curvature::variables() const {
    std::size_t sum = 0;
    for (const Matrix& block : blocks) sum += block.rows;
    return sum;
}

bool Curvature::is_estimate() const {
    return blocks.size() > 1 || (blocks.size() == 1 && blocks[0].cols != blocks[0].rows);
}

CurvatureFactors::CurvatureFactors(const Curvature& curvature, double damping) : damping_(damping) {
    std::size_t first = 0;
    for (const Matrix& block : curvature.blocks) {
        Block own{first, block.rows, {}, {}};
        if (block.cols == block.rows) {
            Matrix raised = block;
            for (std::size_t i = 0; i < raised.rows; ++i) raised.at(i, i) *= 1 + damping;
            own.factor = Cholesky(raised);
            usable_ = usable_ && own.factor.positive_definite();
        } else {
            for (const double entry : block.values) own.roots.push_back(std::sqrt((1 + damping) * entry));
            usable_ = usable_ && std::ranges::all_of(block.values, [](double entry) { return entry > 0; });
        }
        first += own.size;
        blocks_.push_back(std::move(own));
    }
}

void CurvatureFactors::forward(Matrix& rows) const {
    for (const Block& block : blocks_) {
        if (!block.roots.empty()) {
            for (std::size_t i = 0; i < rows.rows; ++i)
                for (std::size_t j = 0; j < block.size; ++j) rows.at(i, block.first + j) /= block.roots[j];
            continue;
        }
        Matrix own = columns(rows, block.first, block.size);
        block.factor.forward(own);
        copy(own, {rows, block.first, block.size});
    }
}

void CurvatureFactors::backward(Vector& x) const {
    for (const Block& block : blocks_) {
        const auto own = std::span(x.data() + block.first, block.size);
        if (!block.roots.empty()) {
            for (std::size_t j = 0; j < block.size; ++j) own[j] /= block.roots[j];
            continue;
        }
        Vector part = Vector::from_shape({block.size});
        std::ranges::copy(own, part.begin());
        block.factor.backward(part);
        std::ranges::copy(part, own.begin());
    }
}

}  // namespace fairstream::dc
