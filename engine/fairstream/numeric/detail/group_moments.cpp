#include <fairstream/numeric/group_moments.hpp>

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>

#include <fairstream/numeric/cache_line_vector.hpp>
#include <fairstream/numeric/detail/interruption.hpp>
#include <fairstream/numeric/detail/kernels.hpp>

namespace fairstream {
namespace {

// Columns per block of the scatter matrix.
constexpr std::size_t block = 64;
// Rows processed at once, so that their centred copy stays in the cache between blocks.
constexpr std::size_t rows_of_batch = 1024;

constexpr double float_unit = 0x1p-24;
constexpr double double_unit = 0x1p-53;

// Adds factor (a - b)(a - b)ᵀ to the lower triangle of `scatter`.
void add_outer(std::span<const double> a, std::span<const double> b, double factor, Matrix& scatter) {
    std::vector<double> gap(a.size());
    for (std::size_t j = 0; j < gap.size(); ++j) gap[j] = a[j] - b[j];
    for (std::size_t i = 0; i < gap.size(); ++i) {
        const double scaled = factor * gap[i];
        double* const row = scatter.row(i);
        for (std::size_t j = 0; j <= i; ++j) row[j] += scaled * gap[j];
    }
}

double largest_diagonal(const Matrix& scatter) {
    double largest = 0;
    for (std::size_t i = 0; i < scatter.rows; ++i) largest = std::max(largest, std::abs(scatter.at(i, i)));
    return largest;
}

void add_to(const Matrix& from, double sign, Matrix& to) {
    for (std::size_t i = 0; i < to.rows; ++i) {
        const double* const other = from.row(i);
        double* const row = to.row(i);
        for (std::size_t j = 0; j <= i; ++j) row[j] += sign * other[j];
    }
}

// Some rows of one group, given by their indices.
struct Part {
    const GroupedRows& all;
    std::span<const std::uint32_t> at;
    std::size_t dimensions;

    [[nodiscard]] const float* row(std::size_t i) const { return all.rows.data() + at[i] * dimensions; }
    [[nodiscard]] double weight(std::size_t i) const { return all.weights.empty() ? 1 : all.weights[at[i]]; }
};

// Rows minus their mean, and the same rows multiplied by weight over the largest weight; padded for products of blocks.
struct Centred {
    std::size_t stride = 0;
    double unit = 1;
    CacheLineVector<float> plain, weighted;
    [[nodiscard]] const float* left() const { return weighted.empty() ? plain.data() : weighted.data(); }
};

Centred centred(const Part& part, std::span<const double> mean) {
    const std::size_t n = part.at.size(), d = part.dimensions;
    Centred out;
    out.stride = product_padding(d);
    out.plain.assign(n * out.stride, 0.0F);
    for (std::size_t i = 0; i < n; ++i)
        for (std::size_t j = 0; j < d; ++j)
            out.plain[i * out.stride + j] = static_cast<float>(double{part.row(i)[j]} - mean[j]);
    if (part.all.weights.empty()) return out;
    out.unit = 0;
    for (std::size_t i = 0; i < n; ++i) out.unit = std::max(out.unit, part.weight(i));
    out.weighted = out.plain;
    for (std::size_t i = 0; i < n; ++i) {
        const auto weight = static_cast<float>(part.weight(i) / out.unit);
        for (std::size_t j = 0; j < d; ++j) out.weighted[i * out.stride + j] *= weight;
    }
    return out;
}

// Adds the products of centred rows to the lower triangle of `scatter`; each block is a task.
void add_products(const Centred& rows, std::size_t n, Matrix& scatter) {
    const std::size_t d = scatter.cols, across = (d + block - 1) / block;
    parallel_for(std::size_t{0}, across * (across + 1) / 2, [&](std::size_t which) {
        std::size_t down = 0;
        while ((down + 1) * (down + 2) / 2 <= which) ++down;
        const std::size_t top = down * block, left = (which - down * (down + 1) / 2) * block;
        const std::size_t height = std::min(block, d - top), width = std::min(block, d - left);
        std::array<float, block * block> slab;
        std::array<double, block * block> sums{};
        for (std::size_t first = 0; first < n; first += slab_rows) {
            const std::size_t depth = std::min(slab_rows, n - first);
            std::fill_n(slab.begin(), height * width, 0.0F);
            kernels().add_product_float(rows.left() + first * rows.stride + top, 1, rows.stride, height, depth,
                                        rows.plain.data() + first * rows.stride + left, rows.stride, width, slab.data(),
                                        width);
            for (std::size_t e = 0; e < height * width; ++e) sums[e] += static_cast<double>(slab[e]);
        }
        for (std::size_t i = 0; i < height; ++i) {
            const std::size_t count = top == left ? i + 1 : width;
            for (std::size_t j = 0; j < count; ++j) scatter.at(top + i, left + j) += rows.unit * sums[i * width + j];
        }
    });
}

Moments moments_of(const Part& part) {
    Moments out(part.dimensions);
    const std::size_t n = part.at.size();
    for (std::size_t i = 0; i < n; ++i) out.mass += part.weight(i);
    if (n == 0) return out;
    for (std::size_t i = 0; i < n; ++i) {
        const double share = part.weight(i) / out.mass;
        for (std::size_t j = 0; j < part.dimensions; ++j) out.mean[j] += share * double{part.row(i)[j]};
    }
    add_products(centred(part, out.mean), n, out.scatter);
    // Each product is rounded in its factors and when it is added. A sum of |x y| is at most the larger sum of squares.
    out.rounding = static_cast<double>(slab_rows + 4) * float_unit * largest_diagonal(out.scatter);
    return out;
}

}  // namespace

Matrix Moments::covariance() const {
    Matrix out(scatter.rows, scatter.cols);
    if (mass <= 0) return out;
    for (std::size_t i = 0; i < out.rows; ++i)
        for (std::size_t j = 0; j <= i; ++j) out.at(i, j) = out.at(j, i) = scatter.at(i, j) / mass;
    return out;
}

void Moments::add(const Moments& other) {
    assert(mean.size() == other.mean.size());
    if (other.mass <= 0) return;
    if (mass <= 0) {
        *this = other;
        return;
    }
    const double both = mass + other.mass;
    add_to(other.scatter, 1, scatter);
    add_outer(other.mean, mean, mass / both * other.mass, scatter);
    for (std::size_t j = 0; j < mean.size(); ++j) mean[j] += other.mass / both * (other.mean[j] - mean[j]);
    mass = both;
    rounding += other.rounding + 4 * double_unit * largest_diagonal(scatter);
}

void Moments::remove(const Moments& other) {
    assert(mean.size() == other.mean.size());
    if (other.mass <= 0) return;
    const double left = mass - other.mass;
    // Relative rounding error of a sum of weights: less than this is no weight.
    if (left <= 0x1p-40 * other.mass) {
        *this = Moments(mean.size());
        return;
    }
    const double before = largest_diagonal(scatter);
    std::vector<double> rest(mean.size());
    for (std::size_t j = 0; j < rest.size(); ++j) rest[j] = mean[j] + other.mass / left * (mean[j] - other.mean[j]);
    add_to(other.scatter, -1, scatter);
    add_outer(other.mean, rest, -(left / mass * other.mass), scatter);
    mean = std::move(rest);
    mass = left;
    rounding += other.rounding + 4 * double_unit * before;
    for (std::size_t i = 0; i < scatter.rows; ++i) scatter.at(i, i) = std::max(0.0, scatter.at(i, i));
}

void Moments::scale_weights(double factor) {
    mass *= factor;
    rounding *= factor;
    for (double& value : scatter.values) value *= factor;
}

std::vector<Moments> moments_of_groups(const GroupedRows& rows, std::size_t groups, std::size_t dimensions) {
    assert(rows.rows.size() == rows.groups.size() * dimensions);
    std::vector<std::vector<std::uint32_t>> at(groups);
    for (std::size_t i = 0; i < rows.groups.size(); ++i)
        if (rows.groups[i] < groups) at[rows.groups[i]].push_back(static_cast<std::uint32_t>(i));
    std::vector<Moments> all;
    for (const std::vector<std::uint32_t>& own : at) {
        Moments moments(dimensions);
        for (std::size_t first = 0; first < own.size(); first += rows_of_batch)
            moments.add(moments_of(
                {rows, std::span(own).subspan(first, std::min(rows_of_batch, own.size() - first)), dimensions}));
        all.push_back(std::move(moments));
    }
    return all;
}

void GroupMoments::add(const GroupedRows& rows) {
    const std::vector<Moments> others = moments_of_groups(rows, groups(), dimensions());
    for (std::size_t g = 0; g < groups(); ++g) groups_[g].add(others[g]);
}

void GroupMoments::remove(const GroupedRows& rows) {
    const std::vector<Moments> others = moments_of_groups(rows, groups(), dimensions());
    for (std::size_t g = 0; g < groups(); ++g) groups_[g].remove(others[g]);
}

void GroupMoments::scale_weights(double factor) {
    for (Moments& moments : groups_) moments.scale_weights(factor);
}

void GroupMoments::merge(const GroupMoments& other) {
    assert(other.groups() == groups() && other.dimensions() == dimensions());
    for (std::size_t g = 0; g < groups(); ++g) groups_[g].add(other.groups_[g]);
}

GroupMoments GroupMoments::leading(std::size_t groups, std::size_t dimensions) const {
    GroupMoments part(groups, dimensions);
    for (std::size_t g = 0; g < groups; ++g) {
        const Moments& whole = groups_[g];
        Moments& out = part.groups_[g];
        out.mass = whole.mass, out.rounding = whole.rounding;
        std::copy_n(whole.mean.begin(), dimensions, out.mean.begin());
        for (std::size_t i = 0; i < dimensions; ++i)
            for (std::size_t j = 0; j <= i; ++j) out.scatter.at(i, j) = whole.scatter.at(i, j);
    }
    return part;
}

Moments GroupMoments::pooled() const {
    Moments all(dimensions());
    for (const Moments& moments : groups_) all.add(moments);
    return all;
}

}  // namespace fairstream
