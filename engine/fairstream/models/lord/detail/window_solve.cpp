#include <fairstream/models/lord/detail/window_solve.hpp>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <optional>
#include <utility>

#include <fairstream/models/fair_spectral/detail/embedding.hpp>
#include <fairstream/models/lord/detail/ascent.hpp>
#include <fairstream/models/lord/detail/labels.hpp>
#include <fairstream/numeric/detail/affinity/weighted.hpp>
#include <fairstream/numeric/detail/blocks.hpp>
#include <fairstream/numeric/detail/interruption.hpp>
#include <fairstream/numeric/detail/kmeans.hpp>
#include <fairstream/numeric/detail/match_labels.hpp>

namespace fairstream::lord {
namespace {

// Fresh starts are taken where their objective is better by more than this part of it.
constexpr double clearly_better = 1e-3;
// Part of the starts that are made beside clusters that go on.
constexpr int part_beside = 4;

// A graph, weights and marginals, as one problem.
struct Setting {
    const Affinity& affinity;
    std::vector<double> mu;
    Marginals marginals;
    Similarity similarity;
    Problem problem;

    Setting(const Options& options, const Affinity& of, std::span<const double> weights,
            std::span<const std::uint32_t> blocks)
        : affinity(of),
          mu(roots_of_priors(options)),
          marginals(mu, of.rows(), weights, blocks),
          similarity(of, weights),
          problem{similarity, marginals, options.method, {}, 0, 0, 0} {
        problem.spread = spread_of(similarity, options.seed);
        if (options.method == Method::lord) {
            problem.square = similarity.squared_norm();
            return;
        }
        problem.tau = chosen_tau(options, similarity, marginals.mass(), options.seed);
        problem.gamma = -problem.spread.largest + problem.tau * problem.spread.width();
    }
    Setting(const Setting&) = delete;
    Setting& operator=(const Setting&) = delete;
};

// Returns the V of the points as they are now, near the set: new rows are the means of their neighbours', by
// similarity, and level where no neighbour has one.
Matrix extended(const State& state, const Setting& setting, const Window& window, const WindowChange& change,
                double mass_before) {
    const std::size_t n = window.size(), k = state.v.cols;
    Matrix known(n, k + 1);  // V, and in the last column 1 where it is known
    const auto keep = [&](std::size_t from, std::size_t to) {
        std::copy_n(state.v.row(from), k, known.row(to));
        known.at(to, k) = 1;
    };
    for (std::size_t i = 0; i < std::min<std::size_t>(n, state.v.rows); ++i) keep(i, i);
    std::vector<Slot> fresh;
    for (const Slot slot : change.written.first(change.held(window.size()))) {
        std::fill_n(known.row(slot), known.cols, 0.0);
        fresh.push_back(slot);
    }
    for (const SlotMove& move : change.moved)
        if (move.to < n && move.from < state.v.rows) keep(move.from, move.to);
    std::erase_if(fresh, [&](Slot slot) { return known.at(slot, k) != 0; });
    Matrix sums;
    setting.affinity.multiply_rows(fresh, known, sums);
    Matrix v = columns(known, 0, k);
    const double factor = mass_before / setting.marginals.mass();
    for (double& value : v.values) value *= factor;
    for (std::size_t i = 0; i < fresh.size(); ++i)
        for (std::size_t j = 0; j < k; ++j)
            v.at(fresh[i], j) =
                sums.at(i, k) > 0 ? factor * sums.at(i, j) / sums.at(i, k) : setting.mu[j] / setting.marginals.mass();
    return v;
}

// Returns the best of some random starts.
Ascent best_of_starts(const Options& options, const Setting& setting, int starts, std::int64_t iterations,
                      std::uint64_t steps, Solve& solve) {
    std::vector<Ascent> found(static_cast<std::size_t>(starts));
    parallel_for(std::size_t{0}, found.size(), [&](std::size_t s) {
        const std::uint64_t stream = (steps << 12U) + s + 1;
        found[s] = ascend(setting.problem, random_start(setting.marginals, options.seed, stream),
                          {iterations, options.tolerance});
    });
    for (const Ascent& one : found) solve.iterations += one.iterations;
    return std::move(*std::ranges::min_element(found, {}, &Ascent::objective));
}

std::vector<ClusterId> most_probable(const Matrix& v, std::span<const double> mu) {
    std::vector<ClusterId> labels(v.rows);
    for (std::size_t i = 0; i < v.rows; ++i) {
        std::size_t best = 0;
        for (std::size_t j = 1; j < v.cols; ++j)
            if (v.at(i, j) * mu[j] > v.at(i, best) * mu[best]) best = j;
        labels[i] = static_cast<ClusterId>(best);
    }
    return labels;
}

// Gives the columns of a fresh V the places of those that they fit; columns of different priors cannot change places.
void rename(const Matrix& before, std::span<const double> mu, Matrix& fresh) {
    if (std::ranges::any_of(mu, [&](double x) { return x != mu[0]; })) return;
    const std::size_t k = fresh.cols;
    const std::vector<ClusterId> names = match_labels(most_probable(before, mu), most_probable(fresh, mu), k);
    Matrix named(fresh.rows, k);
    for (std::size_t i = 0; i < fresh.rows; ++i)
        for (std::size_t j = 0; j < k; ++j) named.at(i, static_cast<std::size_t>(names[j])) = fresh.at(i, j);
    fresh = std::move(named);
}

// Returns the largest gap between a group's share of the probabilities of a cluster and the cluster's share of all.
double share_gap(const Options& options, const Matrix& probabilities, const StreamFormat& format,
                 std::span<const GroupId> groups, const Marginals& marginals) {
    const std::size_t k = probabilities.cols, stride = format.attributes.size();
    double largest = 0;
    if (stride == 0) return 0;
    for (const int attribute : options.attribute) {
        const auto a = static_cast<std::size_t>(attribute);
        const std::size_t known = format.attributes[a].known_groups();
        Matrix sums(known, k);
        std::vector<double> masses(known, 0.0);
        for (std::size_t i = 0; i < probabilities.rows; ++i) {
            const std::size_t group = groups[i * stride + a];
            if (group >= known) continue;
            masses[group] += marginals.weight(i);
            for (std::size_t j = 0; j < k; ++j) sums.at(group, j) += marginals.weight(i) * probabilities.at(i, j);
        }
        for (std::size_t group = 0; group < known; ++group)
            for (std::size_t j = 0; j < k && masses[group] > 0; ++j)
                largest = std::max(largest,
                                   std::abs(sums.at(group, j) / masses[group] - marginals.mu()[j] * marginals.mu()[j]));
    }
    return largest;
}

std::vector<float> as_floats(const Matrix& x) {
    return {x.values.begin(), x.values.end()};
}

}  // namespace

const PointAffinity& Workspace::Kept::of(const Window& window, std::size_t neighbours) {
    return KeptAffinity::of(window, neighbours,
                            [](std::size_t q) { return std::make_unique<NeighbourGraph>(q, EdgeWeights{}); });
}

std::vector<double> roots_of_priors(const Options& options) {
    std::vector<double> mu;
    double sum = 0;
    for (std::size_t j = 0; j < static_cast<std::size_t>(options.clusters); ++j) sum += options.priors.of(j);
    for (std::size_t j = 0; j < static_cast<std::size_t>(options.clusters); ++j)
        mu.push_back(std::sqrt(options.priors.of(j) / sum));
    return mu;
}

Matrix probabilities_of(const Matrix& v, std::span<const double> mu, double mass) {
    Matrix p = v;
    for (std::size_t i = 0; i < p.rows; ++i)
        for (std::size_t j = 0; j < p.cols; ++j) p.at(i, j) *= mass * mu[j];
    return p;
}

std::vector<std::uint32_t> fair_blocks(const Options& options, const StreamFormat& format,
                                       std::span<const GroupId> groups, std::size_t points) {
    const std::size_t stride = format.attributes.size();
    if (stride == 0 || options.fair == Fair::off) return {};
    std::map<std::vector<GroupId>, std::size_t> counts;
    std::vector<std::vector<GroupId>> cells(points);
    for (std::size_t i = 0; i < points; ++i) {
        bool known = true;
        for (const int attribute : options.attribute) {
            const auto a = static_cast<std::size_t>(attribute);
            cells[i].push_back(groups[i * stride + a]);
            known = known && cells[i].back() < format.attributes[a].known_groups();
        }
        if (!known) cells[i].clear();
        ++counts[cells[i]];
    }
    // Blocks in the order of the groups; small groups and points of unknown ones make one together.
    std::map<std::vector<GroupId>, std::uint32_t> block;
    std::size_t left = 0, largest = 0;
    std::uint32_t largest_block = 0;
    for (const auto& [cell, count] : counts) {
        if (cell.empty() || static_cast<double>(count) < options.small_below) {
            left += count;
            continue;
        }
        const auto number = static_cast<std::uint32_t>(block.size());
        if (count > largest) largest = count, largest_block = number;
        block.emplace(cell, number);
    }
    if (block.size() + (left > 0 ? 1 : 0) < 2) return {};
    const bool joins = static_cast<double>(left) < options.small_below;
    const std::uint32_t rest = joins ? largest_block : static_cast<std::uint32_t>(block.size());
    std::vector<std::uint32_t> blocks(points);
    for (std::size_t i = 0; i < points; ++i) {
        const auto found = block.find(cells[i]);
        blocks[i] = found == block.end() ? rest : found->second;
    }
    return blocks;
}

State solved(const Options& options, const State& state, Workspace& workspace, const Window& window,
             const WindowChange& change, const Work& work, Solve& solve) {
    const auto k = static_cast<std::size_t>(options.clusters);
    const std::size_t n = window.size();
    const PointBatch points = window.points();
    const PointAffinity& graph = workspace.kept().of(window, static_cast<std::size_t>(options.neighbours));
    const std::vector<double> weights = weights_in_units(window);
    std::optional<WeightedAffinity> weighted;
    if (!weights.empty()) weighted.emplace(graph, weights, true);
    const Affinity& affinity = weighted ? static_cast<const Affinity&>(*weighted) : graph;
    const Setting setting(options, affinity, weights, fair_blocks(options, window.format(), points.groups, n));

    const bool grown = !state.started || n >= 2 * state.settled_at;
    const auto every = static_cast<std::uint64_t>(options.fresh_every);
    const bool beside = !grown && !work.anew && every > 0 && state.steps % every == every - 1;
    const int starts = grown || work.anew ? options.starts
                       : beside           ? (options.starts + part_beside - 1) / part_beside
                                          : 0;
    std::optional<Ascent> best;
    Matrix before;
    if (state.started) {
        before = extended(state, setting, window, change, state.mass);
        best = ascend(setting.problem, before, {work.iterations, options.tolerance});
        solve.iterations += best->iterations;
    }
    if (starts > 0) {
        Ascent fresh = best_of_starts(options, setting, starts, work.iterations, state.steps, solve);
        const double better = grown || work.anew ? 0 : clearly_better;
        if (!best || fresh.objective < best->objective - better * std::abs(best->objective)) {
            if (best) rename(before, setting.mu, fresh.v);
            best = std::move(fresh);
        }
    }

    State next;
    const Matrix p = probabilities_of(best->v, setting.mu, setting.marginals.mass());
    const std::vector<float> rows = as_floats(p);
    next.labels = labels_of(options, {affinity, rows, points.groups, window.format(), weights}, state.steps);
    next.means.assign(k * window.dimensions(), 0);
    take_means(window.features(0), n, window.dimensions(), next.labels, k, next.means, window.weights());
    next.tally = empty_tally(options.clusters, window.format());
    next.tally.add(next.labels, points.groups.data(), window.weights());
    next.anchors = graph.anchors(workspace.kept().points, p, weights);
    next.quality.objective = best->objective;
    next.quality.normalised_cut = fair_spectral::normalised_cut(affinity, next.labels, k);
    double square = 0, confidence = 0;
    for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t j = 0; j < k; ++j) square += setting.marginals.weight(i) * best->v.at(i, j) * best->v.at(i, j);
        confidence += setting.marginals.weight(i) * p.at(i, static_cast<std::size_t>(next.labels[i]));
    }
    next.quality.block_diagonality = setting.marginals.mass() * square / static_cast<double>(k);
    next.quality.confidence = confidence / setting.marginals.mass();
    next.quality.share_gap = share_gap(options, p, window.format(), points.groups, setting.marginals);
    next.quality.tau = setting.problem.tau;
    next.quality.gamma = setting.problem.gamma;
    next.quality.projection_rounds =
        best->iterations > 0 ? static_cast<double>(best->projection_rounds) / static_cast<double>(best->iterations) : 0;
    next.v = std::move(best->v);
    next.mass = setting.marginals.mass();
    next.settled_at = grown || work.anew ? n : state.settled_at;
    next.steps = state.steps + 1;
    next.started = true;
    solve.outcome = best->converged ? Outcome::converged : Outcome::iteration_limit;
    solve.objective = next.quality.objective;
    return next;
}

}  // namespace fairstream::lord
