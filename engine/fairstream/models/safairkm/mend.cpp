#include <fairstream/models/safairkm/mend.hpp>

#include <algorithm>
#include <limits>
#include <numeric>
#include <optional>
#include <utility>

#include <fairstream/models/safairkm/exchange.hpp>
#include <fairstream/models/safairkm/fair_assignment.hpp>
#include <fairstream/models/safairkm/feasible_counts.hpp>

namespace fairstream::safairkm {
namespace {

// Shortfalls are sums of rounded products; a fall by less is none.
constexpr double significant = 1e-9;

// A point of cell `in` comes to l from `with`, and one of cell `out` goes there; a cell may be none.
struct Update {
    ClusterId with = no_cluster;
    int in = none, out = none;
    Slot comer = 0, leaver = 0;
    double rate = std::numeric_limits<double>::infinity();  // change of m f1 for each point of shortfall less
};

class Search {
public:
    Search(Clustering& c, ClusterId l) : c_(c), l_(l), short_by_(c.shortfall(l)) {}

    std::optional<Update> run() {
        const std::vector<int> in = scarce_cells(), out = abundant_cells();
        find_comers(in);
        for (const int cell : out) {
            // A point that leaves alone, or against one of each cell that is scarce.
            find_leavers(c_, l_, c_.sample(l_, static_cast<std::size_t>(cell), c_.candidate_count()));
            for (ClusterId h = 0; h < static_cast<ClusterId>(c_.k); ++h) {
                consider(h, none, 0, cell);
                for (std::size_t i = 0; i < in.size(); ++i)
                    if (in[i] != cell) consider(h, in[i], i, cell);
            }
        }
        for (std::size_t i = 0; i < in.size(); ++i)
            for (ClusterId h = 0; h < static_cast<ClusterId>(c_.k); ++h) consider(h, in[i], i, none);
        if (best_.with == no_cluster) return std::nullopt;
        return best_;
    }

private:
    // Cells of which one point more makes the cluster less short, and those of which one point less does; where no
    // single point helps, any cell may take part in an exchange.
    [[nodiscard]] std::vector<int> scarce_cells() const {
        std::vector<int> cells = helpful([&](int cell) { return c_.shortfall(l_, none, cell); });
        return cells.empty() ? all_cells() : cells;
    }
    [[nodiscard]] std::vector<int> abundant_cells() const {
        std::vector<int> cells = helpful([&](int cell) { return c_.shortfall(l_, cell, none); });
        if (cells.empty()) cells = all_cells();
        std::erase_if(cells, [&](int cell) { return c_.members(l_, static_cast<std::size_t>(cell)).empty(); });
        return cells;
    }
    template <class After> [[nodiscard]] std::vector<int> helpful(const After& after) const {
        std::vector<int> cells = all_cells();
        std::erase_if(cells, [&](int cell) { return after(cell) > short_by_ - significant; });
        return cells;
    }
    [[nodiscard]] std::vector<int> all_cells() const {
        std::vector<int> cells(c_.cells.count());
        std::iota(cells.begin(), cells.end(), 0);
        return cells;
    }

    // The best candidate of each cluster and of each of these cells to come to l, whatever leaves for it.
    void find_comers(const std::vector<int>& cells) {
        comers_.assign(cells.size() * c_.k, 0);
        for (std::size_t i = 0; i < cells.size(); ++i)
            for (ClusterId h = 0; h < static_cast<ClusterId>(c_.k); ++h) {
                const auto cell = static_cast<std::size_t>(cells[i]);
                if (h == l_ || c_.members(h, cell).empty()) continue;
                comers_[i * c_.k + static_cast<std::size_t>(h)] =
                    best_comer(c_, l_, h, c_.sample(h, cell, c_.candidate_count()));
            }
    }

    // By how much both clusters together would be less short.
    [[nodiscard]] double gain(ClusterId h, int in, int out) const {
        return short_by_ + c_.shortfall(h) - c_.shortfall(l_, out, in) - c_.shortfall(h, in, out);
    }

    // `row` is that of `in` among the comers.
    void consider(ClusterId h, int in, std::size_t row, int out) {
        if (h == l_ || (in != none && c_.members(h, static_cast<std::size_t>(in)).empty())) return;
        if ((in == none && c_.size(l_) < 2) || (out == none && c_.size(h) < 2)) return;
        const double less = gain(h, in, out);
        if (less <= significant) return;
        Update update{h, in, out};
        if (out != none) update.leaver = c_.workspace.best_slot[static_cast<std::size_t>(h)];
        if (in != none) update.comer = comers_[row * c_.k + static_cast<std::size_t>(h)];
        double change = 0;
        if (in == none)
            change = move_change(c_, update.leaver, l_, h);
        else if (out == none)
            change = move_change(c_, update.comer, h, l_);
        else
            change = exchange_change(c_, update.leaver, update.comer, l_, h);
        // Where it costs nothing more than one would ask for is better than less.
        update.rate = change > 0 ? change / less : change * less;
        if (update.rate < best_.rate) best_ = update;
    }

    Clustering& c_;
    ClusterId l_;
    double short_by_;
    std::vector<Slot> comers_;  // cells x k
    Update best_;
};

bool mend_once(Clustering& c) {
    std::vector<std::pair<double, ClusterId>> order;
    for (ClusterId l = 0; l < static_cast<ClusterId>(c.k); ++l)
        if (const double by = c.shortfall(l); by > 0 && c.size(l) > 0) order.emplace_back(-by, l);
    std::ranges::sort(order);
    for (const auto& [by, l] : order)
        if (const std::optional<Update> update = Search(c, l).run()) {
            if (update->in != none) c.move(update->comer, l);
            if (update->out != none) c.move(update->leaver, update->with);
            return true;
        }
    return false;
}

}  // namespace

std::int64_t mend(Clustering& c) {
    // So many points out of place are cheaper, and better, placed together.
    constexpr double many = 0.05;
    double short_by = 0;
    for (ClusterId l = 0; l < static_cast<ClusterId>(c.k); ++l) short_by += c.shortfall(l);
    if (short_by > many * c.window.size() && reassign(c)) return 0;
    // One that is worth while takes a good part of a point off the shortfall; a demand that is out of reach could be
    // neared by ever smaller parts.
    constexpr double for_each_point = 16;
    const std::int64_t limit = 256 + static_cast<std::int64_t>(for_each_point * std::min(short_by, 1e15));
    std::int64_t updates = 0;
    while (updates < limit && mend_once(c)) ++updates;
    return updates;
}

namespace {

// Prices of the demands at the present centres, and the assignment by them, in a few rounds: near enough to the demands
// that few points are left to be moved.
void price(const Clustering& c, FairAssignment& assignment, int rounds) {
    assignment.measure(c.state.centres);
    for (int round = 0; round < rounds; ++round) assignment.settle(c.demands.of_groups, c.demands.of_sizes);
    (void)assignment.assign();
}

void relabel(Clustering& c, const FairAssignment& assignment, std::span<const ClusterId> placed) {
    for (std::size_t i = 0; i < placed.size(); ++i)
        if (const Slot slot = assignment.order()[i]; c.label(slot) != placed[i]) c.relabel(slot, placed[i]);
    c.refresh_centres();
}

}  // namespace

bool reassign(Clustering& c) {
    const std::vector<std::uint32_t> attributes = c.cells.balanced();
    FairAssignment assignment(c.window, c.k, attributes);
    price(c, assignment, 4);
    CountProblem problem{c.k, {}, attributes, {}, c.demands};
    for (const std::uint32_t a : attributes) problem.groups.push_back(c.window.format().attributes[a].groups.size());
    for (std::size_t cell = 0; cell < assignment.cells(); ++cell) {
        const std::span<const GroupId> groups = assignment.groups_of(cell);
        problem.cells.emplace_back(groups.begin(), groups.end());
    }
    const std::optional<std::vector<std::int64_t>> counts = feasible_counts(problem, assignment.counts());
    if (!counts) return false;
    relabel(c, assignment, assignment.assign_counts(*counts));
    return !c.falls_short();
}

int rearrange(Clustering& c, double worthwhile, int limit) {
    FairAssignment assignment(c.window, c.k, c.cells.balanced());
    double cost = objective(c.state);
    for (int round = 1; round <= limit; ++round) {
        price(c, assignment, round == 1 ? 4 : 1);
        std::vector<std::int64_t> counts(c.k * assignment.cells());
        for (std::size_t cell = 0; cell < assignment.cells(); ++cell) {
            const std::span<const GroupId> groups = assignment.groups_of(cell);
            const std::size_t own = c.cells.of_balanced(groups);
            for (std::size_t l = 0; l < c.k; ++l)
                counts[l * assignment.cells() + cell] =
                    static_cast<std::int64_t>(c.members(static_cast<ClusterId>(l), own).size());
        }
        relabel(c, assignment, assignment.assign_counts(counts));
        const double now = objective(c.state);
        if (now >= cost * (1 - worthwhile)) return round;
        cost = now;
    }
    return limit;
}

}  // namespace fairstream::safairkm
