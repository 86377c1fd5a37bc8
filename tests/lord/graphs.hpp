#pragma once
/// Graphs of points with and without weights, written out, and problems on them.

#include <memory>
#include <numeric>
#include <vector>

#include <fairstream/models/lord/detail/ascent.hpp>
#include <fairstream/numeric/detail/affinity/weighted.hpp>

#include "support/affinities.hpp"

namespace fairstream::lord {

/// A graph of nearest neighbours of weighted points; without weights all weights are 1.
struct CloudGraph {
    explicit CloudGraph(const test::Cloud& cloud, std::vector<double> chosen = {})
        : weights(std::move(chosen)),
          points(test::new_point_affinity(
              {"knn", true,
               []() -> std::unique_ptr<PointAffinity> { return std::make_unique<NeighbourGraph>(0, EdgeWeights{}); }},
              cloud)) {
        if (!weights.empty()) weighted = std::make_unique<WeightedAffinity>(*points, weights, true);
    }
    [[nodiscard]] const Affinity& affinity() const {
        return weighted ? static_cast<const Affinity&>(*weighted) : *points;
    }
    std::vector<double> weights;
    std::unique_ptr<PointAffinity> points;
    std::unique_ptr<WeightedAffinity> weighted;
};

/// Points of weights 1 to 3, and the same points repeated by weight.
struct WeightedCloud {
    WeightedCloud(const test::Cloud& cloud, std::uint64_t seed) : points(cloud) {
        Random random(seed, 21);
        repeated.d = cloud.d;
        for (std::size_t i = 0; i < cloud.size(); ++i) {
            const std::uint32_t weight = 1 + random.below(3);
            weights.push_back(weight);
            for (std::uint32_t copy = 0; copy < weight; ++copy) {
                origin.push_back(i);
                repeated.rows.insert(repeated.rows.end(), &cloud.rows[i * cloud.d], &cloud.rows[i * cloud.d] + cloud.d);
            }
        }
    }
    /// Returns a row for each repeated point.
    [[nodiscard]] Matrix repeat(const Matrix& rows) const {
        Matrix all(origin.size(), rows.cols);
        for (std::size_t r = 0; r < origin.size(); ++r) std::copy_n(rows.row(origin[r]), rows.cols, all.row(r));
        return all;
    }
    test::Cloud points, repeated;
    std::vector<double> weights;
    std::vector<std::size_t> origin;
};

/// An affinity that is a given matrix.
class GivenAffinity final : public Affinity {
public:
    explicit GivenAffinity(Matrix k) : k_(std::move(k)) {
        for (std::size_t i = 0; i < k_.rows; ++i)
            degrees_.push_back(std::accumulate(k_.row(i), k_.row(i) + k_.cols, 0.0));
    }
    [[nodiscard]] bool positive_semidefinite() const noexcept override { return false; }
    [[nodiscard]] bool prefers_wide_blocks() const noexcept override { return false; }
    void multiply(const Matrix& x, Matrix& out) const override { out = test::plain_product(k_, x); }
    void multiply_rows(std::span<const Slot> which, const Matrix& x, Matrix& out) const override {
        const Matrix all = test::plain_product(k_, x);
        out.reshape(which.size(), x.cols);
        for (std::size_t at = 0; at < which.size(); ++at) std::copy_n(all.row(which[at]), x.cols, out.row(at));
    }
    void copy_row(Slot i, AffinityRow& out) const override {
        out = {};
        for (std::size_t j = 0; j < k_.cols; ++j) {
            if (k_.at(i, j) == 0) continue;
            out.at.push_back(static_cast<Slot>(j));
            out.weights.push_back(static_cast<float>(k_.at(i, j)));
        }
    }
    [[nodiscard]] std::vector<double> diagonal() const override {
        std::vector<double> entries;
        for (std::size_t i = 0; i < k_.rows; ++i) entries.push_back(k_.at(i, i));
        return entries;
    }

private:
    Matrix k_;
};

/// Returns S of an affinity of points of weight 1.
inline Matrix written_out(const Affinity& affinity) {
    Matrix s = test::entries_of(affinity);
    double sum = 0;
    for (const double value : s.values) sum += value;
    for (double& value : s.values) value /= sum;
    return s;
}

/// A problem with what it refers to.
struct Task {
    Task(const Affinity& affinity, std::span<const double> weights, std::vector<double> mu, Method method,
         double tau = 0.3, std::span<const std::uint32_t> blocks = {})
        : marginals(std::move(mu), affinity.rows(), weights, blocks), similarity(affinity, weights) {
        problem.method = method;
        problem.spread = spread_of(similarity, 1);
        problem.tau = tau;
        problem.gamma = -problem.spread.largest + tau * problem.spread.width();
        problem.square = similarity.squared_norm();
    }
    Task(const Task&) = delete;
    Task& operator=(const Task&) = delete;

    [[nodiscard]] double objective(const Matrix& v) const {
        Matrix sv;
        similarity.gradient(v, sv);
        return objective_of(problem, v, sv);
    }
    [[nodiscard]] Matrix projected(const Matrix& u) const {
        ProjectionStart start = marginals.start();
        Matrix v;
        marginals.project(u, start, v);
        return v;
    }
    /// Returns the root of the sum of w_i |a_i - b_i|^2, relative to that of a.
    [[nodiscard]] double movement(const Matrix& a, const Matrix& b) const {
        double way = 0, size = 0;
        for (std::size_t i = 0; i < a.rows; ++i)
            for (std::size_t j = 0; j < a.cols; ++j) {
                way += marginals.weight(i) * std::pow(a.at(i, j) - b.at(i, j), 2);
                size += marginals.weight(i) * std::pow(a.at(i, j), 2);
            }
        return std::sqrt(way / size);
    }
    Marginals marginals;
    Similarity similarity;
    Problem problem{similarity, marginals, Method::b_lord, {}, 0, 0, 0};
};

}  // namespace fairstream::lord
