#include <fairstream/models/partial_fair_scorer/detail/linear.hpp>

#include <algorithm>
#include <cmath>
#include <utility>

#include <fairstream/numeric/detail/blocks.hpp>
#include <fairstream/numeric/detail/kernels.hpp>

namespace fairstream::partial_fair_scorer {
namespace {

/// Returns the product of a sparse row and w, in four sums that do not wait for each other.
double sparse_product(std::span<const std::uint32_t> columns, const float* entries, const double* w) {
    double sums[4] = {};
    std::size_t i = 0;
    for (; i + 4 <= columns.size(); i += 4)
        for (std::size_t lane = 0; lane < 4; ++lane)
            sums[lane] += static_cast<double>(entries[i + lane]) * w[columns[i + lane]];
    for (; i < columns.size(); ++i) sums[0] += static_cast<double>(entries[i]) * w[columns[i]];
    return (sums[0] + sums[1]) + (sums[2] + sums[3]);
}

/// Adds the sum over `rows` of weights[row] (1, x).
void add_rows(const Sample& sample, RowRange rows, const double* weights, double* out) {
    if (!sample.is_sparse()) {
        for (std::size_t row = rows.first; row < rows.last; ++row) out[0] += weights[row];
        kernels().add_weighted_rows(sample.features(rows.first), rows.size(), sample.dimensions(), weights + rows.first,
                                    out + 1);
        return;
    }
    for (std::size_t row = rows.first; row < rows.last; ++row) {
        const double weight = weights[row];
        if (weight == 0) continue;
        out[0] += weight;
        const float* entry = sample.entries(row);
        for (const std::uint32_t j : sample.columns(row)) out[1 + j] += weight * static_cast<double>(*entry++);
    }
}

void add_bucket_rows(const Sample& sample, RowRange rows, const std::uint16_t* bucket, std::span<const double> weights,
                     double* out) {
    const std::size_t width = sample.dimensions() + 1;
    for (std::size_t row = rows.first; row < rows.last; ++row) {
        double* const sum = out + bucket[row] * width;
        const double weight = weights.empty() ? 1 : weights[row];
        sum[0] += weight;
        if (!sample.is_sparse()) {
            kernels().add_weighted_rows(sample.features(row), 1, sample.dimensions(), &weight, sum + 1);
            continue;
        }
        const float* entry = sample.entries(row);
        for (const std::uint32_t j : sample.columns(row)) sum[1 + j] += weight * static_cast<double>(*entry++);
    }
}

/// Adds the sum over `rows` of weights[row] times the squares of (1, z).
void add_square_rows(const Sample& sample, RowRange rows, const double* weights, double* out) {
    const FeatureScale& scale = sample.scale();
    const auto square = [&](std::size_t j, float x) { return scale.z(j, x) * scale.z(j, x); };
    double sum = 0;
    for (std::size_t row = rows.first; row < rows.last; ++row) {
        sum += weights[row];
        if (sample.is_sparse()) {
            const float* entry = sample.entries(row);
            for (const std::uint32_t j : sample.columns(row))
                out[1 + j] += weights[row] * (square(j, *entry++) - square(j, 0));
        } else {
            for (std::size_t j = 0; j < sample.dimensions(); ++j)
                out[1 + j] += weights[row] * square(j, sample.features(row)[j]);
        }
    }
    out[0] += sum;
    // Starts from an all-zero row; the loop above added the differences of the non-zero entries.
    for (std::size_t j = 0; sample.is_sparse() && j < sample.dimensions(); ++j) out[1 + j] += sum * square(j, 0);
}

/// Adds the upper triangle of the sum of weights[row] (1, x)(1, x)' of a sparse sample.
void add_sparse_squares(const Sample& sample, RowRange rows, const double* weights, double* out) {
    const std::size_t width = sample.dimensions() + 1;
    for (std::size_t row = rows.first; row < rows.last; ++row) {
        const double weight = weights[row];
        if (weight == 0) continue;
        const auto columns = sample.columns(row);
        const float* const entries = sample.entries(row);
        out[0] += weight;
        for (std::size_t a = 0; a < columns.size(); ++a) {
            const double scaled = weight * static_cast<double>(entries[a]);
            out[1 + columns[a]] += scaled;
            double* const line = out + (1 + columns[a]) * width + 1;
            for (std::size_t b = a; b < columns.size(); ++b)
                line[columns[b]] += scaled * static_cast<double>(entries[b]);
        }
    }
}

/// Adds the sum of weights[row] (1, z)(1, z)' of a dense sample, skipping rows of weight 0. Processes few rows at a
/// time so that scaled rows stay in the cache.
void add_dense_squares(const Sample& sample, RowRange rows, const double* weights, double* out) {
    const std::size_t width = sample.dimensions() + 1;
    Matrix scaled(std::min(block_rows, rows.size()), width);
    for (std::size_t row = rows.first; row < rows.last;) {
        std::size_t count = 0;
        for (; row < rows.last && count < scaled.rows; ++row) {
            if (weights[row] == 0) continue;
            const double root = std::sqrt(weights[row]);
            const float* const x = sample.features(row);
            scaled.at(count, 0) = root;
            for (std::size_t j = 0; j + 1 < width; ++j) scaled.at(count, 1 + j) = root * sample.scale().z(j, x[j]);
            ++count;
        }
        const ConstBlock filled(scaled.values.data(), count, width, width);
        const Matrix sum = gram(filled, filled);
        for (std::size_t j = 0; j < sum.values.size(); ++j) out[j] += sum.values[j];
    }
}

/// Converts a symmetric sum of weighted (1, x)(1, x)' to one of (1, z)(1, z)': its rows, then its columns.
void squares_from_raw(const FeatureScale& scale, Matrix& squares) {
    for (int side = 0; side < 2; ++side) {
        for (std::size_t i = 0; i < squares.rows; ++i) scale.sum_from_raw(squares.row(i));
        for (std::size_t i = 0; i < squares.rows; ++i)
            for (std::size_t j = 0; j < i; ++j) std::swap(squares.at(i, j), squares.at(j, i));
    }
}

/// Returns the sum over the group's rows of weights[row] (1, z)(1, z)'.
Matrix group_squares(const Sample& sample, RowRange rows, std::span<const double> weights) {
    const std::size_t width = sample.dimensions() + 1;
    Matrix out(width, width);
    const auto add = sample.is_sparse() ? add_sparse_squares : add_dense_squares;
    add_in_order(rows, out.values.size(), out.values,
                 [&](RowRange part, double* sums) { add(sample, part, weights.data(), sums); });
    if (!sample.is_sparse()) return out;
    for (std::size_t i = 0; i < width; ++i)
        for (std::size_t j = 0; j < i; ++j) out.at(i, j) = out.at(j, i);
    squares_from_raw(sample.scale(), out);
    return out;
}

}  // namespace

std::size_t LinearScores::count(GroupTerms terms, std::size_t dimensions, std::size_t groups) {
    const std::size_t base = dimensions + 1;
    if (terms == GroupTerms::none) return base;
    return base + (groups - 1) * (terms == GroupTerms::all ? base : 1);
}

std::size_t LinearScores::intercept(GroupTerms terms, std::size_t dimensions, std::size_t group) {
    const std::size_t base = dimensions + 1;
    return group == 0 || terms == GroupTerms::none ? 0 : base + (group - 1) * (terms == GroupTerms::all ? base : 1);
}

void LinearScores::weights_of(GroupTerms terms, std::span<const double> w, std::size_t dimensions, std::size_t group,
                              std::span<double> out) {
    const std::size_t base = dimensions + 1;
    std::ranges::copy(w.first(base), out.begin());
    if (group == 0 || terms == GroupTerms::none) return;
    const std::size_t own = terms == GroupTerms::all ? base : 1;
    for (std::size_t j = 0; j < own; ++j) out[j] += w[base + (group - 1) * own + j];
}

void LinearScores::to_raw(GroupTerms terms, const FeatureScale& scale, std::size_t groups, std::span<double> w) {
    const std::size_t base = scale.centres.size() + 1;
    for (std::size_t g = 0; g < (terms == GroupTerms::all ? groups : 1); ++g)
        scale.weights_to_raw(w.subspan(g * base, base).data());
}

void LinearScores::from_raw(GroupTerms terms, const FeatureScale& scale, std::size_t groups, std::span<double> w) {
    const std::size_t base = scale.centres.size() + 1;
    for (std::size_t g = 0; g < (terms == GroupTerms::all ? groups : 1); ++g)
        scale.weights_from_raw(w.subspan(g * base, base).data());
}

std::size_t LinearScores::parameters() const {
    return count(terms_, sample_.dimensions(), sample_.groups());
}

void LinearScores::evaluate(std::span<const double> w, std::span<double> scores) {
    std::vector<double> own(sample_.dimensions() + 1), raw(w.begin(), w.end());
    to_raw(terms_, sample_.scale(), sample_.groups(), raw);
    for (std::size_t g = 0; g < sample_.groups(); ++g) {
        weights_of(terms_, raw, sample_.dimensions(), g, own);
        for_parts(sample_.group(g), [&](RowRange rows) {
            if (!sample_.is_sparse()) {
                kernels().row_products(sample_.features(rows.first), rows.size(), sample_.dimensions(), own.data() + 1,
                                       own[0], scores.data() + rows.first);
                return;
            }
            for (std::size_t row = rows.first; row < rows.last; ++row)
                scores[row] = own[0] + sparse_product(sample_.columns(row), sample_.entries(row), own.data() + 1);
        });
    }
}

void LinearScores::add_group(std::size_t group, const double* sum, double* out) const {
    const std::size_t base = sample_.dimensions() + 1;
    for (std::size_t j = 0; j < base; ++j) out[j] += sum[j];
    if (group == 0 || terms_ == GroupTerms::none) return;
    const std::size_t own = terms_ == GroupTerms::all ? base : 1;
    for (std::size_t j = 0; j < own; ++j) out[base + (group - 1) * own + j] += sum[j];
}

void LinearScores::add_gradients(RowRange rows, std::span<const double> weights, std::span<double> out) const {
    const std::size_t base = sample_.dimensions() + 1;
    std::vector<double> sum(base);
    for (std::size_t g = 0; g < sample_.groups(); ++g) {
        const RowRange own = overlap(rows, sample_.group(g));
        if (own.size() == 0) continue;
        std::ranges::fill(sum, 0.0);
        add_in_order(own, base, sum,
                     [&](RowRange part, double* sums) { add_rows(sample_, part, weights.data(), sums); });
        sample_.scale().sum_from_raw(sum.data());
        add_group(g, sum.data(), out.data());
    }
}

void LinearScores::add_bucket_gradients(RowRange rows, std::span<const std::uint16_t> bucket,
                                        std::span<const double> weights, Matrix& out) const {
    const std::size_t base = sample_.dimensions() + 1;
    std::vector<double> sums(out.rows * base);
    for (std::size_t g = 0; g < sample_.groups(); ++g) {
        const RowRange own = overlap(rows, sample_.group(g));
        if (own.size() == 0) continue;
        std::ranges::fill(sums, 0.0);
        add_in_order(own, sums.size(), sums, [&](RowRange part, double* part_sums) {
            add_bucket_rows(sample_, part, bucket.data(), weights, part_sums);
        });
        for (std::size_t b = 0; b < out.rows; ++b) {
            sample_.scale().sum_from_raw(&sums[b * base]);
            add_group(g, &sums[b * base], out.row(b));
        }
    }
}

void LinearScores::add_squares(std::span<const double> weights, std::span<double> out) const {
    std::vector<double> sum(sample_.dimensions() + 1);
    for (std::size_t g = 0; g < sample_.groups(); ++g) {
        std::ranges::fill(sum, 0.0);
        add_in_order(sample_.group(g), sum.size(), sum,
                     [&](RowRange part, double* sums) { add_square_rows(sample_, part, weights.data(), sums); });
        add_group(g, sum.data(), out.data());
    }
}

Matrix LinearScores::squares(std::span<const double> weights) const {
    const std::size_t p = parameters(), base = sample_.dimensions() + 1;
    Matrix out(p, p);
    std::vector<double> half(p), whole(p);
    for (std::size_t g = 0; g < sample_.groups(); ++g) {
        if (sample_.group(g).size() == 0) continue;
        const Matrix squares = group_squares(sample_, sample_.group(g), weights);
        // B'SB, with B the matrix that `add_group` applies: once to the rows of S, then to the columns.
        Matrix left(p, base);
        for (std::size_t j = 0; j < base; ++j) {
            std::ranges::fill(half, 0.0);
            add_group(g, squares.row(j), half.data());
            for (std::size_t i = 0; i < p; ++i) left.at(i, j) = half[i];
        }
        for (std::size_t i = 0; i < p; ++i) {
            std::ranges::fill(whole, 0.0);
            add_group(g, left.row(i), whole.data());
            for (std::size_t j = 0; j < p; ++j) out.at(i, j) += whole[j];
        }
    }
    return out;
}

}  // namespace fairstream::partial_fair_scorer
