#include <algorithm>
#include <cmath>
#include <string_view>

#include <fairstream/models/lord/detail/ascent.hpp>
#include <fairstream/models/lord/detail/model.hpp>

namespace fairstream::lord {
namespace {

// A start usually ends within this many iterations, except on graphs without clusters; a warm start needs only a few.
double usual_iterations(const Options& options) {
    return options.method == Method::b_lord ? 150 : 350;
}
// Default number of starts, and the number of points up to which it applies.
constexpr int most_starts = 10;
constexpr std::uint64_t points_of_most_starts = 100'000;
// Passes of a projection and of a step; a pass takes `each` multiplications per entry of V.
constexpr double passes = 4, each = 8;
// Columns of products for the ends of the spectrum.
constexpr double columns_of_spectrum = 400;

// Cost of a multiply-add of a sparse product, whose rows are far apart in memory.
constexpr double gathered = 2;

double neighbours(const Options& options, double n) {
    return options.neighbours > 0 ? options.neighbours : std::log2(std::max(2.0, n)) + 1;
}

// Returns the work of this many iterations in all; `by` names the option that lowers their number.
WorkEstimate solving(const Options& options, double iterations, std::string_view by, double n) {
    return sum_of({{iterations * work_of_iteration(options, n), by},
                   {columns_of_spectrum * n * 2 * neighbours(options, n), "the capacity of the window"}});
}

// Returns the work of continued clusters plus that of all starts.
WorkEstimate with_starts(const Options& options, double n) {
    const double iterations = std::min(static_cast<double>(options.iterations), usual_iterations(options));
    const int starts = start_count(options, static_cast<std::uint64_t>(n));
    return solving(options, iterations * (starts + 1), "starts", n);
}

}  // namespace

double work_of_setting(const Options& options, double dimensions, double changed, double n) {
    constexpr double of_search = 0.25;  // cost of a search for neighbours relative to all distances
    return of_search * changed * n * dimensions + columns_of_spectrum * n * 2 * neighbours(options, n) * gathered;
}

double work_of_eigensolver(const Options& options, double n) {
    constexpr double more_columns = 5,
                     blocks = 8;  // columns besides one per cluster, and blocks that are orthogonalised
    const double width = options.clusters + more_columns;
    return n * width * (2 * neighbours(options, n) * gathered + blocks * width);
}

double work_of_iteration(const Options& options, double n) {
    const double k = options.clusters, product = n * 2 * neighbours(options, n) * k;
    return product + passes * (each * n * k + k * k * k);
}

int start_count(const Options& options, std::uint64_t points) {
    if (options.starts != automatic_starts) return options.starts;
    const std::uint64_t all = most_starts * points_of_most_starts;
    return static_cast<int>(std::clamp<std::uint64_t>(all / std::max<std::uint64_t>(points, 1), 1, most_starts));
}

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
