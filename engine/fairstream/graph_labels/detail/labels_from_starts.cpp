#include <algorithm>
#include <iterator>
#include <limits>
#include <utility>

#include <fairstream/graph_labels/detail/label_problem.hpp>
#include <fairstream/graph_labels/detail/labels_from_starts.hpp>
#include <fairstream/graph_labels/detail/target_search.hpp>
#include <fairstream/numeric/detail/interruption.hpp>

namespace fairstream {
namespace {

// With up to this many points all starts are led to the targets; with more, proportionally fewer.
constexpr std::size_t points_of_all_starts = 16384;
// Approximate number of rounds of k-means per start.
constexpr double rounds_of_a_start = 30;

// Returns how many of the starts are led to the targets.
std::size_t starts_to_lead(std::size_t starts, std::size_t n) {
    return std::clamp<std::size_t>(starts * points_of_all_starts / n, 1, starts);
}

}  // namespace

double work_of_labels(int start_count, std::size_t rows, bool thorough) {
    // Each start is led to the targets in two ways and annealed in parts. Further work is on labels made without
    // groups; on one crossing per pair as in `TargetSearch` and a last one, of several labellings each; and on rounds
    // of two crossings from the best.
    constexpr double ways_to_target = 2, in_parts = 2, ungrouped = 3, crossed = 10, labellings_per_pair = 8, rounds = 8;
    const auto starts = static_cast<std::size_t>(start_count);
    const auto begun = static_cast<double>(starts_to_lead(starts, std::max<std::size_t>(rows, 1)));
    const double crossings = 1 + (ways_to_target * begun + begun + ungrouped) / labellings_per_pair;
    return work_of_kmeans * static_cast<double>(starts) + (ways_to_target + in_parts) * begun + ungrouped +
           crossings * (crossed + work_of_annealing) + (thorough ? 2 * rounds * crossed : 0);
}

std::vector<KMeans> kmeans_starts(const LabelProblem& problem, int start_count, Random& random) {
    const std::size_t n = problem.rows(), k = problem.clusters();
    std::vector<KMeans> starts(static_cast<std::size_t>(start_count));
    const std::uint64_t seed = random.next();
    parallel_for(std::size_t{0}, starts.size(), [&](std::size_t s) {
        // One start is enough if the search must end.
        starts[s].cost = std::numeric_limits<double>::infinity();
        if (s > 0 && problem.input().stopped()) return;
        Random own(seed, s);
        starts[s] = kmeans(problem.input().rows.data(), n, k, k, 1, own, problem.input().weights);
        problem.input().spend(rounds_of_a_start * static_cast<double>(n * k * (k + 8)));
        problem.input().add_work(work_of_kmeans);
    });
    problem.input().settle();
    std::ranges::stable_sort(starts, {}, &KMeans::cost);
    starts.resize(starts_to_lead(starts.size(), n));
    std::erase_if(starts, [](const KMeans& start) { return start.labels.empty(); });
    return starts;
}

Rounding round_from_starts(const RoundingInput& input, int start_count, Random& random, bool thorough) {
    const LabelProblem problem(input);
    const std::size_t n = problem.rows(), k = problem.clusters();
    if (!problem.moves())
        return rounding_of_kmeans(kmeans(input.rows.data(), n, k, k, start_count, random, input.weights));
    const TargetSearch search(problem, input.options.targets, random);
    const std::vector<KMeans> starts = kmeans_starts(problem, start_count, random);
    std::vector<Rounding> found = search.labels_from_starts(starts);
    std::ranges::move(search.labels_from_ungrouped(start_count, starts.size()), std::back_inserter(found));
    std::ranges::move(search.annealed_in_parts(starts), std::back_inserter(found));
    Rounding best = search.crossed(std::move(found));
    return thorough ? search.evolved(std::move(best)) : best;
}

}  // namespace fairstream
