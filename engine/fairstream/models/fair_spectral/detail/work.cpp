#include <algorithm>
#include <cmath>

#include <fairstream/graph_labels/detail/part_search.hpp>
#include <fairstream/models/fair_spectral/detail/embedding.hpp>
#include <fairstream/models/fair_spectral/detail/model.hpp>

namespace fairstream::fair_spectral {
namespace {

// Columns that the solver keeps besides one per cluster.
constexpr double more_columns = 5;
// Blocks of vectors that are orthogonalised in an iteration.
constexpr double blocks = 8;
// A refinement without a number of rounds usually ends within this many iterations, except on graphs without clusters.
constexpr double usual_iterations = 200;
// Sweeps of moves that lead labels to their targets, and sweeps of annealing per start and per unit of `sweeps`.
constexpr double sweeps_to_targets = 60, annealing_of_start = 5;
// Sweeps of moves and of annealing, per unit of `sweeps`, for labels that continue from the best of all starts: some
// rounds of two labellings each.
constexpr double sweeps_from_best = 8 * 2 * 5;
// Rounds of k-means per start, and the work of divisions into more clusters, in starts.
constexpr double rounds_of_kmeans = 30, finer_work = 5;
// Cost of moves of continued labels per unit of `sweeps`, point and cluster: some ten descents, and annealing with ten
// times as many sweeps.
constexpr double work_per_sweep = 150;
// Number of times that annealing computes the affinities to all clusters from landmarks, per unit of `sweeps`.
constexpr double refreshes = 10;
// Cost, per part and cluster, of searches by moves of parts under each price, 200 moves each.
constexpr double work_of_part_searches = 3 * 200 * 10;

// Cost of an exponential, in multiply-adds.
constexpr double exponential = 20;

double neighbours(const Options& options, double n) {
    return options.neighbours > 0 ? options.neighbours : std::log2(std::max(2.0, n)) + 1;
}

// Returns the work of computing the affinities of `changed` points.
double affinity_work(const Options& options, double d, double changed, double n) {
    switch (options.affinity) {
        case AffinityKind::knn:
        case AffinityKind::dense:
            return changed * n * d;
        case AffinityKind::rbf:
            return n * n * d;
        case AffinityKind::nystrom:
            return n * options.landmarks * d;
    }
    return 0;
}

// Returns the work of multiplying all affinities with a block of vectors.
double product_work(const Options& options, double d, double width, double n) {
    switch (options.affinity) {
        case AffinityKind::knn:
            return n * neighbours(options, n) * width;
        case AffinityKind::dense:
            return n * n * width;
        case AffinityKind::rbf:
            return n * n * (width + d + exponential);  // affinities are computed again each time
        case AffinityKind::nystrom:
            return n * options.landmarks * width;
    }
    return 0;
}

WorkEstimate solving(const Options& options, const StreamFormat& format, double iterations, const char* lower,
                     double n) {
    return {iterations * work_of_iteration(options, format.dimensions, n), lower};
}

// Returns the work of k-means, and of moves, for all starts; twice that if clusters continue and also start afresh.
WorkEstimate rounding(const Options& options, double starts, double n) {
    const double k = options.clusters;
    return {
        (starts + 1) * n * k * (rounds_of_kmeans * k + sweeps_to_targets + (1 + annealing_of_start) * options.sweeps) +
            n * k * sweeps_from_best * options.sweeps,
        "starts"};
}

// Returns the work of improving continued labels: by moves under prices of changes, by parts of fresh starts and by
// annealing.
WorkEstimate improving_continued_labels(const Options& options, double n) {
    const double k = options.clusters;
    const double refresh = options.affinity == AffinityKind::nystrom ? refreshes * options.landmarks : 0;
    const WorkEstimate moves{(work_per_sweep + refresh) * options.sweeps * n * k, "sweeps"};
    if (options.clusters > static_cast<int>(PartSearch::most_clusters) || options.fresh_every == 0) return moves;
    const double starts = std::ceil(options.starts / 4.0), parts = 9 * k;
    return sum_of({moves,
                   {(starts + finer_work) * n * k * k * rounds_of_kmeans, "starts"},
                   {(starts + 1) * work_of_part_searches * parts * k, "starts"}});
}

}  // namespace

double work_of_affinity(const Options& options, double dimensions, double changed, double n) {
    constexpr double of_search = 0.25;  // cost of a search for neighbours relative to all distances
    return (options.affinity == AffinityKind::knn ? of_search : 1) * affinity_work(options, dimensions, changed, n);
}

double work_of_iteration(const Options& options, double dimensions, double n) {
    const double width = options.clusters + more_columns;
    return product_work(options, dimensions, width, n) + blocks * n * width * width;
}

WorkEstimate Model::step_work(const Options& options, const StreamFormat& format, std::uint64_t points,
                              std::uint64_t retained) {
    const auto n = static_cast<double>(retained), changed = std::min(static_cast<double>(points), n);
    return sum_of({{affinity_work(options, format.dimensions, changed, n), "the number of points"},
                   solving(options, format, options.iterations, "iterations", n),
                   rounding(options, options.starts, n),
                   improving_continued_labels(options, n)});
}

WorkEstimate Model::refine_work(const Options& options, const StreamFormat& format, std::int64_t rounds,
                                std::uint64_t retained) {
    const auto n = static_cast<double>(retained);
    const double iterations = rounds > 0 ? static_cast<double>(rounds) : usual_iterations;
    return sum_of(
        {solving(options, format, iterations, rounds > 0 ? "the number of rounds" : "the capacity of the window", n),
         rounding(options, options.starts, n), improving_continued_labels(options, n)});
}

}  // namespace fairstream::fair_spectral
