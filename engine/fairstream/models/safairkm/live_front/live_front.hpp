#pragma once
/// Several operating points of online SAfairKM over one window: a front of cost and balance that is kept live.
///
/// Each point is a safairkm clustering with its own (n_a, n_b) or balance target (`safairkm.hpp`); all see the same
/// window, which is kept once, and step side by side. As in Algorithm 3 of the paper, which drops what is dominated, a
/// point that falls behind another in both cost and balance goes on from that one's clustering. One of them is
/// published; which one may change while running, and its clusters then take the names that fit the labels before best.

#include <cstddef>
#include <cstdint>

#include <fairstream/base/one_or_more.hpp>
#include <fairstream/models/safairkm/safairkm.hpp>

namespace fairstream::live_front {

inline constexpr std::size_t point_limit = 64;

/// Policy for a point when another one is both cheaper and at least as balanced.
enum class Dominated : std::uint8_t {
    replace,  ///< every eighth step it takes that one's clustering over and goes on from there by its own options
    keep,     ///< it goes on alone
};

struct Options {
    /// Options of all points; `kmeans_updates`, `swaps` and `balance_at_least` in it are not used, and parity is asked
    /// for only where it is given. One attribute is balanced.
    safairkm::Options common;
    /// n_a, n_b and the target of each point, as in `safairkm::Options`: one value for all, or one each, for at
    /// most 64.
    OneOrMore<int> kmeans_updates = 64;
    OneOrMore<int> swaps = 16;
    OneOrMore<double> balance_at_least{0, 0.1, 0.2, 0.3, 0.4};
    int published = 0;  ///< the point whose labels are the model's, from 0
    Dominated dominated = Dominated::replace;
    bool operator==(const Options&) const = default;
};

/// Returns the options of the published point.
[[nodiscard]] safairkm::Options published_options(const Options& options);
/// Returns its targets.
[[nodiscard]] inline ClusterTargets targets_of(const Options& options) {
    return targets_of(published_options(options));
}
/// Returns the kind of model that these are options of.
[[nodiscard]] const ModelKind& kind_of(const Options& options);

}  // namespace fairstream::live_front
