#include <fairstream/numeric/detail/affinity/rbf.hpp>

#include <algorithm>
#include <numeric>

#include <tbb/enumerable_thread_specific.h>

#include <fairstream/numeric/detail/blocks.hpp>
#include <fairstream/numeric/detail/interruption.hpp>
#include <fairstream/numeric/detail/kernels.hpp>

namespace fairstream {
namespace {

constexpr std::size_t product_rows = 64;

// Computes the affinities of point i to all points. `row` is scratch of d floats, `out` has padded() floats.
void affinities(const PackedPoints& points, std::size_t i, float scale, CacheLineVector<float>& row, float* out) {
    row.resize(points.dimensions());
    points.copy_row(i, row.data());
    points.distances(row.data(), 0, points.size(), out);
    kernels().decays(out, points.padded(), scale, out);
}

std::int64_t sum_units(const float* x, std::size_t n) {
    std::int64_t sum = 0;
    for (std::size_t i = 0; i < n; ++i) sum += in_units(x[i]);
    return sum;
}

void compute_degrees(std::span<const std::int64_t> sums, std::vector<double>& degrees) {
    degrees.resize(sums.size());
    std::ranges::transform(sums, degrees.begin(), from_units);
}

}  // namespace

Matrix anchored_rows(const Matrix& t, std::span<const double> weights) {
    Matrix ones(t.rows, 1);
    std::ranges::fill(ones.values, 1.0);
    Matrix rows = joined_columns(t, ones);
    for (std::size_t i = 0; i < weights.size(); ++i)
        for (std::size_t j = 0; j < rows.cols; ++j) rows.at(i, j) *= weights[i];
    return rows;
}

Anchors points_as_anchors(const PackedPoints& points, const Matrix& t, std::span<const double> weights) {
    Anchors anchors;
    anchors.count = points.size();
    anchors.packed.assign(points.packed().begin(), points.packed().end());
    anchors.values = anchored_rows(t, weights);
    return anchors;
}

void DenseAffinity::update(const PackedPoints& points, std::span<const Slot> changed) {
    const std::size_t n = points.size();
    matrix_.resize(n);
    sums_.resize(n, 0);
    // Works on few rows at a time: new rows are kept beside the matrix until the old rows are subtracted from the sums.
    const std::size_t stride = points.padded();
    constexpr std::size_t most = 256;
    CacheLineVector<float> fresh(std::min(most, changed.size()) * stride);
    for (std::size_t first = 0; first < changed.size(); first += most) {
        const auto part = changed.subspan(first, std::min(most, changed.size() - first));
        parallel_for(std::size_t{0}, part.size(), [&](std::size_t i) {
            CacheLineVector<float> row;
            affinities(points, part[i], scale_, row, &fresh[i * stride]);
        });
        exchange(part, fresh, stride);
    }
    compute_degrees(sums_, degrees_);
}

void DenseAffinity::exchange(std::span<const Slot> changed, const CacheLineVector<float>& fresh, std::size_t stride) {
    const std::size_t n = matrix_.size();
    for_row_blocks(n, [&](std::size_t first, std::size_t last) {
        for (std::size_t j = first; j < last; ++j) {
            float* row = matrix_.row(j);
            for (std::size_t i = 0; i < changed.size(); ++i) {
                float& entry = row[changed[i]];
                sums_[j] += in_units(fresh[i * stride + j]) - in_units(entry);
                entry = fresh[i * stride + j];
            }
        }
    });
    parallel_for(std::size_t{0}, changed.size(), [&](std::size_t i) {
        std::copy_n(&fresh[i * stride], n, matrix_.row(changed[i]));
        sums_[changed[i]] = sum_units(&fresh[i * stride], n);
    });
}

template <class At> void TiledAffinity::multiply_part(std::size_t first, std::size_t last, const At& slot,
                                                      const FloatBlock& x, Matrix& out) const {
    const std::size_t n = points_.size(), d = points_.dimensions(), k = out.cols;
    CacheLineVector<float> rows((last - first) * d), tile((last - first) * tile_width), scratch;
    for (std::size_t i = first; i < last; ++i) {
        points_.copy_row(slot(i), &rows[(i - first) * d]);
        std::fill_n(out.row(i), k, 0.0);
    }
    for (std::size_t column = 0; column < n; column += tile_width) {
        const std::size_t width = std::min(tile_width, points_.padded() - column);
        for (std::size_t i = 0; i < last - first; ++i) {
            float* to = &tile[i * tile_width];
            points_.distances(&rows[i * d], column, width, to);
            kernels().decays(to, width, scale_, to);
        }
        add_tile(tile.data(), last - first, width, tile_width, x, column, scratch, out.row(first));
    }
}

void TiledAffinity::multiply(const Matrix& x, Matrix& out) const {
    const std::size_t n = points_.size();
    out.reshape(n, x.cols);
    if (x.cols == 0) return;
    const FloatBlock floats(x);
    parallel_for(std::size_t{0}, (n + product_rows - 1) / product_rows, [&](std::size_t block) {
        multiply_part(block * product_rows, std::min(n, (block + 1) * product_rows), std::identity{}, floats, out);
    });
}

void TiledAffinity::multiply_rows(std::span<const Slot> which, const Matrix& x, Matrix& out) const {
    out.reshape(which.size(), x.cols);
    if (x.cols == 0) return;
    const FloatBlock floats(x);
    parallel_for(std::size_t{0}, (which.size() + product_rows - 1) / product_rows, [&](std::size_t block) {
        const std::size_t first = block * product_rows, last = std::min(which.size(), first + product_rows);
        multiply_part(
            first, last, [&](std::size_t i) { return which[i]; }, floats, out);
    });
}

void TiledAffinity::copy_row(Slot i, AffinityRow& out) const {
    CacheLineVector<float> row;
    out.weights.resize(points_.padded());
    affinities(points_, i, scale_, row, out.weights.data());
    out.weights.resize(points_.size());
    out.at.resize(points_.size());
    std::iota(out.at.begin(), out.at.end(), Slot{0});
}

// sums[j] += sign * (affinity of j to each of `rows`), for j < upto. Sums are of whole numbers, so order does not
// matter.
void TiledAffinity::update_sums(const PackedPoints& of, std::span<const Slot> rows, std::size_t upto,
                                std::int64_t sign) {
    tbb::enumerable_thread_specific<std::vector<std::int64_t>> parts(std::vector<std::int64_t>(upto, 0));
    parallel_for(std::size_t{0}, rows.size(), [&](std::size_t i) {
        CacheLineVector<float> row, affinity(of.padded());
        affinities(of, rows[i], scale_, row, affinity.data());
        std::vector<std::int64_t>& part = parts.local();
        for (std::size_t j = 0; j < upto; ++j) part[j] += in_units(affinity[j]);
    });
    for (const std::vector<std::int64_t>& part : parts)
        for (std::size_t j = 0; j < upto; ++j) sums_[j] += sign * part[j];
}

void TiledAffinity::update(const PackedPoints& points, std::span<const Slot> changed) {
    const std::size_t n = points.size(), before = points_.size();
    const bool patched = before <= n && changed.size() * 2 < n;
    sums_.resize(n, 0);
    // Unchanged rows lose their affinity to the former points and gain their affinity to the present points.
    const auto replaced =
        changed.first(static_cast<std::size_t>(std::ranges::lower_bound(changed, before) - changed.begin()));
    if (patched) {
        update_sums(points_, replaced, before, -1);
        update_sums(points, changed, n, +1);
    }
    points_ = points;
    std::vector<Slot> whole(changed.begin(), changed.end());
    if (!patched) whole.resize(n), std::iota(whole.begin(), whole.end(), Slot{0});
    parallel_for(std::size_t{0}, whole.size(), [&](std::size_t i) {
        CacheLineVector<float> row, affinity(points_.padded());
        affinities(points_, whole[i], scale_, row, affinity.data());
        sums_[whole[i]] = sum_units(affinity.data(), n);
    });
    compute_degrees(sums_, degrees_);
}

}  // namespace fairstream
