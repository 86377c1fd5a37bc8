#include <algorithm>
#include <cmath>

#include <fairstream/data/point_batch.hpp>
#include <fairstream/fairness/tally.hpp>

namespace fairstream {

FairnessTally::FairnessTally(int clusters, std::span<const int> group_counts, bool is_weighted,
                             std::span<const int> known_groups)
    : clusters_(clusters), is_weighted_(is_weighted), known_(known_groups.begin(), known_groups.end()) {
    for (const int groups : group_counts) first_.push_back(first_.back() + groups);
    sizes_.assign(static_cast<std::size_t>(clusters), 0);
    counts_.assign(static_cast<std::size_t>(clusters) * row(), 0);
    weigh_by_counts();
    if (is_weighted) rests_.assign(1 + sizes_.size() + counts_.size(), 0);
}

void FairnessTally::weigh_by_counts() {
    total_weight_ = static_cast<double>(total_);
    cluster_weights_.assign(sizes_.begin(), sizes_.end());
    weights_.assign(counts_.begin(), counts_.end());
}

void FairnessTally::scale_weights(double factor) noexcept {
    total_weight_ *= factor;
    for (double& weight : cluster_weights_) weight *= factor;
    for (double& weight : weights_) weight *= factor;
    for (double& rest : rests_) rest *= factor;
}

bool FairnessTally::same_shape(const FairnessTally& other) const noexcept {
    return clusters_ == other.clusters_ && first_ == other.first_ && known_ == other.known_ &&
           is_weighted_ == other.is_weighted_ && sizes_.size() == other.sizes_.size() &&
           counts_.size() == other.counts_.size() && cluster_weights_.size() == other.cluster_weights_.size() &&
           weights_.size() == other.weights_.size() && rests_.size() == other.rests_.size();
}

bool FairnessTally::counts_the_same(const FairnessTally& other) const noexcept {
    if (!same_shape(other) || sizes_ != other.sizes_ || counts_ != other.counts_ || total_ != other.total_)
        return false;
    if (!is_weighted_) return *this == other;
    // What was added and removed again leaves rounding, of the largest weight there was; shifts of decaying weights
    // bound how much larger than the present ones that can have been.
    const double rounding = 1e-6 * std::max(total_weight_, other.total_weight_);
    const auto near = [&](double a, double b) { return std::abs(a - b) <= rounding; };
    return near(total_weight_, other.total_weight_) &&
           std::ranges::equal(cluster_weights_, other.cluster_weights_, near) &&
           std::ranges::equal(weights_, other.weights_, near);
}

FairnessTally empty_tally(int clusters, const StreamFormat& format) {
    std::vector<int> group_counts, known_groups;
    for (const Attribute& attribute : format.attributes) {
        group_counts.push_back(static_cast<int>(attribute.groups.size()));
        known_groups.push_back(static_cast<int>(attribute.known_groups()));
    }
    if (known_groups == group_counts) known_groups.clear();
    return {clusters, group_counts, format.has_weights, known_groups};
}

}  // namespace fairstream
