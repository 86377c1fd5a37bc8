#include <fairstream/data/point_batch.hpp>
#include <fairstream/fairness/tally.hpp>

namespace fairstream {

FairnessTally::FairnessTally(int clusters, std::span<const int> group_counts) : clusters_(clusters) {
    for (const int groups : group_counts) first_.push_back(first_.back() + groups);
    sizes_.assign(static_cast<std::size_t>(clusters), 0);
    counts_.assign(static_cast<std::size_t>(clusters) * row(), 0);
}

FairnessTally empty_tally(int clusters, const StreamFormat& format) {
    std::vector<int> group_counts;
    for (const Attribute& attribute : format.attributes)
        group_counts.push_back(static_cast<int>(attribute.groups.size()));
    return {clusters, group_counts};
}

}  // namespace fairstream
