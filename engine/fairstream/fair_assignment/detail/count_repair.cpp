#include <fairstream/fair_assignment/detail/count_repair.hpp>

#include <algorithm>
#include <functional>
#include <numeric>
#include <span>

#include <fairstream/numeric/detail/interruption.hpp>

namespace fairstream {
namespace {

constexpr double significant = 1e-9;  // in points

}  // namespace

CountRepair::CountRepair(const CountProblem& problem, CellCounts& counts, std::int64_t& weighings)
    : p_(problem), counts_(counts), weighings_(weighings), shortfalls_(p_.clusters), changes_(p_.clusters) {
    for (std::size_t l = 0; l < p_.clusters; ++l) {
        sizes_.push_back(sum_of(p_.row_of(counts_, l)));
        shortfalls_[l] = p_.shortfall(p_.row_of(counts_, l));
    }
}

double CountRepair::total_shortfall() const {
    return std::accumulate(shortfalls_.begin(), shortfalls_.end(), 0.0);
}

template <class Visit> void CountRepair::for_each_step(std::size_t l, const Visit& visit) {
    const std::size_t ways = p_.cells.size() + 1;  // the last index means no cell
    weighings_ -= static_cast<std::int64_t>(p_.clusters * ways * ways);
    const std::vector<double>& own = changes_of(l);
    const auto cell = [&](std::size_t way) { return way + 1 == ways ? no_cell : way; };
    const auto empties = [&](std::size_t from, std::size_t gives, std::size_t gets) {
        return sizes_[from] == 1 && gives + 1 < ways && gets + 1 == ways;
    };
    const bool keeps_used = p_.keeps_used(sizes_);
    for (std::size_t h = 0; h < p_.clusters; ++h) {
        if (h == l) continue;
        const double of_a_point = p_.apart.empty() ? 1 : p_.apart[l * p_.clusters + h];
        const std::vector<double>& other_changes = changes_of(h);
        for (std::size_t in = 0; in < ways; ++in)
            for (std::size_t out = 0; out < ways; ++out) {
                if (keeps_used && (empties(l, out, in) || empties(h, in, out))) continue;
                visit(Step{l, h, cell(in), cell(out), -own[in * ways + out] - other_changes[out * ways + in],
                           of_a_point * ((in + 1 < ways) + (out + 1 < ways))});
            }
    }
}

CountRepair::Step CountRepair::cheapest_gain(std::size_t l) {
    Step best;
    double least = std::numeric_limits<double>::infinity();  // cost per point of gain
    for_each_step(l, [&](const Step& step) {
        if (!(step.gain > significant && step.cost / step.gain < least)) return;
        best = step;
        least = step.cost / step.gain;
    });
    return best;
}

template <class Allowed> CountRepair::Step CountRepair::largest_gain(const Allowed& allowed) {
    Step best{.gain = -std::numeric_limits<double>::infinity()};
    for (std::size_t l = 0; l < p_.clusters; ++l) {
        if (shortfalls_[l] == 0) continue;
        for_each_step(l, [&](const Step& step) {
            if (!(step.gain > best.gain - significant)) return;
            if (step.gain < best.gain + significant && step.cost >= best.cost) return;
            if (allowed(step)) best = step;
        });
    }
    return best;
}

bool CountRepair::descend() {
    if (p_.cells.size() > most_cells_searched) return false;
    // Largest number of steps per point of shortfall. Most steps lower it by a good part of a point, but without a
    // limit the search might never end.
    constexpr double for_each_point = 64;
    const auto limit = 256 + static_cast<std::int64_t>(for_each_point * std::min(total_shortfall(), 1e15));
    for (std::int64_t steps = 0; steps < limit && weighings_ > 0; ++steps) {
        check_interrupted();
        std::vector<std::size_t> shorts;
        for (std::size_t l = 0; l < p_.clusters; ++l)
            if (shortfalls_[l] > 0) shorts.push_back(l);
        if (shorts.empty()) return true;
        std::ranges::stable_sort(shorts, std::greater<>(), [&](std::size_t l) { return shortfalls_[l]; });
        Step best;
        for (std::size_t i = 0; i < shorts.size() && best.gain == 0; ++i) best = cheapest_gain(shorts[i]);
        if (best.gain == 0) return false;
        apply(best);
    }
    return false;
}

bool CountRepair::tabu_search(std::int64_t steps) {
    const std::size_t cells = p_.cells.size();
    if (cells > most_cells_searched) return false;
    std::vector<std::int64_t> tabu_until(counts_.size());  // by cluster and cell
    double least = total_shortfall();
    for (std::int64_t step = 1; step <= steps && weighings_ > 0 && least > 0; ++step) {
        check_interrupted();
        const double now = total_shortfall();
        const Step best = largest_gain([&](const Step& next) {
            const bool is_tabu = (next.in != no_cell && tabu_until[next.h * cells + next.in] >= step) ||
                                 (next.out != no_cell && tabu_until[next.l * cells + next.out] >= step);
            return !is_tabu || now - next.gain < least - significant;
        });
        if (best.cost == std::numeric_limits<double>::infinity()) return false;
        apply(best);
        const std::int64_t until = step + 3 + step % 8;  // bans vary in length, so that steps do not cycle
        if (best.in != no_cell) tabu_until[best.l * cells + best.in] = until;
        if (best.out != no_cell) tabu_until[best.h * cells + best.out] = until;
        least = std::min(least, total_shortfall());
    }
    return least == 0;
}

// Returns the rises of the shortfall of l, computed on demand, because a step changes only two clusters.
const std::vector<double>& CountRepair::changes_of(std::size_t l) {
    std::vector<double>& changes = changes_[l];
    if (!changes.empty()) return changes;
    constexpr std::size_t weighings_per_rise = 16;  // number of weighings that take as long as one change
    changes = p_.shortfall_rises(p_.row_of(counts_, l));
    weighings_ -= static_cast<std::int64_t>(weighings_per_rise * changes.size());
    return changes;
}

void CountRepair::apply(const Step& step) {
    const std::span<std::int64_t> l = p_.row_of(counts_, step.l), h = p_.row_of(counts_, step.h);
    if (step.in != no_cell) ++l[step.in], --h[step.in];
    if (step.out != no_cell) --l[step.out], ++h[step.out];
    for (const std::size_t changed : {step.l, step.h}) {
        sizes_[changed] = sum_of(p_.row_of(counts_, changed));
        shortfalls_[changed] = p_.shortfall(p_.row_of(counts_, changed));
        changes_[changed].clear();
    }
}

}  // namespace fairstream
