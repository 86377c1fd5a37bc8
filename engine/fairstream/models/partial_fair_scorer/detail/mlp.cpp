#include <fairstream/models/partial_fair_scorer/detail/mlp.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include <fairstream/numeric/detail/kernels.hpp>

namespace fairstream::partial_fair_scorer {
namespace {

constexpr std::size_t together = 16;  // units

/// A row's features: all, or the nonzero ones with their columns.
struct Entries {
    const float* values;
    const std::uint32_t* columns;  // null: all
    std::size_t count;
};
Entries entries_of(const Sample& sample, std::size_t row) {
    if (!sample.is_sparse()) return {sample.features(row), nullptr, sample.dimensions()};
    return {sample.entries(row), sample.columns(row).data(), sample.columns(row).size()};
}

}  // namespace

std::size_t width_of(std::size_t hidden) {
    constexpr std::size_t multiple = 8;  // the kernels require a multiple of this
    return (hidden + multiple - 1) / multiple * multiple;
}

std::vector<Units> units_of(std::size_t hidden) {
    std::vector<Units> all;
    for (std::size_t first = 0; first < hidden; first += together) {
        const std::size_t count = std::min(together, hidden - first);
        all.push_back({first, count, width_of(count)});
    }
    return all;
}

Matrix weights_of_units(Units units, GroupTerms terms, std::span<const double> w, std::size_t inputs,
                        std::size_t dimensions, std::size_t group) {
    Matrix weights(dimensions + 1, units.width);
    std::vector<double> own(dimensions + 1);
    for (std::size_t j = 0; j < units.count; ++j) {
        LinearScores::weights_of(terms, w.subspan((units.first + j + 1) * inputs, inputs), dimensions, group, own);
        for (std::size_t i = 0; i < own.size(); ++i) weights.at(i, j) = own[i];
    }
    return weights;
}

void activate(Units units, const Matrix& weights, const float* features, const std::uint32_t* columns,
              std::size_t count, double* active) {
    std::copy_n(weights.row(0), units.width, active);
    kernels().add_entry_products(features, columns, count, weights.values.data() + units.width, units.width, active);
    kernels().hyperbolic_tangents(active, units.width);
}

// The second derivatives of v tanh(u z) are z tanh' between u and v, at most |z|, and v tanh'' z z' in u, at most 0.77
// |v| |z|^2: an estimate for |v| <= 1, since w is not bounded.
MlpScores::MlpScores(const Sample& sample, GroupTerms terms, std::size_t hidden)
    : sample_(sample),
      terms_(terms),
      linear_(sample, terms),
      inputs_(linear_.parameters()),
      hidden_(hidden),
      weak_convexity_(std::sqrt(sample.scale().mean_square) + 0.77 * sample.scale().mean_square),
      v_(width_of(hidden), 0.0),
      activations_(sample.size(), width_of(hidden)) {}

void MlpScores::evaluate(std::span<const double> w, std::span<double> scores) {
    linear_.evaluate(w.first(inputs_), scores);
    std::ranges::copy(w.last(hidden_), v_.begin());
    std::vector<double> raw(w.begin(), w.end());
    for (std::size_t j = 1; j <= hidden_; ++j)
        LinearScores::to_raw(terms_, sample_.scale(), sample_.groups(), std::span(raw).subspan(j * inputs_, inputs_));
    for (const Units own : units_of(hidden_))
        for (std::size_t g = 0; g < sample_.groups(); ++g) {
            const Matrix weights = weights_of_units(own, terms_, raw, inputs_, sample_.dimensions(), g);
            for_parts(sample_.group(g), [&](RowRange rows) {
                for (std::size_t row = rows.first; row < rows.last; ++row) {
                    const Entries entries = entries_of(sample_, row);
                    activate(own, weights, entries.values, entries.columns, entries.count,
                             activations_.row(row) + own.first);
                }
            });
        }
    for_parts({0, sample_.size()}, [&](RowRange rows) {
        for (std::size_t row = rows.first; row < rows.last; ++row)
            scores[row] += std::inner_product(v_.begin(), v_.end(), activations_.row(row), 0.0);
    });
}

void MlpScores::add_row(Units units, std::size_t row, double weight, double* sums) const {
    std::array<double, together> factors;
    const double* const active = activations_.row(row) + units.first;
    const double* const v = v_.data() + units.first;
    for (std::size_t j = 0; j < units.width; ++j) {
        factors[j] = weight * v[j] * (1 - active[j] * active[j]);
        sums[j] += weight * active[j];
        sums[units.width + j] += factors[j];
    }
    const Entries entries = entries_of(sample_, row);
    kernels().add_entry_multiples(entries.values, entries.columns, entries.count, factors.data(), units.width,
                                  sums + 2 * units.width);
}

void MlpScores::add_sums(Units units, std::size_t group, const double* sums, double* out) const {
    std::vector<double> own(sample_.dimensions() + 1);
    for (std::size_t j = 0; j < units.count; ++j) {
        for (std::size_t i = 0; i < own.size(); ++i) own[i] = sums[(1 + i) * units.width + j];
        sample_.scale().sum_from_raw(own.data());
        linear_.add_group(group, own.data(), out + (units.first + j + 1) * inputs_);
        out[(hidden_ + 1) * inputs_ + units.first + j] += sums[j];
    }
}

void MlpScores::add_gradients(RowRange rows, std::span<const double> weights, std::span<double> out) const {
    linear_.add_gradients(rows, weights, out.first(inputs_));
    for (const Units own : units_of(hidden_))
        for (std::size_t g = 0; g < sample_.groups(); ++g) {
            const RowRange of_group = overlap(rows, sample_.group(g));
            if (of_group.size() == 0) continue;
            std::vector<double> sums((sample_.dimensions() + 2) * own.width);
            add_in_order(of_group, sums.size(), sums, [&](RowRange part, double* part_sums) {
                for (std::size_t row = part.first; row < part.last; ++row)
                    if (weights[row] != 0) add_row(own, row, weights[row], part_sums);
            });
            add_sums(own, g, sums.data(), out.data());
        }
}

void MlpScores::add_bucket_gradients(RowRange rows, std::span<const std::uint16_t> bucket,
                                     std::span<const double> weights, Matrix& out) const {
    Matrix linear(out.rows, inputs_);
    linear_.add_bucket_gradients(rows, bucket, weights, linear);
    for (std::size_t b = 0; b < out.rows; ++b)
        for (std::size_t i = 0; i < inputs_; ++i) out.at(b, i) += linear.at(b, i);
    for (const Units own : units_of(hidden_))
        for (std::size_t g = 0; g < sample_.groups(); ++g) {
            const RowRange of_group = overlap(rows, sample_.group(g));
            if (of_group.size() == 0) continue;
            const std::size_t each = (sample_.dimensions() + 2) * own.width;
            std::vector<double> sums(out.rows * each);
            add_in_order(of_group, sums.size(), sums, [&](RowRange part, double* part_sums) {
                for (std::size_t row = part.first; row < part.last; ++row)
                    add_row(own, row, weights.empty() ? 1 : weights[row], part_sums + bucket[row] * each);
            });
            for (std::size_t b = 0; b < out.rows; ++b) add_sums(own, g, sums.data() + b * each, out.row(b));
        }
}

// Entries between blocks are left to the secants of the steps. With the paper's constraints a9a then reaches a loss of
// .344 in 60 iterations and bank_full .183; without secants .354 and .193. Rejected alternatives: with one correlation
// per two units besides the blocks, solves stalled early on some sets. With bounds on the second derivatives of the
// units themselves, solves stayed at the linear score's loss on a9a. The whole matrix takes more than a second per
// iteration. With few rows, blocks follow them so closely that scores spread far apart and the constraints are no
// longer met (bank_full, 300 rows of 5 features).
dc::Curvature MlpScores::gram(std::span<const double> weights) const {
    constexpr std::size_t rows_per_parameter = 2;
    const bool diagonal = sample_.size() < rows_per_parameter * parameters();
    dc::Curvature found;
    std::vector<double> scaled(weights.begin(), weights.end());
    const auto add_block = [&] { found.blocks.push_back(diagonal ? unit_diagonal(scaled) : unit_block(scaled)); };
    add_block();
    for (std::size_t j = 1; j <= hidden_; ++j) {
        for (std::size_t row = 0; row < scaled.size(); ++row) {
            const double s = slope(j, row);
            scaled[row] = weights[row] * s * s;
        }
        add_block();
    }
    Matrix outer = outer_block(weights);
    if (diagonal) {
        for (std::size_t j = 0; j < hidden_; ++j) outer.values[j] = outer.at(j, j);
        outer.values.resize(hidden_);
        outer.cols = 1;
    }
    found.blocks.push_back(std::move(outer));
    return found;
}

Matrix MlpScores::outer_block(std::span<const double> weights) const {
    Matrix block(hidden_, hidden_);
    add_in_order({0, sample_.size()}, block.values.size(), block.values, [&](RowRange rows, double* sums) {
        for (std::size_t row = rows.first; row < rows.last; ++row) {
            if (weights[row] == 0) continue;
            const double* const active = activations_.row(row);
            for (std::size_t j = 0; j < hidden_; ++j) {
                const double scaled = weights[row] * active[j];
                for (std::size_t k = 0; k < hidden_; ++k) sums[j * hidden_ + k] += scaled * active[k];
            }
        }
    });
    return block;
}

Matrix MlpScores::unit_diagonal(std::span<const double> weights) const {
    Matrix diagonal(inputs_, 1);
    linear_.add_squares(weights, diagonal.values);
    return diagonal;
}

// With many rows per input, a subset of the rows shows how inputs vary together. The diagonal is that of all rows,
// because some inputs are nonzero in few rows. A matrix scaled to another diagonal stays positive semidefinite.
Matrix MlpScores::unit_block(std::span<const double> weights) const {
    constexpr std::size_t rows_per_input = 16;
    const std::size_t stride = sample_.size() / (rows_per_input * inputs_);
    if (stride <= 1) return linear_.squares(weights);
    std::vector<double> kept(weights.size(), 0.0), ratios(inputs_, 0.0);
    for (std::size_t row = 0; row < kept.size(); row += stride) kept[row] = weights[row];
    const std::vector<double> diagonal = unit_diagonal(weights).values;
    Matrix block = linear_.squares(kept);
    for (std::size_t i = 0; i < inputs_; ++i)
        if (block.at(i, i) > 0) ratios[i] = std::sqrt(diagonal[i] / block.at(i, i));
    for (std::size_t i = 0; i < inputs_; ++i) {
        for (std::size_t k = 0; k < inputs_; ++k) block.at(i, k) *= ratios[i] * ratios[k];
        block.at(i, i) = diagonal[i];
    }
    return block;
}

}  // namespace fairstream::partial_fair_scorer
