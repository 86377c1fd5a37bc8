#include <algorithm>
#include <cmath>
#include <numbers>

#include <fairstream/models/safairkm/detail/fair_path.hpp>
#include <fairstream/models/safairkm/detail/front_list.hpp>
#include <fairstream/models/safairkm/detail/updates.hpp>
#include <fairstream/numeric/detail/interruption.hpp>

namespace fairstream::safairkm {
namespace {

// The path from the clustering of one start towards the best balance there is, recorded at every stage.
class Path {
public:
    Path(const FrontOptions& options, const FrontFairness& fairness, const Window& window, std::uint64_t number)
        : options_(fairness.without_target()),
          fairness_(fairness),
          stages_(options.stages),
          window_(window),
          state_(Model::start(options_, window)) {
        state_.generator = Random(options_.seed, number).words();
    }

    std::vector<Labelling> run(WorkDone& done) {
        // Swaps are asked for, so that an index is kept.
        Options options = options_;
        options.swaps = 1;
        options.swap = Swap::exact_change;
        Clustering c(options, state_, workspace_, window_, window_.size());
        c.keep_index();
        state_.started = true;
        seed_centres(c);
        FairPath path(c, fairness_.all());
        path.start();
        record();
        bool goes_on = done.add(0);
        for (int stage = 1; stage <= stages_ && goes_on; ++stage) {
            // Closer together where the front is flat: the last of the balance is paid for most.
            path.lead(1 - std::pow(1 - stage / static_cast<double>(stages_), 1.5));
            path.take();
            record();
            if (path.mend() > 0) record();
            goes_on = done.add(1);
        }
        merge(path_, {});
        return std::move(path_);
    }

private:
    void record() { path_.push_back(labelling_of(fairness_, state_)); }

    Options options_;
    const FrontFairness& fairness_;
    int stages_;
    const Window& window_;
    State state_;
    Workspace workspace_;
    std::vector<Labelling> path_;
};

// Cluster shares are the softmax of standard normal numbers, labels are drawn from them.
void label_at_random(Clustering& c, std::vector<ClusterId>& labels) {
    std::vector<double> ends(c.k);
    double total = 0;
    for (double& end : ends) {
        const double normal = std::sqrt(-2 * std::log(1 - c.random.unit())) *
                              std::cos(2 * std::numbers::pi * c.random.unit());  // Box and Muller
        end = total += std::exp(normal);
    }
    for (ClusterId& label : labels) {
        const auto end = std::ranges::upper_bound(ends, c.random.unit() * total);
        label = static_cast<ClusterId>(std::min<std::size_t>(static_cast<std::size_t>(end - ends.begin()), c.k - 1));
    }
    c.relabel_all(labels);
    c.refresh_centres();
}

// Makes one of the authors' starts: every other one random, the others nearest to seeds.
Labelling paper_start(const FrontFairness& fairness, const Window& window, std::uint64_t number) {
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

}  // namespace

void add_starts(const FrontOptions& options, const FrontFairness& fairness, const Window& window, std::size_t first,
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

}  // namespace fairstream::safairkm
