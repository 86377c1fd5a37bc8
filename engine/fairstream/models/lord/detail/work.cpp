#include <algorithm>
#include <cmath>

#include <fairstream/models/lord/lord.hpp>

namespace fairstream::lord {
namespace {

// Iterations that a solve ends within, but for graphs without clusters; those of one that goes on are some.
constexpr double usual_iterations = 400;
// Passes of a projection and of the steps, each of which is some multiplications for a number of V.
constexpr double passes = 4, each = 8;
// Products that the ends of the spectrum take, in columns.
constexpr double columns_of_spectrum = 400;

double neighbours(const Options& options, double n) {
    return options.neighbours > 0 ? options.neighbours : std::log2(std::max(2.0, n)) + 1;
}

WorkEstimate solving(const Options& options, double starts, double n) {
    const double k = options.clusters, iterations = std::min(static_cast<double>(options.iterations), usual_iterations);
    const double product = n * 2 * neighbours(options, n) * k;
    return sum_of({{iterations * (starts + 1) * (product + passes * (each * n * k + k * k * k)), "starts"},
                   {columns_of_spectrum * n * 2 * neighbours(options, n), "the window"}});
}

}  // namespace

WorkEstimate Model::step_work(const Options& options, const StreamFormat& format, std::uint64_t points,
                              std::uint64_t retained) {
    const auto n = static_cast<double>(retained), changed = std::min(static_cast<double>(points), n);
    return sum_of({{changed * n * format.dimensions, "the number of points"}, solving(options, options.starts, n)});
}

WorkEstimate Model::refine_work(const Options& options, const StreamFormat&, std::int64_t rounds,
                                std::uint64_t retained) {
    return solving(options, rounds > 0 ? 0 : options.starts, static_cast<double>(retained));
}

}  // namespace fairstream::lord
