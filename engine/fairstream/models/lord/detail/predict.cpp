#include <algorithm>

#include <fairstream/models/lord/detail/model.hpp>
#include <fairstream/models/lord/detail/search.hpp>
#include <fairstream/numeric/detail/affinity/placement.hpp>

namespace fairstream::lord {

State Model::without_points(const State& state) {
    State part;
    part.anchors = state.anchors;
    part.started = state.started;
    return part;
}

void Model::predict(const Options& options, const State& state, ConstRows rows, std::span<ClusterId> out) {
    if (!state.started) {
        std::ranges::fill(out, no_cluster);
        return;
    }
    if (out.empty()) return;
    const std::size_t d = rows.size() / out.size();
    Placement placement(state.anchors, d, {true, static_cast<std::size_t>(options.neighbours), 0});
    for (std::size_t i = 0; i < out.size(); ++i) {
        const std::span<const double> p = placement.at(rows.data() + i * d);
        out[i] = static_cast<ClusterId>(std::ranges::max_element(p) - p.begin());
    }
}

void Model::predict_memberships(const Options& options, const State& state, ConstRows rows, std::span<float> out) {
    if (!state.started) {
        std::ranges::fill(out, 0.0F);
        return;
    }
    const auto k = static_cast<std::size_t>(options.clusters);
    if (out.empty()) return;
    const std::size_t n = out.size() / k, d = rows.size() / n;
    Placement placement(state.anchors, d, {true, static_cast<std::size_t>(options.neighbours), 0});
    for (std::size_t i = 0; i < n; ++i) {
        const std::span<const double> p = placement.at(rows.data() + i * d);
        std::ranges::transform(p, out.begin() + static_cast<std::ptrdiff_t>(i * k),
                               [](double x) { return static_cast<float>(x); });
    }
}

Matrix Model::memberships(const Options& options, const State& state) {
    return memberships_of(state.v, roots_of_priors(options), state.mass);
}

}  // namespace fairstream::lord
