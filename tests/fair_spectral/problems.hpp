#pragma once
/// Small problems of fair spectral clustering, with M as a matrix beside the operator.

#include <memory>
#include <string>
#include <vector>

#include <fairstream/data/detail/graph_affinity.hpp>
#include <fairstream/generate/graphs.hpp>
#include <fairstream/models/fair_spectral/fair_spectral.hpp>
#include <fairstream/numeric/detail/blocks.hpp>
#include <fairstream/optimisation/detail/spectral/problem.hpp>

#include "references.hpp"
#include "support/affinities.hpp"

namespace fairstream::test {

/// Entries in double, so that solvers can be tested to tolerances below float32's.
class ExactAffinity final : public Affinity {
public:
    ExactAffinity(Matrix k, bool positive_semidefinite) : k_(std::move(k)), definite_(positive_semidefinite) {
        Matrix ones(k_.rows, 1);
        std::ranges::fill(ones.values, 1.0);
        degrees_ = plain_product(k_, ones).values;
    }
    [[nodiscard]] bool prefers_wide_blocks() const noexcept override { return true; }
    [[nodiscard]] bool positive_semidefinite() const noexcept override { return definite_; }
    void multiply(const Matrix& x, Matrix& out) const override { fairstream::multiply(k_, x, out); }
    void multiply_rows(std::span<const Slot> which, const Matrix& x, Matrix& out) const override {
        Matrix some(which.size(), k_.cols);
        for (std::size_t i = 0; i < which.size(); ++i) std::copy_n(k_.row(which[i]), k_.cols, some.row(i));
        fairstream::multiply(some, x, out);
    }
    void copy_row(Slot i, AffinityRow& out) const override {
        out = {};
        for (std::size_t j = 0; j < k_.cols; ++j)
            out.at.push_back(static_cast<Slot>(j)), out.weights.push_back(static_cast<float>(k_.at(i, j)));
    }
    [[nodiscard]] std::vector<double> diagonal() const override {
        std::vector<double> entries;
        for (std::size_t i = 0; i < k_.rows; ++i) entries.push_back(k_.at(i, i));
        return entries;
    }

private:
    Matrix k_;
    bool definite_;
};

struct SpectralProblem {
    std::string name;
    std::unique_ptr<Affinity> affinity;
    std::unique_ptr<NormalisedAffinity> m;
    Matrix f, q;
    Matrix matrix;  ///< M, n x n
    [[nodiscard]] std::size_t n() const { return m->rows(); }
    [[nodiscard]] std::size_t room() const { return n() - q.cols; }
};

inline Matrix exact_radial(const Cloud& cloud) {
    Matrix k(cloud.size(), cloud.size());
    for (std::size_t i = 0; i < cloud.size(); ++i)
        for (std::size_t j = 0; j < cloud.size(); ++j)
            k.at(i, j) = std::exp(-squared_distance(cloud, i, j) / (2 * test_bandwidth * test_bandwidth));
    return k;
}

/// Groups of n points with unequal frequencies; with `by`, each mostly follows `by`.
inline std::vector<GroupId> drawn_groups(std::size_t n, std::uint32_t count, std::uint64_t seed,
                                         const std::vector<ClusterId>& by = {}) {
    Random random(seed, 5);
    std::vector<GroupId> groups(n);
    for (std::size_t i = 0; i < n; ++i) {
        const std::uint32_t any = std::min(random.below(count), random.below(count));
        const bool typical = !by.empty() && random.unit() < 0.8;
        groups[i] = static_cast<GroupId>(typical ? static_cast<std::uint32_t>(by[i]) % count : any);
    }
    return groups;
}

/// F of one attribute with this many groups, and M, written out.
inline SpectralProblem problem_of(std::string name, std::unique_ptr<Affinity> affinity,
                                  const std::vector<GroupId>& groups, std::uint32_t count,
                                  const LinkedRows& links = {}) {
    SpectralProblem p{std::move(name), std::move(affinity), nullptr, {}, {}, {}};
    p.m = std::make_unique<NormalisedAffinity>(*p.affinity);
    const std::vector<AttributeColumn> attributes{{0, count}};
    p.f = constraint_columns(groups, 1, attributes, links, p.m->inverse_roots());
    p.q = orthonormal_basis(p.f);
    p.m->apply(identity(p.n()), p.matrix);
    return p;
}

inline SpectralProblem radial_problem(std::size_t n, std::uint32_t groups, CloudKind kind = CloudKind::clusters) {
    return problem_of("radial", std::make_unique<ExactAffinity>(exact_radial(cloud_of(kind, n, n)), true),
                      drawn_groups(n, groups, n), groups);
}

inline SpectralProblem neighbour_problem(std::size_t n, std::uint32_t groups) {
    return problem_of("knn", new_point_affinity(point_affinities()[3], cloud_of(CloudKind::clusters, n, n)),
                      drawn_groups(n, groups, n), groups);
}

/// m-SBM, where groups are easier to find than clusters.
inline SpectralProblem block_problem(std::uint32_t n, std::uint32_t clusters, std::uint32_t groups) {
    const generate::PlantedGraph planted =
        generate::block_model_graph({.nodes = n, .clusters = clusters, .groups = groups}, n);
    return problem_of("block", std::make_unique<GraphAffinity>(planted.graph), planted.groups, groups);
}

inline Reference exact_solution(const SpectralProblem& p, std::size_t k) {
    return o_fsc(p.n(), p.matrix.values, p.f.values, k);
}

/// k - Tr(Hᵀ M H) by the matrix.
inline double direct_cost(const SpectralProblem& p, const Matrix& h) {
    const Matrix image = plain_product(p.matrix, h);
    double cost = static_cast<double>(h.cols);
    for (std::size_t i = 0; i < h.values.size(); ++i) cost -= h.values[i] * image.values[i];
    return cost;
}

inline Matrix shifted(const SpectralProblem& p, double shift) {
    Matrix m = p.matrix;
    for (std::size_t i = 0; i < m.rows; ++i) m.at(i, i) += shift;
    return m;
}

}  // namespace fairstream::test
