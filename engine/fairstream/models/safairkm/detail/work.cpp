#include <algorithm>

#include <fairstream/fair_kmeans/detail/sample.hpp>
#include <fairstream/models/safairkm/detail/improvement.hpp>
#include <fairstream/models/safairkm/detail/model.hpp>
#include <fairstream/targets/targets.hpp>

namespace fairstream::safairkm {
namespace {

// Passes over all points for one start of a refinement: the stages of its path, the sweeps and rounds around it, and
// its part of the search for other basins.
constexpr double passes_of_start = 550;
// Passes over all points after starts on a sample.
constexpr double passes_after_sample = 100;
// Visits per arrival: it is placed, seeds are drawn among arrivals, and a target that it violates is repaired.
constexpr double visits_per_arrival = 8;
// Passes over all points of an improvement in the background, with the rounds that carry its result over to them.
constexpr double passes_of_improvement = 24;

// Returns the multiply-adds of comparing a single point with all clusters.
double work_per_visit(const Options& options, const StreamFormat& format) {
    return static_cast<double>(options.clusters) * format.dimensions + work_of_visit;
}

// Returns the multiply-adds of a pass over this many points.
double pass(const Options& options, const StreamFormat& format, double points) {
    return points * (static_cast<double>(options.clusters) * format.dimensions + work_of_pass_point);
}

WorkEstimate swapping(const Options& options, const StreamFormat& format, double retained) {
    if (has_target(targets_of(options), format.attributes.size())) return {0, "swaps"};
    const double candidates = options.candidate_growth > 1 ? retained : std::min<double>(options.candidates, retained);
    const double clusters = options.clusters;
    return {options.swaps * clusters * (candidates * format.dimensions + work_of_visit), "swaps or candidates"};
}

WorkEstimate revisiting(const Options& options, const StreamFormat& format) {
    return {options.kmeans_updates * work_per_visit(options, format), "kmeans_updates"};
}

}  // namespace

WorkEstimate Model::step_work(const Options& options, const StreamFormat& format, std::uint64_t points,
                              std::uint64_t retained) {
    const auto arriving = static_cast<double>(points), all = static_cast<double>(retained);
    const WorkEstimate arrivals{visits_per_arrival * arriving * work_per_visit(options, format),
                                "the number of points"};
    const WorkEstimate improving{
        options.effort > 0
            ? pass(options, format, evaluations_per_arrival * options.effort * arriving + passes_of_improvement * all)
            : 0,
        "effort"};
    return sum_of({arrivals, revisiting(options, format), swapping(options, format, all), improving});
}

WorkEstimate Model::refine_work(const Options& options, const StreamFormat& format, std::int64_t rounds,
                                std::uint64_t retained) {
    const auto all = static_cast<double>(retained);
    const double starts = options.starts;
    if (rounds > 0) {
        const double round = revisiting(options, format).multiply_adds + swapping(options, format, all).multiply_adds +
                             options.clusters * work_of_visit;
        return sum_of({{static_cast<double>(rounds) * round, "the number of rounds"},
                       {pass(options, format, visits_per_arrival * all), "the capacity of the window"}});
    }
    const bool targeted = has_target(targets_of(options), format.attributes.size());
    if (all > refine_sample && (options.swaps == 0 || targeted))
        return sum_of({{pass(options, format, starts * passes_of_start * refine_sample), "starts"},
                       {pass(options, format, passes_after_sample * all), "the capacity of the window"}});
    // Swaps continue while a window's worth of revisits gains anything.
    const double rounds_of_window = options.swaps > 0 ? 1 + all / std::max(1, options.kmeans_updates) : 0;
    return sum_of({{pass(options, format, starts * passes_of_start * all), "starts"},
                   starts * visits_per_arrival * rounds_of_window * swapping(options, format, all)});
}

}  // namespace fairstream::safairkm
