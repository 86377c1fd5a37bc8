#include <fairstream/models/fair_spectral/detail/ungrouped.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <numeric>
#include <utility>

#include <fairstream/numeric/detail/affinity/connected_parts.hpp>
#include <fairstream/numeric/detail/arrays.hpp>
#include <fairstream/numeric/detail/blocks.hpp>
#include <fairstream/numeric/detail/interruption.hpp>
#include <fairstream/numeric/detail/kmeans.hpp>

namespace fairstream::fair_spectral {
namespace {

// Means that are taken, each with the value itself, before values are kept.
constexpr std::array<int, 2> diffusions{8, 32};
// Costs of k-means that are as near as this, in parts of one, are most likely of the same labels.
constexpr double alike = 1e-6;

// Returns the columns of x less their means, divided by their deviations, points counting by their degrees.
std::vector<float> standardised(const Matrix& x, std::span<const double> roots) {
    std::vector<float> out(x.values.size(), 0.0F);
    double volume = 0;
    for (const double root : roots) volume += root * root;
    for (std::size_t j = 0; j < x.cols && volume > 0; ++j) {
        double sum = 0, squares = 0;
        for (std::size_t i = 0; i < x.rows; ++i) sum += roots[i] * roots[i] * x.at(i, j);
        const double mean = sum / volume;
        for (std::size_t i = 0; i < x.rows; ++i) squares += std::pow(roots[i] * (x.at(i, j) - mean), 2);
        const double deviation = std::sqrt(squares / volume);
        for (std::size_t i = 0; i < x.rows && deviation > 0; ++i)
            out[i * x.cols + j] = static_cast<float>((x.at(i, j) - mean) / deviation);
    }
    return out;
}

void diffuse(NormalisedAffinity& m, std::uint64_t seed, Ungrouped& result) {
    constexpr std::uint64_t stream = 77;
    Random random(seed, stream);
    const std::vector<double> roots = m.roots();
    Matrix x(m.rows(), Ungrouped::diffused_width), scaled, means;
    for (double& value : x.values) value = 2 * random.unit() - 1;
    int taken = 0;
    for (const int wanted : diffusions) {
        for (; taken < wanted; ++taken) {
            scaled = x;  // D^-1 K x = D^(-1/2) M D^(1/2) x
            scale_rows(roots, scaled);
            m.apply(scaled, means);
            scale_rows(m.inverse_roots(), means);
            array(x) = 0.5 * (array(x) + array(means));
        }
        result.diffused.push_back(standardised(x, roots));
    }
}

// `t`: D^(-1/2) H.
Ungrouped of_embedding(NormalisedAffinity& m, const Matrix& t, std::size_t k, std::uint64_t seed) {
    Ungrouped result;
    result.rows = embedding_rows(t, t.cols);
    result.width = t.cols;
    diffuse(m, seed, result);
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
    return of_embedding(m, t, k, seed);
}

Ungrouped ungrouped_beside(const Options& options, NormalisedAffinity& m, const Constraints& constraints,
                           const Embedding& embedding, const WorkHandle& work) {
    const auto k = static_cast<std::size_t>(options.clusters);
    const std::size_t of_groups = constraints.attribute_columns;
    if (options.sweeps == 0 || work.stopped()) return {};
    if (of_groups == 0) return of_embedding(m, embedding.t, k, options.seed);
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
