#include <fairstream/graph_labels/detail/ungrouped.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <numeric>
#include <utility>

#include <fairstream/graph_labels/detail/part_search.hpp>
#include <fairstream/numeric/detail/affinity/connected_parts.hpp>
#include <fairstream/numeric/detail/arrays.hpp>
#include <fairstream/numeric/detail/blocks.hpp>
#include <fairstream/numeric/detail/interruption.hpp>
#include <fairstream/numeric/detail/kmeans.hpp>

namespace fairstream {
namespace {

// Numbers of steps of a lazy random walk (it stays with probability 1/2) after which values are kept, and the degree of
// the polynomials that approximate them.
constexpr std::array<int, 2> walk_steps{8, 32};
constexpr int degree_of_polynomials = 12;
// Costs of k-means within this relative distance most likely belong to the same labels.
constexpr double equal_cost_tolerance = 1e-6;

// Returns the columns of D^(-1/2) z, centred and divided by their deviations, with points weighted by degree.
std::vector<float> standardised(const Matrix& z, const NormalisedAffinity& m) {
    const std::span<const double> inverse_roots = m.inverse_roots();
    const std::vector<double> roots = m.roots();
    std::vector<float> out(z.values.size(), 0.0F);
    double volume = 0;
    for (const double root : roots) volume += root * root;
    for (std::size_t j = 0; j < z.cols && volume > 0; ++j) {
        double sum = 0, squares = 0;
        for (std::size_t i = 0; i < z.rows; ++i) sum += roots[i] * z.at(i, j);
        const double mean = sum / volume;
        for (std::size_t i = 0; i < z.rows; ++i) {
            const double off = z.at(i, j) - roots[i] * mean;
            squares += off * off;
        }
        const double deviation = std::sqrt(squares / volume);
        for (std::size_t i = 0; i < z.rows && deviation > 0; ++i)
            out[i * z.cols + j] = static_cast<float>((inverse_roots[i] * z.at(i, j) - mean) / deviation);
    }
    return out;
}

// Values after t steps are ((I + D^-1 K) / 2)^t x = D^(-1/2) ((I + M) / 2)^t D^(1/2) x. By cos^2t(a / 2) = ((1 + cos a)
// / 2)^t these are the sum over j of c_j T_j(M), with T_j Chebyshev's polynomials and
//   c_0 = (2t over t) / 4^t,  c_j = 2 (2t over t - j) / 4^t,
// which fall like exp(-j^2 / t): far fewer products than steps are enough, and the same products serve for all t.
void diffuse(NormalisedAffinity& m, std::uint64_t seed, Ungrouped& result) {
    constexpr std::uint64_t stream = 77;
    Random random(seed, stream);
    Matrix before(m.rows(), Ungrouped::diffused_width), now(m.rows(), Ungrouped::diffused_width), next;
    for (double& value : now.values) value = 2 * random.unit() - 1;
    scale_rows(m.roots(), now);
    std::array<Matrix, walk_steps.size()> after;
    std::array<double, walk_steps.size()> c{};
    for (int j = 0; j <= degree_of_polynomials; ++j) {
        for (std::size_t w = 0; w < walk_steps.size(); ++w) {
            const double t = walk_steps[w];
            if (j == 0) {
                c[w] = 1;
                for (int i = 1; i <= walk_steps[w]; ++i) c[w] *= (2.0 * i - 1) / (2.0 * i);
                after[w] = now;
                array(after[w]) *= c[w];
            } else {
                c[w] *= std::max(0.0, t - j + 1) / (t + j) * (j == 1 ? 2 : 1);
                array(after[w]) += c[w] * array(now);
            }
        }
        if (j == degree_of_polynomials) break;
        m.apply(now, next);
        if (j > 0) array(next) = 2 * array(next) - array(before);
        std::swap(before, now);
        std::swap(now, next);
    }
    for (const Matrix& each : after) result.diffused.push_back(standardised(each, m));
}

}  // namespace

std::vector<float> embedding_rows(const Matrix& t, std::size_t k) {
    std::vector<float> rows(t.rows * k);
    for (std::size_t i = 0; i < t.rows; ++i)
        for (std::size_t j = 0; j < k; ++j) rows[i * k + j] = static_cast<float>(t.at(i, j));
    return rows;
}

Ungrouped ungrouped_from_embedding(NormalisedAffinity& m, const Matrix& t, std::size_t k, std::uint64_t seed) {
    Ungrouped result;
    result.rows = embedding_rows(t, t.cols);
    result.width = t.cols;
    if (k <= PartSearch::most_clusters) diffuse(m, seed, result);  // with more clusters no parts are searched
    if (m.parts().empty()) return result;
    result.volumes.assign(count_parts(m.parts()), 0.0);
    const std::vector<double> roots = m.roots();
    for (std::size_t i = 0; i < m.rows(); ++i)
        result.volumes[static_cast<std::size_t>(m.parts()[i])] += roots[i] * roots[i];
    // Points without an affinity are parts but no clusters.
    const auto joined = std::ranges::count_if(result.volumes, [](double volume) { return volume > 0; });
    if (joined > 1 && static_cast<std::size_t>(joined) >= k) result.parts.assign(m.parts().begin(), m.parts().end());
    return result;
}

Ungrouped ungrouped(NormalisedAffinity& m, const Matrix& q, std::size_t k, const SpectralLimits& limits,
                    std::uint64_t seed) {
    Matrix t = solve_krylov(m, q, k, {}, limits, seed).h;
    scale_rows(m.inverse_roots(), t);
    return ungrouped_from_embedding(m, t, k, seed);
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
    const auto rest = std::ranges::unique(
        starts, [](const KMeans& a, const KMeans& b) { return b.cost - a.cost <= equal_cost_tolerance * b.cost; });
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

}  // namespace fairstream
