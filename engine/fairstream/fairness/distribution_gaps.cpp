#include <fairstream/fairness/distribution_gaps.hpp>

#include <algorithm>
#include <cmath>
#include <vector>

#include <fairstream/fairness/detail/score_columns.hpp>
#include <fairstream/numeric/matrix.hpp>

namespace fairstream {
namespace {

// Adds |F_a - F_b| times `width` for all pairs of columns.
void add_areas(const std::vector<double>& above, double width, Matrix& areas) {
    for (std::size_t a = 0; a < above.size(); ++a)
        for (std::size_t b = 0; b < a; ++b) areas.at(a, b) += width * std::abs(above[a] - above[b]);
}

double largest_gap_of_means(const ScoreTally& tally) {
    Extent means;
    for (std::size_t group = 0; group < tally.known_groups(); ++group) {
        double sum = 0, mass = 0;
        for (const ScoreTally::Entry& entry : tally.sorted(static_cast<GroupId>(group)))
            sum += entry.weight * entry.score, mass += entry.weight;
        if (mass > 0) means.add(sum / mass);
    }
    return means.width();
}

}  // namespace

DistributionGaps distribution_gaps(const ScoreTally& tally) {
    DistributionGaps gaps;
    const std::vector<Column> columns = columns_of(tally, {{{0, 1}}});
    if (columns.size() < 2) return gaps;
    std::vector<double> above(columns.size(), 0.0);
    Matrix areas(columns.size(), columns.size());
    double before = 0;  // the last number passed
    Descent descent(columns);
    for (bool first = true; const std::optional<Score> passed = descent.top(); first = false) {
        if (!first) add_areas(above, before - *passed, areas);
        before = *passed;
        descent.step([](const Tie&) {});
        gaps.ks = std::max(gaps.ks, descent.shares(above).width());
    }
    gaps.wasserstein = *std::ranges::max_element(areas.values);
    gaps.mean = largest_gap_of_means(tally);
    return gaps;
}

DistributionGaps distribution_gaps(std::span<const float> outputs, std::span<const GroupId> groups,
                                   std::size_t group_count, std::span<const double> weights) {
    ScoreTally tally(group_count);
    for (std::size_t i = 0; i < outputs.size(); ++i)
        if (groups[i] < group_count) tally.add(double{outputs[i]}, groups[i], 0, weights.empty() ? 1 : weights[i]);
    tally.settle();
    return distribution_gaps(tally);
}

}  // namespace fairstream
