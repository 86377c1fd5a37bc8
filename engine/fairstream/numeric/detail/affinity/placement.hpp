#pragma once
/// Placement of new points among anchors: the mean of the anchors' rows, weighted by affinity.

#include <cstddef>
#include <span>
#include <vector>

#include <fairstream/numeric/anchors.hpp>
#include <fairstream/numeric/detail/affinity/neighbour_lists.hpp>

namespace fairstream {

/// The affinities of a new point: to its nearest neighbours, as in a neighbour graph, or radial to all anchors.
struct PlacementWeights {
    bool of_nearest = true;
    std::size_t neighbours = 0;  ///< neighbours in the graph; 0: the default number
    double bandwidth = 0;        ///< 0: self-tuning
};

/// Places points one by one; each result depends only on its row.
class Placement {
public:
    /// Borrows the anchors, of d features and with rows of k values; at least one anchor.
    Placement(const Anchors& anchors, std::size_t d, const PlacementWeights& weights);

    /// Returns the k values at a row of d features; if no anchor has an affinity to the row, the values of the nearest
    /// anchor. Valid until the next call.
    [[nodiscard]] std::span<const double> at(const float* row);
    /// Return the anchors that placed the last point, and the point's affinity to each of them.
    [[nodiscard]] std::span<const Slot> anchors() const noexcept { return at_; }
    [[nodiscard]] std::span<const float> affinities() const noexcept { return weights_; }

private:
    void weigh_nearest();
    void weigh_all();

    const Anchors& anchors_;
    std::size_t d_, k_;
    PlacementWeights weighting_;
    std::vector<float> distances_;
    std::vector<Neighbour> nearest_;
    std::vector<Slot> at_;
    std::vector<float> weights_;
    std::vector<double> place_;
};

}  // namespace fairstream
