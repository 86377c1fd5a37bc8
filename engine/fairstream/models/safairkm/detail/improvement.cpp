#include <fairstream/models/safairkm/detail/improvement.hpp>
#include <fairstream/models/safairkm/detail/own_targets.hpp>

#include <algorithm>
#include <cmath>

#include <fairstream/fair_kmeans/detail/fair_path.hpp>
#include <fairstream/fair_kmeans/detail/repair.hpp>
#include <fairstream/fair_kmeans/detail/sample.hpp>
#include <fairstream/fair_kmeans/detail/updates.hpp>
#include <fairstream/models/safairkm/detail/model.hpp>
#include <fairstream/numeric/detail/match_labels.hpp>

namespace fairstream::safairkm {
namespace {

// Points on which plain clusterings are tried, and on which a better one is led to the target. The number grows until
// the sample has enough points of each group per cluster, without which prices of the sample carry no information.
constexpr Slot trial_sample = 1024;
constexpr double trial_points_per_cluster = 10;
// Shares of the budget for following the window and for trials of the plain clustering; the rest is saved for a new
// start.
constexpr double following_share = 0.4, search_share = 0.25;
// The plain clustering is updated with one improvement in this many.
constexpr std::uint64_t search_every = 4;
// A plain clustering is led to the target if it is cheaper by this share than the published one without its target. It
// is published if the result is cheaper by this share, since labels jump.
constexpr double promising_gain = 2e-3, clearly_better = 2e-3;
// Without that, a new start is made when this multiple of its price is saved, and keeps this multiple. If the target
// binds, a plain clustering that is no better may lead to a better fair one.
constexpr double savings_for_new_start = 4, savings_kept = 2;
constexpr int path_stages = 6, full_rounds = 2;
// Rounds with fixed counts in which a clustering is rearranged.
constexpr int rearranging_rounds = 2;
// Rounds of Lloyd's algorithm without a target at the beginning of a path.
constexpr int plain_rounds = 8;

// A clustering of a snapshot while it improves.
struct Attempt {
    State& state;
    double cost = 0;
    bool meets = false;
};

bool better(const Attempt& a, double cost, bool meets, double by) {
    return a.meets != meets ? a.meets : a.cost < cost * (1 - by);
}

class Improver {
public:
    Improver(const Options& options, State& state, const Window& window, double evaluations, ImprovementMemory& memory,
             const WorkHandle& work)
        : options_(options),
          window_(window),
          work_(work),
          memory_(memory),
          random_(options.seed, 0x100000000 + state.improvements),
          budget_(evaluations + state.unspent),
          granted_evaluations_(evaluations),
          pass_(static_cast<double>(window.size()) * options.clusters),
          labels_before_(state.labels),
          published_attempt_{state},
          new_attempt_{memory.new_state},
          path_sample_size_(path_sample_size()) {
        found_.number = published_attempt_.state.improvements + 1;
        found_.plain_centres = published_attempt_.state.plain_centres;
        found_.plain_cost = published_attempt_.state.plain_cost;
        found_.fair_cost = published_attempt_.state.fair_cost;
    }

    Improvement run() {
        measure(published_attempt_);
        const double cost = published_attempt_.cost;
        const bool meets = published_attempt_.meets;
        const bool searches = (found_.number - 1) % search_every == 0;
        if (searches) search();
        if (budget_.covers(pass_)) follow();
        const bool ends = work_.stopped();
        const bool rich = !ends && budget_.covers(savings_for_new_start * evaluations_of_new_start());
        const bool promised = !ends && (single_updates_failed_ || gain_ > promising_gain);
        if (rich || (promised && budget_.covers(evaluations_of_new_start())))
            begin_new_attempt(!promised && random_.below(2) == 0);
        const bool in_turn = single_updates_failed_ || found_.number % search_every == 0;
        if (meets && in_turn && !better(published_attempt_, cost, meets, 0) && budget_.covers(pass_))
            rearrange_snapshot();
        const bool takes_new =
            has_new_attempt_ && better(new_attempt_, published_attempt_.cost, published_attempt_.meets, clearly_better);
        Attempt& best = takes_new ? new_attempt_ : published_attempt_;
        if (takes_new) rename_to_match(best);
        if (better(best, cost, meets, 0)) {
            found_.labels = best.state.labels;
            found_.centres = best.state.centres;
        }
        found_.prices = best.state.prices;
        if (searches) {
            found_.fair_cost = best.cost;
            // A clustering that meets a target is also a clustering without one, so the plain cost is at most its cost.
            found_.plain_cost = std::min(found_.plain_cost, best.cost);
        }
        if (!has_target(targets_of(options_), window_.attributes())) found_.plain_cost = found_.fair_cost = 0;
        // Remaining evaluations are saved for a new start.
        found_.unspent =
            std::min(budget_.left(), (rich ? savings_kept : savings_for_new_start) * evaluations_of_new_start());
        return std::move(found_);
    }

private:
    void measure(Attempt& attempt) {
        Clustering c(options_, attempt.state, memory_.workspace, window_);
        attempt.cost = Model::objective(attempt.state);
        attempt.meets = c.meets_target();
    }

    // Runs rounds of fair assignments from the published clustering.
    void follow() {
        const auto rounds = std::max(1.0, std::floor(following_share * granted_evaluations_ / pass_));
        run_fair_rounds(published_attempt_, static_cast<int>(std::min(rounds, 64.0)));
    }

    // Rearranges the published clustering with its present counts. If the target is tight, changing counts loses more
    // of it than prices gain.
    void rearrange_snapshot() {
        {
            Clustering c(options_, published_attempt_.state, memory_.workspace, window_, window_.size());
            c.keep_index();
            if (!c.targeted) return;
            c.work = work_;
            c.relabel_all(labels_before_);
            c.refresh_centres();
            budget_.spend(rearrange(c, 1e-4, rearranging_rounds) * pass_);
        }
        measure(published_attempt_);
    }

    void run_fair_rounds(Attempt& attempt, int rounds) {
        {
            Clustering c(options_, attempt.state, memory_.workspace, window_, window_.size());
            c.keep_index();
            c.work = work_;
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

    // Improves the plain clustering by a few rounds on a fresh sample, then by trials; its cost is measured on all
    // points.
    void search() {
        const std::size_t d = window_.dimensions();
        const auto [rows, weights] = some_rows();
        PlainSearch plain(rows, weights, d,
                          found_.plain_centres.empty() ? published_attempt_.state.centres : found_.plain_centres);
        plain.follow(2, budget_);
        plain.search(search_share * granted_evaluations_ * search_every, budget_, random_);
        // The published clustering without its target, on the same points.
        PlainSearch without(rows, weights, d, published_attempt_.state.centres);
        without.follow(3, budget_);
        if (without.cost() < plain.cost()) {
            found_.plain_centres = without.centres();
        } else {
            found_.plain_centres = plain.centres();
            gain_ = 1 - plain.cost() / without.cost();
        }
        PlainSearch all(std::span(window_.features(0), window_.size() * d), window_.weights(), d, found_.plain_centres);
        all.follow(1, budget_);
        found_.plain_cost = all.cost();
    }

    struct SomeRows {
        std::vector<float> rows;
        std::vector<double> weights;  // empty: 1 each
    };
    // Returns equally spaced points from a random one on.
    [[nodiscard]] SomeRows some_rows() {
        const std::size_t d = window_.dimensions(), stride = std::max<std::size_t>(1, window_.size() / trial_sample);
        SomeRows some;
        for (std::size_t slot = random_.below(static_cast<std::uint32_t>(stride)); slot < window_.size();
             slot += stride) {
            const float* row = window_.features(static_cast<Slot>(slot));
            some.rows.insert(some.rows.end(), row, row + d);
            if (!window_.weights().empty()) some.weights.push_back(window_.weight(static_cast<Slot>(slot)));
        }
        return some;
    }

    [[nodiscard]] Slot path_sample_size() const {
        const Slot n = window_.size();
        const GroupTotals totals = group_totals(published_attempt_.state.tally);
        const GroupMasses masses = group_masses(published_attempt_.state.tally, published_attempt_.state.weight_unit());
        std::int64_t least = n;
        for (std::size_t a = 0; a < options_.targets.attribute.size() && !totals.empty(); ++a) {
            const std::vector<std::int64_t>& of_groups =
                totals[static_cast<std::size_t>(options_.targets.attribute[a])];
            const std::vector<bool> counted = counted_groups(targets_of(options_), masses, a);
            for (std::size_t j = 0; j < counted.size(); ++j)
                if (counted[j]) least = std::min(least, of_groups[j]);
        }
        const double wanted =
            trial_points_per_cluster * options_.clusters * n / static_cast<double>(std::max<std::int64_t>(1, least));
        return wanted < n ? std::min(n, std::max(trial_sample, static_cast<Slot>(wanted))) : n;
    }

    [[nodiscard]] double evaluations_of_new_start() const {
        const double on_sample = static_cast<double>(path_sample_size_) * options_.clusters;
        return (plain_rounds + path_stages) * on_sample + full_rounds * pass_;
    }

    // Leads a clustering of a sample to the target, then carries it over to all points. It is the plain one, or one
    // from fresh seeds, which may end better although it begins worse.
    void begin_new_attempt(bool from_seeds) {
        const Window sample = sample_of(window_, path_sample_size_, random_);
        Options of_sample = options_;
        of_sample.targets.rare_below = options_.targets.rare_below.of(1) * static_cast<double>(path_sample_size_) /
                                       static_cast<double>(window_.size());
        State small = Model::start(of_sample, sample);
        small.generator = Random(random_.next()).words();
        small.centres = found_.plain_centres.empty() ? published_attempt_.state.centres : found_.plain_centres;
        {
            Clustering c(of_sample, small, memory_.workspace, sample, sample.size());
            c.work = work_;
            if (from_seeds) seed_centres(c);
            c.begin_from_centres();
            if (c.targeted) {
                FairPath path(c, c.demands, memory_.assignment_of_sample);
                path.start(plain_rounds);
                for (int stage = 1; stage <= path_stages; ++stage) path.run_stage(stage / double{path_stages}, 1);
                path.copy_to_clustering();
                small.prices = path.prices();
            }
        }
        budget_.spend(evaluations_of_new_start() - full_rounds * pass_);
        new_attempt_.state = Model::start(options_, window_);
        new_attempt_.state.generator = published_attempt_.state.generator;
        new_attempt_.state.centres = small.centres;
        Clustering(options_, new_attempt_.state, memory_.workspace, window_, window_.size()).begin_from_centres();
        new_attempt_.state.prices = small.prices;
        run_fair_rounds(new_attempt_, full_rounds);
        has_new_attempt_ = true;
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
    Budget budget_;
    double granted_evaluations_;  // for this improvement
    double pass_;                 // evaluations of all points with all clusters
    double gain_ = 0;             // relative gain in cost of the plain clustering
    std::vector<ClusterId> labels_before_;
    Attempt published_attempt_, new_attempt_;
    Slot path_sample_size_;  // number of points on which a clustering is led to the target
    bool has_new_attempt_ = false;
    bool single_updates_failed_ = false;  // whether updates of single points did not meet the target
    Improvement found_;
};

}  // namespace

// Returns the largest number of evaluations that `Improver::run` saves: when a clustering is led to the target on all
// points of a full window.
double most_unspent(const Options& options, Slot capacity) {
    const double pass = static_cast<double>(capacity) * options.clusters;
    return savings_for_new_start * (plain_rounds + path_stages + full_rounds) * pass;
}

std::uint64_t Model::improvement_interval(const Options& options, const Window& window) {
    // If swaps without a target trade cost for balance, it is undefined which of two clusterings is better.
    const bool comparable = options.swaps == 0 || has_target(targets_of(options), window.attributes());
    if (options.effort <= 0 || !comparable || options.centre_update == CentreUpdate::paper ||
        options.swap == Swap::nearest || window.size() < static_cast<std::size_t>(options.clusters))
        return 0;
    // Number of points that pay for two evaluations of every point with every cluster.
    const double points = static_cast<double>(window.size()) / (8 * options.effort);
    return static_cast<std::uint64_t>(std::max(1.0, std::ceil(points)));
}

Improvement Model::improve(const Options& options, State& state, const Window& window, std::uint64_t points,
                           ImprovementMemory& memory, const WorkHandle& work) {
    constexpr double evaluations = 16;  // per cluster and arriving point, at effort 1
    if (!state.started || Model::improvement_interval(options, window) == 0) return {};
    if (work.left() < work_of_pass(window, static_cast<std::size_t>(options.clusters))) {
        work.note_cut();
        return {};
    }
    const Options counting = without_memory(options, group_masses(state.tally, state.weight_unit()));
    return Improver(counting, state, window,
                    evaluations * options.effort * options.clusters * static_cast<double>(points), memory, work)
        .run();
}

}  // namespace fairstream::safairkm
