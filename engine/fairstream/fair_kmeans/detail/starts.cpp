#include <fairstream/fair_kmeans/detail/starts.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <limits>
#include <utility>

#include <fairstream/fair_kmeans/detail/basins.hpp>
#include <fairstream/fair_kmeans/detail/centre_swaps.hpp>
#include <fairstream/fair_kmeans/detail/fair_path.hpp>
#include <fairstream/fair_kmeans/detail/finish.hpp>
#include <fairstream/fair_kmeans/detail/partition_search.hpp>
#include <fairstream/fair_kmeans/detail/repair.hpp>
#include <fairstream/fair_kmeans/detail/rounds.hpp>
#include <fairstream/fair_kmeans/detail/sample.hpp>
#include <fairstream/fair_kmeans/detail/updates.hpp>
#include <fairstream/fair_kmeans/fair_labels_from_centres.hpp>
#include <fairstream/numeric/detail/interruption.hpp>

namespace fairstream::safairkm {
namespace {

// A round that lowers f1 by a smaller share gains nothing.
constexpr double worthwhile = 1e-7;

std::vector<double> balances_now(const Clustering& c) {
    std::vector<double> balances;
    for (std::size_t a = 0; a < c.cells.attributes(); ++a) balances.push_back(c.balance(a));
    return balances;
}

// Runs rounds of (n_a, n_b) until revisits of as many points as the window has bring neither a lower cost nor a higher
// balance.
void alternate(Clustering& c, Solve& solve, WorkDone& done) {
    const std::int64_t patience = 1 + c.window.size() / std::max(1, c.options.kmeans_updates);
    double cost = objective(c.state);
    std::vector<double> best = balances_now(c);
    for (std::int64_t since = 0; since < patience; ++since) {
        check_interrupted();
        run_round(c, c.options.kmeans_updates, solve);
        const double now = objective(c.state);
        if (now < cost * (1 - worthwhile)) since = -1;
        cost = std::min(cost, now);
        for (std::size_t a = 0; a < best.size(); ++a) {
            const double balance = c.balance(a);
            if (balance > best[a]) best[a] = balance, since = -1;
        }
        if (!done.add(0)) return;
    }
}

// A sample needs this many points per cluster of every group that counts; with fewer, its prices carry no information.
constexpr double sampled_per_cluster = 20;
// Number of stages of balance on the way to the target.
constexpr int stages = 64;
// Largest number of rounds on all points after starts on a sample.
constexpr int rounds_on_all = 40;

// Work is counted in rounds times points. The steps before and after a path's stages take `share_of_descent` of a
// start; the search for other basins takes `share_of_basins` of all starts.
constexpr double share_of_descent = 0.1, share_of_basins = 0.4;
double work_of_start(const Window& window) {
    return stages * FairPath::rounds_per_stage * static_cast<double>(window.size());
}

// Leads a clustering to the target by a path, then by moves and exchanges that keep it. Sets `prices` to the prices at
// the end of the path, which belong to its centres. If the work must end, takes the rest of the path in one stage.
Outcome reach_target(Clustering& c, Solve& solve, Prices& prices, WorkDone& done) {
    c.set_demands(share_of_best_ratio(c));
    FairPath path(c, c.demands);
    solve.iterations += path.start();
    done.add(share_of_descent * work_of_start(c.window));
    c.state.plain_cost = objective(c.state);
    for (int stage = 1; stage <= stages; ++stage) {
        path.run_stage(stage / static_cast<double>(stages));
        if (done.add((1 - 2 * share_of_descent) / stages * work_of_start(c.window))) continue;
        path.run_stage(1);
        break;
    }
    path.copy_to_clustering();
    c.state.prices = prices = path.prices();
    solve.swaps += path.repair();
    return finish(c, solve, done);
}

// Improves the clustering from its present labels until neither objective improves.
Outcome improve_to_optimum(Clustering& c, Solve& solve, Prices& prices, WorkDone& done) {
    if (c.targeted) return reach_target(c, solve, prices, done);
    if (c.options.swaps == 0)
        descend(c, Rule::cost, solve, done);
    else
        alternate(c, solve, done);
    return Outcome::converged;
}

// Swaps whole centres while that lowers the cost without demands. With only rounds from the seeds, some centres share a
// place, and other places have no centre.
void swap_centres(Clustering& c) {
    constexpr int rounds_before = 3;
    constexpr double most_passes = 50;
    const Demands none;
    FairAssignment memory;
    CentreSwaps swaps(c.window, c.state.centres, {}, none, memory, c.work);
    Budget budget(most_passes * static_cast<double>(c.window.size() * c.k));
    swaps.follow(rounds_before, budget);
    swaps.search(budget, c.random);
    c.state.centres.assign(swaps.centres().begin(), swaps.centres().end());
}

void run_start(const Options& options, const Window& window, int number, Start& start, WorkDone& done) {
    if (number > 0) {
        start.state = start_state(options, window);
        start.state.generator = Random(options.seed, static_cast<std::uint64_t>(number)).words();
    }
    Clustering c(options, start.state, start.workspace, window, window.size());
    c.work = done.handle();
    c.list_entries();
    if (!start.state.started) {
        if (number > 0) seed_centres(c);
        swap_centres(c);
        c.begin_from_centres();
        c.work.settle(c.work_of_pass());
    } else {
        start.state.centres_before_placing.clear();
        c.keep_index();
        c.refresh_centres();
        c.reseed_empty_clusters();
    }
    start.solve.outcome = improve_to_optimum(c, start.solve, start.prices, done);
    start.solve.objective = objective(start.state);
    start.target_shortfall = c.target_shortfall();
    done.add((c.targeted ? share_of_descent : 1) * work_of_start(window));
}

// Runs rounds of Lloyd's algorithm with fair assignments, from centres and prices of a sample, until few points move.
void follow_prices(Clustering& c, const Prices& prices, Solve& solve, WorkDone& done) {
    constexpr int limit = rounds_on_all;
    constexpr std::size_t few = 10000;  // fewer than one point in `few`
    c.set_demands(share_of_best_ratio(c));
    FairLloyd lloyd(c);
    if (!prices.empty()) lloyd.resume(prices);
    std::size_t moved = c.window.size();
    for (int round = 0; round < limit && moved > c.window.size() / few; ++round) {
        moved = lloyd.round(c.demands);
        ++solve.iterations;
        if (!done.add(c.window.size())) break;
    }
    lloyd.copy_to(c);
}

// Leads clusters from centres of `find_basins` to the target.
void run_basin(const Options& options, const Window& window, const PricedCentres& at, Start& start, WorkDone& done) {
    start.state = start_state(options, window);
    start.state.centres = at.centres;
    start.state.plain_cost = std::numeric_limits<double>::infinity();
    Clustering c(options, start.state, start.workspace, window, window.size());
    c.list_entries();
    c.begin_from_centres();
    c.set_demands(share_of_best_ratio(c));
    c.work = done.handle();
    FairLloyd lloyd(window, at.centres, c.cells.balanced());
    lloyd.work = c.work;
    lloyd.resume(at.prices);
    start.solve.iterations += lloyd.converge(c.demands, rounds_on_all);
    lloyd.copy_to(c);
    c.state.prices = start.prices = lloyd.prices();
    start.solve.outcome = finish(c, start.solve, done);
    start.solve.objective = objective(start.state);
    start.target_shortfall = c.target_shortfall();
}

// Returns whether the target makes clusters so expensive that there may be cheaper clusters in other basins.
bool needs_basin_search(const std::vector<Start>& starts) {
    double plain = std::numeric_limits<double>::infinity();
    for (const Start& start : starts) plain = std::min(plain, start.state.plain_cost);
    return std::ranges::min_element(starts, is_better)->solve.objective > (1 + cost_rise_for_basins) * plain;
}

// Searches centres for the demands of a clustering.
std::vector<PricedCentres> basins_for(const Options& options, const Window& window, State state, WorkDone& done) {
    constexpr std::size_t most_basins = 3;
    Workspace workspace;
    Clustering c(options, state, workspace, window, window.size());
    c.set_demands(share_of_best_ratio(c));
    const std::vector<std::uint32_t> attributes = c.cells.balanced();
    return find_basins({window, c.k, attributes, c.demands, options.seed},
                       tries_for_each_start * static_cast<std::size_t>(options.starts), most_basins, done);
}

// Adds starts from basins that no path reaches.
void add_other_basins(const Options& options, const Window& window, std::vector<Start>& starts, WorkDone& done) {
    const double work = share_of_basins * options.starts * work_of_start(window);
    if (!has_target(targets_of(options), window.attributes()) || !needs_basin_search(starts) || !done.add(0)) return;
    const std::vector<PricedCentres> found = basins_for(options, window, starts.front().state, done);
    if (!done.add(work / 2)) return;
    const std::size_t before = starts.size();
    starts.resize(before + found.size());
    WorkShares shares(done.handle(), found.size());
    parallel_for(std::size_t{0}, found.size(), [&](std::size_t i) {
        WorkDone own(done, shares[i]);
        run_basin(options, window, found[i], starts[before + i], own);
        own.add(work / 2 / static_cast<double>(found.size()));
    });
}

// Makes the starts [first, last), each as a task with its own state and generator, so the result does not depend on
// scheduling. The very first start continues from the given state. If the work must end, only start `first` is certain
// to begin.
std::vector<Start> run_starts(const Options& options, const State& state, const Window& window, int first, int last,
                              WorkDone& done) {
    std::vector<Start> starts(static_cast<std::size_t>(last - first));
    WorkShares shares(done.handle(), starts.size());
    parallel_for(std::size_t{0}, starts.size(), [&](std::size_t i) {
        const int number = first + static_cast<int>(i);
        if (number == 0) starts[i].state = state;
        WorkDone own(done, shares[i]);
        if (i == 0 || !own.stopped()) run_start(options, window, number, starts[i], own);
    });
    std::erase_if(starts, [](const Start& start) { return start.state.labels.empty(); });
    return starts;
}

// Makes the starts from `next` on, as many as the budget allows, then starts in other basins if the budget allows these
// as well. Returns the best. Sets `next` to the first start that was not made: to `options.starts` if only the other
// basins are left, to one more if nothing is left.
Start best_start(const Options& options, const State& state, const Window& window, int& next, WorkDone& done) {
    constexpr int together = 4;  // starts that share the rest of a budget
    const bool limited = done.handle().left() != no_work_limit;
    std::vector<Start> starts;
    if (next >= options.starts) starts = run_starts(options, state, window, 0, 1, done);
    for (bool goes_on = true; goes_on && next < options.starts;) {
        const std::uint64_t before = done.handle().left();
        const int last = limited ? std::min(next + together, options.starts) : options.starts;
        std::ranges::move(run_starts(options, state, window, next, last, done), std::back_inserter(starts));
        next = last;
        // The next batch of starts is made if the budget is enough for as much work as this batch took.
        const std::uint64_t left = done.handle().left(), taken = before - left;
        goes_on = !done.stopped() && (!limited || left - left / 4 >= taken);
    }
    if (next >= options.starts &&
        (!done.stopped() || !limited || !has_target(targets_of(options), window.attributes()))) {
        add_other_basins(options, window, starts, done);
        next = options.starts + 1;
    }
    Start& best = *std::ranges::min_element(starts, is_better);
    // Least cost of the same starts without a target.
    for (const Start& start : starts) best.state.plain_cost = std::min(best.state.plain_cost, start.state.plain_cost);
    return std::move(best);
}

// Returns whether prices found on a sample are valid for all points.
bool represents_all(const Demands& demands, const State& state, std::size_t points) {
    const std::vector<std::vector<std::int64_t>> totals = group_totals(state.tally);
    const double share = refine_sample / static_cast<double>(points);
    const auto enough = sampled_per_cluster * static_cast<double>(state.squares.size());
    for (const Demand& demand : demands.of_groups)
        for (std::size_t j = 0;
             j < static_cast<std::size_t>(state.tally.known_groups(static_cast<int>(demand.attribute))); ++j)
            if (demand.weight(j) > 0 && share * static_cast<double>(totals[demand.attribute][j]) < enough) return false;
    return demands.of_sizes.empty();
}

// Sets the clusters to the best of all clusterings, if points are few enough to examine all. With alternating
// objectives (`swaps` without targets) there is no best one. A target that none of them meets is unattainable.
void search_exhaustively(const Options& options, const Window& window, Start& start) {
    if (options.swaps > 0 && !has_target(targets_of(options), window.attributes())) return;
    Clustering c(options, start.state, start.workspace, window, window.size());
    if (!are_few(c)) return;
    const auto points = static_cast<double>(window.size());
    const double squares = objective(start.state) * points;
    c.keep_index();
    c.set_demands(1);
    const bool meets = start.target_shortfall == 0;
    PartitionSearch found =
        search_partitions(c, c.target_demands, 0, meets ? squares : std::numeric_limits<double>::infinity());
    const bool is_unattainable = !meets && found.is_complete && found.labels.empty();
    if (is_unattainable) found = search_partitions(c, c.demands, c.demand_shortfall(), squares);
    if (!found.labels.empty()) {
        c.relabel_all(found.labels);
        c.refresh_centres();
        start.solve.objective = objective(start.state);
        start.target_shortfall = c.target_shortfall();
        start.solve.outcome = c.targeted ? c.verdict() : Outcome::converged;
    }
    if (is_unattainable) start.solve.outcome = Outcome::unattainable;
    if (!c.targeted) return;
    const PartitionSearch plain = search_partitions(c, Demands{}, 0, start.state.plain_cost * points);
    if (!plain.labels.empty()) start.state.plain_cost = plain.squares / points;
}

}  // namespace

bool is_better(const Start& a, const Start& b) {
    constexpr double rounding = 1e-9;  // rounding error of numbers of points
    const double nearer = b.target_shortfall - a.target_shortfall;
    return std::abs(nearer) > rounding * (1 + a.target_shortfall) ? nearer > 0 : a.solve.objective < b.solve.objective;
}

Start best_start_on_sample(const Options& options, const State& state, const Window& window, int& next,
                           const WorkHandle& work) {
    Random random(options.seed, 0x100000000);
    const Window sample = sample_of(window, draw_slots(window.size(), refine_sample, random));
    const bool by_prices = represents_all(
        demands_for(targets_of(options), group_masses(state.tally, state.weight_unit())), state, window.size());
    Options of_starts = options;
    if (!by_prices) {
        of_starts.targets = without_targets(options.targets);
        of_starts.swaps = 0;
    }
    State begun = start_state(of_starts, sample);
    begun.centres = state.centres;
    const double on_all = by_prices ? rounds_on_all * window.size() : work_of_start(window);
    WorkDone done(work, (1 + share_of_basins) * options.starts * work_of_start(sample) + on_all);
    Start chosen;
    {
        WorkShares shares(work, 2);
        WorkDone on_sample(done, shares[0]);
        chosen = best_start(of_starts, begun, sample, next, on_sample);
    }
    Start best;
    best.state = start_state(options, window);
    best.state.centres = chosen.state.centres;
    best.state.plain_cost = chosen.state.plain_cost;
    Clustering c(options, best.state, best.workspace, window, window.size());
    c.work = work;
    c.list_entries();
    c.begin_from_centres();
    c.work.settle(c.work_of_pass());
    best.solve.iterations = chosen.solve.iterations;
    if (c.targeted && by_prices) {
        follow_prices(c, chosen.prices, best.solve, done);
        best.solve.outcome = finish(c, best.solve, done);
    } else {
        best.solve.outcome = improve_to_optimum(c, best.solve, best.prices, done);
    }
    best.solve.objective = objective(best.state);
    best.target_shortfall = c.target_shortfall();
    return best;
}

Start unchanged_start(const Options& options, const State& state, const Window& window) {
    Start start;
    start.state = state;
    start.prices = state.prices;
    Clustering c(options, start.state, start.workspace, window, window.size());
    c.set_demands(1);
    start.target_shortfall = c.target_shortfall();
    start.solve.outcome = c.targeted ? c.verdict() : Outcome::converged;
    start.solve.objective = objective(start.state);
    return start;
}

Start best_start_on_all(const Options& options, const State& state, const Window& window, int& next,
                        const WorkHandle& work) {
    WorkDone done(work, (1 + share_of_basins) * options.starts * work_of_start(window));
    Start best = best_start(options, state, window, next, done);
    if (!done.stopped()) search_exhaustively(options, window, best);
    return best;
}

std::vector<ClusterId> fair_labels_from_centres(const ClusterTargets& targets, const Window& window,
                                                std::span<const float> centres, std::uint64_t seed,
                                                const WorkHandle& work) {
    const Options options{.clusters = targets.clusters, .targets = static_cast<const Targets&>(targets), .seed = seed};
    Start start;
    start.state = start_state(options, window);
    start.state.centres.assign(centres.begin(), centres.end());
    WorkDone done(work, work_of_start(window));
    run_start(options, window, 0, start, done);
    return std::move(start.state.labels);
}

}  // namespace fairstream::safairkm
