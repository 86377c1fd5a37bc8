#include <algorithm>

#include <fairstream/models/fair_spectral/fair_spectral.hpp>
#include <fairstream/numeric/detail/affinity/placement.hpp>
#include <fairstream/numeric/detail/kernels.hpp>

namespace fairstream::fair_spectral {

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
    std::vector<float> packed(packed_size(k, k)), embedded(k);
    pack_centres(state.centres.data(), k, k, packed.data());
    for (std::size_t i = 0; i < out.size(); ++i) {
        const std::span<const double> place = placement.at(rows.data() + i * d);
        for (std::size_t j = 0; j < k; ++j) embedded[j] = static_cast<float>(std::clamp(place[j], -1e18, 1e18));
        kernels().assign(embedded.data(), 1, k, packed.data(), k, &out[i]);
    }
}

void Model::assign_fair(const Options& options, const State& state, ConstRows rows, std::span<const GroupId>,
                        std::span<ClusterId> out) {
    predict(options, state, rows, out);
}

}  // namespace fairstream::fair_spectral
