#include <algorithm>

#include <fairstream/models/fair_spectral/detail/model.hpp>
#include <fairstream/numeric/detail/affinity/placement.hpp>
#include <fairstream/numeric/detail/kernels.hpp>

namespace fairstream::fair_spectral {

namespace {

/// Returns the cluster to which a placed point has the largest affinity, by the labels of its anchors; `no_cluster` if
/// it has no affinity to any.
ClusterId most_similar_cluster(const Placement& placement, std::span<const ClusterId> labels,
                               std::vector<double>& affinity) {
    std::ranges::fill(affinity, 0.0);
    for (std::size_t i = 0; i < placement.anchors().size(); ++i)
        if (const ClusterId label = labels[placement.anchors()[i]]; label != no_cluster)
            affinity[static_cast<std::size_t>(label)] += static_cast<double>(placement.affinities()[i]);
    const auto most = std::ranges::max_element(affinity);
    return *most > 0 ? static_cast<ClusterId>(most - affinity.begin()) : no_cluster;
}

}  // namespace

State Model::without_points(const State& state) {
    State part;
    part.centres = state.centres;
    part.labels = state.labels;
    part.anchors = state.anchors;
    part.bandwidth = state.bandwidth;
    part.started = state.started;
    return part;
}

void Model::predict(const Options& options, const State& state, ConstRows rows, std::span<ClusterId> out) {
    if (!state.started) {
        std::ranges::fill(out, no_cluster);
        return;
    }
    if (out.empty()) return;
    const auto k = static_cast<std::size_t>(options.clusters);
    const std::size_t d = rows.size() / out.size();
    Placement placement(
        state.anchors, d,
        {options.affinity == AffinityKind::knn, static_cast<std::size_t>(options.neighbours), state.bandwidth});
    // The embedding excludes the groups' directions. If clusters follow these, the nearest centre may belong to another
    // cluster than all neighbours do. So neighbours decide if each anchor is a point with a label.
    const bool by_labels = options.affinity == AffinityKind::knn && state.anchors.count == state.labels.size();
    std::vector<double> affinity(k);
    std::vector<float> packed(packed_size(k, k)), embedded(k);
    pack_centres(state.centres.data(), k, k, packed.data());
    for (std::size_t i = 0; i < out.size(); ++i) {
        const std::span<const double> place = placement.at(rows.data() + i * d);
        if (by_labels) out[i] = most_similar_cluster(placement, state.labels, affinity);
        if (by_labels && out[i] != no_cluster) continue;
        for (std::size_t j = 0; j < k; ++j) embedded[j] = static_cast<float>(std::clamp(place[j], -1e18, 1e18));
        kernels().assign(embedded.data(), 1, k, packed.data(), k, &out[i]);
    }
}

}  // namespace fairstream::fair_spectral
