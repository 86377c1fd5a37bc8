#include <fairstream/models/fair_spectral/detail/ungrouped.hpp>

#include <algorithm>
#include <functional>
#include <numeric>
#include <utility>

#include <fairstream/numeric/detail/affinity/connected_parts.hpp>
#include <fairstream/numeric/detail/blocks.hpp>
#include <fairstream/numeric/detail/interruption.hpp>
#include <fairstream/numeric/detail/kmeans.hpp>

namespace fairstream::fair_spectral {
namespace {

// Costs of k-means that are as near as this, in parts of one, are most likely of the same labels.
constexpr double alike = 1e-6;

// `t`: D^(-1/2) H.
Ungrouped of_embedding(const NormalisedAffinity& m, const Matrix& t, std::size_t k) {
    Ungrouped result;
    result.rows = embedding_rows(t, t.cols);
    result.width = t.cols;
    if (m.parts().empty()) return result;
    result.volumes.assign(count_parts(m.parts()), 0.0);
    const std::vector<double> roots = m.roots();
    for (std::size_t i = 0; i < m.rows(); ++i)
        result.volumes[static_cast<std::size_t>(m.parts()[i])] += roots[i] * roots[i];
    // Points without an affinity are parts, and no clusters.
    const auto joined = std::ranges::count_if(result.volumes, [](double volume) { return volume > 0; });
    if (joined > 1 && static_cast<std::size_t>(joined) >= k) result.parts.assign(m.parts().begin(), m.parts().end());
    return result;
}

}  // namespace

Ungrouped ungrouped(NormalisedAffinity& m, const Matrix& q, std::size_t k, const SolverLimits& limits,
                    std::uint64_t seed) {
    Matrix t = solve_krylov(m, q, k, {}, limits, seed).h;
    scale_rows(m.inverse_roots(), t);
    return of_embedding(m, t, k);
}

Ungrouped ungrouped_beside(const Options& options, NormalisedAffinity& m, const Constraints& constraints,
                           const Embedding& embedding, const WorkHandle& work) {
    const auto k = static_cast<std::size_t>(options.clusters);
    const std::size_t of_groups = constraints.attribute_columns;
    if (options.sweeps == 0 || work.stopped()) return {};
    if (of_groups == 0) return of_embedding(m, embedding.t, k);
    const Matrix pairs = columns(constraints.f, of_groups, constraints.f.cols - of_groups);
    return ungrouped(m, orthonormal_basis(pairs), k, solver_limits(options.iterations, options.tolerance, work),
                     options.seed);
}

std::vector<std::vector<ClusterId>> kmeans_labels(const Ungrouped& of, std::size_t k, int start_count, std::size_t most,
                                                  const Random& random, std::span<const double> weights) {
    const std::size_t n = of.rows.size() / of.width;
    std::vector<float> rows;
    rows.reserve(n * k);
    for (std::size_t i = 0; i < n; ++i) rows.insert(rows.end(), &of.rows[i * of.width], &of.rows[i * of.width] + k);
    std::vector<KMeans> starts(static_cast<std::size_t>(start_count));
    const std::uint64_t seed = Random(random).next();
    parallel_for(std::size_t{0}, starts.size(), [&](std::size_t s) {
        Random own(seed, s);
        starts[s] = kmeans(rows.data(), n, k, k, 1, own, weights);
    });
    std::ranges::stable_sort(starts, {}, &KMeans::cost);
    const auto rest =
        std::ranges::unique(starts, [](const KMeans& a, const KMeans& b) { return b.cost - a.cost <= alike * b.cost; });
    starts.erase(rest.begin(), rest.end());
    std::vector<std::vector<ClusterId>> labellings;
    for (KMeans& start : starts)
        if (labellings.size() < most) labellings.push_back(std::move(start.labels));
    return labellings;
}

std::vector<ClusterId> grouped_parts(const Ungrouped& of, std::size_t k) {
    std::vector<std::size_t> falling(of.volumes.size());
    std::iota(falling.begin(), falling.end(), std::size_t{0});
    std::ranges::stable_sort(falling, std::greater(), [&](std::size_t part) { return of.volumes[part]; });
    std::vector<double> volumes(k, 0.0);
    std::vector<ClusterId> cluster(of.volumes.size());
    for (const std::size_t part : falling) {
        const auto least = std::ranges::min_element(volumes);
        *least += of.volumes[part];
        cluster[part] = static_cast<ClusterId>(least - volumes.begin());
    }
    std::vector<ClusterId> labels;
    for (const ClusterId part : of.parts) labels.push_back(cluster[static_cast<std::size_t>(part)]);
    return labels;
}

}  // namespace fairstream::fair_spectral
