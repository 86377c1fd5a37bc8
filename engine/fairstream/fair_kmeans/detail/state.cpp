#include <fairstream/fair_kmeans/detail/state.hpp>

#include <algorithm>
#include <utility>

#include <fairstream/fair_kmeans/detail/cells.hpp>
#include <fairstream/numeric/detail/random.hpp>

namespace fairstream::safairkm {

ClusterTargets targets_of(const Options& options) {
    ClusterTargets targets{options.targets, options.clusters};
    const bool knows_none =
        options.swaps > 0 || options.swap == Swap::nearest || options.centre_update == CentreUpdate::paper;
    if (!knows_none) return targets;
    std::vector<double> parity;
    for (const double asked : targets.parity_at_least) parity.push_back(asked == automatic ? 0 : asked);
    targets.parity_at_least = OneOrMore<double>(std::move(parity));
    return targets;
}

State start_state(const Options& options, const Window& window) {
    const auto k = static_cast<std::size_t>(options.clusters);
    State state;
    state.sums.assign(k * window.dimensions(), 0);
    state.squares.assign(k, 0);
    state.peaks.assign(k, 0);
    state.centres.assign(k * window.dimensions(), 0);
    state.labels.assign(window.size(), no_cluster);
    state.position.assign(window.size(), 0);
    state.members.assign(k * Cells(options, window.format()).count(), {});
    state.tally = empty_tally(options.clusters, window.format());
    if (window.format().has_weights) state.heaviest.assign(k, 0);
    state.generator = Random(options.seed).words();
    return state;
}

double objective(const State& state) {
    const std::size_t k = state.squares.size();
    const std::size_t d = k == 0 ? 0 : state.sums.size() / k;
    double total = 0;
    for (std::size_t l = 0; l < k; ++l) {
        const double m = state.tally.weight(static_cast<ClusterId>(l));
        if (!(m > 0)) continue;
        double squared_sum = 0;
        for (std::size_t j = 0; j < d; ++j) squared_sum += state.sums[l * d + j] * state.sums[l * d + j];
        total += std::max(0.0, state.squares[l] - squared_sum / m);
    }
    return state.tally.total_weight() > 0 ? total / state.tally.total_weight() : 0;
}

}  // namespace fairstream::safairkm
