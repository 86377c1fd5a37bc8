#include <fairstream/fair_kmeans/detail/cluster_changes.hpp>

#include <span>

namespace fairstream::safairkm {
namespace {

std::int64_t size_after(std::int64_t size, int minus, int plus) {
    return size - (minus != none) + (plus != none);
}

}  // namespace

ClusterChanges::ClusterChanges(const Clustering& c, ClusterId l, int minus, int plus)
    : c_(c), size_(size_after(c.size(l), minus, plus)) {
    counts_.reserve(c.demands.of_groups.size());
    of_groups_.reserve(c.demands.of_groups.size());
    for (const Demand& demand : c.demands.of_groups) {
        const std::size_t a = c.cells.place(demand.attribute);
        const std::span<const std::int64_t> now = c.counts(l, a);
        std::vector<std::int64_t>& counts = counts_.emplace_back(now.begin(), now.end());
        const auto add = [&](int group, std::int64_t points) {
            // Points of unknown groups are not counted.
            if (group != none && static_cast<std::size_t>(group) < counts.size())
                counts[static_cast<std::size_t>(group)] += points;
        };
        add(c.cells.group_or_none(minus, a), -1);
        add(c.cells.group_or_none(plus, a), +1);
        of_groups_.emplace_back(demand, counts);
    }
}

/// Returns the group of a cell in the i-th demand, or `none` if the demand does not count it.
int ClusterChanges::counted_group(int cell, std::size_t i) const {
    const int group = c_.cells.group_or_none(cell, c_.cells.place(c_.demands.of_groups[i].attribute));
    return group != none && static_cast<std::size_t>(group) < counts_[i].size() ? group : none;
}

double ClusterChanges::shortfall(int minus, int plus) const {
    double total = 0;
    for (std::size_t i = 0; i < of_groups_.size(); ++i)
        total += of_groups_[i].after(counted_group(minus, i), counted_group(plus, i));
    return total + fairstream::shortfall(c_.demands.of_sizes, size_after(size_, minus, plus));
}

bool ClusterChanges::keeps(int minus, int plus) const {
    for (std::size_t i = 0; i < of_groups_.size(); ++i)
        if (!of_groups_[i].keeps(counted_group(minus, i), counted_group(plus, i))) return false;
    return fairstream::shortfall(c_.demands.of_sizes, size_after(size_, minus, plus)) == 0;
}

}  // namespace fairstream::safairkm
