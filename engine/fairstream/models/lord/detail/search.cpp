#include <fairstream/models/lord/detail/search.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include <fairstream/models/fair_spectral/detail/embedding.hpp>
#include <fairstream/models/lord/detail/ascent.hpp>
#include <fairstream/models/lord/detail/labels.hpp>
#include <fairstream/numeric/detail/blocks.hpp>
#include <fairstream/numeric/detail/interruption.hpp>
#include <fairstream/numeric/detail/match_labels.hpp>

namespace fairstream::lord {
namespace {

// Share of a search by projected gradients; labels come after.
constexpr double share_of_ascents = 0.9;

// Returns the best of the starts made anew. Where these alone are to give a V, the first is begun in any case.
Ascent best_of_fresh(const SearchInput& input, const Starts& starts, Solve& solve, WorkDone& done) {
    const Options& options = input.options;
    const Setting& setting = input.setting;
    const auto fresh = static_cast<std::size_t>(starts.fresh);
    std::vector<Ascent> found(fresh + starts.given.size());
    parallel_for(std::size_t{0}, found.size(), [&](std::size_t s) {
        found[s].objective = std::numeric_limits<double>::infinity();
        if (done.stopped() && (s > 0 || starts.start)) return;
        const std::uint64_t stream = (starts.draw << 12U) + s + 1;
        const Matrix start =
            s < fresh ? random_start(setting.marginals, options.seed, stream) : starts.given[s - fresh];
        found[s] = ascend(setting.problem, start, {starts.iterations, options.tolerance, &done});
    });
    for (const Ascent& one : found) solve.iterations += one.iterations;
    return std::move(*std::ranges::min_element(found, {}, &Ascent::objective));
}

std::vector<float> as_floats(const Matrix& x) {
    return {x.values.begin(), x.values.end()};
}

// Gives the columns of a fresh V the places of those that they fit; columns of different priors cannot change places.
void rename(const Matrix& before, std::span<const double> mu, Matrix& fresh) {
    if (std::ranges::any_of(mu, [&](double x) { return x != mu[0]; })) return;
    const std::size_t k = fresh.cols;
    const auto labels = [&](const Matrix& v) { return most_probable(as_floats(memberships_of(v, mu, 1)), k); };
    const std::vector<ClusterId> names = match_labels(labels(before), labels(fresh), k);
    Matrix named(fresh.rows, k);
    for (std::size_t i = 0; i < fresh.rows; ++i)
        for (std::size_t j = 0; j < k; ++j) named.at(i, static_cast<std::size_t>(names[j])) = fresh.at(i, j);
    fresh = std::move(named);
}

// Returns the largest gap between a group's share of the memberships of a cluster and the cluster's share of all.
double share_gap(const Options& options, const Matrix& memberships, const StreamFormat& format,
                 std::span<const GroupId> groups, const Marginals& marginals) {
    const std::size_t k = memberships.cols, stride = format.attributes.size();
    double largest = 0;
    if (stride == 0) return 0;
    for (const int attribute : options.attribute) {
        const auto a = static_cast<std::size_t>(attribute);
        const std::size_t known = format.attributes[a].known_groups();
        Matrix sums(known, k);
        std::vector<double> masses(known, 0.0);
        for (std::size_t i = 0; i < memberships.rows; ++i) {
            const std::size_t group = groups[i * stride + a];
            if (group >= known) continue;
            masses[group] += marginals.weight(i);
            for (std::size_t j = 0; j < k; ++j) sums.at(group, j) += marginals.weight(i) * memberships.at(i, j);
        }
        for (std::size_t group = 0; group < known; ++group)
            for (std::size_t j = 0; j < k && masses[group] > 0; ++j)
                largest = std::max(largest,
                                   std::abs(sums.at(group, j) / masses[group] - marginals.mu()[j] * marginals.mu()[j]));
    }
    return largest;
}

Ascent best_ascent(const SearchInput& input, Starts starts, Solve& solve, const WorkHandle& work) {
    WorkDone done(work, starts.fresh + static_cast<double>(starts.given.size()) + (starts.start ? 1 : 0));
    const Setting& setting = input.setting;
    std::optional<Ascent> best;
    if (starts.start) {
        best = ascend(setting.problem, *starts.start, {starts.iterations, input.options.tolerance, &done});
        solve.iterations += best->iterations;
    }
    if (starts.fresh > 0) {
        Ascent fresh = best_of_fresh(input, starts, solve, done);
        if (!best || fresh.objective < best->objective - starts.clearly * std::abs(best->objective)) {
            if (best) rename(*starts.start, setting.mu, fresh.v);
            best = std::move(fresh);
        }
    }
    return std::move(best).value();
}

Quality quality_of(const SearchInput& input, const Ascent& best, const Matrix& memberships,
                   std::span<const ClusterId> labels) {
    const Marginals& marginals = input.setting.marginals;
    const std::size_t n = best.v.rows, k = best.v.cols;
    Quality quality;
    quality.objective = best.objective;
    quality.normalised_cut = fair_spectral::normalised_cut(input.setting.affinity, labels, k);
    double square = 0, confidence = 0;
    for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t j = 0; j < k; ++j) square += marginals.weight(i) * best.v.at(i, j) * best.v.at(i, j);
        confidence += marginals.weight(i) * memberships.at(i, static_cast<std::size_t>(labels[i]));
    }
    quality.block_diagonality = marginals.mass() * square / static_cast<double>(k);
    quality.confidence = confidence / marginals.mass();
    quality.share_gap = share_gap(input.options, memberships, input.format, input.groups, marginals);
    quality.tau = input.setting.problem.tau;
    quality.gamma = input.setting.problem.gamma;
    quality.projection_rounds =
        best.iterations > 0 ? static_cast<double>(best.projection_rounds) / static_cast<double>(best.iterations) : 0;
    return quality;
}

}  // namespace

Matrix memberships_of(const Matrix& v, std::span<const double> mu, double mass) {
    Matrix p = v;
    for (std::size_t i = 0; i < p.rows; ++i)
        for (std::size_t j = 0; j < p.cols; ++j) p.at(i, j) *= mass * mu[j];
    return p;
}

Found search(const SearchInput& input, Starts starts, const WorkHandle& work) {
    const Setting& setting = input.setting;
    const std::uint64_t draw = starts.draw;
    Found found;
    Ascent best = best_ascent(input, std::move(starts), found.solve, work.part(0, share_of_ascents, "starts"));
    const WorkHandle labelling = work.part(share_of_ascents, 1, "labels");
    labelling.tell(0);
    found.memberships = memberships_of(best.v, setting.mu, setting.marginals.mass());
    const std::vector<float> rows = as_floats(found.memberships);
    found.labels =
        labels_of(input.options, {setting.affinity, rows, input.groups, input.format, setting.marginals.weights()},
                  draw, labelling);
    found.quality = quality_of(input, best, found.memberships, found.labels);
    found.solve.outcome = best.converged && !work.stopped() ? Outcome::converged : Outcome::iteration_limit;
    found.solve.objective = best.objective;
    found.v = std::move(best.v);
    return found;
}

}  // namespace fairstream::lord
