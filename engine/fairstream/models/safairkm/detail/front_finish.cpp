#include <algorithm>
#include <array>

#include <fairstream/fair_kmeans/detail/finish.hpp>
#include <fairstream/models/safairkm/detail/front_list.hpp>
#include <fairstream/numeric/detail/interruption.hpp>

namespace fairstream::safairkm {
namespace {

// Shares of the best fairness at which labellings are finished. Near the best, whole points leave few valid counts,
// which stages of paths skip.
constexpr std::array finished_shares{1.0, 0.999, 0.998, 0.9965, 0.995, 0.99, 0.98, 0.96, 0.93,
                                     0.9, 0.85,  0.8,   0.7,    0.6,   0.5,  0.4,  0.3,  0.2};
// Shares of the fairness to be reached. For each, the cheapest labelling with at least that much fairness is the start.
constexpr std::array begun_from{1.0, 0.97};

// Returns the cheapest labelling of the list with at least this fairness, otherwise the fairest.
const Labelling& cheapest_at(const std::vector<Labelling>& list, double fairness) {
    const Labelling* best = nullptr;
    for (const Labelling& labelling : list)
        if (labelling.point.balance >= fairness && (best == nullptr || labelling.point.cost < best->point.cost))
            best = &labelling;
    const auto balance = [](const Labelling& labelling) { return labelling.point.balance; };
    return best != nullptr ? *best : *std::ranges::max_element(list, {}, balance);
}

Labelling finished(const ModelFairness& fairness, const Window& window, const Labelling& from, double wanted,
                   std::uint64_t number, WorkDone& done) {
    Options options = fairness.at_least(wanted);
    options.swap = Swap::exact_change;
    options.centre_update = CentreUpdate::exact;
    FrontScratch scratch;
    restore(options, window, from, scratch.state);
    scratch.state.generator = Random(options.seed, number).words();
    Clustering c(options, scratch.state, scratch.workspace, window, window.size());
    c.list_entries();
    c.keep_index();
    c.reseed_empty_clusters();
    c.set_demands(share_of_best_ratio(c));
    Solve solve;
    finish(c, solve, done);
    return labelling_of(fairness, scratch.state);
}

}  // namespace

void add_finished(const ModelFairness& fairness, const Window& window, WorkDone& done, std::vector<Labelling>& list) {
    std::vector<Labelling> fresh(finished_shares.size() * begun_from.size());
    parallel_for(std::size_t{0}, fresh.size(), [&](std::size_t i) {
        const double wanted = finished_shares[i / begun_from.size()] * fairness.most();
        const Labelling& from = cheapest_at(list, begun_from[i % begun_from.size()] * wanted);
        fresh[i] = done.stopped() ? from : finished(fairness, window, from, wanted, 0x400000000 + i, done);
    });
    merge(list, std::move(fresh));
}

}  // namespace fairstream::safairkm
