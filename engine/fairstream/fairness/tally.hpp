#pragma once
/// Counts and weights of points by cluster, attribute and group: the state behind every fairness figure of a
/// clustering.

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include <fairstream/base/types.hpp>

namespace fairstream {

struct StreamFormat;

/// A value: copy it, compare it. `add` and `remove` are inverses, exact for counts, and for weights up to 2^-80 of the
/// largest sum there was; they cost O(attributes). The weight of what has no points is exactly 0. Where all points
/// weigh 1, weights are counts.
class FairnessTally {
public:
    FairnessTally() = default;
    /// `group_counts[a]` is the number of groups of attribute a. `known_groups[a]`: how many of them, the first ones,
    /// figures are about; empty: all.
    FairnessTally(int clusters, std::span<const int> group_counts, bool is_weighted = false,
                  std::span<const int> known_groups = {});

    /// Add or remove points: point i is in clusters[i], or passed over if that is `no_cluster`; its groups are row i
    /// of `groups`, n x a, and it weighs weights[i], or 1 where there are none.
    void add(std::span<const ClusterId> clusters, const GroupId* groups, std::span<const double> weights = {}) {
        book<+1>(clusters, groups, weights);
    }
    void remove(std::span<const ClusterId> clusters, const GroupId* groups, std::span<const double> weights = {}) {
        book<-1>(clusters, groups, weights);
    }
    void add(ClusterId cluster, const GroupId* groups, double weight = 1) { add({&cluster, 1}, groups, {&weight, 1}); }
    void remove(ClusterId cluster, const GroupId* groups, double weight = 1) {
        remove({&cluster, 1}, groups, {&weight, 1});
    }
    /// Returns the counts and weights of the clusters that have points alone, in their order, without what rounding
    /// left of weights.
    [[nodiscard]] FairnessTally without_empty_clusters() const;
    /// Multiplies all weights by a factor above 0.
    void scale_weights(double factor) noexcept;

    [[nodiscard]] int clusters() const noexcept { return clusters_; }
    [[nodiscard]] int attributes() const noexcept { return static_cast<int>(first_.size()) - 1; }
    [[nodiscard]] int groups(int attribute) const noexcept { return first_[attribute + 1] - first_[attribute]; }
    /// Number of the groups that figures and targets are about, the first ones: all but that of unknown group.
    [[nodiscard]] int known_groups(int attribute) const noexcept {
        return known_.empty() ? groups(attribute) : known_[attribute];
    }
    /// Says whether points may weigh other than 1.
    [[nodiscard]] bool is_weighted() const noexcept { return is_weighted_; }

    /// Numbers of points: all, those of a cluster, and by group of `attribute`.
    [[nodiscard]] std::int64_t total() const noexcept { return total_; }
    [[nodiscard]] std::int64_t size(ClusterId cluster) const noexcept { return sizes_[cluster]; }
    [[nodiscard]] std::span<const std::int64_t> counts(ClusterId cluster, int attribute) const noexcept {
        return {counts_.data() + place(cluster, attribute), static_cast<std::size_t>(groups(attribute))};
    }
    [[nodiscard]] std::int64_t count(ClusterId cluster, int attribute, GroupId group) const noexcept {
        return counts(cluster, attribute)[group];
    }
    /// Sums of the points' weights: of all, of those of a cluster, and by group of `attribute`.
    [[nodiscard]] double total_weight() const noexcept { return total_weight_; }
    [[nodiscard]] double weight(ClusterId cluster) const noexcept { return cluster_weights_[cluster]; }
    [[nodiscard]] std::span<const double> weights(ClusterId cluster, int attribute) const noexcept {
        return {weights_.data() + place(cluster, attribute), static_cast<std::size_t>(groups(attribute))};
    }

    /// For each group of all attributes in turn, 1 where targets counted it at the last step; empty: nobody remembers.
    /// Booking points leaves it as it is.
    [[nodiscard]] std::span<const std::uint8_t> counted() const noexcept { return counted_; }
    void remember_counted(std::vector<std::uint8_t> counted) { counted_ = std::move(counted); }

    bool operator==(const FairnessTally&) const = default;
    /// Says whether both count the same clusters, attributes and groups; safe for a tally loaded from damaged bytes.
    [[nodiscard]] bool same_shape(const FairnessTally& other) const noexcept;
    /// Says whether both count the same points, and their weights differ by no more than rounding.
    [[nodiscard]] bool counts_the_same(const FairnessTally& other) const noexcept;

    template <class Self, class Archive> static void fields(Self& self, Archive& archive) {
        archive(1, self.clusters_);
        archive(2, self.total_);
        archive(3, self.first_);
        archive(4, self.sizes_);
        archive(5, self.counts_);
        archive.later(6, self.is_weighted_);
        archive.later(7, self.known_);
        archive.later(12, self.counted_);
        if constexpr (std::is_const_v<Self>) {
            if (!self.is_weighted_) return;
        } else if (!self.is_weighted_) {
            return self.weigh_by_counts();
        }
        archive(8, self.total_weight_);
        archive(9, self.cluster_weights_);
        archive(10, self.weights_);
        archive.later(11, self.rests_);
    }

private:
    [[nodiscard]] std::size_t row() const noexcept { return static_cast<std::size_t>(first_.back()); }
    [[nodiscard]] std::size_t place(ClusterId cluster, int attribute) const noexcept {
        return static_cast<std::size_t>(cluster) * row() + static_cast<std::size_t>(first_[attribute]);
    }
    void weigh_by_counts();

    template <int by>
    void book(std::span<const ClusterId> clusters, const GroupId* groups, std::span<const double> weights) noexcept {
        if (is_weighted_)
            book_weights(by, clusters, groups, weights);
        else
            book_counts<by>(clusters, groups);
    }
    void book_weights(int by, std::span<const ClusterId> clusters, const GroupId* groups,
                      std::span<const double> weights) noexcept;
    void sum_up_cells() noexcept;

    // Books points that weigh 1: their weights are the counts, which are put there afterwards.
    template <int by> void book_counts(std::span<const ClusterId> clusters, const GroupId* groups) noexcept {
        const std::size_t a = first_.size() - 1, width = row();
        std::int64_t points = 0;
        for (const ClusterId cluster : clusters)
            if (cluster != no_cluster) {
                const auto l = static_cast<std::size_t>(cluster);
                cluster_weights_[l] = static_cast<double>(sizes_[l] += by);
                ++points;
            }
        total_weight_ = static_cast<double>(total_ += by * points);
        for (std::size_t column = 0; column < a; ++column) {
            const auto first = static_cast<std::size_t>(first_[column]);
            for (std::size_t i = 0; i < clusters.size(); ++i)
                if (clusters[i] != no_cluster) {
                    const std::size_t at =
                        static_cast<std::size_t>(clusters[i]) * width + first + groups[i * a + column];
                    weights_[at] = static_cast<double>(counts_[at] += by);
                }
        }
    }

    std::int32_t clusters_ = 0;
    bool is_weighted_ = false;
    std::int64_t total_ = 0;
    double total_weight_ = 0;
    std::vector<std::int32_t> first_{0};   // attributes + 1: where the groups of an attribute start in a row
    std::vector<std::int32_t> known_;      // attributes: groups that figures are about; empty: all
    std::vector<std::uint8_t> counted_;    // as a row
    std::vector<std::int64_t> sizes_;      // k
    std::vector<std::int64_t> counts_;     // k x (sum of group counts)
    std::vector<double> cluster_weights_;  // as sizes
    std::vector<double> weights_;          // as counts
    std::vector<double> rests_;  // where weighted: what rounding left of each weight: of all, of clusters, and
                                 // as counts
};

/// Returns a tally without points, for a stream of this format.
[[nodiscard]] FairnessTally empty_tally(int clusters, const StreamFormat& format);

}  // namespace fairstream
