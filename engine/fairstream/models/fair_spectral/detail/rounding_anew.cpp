#include <algorithm>
#include <utility>

#include <fairstream/models/fair_spectral/detail/label_problem.hpp>
#include <fairstream/models/fair_spectral/detail/rounding_anew.hpp>
#include <fairstream/models/fair_spectral/detail/target_search.hpp>
#include <fairstream/numeric/detail/interruption.hpp>

namespace fairstream::fair_spectral {
namespace {

// Points up to which all starts are led to the targets; of more, fewer starts in proportion.
constexpr std::size_t points_of_all_starts = 16384;

}  // namespace

std::vector<KMeans> kmeans_starts(const LabelProblem& problem, int start_count, Random& random) {
    const std::size_t n = problem.rows(), k = problem.clusters();
    std::vector<KMeans> starts(static_cast<std::size_t>(start_count));
    const std::uint64_t seed = random.next();
    parallel_for(std::size_t{0}, starts.size(), [&](std::size_t s) {
        Random own(seed, s);
        starts[s] = kmeans(problem.input().rows.data(), n, k, k, 1, own, problem.input().weights);
    });
    std::ranges::stable_sort(starts, {}, &KMeans::cost);
    starts.resize(std::clamp<std::size_t>(starts.size() * points_of_all_starts / n, 1, starts.size()));
    return starts;
}

Rounding round_anew(const RoundingInput& input, int start_count, Random& random) {
    const LabelProblem problem(input);
    const std::size_t n = problem.rows(), k = problem.clusters();
    if (!problem.moves()) return of_kmeans(kmeans(input.rows.data(), n, k, k, start_count, random, input.weights));
    const TargetSearch search(problem, target_options(input.options), random);
    return search.crossed(search.led_from(kmeans_starts(problem, start_count, random)));
}

}  // namespace fairstream::fair_spectral
