#pragma once
/// Centres to start from, for clusterings that meet demands.

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <fairstream/data/window.hpp>
#include <fairstream/numeric/detail/random.hpp>

namespace fairstream::safairkm {

class CentreSeeds {
public:
    /// Borrows the window. `attributes` are the balanced attributes.
    CentreSeeds(const Window& window, std::span<const std::uint32_t> attributes, std::size_t clusters);

    /// Returns centres, k x d, drawn by greedy k-means++ in one of three ways, which take turns with `number`: among
    /// all points; among means of any points of different groups, which lie between the places of the groups; or among
    /// means of near points of different groups.
    [[nodiscard]] std::vector<float> draw(std::size_t number, Random& random) const;

private:
    [[nodiscard]] std::vector<float> means_over_groups(std::size_t nearest_of, Random& random) const;
    [[nodiscard]] const float* draw_point(std::size_t cell, Random& random) const;
    [[nodiscard]] const float* nearest(const float* x, std::size_t cell, std::size_t of, Random& random) const;

    const Window& window_;
    std::size_t k_, d_;
    std::vector<std::vector<Slot>> cells_;  // points with equal groups in all balanced attributes
};

}  // namespace fairstream::safairkm
