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
        for (const int cell : out) {
            // A point that leaves alone, or against one of each cell that is scarce.
            prepare_leavers(cell);
            for (ClusterId h = 0; h < static_cast<ClusterId>(c_.k); ++h) {
                consider(h, none, cell);
                for (const int other : in)
                    if (other != cell) consider(h, other, cell);
            }
        }
        for (const int cell : in)
            for (ClusterId h = 0; h < static_cast<ClusterId>(c_.k); ++h) consider(h, cell, none);
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

    void prepare_leavers(int cell) {
        find_leavers(c_, l_, c_.sample(l_, static_cast<std::size_t>(cell), c_.candidate_count()));
    }

    // By how much both clusters together would be less short.
    [[nodiscard]] double gain(ClusterId h, int in, int out) const {
        return short_by_ + c_.shortfall(h) - c_.shortfall(l_, out, in) - c_.shortfall(h, in, out);
    }

    void consider(ClusterId h, int in, int out) {
        if (h == l_ || (in != none && c_.members(h, static_cast<std::size_t>(in)).empty())) return;
        if ((in == none && c_.size(l_) < 2) || (out == none && c_.size(h) < 2)) return;
        const double less = gain(h, in, out);
        if (less <= significant) return;
        Update update{h, in, out};
        double change = 0;
        if (out != none) update.leaver = c_.workspace.best_slot[static_cast<std::size_t>(h)];
        if (in != none)
            update.comer =
                best_comer(c_, l_, h, c_.sample(h, static_cast<std::size_t>(in), c_.candidate_count()));
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
    std::int64_t updates = 0;
    while (mend_once(c)) ++updates;
    return updates;
}

bool reassign(Clustering& c) {
    std::vector<std::uint32_t> attributes;
    for (std::size_t a = 0; a < c.cells.attributes(); ++a) attributes.push_back(c.cells.attribute(a));
    FairAssignment assignment(c.window, c.k, attributes);
    assignment.measure(c.state.centres);
    // Prices bring the counts near to what is asked for, so that few points are left to be moved.
    constexpr int rounds = 4;
    for (int round = 0; round < rounds; ++round) assignment.settle(c.demands.of_groups, c.demands.of_sizes);
    (void)assignment.assign();
    CountProblem problem{c.k, {}, attributes, {}, c.demands};
    for (const std::uint32_t a : attributes) problem.groups.push_back(c.window.format().attributes[a].groups.size());
    for (std::size_t cell = 0; cell < assignment.cells(); ++cell) {
        const std::span<const GroupId> groups = assignment.groups_of(cell);
        problem.cells.emplace_back(groups.begin(), groups.end());
    }
    const std::optional<std::vector<std::int64_t>> counts = feasible_counts(problem, assignment.counts());
    if (!counts) return false;
    const std::span<const ClusterId> placed = assignment.assign_counts(*counts);
    std::vector<ClusterId> labels(placed.size());
    for (std::size_t i = 0; i < placed.size(); ++i) labels[assignment.order()[i]] = placed[i];
    c.relabel_all(labels);
    c.refresh_centres();
    return !c.falls_short();
}

}  // namespace fairstream::safairkm
