#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include <fairstream/fair_kmeans/detail/basins.hpp>
#include <fairstream/fair_kmeans/detail/cells.hpp>
#include <fairstream/fair_kmeans/detail/fair_path.hpp>
#include <fairstream/fair_kmeans/detail/updates.hpp>
#include <fairstream/models/safairkm/detail/front_list.hpp>
#include <fairstream/numeric/detail/interruption.hpp>

namespace fairstream::safairkm {
namespace {

// Returns the share of the best balance at a stage. Stages are closer together near the best balance, because the last
// part of the balance costs most.
double balance_share_at(int stage, int stages) {
    return 1 - std::pow(1 - stage / static_cast<double>(stages), 1.5);
}

// A path between a clustering and the best possible balance, recorded at every stage.
class Path {
public:
    Path(const FrontOptions& options, const ModelFairness& fairness, const Window& window, std::uint64_t number)
        : options_(fairness.without_target()),
          fairness_(fairness),
          stages_(options.stages),
          window_(window),
          state_(Model::start(options_, window)) {
        state_.generator = Random(options_.seed, number).words();
    }

    /// Leads a clustering from k-means seeds to the best balance.
    std::vector<Labelling> run(WorkDone& done) {
        return along([&](Clustering& c) {
            seed_centres(c);
            FairPath path(c, fairness_.all());
            path.start();
            record();
            record_stages(path, 1, stages_, done);
        });
    }
    /// Leads a clustering with these centres from one stage to another, upwards or downwards.
    std::vector<Labelling> run(const PricedCentres& at, int from, int to, WorkDone& done) {
        return along([&](Clustering& c) {
            state_.centres = at.centres;
            FairPath path(c, fairness_.all());
            path.resume(at.prices);
            record_stages(path, from, to, done);
        });
    }

private:
    template <class RecordPath> std::vector<Labelling> along(const RecordPath& record_path) {
        // Asks for swaps, so that an index is kept.
        Options options = options_;
        options.swaps = 1;
        options.swap = Swap::exact_change;
        Clustering c(options, state_, workspace_, window_, window_.size());
        c.list_entries();
        c.keep_index();
        state_.started = true;
        record_path(c);
        merge(path_, {});
        return std::move(path_);
    }
    void record_stages(FairPath& path, int from, int to, WorkDone& done) {
        const int step = from <= to ? 1 : -1;
        bool goes_on = done.add(0);
        for (int stage = from; goes_on; stage += step) {
            path.run_stage(balance_share_at(stage, stages_));
            path.copy_to_clustering();
            record();
            if (path.repair() > 0) record();
            goes_on = done.add(1) && stage != to;
        }
    }
    void record() { path_.push_back(labelling_of(fairness_, state_)); }

    Options options_;
    const ModelFairness& fairness_;
    int stages_;
    const Window& window_;
    State state_;
    Workspace workspace_;
    std::vector<Labelling> path_;
};

// Shares of clusters are the softmax of standard normal numbers; labels are drawn from them.
void label_at_random(Clustering& c, std::vector<ClusterId>& labels) {
    std::vector<double> ends(c.k);
    double total = 0;
    for (double& end : ends) {
        const double normal = std::sqrt(-2 * std::log(1 - c.random.unit())) *
                              std::cos(2 * std::numbers::pi * c.random.unit());  // Box-Muller transform
        end = total += std::exp(normal);
    }
    for (ClusterId& label : labels) {
        const auto end = std::ranges::upper_bound(ends, c.random.unit() * total);
        label = static_cast<ClusterId>(std::min<std::size_t>(static_cast<std::size_t>(end - ends.begin()), c.k - 1));
    }
    c.relabel_all(labels);
    c.refresh_centres();
}

// Makes one of the authors' starts: every other one with random labels, the others with labels nearest to seeds.
Labelling paper_start(const ModelFairness& fairness, const Window& window, std::uint64_t number) {
    const Options options = fairness.without_target();
    State state = Model::start(options, window);
    state.generator = Random(options.seed, number).words();
    state.started = true;
    Workspace workspace;
    Clustering c(options, state, workspace, window, window.size());
    if (number % 2 == 0) {
        seed_centres(c);
        c.admit_all();
    } else {
        std::vector<ClusterId> labels(window.size());
        label_at_random(c, labels);
    }
    c.refresh_centres();
    return labelling_of(fairness, state);
}

// Returns the part of the highest demands that belongs to a stage.
Demands demands_at(int stage, int stages, const ModelFairness& fairness, const Window& window) {
    Demands demands = fairness.all();
    const GroupMasses masses = group_masses(window);
    for (Demand& demand : demands.of_groups)
        demand.ratio = balance_share_at(stage, stages) * weighted_balance(demand, masses.of(demand.attribute));
    return demands;
}

// Returns the least cost of the list at a fairness; infinite if the list does not reach it.
double least_cost_at(std::span<const Labelling> list, double fairness) {
    double least = std::numeric_limits<double>::infinity();
    for (const Labelling& labelling : list)
        if (labelling.point.balance >= fairness) least = std::min(least, labelling.point.cost);
    return least;
}

}  // namespace

void add_starts(const FrontOptions& options, const ModelFairness& fairness, const Window& window, std::size_t first,
                std::size_t count, WorkDone& done, std::vector<Labelling>& list) {
    std::vector<std::vector<Labelling>> paths(count);
    parallel_for(std::size_t{0}, count, [&](std::size_t i) {
        if (first + i > 0 && done.stopped()) return;
        if (options.stages > 0) {
            paths[i] = Path(options, fairness, window, first + i).run(done);
        } else {
            paths[i].push_back(paper_start(fairness, window, first + i));
            done.add(1);
        }
    });
    for (std::vector<Labelling>& path : paths) merge(list, std::move(path));
}

void add_basins(const FrontOptions& options, const ModelFairness& fairness, const Window& window, WorkDone& done,
                std::vector<Labelling>& list) {
    // Basins are searched at `levels` stages, on samples of `sample` points. At most `followed` basins of a stage are
    // followed, if they promise to lower the cost by the share `promising_gain`.
    constexpr int levels = 16;
    constexpr Slot sample = 2048;
    constexpr std::size_t followed = 2, tries_for_each = tries_for_each_start / 2;
    constexpr double promising_gain = 2e-3, nearly = 0.999;
    const std::vector<std::uint32_t> attributes = Cells(options.model, window.format()).balanced();
    const auto tries = tries_for_each * static_cast<std::size_t>(options.model.starts);
    // Goes from the highest stage down: the results of a basin found at a high stage may be as good as the results of
    // basins found at lower stages.
    for (int level = std::min(levels, options.stages); level > 0 && !done.stopped(); --level) {
        const int stage = std::max(1, options.stages * level / levels);
        const double now = least_cost_at(list, nearly * balance_share_at(stage, options.stages) * fairness.most());
        if (now <= least_cost_at(list, 0) * (1 + cost_rise_for_basins)) continue;
        const Demands demands = demands_at(stage, options.stages, fairness, window);
        std::vector<PricedCentres> found =
            find_basins({window, static_cast<std::size_t>(options.model.clusters), attributes, demands,
                         options.model.seed + static_cast<std::uint64_t>(level), sample},
                        tries, followed, done);
        std::erase_if(found, [&](const PricedCentres& at) { return at.cost > now * (1 - promising_gain); });
        std::vector<std::vector<Labelling>> paths(2 * found.size());
        parallel_for(std::size_t{0}, paths.size(), [&](std::size_t i) {
            const PricedCentres& at = found[i / 2];
            Path path(options, fairness, window, 0x100000000 + i);
            if (i % 2 == 0)
                paths[i] = path.run(at, stage, options.stages, done);
            else if (stage > 1)
                paths[i] = path.run(at, stage - 1, 1, done);
        });
        for (std::vector<Labelling>& path : paths) merge(list, std::move(path));
    }
}

}  // namespace fairstream::safairkm
