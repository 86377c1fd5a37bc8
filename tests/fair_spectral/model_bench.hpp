#pragma once
/// The model on a window without an engine around it, and the streams it is shown.

#include <gtest/gtest.h>

#include <map>
#include <vector>

#include <fairstream/fairness/measures.hpp>
#include <fairstream/models/fair_spectral/fair_spectral.hpp>

#include "support/matrices.hpp"
#include "support/separated_stream.hpp"

namespace fairstream::fair_spectral {

struct SpectralBench {
    explicit SpectralBench(const Options& chosen, const StreamFormat& format = test::two_attributes(),
                           Slot capacity = 300)
        : options(chosen),
          window(format, {capacity, WindowPolicy::sliding, 1}),
          state(fair_spectral::Model::start(options, window)) {}
    const StepReport<ClusterId>& ingest(const PointBatch& batch) {
        fair_spectral::Model::step(options, state, workspace, window, window.apply(batch), report);
        return report;
    }
    const StepReport<ClusterId>& improve(std::int64_t rounds = 0) {
        fair_spectral::Model::refine(options, state, workspace, window, rounds, report);
        return report;
    }
    [[nodiscard]] std::vector<ClusterId> predicted(ConstRows rows) const {
        std::vector<ClusterId> out(rows.size() / window.dimensions());
        fair_spectral::Model::predict(options, state, rows, out);
        return out;
    }
    Options options;
    Window window;
    State state;
    Workspace workspace;
    StepReport<ClusterId> report;
};

inline Options spectral(int clusters, AffinityKind affinity = AffinityKind::knn) {
    Options o;
    o.clusters = clusters;
    o.affinity = affinity;
    o.starts = 3;
    o.parity_at_least = 0;
    return o;
}

inline constexpr AffinityKind affinity_kinds[] = {AffinityKind::knn, AffinityKind::rbf, AffinityKind::dense,
                                                  AffinityKind::nystrom};

/// Expects the invariants of every step: the state is one of its window, and all groups of the balanced attributes have
/// the same mean in the embedding, which is Fᵀ H = 0 without H: sums over a group of T less its share of the sum over
/// all.
inline void expect_sound(const SpectralBench& bench) {
    fair_spectral::Model::verify(bench.options, bench.state, bench.window);
    if (!bench.state.started) return;
    const Matrix& t = bench.state.embedding;
    const auto k = static_cast<std::size_t>(bench.options.clusters);
    const StreamFormat& format = bench.window.format();
    for (const int attribute : bench.options.attribute) {
        if (format.attributes.empty()) break;
        const auto a = static_cast<std::uint32_t>(attribute);
        const std::size_t groups = format.attributes[a].groups.size();
        Matrix sums(groups, k), sizes(groups, 1), all(1, k), magnitude(1, k);
        for (Slot slot = 0; slot < bench.window.size(); ++slot) {
            const GroupId group = bench.window.group(slot, a);
            sizes.at(group, 0) += 1;
            for (std::size_t j = 0; j < k; ++j) {
                sums.at(group, j) += t.at(slot, j), all.at(0, j) += t.at(slot, j);
                magnitude.at(0, j) += std::abs(t.at(slot, j));
            }
        }
        for (std::size_t g = 0; g < groups; ++g)
            for (std::size_t j = 0; j < k; ++j)
                EXPECT_NEAR(sums.at(g, j), sizes.at(g, 0) / bench.window.size() * all.at(0, j),
                            1e-9 * (1e-30 + magnitude.at(0, j)))
                    << "group " << g << " of attribute " << a;
    }
    EXPECT_LE(bench.state.quality.orthogonality, 1e-18);
    EXPECT_EQ(fair_spectral::Model::objective(bench.state), bench.state.quality.cost);
}

}  // namespace fairstream::fair_spectral
