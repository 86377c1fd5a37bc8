#include <fairstream/models/fair_spectral/detail/points.hpp>

#include <algorithm>
#include <cmath>

#include <fairstream/numeric/detail/affinity/connected_parts.hpp>
#include <fairstream/numeric/detail/affinity/neighbour_graph.hpp>
#include <fairstream/numeric/detail/affinity/nystrom.hpp>
#include <fairstream/numeric/detail/affinity/rbf.hpp>
#include <fairstream/numeric/detail/kernels.hpp>
#include <fairstream/numeric/detail/random.hpp>

namespace fairstream::fair_spectral {
namespace {

constexpr std::uint32_t sample_size = 512;

std::unique_ptr<PointAffinity> make_affinity(const AffinitySetup& setup) {
    switch (setup.kind) {
        case AffinityKind::rbf:
            return std::make_unique<TiledAffinity>(setup.bandwidth);
        case AffinityKind::dense:
            return std::make_unique<DenseAffinity>(setup.bandwidth);
        case AffinityKind::nystrom:
            return std::make_unique<NystromAffinity>(setup.bandwidth, setup.landmarks, setup.seed);
        case AffinityKind::knn:
            break;
    }
    return std::make_unique<NeighbourGraph>(setup.neighbours, EdgeWeights{setup.bandwidth});
}

// Returns the quantile with distances weighted by the points' weights.
double weighted_bandwidth(const Options& options, const Window& window, std::span<const Slot> sample) {
    std::vector<std::pair<double, double>> squares;  // squared distances with their weights
    const double unit = window.weight_unit();
    double all = 0;
    for (std::size_t i = 0; i < sample.size(); ++i)
        for (std::size_t j = 0; j < i; ++j) {
            const double square =
                kernels().distance(window.features(sample[i]), window.features(sample[j]), window.dimensions());
            if (square == 0) continue;
            squares.emplace_back(square, window.weight(sample[i]) / unit * (window.weight(sample[j]) / unit));
            all += squares.back().second;
        }
    if (squares.empty()) return 1;
    std::ranges::sort(squares);
    double below = 0;
    for (const auto& [square, weight] : squares) {
        below += weight;
        if (below > all / (2 * options.clusters)) return std::sqrt(square);
    }
    return std::sqrt(squares.back().first);
}

}  // namespace

const PointAffinity& affinity_of(const Options& options, double bandwidth, const Window& window, Workspace& workspace) {
    AffinitySetup setup{options.affinity, 0, 0, bandwidth, 0};
    if (options.affinity == AffinityKind::knn) setup.neighbours = static_cast<std::size_t>(options.neighbours);
    if (options.affinity == AffinityKind::nystrom) {
        setup.landmarks = static_cast<std::size_t>(options.landmarks);
        setup.seed = options.seed;
    }
    return workspace.of(window, setup, make_affinity);
}

double usual_bandwidth(const Options& options, const Window& window) {
    Random random(options.seed, 1);
    std::vector<Slot> sample;
    if (window.size() <= sample_size)
        for (Slot slot = 0; slot < window.size(); ++slot) sample.push_back(slot);
    else
        for (std::uint32_t i = 0; i < sample_size; ++i) sample.push_back(random.below(window.size()));
    if (window.format().has_weights) return weighted_bandwidth(options, window, sample);
    std::vector<double> squares;
    for (std::size_t i = 0; i < sample.size(); ++i)
        for (std::size_t j = 0; j < i; ++j)
            squares.push_back(
                kernels().distance(window.features(sample[i]), window.features(sample[j]), window.dimensions()));
    std::erase(squares, 0.0);
    if (squares.empty()) return 1;
    const auto at = static_cast<std::ptrdiff_t>(squares.size() / (2 * static_cast<std::size_t>(options.clusters)));
    std::ranges::nth_element(squares, squares.begin() + at);
    return std::sqrt(squares[static_cast<std::size_t>(at)]);
}

std::vector<ClusterId> parts_of_graph(const Options& options, const Affinity& affinity) {
    return options.affinity == AffinityKind::knn ? connected_parts(affinity) : std::vector<ClusterId>();
}

LinkedRows linked_rows(const Options& options, const Window& window, std::size_t room) {
    LinkedRows rows;
    const auto add = [&](const IdPairs& pairs, std::vector<std::pair<Slot, Slot>>& to) {
        for (const auto& [a, b] : pairs.pairs) {
            const std::optional<Slot> one = window.find(a), other = window.find(b);
            if (one && other && rows.together.size() + rows.opposite.size() < room) to.emplace_back(*one, *other);
        }
    };
    add(options.must_link, rows.together);
    add(options.cannot_link, rows.opposite);
    return rows;
}

}  // namespace fairstream::fair_spectral
