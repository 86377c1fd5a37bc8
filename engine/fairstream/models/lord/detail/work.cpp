#include <algorithm>
#include <cmath>
#include <string_view>

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

// The work of so many iterations in all, which grows with `by`.
WorkEstimate solving(const Options& options, double iterations, std::string_view by, double n) {
    const double k = options.clusters, product = n * 2 * neighbours(options, n) * k;
    return sum_of({{iterations * (product + passes * (each * n * k + k * k * k)), by},
                   {columns_of_spectrum * n * 2 * neighbours(options, n), "the window"}});
}

// The work of clusters that go on, and of all starts beside them.
WorkEstimate with_starts(const Options& options, double n) {
    const double iterations = std::min(static_cast<double>(options.iterations), usual_iterations);
    return solving(options, iterations * (options.starts + 1), "starts", n);
}

}  // namespace

WorkEstimate Model::step_work(const Options& options, const StreamFormat& format, std::uint64_t points,
                              std::uint64_t retained) {
    const auto n = static_cast<double>(retained), changed = std::min(static_cast<double>(points), n);
    return sum_of({{changed * n * format.dimensions, "the number of points"}, with_starts(options, n)});
}

WorkEstimate Model::refine_work(const Options& options, const StreamFormat&, std::int64_t rounds,
                                std::uint64_t retained) {
    const auto n = static_cast<double>(retained);
    if (rounds == 0) return with_starts(options, n);
    return solving(options, static_cast<double>(rounds), "the number of rounds", n);
}

}  // namespace fairstream::lord
