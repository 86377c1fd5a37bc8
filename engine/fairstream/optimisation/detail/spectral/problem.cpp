#include <fairstream/optimisation/detail/spectral/problem.hpp>

#include <cmath>

#include <fairstream/numeric/detail/blocks.hpp>
#include <fairstream/numeric/detail/linear_algebra.hpp>

namespace fairstream {
namespace {

constexpr double least_degree = 1e-30;

}  // namespace

NormalisedAffinity::NormalisedAffinity(const Affinity& affinity, std::span<const ClusterId> parts)
    : affinity_(affinity), parts_(parts) {
    for (const double degree : affinity.degrees())
        inverse_roots_.push_back(degree > least_degree ? 1 / std::sqrt(degree) : 0);
}

std::vector<double> NormalisedAffinity::roots() const {
    std::vector<double> all(inverse_roots_.size());
    array(all) = xt::where(array(inverse_roots_) > 0, 1 / array(inverse_roots_), 0.0);
    return all;
}

void NormalisedAffinity::multiply(const Matrix& x, Matrix& out) {
    scaled_ = x;
    scale_rows(inverse_roots_, scaled_);
    affinity_.multiply(scaled_, out);
    scale_rows(inverse_roots_, out);
}

void scale_rows(std::span<const double> factors, Matrix& x) {
    for_row_blocks(x.rows, [&](std::size_t first, std::size_t last) {
        for (std::size_t i = first; i < last; ++i)
            for (std::size_t j = 0; j < x.cols; ++j) x.at(i, j) *= factors[i];
    });
}

Matrix constraint_columns(std::span<const GroupId> table, std::size_t stride,
                          std::span<const AttributeColumn> attributes, const LinkedRows& links,
                          std::span<const double> inverse_roots, std::span<const double> weights) {
    const std::size_t n = inverse_roots.size();
    std::size_t width = links.together.size() + links.opposite.size();
    for (const AttributeColumn& attribute : attributes) width += attribute.groups - 1;
    Matrix f(n, width);
    std::size_t column = 0;
    for (const AttributeColumn& attribute : attributes) {
        std::vector<double> shares(attribute.groups, 0.0);  // z
        const auto group = [&](std::size_t i) { return std::size_t{table[i * stride + attribute.column]}; };
        const auto weight = [&](std::size_t i) { return weights.empty() ? 1 : weights[i]; };
        double all = 0;
        for (std::size_t i = 0; i < n; ++i) all += group(i) < attribute.groups ? weight(i) : 0;
        for (std::size_t i = 0; i < n; ++i)
            if (group(i) < attribute.groups) shares[group(i)] += weight(i) / all;
        for (std::size_t g = 0; g + 1 < attribute.groups; ++g, ++column)
            for (std::size_t i = 0; shares[g] > 0 && i < n; ++i)
                if (group(i) < attribute.groups) f.at(i, column) = weight(i) * ((group(i) == g ? 1 : 0) - shares[g]);
    }
    for (const auto& [i, j] : links.together) f.at(i, column) = 1, f.at(j, column++) = -1;
    for (const auto& [i, j] : links.opposite) f.at(i, column) = 1, f.at(j, column++) = 1;
    scale_rows(inverse_roots, f);
    return f;
}

bool polish(const Matrix& q, Matrix& h) {
    // Projects twice: the first pass leaves rounding errors of the size of the removed norm.
    project_out(q, h);
    // Columns had unit length, so anything as short as rounding is rounding.
    const bool left = h.cols == 0 || symmetric_spectrum(gram(h, h)).values.back() > 1e-14;
    const bool full = make_polar(h);
    project_out(q, h);
    return left && full;
}

SpectralLimits solver_limits(std::int64_t iterations, double tolerance, const WorkHandle& work, double of_iteration) {
    SpectralLimits limits{iterations, tolerance, {}};
    if (work.is_followed() || of_iteration > 0)
        limits.watch = [work, iterations, of_iteration,
                        share = ResidualShare(tolerance, iterations)](const SpectralIterate& it) mutable {
            work.settle(of_iteration);
            return !work.report_progress(share.after(it.iteration, it.residual), it.iteration, iterations);
        };
    return limits;
}

}  // namespace fairstream
