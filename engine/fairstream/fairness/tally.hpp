#pragma once
/// Counts of points by cluster, attribute and group: the state behind every fairness figure of a clustering.

#include <cstdint>
#include <span>
#include <vector>

#include <fairstream/base/types.hpp>

namespace fairstream {

struct StreamFormat;

/// A value: copy it, compare it. `add` and `remove` are exact inverses and cost O(attributes).
class FairnessTally {
public:
    FairnessTally() = default;
    /// `group_counts[a]` is the number of groups of attribute a.
    FairnessTally(int clusters, std::span<const int> group_counts);

    void add(ClusterId cluster, const GroupId* groups) noexcept { book({&cluster, 1}, groups, +1); }
    void remove(ClusterId cluster, const GroupId* groups) noexcept { book({&cluster, 1}, groups, -1); }
    /// Adds or removes points: point i is in clusters[i], or passed over if that is `no_cluster`; its groups are row i
    /// of `groups`, n x a.
    void add(std::span<const ClusterId> clusters, const GroupId* groups) noexcept { book(clusters, groups, +1); }
    void remove(std::span<const ClusterId> clusters, const GroupId* groups) noexcept { book(clusters, groups, -1); }

    [[nodiscard]] int clusters() const noexcept { return clusters_; }
    [[nodiscard]] int attributes() const noexcept { return static_cast<int>(first_.size()) - 1; }
    [[nodiscard]] int groups(int attribute) const noexcept { return first_[attribute + 1] - first_[attribute]; }
    [[nodiscard]] std::int64_t total() const noexcept { return total_; }
    [[nodiscard]] std::int64_t size(ClusterId cluster) const noexcept { return sizes_[cluster]; }
    /// Counts of the groups of `attribute` in `cluster`.
    [[nodiscard]] std::span<const std::int64_t> counts(ClusterId cluster, int attribute) const noexcept {
        return {
            counts_.data() + static_cast<std::size_t>(cluster) * row() + static_cast<std::size_t>(first_[attribute]),
            static_cast<std::size_t>(groups(attribute))};
    }
    [[nodiscard]] std::int64_t count(ClusterId cluster, int attribute, GroupId group) const noexcept {
        return counts(cluster, attribute)[group];
    }
    bool operator==(const FairnessTally&) const = default;
    /// Says whether both count the same clusters, attributes and groups; safe for a tally loaded from damaged bytes.
    [[nodiscard]] bool same_shape(const FairnessTally& other) const noexcept {
        return clusters_ == other.clusters_ && first_ == other.first_ && sizes_.size() == other.sizes_.size() &&
               counts_.size() == other.counts_.size();
    }

    template <class Self, class Archive> static void fields(Self& self, Archive& archive) {
        archive(1, self.clusters_);
        archive(2, self.total_);
        archive(3, self.first_);
        archive(4, self.sizes_);
        archive(5, self.counts_);
    }

private:
    [[nodiscard]] std::size_t row() const noexcept { return static_cast<std::size_t>(first_.back()); }
    void book(std::span<const ClusterId> clusters, const GroupId* groups, std::int64_t by) noexcept {
        const std::size_t a = first_.size() - 1, width = row();
        std::int64_t points = 0;
        for (const ClusterId cluster : clusters)
            if (cluster != no_cluster) {
                sizes_[static_cast<std::size_t>(cluster)] += by;
                ++points;
            }
        total_ += by * points;
        for (std::size_t column = 0; column < a; ++column) {
            std::int64_t* counts = counts_.data() + first_[column];
            for (std::size_t i = 0; i < clusters.size(); ++i)
                if (clusters[i] != no_cluster)
                    counts[static_cast<std::size_t>(clusters[i]) * width + groups[i * a + column]] += by;
        }
    }

    std::int32_t clusters_ = 0;
    std::int64_t total_ = 0;
    std::vector<std::int32_t> first_{0};  // attributes + 1: where the groups of an attribute start in a row
    std::vector<std::int64_t> sizes_;     // k
    std::vector<std::int64_t> counts_;    // k x (sum of group counts)
};

/// Returns a tally without points, for a stream of this format.
[[nodiscard]] FairnessTally empty_tally(int clusters, const StreamFormat& format);

}  // namespace fairstream
