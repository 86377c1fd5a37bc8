#include <fairstream/optimisation/detail/spectral/directions_of_parts.hpp>

#include <cmath>
#include <utility>
#include <vector>

#include <fairstream/numeric/detail/affinity/connected_parts.hpp>
#include <fairstream/numeric/detail/blocks.hpp>
#include <fairstream/numeric/detail/eigen/krylov_basis.hpp>

namespace fairstream {

Matrix directions_of_parts(const NormalisedAffinity& m, const Matrix& q, std::size_t width, std::uint64_t seed) {
    const std::vector<double> roots = m.roots();
    std::vector<double> volumes(count_parts(m.parts()), 0.0);
    for (std::size_t i = 0; i < m.parts().size(); ++i)
        volumes[static_cast<std::size_t>(m.parts()[i])] += roots[i] * roots[i];
    std::vector<std::size_t> column(volumes.size(), volumes.size());  // by part: its column of E, or past all: none
    std::size_t count = 0;
    for (std::size_t part = 0; part < volumes.size(); ++part)
        if (volumes[part] > 0) column[part] = count++;
    if (count < 2) return {};
    Matrix along(count, q.cols);           // EᵀQ
    std::vector<double> e(m.rows(), 0.0);  // the single entry of each row of E
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

}  // namespace fairstream
