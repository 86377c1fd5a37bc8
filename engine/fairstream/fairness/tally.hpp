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

/// A value type. `add` and `remove` are inverses: exact for counts, and for weights up to 2^-80 of the largest sum so
/// far. They cost O(attributes). A weight without points is exactly 0. If all points have weight 1, weights are counts.
class FairnessTally {
public:
    FairnessTally() = default;
    /// `group_counts[a]` is the number of groups of attribute a. Figures cover the first `known_groups[a]` of these
    /// groups; empty: all.
    FairnessTally(int clusters, std::span<const int> group_counts, bool is_weighted = false,
                  std::span<const int> known_groups = {});

    /// Add or remove points. Point i is in clusters[i]; `no_cluster`: the point is ignored. Its groups are row i of
    /// `groups`, n x a, and its weight is weights[i], or 1 if there are no weights.
    void add(std::span<const ClusterId> clusters, const GroupId* groups, std::span<const double> weights = {}) {
        update<+1>(clusters, groups, weights);
    }
    void remove(std::span<const ClusterId> clusters, const GroupId* groups, std::span<const double> weights = {}) {
        update<-1>(clusters, groups, weights);
    }
    void add(ClusterId cluster, const GroupId* groups, double weight = 1) { add({&cluster, 1}, groups, {&weight, 1}); }
    void remove(ClusterId cluster, const GroupId* groups, double weight = 1) {
        remove({&cluster, 1}, groups, {&weight, 1});
    }
    /// Returns the counts and weights of the nonempty clusters only, in order, without the rounding errors kept for
    /// weights.
    [[nodiscard]] FairnessTally without_empty_clusters() const;
    /// Multiplies all weights by a factor above 0.
    void scale_weights(double factor) noexcept;

    [[nodiscard]] int clusters() const noexcept { return clusters_; }
    [[nodiscard]] int attributes() const noexcept { return static_cast<int>(first_.size()) - 1; }
    [[nodiscard]] int groups(int attribute) const noexcept { return first_[attribute + 1] - first_[attribute]; }
    /// Returns the number of groups that figures and targets cover: all except the unknown group, which is last.
    [[nodiscard]] int known_groups(int attribute) const noexcept {
        return known_.empty() ? groups(attribute) : known_[attribute];
    }
    /// Returns whether points may have weights other than 1.
    [[nodiscard]] bool is_weighted() const noexcept { return is_weighted_; }

    /// Return the number of points: in total, of a cluster, and by group of `attribute`.
    [[nodiscard]] std::int64_t total() const noexcept { return total_; }
    [[nodiscard]] std::int64_t size(ClusterId cluster) const noexcept { return sizes_[cluster]; }
    [[nodiscard]] std::span<const std::int64_t> counts(ClusterId cluster, int attribute) const noexcept {
        return {counts_.data() + place(cluster, attribute), static_cast<std::size_t>(groups(attribute))};
    }
    [[nodiscard]] std::int64_t count(ClusterId cluster, int attribute, GroupId group) const noexcept {
        return counts(cluster, attribute)[group];
    }
    /// Return the sum of the points' weights: in total, of a cluster, and by group of `attribute`.
    [[nodiscard]] double total_weight() const noexcept { return total_weight_; }
    [[nodiscard]] double weight(ClusterId cluster) const noexcept { return cluster_weights_[cluster]; }
    [[nodiscard]] std::span<const double> weights(ClusterId cluster, int attribute) const noexcept {
        return {weights_.data() + place(cluster, attribute), static_cast<std::size_t>(groups(attribute))};
    }

    /// Returns one entry per group, attribute by attribute: 1 if targets counted the group at the last step. Empty if
    /// this is not remembered. Adding and removing points does not change it.
    [[nodiscard]] std::span<const std::uint8_t> counted() const noexcept { return counted_; }
    void remember_counted(std::vector<std::uint8_t> counted) { counted_ = std::move(counted); }

    bool operator==(const FairnessTally&) const = default;
    /// Returns whether both count the same clusters, attributes and groups; safe for a tally loaded from damaged bytes.
    [[nodiscard]] bool same_shape(const FairnessTally& other) const noexcept;
    /// Returns whether both count the same points with the same weights up to rounding.
    [[nodiscard]] bool counts_same_points(const FairnessTally& other) const noexcept;

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
            return self.copy_counts_to_weights();
        }
        archive(8, self.total_weight_);
        archive(9, self.cluster_weights_);
        archive(10, self.weights_);
        archive.later(11, self.remainders_);
    }

private:
    [[nodiscard]] std::size_t row() const noexcept { return static_cast<std::size_t>(first_.back()); }
    [[nodiscard]] std::size_t place(ClusterId cluster, int attribute) const noexcept {
        return static_cast<std::size_t>(cluster) * row() + static_cast<std::size_t>(first_[attribute]);
    }
    void copy_counts_to_weights();

    template <int sign>
    void update(std::span<const ClusterId> clusters, const GroupId* groups, std::span<const double> weights) noexcept {
        if (is_weighted_)
            update_weighted(sign, clusters, groups, weights);
        else
            update_unweighted<sign>(clusters, groups);
    }
    void update_weighted(int sign, std::span<const ClusterId> clusters, const GroupId* groups,
                         std::span<const double> weights) noexcept;
    void sum_up_cells() noexcept;

    // Adds or removes points of weight 1: each sum of weights becomes equal to its count.
    template <int sign> void update_unweighted(std::span<const ClusterId> clusters, const GroupId* groups) noexcept {
        const std::size_t a = first_.size() - 1, width = row();
        std::int64_t points = 0;
        for (const ClusterId cluster : clusters)
            if (cluster != no_cluster) {
                const auto l = static_cast<std::size_t>(cluster);
                cluster_weights_[l] = static_cast<double>(sizes_[l] += sign);
                ++points;
            }
        total_weight_ = static_cast<double>(total_ += sign * points);
        for (std::size_t column = 0; column < a; ++column) {
            const auto first = static_cast<std::size_t>(first_[column]);
            for (std::size_t i = 0; i < clusters.size(); ++i)
                if (clusters[i] != no_cluster) {
                    const std::size_t at =
                        static_cast<std::size_t>(clusters[i]) * width + first + groups[i * a + column];
                    weights_[at] = static_cast<double>(counts_[at] += sign);
                }
        }
    }

    std::int32_t clusters_ = 0;
    bool is_weighted_ = false;
    std::int64_t total_ = 0;
    double total_weight_ = 0;
    std::vector<std::int32_t> first_{0};   // attributes + 1: index of the first group of each attribute in a row
    std::vector<std::int32_t> known_;      // attributes: number of groups that figures cover; empty: all
    std::vector<std::uint8_t> counted_;    // one entry per group, as a row
    std::vector<std::int64_t> sizes_;      // k
    std::vector<std::int64_t> counts_;     // k x (sum of group counts)
    std::vector<double> cluster_weights_;  // weight of each cluster, laid out as `sizes_`
    std::vector<double> weights_;          // weight of each group in each cluster, laid out as `counts_`
    std::vector<double> remainders_;       // if weighted: remainders of the total, of clusters' and of cells' weights
};

/// Returns a tally without points for a stream of this format.
[[nodiscard]] FairnessTally empty_tally(int clusters, const StreamFormat& format);

}  // namespace fairstream
