#include <fairstream/fairness/distribution_gaps.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include <fairstream/numeric/matrix.hpp>

namespace fairstream {

DistributionGaps distribution_gaps(std::span<const float> outputs, std::span<const GroupId> groups,
                                   std::size_t group_count, std::span<const double> weights) {
    const auto weight = [&](std::size_t i) { return weights.empty() ? 1 : weights[i]; };
    std::vector<double> masses(group_count, 0.0), means(group_count, 0.0);
    std::vector<std::uint32_t> order;
    for (std::size_t i = 0; i < outputs.size(); ++i) {
        if (groups[i] >= group_count) continue;
        masses[groups[i]] += weight(i);
        means[groups[i]] += weight(i) * double{outputs[i]};
        order.push_back(static_cast<std::uint32_t>(i));
    }
    std::vector<std::size_t> there;
    for (std::size_t g = 0; g < group_count; ++g)
        if (masses[g] > 0) there.push_back(g), means[g] /= masses[g];
    DistributionGaps gaps;
    if (there.size() < 2) return gaps;
    std::ranges::sort(order, {}, [&](std::uint32_t i) { return outputs[i]; });
    std::vector<double> below(group_count, 0.0);  // weight at or below the value
    Matrix areas(there.size(), there.size());
    for (std::size_t at = 0; at < order.size();) {
        const float value = outputs[order[at]];
        do {
            below[groups[order[at]]] += weight(order[at]);
        } while (++at < order.size() && outputs[order[at]] == value);
        const double width = at < order.size() ? double{outputs[order[at]]} - double{value} : 0;
        double low = 1, high = 0;
        for (std::size_t a = 0; a < there.size(); ++a) {
            const double share = std::min(1.0, below[there[a]] / masses[there[a]]);
            low = std::min(low, share), high = std::max(high, share);
            for (std::size_t b = 0; b < a; ++b)
                areas.at(a, b) += width * std::abs(share - std::min(1.0, below[there[b]] / masses[there[b]]));
        }
        gaps.ks = std::max(gaps.ks, high - low);
    }
    gaps.wasserstein = *std::ranges::max_element(areas.values);
    const auto [low, high] = std::ranges::minmax(there, {}, [&](std::size_t g) { return means[g]; });
    gaps.mean = means[high] - means[low];
    return gaps;
}

}  // namespace fairstream
