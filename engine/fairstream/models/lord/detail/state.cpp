#include <algorithm>
#include <cmath>
#include <numeric>

#include <fairstream/fairness/measures.hpp>
#include <fairstream/models/lord/detail/options.hpp>
#include <fairstream/models/lord/detail/search.hpp>
#include <fairstream/models/lord/detail/setting.hpp>
#include <fairstream/models/verify_state.hpp>
#include <fairstream/targets/demands.hpp>
#include <fairstream/targets/figures_without_rare.hpp>

namespace fairstream::lord {
namespace {

constexpr StateCheck expect(Model::name);

}  // namespace

void Model::check(const Options& options, const StreamFormat& format) {
    check_ranges(options);
    if (options.priors.size() != 1 && options.priors.size() != static_cast<std::size_t>(options.clusters))
        throw InvalidInput(Reason::bad_option, "priors = " + number_text(options.priors) +
                                                   ": must be one value, or one for each of " +
                                                   std::to_string(options.clusters) + " clusters");
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
    expect(std::isfinite(state.quality.objective), "the objective is not finite");
    if (!state.started) return;
    expect(state.v.rows == n && state.v.cols == k && state.v.values.size() == n * k, "V is not n x k");
    expect(state.mass > 0 && state.mass <= 1e300, "the weight of all points is out of range");
    expect(state.tau2 >= 0 && state.tau2 <= 1, "tau is out of range");
    expect(state.parts <= n, "the graph has more parts than points");
    const Matrix p = memberships_of(state.v, roots_of_priors(options), state.mass);
    for (std::size_t i = 0; i < n; ++i)
        expect(std::all_of(p.row(i), p.row(i) + k, [](double x) { return x >= 0; }) &&
                   std::abs(std::accumulate(p.row(i), p.row(i) + k, -1.0)) <= 1e-6,
               "the probabilities of a point do not sum to 1");
    expect(state.means.size() == k * d &&
               std::ranges::all_of(state.means, [](float x) { return std::abs(x) <= 2 * feature_limit; }),
           "a mean is out of range");
    expect.anchors(state.anchors, n, d, k, true);
}

void Model::verify(const Options& options, const State& state, const Window& window) {
    verify(options, state, window.format());
    expect.labels(state.labels, state.tally, options.clusters, window);
}

std::vector<Figure> Model::figures(const Options& options, const State& state) {
    const Quality& q = state.quality;
    std::vector<Figure> all{
        {"normalised_cut", q.normalised_cut}, {"block_diagonality", q.block_diagonality}, {"confidence", q.confidence}};
    if (state.tally.attributes() > 0) all.push_back({"share_gap", q.share_gap});
    if (options.method == Method::b_lord) all.push_back({"tau", q.tau});
    all.push_back({"projection_rounds", q.projection_rounds});
    if (state.parts > 0) all.push_back({"parts", static_cast<double>(state.parts)});
    add_figures_without_rare(targets_of(options), state.tally, 1, all);
    return all;
}

}  // namespace fairstream::lord
