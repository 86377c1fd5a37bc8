#pragma once
/// A path from a clustering of least cost to a clustering of some balance.

#include <cstdint>
#include <vector>

#include <fairstream/fair_kmeans/detail/fair_lloyd.hpp>

namespace fairstream::safairkm {

/// Leads a clustering through rising demands, each stage with a warm start from the previous stage. A single assignment
/// to a high balance ends in a worse result. On Adult at balance .48 with ten starts, 64 stages end 0.6 % above a
/// linear programme, 128 end 0.3 % above. More rounds in each of fewer stages gain less in the same time.
class FairPath {
public:
    /// Starts from the centres of a clustering that keeps an index, towards `target`. A ratio above the best possible
    /// is reduced to that.
    FairPath(Clustering& clustering, Demands target)
        : clustering_(clustering), lloyd_(clustering), target_(std::move(target)), stage_(target_) {}
    /// Uses the memory of an assignment, which must outlive this object.
    FairPath(Clustering& clustering, Demands target, FairAssignment& memory)
        : clustering_(clustering), lloyd_(clustering, memory), target_(std::move(target)), stage_(target_) {}

    /// Runs at most `limit` rounds of Lloyd's algorithm without demands, and sets the labels of the clustering. Returns
    /// the number of rounds.
    int start(int limit = 300);
    /// Starts from these prices and the present centres instead, with balance 0 as start of the path.
    void resume(std::span<const std::vector<double>> prices);
    /// Runs rounds at the stage where each demand is `share`, in [0, 1], of the way from its value at the start to its
    /// target; a ratio already met at the start is only kept.
    void run_stage(double share, int rounds = rounds_per_stage);
    /// Sets the labels and the demands of the stage in the clustering; single points may miss the demands.
    void copy_to_clustering();
    /// Makes moves and swaps until the clustering meets the demands of the stage, or none helps. Returns their number.
    std::int64_t repair();

    [[nodiscard]] const std::vector<std::vector<double>>& prices() const { return lloyd_.prices(); }

    static constexpr int rounds_per_stage = 4;

private:
    void cap_targets();

    Clustering& clustering_;
    FairLloyd lloyd_;
    Demands target_;
    Demands stage_;
    std::vector<double> from_;  // ratio of each demand at the start
};

}  // namespace fairstream::safairkm
