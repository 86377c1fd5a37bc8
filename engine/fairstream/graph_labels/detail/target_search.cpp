#include <fairstream/fair_kmeans/fair_labels_from_centres.hpp>
#include <fairstream/graph_labels/detail/target_search.hpp>

#include <algorithm>
#include <iterator>
#include <utility>

#include <fairstream/graph_labels/detail/part_search.hpp>
#include <fairstream/numeric/detail/interruption.hpp>
#include <fairstream/numeric/detail/kernels.hpp>

namespace fairstream {
namespace {

// Labellings per pair that are crossed in parallel. Ten starts, led in two ways each and annealed in parts, give four
// pairs, or fewer if starts have reached the same labels.
// LastFM, 25 clusters, balance .033 / .165, means of three seeds: cut 5.40 / 6.33 before, 4.48 / 6.12 after one pair,
// 4.46 / 5.94 after four, 4.46 / 5.91 after six.
constexpr std::size_t labellings_per_pair = 8;
// Labellings of the ungrouped embedding that are led to the target; the best of k-means need not have the best cut.
constexpr std::size_t most_ungrouped = 2;
// Labellings that are crossed at once; more of them make parts too small to gain from.
constexpr std::size_t most_crossed = 4;
// Labels are crossed again if the cut decreased by at least this share.
constexpr double least_decrease_to_cross_again = 1e-4;

// Labels are annealed for this multiple of the sweeps of moves. Temperatures are relative to a point's affinities, so
// low that clusters keep their identity. At a higher price of a point of shortfall, points that compensate each other
// could not move one after the other. For labels made anew (two seeds of four data sets, 8 to 25 clusters) cuts are 2
// to 9 % lower than without annealing; with half the temperature and half the sweeps 1 to 7 %; with twice the
// temperature some are higher again.
constexpr int annealing_sweeps = 10;
constexpr double first_temperature = 0.1, last_temperature = 0.005, annealing_shortfall_price = 0.3;

// Number of parts in which labels made anew are annealed: the least number, and the number per cluster. With fewer
// parts no labels of low cut can be made, with more the sweeps find worse labels. Continued labels are annealed in as
// many parts, and in twice as many. 895 points in five clouds, k = 6, parity .8, before labels are crossed: the median
// cut is .51 from k-means, .32 after annealing in 64 parts, .37 in 128 and .45 in 256.
constexpr std::size_t annealed_parts = 64, annealed_parts_per_cluster = 8;
// Rows per part in the sample from which k-means makes these parts. More rows make no better parts, and would take
// longer than the rest of the search.
constexpr std::size_t rows_per_part = 12;
// Sweeps over parts, and the temperatures of the first sweep. A higher temperature would destroy labels that are
// continued from the last solution.
constexpr int sweeps_of_parts = 2000, sweeps_of_continued_parts = 1000;
constexpr double first_temperature_of_parts = 0.2, first_temperature_of_continued_parts = 0.05;
// Number of labellings made in parallel from a continued one, largest number of rounds, and largest number of rounds
// without a decrease of the cut.
constexpr std::size_t parallel_evolutions = 2;
constexpr int most_rounds = 20, rounds_without_fall = 5;
// Streams of random numbers, separate from the streams of labels that are crossed first.
constexpr std::uint64_t stream_of_parts = 1U << 16U, stream_of_rounds = 1U << 17U;

bool better(const Rounding& a, const Rounding& b) {
    return a.beats(b);
}

// Sorts the best first and drops each labelling equal in quality to the previous labelling, which most likely has the
// same labels.
void rank(std::vector<Rounding>& found) {
    constexpr double equal_cut_tolerance = 1e-9;
    std::ranges::stable_sort(found, better);
    const auto rest = std::ranges::unique(found, [](const Rounding& a, const Rounding& b) {
        return a.shortfall == b.shortfall && b.cut - a.cut < equal_cut_tolerance;
    });
    found.erase(rest.begin(), rest.end());
}

// Gives each cell of a division, numbered from 0, the label of most of its points.
std::vector<ClusterId> majority_labels(std::span<const ClusterId> cells, std::span<const ClusterId> labels,
                                       std::size_t k) {
    const auto count = static_cast<std::size_t>(*std::ranges::max_element(cells)) + 1;
    std::vector<std::int64_t> votes(count * k, 0);
    for (std::size_t i = 0; i < cells.size(); ++i)
        ++votes[static_cast<std::size_t>(cells[i]) * k + static_cast<std::size_t>(labels[i])];
    std::vector<ClusterId> out(cells.size());
    for (std::size_t i = 0; i < cells.size(); ++i) {
        const auto first = votes.begin() + static_cast<std::ptrdiff_t>(static_cast<std::size_t>(cells[i]) * k);
        out[i] = static_cast<ClusterId>(std::max_element(first, first + static_cast<std::ptrdiff_t>(k)) - first);
    }
    return out;
}

}  // namespace

Rounding improved_labels(const RoundingInput& input, const CutProblem& problem, const Random& random,
                         std::vector<ClusterId> labels, std::span<const float> centres, bool lead_first,
                         std::initializer_list<double> prices) {
    Rounding result{.labels = {}, .centres = {centres.begin(), centres.end()}};
    CutMoves search(problem, std::move(labels), random);
    if (lead_first) search.lead_to_demands();
    result.is_tight = !search.repair();
    if (result.is_tight) search.move_to_feasible_counts();
    for (const double price : prices) search.descend(input.options.sweeps, price);
    search.add_remaining_work();
    result.labels.assign(search.labels().begin(), search.labels().end());
    result.cut = search.cut();
    result.shortfall = search.shortfall();
    const std::size_t k = problem.clusters;
    take_means(input.rows.data(), result.labels.size(), k, result.labels, k, result.centres, input.weights);
    return result;
}

// Moves start afresh from annealed labels, because sums have the rounding errors of all moves before.
Rounding annealed_labels(const RoundingInput& input, const CutProblem& problem, const Random& random,
                         const Rounding& labelled, double price) {
    const double unit = cut_of_a_point(labelled.labels.size(), problem.clusters);
    CutMoves search(problem, labelled.labels, random);
    const int sweeps = annealing_sweeps * input.options.sweeps;
    const bool done = search.anneal(sweeps, first_temperature * unit, last_temperature * unit, price,
                                    annealing_shortfall_price * cut_of_weight(search.mass(), problem.clusters),
                                    work_of_annealing / std::max(sweeps, 1));
    if (!done) return labelled;
    return improved_labels(input, problem, random, {search.labels().begin(), search.labels().end()}, labelled.centres,
                           false, {price});
}

TargetSearch::TargetSearch(const LabelProblem& problem, const ClusterTargets& targets, const Random& random)
    : points_(problem), problem_(problem.under(targets)), random_(random), targets_(targets) {
    if (!problem_.demands.empty()) fair_.emplace(targets, *problem.points());
}

Rounding TargetSearch::improved(std::vector<ClusterId> labels, std::span<const float> centres) const {
    for (const auto& [a, b] : points_.input().links.together) labels[b] = labels[a];
    return improved_labels(points_.input(), problem_, random_, std::move(labels), centres, false);
}

TargetSearch::LabelsFromStart TargetSearch::labels_from_start(const KMeans& start) const {
    LabelsFromStart result;
    result.found.push_back(improved_labels(points_.input(), problem_, random_, start.labels, start.centres, true));
    result.stuck = result.found[0].is_tight;
    if (fair_) result.found.push_back(improved(fair_->about(start.centres), start.centres));
    return result;
}

Rounding TargetSearch::labels_by_safairkm(std::span<const float> centres) const {
    const RoundingInput& input = points_.input();
    return improved(
        safairkm::fair_labels_from_centres(targets_, *points_.points(), centres, input.options.seed, input.uncounted()),
        centres);
}

std::vector<Rounding> TargetSearch::labels_from_starts(std::span<const KMeans> starts) const {
    std::vector<LabelsFromStart> results(starts.size());
    parallel_for(std::size_t{0}, starts.size(), [&](std::size_t s) {
        if (s == 0 || !stopped()) results[s] = labels_from_start(starts[s]);
    });
    points_.input().settle();
    const auto better_start = [](const LabelsFromStart& a, const LabelsFromStart& b) {
        if (a.found.empty() || b.found.empty()) return b.found.empty() && !a.found.empty();
        return better(*std::ranges::min_element(a.found, better), *std::ranges::min_element(b.found, better));
    };
    const auto best = std::ranges::min_element(results, better_start);
    std::vector<Rounding> found;
    if (2 * std::ranges::count(results, true, &LabelsFromStart::stuck) > std::ssize(results) && !stopped())
        found.push_back(labels_by_safairkm(starts[static_cast<std::size_t>(best - results.begin())].centres));
    for (LabelsFromStart& start : results) std::ranges::move(start.found, std::back_inserter(found));
    return found;
}

std::vector<ClusterId> TargetSearch::parts_for_target(const Ungrouped& of) const {
    const std::vector<std::vector<ClusterId>> divisions{grouped_parts(of, points_.clusters()), of.parts};
    if (points_.clusters() > PartSearch::most_clusters) return divisions[0];
    return PartSearch(problem_, divisions, PartSearch::most_parts_of_new_labels)
        .improved(divisions[0], 0, PartSearch::price_of_shortfall / points_.mass())
        .labels;
}

std::vector<std::vector<ClusterId>> TargetSearch::ungrouped_labels(int start_count, std::size_t most) const {
    const RoundingInput& input = points_.input();
    const Ungrouped& of = *input.ungrouped;
    const std::size_t k = points_.clusters();
    std::vector<std::vector<ClusterId>> labellings =
        kmeans_labels(of, k, start_count, std::min(most, most_ungrouped), random_, input.weights);
    if (!of.parts.empty()) labellings.push_back(parts_for_target(of));
    for (std::vector<ClusterId>& labels : labellings)
        for (const auto& [a, b] : input.links.together) labels[b] = labels[a];
    return labellings;
}

std::vector<Rounding> TargetSearch::labels_from_ungrouped(int start_count, std::size_t most) const {
    const RoundingInput& input = points_.input();
    if (!has_ungrouped() || stopped()) return {};
    std::vector<std::vector<ClusterId>> labellings = ungrouped_labels(start_count, most);
    const std::vector<float> centres(points_.clusters() * points_.clusters());
    std::vector<Rounding> found(labellings.size());
    parallel_for(std::size_t{0}, found.size(), [&](std::size_t f) {
        found[f] =
            improved_labels(input, problem_, random_, std::move(labellings[f]), centres, !problem_.demands.empty());
    });
    input.settle();
    return found;
}

// Gives held points their former labels.
void TargetSearch::restore_held_labels(std::span<const ClusterId> before, std::vector<ClusterId>& labels) const {
    for (std::size_t i = 0; i < problem_.held.size(); ++i)
        if (problem_.held[i]) labels[i] = before[i];
}

Rounding TargetSearch::annealed(Rounding labelled) const {
    if (points_.input().options.sweeps == 0 || stopped()) return labelled;
    Rounding other = annealed_labels(points_.input(), problem_, random_, labelled, 0);
    return better(other, labelled) ? other : labelled;
}

Rounding TargetSearch::crossed(std::vector<Rounding> found) const {
    const std::size_t wanted = found.size() / labellings_per_pair;
    rank(found);
    if (found.size() < 2 || !searches_parts() || stopped()) return annealed(std::move(found[0]));
    const std::size_t pairs = std::max<std::size_t>(1, std::min(wanted, found.size() / 2));
    if (pairs == 1) return annealed(crossed_once(std::move(found), 0));
    std::vector<Rounding> best(pairs);
    parallel_for(std::size_t{0}, pairs, [&](std::size_t p) {
        best[p] = annealed(crossed_once({found[p], found[p + pairs]}, p));
    });
    points_.input().settle();
    return annealed(crossed_once(std::move(best), pairs));
}

bool TargetSearch::searches_parts() const {
    return points_.clusters() <= PartSearch::most_clusters && points_.input().options.sweeps > 0;
}

TargetSearch::Rows TargetSearch::constrained_rows() const {
    return {points_.input().rows.data(), points_.clusters()};
}

TargetSearch::Rows TargetSearch::ungrouped_rows(Random& random) const {
    if (!has_ungrouped()) return constrained_rows();
    const Ungrouped& of = *points_.input().ungrouped;
    const std::size_t drawn = random.below(static_cast<std::uint32_t>(of.diffused.size() + 1));
    if (drawn == of.diffused.size()) return {of.rows.data(), of.width};
    return {of.diffused[drawn].data(), Ungrouped::diffused_width};
}

std::vector<ClusterId> TargetSearch::division(const Rows& rows, std::size_t count, Random& random) const {
    const std::size_t n = points_.rows();
    return kmeans(rows.values, n, rows.width, std::min(n, count), 1, random, points_.input().weights).labels;
}

std::vector<ClusterId> TargetSearch::finer_division(const Rows& rows, Random& random) const {
    return division(rows, std::max(PartSearch::least_finer, PartSearch::finer_halves * points_.clusters() / 2), random);
}

std::vector<ClusterId> TargetSearch::sampled_division(std::size_t count, Random& random) const {
    const std::span<const double> all_weights = points_.input().weights;
    const std::size_t n = points_.rows(), sampled = rows_per_part * count;
    const auto [all, d] = ungrouped_rows(random);
    if (sampled >= n) return division({all, d}, count, random);
    std::vector<float> rows;
    std::vector<double> weights;
    for (std::size_t s = 0; s < sampled; ++s) {
        const std::size_t first = s * n / sampled, end = (s + 1) * n / sampled;
        const std::size_t i = first + random.below(static_cast<std::uint32_t>(end - first));
        rows.insert(rows.end(), all + i * d, all + (i + 1) * d);
        if (!all_weights.empty()) weights.push_back(all_weights[i]);
    }
    const KMeans parts = kmeans(rows.data(), sampled, d, count, 1, random, weights);
    std::vector<float> packed(packed_size(count, d));
    pack_centres(parts.centres.data(), count, d, packed.data());
    std::vector<ClusterId> labels(n);
    kernels().assign(all, n, d, packed.data(), count, labels.data());
    return labels;
}

std::vector<Rounding> TargetSearch::annealed_in_parts(std::span<const KMeans> starts) const {
    if (!searches_parts() || stopped()) return {};
    const std::size_t k = points_.clusters(), count = std::max(annealed_parts, annealed_parts_per_cluster * k);
    const double price = PartSearch::price_of_shortfall / points_.mass();
    const std::uint64_t seed = Random(random_).next();
    std::vector<Rounding> found(starts.size());
    parallel_for(std::size_t{0}, found.size(), [&](std::size_t s) {
        Random own(seed, stream_of_parts + s);
        const KMeans& start = starts[s];
        std::vector<std::vector<ClusterId>> divisions{{}, sampled_division(count, own)};
        divisions[0] = majority_labels(divisions[1], start.labels, k);
        const PartSearch search(problem_, divisions, count);
        std::vector<ClusterId> labels =
            search.annealed(divisions[0], price, sweeps_of_parts, first_temperature_of_parts, own).labels;
        restore_held_labels(start.labels, labels);
        found[s] = improved_labels(points_.input(), problem_, random_, std::move(labels), start.centres,
                                   !problem_.demands.empty());
    });
    points_.input().settle();
    return found;
}

Rounding TargetSearch::changed_in_parts(const Rounding& labelled, std::size_t count, Random& random) const {
    const std::vector<std::vector<ClusterId>> divisions{labelled.labels, sampled_division(count, random)};
    const PartSearch search(problem_, divisions, 2 * count);
    std::vector<ClusterId> labels =
        search
            .annealed(labelled.labels, PartSearch::price_of_shortfall / points_.mass(), sweeps_of_continued_parts,
                      first_temperature_of_continued_parts, random)
            .labels;
    restore_held_labels(labelled.labels, labels);
    return improved(std::move(labels), labelled.centres);
}

Rounding TargetSearch::evolved(Rounding best) const {
    constexpr double no_cut = 1e-9;  // up to rounding
    const bool is_least = best.cut >= 0 && best.cut < no_cut && best.shortfall == 0;
    if (!searches_parts() || is_least) return best;
    const std::size_t count = std::max(annealed_parts, annealed_parts_per_cluster * points_.clusters());
    const std::uint64_t seed = Random(random_).next();
    int without_fall = 0;
    for (std::size_t round = 0; round < most_rounds && without_fall < rounds_without_fall && !stopped(); ++round) {
        std::vector<Rounding> found(parallel_evolutions);
        parallel_for(std::size_t{0}, found.size(), [&](std::size_t s) {
            const std::uint64_t stream = stream_of_rounds + round * parallel_evolutions + s;
            Random own(seed, stream);
            found[s] = crossed_once({best, changed_in_parts(best, count << s, own)}, stream);
            if (better(found[s], best)) found[s] = annealed(std::move(found[s]));
        });
        points_.input().settle();
        Rounding& least = *std::ranges::min_element(found, better);
        without_fall = least.beats(best, least_decrease_to_cross_again) ? 0 : without_fall + 1;
        if (better(least, best)) best = std::move(least);
    }
    return best;
}

Rounding TargetSearch::crossed_once(std::vector<Rounding> found, std::uint64_t number) const {
    Random own(Random(random_).next(), number);
    std::vector<std::vector<ClusterId>> finer;
    while (finer.size() < PartSearch::finer_starts)
        finer.push_back(finer_division(finer.empty() ? ungrouped_rows(own) : constrained_rows(), own));
    for (;;) {
        rank(found);
        found.resize(std::min(found.size(), most_crossed));
        std::vector<std::vector<ClusterId>> labellings;
        for (const Rounding& each : found) labellings.push_back(each.labels);
        std::ranges::copy(finer, std::back_inserter(labellings));
        const PartSearch search(problem_, labellings, PartSearch::most_parts_of_new_labels);
        std::vector<Rounding> combined(found.size());
        parallel_for(std::size_t{0}, found.size(), [&](std::size_t s) {
            std::vector<ClusterId> labels =
                search.improved(labellings[s], 0, PartSearch::price_of_shortfall / points_.mass()).labels;
            restore_held_labels(labellings[s], labels);
            combined[s] = improved(std::move(labels), found[s].centres);
        });
        const double before = found[0].cut, short_before = found[0].shortfall;
        std::ranges::move(combined, std::back_inserter(found));
        Rounding& best = *std::ranges::min_element(found, better);
        if (stopped() || (best.shortfall == short_before && best.cut >= before * (1 - least_decrease_to_cross_again)))
            return std::move(best);
    }
}

}  // namespace fairstream
