#include <algorithm>
#include <numeric>
#include <optional>

#include <tbb/enumerable_thread_specific.h>
#include <tbb/task_arena.h>

#include <fairstream/fair_kmeans/detail/masses.hpp>
#include <fairstream/fair_kmeans/detail/repair.hpp>
#include <fairstream/fair_kmeans/detail/rounds.hpp>
#include <fairstream/fair_kmeans/detail/updates.hpp>
#include <fairstream/models/detail/run_followed.hpp>
#include <fairstream/models/safairkm/detail/front_list.hpp>
#include <fairstream/models/safairkm/detail/options.hpp>
#include <fairstream/numeric/detail/interruption.hpp>

namespace fairstream::safairkm {
namespace {

std::string text(const UpdatePair& pair) {
    return "(" + std::to_string(pair.kmeans_updates) + ", " + std::to_string(pair.swaps) + ")";
}

void check_pairs(const std::vector<UpdatePair>& pairs) {
    constexpr std::int64_t most = 1'000'000'000;
    if (pairs.empty()) throw InvalidInput(Reason::bad_option, "pairs: at least one (n_a, n_b) is needed");
    for (const UpdatePair& pair : pairs)
        if (pair.kmeans_updates < 0 || pair.swaps < 0 || pair.kmeans_updates > most || pair.swaps > most)
            throw InvalidInput(Reason::bad_option, "pair " + text(pair) + ": each count must be 0 to 1000000000");
    const std::int64_t total = pairs[0].kmeans_updates + pairs[0].swaps;
    for (const UpdatePair& pair : pairs)
        if (pair.kmeans_updates + pair.swaps != total)
            throw InvalidInput(Reason::bad_option, "pair " + text(pair) + " adds up to " +
                                                       std::to_string(pair.kmeans_updates + pair.swaps) + ", pair " +
                                                       text(pairs[0]) + " to " + std::to_string(total) +
                                                       ": all must add up to the same number");
    if (total == 0) throw InvalidInput(Reason::bad_option, "pair (0, 0): n_a + n_b must be at least 1");
}

// Returns f1 of all points in one cluster.
double cost_of_one_cluster(const Window& window) {
    const std::vector<ClusterId> labels(window.size());
    std::vector<double> sum(window.dimensions());
    double square = 0;
    accumulate(kernels(), window.features(0), window.size(), window.dimensions(), labels.data(), +1, window.weights(),
               sum.data(), &square);
    double n = static_cast<double>(window.size());
    if (const std::span<const double> weights = window.weights(); !weights.empty())
        n = std::accumulate(weights.begin(), weights.end(), 0.0);
    for (const double x : sum) square -= x * x / n;
    return std::max(0.0, square / n);
}

class WindowFrontSearch final : public FrontSearch<FrontOptions, Labelling> {
public:
    WindowFrontSearch(const FrontOptions& options, const Window& window, const OnProgress& on_progress,
                      const WorkHandle& work)
        : FrontSearch(options, on_progress),
          fairness_(options.model, options.measure, group_masses(window)),
          window_(window),
          work_(work) {}

private:
    bool begin() override {
        front_.reference_cost = cost_of_one_cluster(window_);
        const auto starts = static_cast<std::size_t>(options_.model.starts);
        bool go_on = true;
        WorkDone done(part_of_starts(), starts_work());
        while (go_on && starts_ < starts) {
            // The paths of one batch are in memory together before the list is filtered. The division into batches does
            // not affect the list.
            const auto threads = static_cast<std::size_t>(tbb::this_task_arena::max_concurrency());
            const std::size_t count = std::min(2 * threads, starts - starts_);
            add_starts(options_, fairness_, window_, starts_, count, done, list_);
            starts_ += count;
            if (starts_ == starts && options_.stages > 0 && !stopped()) search_beyond_paths();
            go_on = report_progress();
        }
        return go_on;
    }

    // Searches for labellings that paths from clusterings without demands miss.
    void search_beyond_paths() {
        WorkDone done(part_of_starts().part(1, 1), 1);
        add_basins(options_, fairness_, window_, done, list_);
        add_finished(fairness_, window_, done, list_);
    }
    [[nodiscard]] bool stopped() const override { return work_.stopped(); }
    [[nodiscard]] FrontProgress progress() const override { return {.starts = static_cast<int>(starts_)}; }
    [[nodiscard]] std::vector<double> by_attribute(const Labelling& labelling) const override {
        return fairness_.by_attribute(labelling.tally);
    }
    // A round takes about as long as a start.
    [[nodiscard]] double share_of(int starts, int rounds) const {
        return static_cast<double>(starts + rounds) / (options_.model.starts + options_.rounds);
    }
    [[nodiscard]] WorkHandle part_of_starts() const {
        return work_.part(0, share_of(options_.model.starts, 0), "starts");
    }
    [[nodiscard]] WorkHandle part_of_round() const {
        const int starts = options_.model.starts;
        return work_.part(share_of(starts, front_.rounds), share_of(starts, front_.rounds + 1), "round");
    }
    [[nodiscard]] double starts_work() const {
        return static_cast<double>(options_.model.starts) * std::max(options_.stages, 1);
    }

    // Runs one task for each labelling and pair, and one more for each labelling. Each task has its own generator.
    void round() override {
        const std::vector<TradeOff> points = points_of(list_);
        const std::size_t ways = options_.pairs.size() + (options_.improve ? 1 : 0);
        std::vector<std::optional<Labelling>> found(list_.size() * ways);
        WorkDone done(part_of_round(), static_cast<double>(std::max<std::size_t>(found.size(), 1)));
        parallel_for(std::size_t{0}, found.size(), [&](std::size_t task) {
            if (stopped()) return;
            FrontScratch& scratch = scratch_.local();
            update_labelling(list_[task / ways], task % ways, task, scratch);
            // Most results are dominated and not worth a copy.
            if (!covers(points, trade_off(fairness_, scratch.state)))
                found[task] = labelling_of(fairness_, scratch.state);
            done.add(1);
        });
        std::vector<Labelling> fresh;
        for (std::optional<Labelling>& labelling : found)
            if (labelling) fresh.push_back(std::move(*labelling));
        merge(list_, std::move(fresh));
    }

    // Updates a labelling by one of the pairs, or improves it at its balance; leaves the result in the scratch.
    void update_labelling(const Labelling& labelling, std::size_t way, std::size_t task, FrontScratch& scratch) const {
        const bool improves = way == options_.pairs.size();
        const UpdatePair pair = options_.pairs[improves ? 0 : way];
        Options options = improves ? fairness_.at_least(labelling.point.balance) : fairness_.without_target();
        const std::int64_t revisits = improves ? pair.kmeans_updates + pair.swaps : pair.kmeans_updates;
        options.swaps = static_cast<int>(improves ? 0 : pair.swaps);
        restore(options, window_, labelling, scratch.state);
        const auto round = static_cast<std::uint64_t>(front_.rounds);
        scratch.state.steps = round * static_cast<std::uint64_t>(options_.iterations);
        scratch.state.generator = Random(options.seed ^ (round + 1) * 0x9e3779b97f4a7c15, task).words();
        Clustering c(options, scratch.state, scratch.workspace, window_);
        c.keep_index();
        c.reseed_empty_clusters();
        Solve solve;
        for (int i = 0; i < options_.iterations; ++i)
            if (improves || fairness_.is_raised_by_swaps())
                run_round(c, revisits, solve);
            else
                raise(c, pair);
    }

    // Runs a round of Algorithm 2 for a measure other than balance. Its swaps are replaced by moves and swaps that
    // bring clusters nearer to the highest possible demands.
    void raise(Clustering& c, const UpdatePair& pair) const {
        c.begin_round();
        revisit(c, pair.kmeans_updates);
        if (pair.swaps == 0) return;
        c.demands = fairness_.all();
        repair_some(c, pair.swaps);
        c.demands = {};
    }

    const ModelFairness fairness_;
    const Window& window_;
    WorkHandle work_;
    std::size_t starts_ = 0;  // number of starts in the list
    tbb::enumerable_thread_specific<FrontScratch> scratch_;
};

}  // namespace

void check(const FrontOptions& options, const StreamFormat& format) {
    check_has_groups(format);
    Model::check(options.model, format);
    if (options.model.swap == Swap::nearest && options.measure == FrontMeasure::parity)
        throw InvalidInput(
            Reason::bad_option,
            "swap = nearest: supports only balance, as in the paper; for parity set swap = exact_change");
    check_pairs(options.pairs);
    check_range("iterations", options.iterations, 1, 1e6);
    check_front_limits(options.stages, options.rounds, options.point_limit, options.gap);
}

std::vector<LeftOutGroup> left_out_groups(const FrontOptions& options, const Window& window) {
    return left_out_groups(targets_of(options.model), options.measure, group_masses(window));
}

Front find_front(const FrontOptions& options, const Window& window, int threads,
                 const std::function<bool(const FrontProgress&)>& on_progress, const OnProgress& on_work) {
    check(options, window.format());
    check_front_points(targets_of(options.model), window.format().attributes, group_masses(window), window.size());
    return run_followed(threads, on_work, [&](const WorkHandle& work) {
        return WindowFrontSearch(options, window, on_progress, work).run();
    });
}

}  // namespace fairstream::safairkm
