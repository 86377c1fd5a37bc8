#include <fairstream/numeric/detail/affinity/connected_parts.hpp>

#include <fairstream/numeric/detail/affinity/places.hpp>
#include <fairstream/numeric/detail/affinity/sparse_matrix.hpp>

namespace fairstream {

std::size_t connected_parts(const Affinity& affinity) {
    const std::optional<MergedRows> merged = affinity.merged();
    std::vector<bool> reached(merged ? merged->places.size() : affinity.rows(), false);
    std::vector<Slot> to_visit;
    AffinityRow row;
    std::size_t parts = 0;
    for (std::size_t first = 0; first < reached.size(); ++first) {
        if (reached[first]) continue;
        ++parts;
        reached[first] = true;
        to_visit.push_back(static_cast<Slot>(first));
        while (!to_visit.empty()) {
            const Slot here = to_visit.back();
            to_visit.pop_back();
            if (merged)
                merged->between.copy_row(here, row);
            else
                affinity.copy_row(here, row);
            for (std::size_t e = 0; e < row.at.size(); ++e) {
                if (row.weights[e] == 0 || reached[row.at[e]]) continue;
                reached[row.at[e]] = true;
                to_visit.push_back(row.at[e]);
            }
        }
    }
    return parts;
}

}  // namespace fairstream
