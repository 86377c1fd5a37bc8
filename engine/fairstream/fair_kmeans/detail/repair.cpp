#include <fairstream/fair_kmeans/detail/repair.hpp>

#include <algorithm>
#include <functional>
#include <limits>
#include <numeric>
#include <optional>
#include <tuple>
#include <unordered_map>
#include <utility>

#include <fairstream/fair_assignment/detail/fair_assignment.hpp>
#include <fairstream/fair_assignment/detail/feasible_counts.hpp>
#include <fairstream/fair_kmeans/detail/cluster_changes.hpp>
#include <fairstream/fair_kmeans/detail/exchange.hpp>
#include <fairstream/numeric/detail/interruption.hpp>

namespace fairstream::safairkm {
namespace {

// Shortfalls are sums of rounded products; a smaller decrease is none.
constexpr double shortfall_rounding = 1e-9;
// Number of partners, the nearest first, that are compared before the best update is made. Clusters that are farther
// away share no border with the one that is repaired.
constexpr std::size_t compared_partners = 4;

// An update of cluster l: a point of cell `in` comes from cluster `with`, and one of cell `out` goes there; either cell
// may be none.
struct Update {
    ClusterId with = no_cluster;
    int in = none, out = none;
    Slot incoming = 0, outgoing = 0;
    double rate = std::numeric_limits<double>::infinity();  // change of m f1 per point of decrease of the shortfall
};

// Finds updates that bring one cluster nearer to its demands. Candidates are kept while they are valid: after an update
// only those of the other cluster, and of the cell whose point left, are drawn anew.
class ExchangeSearch {
public:
    /// Keeps `shortfalls`, by cluster, up to date.
    ExchangeSearch(Clustering& c, ClusterId l, std::vector<double>& shortfalls)
        : c_(c),
          l_(l),
          shortfalls_(shortfalls),
          partners_(by_distance(c, l)),
          incoming_(c.cells.count() * c.k, unknown),
          outgoing_(incoming_),
          changes_(!c.weighted && c.cells.count() >= ClusterChanges::worthwhile ? c.k : 0) {}

    // Makes the update with the least cost per decrease of the shortfall; returns false if none helps.
    bool update() {
        best_ = {};
        const std::vector<int> in = scarce_cells(), out = abundant_cells();
        // With very many cells only the most helpful ones are paired.
        consider_cells(std::span(in).first(std::min(in.size(), most_paired_cells)),
                       std::span(out).first(std::min(out.size(), most_paired_cells)));
        if (best_.with == no_cluster && in.size() > most_paired_cells) consider_cells(in, {});
        if (best_.with == no_cluster && out.size() > most_paired_cells) consider_cells({}, out);
        c_.work.settle(std::exchange(uncounted_work_, 0));
        if (best_.with == no_cluster) return false;
        if (best_.in != none) c_.move(best_.incoming, l_);
        if (best_.out != none) c_.move(best_.outgoing, best_.with);
        forget(best_);
        return true;
    }

private:
    static constexpr Slot unknown = std::numeric_limits<Slot>::max();
    static constexpr std::size_t most_paired_cells = 12;

    // Considers a point that leaves, without an exchange or in exchange for a point of each scarce cell, and a point
    // that comes without an exchange.
    void consider_cells(std::span<const int> in, std::span<const int> out) {
        for (const int cell : out) {
            consider(none, cell);
            for (const int scarce : in)
                if (scarce != cell) consider(scarce, cell);
        }
        for (const int scarce : in) consider(scarce, none);
    }

    // Return the cells where one more point lowers the cluster's shortfall, and the cells where one point less lowers
    // the shortfall. The most helpful cells come first. If no single point helps, all cells may take part in an
    // exchange.
    [[nodiscard]] std::vector<int> scarce_cells() {
        std::vector<int> cells = helping_cells([&](int cell) { return shortfall(l_, none, cell); });
        return cells.empty() ? all_cells() : cells;
    }
    [[nodiscard]] std::vector<int> abundant_cells() {
        std::vector<int> cells = helping_cells([&](int cell) { return shortfall(l_, cell, none); });
        if (cells.empty()) cells = all_cells();
        std::erase_if(cells, [&](int cell) { return c_.members(l_, static_cast<std::size_t>(cell)).empty(); });
        return cells;
    }
    template <class After> [[nodiscard]] std::vector<int> helping_cells(const After& after) const {
        std::vector<int> cells = all_cells();
        std::vector<double> left;
        for (const int cell : cells) left.push_back(after(cell));
        const auto left_with = [&](int cell) { return left[static_cast<std::size_t>(cell)]; };
        std::erase_if(cells, [&](int cell) { return left_with(cell) > present_shortfall(l_) - shortfall_rounding; });
        if (cells.size() > most_paired_cells) std::ranges::stable_sort(cells, {}, left_with);
        return cells;
    }
    [[nodiscard]] std::vector<int> all_cells() const {
        std::vector<int> cells(c_.cells.count());
        std::iota(cells.begin(), cells.end(), 0);
        return cells;
    }

    // Returns the best candidate of h and this cell to come to l, whatever point leaves in exchange.
    [[nodiscard]] Slot incoming(ClusterId h, int cell) {
        Slot& slot = incoming_[static_cast<std::size_t>(cell) * c_.k + static_cast<std::size_t>(h)];
        if (slot == unknown) {
            const std::span<const Slot> candidates = c_.sample(h, static_cast<std::size_t>(cell), c_.candidate_count());
            slot = best_incoming(c_, l_, h, candidates);
            uncounted_work_ += work_of_visit + static_cast<double>(candidates.size() * c_.d);
        }
        return slot;
    }
    // Returns the best candidate of this cell to leave l for h.
    [[nodiscard]] Slot outgoing(ClusterId h, int cell) {
        const std::size_t first = static_cast<std::size_t>(cell) * c_.k;
        if (outgoing_[first] == unknown) {
            const std::span<const Slot> candidates =
                c_.sample(l_, static_cast<std::size_t>(cell), c_.candidate_count());
            find_outgoing(c_, l_, candidates);
            uncounted_work_ += work_of_visit + static_cast<double>(candidates.size() * c_.k * c_.d);
            std::copy_n(c_.workspace.best_slot.begin(), c_.k, outgoing_.begin() + static_cast<std::ptrdiff_t>(first));
        }
        return outgoing_[first + static_cast<std::size_t>(h)];
    }
    // Discards candidates that the update made invalid or may have improved on; they are drawn anew.
    void forget(const Update& update) {
        for (const ClusterId l : {l_, update.with}) {
            shortfalls_[static_cast<std::size_t>(l)] = c_.shortfall(l);
            if (!changes_.empty()) changes_[static_cast<std::size_t>(l)].reset();
        }
        for (std::size_t cell = 0; cell < c_.cells.count(); ++cell)
            incoming_[cell * c_.k + static_cast<std::size_t>(update.with)] = unknown;
        for (const int cell : {update.in, update.out})
            if (cell != none) outgoing_[static_cast<std::size_t>(cell) * c_.k] = unknown;
    }

    [[nodiscard]] double present_shortfall(ClusterId l) const { return shortfalls_[static_cast<std::size_t>(l)]; }

    // Returns the shortfall of a cluster with a point of one cell less and one of another more, both of typical weight.
    [[nodiscard]] double shortfall(ClusterId h, int minus, int plus) {
        if (changes_.empty()) return c_.shortfall(h, minus, plus, typical_weight_, typical_weight_);
        std::optional<KnownChanges>& known = changes_[static_cast<std::size_t>(h)];
        if (!known) known.emplace(KnownChanges{ClusterChanges(c_, h), {}});
        const auto key =
            static_cast<std::size_t>(minus + 1) * (c_.cells.count() + 1) + static_cast<std::size_t>(plus + 1);
        const auto [found, is_new] = known->shortfalls.try_emplace(key, 0);
        if (is_new) found->second = known->changes.shortfall(minus, plus);
        return found->second;
    }

    // Returns the clusters other than l, the nearest centre first.
    static std::vector<ClusterId> by_distance(const Clustering& c, ClusterId l) {
        std::vector<ClusterId> others(c.k);
        std::iota(others.begin(), others.end(), 0);
        std::erase(others, l);
        const float* const away = c.distances_of(c.centre(l));
        std::ranges::stable_sort(others, {}, [&](ClusterId h) { return away[h]; });
        return others;
    }

    // Considers the update with other clusters, the nearest first.
    void consider(int in, int out) {
        if (in == none && c_.size(l_) < 2) return;
        if (c_.weighted) return consider_weights(in, out);
        // Cost of computing the shortfalls of a cluster, in multiply-adds.
        const double shortfall_of_cluster = c_.weighted ? 500 : 50;
        uncounted_work_ += shortfall_of_cluster * static_cast<double>(c_.k);
        const double own = present_shortfall(l_) - shortfall(l_, out, in);
        std::size_t compared = 0;
        for (const ClusterId h : partners_) {
            if (compared == compared_partners) return;
            if (own + present_shortfall(h) <= shortfall_rounding || (out == none && c_.size(h) < 2)) continue;
            if (in != none && c_.members(h, static_cast<std::size_t>(in)).empty()) continue;
            // Decrease of the shortfall of both clusters together.
            const double less = own + present_shortfall(h) - shortfall(h, in, out);
            if (less <= shortfall_rounding) continue;
            weigh({h, in, out}, less);
            ++compared;
        }
    }

    // Considers updates of points of different weights: each candidate is judged by its own weight.
    void consider_weights(int in, int out) {
        constexpr double least_part = 1e-6;
        const auto may_take_part = [&](ClusterId h) {
            if (out == none && c_.size(h) < 2) return false;
            return in == none || !c_.members(h, static_cast<std::size_t>(in)).empty();
        };
        for (const ClusterId h : partners_) {
            if (!may_take_part(h)) continue;
            if (out != none) c_.fetch_weight(outgoing(h, out));
            if (in != none) c_.fetch_weight(incoming(h, in));
        }
        for (const ClusterId h : partners_) {
            if (!may_take_part(h)) continue;
            const double leaves = out == none ? 0 : c_.weight(outgoing(h, out));
            const double comes = in == none ? 0 : c_.weight(incoming(h, in)),
                         now = present_shortfall(l_) + present_shortfall(h);
            const double less =
                now - c_.shortfall(l_, out, in, leaves, comes) - c_.shortfall(h, in, out, comes, leaves);
            if (less > std::max(shortfall_rounding, least_part * now)) weigh({h, in, out}, less);
        }
    }

    void weigh(Update update, double less) {
        uncounted_work_ += work_of_visit;
        const auto [h, in, out] = std::tie(update.with, update.in, update.out);
        if (out != none) update.outgoing = outgoing(h, out);
        if (in != none) update.incoming = incoming(h, in);
        double change = 0;
        if (in == none)
            change = move_change(c_, update.outgoing, l_, h);
        else if (out == none)
            change = move_change(c_, update.incoming, h, l_);
        else
            change = exchange_change(c_, update.outgoing, update.incoming, l_, h);
        if (in != none) change += c_.price_of_change(update.incoming);
        if (out != none) change += c_.price_of_change(update.outgoing);
        // Of updates that cost nothing, the one with the largest decrease of the shortfall is best.
        update.rate = change > 0 ? change / less : change * less;
        if (update.rate < best_.rate) best_ = update;
    }

    Clustering& c_;
    ClusterId l_;
    std::vector<double>& shortfalls_;
    std::vector<ClusterId> partners_;        // the other clusters, the nearest first
    std::vector<Slot> incoming_, outgoing_;  // cells x k
    // Shortfalls of a cluster after changes, as far as they were asked for.
    struct KnownChanges {
        ClusterChanges changes;
        std::unordered_map<std::size_t, double> shortfalls;  // by cells
    };
    std::vector<std::optional<KnownChanges>> changes_;  // by cluster, until it changes; empty if there are few cells
    Update best_;
    double uncounted_work_ = 0;  // in multiply-adds
    // Weight of a point for deciding which cells can lower the shortfall.
    double typical_weight_ =
        c_.weighted ? c_.state.tally.total_weight() / static_cast<double>(c_.state.tally.total()) : 1;
};

// Repairs the clusters that fall short, the farthest first; returns the number of updates, at most `limit`.
std::int64_t repair_each(Clustering& c, std::vector<double>& shortfalls, std::int64_t limit) {
    std::vector<std::size_t> order;
    for (std::size_t l = 0; l < c.k; ++l)
        if (shortfalls[l] > 0 && c.size(static_cast<ClusterId>(l)) > 0) order.push_back(l);
    std::ranges::stable_sort(order, std::greater(), [&](std::size_t l) { return shortfalls[l]; });
    std::int64_t updates = 0;
    for (const std::size_t l : order) {
        ExchangeSearch search(c, static_cast<ClusterId>(l), shortfalls);
        while (updates < limit && shortfalls[l] > 0 && !c.work.ends_repairs() && search.update()) {
            check_interrupted();
            ++updates;
        }
    }
    return updates;
}

std::vector<double> cluster_shortfalls(const Clustering& c) {
    std::vector<double> shortfalls;
    for (ClusterId l = 0; l < static_cast<ClusterId>(c.k); ++l) shortfalls.push_back(c.shortfall(l));
    return shortfalls;
}

}  // namespace

std::int64_t repair_some(Clustering& c, std::int64_t limit) {
    std::vector<double> shortfalls = cluster_shortfalls(c);
    std::int64_t updates = 0;
    // A point that one cluster gets may then be missing in another, so all are visited again.
    for (std::int64_t made = 1; made > 0 && updates < limit; updates += made)
        made = repair_each(c, shortfalls, limit - updates);
    // Candidates chosen only by distance may be too heavy.
    if (c.weighted && updates < limit && c.falls_short()) updates += repair_weighted(c, limit - updates);
    return updates;
}

std::int64_t repair(Clustering& c) {
    // If a larger share of points is misplaced, placing all points anew is cheaper and better.
    constexpr double many = 0.05;
    const std::vector<double> shortfalls = cluster_shortfalls(c);
    const double all = std::accumulate(shortfalls.begin(), shortfalls.end(), 0.0);
    if (all == 0 || (!c.weighted && all > many * c.window.size() && reassign(c))) return 0;
    if (c.weighted) return repair_some(c, 256 + static_cast<std::int64_t>(c.window.size()));
    // A useful update lowers the shortfall by a good part of a point; a demand out of reach could be approached by ever
    // smaller parts.
    constexpr double for_each_point = 16;
    return repair_some(c, 256 + static_cast<std::int64_t>(for_each_point * std::min(all, 1e15)));
}

namespace {

// Computes prices of the demands at the present centres and assigns points by them, in a few rounds. The result is so
// near the demands that few points remain to be moved.
void price(const Clustering& c, FairAssignment& assignment, int rounds) {
    c.work.settle((1 + rounds) * c.work_of_pass());
    assignment.measure(c.state.centres);
    if (c.has_prices()) assignment.resume(c.state.prices);
    for (int round = 0; round < rounds; ++round) assignment.optimise_prices(c.demands.of_groups, c.demands.of_sizes);
    (void)assignment.assign();
}

void relabel(Clustering& c, const FairAssignment& assignment, std::span<const ClusterId> placed) {
    for (std::size_t i = 0; i < placed.size(); ++i)
        if (const Slot slot = assignment.order()[i]; c.label(slot) != placed[i]) c.relabel(slot, placed[i]);
    c.refresh_centres();
}

}  // namespace

namespace {

// Counts carry no information if weights differ: prices place all points, and moves and exchanges repair the rest.
bool reassign_by_prices(Clustering& c) {
    constexpr int rounds = 4;
    FairAssignment assignment(c.window, c.k, c.cells.balanced());
    price(c, assignment, rounds);
    const std::vector<ClusterId> placed(assignment.assign().begin(), assignment.assign().end());
    relabel(c, assignment, placed);
    c.reseed_empty_clusters();
    repair_some(c, 256 + static_cast<std::int64_t>(c.window.size()));
    return !c.falls_short();
}

}  // namespace

namespace {

struct Candidate {
    std::vector<ClusterId> labels;
    double cost = 0;
};

// Returns the cheapest labels for the present centres with each of these counts, in the assignment's order of points,
// least cost first.
std::vector<Candidate> by_cost(FairAssignment& assignment, std::span<const CellCounts> found) {
    std::vector<Candidate> candidates;
    for (const CellCounts& counts : found) {
        (void)assignment.assign();
        const std::span<const ClusterId> labels = assignment.assign_counts(counts);
        candidates.push_back({{labels.begin(), labels.end()}, assignment.cost_of(labels)});
    }
    std::ranges::stable_sort(candidates, {}, &Candidate::cost);
    return candidates;
}

}  // namespace

std::size_t reassign(Clustering& c, bool thorough, std::size_t rank) {
    if (static_cast<double>(c.work.left()) < c.work_of_pass()) {  // a pass cannot end half way
        c.work.note_cut();
        return 0;
    }
    if (c.weighted) return rank == 0 && reassign_by_prices(c) ? 1 : 0;
    const std::vector<std::uint32_t> attributes = c.cells.balanced();
    FairAssignment assignment(c.window, c.k, attributes);
    price(c, assignment, c.has_prices() ? 1 : 4);
    CountLimits limits{.thorough = thorough};
    constexpr std::size_t most = 2;
    const std::vector<CellCounts> found = feasible_counts(
        count_problem(c.demands, c.window.format(), assignment, c.state.centres), assignment.counts(), limits, most);
    if (found.size() <= rank) return 0;
    relabel(c, assignment, by_cost(assignment, found)[rank].labels);
    return c.falls_short() ? 0 : found.size();
}

int rearrange(Clustering& c, double worthwhile, int limit) {
    if (c.weighted) return 1;  // cells of differently weighted points are no transport problem of whole points
    FairAssignment assignment(c.window, c.k, c.cells.balanced());
    double cost = objective(c.state);
    for (int round = 1; round <= limit; ++round) {
        check_interrupted();
        if (round > 1 && c.work.stopped()) return round;
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

int reassign_repeatedly(Clustering& c) {
    constexpr int turns = 3, rounds_each = 8;
    constexpr double worthwhile = 1e-3;
    // No further pass begins after this many distances: about a second of work in any window.
    constexpr double affordable = 1 << 26;
    const double pass = static_cast<double>(c.window.size()) * static_cast<double>(c.k);
    const int most = static_cast<int>(std::min(affordable / pass, 1.0 * turns * (1 + rounds_each)));
    int passes = 0;
    double cost = std::numeric_limits<double>::infinity();
    for (int turn = 0; turn < turns && (turn == 0 || !c.work.stopped()) && reassign(c); ++turn) {
        if (++passes >= most) break;
        passes += rearrange(c, worthwhile / 10, std::min(rounds_each, most - passes));
        if (passes >= most) break;
        const double now = objective(c.state);
        if (now > cost * (1 - worthwhile)) break;
        cost = now;
    }
    return std::max(passes, 1);
}

}  // namespace fairstream::safairkm
