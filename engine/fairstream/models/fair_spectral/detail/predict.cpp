#include <algorithm>
#include <cmath>

#include <fairstream/models/fair_spectral/detail/points.hpp>
#include <fairstream/numeric/detail/affinity/rbf.hpp>
#include <fairstream/numeric/detail/kernels.hpp>

namespace fairstream::fair_spectral {
namespace {

// Places one point after the other; each result is a function of its own row alone.
class Placement {
public:
    Placement(const Options& options, const State& state)
        : options_(options),
          state_(state),
          k_(static_cast<std::size_t>(options.clusters)),
          count_(state.anchors.count),
          d_(state.means.size() / k_),
          distances_((count_ + centre_lanes - 1) / centre_lanes * centre_lanes),
          place_(k_ + 1),
          packed_(packed_size(k_, k_)),
          embedded_(k_) {
        pack_centres(state.centres.data(), k_, k_, packed_.data());
    }

    ClusterId label(const float* row) {
        kernels().distances(row, d_, state_.anchors.packed.data(), count_, distances_.data());
        if (options_.affinity == AffinityKind::knn)
            weigh_nearest();
        else
            weigh_all();
        place();
        ClusterId label = 0;
        kernels().assign(embedded_.data(), 1, k_, packed_.data(), k_, &label);
        return label;
    }

private:
    void weigh_nearest() {
        const std::size_t q =
            options_.neighbours > 0 ? static_cast<std::size_t>(options_.neighbours) : usual_neighbours(count_);
        select_nearest(distances_.data(), count_, std::max(q, scale_neighbour), nearest_);
        const double own = static_cast<double>(local_scale(nearest_));
        at_.clear(), weights_.clear();
        for (std::size_t i = 0; i < std::min(q, nearest_.size()); ++i) {
            const Neighbour& other = nearest_[i];
            const double scales =
                state_.anchors.scales.empty() ? 0 : own * static_cast<double>(state_.anchors.scales[other.slot]);
            at_.push_back(other.slot);
            weights_.push_back(edge_weight({state_.bandwidth}, other.distance, scales));
        }
    }
    void weigh_all() {
        select_nearest(distances_.data(), count_, 1, nearest_);
        kernels().decays(distances_.data(), distances_.size(), decay_scale(state_.bandwidth), distances_.data());
        at_.clear(), weights_.clear();
        for (std::size_t i = 0; i < count_; ++i)
            if (distances_[i] > 0) at_.push_back(static_cast<Slot>(i)), weights_.push_back(distances_[i]);
    }
    // Places a point in the embedding; one that is joined to nothing goes where the nearest anchor is.
    void place() {
        std::ranges::fill(place_, 0.0);
        kernels().gather_rows(weights_.data(), at_.data(), at_.size(), state_.anchors.values.values.data(), k_ + 1,
                              place_.data());
        if (!(place_[k_] > 0)) {
            const double* row = state_.anchors.values.row(nearest_.empty() ? 0 : nearest_[0].slot);
            std::copy_n(row, k_ + 1, place_.begin());
            if (!(place_[k_] > 0)) place_[k_] = 1;
        }
        for (std::size_t j = 0; j < k_; ++j)
            embedded_[j] = static_cast<float>(std::clamp(place_[j] / place_[k_], -1e18, 1e18));
    }

    const Options& options_;
    const State& state_;
    std::size_t k_, count_, d_;
    std::vector<float> distances_;
    std::vector<Neighbour> nearest_;
    std::vector<Slot> at_;
    std::vector<float> weights_;
    std::vector<double> place_;
    std::vector<float> packed_, embedded_;
};

}  // namespace

void Model::predict(const Options& options, const State& state, ConstRows rows, std::span<ClusterId> out) {
    if (!state.started) {
        std::ranges::fill(out, no_cluster);
        return;
    }
    if (out.empty()) return;
    Placement placement(options, state);
    const std::size_t d = rows.size() / out.size();
    for (std::size_t i = 0; i < out.size(); ++i) out[i] = placement.label(rows.data() + i * d);
}

void Model::assign_fair(const Options& options, const State& state, ConstRows rows, std::span<const GroupId>,
                        std::span<ClusterId> out) {
    predict(options, state, rows, out);
}

}  // namespace fairstream::fair_spectral
