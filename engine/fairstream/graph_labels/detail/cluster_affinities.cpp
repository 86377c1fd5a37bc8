#include <fairstream/graph_labels/detail/cluster_affinities.hpp>

#include <algorithm>
#include <numeric>

#include <fairstream/numeric/detail/affinity/sparse_matrix.hpp>
#include <fairstream/numeric/detail/blocks.hpp>
#include <fairstream/numeric/detail/kernels.hpp>

namespace fairstream {

ClusterAffinities::ClusterAffinities(const Affinity& affinity, const AffinityFactors* factors,
                                     std::span<const ClusterId> labels, std::size_t k)
    : affinity_(affinity), factors_(factors), merged_(affinity.merged()), k_(k) {
    const std::size_t n = labels.size();
    if (merged_) {
        labels_.assign(labels.begin(), labels.end());
        point_affinities_.resize(merged_->places.size());
        sum_by_place();
        return;
    }
    if (factors_ == nullptr) {
        Matrix indicators(n, k);
        for (std::size_t i = 0; i < n; ++i) indicators.at(i, static_cast<std::size_t>(labels[i])) = 1;
        affinity.multiply(indicators, table_);
        point_affinities_.resize(n);
        return;
    }
    const Matrix& right = factors_->right;
    stride_ = product_padding(k);
    sums_.assign(right.cols * stride_, 0.0);
    found_.resize(k);
    for (std::size_t i = 0; i < n; ++i)
        for (std::size_t f = 0; f < right.cols; ++f)
            sums_[f * stride_ + static_cast<std::size_t>(labels[i])] += right.at(i, f);
    refresh();
}

// Computes (S + I) Pᵀ times the indicators of the clusters.
void ClusterAffinities::sum_by_place() {
    Matrix counts(merged_->places.size(), k_);
    for (std::size_t i = 0; i < labels_.size(); ++i) counts.at(place(i), static_cast<std::size_t>(labels_[i])) += 1;
    merged_->between.multiply(counts, table_);
    for (std::size_t at = 0; at < counts.values.size(); ++at) table_.values[at] += counts.values[at];
}

const double* ClusterAffinities::merged_affinities(std::size_t i, std::vector<double>& out) const {
    out.assign(table_.row(place(i)), table_.row(place(i)) + k_);
    out[static_cast<std::size_t>(labels_[i])] -= 1;  // without the point itself
    return out.data();
}

void ClusterAffinities::refresh() {
    if (factors_ == nullptr) return;
    Matrix sums(factors_->right.cols, k_);
    for (std::size_t f = 0; f < sums.rows; ++f) std::copy_n(&sums_[f * stride_], k_, sums.row(f));
    multiply(factors_->left, sums, table_);
}

const double* ClusterAffinities::now(std::size_t i) {
    if (merged_) return merged_affinities(i, found_);
    if (factors_ == nullptr) return table_.row(i);
    const Matrix& left = factors_->left;
    std::ranges::fill(found_, 0.0);
    kernels().add_product(left.row(i), left.cols, 1, 1, left.cols, sums_.data(), stride_, k_, found_.data(), k_);
    return found_.data();
}

double ClusterAffinities::at(std::size_t i, std::size_t l) const {
    if (merged_) return table_.at(place(i), l) - (static_cast<std::size_t>(labels_[i]) == l ? 1 : 0);
    if (factors_ == nullptr) return table_.at(i, l);
    const Matrix& left = factors_->left;
    double sum = 0;
    for (std::size_t f = 0; f < left.cols; ++f) sum += left.at(i, f) * sums_[f * stride_ + l];
    return sum;
}

void ClusterAffinities::move(std::size_t i, std::size_t from, std::size_t to) {
    if (factors_ != nullptr) {
        const double* const right = factors_->right.row(i);
        for (std::size_t f = 0; f < factors_->right.cols; ++f) {
            sums_[f * stride_ + from] -= right[f];
            sums_[f * stride_ + to] += right[f];
        }
        return;
    }
    copy_row(i);
    for (std::size_t e = 0; e < row_.at.size(); ++e) {
        double* const w = table_.row(row_.at[e]);
        w[from] -= static_cast<double>(row_.weights[e]);
        w[to] += static_cast<double>(row_.weights[e]);
    }
    if (merged_) labels_[i] = static_cast<ClusterId>(to);
}

// Copies the row of a point; for merged points, the row of S + I of its place.
void ClusterAffinities::copy_row(std::size_t i) {
    if (!merged_) return affinity_.copy_row(static_cast<Slot>(i), row_);
    merged_->between.copy_row(static_cast<Slot>(place(i)), row_);
    row_.at.push_back(static_cast<Slot>(place(i)));
    row_.weights.push_back(1);
}

void ClusterAffinities::select_point(std::size_t i) {
    selected_ = i;
    if (factors_ != nullptr) return;
    copy_row(i);
    for (std::size_t e = 0; e < row_.at.size(); ++e) point_affinities_[row_.at[e]] = row_.weights[e];
}

void ClusterAffinities::release_point() {
    if (factors_ != nullptr) return;
    for (const Slot other : row_.at) point_affinities_[other] = 0;
}

double ClusterAffinities::to_selected(std::size_t j) const {
    if (factors_ == nullptr) return static_cast<double>(point_affinities_[place(j)]);
    const double* const left = factors_->left.row(selected_);
    return std::inner_product(left, left + factors_->left.cols, factors_->right.row(j), 0.0);
}

}  // namespace fairstream
