#include <fairstream/numeric/detail/affinity/connected_parts.hpp>

#include <algorithm>

#include <fairstream/numeric/detail/affinity/places.hpp>
#include <fairstream/numeric/detail/affinity/sparse_matrix.hpp>

namespace fairstream {

std::vector<ClusterId> connected_parts(const Affinity& affinity) {
    const std::optional<MergedRows> merged = affinity.merged();
    std::vector<ClusterId> part(merged ? merged->places.size() : affinity.rows(), no_cluster);
    std::vector<Slot> to_visit;
    AffinityRow row;
    ClusterId parts = 0;
    for (std::size_t first = 0; first < part.size(); ++first) {
        if (part[first] != no_cluster) continue;
        part[first] = parts;
        to_visit.push_back(static_cast<Slot>(first));
        while (!to_visit.empty()) {
            const Slot here = to_visit.back();
            to_visit.pop_back();
            if (merged)
                merged->between.copy_row(here, row);
            else
                affinity.copy_row(here, row);
            for (std::size_t e = 0; e < row.at.size(); ++e) {
                if (row.weights[e] == 0 || part[row.at[e]] != no_cluster) continue;
                part[row.at[e]] = parts;
                to_visit.push_back(row.at[e]);
            }
        }
        ++parts;
    }
    if (!merged) return part;
    std::vector<ClusterId> of_points(merged->places.of().size());
    std::ranges::transform(merged->places.of(), of_points.begin(), [&](Slot place) { return part[place]; });
    return of_points;
}

std::size_t count_parts(std::span<const ClusterId> parts) {
    return parts.empty() ? 0 : static_cast<std::size_t>(*std::ranges::max_element(parts)) + 1;
}

}  // namespace fairstream
