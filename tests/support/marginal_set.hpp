#pragma once
/// Omega(mu) of lord by its definition, and a slow projection onto it.
///
/// J. Lyu, Y. Jia, H. Liu, J. Hou, "LoRD and B-LoRD": V >= 0, V mu = 1/W, and for each block b of points the sum of
/// w_i V_i over its points is (W_b / W) mu.

#include <cstdint>
#include <vector>

#include "support/matrices.hpp"

namespace fairstream::test {

struct MarginalSet {
    std::vector<double> mu;
    std::vector<double> weights;        ///< n
    std::vector<std::uint32_t> blocks;  ///< n

    /// n points of weight 1 in one block.
    MarginalSet(std::vector<double> roots, std::size_t n) : mu(std::move(roots)), weights(n, 1.0), blocks(n, 0) {}

    [[nodiscard]] std::size_t points() const { return weights.size(); }
    [[nodiscard]] std::size_t clusters() const { return mu.size(); }
    [[nodiscard]] double mass() const {
        double sum = 0;
        for (const double w : weights) sum += w;
        return sum;
    }
    /// Returns the mass of each block.
    [[nodiscard]] std::vector<double> block_masses() const {
        std::vector<double> sums(std::size_t{std::ranges::max(blocks)} + 1, 0.0);
        for (std::size_t i = 0; i < points(); ++i) sums[blocks[i]] += weights[i];
        return sums;
    }

    /// Returns the largest of: -W mu_j V_ij; |W V_i mu - 1|; the relative error of each block's sum of w_i V_ij. 0 in
    /// the set; infinite if an entry is NaN.
    [[nodiscard]] double violation(const Matrix& v) const {
        const double all = mass();
        double most = 0;
        const auto take = [&](double gap) {
            if (!(gap <= most)) most = std::isnan(gap) ? std::numeric_limits<double>::infinity() : gap;
        };
        const std::vector<double> masses = block_masses();
        Matrix sums(masses.size(), clusters());
        for (std::size_t i = 0; i < points(); ++i) {
            double along = 0;
            for (std::size_t j = 0; j < clusters(); ++j) {
                take(-all * mu[j] * v.at(i, j));
                along += mu[j] * v.at(i, j);
                sums.at(blocks[i], j) += weights[i] * v.at(i, j);
            }
            take(std::abs(all * along - 1));
        }
        for (std::size_t b = 0; b < sums.rows; ++b)
            for (std::size_t j = 0; j < clusters(); ++j) take(std::abs(sums.at(b, j) * all / (masses[b] * mu[j]) - 1));
        return most;
    }

    /// Returns the sum of w_i a_i . b_i.
    [[nodiscard]] double inner(const Matrix& a, const Matrix& b) const {
        double sum = 0;
        for (std::size_t i = 0; i < points(); ++i)
            for (std::size_t j = 0; j < clusters(); ++j) sum += weights[i] * a.at(i, j) * b.at(i, j);
        return sum;
    }
    /// Returns the squared distance, in which row i counts w_i times.
    [[nodiscard]] double squared_distance(const Matrix& a, const Matrix& b) const {
        Matrix gap = a;
        for (std::size_t at = 0; at < gap.values.size(); ++at) gap.values[at] -= b.values[at];
        return inner(gap, gap);
    }

    /// Returns the nearest matrix with the right sums, without V >= 0. Within a block of mean row m, V = U - a muᵀ - 1
    /// bᵀ for some a and b, and the sums give U - (U mu) muᵀ - 1 mᵀ + (m . mu + 1/W) 1 muᵀ: step 9 of Algorithm 2,
    /// whose printed form lacks the 1/W.
    [[nodiscard]] Matrix project_onto_sums(const Matrix& u) const {
        const std::vector<double> masses = block_masses();
        Matrix mean(masses.size(), clusters()), v = u;
        for (std::size_t i = 0; i < points(); ++i)
            for (std::size_t j = 0; j < clusters(); ++j)
                mean.at(blocks[i], j) += weights[i] * u.at(i, j) / masses[blocks[i]];
        for (std::size_t i = 0; i < points(); ++i) {
            const double* m = mean.row(blocks[i]);
            double factor = 1 / mass();
            for (std::size_t j = 0; j < clusters(); ++j) factor += mu[j] * (m[j] - u.at(i, j));
            for (std::size_t j = 0; j < clusters(); ++j) v.at(i, j) += factor * mu[j] - m[j];
        }
        return v;
    }

    /// Returns the nearest matrix of the set. Alternates between the right sums and V >= 0, with Dykstra's correction
    /// (Algorithm 2 without its acceleration), until the change is at most `error` times the largest entry, for at most
    /// `most` rounds.
    [[nodiscard]] Matrix project_slowly(const Matrix& u, double error = 1e-14, int most = 2'000'000) const {
        Matrix v = u, cut(u.rows, u.cols);
        for (int round = 0; round < most; ++round) {
            const Matrix sums = project_onto_sums(v);
            double moved = 0, size = 0;
            for (std::size_t at = 0; at < v.values.size(); ++at) {
                const double sum = sums.values[at] + cut.values[at], next = std::max(sum, 0.0);
                moved = std::max(moved, std::abs(next - v.values[at]));
                moved = std::max(moved, std::abs(next - sums.values[at]));
                size = std::max(size, next);
                cut.values[at] = sum - next;
                v.values[at] = next;
            }
            if (moved <= error * size) break;
        }
        return v;
    }
};

/// Returns k roots of equal shares.
inline std::vector<double> equal_roots(std::size_t k) {
    return std::vector<double>(k, 1 / std::sqrt(static_cast<double>(k)));
}
/// Returns k unequal roots, the largest 6 (k - 1) + 1 times the smallest.
inline std::vector<double> unequal_roots(std::size_t k) {
    std::vector<double> mu(k);
    double sum = 0;
    for (std::size_t j = 0; j < k; ++j) sum += mu[j] = 1 + 6 * static_cast<double>(j);
    for (double& root : mu) root = std::sqrt(root / sum);
    return mu;
}

}  // namespace fairstream::test
