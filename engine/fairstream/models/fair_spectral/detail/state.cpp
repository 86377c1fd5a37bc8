#include <algorithm>
#include <cmath>

#include <fairstream/fairness/measures.hpp>
#include <fairstream/models/fair_spectral/detail/options.hpp>
#include <fairstream/models/fair_spectral/detail/points.hpp>
#include <fairstream/models/verify_state.hpp>
#include <fairstream/targets/demands.hpp>
#include <fairstream/targets/figures_without_rare.hpp>

namespace fairstream::fair_spectral {
namespace {

// Bound of saved numbers: above the largest entry that a unit vector can have for the smallest degree that counts.
constexpr double reach = 1e16;

constexpr StateCheck expect(Model::name);

template <class Values> bool within(const Values& values, double limit) {
    return std::ranges::all_of(values, [&](auto x) { return std::abs(static_cast<double>(x)) <= limit; });
}

bool is_matrix(const Matrix& m, std::size_t rows, std::size_t cols) {
    return m.rows == rows && m.cols == cols && m.values.size() == rows * cols;
}

void verify_anchors(const Options& options, const Anchors& anchors, std::size_t points, std::size_t d) {
    expect.anchors(anchors, points, d, static_cast<std::size_t>(options.clusters), !needs_bandwidth(options));
    // In a graph of neighbours equal points share one anchor, called a place. Otherwise there are as many anchors as
    // points or landmarks.
    const bool landmarks = options.affinity == AffinityKind::nystrom, places = options.affinity == AffinityKind::knn;
    const std::size_t most = landmarks ? std::min(points, static_cast<std::size_t>(options.landmarks)) : points;
    expect(anchors.count <= most && (places || anchors.count == most), "the anchors do not match each other");
}

}  // namespace

void Model::check(const Options& options, const StreamFormat& format) {
    check_ranges(options);
    check_targets(targets_of(options), format);
}

State Model::start(const Options& options, const Window& window) {
    State state;
    state.labels.assign(window.size(), no_cluster);
    state.tally = empty_tally(options.clusters, window.format());
    return state;
}

void Model::verify(const Options& options, const State& state, const StreamFormat& format) {
    const auto k = static_cast<std::size_t>(options.clusters);
    const std::size_t d = format.dimensions, n = state.labels.size();
    expect.labels(state.labels, state.started, state.tally, options.clusters, format);
    expect(std::isfinite(state.quality.cost) && std::isfinite(state.operator_applications),
           "the cost or the count of applications is not finite");
    if (!state.started) return;
    expect(state.embedding.cols >= k && state.embedding.cols <= 2 * k + 16 &&
               is_matrix(state.embedding, n, state.embedding.cols) && is_matrix(state.inverse, k, k),
           "the embedding is not n x k");
    expect(within(state.embedding.values, reach) && within(state.inverse.values, reach) &&
               state.centres.size() == k * k && within(state.centres, reach),
           "the embedding is out of range");
    expect(state.multipliers.values.size() <= 0x10000 * k &&
               is_matrix(state.multipliers, state.multipliers.values.size() / k, k) &&
               within(state.multipliers.values, reach),
           "the multipliers are out of range");
    expect(state.means.size() == k * d && within(state.means, 2 * static_cast<double>(feature_limit)),
           "a mean is out of range");
    expect(state.penalty >= 0 && state.penalty <= 1, "the penalty is out of range");
    expect(needs_bandwidth(options) ? state.bandwidth > 0 && std::isfinite(state.bandwidth) : state.bandwidth == 0,
           "the bandwidth is out of range");
    verify_anchors(options, state.anchors, n, d);
    // States of earlier versions have no shape of the graph.
    expect(state.graph == GraphShape{} ||
               (options.affinity == AffinityKind::knn && state.graph.places == state.anchors.count &&
                state.graph.parts > 0 && state.graph.parts <= state.graph.places),
           "the graph does not match the anchors");
}

void Model::verify(const Options& options, const State& state, const Window& window) {
    verify(options, state, window.format());
    expect.labels(state.labels, state.tally, options.clusters, window);
}

std::vector<Figure> Model::figures(const Options& options, const State& state) {
    const Quality& q = state.quality;
    std::vector<Figure> all{{"fairness_residual", q.fairness_residual},
                            {"fairness_residual_before_polish", q.fairness_residual_before_polish},
                            {"orthogonality", q.orthogonality},
                            {"residual", q.residual},
                            {"operator_applications", state.operator_applications},
                            {"step_applications", q.operator_applications}};
    if (q.normalised_cut >= 0) all.insert(all.begin(), {"normalised_cut", q.normalised_cut});
    if (state.graph.parts > 0) {
        all.push_back({"places", static_cast<double>(state.graph.places)});
        all.push_back({"parts", static_cast<double>(state.graph.parts)});
    }
    add_figures_without_rare(targets_of(options), state.tally, 1, all);
    return all;
}

}  // namespace fairstream::fair_spectral
