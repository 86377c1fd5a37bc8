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
    copy_counts_to_weights();
    if (is_weighted) remainders_.assign(1 + sizes_.size() + counts_.size(), 0);
}

void FairnessTally::copy_counts_to_weights() {
    total_weight_ = static_cast<double>(total_);
    cluster_weights_.assign(sizes_.begin(), sizes_.end());
    weights_.assign(counts_.begin(), counts_.end());
}

namespace {

// Adds to a sum held as two doubles (D. Knuth's exact sum with its remainder). Otherwise light points would be lost in
// the rounding of heavy points that have left.
void add_exactly(double& sum, double& rest, double value) noexcept {
    const double now = sum + value, kept = now - value;
    rest += (sum - kept) + (value - (now - kept));
    sum = now;
}

// Normalises the pair: the remainder is then less than the last digit of the sum.
void normalise(double& sum, double& rest) noexcept {
    const double now = sum + rest;
    rest -= now - sum;
    sum = now;
}

}  // namespace

void FairnessTally::update_weighted(int sign, std::span<const ClusterId> clusters, const GroupId* groups,
                                    std::span<const double> weights) noexcept {
    const std::size_t a = first_.size() - 1, width = row();
    double* const cluster_remainders = remainders_.data() + 1;
    double* const cell_remainders = cluster_remainders + sizes_.size();
    // Many points are added only to the cells of the first attribute; the sums of these cells give the sums of
    // clusters. Adding each point to one common sum would make every addition wait for the previous addition.
    const bool cells_only = a > 0 && clusters.size() > counts_.size();
    const auto update_cell = [&](std::int64_t& count, double& weight, double& rest, double added) {
        count += sign;
        add_exactly(weight, rest, added);
        if (cells_only) return;
        normalise(weight, rest);
        if (count == 0) weight = rest = 0;
    };
    for (std::size_t i = 0; i < clusters.size(); ++i) {
        if (clusters[i] == no_cluster) continue;
        const auto l = static_cast<std::size_t>(clusters[i]);
        const double added = sign * (weights.empty() ? 1 : weights[i]);
        if (!cells_only) {
            update_cell(sizes_[l], cluster_weights_[l], cluster_remainders[l], added);
            update_cell(total_, total_weight_, remainders_[0], added);
        }
        for (std::size_t column = 0; column < a; ++column) {
            const std::size_t at = l * width + static_cast<std::size_t>(first_[column]) + groups[i * a + column];
            update_cell(counts_[at], weights_[at], cell_remainders[at], added);
        }
    }
    if (cells_only) sum_up_cells();
}

// Sums the counts and weights of the cells of the first attribute by cluster, and in total.
void FairnessTally::sum_up_cells() noexcept {
    double* const cluster_remainders = remainders_.data() + 1;
    double* const cell_remainders = cluster_remainders + sizes_.size();
    for (std::size_t at = 0; at < counts_.size(); ++at) {
        normalise(weights_[at], cell_remainders[at]);
        if (counts_[at] == 0) weights_[at] = cell_remainders[at] = 0;
    }
    total_ = 0;
    total_weight_ = remainders_[0] = 0;
    for (std::size_t l = 0; l < sizes_.size(); ++l) {
        double &weight = cluster_weights_[l], &rest = cluster_remainders[l];
        sizes_[l] = 0;
        weight = rest = 0;
        for (std::size_t at = l * row(); at < l * row() + static_cast<std::size_t>(first_[1]); ++at) {
            sizes_[l] += counts_[at];
            add_exactly(weight, rest, weights_[at]);
            rest += cell_remainders[at];
        }
        normalise(weight, rest);
        total_ += sizes_[l];
        add_exactly(total_weight_, remainders_[0], weight);
        remainders_[0] += rest;
    }
    normalise(total_weight_, remainders_[0]);
}

void FairnessTally::scale_weights(double factor) noexcept {
    total_weight_ *= factor;
    for (double& weight : cluster_weights_) weight *= factor;
    for (double& weight : weights_) weight *= factor;
    for (double& rest : remainders_) rest *= factor;
}

FairnessTally FairnessTally::without_empty_clusters() const {
    FairnessTally kept = *this;
    kept.sizes_.clear(), kept.counts_.clear(), kept.cluster_weights_.clear(), kept.weights_.clear();
    const auto append_row = [&](const auto& from, std::size_t cluster, auto& to) {
        const auto cells = std::span(from).subspan(cluster * row(), row());
        to.insert(to.end(), cells.begin(), cells.end());
    };
    for (std::size_t cluster = 0; cluster < sizes_.size(); ++cluster) {
        if (sizes_[cluster] == 0) continue;
        kept.sizes_.push_back(sizes_[cluster]);
        kept.cluster_weights_.push_back(cluster_weights_[cluster]);
        append_row(counts_, cluster, kept.counts_);
        append_row(weights_, cluster, kept.weights_);
    }
    kept.clusters_ = static_cast<std::int32_t>(kept.sizes_.size());
    if (is_weighted_) kept.remainders_.assign(1 + kept.sizes_.size() + kept.counts_.size(), 0);
    return kept;
}

bool FairnessTally::same_shape(const FairnessTally& other) const noexcept {
    return clusters_ == other.clusters_ && first_ == other.first_ && known_ == other.known_ &&
           is_weighted_ == other.is_weighted_ && sizes_.size() == other.sizes_.size() &&
           counts_.size() == other.counts_.size() && cluster_weights_.size() == other.cluster_weights_.size() &&
           weights_.size() == other.weights_.size() && remainders_.size() == other.remainders_.size() &&
           (counted_.empty() || counted_.size() == row());
}

bool FairnessTally::counts_same_points(const FairnessTally& other) const noexcept {
    if (!same_shape(other) || sizes_ != other.sizes_ || counts_ != other.counts_ || total_ != other.total_)
        return false;
    if (!is_weighted_)
        return total_weight_ == other.total_weight_ && cluster_weights_ == other.cluster_weights_ &&
               weights_ == other.weights_;
    // Adding and removing leaves rounding errors relative to the largest weight so far. That weight is not much larger
    // than the present weights, because shifts of the landmark keep decaying weights in range.
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
