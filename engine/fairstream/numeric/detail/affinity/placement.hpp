#pragma once
/// New points among anchors: the mean of the anchors' rows, weighted by affinity.

#include <cstddef>
#include <span>
#include <vector>

#include <fairstream/numeric/anchors.hpp>
#include <fairstream/numeric/detail/affinity/neighbour_lists.hpp>

namespace fairstream {

/// Affinities of a new point: to its nearest neighbours, as in a graph of them, or to all anchors, radial.
struct PlacementWeights {
    bool of_nearest = true;
    std::size_t neighbours = 0;  ///< of the graph; 0: the usual number
    double bandwidth = 0;        ///< 0: self-tuning
};

/// Places one point after the other; each result is a function of its own row alone.
class Placement {
public:
    /// Borrows the anchors, of d features and rows of k values; at least one.
    Placement(const Anchors& anchors, std::size_t d, const PlacementWeights& weights);

    /// Returns the k values at a row of d features; those of the nearest anchor where none has an affinity to it. Valid
    /// until the next call.
    [[nodiscard]] std::span<const double> at(const float* row);
    /// Return the anchors that placed the last point, and its affinity to each of them.
    [[nodiscard]] std::span<const Slot> anchors() const noexcept { return at_; }
    [[nodiscard]] std::span<const float> affinities() const noexcept { return weights_; }

private:
    void weigh_nearest();
    void weigh_all();

    const Anchors& anchors_;
    std::size_t d_, k_;
    PlacementWeights how_;
    std::vector<float> distances_;
    std::vector<Neighbour> nearest_;
    std::vector<Slot> at_;
    std::vector<float> weights_;
    std::vector<double> place_;
};

}  // namespace fairstream
