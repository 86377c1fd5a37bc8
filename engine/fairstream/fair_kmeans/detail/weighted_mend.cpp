// Moves and exchanges of points of different weights, each by its own effect on the demands.

#include <algorithm>
#include <functional>
#include <limits>
#include <utility>
#include <vector>

#include <fairstream/fair_kmeans/detail/exchange.hpp>
#include <fairstream/fair_kmeans/detail/mend.hpp>
#include <fairstream/numeric/detail/interruption.hpp>

namespace fairstream::safairkm {
namespace {

// A decrease of the shortfall by a smaller share of it, or of a point, is rounding or not worth a move.
constexpr double least_fall = 1e-6;
// Points of each cell that are considered on either side, and points on either side that are paired.
constexpr std::size_t looked_at = 32, paired = 6;

// The best update of cluster l so far: a point that comes from cluster `with`, one that goes there, or both.
struct WeightedUpdate {
    ClusterId with = no_cluster;
    Slot comer = 0, leaver = 0;
    bool comes = false, leaves = false;
    double rate = std::numeric_limits<double>::infinity();  // change of the cost per point of decrease of the shortfall
};

struct MovedAlone {
    Slot slot;
    double change;  // of the cost if the point moves alone
};

class WeightedSearch {
public:
    WeightedSearch(Clustering& c, ClusterId l, std::vector<double>& short_by) : c_(c), l_(l), short_by_(short_by) {}

    bool update() {
        best_ = {};
        for (ClusterId h = 0; h < static_cast<ClusterId>(c_.k); ++h)
            if (h != l_) look_at(h);
        c_.work.settle(std::exchange(looked_, 0));
        if (best_.with == no_cluster) return false;
        if (best_.comes) c_.move(best_.comer, l_);
        if (best_.leaves) c_.move(best_.leaver, best_.with);
        for (const ClusterId l : {l_, best_.with}) short_by_[static_cast<std::size_t>(l)] = c_.shortfall(l);
        return true;
    }

private:
    void look_at(ClusterId h) {
        const std::vector<MovedAlone> out = candidates(l_, h), in = candidates(h, l_);
        looked_ += static_cast<double>(out.size() * in.size()) * (shortfall_of_pair + 5 * static_cast<double>(c_.d));
        for (const MovedAlone& leaver : out)
            if (c_.size(l_) > 1) consider({h, 0, leaver.slot, false, true}, leaver.change);
        for (const MovedAlone& comer : in)
            if (c_.size(h) > 1) consider({h, comer.slot, 0, true, false}, comer.change);
        for (const MovedAlone& leaver : out)
            for (const MovedAlone& comer : in)
                if (c_.cell(leaver.slot) != c_.cell(comer.slot) || c_.weight(leaver.slot) != c_.weight(comer.slot))
                    consider({h, comer.slot, leaver.slot, true, true},
                             exchange_change(c_, leaver.slot, comer.slot, l_, h));
    }

    // Returns some points of every cell, those with the least cost per weight of a move.
    std::vector<MovedAlone> candidates(ClusterId from, ClusterId to) {
        std::vector<MovedAlone> all;
        for (std::size_t cell = 0; cell < c_.cells.count(); ++cell) {
            std::vector<MovedAlone> of_cell;
            for (const Slot slot : c_.sample(from, cell, std::min(looked_at, c_.candidate_count())))
                of_cell.push_back({slot, move_change(c_, slot, from, to)});
            looked_ += static_cast<double>(of_cell.size()) * (shortfall_of_pair + 2 * static_cast<double>(c_.d));
            const auto cost = [&](const MovedAlone& x) { return x.change / c_.weight(x.slot); };
            std::ranges::stable_sort(of_cell, {}, cost);
            if (of_cell.size() > paired) of_cell.resize(paired);
            all.insert(all.end(), of_cell.begin(), of_cell.end());
        }
        return all;
    }

    void consider(WeightedUpdate update, double change) {
        const int out = update.leaves ? c_.cell(update.leaver) : none, in = update.comes ? c_.cell(update.comer) : none;
        const double out_weight = update.leaves ? c_.weight(update.leaver) : 0,
                     in_weight = update.comes ? c_.weight(update.comer) : 0;
        const double now = short_by_[static_cast<std::size_t>(l_)] + short_by_[static_cast<std::size_t>(update.with)];
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

    std::vector<double>& short_by_;
    WeightedUpdate best_;
    double looked_ = 0;  // multiply-adds not yet counted
};

}  // namespace

std::int64_t mend_weighted(Clustering& c, std::int64_t limit) {
    std::vector<double> short_by;
    for (ClusterId l = 0; l < static_cast<ClusterId>(c.k); ++l) short_by.push_back(c.shortfall(l));
    std::int64_t updates = 0;
    for (std::int64_t made = 1; made > 0 && updates < limit;) {
        made = 0;
        std::vector<std::size_t> order;
        for (std::size_t l = 0; l < c.k; ++l)
            if (short_by[l] > 0 && c.size(static_cast<ClusterId>(l)) > 0) order.push_back(l);
        std::ranges::stable_sort(order, std::greater(), [&](std::size_t l) { return short_by[l]; });
        for (const std::size_t l : order) {
            WeightedSearch search(c, static_cast<ClusterId>(l), short_by);
            while (updates < limit && short_by[l] > 0 && !c.work.ends_repairs() && search.update()) {
                check_interrupted();
                ++updates, ++made;
            }
        }
    }
    return updates;
}

}  // namespace fairstream::safairkm
