#pragma once
/// Lloyd's algorithm with fair assignments instead of nearest centres, with a warm start from one demand to the next.

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include <fairstream/data/window.hpp>
#include <fairstream/fair_assignment/detail/fair_assignment.hpp>
#include <fairstream/fair_kmeans/detail/clustering.hpp>

namespace fairstream::safairkm {

class FairLloyd {
public:
    /// Copies the rows as `FairAssignment` does. `centres` is k x d.
    FairLloyd(const Window& window, std::span<const float> centres, std::span<const std::uint32_t> attributes);
    /// Uses the memory of an assignment, which must outlive this object.
    FairLloyd(const Window& window, std::span<const float> centres, std::span<const std::uint32_t> attributes,
              FairAssignment& memory);
    /// Starts from the centres of a clustering, for its balanced attributes. If it charges changes of labels, rounds
    /// also charge them.
    explicit FairLloyd(const Clustering& clustering);
    /// Starts from a clustering, in the memory of an assignment, which must outlive this object.
    FairLloyd(const Clustering& clustering, FairAssignment& memory);
    FairLloyd(const FairLloyd&) = delete;
    FairLloyd& operator=(const FairLloyd&) = delete;

    /// Runs one round: prices and labels for the present centres, then centres become the means of their members (an
    /// empty cluster keeps its centre). Returns the number of points that changed cluster.
    std::size_t round(const Demands& demands);

    /// Runs rounds until no point changes cluster, at most `limit`. Returns the number of rounds.
    int converge(const Demands& demands, int limit);
    /// Set the prices to start from, and return the present prices: see `FairAssignment`.
    void resume(std::span<const std::vector<double>> prices) { assignment_.resume(prices); }
    [[nodiscard]] const std::vector<std::vector<double>>& prices() const { return assignment_.prices(); }
    /// Continues from these centres, k x d, and these prices: see `FairAssignment`.
    void continue_from(std::span<const float> centres, std::span<const std::vector<double>> prices) {
        centres_.assign(centres.begin(), centres.end());
        assignment_.resume(prices);
    }
    /// Returns the centres, k x d.
    [[nodiscard]] std::span<const float> centres() const { return centres_; }
    /// Returns an estimate of the cost of a clustering that meets the demands: the mean squared distance of points to
    /// the means of their clusters, and for each point of shortfall the largest price, which is about what the point
    /// pays where it is needed. If no price is as large, that mean squared distance is charged instead.
    [[nodiscard]] double cost(const Demands& demands) const;
    /// Copies the labels by slot; `no_cluster` before the first round.
    void copy_labels(std::span<ClusterId> labels) const;
    /// Sets these labels in a clustering of the same window, and gives each empty cluster a point.
    void copy_to(Clustering& clustering) const;

    WorkHandle work;  ///< work of the only caller that runs rounds

private:
    FairLloyd(const Window& window, std::span<const float> centres, std::span<const std::uint32_t> attributes,
              FairAssignment* memory);
    void recompute_sums();
    void add_point(std::size_t i, ClusterId label, double weight);
    [[nodiscard]] double total_shortfall(const Demands& demands) const;
    void copy_labels_from(const Clustering& clustering);

    const Window& window_;
    std::size_t k_, d_;
    std::optional<FairAssignment> own_assignment_;  // used if no memory was given
    FairAssignment& assignment_;
    std::vector<float> centres_;     // k x d
    std::vector<ClusterId> labels_;  // in the assignment's order of points
    std::vector<ClusterId> kept_;    // labels whose change has a price; `no_cluster`: none
    float price_of_change_ = 0;      // for a point of weight 1
    std::vector<double> sums_;       // k x d
    std::vector<double> squares_;    // k, sums of squared norms
    std::vector<double> masses_;     // k, weights of the clusters
};

}  // namespace fairstream::safairkm
