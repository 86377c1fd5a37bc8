#include <algorithm>
#include <cmath>

#include <fairstream/fair_kmeans/detail/cells.hpp>
#include <fairstream/models/safairkm/detail/improvement.hpp>
#include <fairstream/models/safairkm/detail/model.hpp>
#include <fairstream/models/verify_state.hpp>
#include <fairstream/numeric/detail/random.hpp>

namespace fairstream::safairkm {
namespace {

// Centres and means lie among the features; rounding moves them slightly beyond, but never to twice the limit.
constexpr double reach = 2 * static_cast<double>(feature_limit);

// Returns whether the sums of each cluster are possible for its number of points. After evictions only rounding errors
// may remain.
bool are_possible_sums(const State& state, std::size_t k, std::size_t d) {
    for (std::size_t at = 0; at < k * d; ++at) {
        double members =
            static_cast<double>(std::max<std::int64_t>(1, state.tally.size(static_cast<ClusterId>(at / d))));
        if (!state.heaviest.empty())
            members = std::max(state.tally.weight(static_cast<ClusterId>(at / d)), state.heaviest[at / d]);
        if (!(std::abs(state.sums[at]) <= members * reach)) return false;
    }
    return true;
}

constexpr StateCheck expect(Model::name);

void verify_centres(const std::vector<float>& centres, std::size_t k, std::size_t d) {
    expect(centres.empty() || centres.size() == k * d, "the additional centres are not k x d");
    expect(std::ranges::all_of(centres, [](float x) { return std::abs(x) <= static_cast<float>(reach); }),
           "an additional centre is out of range");
}

void verify_plain(const std::vector<float>& centres, const std::vector<std::vector<double>>& prices, std::size_t k,
                  std::size_t d) {
    verify_centres(centres, k, d);
    for (const std::vector<double>& of_demand : prices)
        expect(std::ranges::all_of(of_demand, [](double x) { return std::isfinite(x); }), "a price is not finite");
}

// Throws if more evaluations are saved than can have been granted: one improvement could spend them all while the
// stream waits.
void verify_unspent(const Options& options, double unspent, const Window& window) {
    expect(std::isfinite(unspent) && unspent <= most_unspent(options, window.capacity()),
           "more work is left over than was granted");
}

}  // namespace

void Model::verify(const Options& options, const Improvement& improvement, const Window& window) {
    const auto k = static_cast<std::size_t>(options.clusters);
    verify_plain(improvement.plain_centres, improvement.prices, k, window.dimensions());
    verify_unspent(options, improvement.spent, window);
    expect(improvement.labels.empty() || improvement.centres.size() == k * window.dimensions(),
           "centres of an improvement are not k x d");
    expect(std::ranges::all_of(improvement.centres, [](float x) { return std::abs(x) <= static_cast<float>(reach); }),
           "a centre of an improvement is out of range");
    expect(
        std::ranges::all_of(improvement.labels, [&](ClusterId l) { return l >= 0 && static_cast<std::size_t>(l) < k; }),
        "a label of an improvement is out of range");
}

// Verifies the parts that do not depend on the points, on which `predict`, `objective` and `tally` rely.
void Model::verify(const Options& options, const State& state, const StreamFormat& format) {
    const auto k = static_cast<std::size_t>(options.clusters);
    const std::size_t d = format.dimensions;
    expect(state.sums.size() == k * d && state.centres.size() == k * d && state.squares.size() == k &&
               state.peaks.size() == k && state.members.size() == k * Cells(options, format).count(),
           "sums or centres are not k x d");
    expect.labels(state.labels, state.started, state.tally, options.clusters, format);
    expect(state.heaviest.size() == (format.has_weights ? k : 0) &&
               std::ranges::all_of(state.heaviest, [](double x) { return x >= 0 && x < 1e300; }) && state.unit >= 0 &&
               state.unit < 1e300,
           "the largest weights are not one per cluster");
    expect(are_possible_sums(state, k, d), "a sum is out of range");
    const auto is_finite = [](double x) { return std::isfinite(x); };
    expect(std::ranges::all_of(state.squares, is_finite) && std::ranges::all_of(state.peaks, is_finite),
           "a sum of squares is not finite");
    expect(std::ranges::all_of(state.centres, [](float x) { return std::abs(x) <= static_cast<float>(reach); }),
           "a centre is out of range");
    verify_plain(state.plain_centres, state.prices, k, d);
    verify_centres(state.centres_before_placing, k, d);
    for (const double x : {state.since_followed, state.follow_wait, state.watched_cost})
        expect(std::isfinite(x) && x >= 0, "a wait, or the cost that ends it, is no finite number of at least 0");
    expect(Random::is_valid_state(state.generator), "the generator has an even increment");
    expect(state.position.size() == state.labels.size(), "labels and positions differ in number");
}

void Model::verify(const Options& options, const State& state, const Window& window) {
    verify(options, state, window.format());
    verify_unspent(options, state.unspent, window);
    const auto k = static_cast<std::size_t>(options.clusters);
    expect.labels(state.labels, state.tally, options.clusters, window);
    expect(state.moved.empty() || state.moved.size() == std::size_t{window.capacity()} * k,
           "the moved points do not match the window");

    const bool indexed = state.started && state.indexed;
    std::size_t entries = 0;
    for (const std::vector<Slot>& array : state.members) entries += array.size();
    expect(entries == (indexed ? window.size() : 0), "the index arrays do not hold every point once");
    if (!indexed) return;
    const Cells cells(options, window.format());
    for (Slot slot = 0; slot < window.size(); ++slot) {
        const std::vector<Slot>& array =
            state.members[static_cast<std::size_t>(state.labels[slot]) * cells.count() + cells.of(window.groups(slot))];
        expect(state.position[slot] < array.size() && array[state.position[slot]] == slot,
               "a point is not at its index");
    }
}

void rename_clusters(State& state, std::span<const ClusterId> names, const Window& window) {
    const std::size_t k = state.squares.size();
    const std::size_t d = state.sums.size() / k;
    const std::size_t cells = state.members.size() / k;
    State named = state;
    for (std::size_t l = 0; l < k; ++l) {
        const auto name = static_cast<std::size_t>(names[l]);
        std::copy_n(&state.sums[l * d], d, &named.sums[name * d]);
        std::copy_n(&state.centres[l * d], d, &named.centres[name * d]);
        named.squares[name] = state.squares[l];
        named.peaks[name] = state.peaks[l];
        if (!state.heaviest.empty()) named.heaviest[name] = state.heaviest[l];
        if (!state.centres_before_placing.empty())
            std::copy_n(&state.centres_before_placing[l * d], d, &named.centres_before_placing[name * d]);
        for (std::size_t i = 0; i < state.prices.size(); ++i) {
            const std::size_t width = state.prices[i].size() / k;
            std::copy_n(state.prices[i].begin() + static_cast<std::ptrdiff_t>(l * width), width,
                        named.prices[i].begin() + static_cast<std::ptrdiff_t>(name * width));
        }
        for (std::size_t j = 0; j < cells; ++j)
            named.members[name * cells + j] = std::move(state.members[l * cells + j]);
        for (std::size_t at = 0; at < state.moved.size(); at += k) named.moved[at + name] = state.moved[at + l];
    }
    for (ClusterId& label : named.labels)
        if (label != no_cluster) label = names[static_cast<std::size_t>(label)];
    named.tally.remove(state.labels, window.points().groups.data(), window.weights());
    named.tally.add(named.labels, window.points().groups.data(), window.weights());
    state = std::move(named);
}

}  // namespace fairstream::safairkm
