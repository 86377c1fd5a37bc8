#include <fairstream/fair_kmeans/detail/clustering.hpp>

#include <fairstream/fair_kmeans/detail/masses.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace fairstream::safairkm {
namespace {

// Calls f(index in `written`, slot, count) for each run of neighbouring slots.
template <class F> void for_each_run(std::span<const Slot> written, F&& f) {
    for (std::size_t i = 0; i < written.size();) {
        std::size_t end = i + 1;
        while (end < written.size() && written[end] == written[i] + (end - i)) ++end;
        f(i, written[i], end - i);
        i = end;
    }
}

std::size_t grown_candidates(const Options& options, std::uint64_t steps) {
    const double grown = options.candidates * std::pow(options.candidate_growth, static_cast<double>(steps));
    return static_cast<std::size_t>(std::min(grown, 1e9));
}

}  // namespace

double balance_after(std::span<const std::int64_t> counts, int minus, int plus) {
    std::int64_t least = std::numeric_limits<std::int64_t>::max();
    std::int64_t most = 0;
    for (std::size_t j = 0; j < counts.size(); ++j) {
        const std::int64_t m = counts[j] - (static_cast<int>(j) == minus) + (static_cast<int>(j) == plus);
        least = std::min(least, m);
        most = std::max(most, m);
    }
    return most == 0 ? 0 : static_cast<double>(least) / static_cast<double>(most);
}

Clustering::Clustering(const Options& chosen, State& changed, Workspace& scratch, const Window& points,
                       std::size_t arrivals)
    : options(chosen),
      state(changed),
      workspace(scratch),
      window(points),
      kernels(fairstream::kernels()),
      random(changed.generator),
      k(static_cast<std::size_t>(chosen.clusters)),
      d(points.dimensions()),
      cells(chosen, points.format()),
      targeted(has_target(targets_of(chosen), points.attributes())),
      weighted(points.format().has_weights) {
    if (weighted) {
        const double unit = window.weight_unit();
        state.unit = unit == 1 ? 0 : unit;
        state.heaviest.resize(k, 0);
    }
    set_demands();
    const std::size_t slots = window.capacity();
    workspace.packed.resize(packed_size(k, d));
    workspace.distances.resize(k + centre_lanes);
    workspace.best_slot.resize(k + centre_lanes);
    workspace.best_score.resize(k + centre_lanes);
    workspace.direction.resize(d);
    workspace.labels.resize(std::max(arrivals, std::size_t{1}));
    workspace.carried.reserve(arrivals);
    workspace.targets.reserve(k);
    workspace.mark.resize(slots);
    workspace.journal.clear();
    workspace.before.clear();
    workspace.journal.reserve(slots);
    workspace.before.reserve(slots);
    state.labels.reserve(slots);
    // Labels of points removed from the end stay until `evict` has removed the points.
    state.labels.resize(std::max<std::size_t>(state.labels.size(), window.size()), no_cluster);
    state.position.reserve(slots);
    state.position.resize(state.labels.size());
    if (options.swap == Swap::nearest) {
        workspace.unmoved.reserve(slots);
        state.moved.resize(slots * k, 0);
    } else {
        state.moved.clear();
    }
    if (state.indexed) keep_index(arrivals);
    set_candidate_count(grown_candidates(options, state.steps));
    find_prices(state.prices);
    pack();
}

void Clustering::keep_index(std::size_t arrivals) {
    const bool wanted = options.swaps > 0 || targeted;
    if (wanted != state.indexed) {
        for (std::vector<Slot>& array : state.members) array.clear();
        std::ranges::fill(state.position, 0);
        state.indexed = wanted;
        if (wanted && state.started)
            for (Slot slot = 0; slot < window.size(); ++slot) add_to_index(slot, state.labels[slot]);
    }
    if (!wanted) return;
    // All arrivals may join one array. Later moves come one at a time, bounded by the size of the cluster.
    for (std::vector<Slot>& array : state.members)
        if (array.capacity() < array.size() + arrivals + 1) array.reserve(2 * array.size() + arrivals + 1);
}

void Clustering::list_entries() {
    entries_ = entries_if_few(window.features(0), window.size(), d);
    centre_squares_.assign(packed_size(k, 1), std::numeric_limits<double>::infinity());
    pack();
}

void Clustering::add_to_index(Slot slot, ClusterId l) {
    std::vector<Slot>& array = state.members[static_cast<std::size_t>(l) * cells.count() + cell(slot)];
    state.position[slot] = static_cast<Slot>(array.size());
    array.push_back(slot);
}

void Clustering::begin_round() {
    ++state.steps;
    if (options.candidate_growth > 1) set_candidate_count(grown_candidates(options, state.steps));
}

void Clustering::set_candidate_count(std::size_t candidates) {
    candidate_count_ = candidates;
    for (std::vector<Slot>& lot : workspace.candidates)
        lot.resize(std::max(lot.size(), std::min<std::size_t>(candidates, window.size())));
}

void Clustering::charge_changes() {
    price_of_change_ = targeted ? options.change_price * objective(state) : 0;
}

void Clustering::pack() {
    pack_centres(state.centres.data(), k, d, workspace.packed.data());
    for (std::size_t l = 0; l < k; ++l) square_centre(static_cast<ClusterId>(l));
}

void Clustering::square_centre(ClusterId l) {
    if (!entries_.empty()) centre_squares_[static_cast<std::size_t>(l)] = square_of(centre(l), d);
}

void Clustering::note(Slot slot, ClusterId before) {
    const Slot at = workspace.mark[slot];
    if (at < workspace.journal.size() && workspace.journal[at] == slot) return;
    workspace.mark[slot] = static_cast<Slot>(workspace.journal.size());
    workspace.journal.push_back(slot);
    workspace.before.push_back(before);
}

void Clustering::join(Slot slot, ClusterId l) {
    state.labels[slot] = l;
    if (state.indexed) add_to_index(slot, l);
    state.tally.add(l, window.groups(slot), weight(slot));
}

// The caller passes the cell, because an evicted slot already holds another point.
void Clustering::leave(Slot slot, ClusterId l, std::size_t cell) {
    if (!state.indexed) return;
    std::vector<Slot>& array = state.members[static_cast<std::size_t>(l) * cells.count() + cell];
    const Slot last = array.back();
    array[state.position[slot]] = last;
    state.position[last] = state.position[slot];
    array.pop_back();
}

// Journals the labels of all written slots before the step.
void Clustering::journal_written(const WindowChange& change) {
    if (!state.moved.empty())
        for (const Slot slot : change.written) std::fill_n(&state.moved[std::size_t{slot} * k], k, std::uint8_t{0});
    const PointBatch& old = change.replaced;
    const std::size_t n = written_ = change.written.size();
    workspace.journal.assign(change.written.begin(), change.written.end());
    workspace.before.resize(n);
    for_each_run(change.written, [&](std::size_t i, Slot slot, std::size_t count) {
        std::copy_n(&state.labels[slot], count, &workspace.before[i]);
        std::iota(&workspace.mark[slot], &workspace.mark[slot] + count, static_cast<Slot>(i));
    });
    // A slot that was free has no former label.
    for (std::size_t i = 0; i < n; ++i) workspace.before[i] = old.ids[i] == no_point ? no_cluster : workspace.before[i];
    carry_labels(change);
}

// Keeps the labels of points that moved to another slot.
void Clustering::carry_labels(const WindowChange& change) {
    workspace.carried.clear();
    if (change.moved.empty()) return;
    workspace.carried.resize(change.written.size(), no_cluster);
    for (const SlotMove& move : change.moved)
        workspace.carried[workspace.mark[move.to]] = workspace.before[workspace.mark[move.from]];
}

void Clustering::resize_to_window() {
    state.labels.resize(window.size());
    state.position.resize(window.size());
}

void Clustering::evict(const WindowChange& change) {
    journal_written(change);
    const PointBatch& old = change.replaced;
    const std::size_t n = change.written.size();
    accumulate(kernels, old.features.data(), n, d, workspace.before.data(), -1, old.weights, state.sums.data(),
               state.squares.data());
    state.tally.remove(workspace.before, old.groups.data(), old.weights);
    remove_from_index(change);
    resize_to_window();
}

// Removes replaced points from the index.
void Clustering::remove_from_index(const WindowChange& change) {
    for (std::size_t i = 0; state.indexed && i < change.written.size(); ++i)
        if (workspace.before[i] != no_cluster)
            leave(change.written[i], workspace.before[i],
                  cells.of(change.replaced.groups.data() + i * window.attributes()));
}

void Clustering::evict_and_admit_afresh(const WindowChange& change) {
    journal_written(change);
    remove_from_index(change);
    resize_to_window();
    const std::size_t held = change.occupied_count(window.size());
    for (std::size_t i = 0; i < held; ++i) {
        const Slot slot = change.written[i];
        const bool is_carried = !workspace.carried.empty() && workspace.carried[i] != no_cluster;
        state.labels[slot] = is_carried ? workspace.carried[i] : cheapest(slot);
        if (state.indexed) add_to_index(slot, state.labels[slot]);
    }
    std::ranges::fill(state.sums, 0);
    std::ranges::fill(state.squares, 0);
    state.tally = empty_tally(options.clusters, window.format());
    state.tally.add(state.labels, window.groups(0), window.weights());
    accumulate(kernels, window.features(0), window.size(), d, state.labels.data(), +1, window.weights(),
               state.sums.data(), state.squares.data());
    state.peaks = state.squares;
    for (std::size_t l = 0; l < state.heaviest.size(); ++l)
        state.heaviest[l] = state.tally.weight(static_cast<ClusterId>(l));
    state.stale = false;
}

// Returns the prices of a point's cell, by cluster; null if there are none.
const float* Clustering::prices_of(Slot slot) const {
    return cell_prices_.empty() ? nullptr : &cell_prices_[cell(slot) * k];
}

// Returns the cluster with the least sum of distance and price.
ClusterId Clustering::cheapest(Slot slot) const {
    const float* const away = distances(slot);
    const float* const prices = prices_of(slot);
    std::size_t best = 0;
    float least = std::numeric_limits<float>::infinity();
    for (std::size_t l = 0; l < k; ++l)
        if (const float price = away[l] + (prices == nullptr ? 0 : prices[l]); price < least) least = price, best = l;
    return static_cast<ClusterId>(best);
}

double Clustering::excess(Slot slot) const {
    const auto best = static_cast<std::size_t>(cheapest(slot)), own = static_cast<std::size_t>(label(slot));
    const float* const away = workspace.distances.data();
    const float* const prices = prices_of(slot);
    return double{away[own]} - double{away[best]} +
           (prices == nullptr ? 0 : double{prices[own]} - double{prices[best]});
}

void Clustering::adopt(const Improvement& improvement, std::span<const std::uint8_t> changed) {
    // The improvement is of another clustering, or there is none.
    if (improvement.number != state.improvements + 1) return;
    if (!improvement.prices.empty()) set_prices(improvement.prices);
    state.plain_centres = improvement.plain_centres;
    state.plain_cost = improvement.plain_cost;
    state.fair_cost = improvement.fair_cost;
    state.unspent = std::max(0.0, state.unspent - improvement.spent);
    state.search_pause = improvement.pause;
    state.improvements = improvement.number;
    if (improvement.labels.empty()) return;
    state.centres = improvement.centres;
    pack();
    for (Slot slot = 0; slot < window.size(); ++slot) {
        const bool moved_on = slot >= changed.size() || changed[slot] != 0 || slot >= improvement.labels.size();
        const ClusterId to = moved_on ? cheapest(slot) : improvement.labels[slot];
        if (to != label(slot)) relabel(slot, to);
    }
}

void Clustering::admit(const WindowChange& change) {
    const std::span<const Slot> held = change.written.first(change.occupied_count(window.size()));
    for_each_run(held, [&](std::size_t i, Slot slot, std::size_t count) {
        const std::span<ClusterId> labels = std::span(workspace.labels).subspan(i, count);
        if (cell_prices_.empty())
            kernels.assign(window.features(slot), count, d, workspace.packed.data(), k, labels.data());
        else
            for (std::size_t at = 0; at < count; ++at) labels[at] = cheapest(slot + static_cast<Slot>(at));
        for (std::size_t at = 0; at < count && !workspace.carried.empty(); ++at)
            if (const ClusterId l = workspace.carried[i + at]; l != no_cluster) labels[at] = l;
        accumulate(kernels, window.features(slot), count, d, labels.data(), +1, weights_of(window, slot, count),
                   state.sums.data(), state.squares.data());
        std::ranges::copy(labels, &state.labels[slot]);
        if (options.centre_update == CentreUpdate::exact) {
            state.tally.add(labels, window.groups(slot), weights_of(window, slot, count));
        } else {
            for (std::size_t at = 0; at < count; ++at) {
                // The rate of a paper step is 1 over the size of the cluster including the point.
                const Slot arrived = slot + static_cast<Slot>(at);
                state.tally.add(labels[at], window.groups(arrived), weight(arrived));
                step_centre(labels[at], window.features(arrived), weight(arrived));
            }
        }
        if (state.indexed)
            for (std::size_t at = 0; at < count; ++at) add_to_index(slot + static_cast<Slot>(at), labels[at]);
    });
    for (std::size_t l = 0; l < k; ++l) state.peaks[l] = std::max(state.peaks[l], state.squares[l]);
    for (std::size_t l = 0; l < state.heaviest.size(); ++l)
        state.heaviest[l] = std::max(state.heaviest[l], mass(static_cast<ClusterId>(l)));
}

void Clustering::admit_all() {
    const Slot n = window.size();
    workspace.labels.resize(n);
    kernels.assign(window.features(0), n, d, workspace.packed.data(), k, workspace.labels.data());
    relabel_all(workspace.labels);
}

void Clustering::begin_from_centres() {
    pack();
    admit_all();
    state.started = true;
    keep_index();
    set_demands();
    refresh_centres();
    reseed_empty_clusters();
}

void Clustering::relabel_all(std::span<const ClusterId> labels) {
    const Slot n = window.size();
    std::ranges::fill(state.sums, 0);
    std::ranges::fill(state.squares, 0);
    for (std::vector<Slot>& array : state.members) array.clear();
    for (Slot slot = 0; slot < n; ++slot) note(slot, state.labels[slot]);
    state.tally.remove(state.labels, window.groups(0), window.weights());
    for (Slot slot = 0; slot < n; ++slot) join(slot, labels[slot]);
    accumulate(kernels, window.features(0), n, d, labels.data(), +1, window.weights(), state.sums.data(),
               state.squares.data());
    state.peaks = state.squares;
    for (std::size_t l = 0; l < state.heaviest.size(); ++l) state.heaviest[l] = mass(static_cast<ClusterId>(l));
}

void Clustering::refresh_centre(ClusterId l) {
    const double m = mass(l);
    if (size(l) == 0 || !(m > 0)) return;
    const double* sum = &state.sums[static_cast<std::size_t>(l) * d];
    float* c = &state.centres[static_cast<std::size_t>(l) * d];
    float* packed = &workspace.packed[packed_offset(static_cast<std::size_t>(l), d)];
    const double scale = 1 / m;
    for (std::size_t j = 0; j < d; ++j) packed[j * centre_lanes] = c[j] = static_cast<float>(sum[j] * scale);
    square_centre(l);
}

void Clustering::step_centre(ClusterId l, const float* x, double weight) {
    float* c = &state.centres[static_cast<std::size_t>(l) * d];
    float* packed = &workspace.packed[packed_offset(static_cast<std::size_t>(l), d)];
    const float rate = weighted ? static_cast<float>(std::min(1.0, weight / std::max(weight, mass(l))))
                                : 1.0F / static_cast<float>(size(l));
    for (std::size_t j = 0; j < d; ++j) packed[j * centre_lanes] = c[j] += rate * (x[j] - c[j]);
    square_centre(l);
}

void Clustering::refresh_centres() {
    if (weighted) recompute_inaccurate_sums();
    for (std::size_t l = 0; l < k; ++l) refresh_centre(static_cast<ClusterId>(l));
}

// Sums in double have an error of about 1e-16 of the largest value they ever had. After a distant point, or one with
// most of the weight, has left, only that error may remain. The sums of such a cluster are computed afresh from its
// members.
bool Clustering::has_inaccurate_sums(std::size_t l) const {
    constexpr double rounding_share = 1e-6;
    if (state.squares[l] < rounding_share * state.peaks[l]) return true;
    return !state.heaviest.empty() && size(static_cast<ClusterId>(l)) > 0 &&
           mass(static_cast<ClusterId>(l)) < rounding_share * state.heaviest[l];
}

void Clustering::recompute_inaccurate_sums() {
    bool any = false;
    for (std::size_t l = 0; l < k; ++l) {
        if (!has_inaccurate_sums(l)) continue;
        any = true;
        const auto cluster = static_cast<ClusterId>(l);
        std::fill_n(&state.sums[l * d], d, 0.0);
        state.squares[l] = 0;
        for (Slot slot = 0; slot < window.size(); ++slot)
            if (state.labels[slot] == cluster)
                kernels.accumulate(window.features(slot), 1, d, &cluster, weight(slot), nullptr, state.sums.data(),
                                   state.squares.data());
        state.peaks[l] = state.squares[l];
    }
    if (!any || !weighted) return;
    state.tally = empty_tally(options.clusters, window.format());
    state.tally.add(state.labels, window.groups(0), window.weights());
    for (std::size_t l = 0; l < k; ++l) state.heaviest[l] = mass(static_cast<ClusterId>(l));
}

void Clustering::move(Slot slot, ClusterId to) {
    const ClusterId from = state.labels[slot];
    relabel(slot, to);
    if (options.centre_update == CentreUpdate::paper) {
        step_centre(to, window.features(slot), weight(slot));
    } else {
        if (weighted && has_inaccurate_sums(static_cast<std::size_t>(from))) recompute_inaccurate_sums();
        refresh_centre(from);
        refresh_centre(to);
    }
}

void Clustering::relabel(Slot slot, ClusterId to) {
    const ClusterId from = state.labels[slot];
    const float* x = window.features(slot);
    note(slot, from);
    leave(slot, from, cell(slot));
    const double w = weight(slot);
    state.tally.remove(from, window.groups(slot), w);
    join(slot, to);
    kernels.accumulate(x, 1, d, &from, -w, nullptr, state.sums.data(), state.squares.data());
    kernels.accumulate(x, 1, d, &to, +w, nullptr, state.sums.data(), state.squares.data());
    if (weighted)
        state.heaviest[static_cast<std::size_t>(to)] = std::max(state.heaviest[static_cast<std::size_t>(to)], mass(to));
    state.peaks[static_cast<std::size_t>(to)] =
        std::max(state.peaks[static_cast<std::size_t>(to)], state.squares[static_cast<std::size_t>(to)]);
}

const float* Clustering::distances(Slot slot) const {
    if (entries_.empty()) return distances_of(window.features(slot));
    const SparseRows::Row row = entries_[slot];
    kernels.entry_distances(row.entries.data(), row.columns.data(), row.entries.size(), row.square,
                            workspace.packed.data(), d, centre_squares_.data(), k, workspace.distances.data());
    return workspace.distances.data();
}

const float* Clustering::distances_of(const float* row) const {
    kernels.distances(row, d, workspace.packed.data(), k, workspace.distances.data());
    return workspace.distances.data();
}

std::span<const Slot> Clustering::sample(ClusterId l, std::size_t cell, std::size_t wanted) {
    const std::span<const Slot> all = members(l, cell);
    if (all.size() <= wanted) return all;
    std::vector<Slot>& lot = workspace.candidates[workspace.drawn ^= 1];
    for (std::size_t i = 0; i < wanted; ++i) {
        lot[i] = all[random.below(static_cast<std::uint32_t>(all.size()))];
        __builtin_prefetch(window.features(lot[i]));
    }
    return std::span(lot).first(wanted);
}

std::span<const Slot> Clustering::sample_unmoved(ClusterId l, std::size_t cell, std::size_t wanted) {
    const std::span<const Slot> all = members(l, cell);
    std::vector<Slot>& unmoved = workspace.unmoved;
    unmoved.clear();
    for (const Slot slot : all)
        if (state.moved[std::size_t{slot} * k + static_cast<std::size_t>(l)] == 0) unmoved.push_back(slot);
    if (unmoved.empty()) {
        for (Slot slot = 0; slot < window.size(); ++slot)
            state.moved[std::size_t{slot} * k + static_cast<std::size_t>(l)] = 0;
        unmoved.assign(all.begin(), all.end());
    }
    const std::size_t draws = std::min(wanted, unmoved.size());
    for (std::size_t i = 0; i < draws; ++i)
        workspace.candidates[0][i] = unmoved[random.below(static_cast<std::uint32_t>(unmoved.size()))];
    return std::span(workspace.candidates[0]).first(draws);
}

ClusterId Clustering::least_balanced(std::size_t a) const {
    ClusterId least = 0;
    double lowest = std::numeric_limits<double>::infinity();
    for (ClusterId l = 0; l < static_cast<ClusterId>(k); ++l) {
        const double b = balance(l, a);
        if (b < lowest) {
            lowest = b;
            least = l;
        }
    }
    return least;
}

bool Clustering::keeps(ClusterId l, int minus, int plus, std::span<const double> bounds) const {
    for (std::size_t a = 0; a < cells.attributes(); ++a) {
        const int out = minus == none ? none : cells.group(static_cast<std::size_t>(minus), a);
        const int in = plus == none ? none : cells.group(static_cast<std::size_t>(plus), a);
        if (out == in) continue;
        const double after = balance_after(counts(l, a), out, in);
        if (after < bounds[a] && after < balance(l, a)) return false;
    }
    return true;
}

// Returns whether a point is at its cluster's centre, up to rounding.
bool Clustering::is_at_centre(Slot slot) const {
    constexpr float rounding = 4 * std::numeric_limits<float>::epsilon();
    const float* const x = window.features(slot);
    const float* const centre = &state.centres[static_cast<std::size_t>(label(slot)) * d];
    for (std::size_t j = 0; j < d; ++j)
        if (std::abs(x[j] - centre[j]) > rounding * std::abs(x[j])) return false;
    return true;
}

void Clustering::reseed_empty_clusters() {
    for (ClusterId l = 0; l < static_cast<ClusterId>(k) && window.size() > 0; ++l) {
        if (size(l) > 0) continue;
        std::optional<Slot> farthest;
        double distance_there = -1;
        for (std::size_t draw = 0; draw < std::max<std::size_t>(candidate_count_, 2 * k); ++draw) {
            const Slot slot = random.below(window.size());
            const double away = weight(slot) * distance(slot, label(slot));
            // Without a target a point that equals all others of its cluster stays with them.
            if (size(label(slot)) > 1 && away > distance_there && (targeted || !is_at_centre(slot))) {
                farthest = slot;
                distance_there = away;
            }
        }
        if (!farthest) continue;
        // The old centre of an empty cluster carries no information on its new member.
        std::copy_n(window.features(*farthest), d, &state.centres[static_cast<std::size_t>(l) * d]);
        move(*farthest, l);
    }
}

}  // namespace fairstream::safairkm
