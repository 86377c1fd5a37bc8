#include <fairstream/fair_kmeans/detail/fair_path.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

#include <fairstream/fair_kmeans/detail/repair.hpp>

namespace fairstream::safairkm {
namespace {

// Candidates on each side of a swap; there are few swaps, so each may consider many.
constexpr std::size_t many_candidates = 2048;

}  // namespace

// Beyond the best balance prices rise without bound, and clusters empty one after another.
void FairPath::cap_targets() {
    const GroupMasses masses = group_masses(clustering_.window);
    for (Demand& demand : target_.of_groups)
        demand.ratio = std::min(demand.ratio, weighted_balance(demand, masses.of(demand.attribute)));
}

void FairPath::resume(std::span<const std::vector<double>> prices) {
    cap_targets();
    from_.assign(target_.of_groups.size(), 0);
    lloyd_.resume(prices);
}

int FairPath::start(int limit) {
    for (Demand& demand : stage_.of_groups) {
        demand.ratio = 0;
        std::ranges::fill(demand.lower, 0);
        std::ranges::fill(demand.upper, 1);
    }
    stage_.of_sizes = {};
    const int rounds = lloyd_.converge(stage_, limit);
    copy_to_clustering();
    cap_targets();
    for (const Demand& demand : target_.of_groups) {
        double least = 1;
        for (ClusterId l = 0; l < static_cast<ClusterId>(clustering_.k); ++l)
            least = std::min(
                least, weighted_balance(demand, clustering_.masses(l, clustering_.cells.place(demand.attribute))));
        from_.push_back(least);
    }
    return rounds;
}

void FairPath::run_stage(double share, int rounds) {
    for (std::size_t i = 0; i < target_.of_groups.size(); ++i) {
        const Demand& target = target_.of_groups[i];
        Demand& stage = stage_.of_groups[i];
        // The last stage is the target itself, without interpolation errors.
        stage.ratio = target.ratio <= from_[i] || share == 1 ? target.ratio : std::lerp(from_[i], target.ratio, share);
        for (std::size_t j = 0; j < target.lower.size(); ++j) {
            stage.lower[j] = share * target.lower[j];
            stage.upper[j] = 1 - share * (1 - target.upper[j]);
        }
    }
    stage_.of_sizes.at_least = std::llround(share * static_cast<double>(target_.of_sizes.at_least));
    const auto points =
        static_cast<std::int64_t>(std::ceil(clustering_.state.tally.total_weight() / clustering_.state.weight_unit()));
    if (target_.of_sizes.at_most < points)
        stage_.of_sizes.at_most = points - std::llround(share * static_cast<double>(points - target_.of_sizes.at_most));
    for (int round = 0; round < rounds && (round == 0 || !lloyd_.work.stopped()); ++round) lloyd_.round(stage_);
}

void FairPath::copy_to_clustering() {
    lloyd_.copy_to(clustering_);
    clustering_.demands = stage_;
}

std::int64_t FairPath::repair() {
    clustering_.set_candidate_count(many_candidates);
    return safairkm::repair(clustering_);
}

}  // namespace fairstream::safairkm
