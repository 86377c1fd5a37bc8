#include <fairstream/numeric/detail/affinity/placement.hpp>

#include <algorithm>

#include <fairstream/numeric/detail/affinity/neighbour_graph.hpp>
#include <fairstream/numeric/detail/affinity/rbf.hpp>
#include <fairstream/numeric/detail/kernels.hpp>

namespace fairstream {

Placement::Placement(const Anchors& anchors, std::size_t d, const PlacementWeights& weights)
    : anchors_(anchors),
      d_(d),
      k_(anchors.values.cols - 1),
      weighting_(weights),
      distances_((anchors.count + centre_lanes - 1) / centre_lanes * centre_lanes),
      place_(anchors.values.cols) {}

std::span<const double> Placement::at(const float* row) {
    kernels().distances(row, d_, anchors_.packed.data(), anchors_.count, distances_.data());
    at_.clear(), weights_.clear();
    if (weighting_.of_nearest)
        weigh_nearest();
    else
        weigh_all();
    std::ranges::fill(place_, 0.0);
    kernels().gather_rows(weights_.data(), at_.data(), at_.size(), anchors_.values.values.data(), k_ + 1,
                          place_.data());
    if (!(place_[k_] > 0)) {
        const double* there = anchors_.values.row(nearest_.empty() ? 0 : nearest_[0].slot);
        std::copy_n(there, k_ + 1, place_.begin());
        if (!(place_[k_] > 0)) place_[k_] = 1;
    }
    for (std::size_t j = 0; j < k_; ++j) place_[j] /= place_[k_];
    return std::span(place_).first(k_);
}

void Placement::weigh_nearest() {
    const std::size_t count = anchors_.count,
                      q = weighting_.neighbours > 0 ? weighting_.neighbours : usual_neighbours(count);
    select_nearest(distances_.data(), count, std::max(q, scale_neighbour), nearest_);
    const double own = static_cast<double>(local_scale(nearest_));
    for (std::size_t i = 0; i < std::min(q, nearest_.size()); ++i) {
        const Neighbour& other = nearest_[i];
        const double scales = anchors_.scales.empty() ? 0 : own * static_cast<double>(anchors_.scales[other.slot]);
        at_.push_back(other.slot);
        weights_.push_back(edge_weight({weighting_.bandwidth}, other.distance, scales));
    }
}

void Placement::weigh_all() {
    select_nearest(distances_.data(), anchors_.count, 1, nearest_);
    kernels().decays(distances_.data(), distances_.size(), decay_scale(weighting_.bandwidth), distances_.data());
    for (std::size_t i = 0; i < anchors_.count; ++i)
        if (distances_[i] > 0) at_.push_back(static_cast<Slot>(i)), weights_.push_back(distances_[i]);
}

}  // namespace fairstream
