#pragma once
/// Options of fair spectral clustering, and the invariants of every step.

#include <gtest/gtest.h>

#include <map>
#include <vector>

#include <fairstream/fairness/measures.hpp>
#include <fairstream/models/fair_spectral/detail/model.hpp>

#include "support/matrices.hpp"
#include "support/model_bench.hpp"
#include "support/separated_stream.hpp"

namespace fairstream::fair_spectral {

using SpectralBench = test::ModelBench<fair_spectral::Model>;

inline Options spectral(int clusters, AffinityKind affinity = AffinityKind::knn) {
    Options o;
    o.clusters = clusters;
    o.affinity = affinity;
    o.starts = 3;
    o.targets.parity_at_least = 0;
    return o;
}

inline constexpr AffinityKind affinity_kinds[] = {AffinityKind::knn, AffinityKind::rbf, AffinityKind::dense,
                                                  AffinityKind::nystrom};

/// Returns options for each way of making a step.
inline std::vector<Options> all_forms(int clusters) {
    std::vector<Options> all;
    for (const AffinityKind affinity : affinity_kinds)
        for (const Solver solver : {Solver::krylov, Solver::admm}) {
            all.push_back(spectral(clusters, affinity));
            all.back().solver = solver;
        }
    for (const Solver solver : {Solver::krylov, Solver::admm}) {
        all.push_back(spectral(clusters));
        all.back().solver = solver;
        all.back().edge_weights = Weights::rbf;
        all.back().neighbours = 3;
    }
    all.push_back(spectral(clusters));
    all.back().solver = Solver::admm;
    all.back().inner = Inner::lbfgs;
    all.back().penalty_rule = PenaltyRule::adapt;
    return all;
}

/// Expects the invariants of every step. The state fits its window. All known groups of the balanced attributes have
/// the same mean in the embedding, which is Fᵀ H = 0 expressed without H: the sum of T over a group, by weight, less
/// the group's share of the sum over all known groups.
inline void expect_sound(const SpectralBench& bench) {
    fair_spectral::Model::verify(bench.options, bench.state, bench.window);
    if (!bench.state.started) return;
    const Matrix& t = bench.state.embedding;
    const auto k = static_cast<std::size_t>(bench.options.clusters);
    const StreamFormat& format = bench.window.format();
    for (const int attribute : bench.options.targets.attribute) {
        if (format.attributes.empty()) break;
        const auto a = static_cast<std::uint32_t>(attribute);
        const std::size_t groups = format.attributes[a].groups.size() - (format.attributes[a].has_unknown ? 1 : 0);
        Matrix sums(groups, k), masses(groups, 1), all(1, k), magnitude(1, k);
        double mass = 0;
        for (Slot slot = 0; slot < bench.window.size(); ++slot) {
            const GroupId group = bench.window.group(slot, a);
            if (group >= groups) continue;
            const double weight = bench.window.weight(slot) / bench.window.weight_unit();
            masses.at(group, 0) += weight, mass += weight;
            for (std::size_t j = 0; j < k; ++j) {
                const double value = weight * t.at(slot, j);
                sums.at(group, j) += value, all.at(0, j) += value, magnitude.at(0, j) += std::abs(value);
            }
        }
        for (std::size_t g = 0; g < groups; ++g)
            for (std::size_t j = 0; j < k; ++j)
                EXPECT_NEAR(sums.at(g, j), masses.at(g, 0) / mass * all.at(0, j), 1e-9 * (1e-30 + magnitude.at(0, j)))
                    << "group " << g << " of attribute " << a;
    }
    EXPECT_LE(bench.state.quality.orthogonality, 1e-18);
    EXPECT_GE(bench.state.quality.cost, -1e-5);
    EXPECT_EQ(fair_spectral::Model::objective(bench.state), bench.state.quality.cost);
}

}  // namespace fairstream::fair_spectral
