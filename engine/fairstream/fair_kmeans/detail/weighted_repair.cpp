// Moves and exchanges of points of different weights, each by its own effect on the demands.

#include <algorithm>
#include <functional>
#include <limits>
#include <utility>
#include <vector>

#include <fairstream/fair_kmeans/detail/exchange.hpp>
#include <fairstream/fair_kmeans/detail/repair.hpp>
#include <fairstream/numeric/detail/interruption.hpp>

namespace fairstream::safairkm {
namespace {

// Least share of the shortfall by which a move must lower it. A smaller decrease is rounding, or not worth a move.
constexpr double least_fall = 1e-6;
// Points of each cell that are considered on either side, and points on either side that are paired.
constexpr std::size_t candidates_per_cell = 32, paired_candidates = 6;

// The best update of cluster l so far: a point that comes from cluster `with`, one that goes there, or both.
struct WeightedUpdate {
    ClusterId with = no_cluster;
    Slot incoming = 0, outgoing = 0;
    bool comes = false, leaves = false;
    double rate = std::numeric_limits<double>::infinity();  // change of the cost per point of decrease of the shortfall
};

struct MovedAlone {
    Slot slot;
    double change;  // change of the cost by this move, without an exchange
};

class WeightedSearch {
public:
    WeightedSearch(Clustering& c, ClusterId l, std::vector<double>& shortfalls)
        : c_(c), l_(l), shortfalls_(shortfalls) {}

    bool update() {
        best_ = {};
        for (ClusterId h = 0; h < static_cast<ClusterId>(c_.k); ++h)
            if (h != l_) consider_cluster(h);
        c_.work.settle(std::exchange(uncounted_work_, 0));
        if (best_.with == no_cluster) return false;
        if (best_.comes) c_.move(best_.incoming, l_);
        if (best_.leaves) c_.move(best_.outgoing, best_.with);
        for (const ClusterId l : {l_, best_.with}) shortfalls_[static_cast<std::size_t>(l)] = c_.shortfall(l);
        return true;
    }

private:
    void consider_cluster(ClusterId h) {
        const std::vector<MovedAlone> out = candidates(l_, h), in = candidates(h, l_);
        uncounted_work_ +=
            static_cast<double>(out.size() * in.size()) * (shortfall_of_pair + 5 * static_cast<double>(c_.d));
        for (const MovedAlone& outgoing : out)
            if (c_.size(l_) > 1) consider({h, 0, outgoing.slot, false, true}, outgoing.change);
        for (const MovedAlone& incoming : in)
            if (c_.size(h) > 1) consider({h, incoming.slot, 0, true, false}, incoming.change);
        for (const MovedAlone& outgoing : out)
            for (const MovedAlone& incoming : in)
                if (c_.cell(outgoing.slot) != c_.cell(incoming.slot) ||
                    c_.weight(outgoing.slot) != c_.weight(incoming.slot))
                    consider({h, incoming.slot, outgoing.slot, true, true},
                             exchange_change(c_, outgoing.slot, incoming.slot, l_, h));
    }

    // Returns some points of every cell: the points whose move costs least per weight.
    std::vector<MovedAlone> candidates(ClusterId from, ClusterId to) {
        std::vector<MovedAlone> all;
        for (std::size_t cell = 0; cell < c_.cells.count(); ++cell) {
            std::vector<MovedAlone> of_cell;
            for (const Slot slot : c_.sample(from, cell, std::min(candidates_per_cell, c_.candidate_count())))
                of_cell.push_back({slot, move_change(c_, slot, from, to)});
            uncounted_work_ +=
                static_cast<double>(of_cell.size()) * (shortfall_of_pair + 2 * static_cast<double>(c_.d));
            const auto cost = [&](const MovedAlone& x) { return x.change / c_.weight(x.slot); };
            std::ranges::stable_sort(of_cell, {}, cost);
            if (of_cell.size() > paired_candidates) of_cell.resize(paired_candidates);
            all.insert(all.end(), of_cell.begin(), of_cell.end());
        }
        return all;
    }

    void consider(WeightedUpdate update, double change) {
        const int out = update.leaves ? c_.cell(update.outgoing) : none,
                  in = update.comes ? c_.cell(update.incoming) : none;
        const double out_weight = update.leaves ? c_.weight(update.outgoing) : 0,
                     in_weight = update.comes ? c_.weight(update.incoming) : 0;
        const double now =
            shortfalls_[static_cast<std::size_t>(l_)] + shortfalls_[static_cast<std::size_t>(update.with)];
        const double after = c_.shortfall(l_, out, in, out_weight, in_weight) +
                             c_.shortfall(update.with, in, out, in_weight, out_weight);
        const double less = now - after;
        if (!(less > least_fall * std::max(now, 1e-3))) return;
        update.rate = change > 0 ? change / less : change * less;
        if (update.rate < best_.rate) best_ = update;
    }

    Clustering& c_;
    ClusterId l_;
    static constexpr double shortfall_of_pair = 400;  // cost in multiply-adds

    std::vector<double>& shortfalls_;
    WeightedUpdate best_;
    double uncounted_work_ = 0;  // in multiply-adds
};

}  // namespace

std::int64_t repair_weighted(Clustering& c, std::int64_t limit) {
    std::vector<double> shortfalls;
    for (ClusterId l = 0; l < static_cast<ClusterId>(c.k); ++l) shortfalls.push_back(c.shortfall(l));
    std::int64_t updates = 0;
    for (std::int64_t made = 1; made > 0 && updates < limit;) {
        made = 0;
        std::vector<std::size_t> order;
        for (std::size_t l = 0; l < c.k; ++l)
            if (shortfalls[l] > 0 && c.size(static_cast<ClusterId>(l)) > 0) order.push_back(l);
        std::ranges::stable_sort(order, std::greater(), [&](std::size_t l) { return shortfalls[l]; });
        for (const std::size_t l : order) {
            WeightedSearch search(c, static_cast<ClusterId>(l), shortfalls);
            while (updates < limit && shortfalls[l] > 0 && !c.work.ends_repairs() && search.update()) {
                check_interrupted();
                ++updates, ++made;
            }
        }
    }
    return updates;
}

}  // namespace fairstream::safairkm
