#include <fairstream/fair_kmeans/detail/stored_centres.hpp>

#include <fairstream/fair_kmeans/detail/fair_lloyd.hpp>
#include <fairstream/fair_kmeans/detail/repair.hpp>

namespace fairstream::safairkm {

BeforePlacing::BeforePlacing(const Clustering& c) : cost_(objective(c.state)), centres_(c.state.centres) {}

void BeforePlacing::store_if_costlier(Clustering& c) const {
    constexpr double high_price = 0.25;  // relative increase of the cost
    if (c.state.centres_before_placing.empty() && objective(c.state) > (1 + high_price) * cost_)
        c.state.centres_before_placing = centres_;
}

void try_stored_centres(Clustering& c) {
    constexpr int rounds = 6;
    constexpr double worthwhile = 2e-3;  // relative decrease of the cost for which labels may jump
    const std::vector<ClusterId> labels = c.state.labels;
    const double cost = objective(c.state), shortfall = c.demand_shortfall();
    FairLloyd lloyd(c.window, c.state.centres_before_placing, c.cells.balanced());
    lloyd.work = c.work;
    for (int round = 0; round < rounds && (round == 0 || !c.work.stopped()); ++round) lloyd.round(c.demands);
    lloyd.copy_to(c);
    repair_some(c, 256 + static_cast<std::int64_t>(c.window.size()));
    const bool arrives = c.demand_shortfall() <= shortfall;
    const bool is_cheaper = objective(c.state) < cost * (1 - worthwhile);
    if (arrives) c.state.centres_before_placing.clear();
    if (arrives && is_cheaper) {
        c.state.prices = lloyd.prices();
    } else {
        c.relabel_all(labels);
        c.refresh_centres();
    }
}

}  // namespace fairstream::safairkm
