#pragma once
/// Lloyd's algorithm with fair assignments instead of nearest centres, warm from one demand to the next.

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
    /// Does so in the memory of an assignment, which must live as long as this.
    FairLloyd(const Window& window, std::span<const float> centres, std::span<const std::uint32_t> attributes,
              FairAssignment& memory);
    /// Starts from the centres of a clustering, for the attributes it balances.
    explicit FairLloyd(const Clustering& clustering);
    /// Starts likewise, in the memory of an assignment, which must live as long as this.
    FairLloyd(const Clustering& clustering, FairAssignment& memory);
    FairLloyd(const FairLloyd&) = delete;
    FairLloyd& operator=(const FairLloyd&) = delete;

    /// Runs one round: prices and labels for the centres as they are, then centres become the means of their members
    /// (an empty cluster keeps its centre). Returns how many points changed cluster.
    std::size_t round(const Demands& demands);

    /// Runs rounds until no point changes cluster, at most `limit`. Returns the rounds made.
    int converge(const Demands& demands, int limit);
    /// Prices to start from instead of none, and the present ones: see `FairAssignment`.
    void resume(std::span<const std::vector<double>> prices) { assignment_.resume(prices); }
    [[nodiscard]] const std::vector<std::vector<double>>& prices() const { return assignment_.prices(); }
    /// Centres, k x d.
    [[nodiscard]] std::span<const float> centres() const { return centres_; }
    /// Returns the mean squared distance of points to the means of their clusters, and beside it, for each point by
    /// which clusters fall short of the demands, what two points are apart on average.
    [[nodiscard]] double cost(const Demands& demands) const;
    /// Copies the labels by slot; `no_cluster` before the first round.
    void copy_labels(std::span<ClusterId> labels) const;
    /// Gives a clustering of the same window these labels, and a point to each empty cluster.
    void copy_to(Clustering& clustering) const;

    WorkHandle work;  ///< of who runs the rounds, alone

private:
    FairLloyd(const Window& window, std::span<const float> centres, std::span<const std::uint32_t> attributes,
              FairAssignment* memory);
    void sum_anew();
    [[nodiscard]] double short_by(const Demands& demands) const;
    void take_labels(const Clustering& clustering);

    const Window& window_;
    const Kernels& kernels_;
    std::size_t k_, d_;
    std::optional<FairAssignment> own_;  // where no memory was given
    FairAssignment& assignment_;
    std::vector<float> centres_;     // k x d
    std::vector<ClusterId> labels_;  // as the assignment orders points
    std::vector<double> sums_;       // k x d
    std::vector<double> squares_;    // k, sums of squared norms
    std::vector<double> masses_;     // k, weights of their points
};

}  // namespace fairstream::safairkm
