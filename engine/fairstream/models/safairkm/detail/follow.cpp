#include <algorithm>
#include <cmath>

#include <fairstream/fair_kmeans/detail/fair_lloyd.hpp>
#include <fairstream/models/safairkm/detail/improvement.hpp>

namespace fairstream::safairkm {
namespace {

// Share of the granted evaluations for following the window; the search gets the rest.
constexpr double following_share = 0.5;
constexpr int most_rounds = 20;
// If a first round moves a smaller share of the points than `few`, the next first round waits twice as long, up to half
// a window. After a larger share than `many` it does not wait. Rounds end when a round moves a smaller share than
// `hardly`.
constexpr double few = 0.005, many = 0.02, hardly = 0.001;
// A change of the cost by this share shows that the window has changed.
constexpr double changed_cost = 0.02;

}  // namespace

bool improves_itself(const Options& options, const Window& window) {
    // If swaps without a target trade cost for balance, it is undefined which of two clusterings is better.
    const bool comparable = options.swaps == 0 || has_target(targets_of(options), window.attributes());
    return options.effort > 0 && comparable && options.centre_update == CentreUpdate::exact &&
           options.swap == Swap::exact_change && window.size() >= static_cast<std::size_t>(options.clusters);
}

double granted_evaluations(const Options& options, double points) {
    return evaluations_per_arrival * options.effort * options.clusters * points;
}

double most_unspent(const Options& options, Slot capacity) {
    constexpr double passes = 64;
    return passes * static_cast<double>(capacity) * options.clusters;
}

bool describes_present(double fair_cost, double cost) {
    constexpr double alike = 0.1;
    return std::abs(cost - fair_cost) <= alike * cost;
}

void grant(Clustering& c, std::size_t arrived) {
    c.state.unspent = std::min(c.state.unspent + granted_evaluations(c.options, static_cast<double>(arrived)),
                               most_unspent(c.options, c.window.capacity()));
}

void follow_in_step(Clustering& c, std::size_t arrived) {
    if (!improves_itself(c.options, c.window)) return;
    State& state = c.state;
    const auto n = static_cast<double>(c.window.size());
    const double pass = n * static_cast<double>(c.k);
    // A batch waits only for rounds that it pays for.
    const double paid = following_share * granted_evaluations(c.options, static_cast<double>(arrived)) / pass;
    state.since_followed += static_cast<double>(arrived);
    if (paid < 1) c.workspace.assignment.reset();
    if (paid < 1 || state.since_followed < state.follow_wait) return;
    const double granted = following_share * granted_evaluations(c.options, state.since_followed);
    const double affordable = std::min({std::min(granted, state.unspent) / pass, 4 * paid, double{most_rounds}});
    if (!c.workspace.assignment) c.workspace.assignment = std::make_unique<FairAssignment>();
    FairLloyd lloyd(c, *c.workspace.assignment);
    if (c.has_prices()) lloyd.resume(state.prices);
    double first = 0, moved = 1;
    for (int round = 0; round + 1 <= affordable && moved > hardly && !c.work.stopped(); ++round) {
        moved = static_cast<double>(lloyd.round(c.demands)) / n;
        state.unspent -= pass;
        if (round == 0) first = moved;
    }
    lloyd.copy_to(c);
    c.set_prices(lloyd.prices());
    if (first < few) state.follow_wait = std::min(n / 2, 2 * state.since_followed);
    if (first > many) state.follow_wait = 0;
    state.since_followed = 0;
}

void watch_cost(Clustering& c) {
    State& state = c.state;
    const double cost = objective(state);
    if (std::abs(cost - state.watched_cost) <= changed_cost * state.watched_cost) return;
    state.watched_cost = cost;
    state.follow_wait = 0;
    state.search_pause = 0;
}

}  // namespace fairstream::safairkm
