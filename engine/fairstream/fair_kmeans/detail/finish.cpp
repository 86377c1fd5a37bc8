#include <fairstream/fair_kmeans/detail/finish.hpp>

#include <algorithm>
#include <limits>
#include <utility>
#include <vector>

#include <fairstream/fair_kmeans/detail/repair.hpp>
#include <fairstream/fair_kmeans/detail/stored_centres.hpp>
#include <fairstream/fair_kmeans/detail/updates.hpp>
#include <fairstream/fairness/attainable.hpp>
#include <fairstream/numeric/detail/interruption.hpp>

namespace fairstream::safairkm {
namespace {

// A sweep that lowers f1 by a smaller share is the last one.
constexpr double least_gain = 1e-7;
constexpr int sweep_limit = 1000;
constexpr Slot sweep_check_interval = 1024;

// Candidates on each side of an exchange while the balance is kept. On a path of Adult at balance .48, 8, 32 and 256
// candidates end 0.27, 0.26 and 0.23 % above a linear programme, and 256 take four times as long as 8.
constexpr std::size_t exchange_candidates = 64;

// A round of rearranging that lowers f1 by a smaller share is the last one.
constexpr double rearranged = 1e-5;
constexpr int rearrange_limit = 30;
// Number of new searches for counts: Adult in 50 clusters at 98 % of the best balance gains 0.4 % from them.
constexpr int recounts = 4;

// In larger windows single points are not visited after prices have placed all points.
constexpr Slot descent_limit = 65536;

}  // namespace

void descend(Clustering& c, Rule rule, Solve& solve, WorkDone& done) {
    double cost = objective(c.state);
    for (int sweep = 0; sweep < sweep_limit; ++sweep) {
        std::int64_t moved = 0;
        for (Slot slot = 0; slot < c.window.size(); ++slot) {
            if (slot % sweep_check_interval == 0) {
                check_interrupted();
                c.work.settle(c.work_of_visits(std::min(sweep_check_interval, c.window.size() - slot)));
                if (slot > 0 && done.stopped()) break;
            }
            moved += improve(c, slot, rule);
        }
        ++solve.iterations;
        solve.moves += moved;
        const double now = objective(c.state);
        if (moved == 0 || now >= cost * (1 - least_gain) || !done.add(0)) return;
        cost = now;
    }
}

namespace {

// Result of placing all points anew.
struct Recount {
    bool is_cheaper = false;
    std::size_t ways = 0;  // number of counts to choose from
};

// Places all points anew and lowers the cost again. Takes the counts of this rank among the counts that the present
// prices suggest. Near a target that is hard to meet, the counts reached by moves and exchanges are not the best.
// Restores the labels if nothing is gained.
Recount recount(Clustering& c, std::size_t rank, Solve& solve, WorkDone& done) {
    if (c.falls_short()) return {};
    const std::vector<ClusterId> labels = c.state.labels;
    const double cost = objective(c.state);
    constexpr bool thorough = false;
    const std::size_t ways = reassign(c, thorough, rank);
    if (ways > 0) {
        rearrange(c, rearranged, rearrange_limit);
        descend(c, Rule::keep_balance, solve, done);
        if (!c.falls_short() && objective(c.state) < cost * (1 - rearranged)) return {true, ways};
    }
    c.relabel_all(labels);
    c.refresh_centres();
    return {false, ways};
}

// Searches new counts a few times while that gains. Also tries the second cheapest counts, since counts that cost less
// at first may end at a higher cost.
void recount(Clustering& c, Solve& solve, WorkDone& done) {
    for (int i = 0; i < recounts && done.add(0); ++i) {
        const Recount cheapest = recount(c, 0, solve, done);
        if (!cheapest.is_cheaper && (cheapest.ways < 2 || !recount(c, 1, solve, done).is_cheaper)) break;
    }
}

// Lowers the cost while demands are met; does nothing if the work must end.
void lower_cost(Clustering& c, Solve& solve, WorkDone& done) {
    // Prices leave single points undecided, which matter less in larger clusters.
    if (c.window.size() > descent_limit || !done.add(0)) return;
    c.set_candidate_count(exchange_candidates);
    descend(c, Rule::keep_balance, solve, done);
    if (c.demands.of_groups.empty()) return;
    if (done.add(0) && rearrange(c, rearranged, rearrange_limit) > 1) descend(c, Rule::keep_balance, solve, done);
    recount(c, solve, done);
}

// For points of different weights, raises the target from the part that was asked for to the whole, if moves and
// exchanges reach it; otherwise restores the labels.
void raise_to_full_target(Clustering& c, Solve& solve, WorkDone& done) {
    if (!c.weighted || !done.add(0) || c.verdict() != Outcome::stalled) return;
    const std::vector<ClusterId> labels = c.state.labels;
    const Demands part = std::exchange(c.demands, c.target_demands);
    const std::int64_t updates = repair(c);
    if (c.meets_target()) {
        solve.swaps += updates;
        if (c.window.size() <= descent_limit) descend(c, Rule::keep_balance, solve, done);
        return;
    }
    c.demands = part;
    c.relabel_all(labels);
    c.refresh_centres();
}

}  // namespace

Outcome finish(Clustering& c, Solve& solve, WorkDone& done) {
    if (c.falls_short()) solve.swaps += repair(c);
    constexpr bool thorough = true;
    if (c.falls_short()) {
        const BeforePlacing before(c);
        reassign(c, thorough);
        before.store_if_costlier(c);
    }
    lower_cost(c, solve, done);
    raise_to_full_target(c, solve, done);
    return c.verdict();
}

double share_of_best_ratio(const Clustering& c) {
    double part = 1;
    for (const Demand& demand : c.target_demands.of_groups) {
        if (demand.of_shares()) continue;
        const auto attribute = static_cast<int>(demand.attribute);
        std::int64_t least = std::numeric_limits<std::int64_t>::max();
        for (int j = 0; j < c.state.tally.known_groups(attribute); ++j) {
            std::int64_t points = 0;
            for (ClusterId l = 0; l < c.state.tally.clusters(); ++l)
                points += c.state.tally.count(l, attribute, static_cast<GroupId>(j));
            if (demand.weight(static_cast<std::size_t>(j)) > 0) least = std::min(least, points);
        }
        if (least > exact_split_limit) part = std::min(part, 1 - static_cast<double>(c.k) / static_cast<double>(least));
    }
    return part;
}

}  // namespace fairstream::safairkm
