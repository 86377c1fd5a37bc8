#include <fairstream/models/lord/detail/low_cuts.hpp>

#include <algorithm>
#include <functional>
#include <numeric>

#include <fairstream/graph_labels/detail/ungrouped.hpp>

namespace fairstream::lord {
namespace {

// Limits of the eigensolver.
constexpr std::int64_t iterations = 100;
constexpr double tolerance = 1e-3;

// Returns the indices of values in descending order.
std::vector<std::size_t> falling(std::span<const double> values) {
    std::vector<std::size_t> order(values.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::stable_sort(order, std::greater(), [&](std::size_t at) { return values[at]; });
    return order;
}

// Puts each point in one cluster; the heaviest cluster goes to the column of the largest share.
Matrix memberships_of_labels(std::span<const ClusterId> labels, const Marginals& marginals) {
    const std::size_t k = marginals.clusters();
    std::vector<double> masses(k, 0.0);
    for (std::size_t i = 0; i < labels.size(); ++i) masses[static_cast<std::size_t>(labels[i])] += marginals.weight(i);
    const std::vector<std::size_t> heaviest = falling(masses), largest = falling(marginals.mu());
    std::vector<std::size_t> column(k);
    for (std::size_t at = 0; at < k; ++at) column[heaviest[at]] = largest[at];
    Matrix v(labels.size(), k);
    for (std::size_t i = 0; i < labels.size(); ++i) {
        const std::size_t j = column[static_cast<std::size_t>(labels[i])];
        v.at(i, j) = 1 / (marginals.mass() * marginals.mu()[j]);
    }
    return v;
}

}  // namespace

std::vector<Matrix> low_cut_starts(const Setting& setting, std::span<const ClusterId> parts, int start_count,
                                   std::uint64_t seed, const WorkHandle& work, double of_iteration) {
    const Marginals& marginals = setting.marginals;
    const std::size_t k = marginals.clusters();
    if (k < 2) return {};
    NormalisedAffinity m(setting.affinity, parts);
    const Ungrouped of =
        ungrouped(m, Matrix(m.rows(), 0), k, solver_limits(iterations, tolerance, work, of_iteration), seed);
    std::vector<Matrix> starts;
    if (!of.parts.empty()) starts.push_back(memberships_of_labels(grouped_parts(of, k), marginals));
    const auto labellings = kmeans_labels(of, k, start_count, 1, Random(seed), marginals.weights());
    starts.push_back(memberships_of_labels(labellings[0], marginals));
    return starts;
}

}  // namespace fairstream::lord
