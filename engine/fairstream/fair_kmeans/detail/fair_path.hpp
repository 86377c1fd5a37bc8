#pragma once
/// A path from a clustering of least cost to one of some balance.

#include <cstdint>
#include <vector>

#include <fairstream/fair_kmeans/detail/fair_lloyd.hpp>

namespace fairstream::safairkm {

/// Leads a clustering through rising demands, each stage warm from the one before: assignments to a high balance made
/// all at once end in a worse place. Adult at balance .48, ten starts: 64 stages end 0.6 % above a linear programme,
/// 128 0.3 %. More rounds in each of fewer stages gain less for the same time.
class FairPath {
public:
    /// Starts from the centres of a clustering that keeps an index, on the way to `target`. A ratio above the best
    /// possible stands for that.
    FairPath(Clustering& clustering, Demands target)
        : clustering_(clustering), lloyd_(clustering), target_(std::move(target)), stage_(target_) {}
    /// Starts likewise, in the memory of an assignment, which must live as long as this.
    FairPath(Clustering& clustering, Demands target, FairAssignment& memory)
        : clustering_(clustering), lloyd_(clustering, memory), target_(std::move(target)), stage_(target_) {}

    /// Runs at most `limit` rounds of Lloyd's algorithm without demands, and gives the clustering the labels. Returns
    /// the rounds.
    int start(int limit = 300);
    /// Starts from these prices instead, and from the centres as they are: the clustering without demands is at no
    /// balance.
    void resume(std::span<const std::vector<double>> prices);
    /// Runs rounds at the stage where each demand is `share` of the way, in [0, 1], from what it was at the start to
    /// its target; a ratio that was met at the start is only kept.
    void lead(double share, int rounds = rounds_per_stage);
    /// Gives the clustering the labels and the demands of the stage, which single points may miss.
    void take();
    /// Makes moves and swaps until the clustering keeps the demands of the stage, or none helps. Returns how many.
    std::int64_t mend();

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
