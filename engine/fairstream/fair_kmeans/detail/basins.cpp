#include <fairstream/fair_kmeans/detail/basins.hpp>

#include <algorithm>
#include <utility>

#include <tbb/enumerable_thread_specific.h>

#include <fairstream/fair_kmeans/detail/centre_seeds.hpp>
#include <fairstream/fair_kmeans/detail/fair_lloyd.hpp>
#include <fairstream/fair_kmeans/detail/sample.hpp>
#include <fairstream/numeric/detail/interruption.hpp>
#include <fairstream/targets/demands.hpp>

namespace fairstream::safairkm {
namespace {

// Least number of points of each group per cluster in the sample among which centres are tried.
constexpr double tried_points_per_cluster = 20;
// Rounds of Lloyd's algorithm with fair assignments: for every try, and for each try that is continued.
constexpr int first_rounds = 5, more_rounds = 10;
// Share of the tries that are continued each time.
constexpr double continued_share = 0.4;
// Clusterings whose costs differ by a smaller share count as the same.
constexpr double same_cost = 1e-4;

class BasinSearch {
public:
    explicit BasinSearch(const BasinProblem& problem)
        : problem_(problem), seeds_(problem.window, problem.attributes, problem.clusters) {}

    [[nodiscard]] std::vector<PricedCentres> run(std::size_t tries, std::size_t wanted, WorkDone& done) {
        std::vector<PricedCentres> tried(tries);
        {
            WorkShares shares(done.handle(), tries);
            parallel_for(std::size_t{0}, tries, [&](std::size_t i) {
                Random random(problem_.seed, 0x200000000 + i);
                tried[i].centres = seeds_.draw(i, random);
                follow(tried[i], first_rounds, shares[i]);
            });
        }
        for (std::size_t left = tries; left > wanted && done.add(0);) {
            left = std::max(wanted, static_cast<std::size_t>(continued_share * static_cast<double>(left)));
            keep_best(tried, left);
            run_more_rounds(tried, done.handle());
        }
        keep_best(tried, wanted);
        return tried;
    }
    /// Runs more rounds from each of these sets of centres.
    void run_more_rounds(std::vector<PricedCentres>& all, const WorkHandle& work) {
        WorkShares shares(work, std::max<std::size_t>(1, all.size()));
        parallel_for(std::size_t{0}, all.size(), [&](std::size_t i) { follow(all[i], more_rounds, shares[i]); });
    }
    static void keep_best(std::vector<PricedCentres>& all, std::size_t count) {
        std::ranges::stable_sort(all, {}, &PricedCentres::cost);
        std::vector<PricedCentres> kept;
        for (PricedCentres& one : all)
            if (kept.size() < count && (kept.empty() || one.cost > kept.back().cost * (1 + same_cost)))
                kept.push_back(std::move(one));
        all = std::move(kept);
    }

private:
    void follow(PricedCentres& at, int rounds, const WorkHandle& work) {
        FairLloyd lloyd(problem_.window, at.centres, problem_.attributes, memory_.local());
        lloyd.work = work;
        if (!at.prices.empty()) lloyd.resume(at.prices);
        for (int i = 0; i < rounds && (i == 0 || !work.stopped()); ++i) lloyd.round(problem_.demands);
        at.cost = lloyd.cost(problem_.demands);
        at.centres.assign(lloyd.centres().begin(), lloyd.centres().end());
        at.prices = lloyd.prices();
    }

    const BasinProblem& problem_;
    const CentreSeeds seeds_;
    tbb::enumerable_thread_specific<FairAssignment> memory_;
};

// Returns the number of points in a sample that represents all.
Slot representative_sample_size(const BasinProblem& problem) {
    const Slot n = problem.window.size();
    if (!problem.demands.of_sizes.empty()) return n;
    const GroupTotals totals = group_totals(problem.window);
    std::int64_t rarest = n;
    for (const Demand& demand : problem.demands.of_groups)
        for (std::size_t j = 0; j < problem.window.format().attributes[demand.attribute].known_groups(); ++j)
            if (const std::int64_t points = totals[demand.attribute][j]; demand.weight(j) > 0 && points > 0)
                rarest = std::min(rarest, points);
    return sample_size(n, rarest, problem.clusters, tried_points_per_cluster, problem.sample);
}

}  // namespace

std::vector<PricedCentres> find_basins(const BasinProblem& problem, std::size_t tries, std::size_t wanted,
                                       WorkDone& done) {
    const Slot points = representative_sample_size(problem);
    if (points == problem.window.size()) return BasinSearch(problem).run(tries, wanted, done);
    Random random(problem.seed, 0x300000000);
    const Window sample = sample_of(problem.window, draw_slots(problem.window.size(), points, random));
    const BasinProblem of_sample{sample, problem.clusters, problem.attributes, problem.demands, problem.seed};
    std::vector<PricedCentres> found = BasinSearch(of_sample).run(tries, wanted, done);
    BasinSearch(problem).run_more_rounds(found, done.handle());
    BasinSearch::keep_best(found, wanted);
    return found;
}

}  // namespace fairstream::safairkm
