#pragma once
/// Two long clusters with the groups at their ends: a cut across them is unfair, a cut between them is fair.
///
/// Modelled on the set "Elliptical" of Feng et al. (2024) as shown by F. Tonin, A. Lambert, J. A. K. Suykens and
/// V. Cevher (*Accelerating spectral clustering under fairness constraints*, section 4): two clusters, two groups, in
/// the plane. The set itself was not available; shape and numbers are ours.

#include <array>
#include <cstddef>
#include <cstdint>
#include <random>
#include <string_view>

#include <fairstream/data/point_batch.hpp>
#include <fairstream/generate/random_order.hpp>

namespace fairstream::generate {

/// Points uniform in two ellipses with half-axes 4 along x and 1/2 along y, centres (0, -1) and (0, 1). A point belongs
/// to group left with a probability that falls from 1 at x = -1 to 0 at x = 1, otherwise to group right. Half the
/// points are in each ellipse, and half of those in each group.
///
/// The ellipses are 1 apart where they are nearest, so a graph of near neighbours separates them, with balance 1. Along
/// x the points spread four times as much as along y: k-means cuts at x = 0, and ends with a balance of about 1/11.
///
/// The same seed and number give the same points on every platform, however they are fetched: all arithmetic is in
/// integers, and every feature is a multiple of 2^-16.
class EllipticalPoints {
public:
    static constexpr std::array<std::string_view, 2> feature_names = {"x", "y"};
    static constexpr std::uint64_t usual_count = 1'000;

    /// Makes `count` points, 1 to 2^40; the numbers of points by ellipse and group differ by at most one. The order is
    /// random, uniformly over all orders.
    explicit EllipticalPoints(std::uint64_t seed, std::uint64_t count = usual_count);

    /// Returns the format: two features; group (left, right).
    [[nodiscard]] static StreamFormat format();

    /// Puts the next `count` points into `out`, fewer at the end of the set; their ids are 0, 1, 2, ...
    void next(std::size_t count, PointColumns& out);

private:
    void append_point(PointColumns& out);

    std::mt19937_64 random_;  // the standard defines its output
    std::uint64_t count_;
    RandomOrder<4> cells_;  // kinds: left and right in ellipse 0, left and right in ellipse 1
};

}  // namespace fairstream::generate
