#include <fairstream/graph_labels/detail/cut_moves.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <utility>

#include <fairstream/numeric/detail/interruption.hpp>

namespace fairstream {
namespace {

// Smaller gains are rounding errors of float32 products, and could be repeated back and forth for ever.
constexpr double least_gain_of_move = 1e-7;
// Shortfalls are sums of rounded products; a smaller decrease is none.
constexpr double least_shortfall = 1e-9, shortfall_of_mass = 1e-12;
// Number of points of another cluster with which the exchange of a point is tried.
constexpr std::size_t candidates = 64;
constexpr std::size_t visits_between_checks = 1024;
// Costs in multiply-adds: of considering a point and a cluster, and of considering one of many candidates.
constexpr double work_of_point_and_cluster = 8, work_of_candidate = 16;
// Approximate number of sweeps of `lead_to_demands` and of `descend`; each counts as half of the work of a labelling.
constexpr double usual_sweeps = 20;
// Moves that lose more than this many temperatures t are not drawn: they happen less than once in 160,000 times.
constexpr double unlikely = 12;
// Gains above this many temperatures t are reduced to it, so that exp is finite.
constexpr double certain = 100;

// Returns the part of a sweep's work, over n points, that is done between two checks.
double work_of_visits(std::size_t n, double work_of_sweep) {
    return work_of_sweep * std::min(1.0, static_cast<double>(visits_between_checks) / static_cast<double>(n));
}

}  // namespace

// An update of cluster l: a point that leaves it, one that comes, or both, and the decrease of the shortfall of both
// clusters.
struct CutMoves::Update {
    static constexpr std::size_t none = std::numeric_limits<std::size_t>::max();

    std::size_t other = none, outgoing = none, incoming = none;
    double rate = -std::numeric_limits<double>::infinity();  // gain per point of decrease of the shortfall

    void offer(std::size_t cluster, std::size_t leaves, std::size_t comes, double gain, double less) {
        // A gain counts more with a larger decrease of the shortfall, a loss counts less.
        const double here = gain < 0 ? gain / less : gain * less;
        if (here > rate) *this = {cluster, leaves, comes, here};
    }
};

CutMoves::CutMoves(const CutProblem& problem, std::vector<ClusterId> labels, const Random& random)
    : problem_(problem),
      n_(labels.size()),
      k_(problem.clusters),
      labels_(std::move(labels)),
      random_(random),
      joined_(problem.affinity, problem.factors, labels_, k_),
      self_affinities_(problem.diagonal.begin(), problem.diagonal.end()),
      within_(k_, 0.0),
      volume_(k_, 0.0),
      sizes_(k_, 0),
      masses_(k_, 0.0),
      shortfalls_(k_, 0.0),
      place_(n_) {
    if (self_affinities_.empty()) self_affinities_ = problem.affinity.diagonal();
    const std::size_t stride = problem.group_counts.size();
    std::map<std::vector<GroupId>, std::size_t> known;
    for (const std::size_t groups : problem.group_counts) counts_.emplace_back(k_ * groups);
    for (std::size_t i = 0; i < n_; ++i) {
        const auto l = static_cast<std::size_t>(labels_[i]);
        const auto groups = problem.groups.subspan(i * stride, stride);
        const auto [cell, is_new] = known.try_emplace({groups.begin(), groups.end()}, known.size());
        if (is_new) cell_groups_.push_back(cell->first);
        cells_.push_back(cell->second);
        const double weight = problem.weight(i);
        for (std::size_t a = 0; a < stride; ++a) counts_[a][l * problem.group_counts[a] + groups[a]] += weight;
        ++sizes_[l];
        masses_[l] += weight;
        mass_ += weight;
        within_[l] += joined_.at(i, l);
        volume_[l] += problem.affinity.degrees()[i];
    }
    members_.resize(k_ * cell_groups_.size());
    for (std::size_t i = 0; i < n_; ++i) {
        auto& members = members_[static_cast<std::size_t>(labels_[i]) * cell_groups_.size() + cells_[i]];
        place_[i] = members.size();
        members.push_back(static_cast<Slot>(i));
    }
    shortfall_rounding_ = is_weighted() ? std::max(least_shortfall, shortfall_of_mass * mass_) : least_shortfall;
    shortfall_without_.resize(members_.size());
    shortfall_with_.resize(members_.size());
    for (std::size_t l = 0; l < k_; ++l) update_shortfalls(l);
    constexpr double side_by_side = 8;  // approximate number of labellings that are improved at a time
    const std::uint64_t left = problem.done == nullptr ? no_work_limit : problem.done->handle().left();
    allowed_ =
        left == no_work_limit ? std::numeric_limits<double>::infinity() : static_cast<double>(left) / side_by_side;
    count(static_cast<double>(n_ * k_) * work_of_point_and_cluster);
}

void CutMoves::count(double multiply_adds) {
    const bool before = is_spent(1);
    spent_ += multiply_adds;
    if (problem_.done == nullptr) return;
    problem_.done->handle().spend(multiply_adds);
    if (!before && is_spent(1)) problem_.done->handle().note_cut();
}

void CutMoves::count_sweep() {
    const double rank = problem_.factors == nullptr ? 1 : static_cast<double>(problem_.factors->left.cols);
    count(static_cast<double>(n_ * k_) * rank);
}

void CutMoves::count_visits() {
    count(static_cast<double>(std::min(visits_between_checks, n_)) *
          (static_cast<double>(k_) * work_of_point_and_cluster + 60));
}

void CutMoves::update_shortfalls(std::size_t l) {
    if (problem_.demands.empty()) return;
    shortfalls_[l] = shortfall_after(l, no_group, no_group);
    if (is_weighted()) return;
    for (std::size_t cell = 0; cell < cell_groups_.size(); ++cell) {
        const std::size_t at = l * cell_groups_.size() + cell;
        shortfall_without_[at] = members_[at].empty() ? 0 : shortfall_after(l, static_cast<int>(cell), no_group);
        shortfall_with_[at] = shortfall_after(l, no_group, static_cast<int>(cell));
    }
}

// Return the shortfall of a cluster without point i, and with point i in addition.
double CutMoves::shortfall_without(std::size_t l, std::size_t i) const {
    if (!is_weighted()) return shortfall_without_[l * cell_groups_.size() + cells_[i]];
    if (problem_.demands.empty()) return 0;
    return shortfall_after(l, static_cast<int>(cells_[i]), no_group, problem_.weights[i]);
}
double CutMoves::shortfall_with(std::size_t l, std::size_t i) const {
    if (!is_weighted()) return shortfall_with_[l * cell_groups_.size() + cells_[i]];
    if (problem_.demands.empty()) return 0;
    return shortfall_after(l, no_group, static_cast<int>(cells_[i]), 1, problem_.weights[i]);
}

// Returns whether neither cluster's shortfall rises if i and j are exchanged.
bool CutMoves::exchange_keeps(std::size_t i, std::size_t j) const {
    const auto own = static_cast<int>(cells_[i]), other = static_cast<int>(cells_[j]);
    const double out = problem_.weight(i), in = problem_.weight(j);
    return keeps(static_cast<std::size_t>(labels_[i]), own, other, out, in) &&
           keeps(static_cast<std::size_t>(labels_[j]), other, own, in, out);
}

double CutMoves::cut() const {
    double cut = 0;
    for (std::size_t l = 0; l < k_; ++l)
        if (volume_[l] > 0) cut += std::max(0.0, 1 - ratio(l));
    return cut;
}

double CutMoves::shortfall() const {
    double sum = 0;
    for (const double here : shortfalls_) sum += here;
    return sum;
}

// Returns the rise of sum_l A_l / D_l if i moves; `to_from` and `to_to` are its affinities to both clusters. This rise
// is the fall of the cut unless a cluster loses its last point with a degree above 0.
double CutMoves::move_gain(std::size_t i, std::size_t to, double to_from, double to_to) const {
    const auto from = static_cast<std::size_t>(labels_[i]);
    const double degree = problem_.affinity.degrees()[i];
    return ratio(within_[from] - 2 * to_from + self_affinities_[i], volume_[from] - degree) +
           ratio(within_[to] + 2 * to_to + self_affinities_[i], volume_[to] + degree) - ratio(from) - ratio(to);
}

// Returns the charge for the move of i, negative if i returns to its preferred label.
double CutMoves::charge(std::size_t i, std::size_t to) const {
    if (price_ == 0 || problem_.preferred_labels.empty() || problem_.preferred_labels[i] == no_cluster) return 0;
    const ClusterId preferred = problem_.preferred_labels[i];
    const int away =
        static_cast<int>(labels_[i] == preferred) - static_cast<int>(static_cast<ClusterId>(to) == preferred);
    return price_ * problem_.weight(i) * away;
}

double CutMoves::move_gain(std::size_t i, std::size_t to) const {
    return move_gain(i, to, joined_.at(i, static_cast<std::size_t>(labels_[i])), joined_.at(i, to));
}

// Affinities of two points, i in a and j in b, to both clusters.
struct CutMoves::Between {
    double i_a, i_b, j_a, j_b;
};

CutMoves::Between CutMoves::between(std::size_t i, std::size_t j) const {
    const auto a = static_cast<std::size_t>(labels_[i]), b = static_cast<std::size_t>(labels_[j]);
    return {joined_.at(i, a), joined_.at(i, b), joined_.at(j, a), joined_.at(j, b)};
}

double CutMoves::exchange_gain(std::size_t i, std::size_t j, const Between& w, double affinity) const {
    const auto a = static_cast<std::size_t>(labels_[i]), b = static_cast<std::size_t>(labels_[j]);
    const double degree = problem_.affinity.degrees()[j] - problem_.affinity.degrees()[i];
    const double both = self_affinities_[i] + self_affinities_[j] - 2 * affinity;
    return ratio(within_[a] + 2 * (w.j_a - w.i_a) + both, volume_[a] + degree) +
           ratio(within_[b] + 2 * (w.i_b - w.j_b) + both, volume_[b] - degree) - ratio(a) - ratio(b);
}

// Returns the present gain; i must be selected in `joined_`.
double CutMoves::exchange_gain(std::size_t i, std::size_t j) const {
    return exchange_gain(i, j, between(i, j), joined_.to_selected(j));
}

// `minus` and `plus` are cells.
double CutMoves::shortfall_after(std::size_t l, int minus, int plus, double minus_weight, double plus_weight) const {
    const auto group = [&](int cell, std::size_t a) {
        return cell == no_group ? no_group : static_cast<int>(cell_groups_[static_cast<std::size_t>(cell)][a]);
    };
    const double size = masses_[l] - (minus != no_group ? minus_weight : 0) + (plus != no_group ? plus_weight : 0);
    double sum = fairstream::shortfall(problem_.demands.of_sizes, size);
    for (const Demand& demand : problem_.demands.of_groups) {
        const std::size_t a = demand.attribute, groups = problem_.group_counts[a];
        const std::span<const double> counts = std::span(counts_[a]).subspan(l * groups, problem_.known(a));
        sum += fairstream::shortfall(demand, counts, group(minus, a), group(plus, a), minus_weight, plus_weight);
    }
    return sum;
}

bool CutMoves::keeps(std::size_t l, int minus, int plus, double minus_weight, double plus_weight) const {
    return problem_.demands.empty() ||
           shortfall_after(l, minus, plus, minus_weight, plus_weight) <= shortfalls_[l] + shortfall_rounding_;
}

bool CutMoves::may_leave(std::size_t i) const {
    return sizes_[static_cast<std::size_t>(labels_[i])] > 1 && !is_held(i);
}

void CutMoves::move(std::size_t i, std::size_t to) {
    const auto from = static_cast<std::size_t>(labels_[i]);
    const double degree = problem_.affinity.degrees()[i];
    within_[from] += self_affinities_[i] - 2 * joined_.at(i, from);
    within_[to] += self_affinities_[i] + 2 * joined_.at(i, to);
    volume_[from] -= degree;
    volume_[to] += degree;
    const double weight = problem_.weight(i);
    --sizes_[from];
    ++sizes_[to];
    masses_[from] -= weight;
    masses_[to] += weight;
    joined_.move(i, from, to);
    for (std::size_t a = 0; a < counts_.size(); ++a) {
        const std::size_t groups = problem_.group_counts[a], group = cell_groups_[cells_[i]][a];
        counts_[a][from * groups + group] -= weight;
        counts_[a][to * groups + group] += weight;
    }
    auto& left = members_[from * cell_groups_.size() + cells_[i]];
    left[place_[i]] = left.back();
    place_[left.back()] = place_[i];
    left.pop_back();
    auto& joined = members_[to * cell_groups_.size() + cells_[i]];
    place_[i] = joined.size();
    joined.push_back(static_cast<Slot>(i));
    labels_[i] = static_cast<ClusterId>(to);
    for (const std::size_t l : {from, to}) update_shortfalls(l);
}

void CutMoves::visit_at_price(std::size_t i, double price) {
    if (!may_leave(i)) return;
    const auto from = static_cast<std::size_t>(labels_[i]);
    const double leaving = shortfall_without(from, i) - shortfalls_[from];
    const auto best_of = [&](const double* w) {
        std::size_t best = k_;
        double most = least_gain_of_move;
        for (std::size_t to = 0; to < k_; ++to) {
            if (to == from) continue;
            const double more = leaving + shortfall_with(to, i) - shortfalls_[to];
            if (const double gain = move_gain(i, to, w[from], w[to]) - price * more; gain > most)
                most = gain, best = to;
        }
        return best;
    };
    // Screens by affinities as of the last refresh: few points would move only because of later changes.
    if (best_of(joined_.before(i)) == k_) return;
    if (const std::size_t best = best_of(joined_.now(i)); best != k_) move(i, best);
}

void CutMoves::lead_to_demands() {
    constexpr int stages = 60;
    constexpr double first = 1.0 / 32, growth = 1.2;  // relative to the gain of a point of a cluster of mean size
    double price = first * static_cast<double>(k_) / mass_;
    for (int stage = 0; stage < stages && shortfall() > 0; ++stage, price *= growth) {
        check_interrupted();
        joined_.refresh();
        count_sweep();
        for (std::size_t i = 0; i < n_; ++i) {
            if (i % visits_between_checks == 0) {
                add_labelling_work(work_of_visits(n_, 0.5 / usual_sweeps));
                count_visits();
                if (is_spent(2)) return;
            }
            visit_at_price(i, price);
        }
    }
}

// Clusters that a point may move to by the draw, and their probabilities relative to the probability of staying.
struct CutMoves::Chances {
    std::vector<std::size_t> to;
    std::vector<double> weights;
    double sum = 1;  // includes the probability of staying
};

// Computes the probabilities of the clusters that i is joined to; `w` are its affinities.
void CutMoves::compute_chances(std::size_t i, const double* w, double t, double shortfall_price,
                               Chances& chances) const {
    const auto from = static_cast<std::size_t>(labels_[i]);
    const double degree = problem_.affinity.degrees()[i];
    const double leaving = shortfall_without(from, i) - shortfalls_[from];
    const double loss = ratio(from) - ratio(within_[from] - 2 * w[from] + self_affinities_[i], volume_[from] - degree);
    chances.to.clear();
    chances.weights.clear();
    chances.sum = 1;
    for (std::size_t to = 0; to < k_; ++to) {
        if (to == from || !(w[to] > 0)) continue;
        const double won = ratio(within_[to] + 2 * w[to] + self_affinities_[i], volume_[to] + degree) - ratio(to);
        const double more = leaving + shortfall_with(to, i) - shortfalls_[to];
        const double gain = won - loss - charge(i, to) - shortfall_price * more;
        if (gain < -unlikely * t) continue;
        chances.to.push_back(to);
        chances.weights.push_back(std::exp(std::min(gain / t, certain)));
        chances.sum += chances.weights.back();
    }
}

bool CutMoves::anneal(int sweeps, double hot, double cold, double price, double shortfall_price, double work_of_sweep) {
    price_ = price;
    Chances chances;
    const double fall = sweeps > 1 ? std::pow(cold / hot, 1.0 / (sweeps - 1)) : 1;
    double t = hot;
    for (int sweep = 0; sweep < sweeps; ++sweep, t *= fall) {
        joined_.refresh();
        count_sweep();
        for (std::size_t i = 0; i < n_; ++i) {
            if (i % visits_between_checks == 0) {
                check_interrupted();
                count_visits();
                if (!add(work_of_visits(n_, work_of_sweep))) return false;
            }
            if (!may_leave(i)) continue;
            // The affinities of the last refresh decide whether the point moves; the present affinities decide its new
            // cluster.
            compute_chances(i, joined_.before(i), t, shortfall_price, chances);
            if (chances.to.empty() || chances.sum * random_.unit() < 1) continue;
            compute_chances(i, joined_.now(i), t, shortfall_price, chances);
            if (chances.to.empty()) continue;
            double drawn = (chances.sum - 1) * random_.unit();
            std::size_t at = 0;
            while (at + 1 < chances.to.size() && drawn >= chances.weights[at]) drawn -= chances.weights[at++];
            move(i, chances.to[at]);
        }
    }
    return true;
}

// Exchanges i with a point of one of the clusters that i wants to go to.
bool CutMoves::exchange(std::size_t i, std::span<const std::size_t> wanted) {
    const auto from = static_cast<std::size_t>(labels_[i]);
    const std::size_t cells = cell_groups_.size();
    std::size_t best = n_;
    double most = least_gain_of_move;
    joined_.select_point(i);
    const double* const of_i = joined_.now(i);
    for (const std::size_t to : wanted) {
        const double own_charge = charge(i, to);
        for (std::size_t cell = 0; cell < cells; ++cell) {
            const auto own = static_cast<int>(cells_[i]), other = static_cast<int>(cell);
            const std::vector<Slot>& there = members_[to * cells + cell];
            if (there.empty()) continue;
            if (!is_weighted() && own != other && (!keeps(from, own, other) || !keeps(to, other, own))) continue;
            const std::size_t tried = std::min(candidates, there.size());
            count(static_cast<double>(tried) * work_of_candidate);
            const std::size_t first =
                tried < there.size() ? random_.below(static_cast<std::uint32_t>(there.size())) : 0;
            for (std::size_t c = 0; c < tried; ++c) {
                const std::size_t j = there[(first + c) % there.size()];
                if (is_held(j)) continue;
                // An affinity between both points could only lower the gain.
                const double* const w = joined_.before(j);
                const double charged = own_charge + charge(j, from);
                if (exchange_gain(i, j, {of_i[from], of_i[to], w[from], w[to]}, 0) - charged <= most) continue;
                if (is_weighted() && !exchange_keeps(i, j)) continue;
                if (const double gain = exchange_gain(i, j) - charged; gain > most) most = gain, best = j;
            }
        }
    }
    joined_.release_point();
    if (best == n_) return false;
    const auto to = static_cast<std::size_t>(labels_[best]);
    move(i, to);
    move(best, from);
    return true;
}

// Moves i to another cluster, and a point of the same cell from a third cluster to the former cluster of i, which
// cannot do without a point of this cell.
bool CutMoves::replace(std::size_t i, std::size_t to) {
    const std::size_t from = static_cast<std::size_t>(labels_[i]), cells = cell_groups_.size(), cell = cells_[i];
    const std::span<const double> degrees = problem_.affinity.degrees();
    joined_.select_point(i);
    const double of_to =
        ratio(within_[to] + 2 * joined_.at(i, to) + self_affinities_[i], volume_[to] + degrees[i]) - ratio(to);
    const double without = within_[from] - 2 * joined_.at(i, from) + self_affinities_[i];
    std::size_t best = n_;
    double most = least_gain_of_move;
    for (std::size_t h = 0; h < k_; ++h) {
        if (h == from || h == to || sizes_[h] < 2) continue;
        if (!is_weighted() && shortfall_without_[h * cells + cell] > shortfalls_[h] + shortfall_rounding_) continue;
        const std::vector<Slot>& there = members_[h * cells + cell];
        if (there.empty()) continue;
        const std::size_t tried = std::min(candidates, there.size());
        count(static_cast<double>(tried) * work_of_candidate);
        const std::size_t first = tried < there.size() ? random_.below(static_cast<std::uint32_t>(there.size())) : 0;
        for (std::size_t c = 0; c < tried; ++c) {
            const std::size_t j = there[(first + c) % there.size()];
            if (is_held(j)) continue;
            const auto own = static_cast<int>(cell);
            if (is_weighted() && (shortfall_without(h, j) > shortfalls_[h] + shortfall_rounding_ ||
                                  !keeps(from, own, own, problem_.weight(i), problem_.weight(j))))
                continue;
            const double charged = charge(i, to) + charge(j, from);
            const auto gain = [&](double to_from, double to_own, double affinity) {
                const double here = without + 2 * (to_from - affinity) + self_affinities_[j];
                return of_to - charged + ratio(here, volume_[from] - degrees[i] + degrees[j]) - ratio(from) +
                       ratio(within_[h] - 2 * to_own + self_affinities_[j], volume_[h] - degrees[j]) - ratio(h);
            };
            // An affinity between both points could only lower the gain.
            const double* const w = joined_.before(j);
            if (gain(w[from], w[h], 0) <= most) continue;
            const double exactly = gain(joined_.at(j, from), joined_.at(j, h), joined_.to_selected(j));
            if (exactly > most) most = exactly, best = j;
        }
    }
    joined_.release_point();
    if (best == n_) return false;
    move(i, to);
    move(best, from);
    return true;
}

void CutMoves::visit(std::size_t i, std::int64_t& moved) {
    if (!may_leave(i)) return;
    const auto from = static_cast<std::size_t>(labels_[i]);
    // Screens by affinities as of the last refresh: few points would move only because of later changes.
    const double* const earlier = joined_.before(i);
    bool wants = false;
    for (std::size_t to = 0; to < k_ && !wants; ++to)
        wants = to != from && move_gain(i, to, earlier[from], earlier[to]) - charge(i, to) > least_gain_of_move;
    if (!wants) return;
    const bool leaving_keeps_demands = shortfall_without(from, i) <= shortfalls_[from] + shortfall_rounding_;
    std::size_t best = k_, best_accepting = k_;
    double most = least_gain_of_move, accepted_gain = least_gain_of_move;
    std::vector<std::size_t> wanted;
    const double* const w = joined_.now(i);
    for (std::size_t to = 0; to < k_; ++to) {
        if (to == from) continue;
        const double gain = move_gain(i, to, w[from], w[to]) - charge(i, to);
        if (gain <= least_gain_of_move) continue;
        if (leaving_keeps_demands && shortfall_with(to, i) <= shortfalls_[to] + shortfall_rounding_) {
            if (gain > most) most = gain, best = to;
        } else {
            wanted.push_back(to);
            if (gain > accepted_gain && shortfall_with(to, i) <= shortfalls_[to] + shortfall_rounding_)
                accepted_gain = gain, best_accepting = to;
        }
    }
    if (best != k_) {
        move(i, best);
        ++moved;
    } else if (!wanted.empty() && (exchange(i, wanted) ||
                                   (!leaving_keeps_demands && best_accepting != k_ && replace(i, best_accepting)))) {
        moved += 2;
    }
}

std::int64_t CutMoves::descend(int sweeps, double price) {
    price_ = price;
    std::int64_t all = 0;
    for (int sweep = 0; sweep < sweeps; ++sweep) {
        std::int64_t moved = 0;
        joined_.refresh();
        count_sweep();
        for (std::size_t i = 0; i < n_; ++i) {
            if (i % visits_between_checks == 0) {
                check_interrupted();
                count_visits();
                if (!add_labelling_work(work_of_visits(n_, 0.5 / usual_sweeps))) return all + moved;
            }
            visit(i, moved);
        }
        all += moved;
        if (moved == 0) break;
    }
    return all;
}

// Considers moves without an exchange: of each point that could come to cluster l, and of each point of l that could
// leave it.
void CutMoves::consider_moves(std::size_t l, Update& best) const {
    const std::size_t cells = cell_groups_.size();
    for (std::size_t cell = 0; cell < cells; ++cell) {
        for (std::size_t h = 0; h < k_; ++h) {
            if (h == l) continue;
            const auto offer_all = [&](std::size_t from, std::size_t to) {
                const std::vector<Slot>& there = members_[from * cells + cell];
                if (there.empty() || sizes_[from] < 2) return;
                const auto less_by = [&](std::size_t i) {
                    return shortfalls_[from] + shortfalls_[to] - shortfall_without(from, i) - shortfall_with(to, i);
                };
                const double of_all = less_by(there[0]);
                if (!is_weighted() && of_all <= shortfall_rounding_) return;
                for (const Slot i : there)
                    if (may_leave(i)) {
                        const double less = is_weighted() ? less_by(i) : of_all;
                        if (less <= shortfall_rounding_) continue;
                        if (from == l)
                            best.offer(h, i, Update::none, move_gain(i, to), less);
                        else
                            best.offer(h, Update::none, i, move_gain(i, to), less);
                    }
            };
            offer_all(l, h);
            offer_all(h, l);
        }
    }
}

// Considers exchanges between l and each other cluster, of the points of each cell with the largest gains.
void CutMoves::consider_exchanges(std::size_t l, Update& best) {
    const std::size_t cells = cell_groups_.size();
    const auto best_to_move = [&](std::size_t from, std::size_t cell, std::size_t to) {
        std::size_t found = Update::none;
        double most = -std::numeric_limits<double>::infinity();
        for (const Slot i : members_[from * cells + cell])
            if (!is_held(i))
                if (const double gain = move_gain(i, to); gain > most) most = gain, found = i;
        return found;
    };
    for (std::size_t h = 0; h < k_; ++h) {
        if (h == l) continue;
        for (std::size_t out = 0; out < cells; ++out) {
            if (members_[l * cells + out].empty()) continue;
            for (std::size_t in = 0; in < cells; ++in) {
                if ((in == out && !is_weighted()) || members_[h * cells + in].empty()) continue;
                const auto leaves = static_cast<int>(out), comes = static_cast<int>(in);
                const auto less_by = [&](double left, double came) {
                    return shortfalls_[l] + shortfalls_[h] - shortfall_after(l, leaves, comes, left, came) -
                           shortfall_after(h, comes, leaves, came, left);
                };
                if (!is_weighted() && less_by(1, 1) <= shortfall_rounding_) continue;
                const std::size_t i = best_to_move(l, out, h), j = best_to_move(h, in, l);
                if (i == Update::none || j == Update::none) continue;
                const double less = less_by(problem_.weight(i), problem_.weight(j));
                if (less <= shortfall_rounding_) continue;
                joined_.select_point(i);
                best.offer(h, i, j, exchange_gain(i, j), less);
                joined_.release_point();
            }
        }
    }
}

CutMoves::Update CutMoves::best_update(std::size_t l) {
    Update best;
    consider_moves(l, best);
    if (best.other == Update::none) consider_exchanges(l, best);
    return best;
}

bool CutMoves::repair() {
    // A cluster that no update helps may be helped after other clusters have changed. Every worthwhile update lowers
    // the sum of shortfalls by at least a part of a point.
    std::vector<bool> stuck(k_, false);
    const auto limit = 64 + 16 * static_cast<std::int64_t>(std::min(shortfall(), static_cast<double>(n_)));
    for (std::int64_t updates = 0; updates < limit;) {
        check_interrupted();
        if (updates > 0 && is_spent(2)) break;
        count(static_cast<double>(n_ + k_ * k_) * work_of_point_and_cluster);
        std::size_t worst = k_;
        for (std::size_t l = 0; l < k_; ++l)
            if (!stuck[l] && shortfalls_[l] > 0 && (worst == k_ || shortfalls_[l] > shortfalls_[worst])) worst = l;
        if (worst == k_) break;
        const Update update = best_update(worst);
        if (update.other == Update::none) {
            stuck[worst] = true;
            continue;
        }
        if (update.outgoing != Update::none) move(update.outgoing, update.other);
        if (update.incoming != Update::none) move(update.incoming, worst);
        stuck.assign(k_, false);
        ++updates;
    }
    return shortfall() == 0;
}

}  // namespace fairstream
