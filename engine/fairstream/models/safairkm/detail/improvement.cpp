#include <fairstream/models/safairkm/detail/improvement.hpp>
#include <fairstream/models/safairkm/detail/own_targets.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

#include <fairstream/fair_kmeans/detail/centre_seeds.hpp>
#include <fairstream/fair_kmeans/detail/centre_swaps.hpp>
#include <fairstream/fair_kmeans/detail/repair.hpp>
#include <fairstream/fair_kmeans/detail/sample.hpp>
#include <fairstream/models/safairkm/detail/model.hpp>
#include <fairstream/numeric/detail/match_labels.hpp>

namespace fairstream::safairkm {
namespace {

// Bound of the evaluations of an improvement: this many passes over all points, and the rounds that carry a better
// clustering over from the sample.
constexpr double most_passes = 16;
constexpr int carrying_rounds = 2;
// Points among which centres are swapped: this share of a window, within bounds. The number grows until the sample has
// enough points of each group per cluster, without which its prices carry no information.
constexpr Slot least_sample = 1024, usual_sample = 8192, sampled_part = 16;
constexpr double sampled_points_per_cluster = 10;
// Rounds on a new sample before swaps are tried.
constexpr int settling_rounds = 3;
// All points are placed anew if the mean `Clustering::excess` of the sample is above this share of the cost.
constexpr double worthwhile_excess = 1e-3;
// A clustering of the sample is carried over to all points if it is cheaper by this share. It is published if it is
// then also cheaper by this share on all points, because labels jump.
constexpr double clearly_better = 2e-3;
// If there are more than this many times as many points as in the sample, the centres found are tested on another
// sample before they are carried over.
constexpr Slot usefully_tested = 4;
// Rounds with fixed counts in which a clustering is rearranged.
constexpr int rearranging_rounds = 2;
// After an improvement that lowers the cost by a smaller share than `small_gain`, the next waits twice as long, at most
// until four windows of points have arrived. After one that lowers it by `large_gain` it waits half as long, and after
// `jump` not at all.
constexpr double small_gain = 4e-3, large_gain = 1e-2, jump = 2e-2;
constexpr double longest_wait = 4;
constexpr std::uint32_t most_doubled = 64;
// The cost without the target is computed with one improvement in this many, and when the last such cost is out of
// date.
constexpr std::uint64_t plain_every = 4;
constexpr int plain_rounds = 2;

// A clustering of a snapshot while it improves.
struct Attempt {
    State& state;
    double cost = 0;
    bool meets = false;
};

bool better(const Attempt& a, double cost, bool meets, double by) {
    return a.meets != meets ? a.meets : a.cost < cost * (1 - by);
}

// Returns the number of points of the rarest group that counts.
std::int64_t rarest_group(const Options& options, const State& state, const Window& window) {
    const GroupTotals totals = group_totals(state.tally);
    const GroupMasses masses = group_masses(state.tally, state.weight_unit());
    std::int64_t least = window.size();
    for (std::size_t a = 0; a < options.targets.attribute.size() && !totals.empty(); ++a) {
        const std::vector<std::int64_t>& of_groups = totals[static_cast<std::size_t>(options.targets.attribute[a])];
        const std::vector<bool> counted = counted_groups(targets_of(options), masses, a);
        for (std::size_t j = 0; j < counted.size(); ++j)
            if (counted[j]) least = std::min(least, of_groups[j]);
    }
    return least;
}

// Returns how often the wait for an improvement is doubled after one from this cost to `best`.
std::uint32_t next_pause(std::uint32_t pause, const Attempt& best, double cost, bool meets) {
    if (better(best, cost, meets, jump)) return 0;
    if (better(best, cost, meets, large_gain)) return pause - std::min(pause, 1U);
    return better(best, cost, meets, small_gain) ? pause : pause + 1;
}

// Returns demands on all points as demands on a sample of this share of them.
Demands demands_on_sample(Demands demands, double share) {
    if (demands.of_sizes.empty()) return demands;
    SizeDemand& sizes = demands.of_sizes;
    sizes.at_least = static_cast<std::int64_t>(share * static_cast<double>(sizes.at_least));
    sizes.at_most = static_cast<std::int64_t>(std::ceil(share * static_cast<double>(sizes.at_most)));
    return demands;
}

class Improver {
public:
    Improver(const Options& options, State& state, const Window& window, ImprovementMemory& memory,
             const WorkHandle& work)
        : options_(options),
          window_(window),
          work_(work),
          memory_(memory),
          random_(options.seed, 0x100000000 + state.improvements),
          pass_(static_cast<double>(window.size()) * options.clusters),
          granted_(std::min(state.unspent, most_passes * pass_)),
          budget_(granted_),
          labels_before_(state.labels),
          published_{state},
          new_{memory.new_state} {
        found_.number = state.improvements + 1;
        found_.plain_centres = state.plain_centres;
        found_.plain_cost = state.plain_cost;
        found_.fair_cost = state.fair_cost;
    }

    Improvement run() {
        measure(published_);
        const double cost = published_.cost;
        const bool meets = published_.meets;
        const bool targeted = has_target(targets_of(options_), window_.attributes());
        const Sample sample = draw_sample();
        const bool has_new = search(sample);
        const bool is_behind = !meets || sample.excess > worthwhile_excess * cost || (targeted && !sample.has_prices);
        if ((has_new || is_behind) && !work_.stopped() && budget_.covers(pass_)) run_fair_rounds(published_, 1);
        if (meets && targeted && single_updates_failed_ && !better(published_, cost, meets, 0) && budget_.covers(pass_))
            rearrange_snapshot();
        const bool takes_new = has_new && better(new_, published_.cost, published_.meets, clearly_better);
        Attempt& best = takes_new ? new_ : published_;
        if (takes_new) rename_to_match(best);
        if (better(best, cost, meets, 0)) {
            found_.labels = best.state.labels;
            found_.centres = best.state.centres;
        }
        if (has_new || is_behind) found_.prices = best.state.prices;
        found_.pause = next_pause(published_.state.search_pause, best, cost, meets);
        const bool is_out_of_date = !describes_present(published_.state.fair_cost, cost);
        if (targeted && ((found_.number - 1) % plain_every == 0 || is_out_of_date)) compare_without_target(best.cost);
        if (!targeted) found_.plain_cost = found_.fair_cost = 0;
        found_.spent = granted_ - budget_.left();
        return std::move(found_);
    }

private:
    void measure(Attempt& attempt) {
        Clustering c(options_, attempt.state, memory_.workspace, window_);
        attempt.cost = Model::objective(attempt.state);
        attempt.meets = c.meets_target();
    }

    // Rearranges the published clustering with its present counts. If the target is tight, changed counts miss it by
    // more than prices gain.
    void rearrange_snapshot() {
        {
            Clustering c(options_, published_.state, memory_.workspace, window_, window_.size());
            c.keep_index();
            c.work = work_;
            c.relabel_all(labels_before_);
            c.refresh_centres();
            budget_.spend(rearrange(c, 1e-4, rearranging_rounds) * pass_);
        }
        measure(published_);
    }

    void run_fair_rounds(Attempt& attempt, int rounds) {
        {
            Clustering c(options_, attempt.state, memory_.workspace, window_, window_.size());
            c.keep_index();
            c.work = work_;
            if (&attempt == &published_) c.charge_changes();
            FairLloyd lloyd(c, memory_.assignment);
            lloyd.resume(attempt.state.prices);
            for (int i = 0; i < rounds; ++i) {
                const std::size_t moved = lloyd.round(c.demands);
                budget_.spend(pass_);
                if (moved == 0 || work_.stopped()) break;
            }
            attempt.state.prices = lloyd.prices();
            lloyd.copy_to(c);
            if (c.falls_short()) repair(c);
            if (c.falls_short() && c.verdict() == Outcome::stalled) {
                single_updates_failed_ = true;
                budget_.spend(reassign_repeatedly(c) * pass_);
            }
        }
        measure(attempt);
    }

    // Points drawn from the snapshot.
    struct Sample {
        Window points;
        std::vector<std::uint32_t> attributes;  // of the demands
        Demands demands;
        bool has_prices;  // whether the published prices belong to the demands
        double excess;    // mean of `Clustering::excess` of the published clustering
    };

    Sample draw_sample() {
        const Slot points = sample_size(window_.size(), rarest_group(options_, published_.state, window_),
                                        static_cast<std::size_t>(options_.clusters), sampled_points_per_cluster,
                                        std::clamp(window_.size() / sampled_part, least_sample, usual_sample));
        const std::vector<Slot> slots = draw_slots(window_.size(), points, random_);
        Window sample = sample_of(window_, slots);
        const Clustering c(options_, published_.state, memory_.workspace, window_);
        double excess = 0;
        for (const Slot slot : slots) excess += c.excess(slot);
        return {std::move(sample), c.cells.balanced(),
                demands_on_sample(c.demands, points / static_cast<double>(window_.size())), c.has_prices(),
                excess / static_cast<double>(slots.size())};
    }

    // Searches a better clustering on a sample and carries it over to all points. Returns whether there is one.
    bool search(const Sample& sample) {
        CentreSwaps swaps(sample.points, published_.state.centres, sample.attributes, sample.demands,
                          memory_.assignment_of_sample, work_);
        swaps.resume(published_.state.prices);
        swaps.follow(settling_rounds, budget_);
        const double before = swaps.cost();
        swaps.search(budget_, random_);
        // Centres drawn anew leave a basin that swaps of single centres do not leave.
        if (swaps.cost() >= before * (1 - clearly_better)) {
            const CentreSeeds seeds(sample.points, sample.attributes, static_cast<std::size_t>(options_.clusters));
            swaps.try_others(seeds.draw(found_.number, random_), budget_);
        }
        if (swaps.cost() >= before * (1 - clearly_better)) return false;
        const bool is_small = sample.points.size() < window_.size() / usefully_tested;
        if (is_small && !is_cheaper_elsewhere(sample, swaps)) return false;
        new_.state = Model::start(options_, window_);
        new_.state.generator = published_.state.generator;
        new_.state.centres.assign(swaps.centres().begin(), swaps.centres().end());
        Clustering(options_, new_.state, memory_.workspace, window_, window_.size()).begin_from_centres();
        new_.state.prices = swaps.prices();
        run_fair_rounds(new_, carrying_rounds);
        return true;
    }

    // Returns whether the found centres are cheaper than the published centres on another sample. Centres fit the
    // sample on which they were found better than other points.
    bool is_cheaper_elsewhere(const Sample& sample, const CentreSwaps& found) {
        const Window others = sample_of(window_, draw_slots(window_.size(), sample.points.size(), random_));
        const auto cost = [&](std::span<const float> centres, const CentreSwaps::Prices& prices) {
            FairLloyd lloyd(others, centres, sample.attributes, memory_.assignment_of_sample);
            lloyd.work = work_;
            lloyd.resume(prices);
            (void)lloyd.round(sample.demands);
            budget_.spend(static_cast<double>(others.size()) * options_.clusters);
            return lloyd.cost(sample.demands);
        };
        return cost(found.centres(), found.prices()) < cost(published_.state.centres, published_.state.prices);
    }

    // Continues a clustering without the target and notes both costs.
    void compare_without_target(double cost) {
        const Window sample = sample_of(window_, draw_slots(window_.size(), least_sample, random_));
        const Demands none;
        CentreSwaps swaps(sample, found_.plain_centres.empty() ? published_.state.centres : found_.plain_centres, {},
                          none, memory_.assignment_of_sample, work_);
        swaps.follow(plain_rounds, budget_);
        swaps.search(budget_, random_);
        const Options plain = with_targets(options_, without_targets(options_.targets));
        State& state = memory_.new_state;
        state = Model::start(plain, window_);
        state.centres.assign(swaps.centres().begin(), swaps.centres().end());
        Clustering(plain, state, memory_.workspace, window_, window_.size()).begin_from_centres();
        work_.settle(work_of_pass(window_, state.squares.size()));
        budget_.spend(pass_);
        found_.plain_centres = state.centres;
        found_.fair_cost = cost;
        // A clustering that meets a target is also a clustering without one, so the plain cost is at most its cost.
        found_.plain_cost = std::min(Model::objective(state), cost);
    }

    // Renames clusters to match the former labels best.
    void rename_to_match(Attempt& attempt) {
        const std::vector<ClusterId> names =
            match_labels(labels_before_, attempt.state.labels, attempt.state.squares.size());
        rename_clusters(attempt.state, names, window_);
    }

    const Options& options_;
    const Window& window_;
    const WorkHandle work_;
    ImprovementMemory& memory_;
    Random random_;
    double pass_;     // evaluations of all points with all clusters
    double granted_;  // evaluations that may be spent
    Budget budget_;
    std::vector<ClusterId> labels_before_;
    Attempt published_, new_;
    bool single_updates_failed_ = false;  // whether updates of single points did not meet the target
    Improvement found_;
};

}  // namespace

namespace {

// Returns whether an improvement may spend what a search on its sample and rounds on all points need. With less it
// would find nothing.
bool is_affordable(const Options& options, const State& state, const Window& window) {
    constexpr double passes_of_sample = 10, passes = 3;
    const Slot n = window.size(), sample = std::clamp(n / sampled_part, least_sample, usual_sample);
    return state.unspent >= options.clusters * (passes_of_sample * std::min(n, sample) + passes * n);
}

}  // namespace

ImprovementIntervals Model::improvement_intervals(const Options& options, const State& state, const Window& window) {
    if (!improves_itself(options, window)) return {};
    const auto n = static_cast<double>(window.size());
    // Number of points that grant two evaluations of every point with every cluster.
    const double shortest = std::max(1.0, std::ceil(n / (8 * options.effort)));
    const auto doubled = static_cast<int>(std::min(state.search_pause, most_doubled));
    const double wait = std::min(std::ldexp(shortest, doubled), std::max(shortest, longest_wait * n));
    return {.begin = is_affordable(options, state, window) ? static_cast<std::uint64_t>(wait)
                                                           : std::numeric_limits<std::uint64_t>::max(),
            .apply = static_cast<std::uint64_t>(shortest)};
}

Improvement Model::improve(const Options& options, State& state, const Window& window, ImprovementMemory& memory,
                           const WorkHandle& work) {
    // Another point of a live front may afford an improvement earlier.
    if (!state.started || !improves_itself(options, window) || !is_affordable(options, state, window)) return {};
    if (static_cast<double>(work.left()) < work_of_pass(window, static_cast<std::size_t>(options.clusters))) {
        work.note_cut();
        return {};
    }
    const Options counting = without_memory(options, group_masses(state.tally, state.weight_unit()));
    return Improver(counting, state, window, memory, work).run();
}

}  // namespace fairstream::safairkm
