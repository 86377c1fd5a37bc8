#include <algorithm>
#include <cmath>
#include <utility>

#include <xtensor/xbuilder.hpp>
#include <xtensor/xview.hpp>

#include <fairstream/graph_labels/detail/labels.hpp>
#include <fairstream/graph_labels/detail/normalised_cut.hpp>
#include <fairstream/models/fair_spectral/detail/embedded.hpp>
#include <fairstream/models/fair_spectral/detail/embedding.hpp>
#include <fairstream/models/fair_spectral/detail/points.hpp>
#include <fairstream/models/fair_spectral/detail/window_solve.hpp>
#include <fairstream/numeric/detail/affinity/connected_parts.hpp>
#include <fairstream/numeric/detail/affinity/places.hpp>
#include <fairstream/numeric/detail/affinity/weighted.hpp>
#include <fairstream/numeric/detail/arrays.hpp>
#include <fairstream/numeric/detail/blocks.hpp>
#include <fairstream/numeric/detail/kmeans.hpp>
#include <fairstream/numeric/detail/linear_algebra.hpp>
#include <fairstream/numeric/detail/match_labels.hpp>
#include <fairstream/numeric/detail/random.hpp>
#include <fairstream/targets/demands.hpp>
#include <fairstream/targets/target_notes.hpp>

namespace fairstream::fair_spectral {
namespace {

// Returns Lambda^-1 for the first k columns, and 1 on the diagonal for the others, of which only the directions are
// known.
Matrix widened(const Matrix& inverse, std::size_t width) {
    Matrix out(width, width);
    array(out) = xt::eye<double>(width);
    xt::view(array(out), xt::range(0, inverse.rows), xt::range(0, inverse.cols)) = array(inverse);
    return out;
}

// Returns directions, n x k, that are 0 except at points that known rows do not reach, such as the points of a new
// cluster. Neither the span of the last solution nor its images under M would ever contain these directions. Starts
// from random values and averages over neighbours a few times, until values are nearly constant on connected points.
Matrix directions_among(const Affinity& affinity, NormalisedAffinity& m, std::span<const Slot> unreached, std::size_t k,
                        Random random) {
    constexpr int means = 8;
    Matrix values(unreached.size(), k), alone(affinity.rows(), k);
    for (double& value : values.values) value = 2 * random.unit() - 1;
    for (int pass = 0;; ++pass) {
        for (std::size_t i = 0; i < unreached.size(); ++i)
            std::copy_n(values.row(i), values.cols, alone.row(unreached[i]));
        if (pass == means) return alone;
        m.count_rows(unreached.size(), k);
        affinity.multiply_rows(unreached, alone, values);
        for (std::size_t i = 0; i < unreached.size(); ++i) {
            const double degree = affinity.degrees()[unreached[i]];
            for (std::size_t j = 0; j < k; ++j) values.at(i, j) = degree > 0 ? values.at(i, j) / degree : 0;
        }
    }
}

// Returns as many columns as T has, from the span of T and other columns: the columns in this span that meet the
// constraints and have the largest eigenvalues of M. Only these columns show which cluster a new one replaces.
Matrix leading_directions(NormalisedAffinity& m, const Constraints& constraints, const Matrix& t,
                          const Matrix& others) {
    Matrix h = joined_columns(t, others), products, best;
    scale_rows(m.roots(), h);
    const Matrix basis = new_directions({constraints.q}, std::move(h));
    m.apply(basis, products);
    const Spectrum ritz = symmetric_spectrum(gram(basis, products));
    multiply(basis, columns(ritz.vectors, 0, std::min(t.cols, basis.cols)), best);
    scale_rows(m.inverse_roots(), best);
    return best;
}

// Returns the written slots whose point is new, in the order of the change.
std::vector<Slot> new_slots(const State& state, const Window& window, const WindowChange& change) {
    std::vector<std::uint8_t> is_moved(window.size(), 0);
    for (const SlotMove& move : change.moved)
        if (move.to < window.size() && move.from < state.labels.size()) is_moved[move.to] = 1;
    std::vector<Slot> slots;
    for (const Slot slot : change.written.first(change.occupied_count(window.size())))
        if (is_moved[slot] == 0) slots.push_back(slot);
    return slots;
}

// Returns the former labels by present slot.
std::vector<ClusterId> labels_before(const State& state, const Window& window, const WindowChange& change) {
    std::vector<ClusterId> before = state.labels;
    before.resize(window.size(), no_cluster);
    for (const Slot slot : change.written.first(change.occupied_count(window.size()))) before[slot] = no_cluster;
    for (const SlotMove& move : change.moved)
        if (move.to < window.size() && move.from < state.labels.size()) before[move.to] = state.labels[move.from];
    return before;
}

// Extends T to all slots. Known rows stay, or move with their points. New rows get the mean of the rows they are joined
// to, times Lambda^-1 (the out-of-sample formula: T = D^-1 K T Lambda^-1 for the exact solution). If some rows are
// joined to no known row, other columns are returned, to which the multipliers do not apply.
WarmStart extended(const State& state, const Affinity& affinity, NormalisedAffinity& m, const Constraints& constraints,
                   const Window& window, const WindowChange& change, const Random& random) {
    const std::size_t n = affinity.rows();
    const std::size_t width = state.embedding.cols;
    const std::vector<Slot> written = new_slots(state, window, change);
    Matrix known(n, width + 1);  // T, and in the last column 1 if the row is known
    const auto keep = [&](std::size_t from, std::size_t to) {
        std::copy_n(state.embedding.row(from), width, known.row(to));
        known.at(to, width) = 1;
    };
    for (std::size_t i = 0; i < std::min(n, state.embedding.rows); ++i) keep(i, i);
    for (const Slot slot : written) std::fill_n(known.row(slot), known.cols, 0.0);
    for (const SlotMove& move : change.moved)
        if (move.to < n && move.from < state.embedding.rows) keep(move.from, move.to);
    Matrix sums, means(written.size(), width), rows;
    affinity.multiply_rows(written, known, sums);
    m.count_rows(written.size(), known.cols);
    for (std::size_t i = 0; i < written.size(); ++i)
        for (std::size_t j = 0; j < width; ++j)
            means.at(i, j) = sums.at(i, width) > 0 ? sums.at(i, j) / sums.at(i, width) : 0;
    multiply(means, widened(state.inverse, width), rows);
    Matrix t = columns(known, 0, width);
    std::vector<Slot> unreached;
    for (std::size_t i = 0; i < written.size(); ++i) {
        std::copy_n(rows.row(i), width, t.row(written[i]));
        if (!(sums.at(i, width) > 0)) unreached.push_back(written[i]);
    }
    if (unreached.empty() || unreached.size() == n) return {std::move(t), state.multipliers, state.penalty};
    const Matrix others = directions_among(affinity, m, unreached, state.inverse.cols, random);
    return {leading_directions(m, constraints, t, others), {}, state.penalty};
}

// Renames clusters to match the former labels.
void rename(std::span<const ClusterId> before, std::size_t k, Rounding& fresh) {
    const std::vector<ClusterId> names = match_labels(before, fresh.labels, k);
    const std::vector<float> centres = fresh.centres;
    for (std::size_t l = 0; l < k; ++l)
        std::copy_n(&centres[l * k], k, &fresh.centres[static_cast<std::size_t>(names[l]) * k]);
    for (ClusterId& label : fresh.labels) label = names[static_cast<std::size_t>(label)];
}

// A quarter of the starts finds clearly better labels within a few steps. More starts would find labels that are only
// slightly better, so labels would change for little gain.
int fresh_starts(const Options& options) {
    constexpr int part = 4;
    return (options.starts + part - 1) / part;
}

// Returns the approximate work of `round_rows`, in units of `work_of_labels`.
double work_of_rows(const Options& options, const State& state, bool with_fresh_starts, std::size_t rows) {
    const double of_fresh = work_of_labels(options.starts, rows);
    if (!state.started) return of_fresh;
    return work_of_continued_labels(fresh_starts(options)) + (with_fresh_starts ? of_fresh : 0);
}

// Labels the rows. Continues from the former labels, if there are any (`no_cluster` where a point has none), and
// considers fresh starts if they are due. Also makes a new labelling if that is asked for, or if fresh starts are due
// and the continued labels miss their targets or come only from k-means. Takes the new labelling if it is better, with
// clusters renamed to match the former labels.
Rounding round_rows(const Options& options, const RoundingInput& input, const State& state,
                    std::span<const ClusterId> before, bool with_fresh_starts) {
    constexpr double least_improvement = 0.02;
    Random random(options.seed, 2 + state.steps);
    if (!state.started) return round_from_starts(input, options.starts, random);
    const auto every = static_cast<std::uint64_t>(options.fresh_every);
    const bool due = every > 0 && state.steps % every == 0;
    const int starts = fresh_starts(options);
    Rounding best = continue_rounding(input, {before.begin(), before.end()}, state.centres, due ? starts : 0, random);
    if (!with_fresh_starts && (!due || (best.cut >= 0 && best.shortfall == 0))) return best;
    if (input.stopped() && best.shortfall == 0) return best;
    Rounding fresh = round_from_starts(input, with_fresh_starts ? options.starts : starts, random, with_fresh_starts);
    if (!fresh.beats(best, with_fresh_starts ? 0 : least_improvement)) return best;
    rename(before, static_cast<std::size_t>(options.clusters), fresh);
    return fresh;
}

GraphShape graph_shape(const PointAffinity& affinity, std::span<const ClusterId> parts) {
    if (parts.empty()) return {};
    const std::optional<MergedRows> merged = affinity.merged();
    return {merged ? merged->places.size() : affinity.rows(), count_parts(parts)};
}

// Returns the anchors by which new points are placed, with values T Lambda^-1.
Anchors anchors_of(const PointAffinity& affinity, const PackedPoints& points, const Embedding& embedding,
                   std::span<const double> weights) {
    Matrix values;
    multiply(columns(embedding.t, 0, embedding.inverse.cols), embedding.inverse, values);
    return affinity.anchors(points, values, weights);
}

// Returns whether the options ask for something that may need different labels for equal points.
bool parts_equal_points(const Options& options, const LinkedRows& links, std::size_t attributes) {
    return has_target(targets_of(options), attributes) || !links.together.empty() || !links.opposite.empty();
}

// Gives equal points one label. A graph of neighbours already knows which points are equal.
void unite_equal_points(const Options& options, const PointAffinity& affinity, const PackedPoints& points,
                        std::vector<ClusterId>& labels) {
    const auto k = static_cast<std::size_t>(options.clusters);
    if (options.affinity == AffinityKind::knn) {
        if (const std::optional<MergedRows> merged = affinity.merged()) unite_labels(merged->places, k, labels);
        return;
    }
    Places places;
    places.update(points);
    unite_labels(places, k, labels);
}

// Sets the labels, and the means and counts of the window's points under them.
void describe_clusters(const Options& options, const Window& window, std::vector<ClusterId> labels, State& state) {
    const auto k = static_cast<std::size_t>(options.clusters);
    state.labels = std::move(labels);
    state.means.assign(k * window.dimensions(), 0);
    take_means(window.features(0), window.size(), window.dimensions(), state.labels, k, state.means, window.weights());
    state.tally = empty_tally(options.clusters, window.format());
    state.tally.add(state.labels, window.points().groups.data(), window.weights());
}

}  // namespace

Constraints window_constraints(const Options& options, const Window& window, std::span<const double> inverse_roots,
                               std::span<const double> weights) {
    const std::vector<AttributeColumn> attributes = attribute_columns(options, window.format());
    const std::size_t room = window.size() - static_cast<std::size_t>(options.clusters) - constraint_count(attributes);
    return make_constraints(window.points().groups, window.attributes(), attributes, linked_rows(options, window, room),
                            inverse_roots, weights);
}

double first_bandwidth(const Options& options, const Window& window) {
    if (!needs_bandwidth(options)) return 0;
    return options.bandwidth > 0 ? options.bandwidth : usual_bandwidth(options, window);
}

State solved(const Options& given, const State& state, Workspace& workspace, const Window& window,
             const WindowChange& change, const Work& work, Solve& solve) {
    const GroupMasses masses = masses_with_memory(window, state.tally);
    Options options = given;
    options.targets = without_memory(targets_of(given), masses);
    const auto k = static_cast<std::size_t>(options.clusters);
    const std::size_t n = window.size();
    const bool grown = !state.started || n >= 2 * state.settled_at;
    State next;
    next.bandwidth = grown || state.stale || options.bandwidth > 0 ? first_bandwidth(options, window) : state.bandwidth;
    work.handle.part(0, 1, stage_of_neighbours).report_progress(0);
    const PointAffinity& of_points = affinity_of(options, next.bandwidth, window, workspace);
    const std::vector<double> weights = weights_in_units(window);
    std::optional<WeightedAffinity> weighted;
    if (!weights.empty()) weighted.emplace(of_points, weights, options.affinity == AffinityKind::knn);
    const Affinity& affinity = weighted ? static_cast<const Affinity&>(*weighted) : of_points;
    const std::vector<ClusterId> parts = parts_of_graph(options, of_points);
    work.handle.settle(work_of_affinity(options, window.dimensions(), static_cast<double>(change.written.size()),
                                        static_cast<double>(n)));
    NormalisedAffinity m(affinity, parts);
    const Constraints constraints = window_constraints(options, window, m.inverse_roots(), weights);

    WarmStart start;
    if (state.started)
        start = extended(state, affinity, m, constraints, window, change, Random(options.seed, ~state.steps));
    SpectralLimits limits = solver_limits(work.iterations, options.tolerance,
                                          work.handle.part(share_of_neighbours, share_of_embedding, stage_of_solver),
                                          work_of_iteration(options, window.dimensions(), static_cast<double>(n)));
    if (work.watch) limits.watch = work.watch;
    Embedding embedding = embed(options, m, constraints, std::move(start), limits, options.seed + state.steps);
    embedding.quality.operator_applications = m.columns_applied() / static_cast<double>(k);

    work.handle.settle();
    const std::vector<ClusterId> before = labels_before(state, window, change);
    const std::vector<float> rows = embedding_rows(embedding.t, k);
    const LinkedRows links = linked_rows(options, window, n);
    WorkDone done(work.handle.part(share_of_embedding, 1, stage_of_labels),
                  work_of_rows(options, state, work.with_fresh_starts || grown, n));
    Ungrouped starts;
    if (work.with_fresh_starts || grown)
        starts = embed_ungrouped(options, m, constraints, embedding,
                                 work.handle.part(share_of_embedding, share_of_embedding, stage_of_solver));
    Rounding rounded = round_rows(options,
                                  {label_options(options), affinity, rows, window.points().groups, window.format(),
                                   links, weights, &starts, &done},
                                  state, before, work.with_fresh_starts || grown);
    if (!parts_equal_points(options, links, window.attributes()))
        unite_equal_points(options, of_points, workspace.points, rounded.labels);
    if (work.with_fresh_starts || rounded.cut >= 0)
        embedding.quality.normalised_cut = normalised_cut(affinity, rounded.labels, k);

    describe_clusters(options, window, std::move(rounded.labels), next);
    next.tally.remember_counted(groups_to_remember(targets_of(given), masses));
    next.centres = std::move(rounded.centres);
    next.anchors = anchors_of(of_points, workspace.points, embedding, weights);
    next.settled_at = grown || work.with_fresh_starts ? n : state.settled_at;
    next.steps = state.steps + 1;
    next.quality = embedding.quality;
    next.graph = graph_shape(of_points, parts);
    next.operator_applications = state.operator_applications + embedding.quality.operator_applications;
    next.started = true;
    next.inverse = std::move(embedding.inverse);
    next.multipliers = std::move(embedding.multipliers);
    next.penalty = embedding.penalty;
    next.embedding = std::move(embedding.t);
    solve = embedding.solve;
    if (work.handle.stopped()) solve.outcome = Outcome::iteration_limit;
    solve.outcome = outcome_of_labels(solve.outcome, targets_of(options), window, next.tally);
    return next;
}

}  // namespace fairstream::fair_spectral
