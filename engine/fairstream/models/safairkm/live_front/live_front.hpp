#pragma once
/// Several operating points of online SAfairKM over one window: a live front of cost and balance.
///
/// Each point is a safairkm clustering with its own (n_a, n_b) or balance target (`safairkm.hpp`). All use the same
/// window, which is stored once, and step in parallel. Algorithm 3 of the paper drops dominated labellings;
/// accordingly, a point continues from the clustering of another one that is cheaper and at least as balanced. One
/// point is published. Another point may be published while running; its clusters are then renamed to match the former
/// labels best.

#include <cstddef>
#include <cstdint>

#include <fairstream/base/one_or_more.hpp>
#include <fairstream/models/safairkm/safairkm.hpp>

namespace fairstream::live_front {

inline constexpr std::size_t point_limit = 64;

/// Treatment of a dominated point: another point is both cheaper and at least as balanced.
enum class Dominated : std::uint8_t {
    replace,  ///< every eighth step the dominated point takes over the other's clustering, but not its options
    keep,     ///< the dominated point continues unchanged
};

struct Options {
    /// Options of all operating points. Its `kmeans_updates`, `swaps` and `balance_at_least` are not used, and a parity
    /// target applies only if it is given. One attribute is balanced.
    safairkm::Options common;
    /// n_a, n_b and the target of each operating point, as in `safairkm::Options`: one value for all, or one for each
    /// of at most 64 operating points.
    OneOrMore<int> kmeans_updates = 64;
    OneOrMore<int> swaps = 16;
    OneOrMore<double> balance_at_least{0, 0.1, 0.2, 0.3, 0.4};
    int published = 0;  ///< index, from 0, of the operating point whose labels the model gives
    Dominated dominated = Dominated::replace;
    bool operator==(const Options&) const = default;
};

/// Returns the options of the published operating point.
[[nodiscard]] safairkm::Options published_options(const Options& options);
/// Returns the targets of the published operating point.
[[nodiscard]] inline ClusterTargets targets_of(const Options& options) {
    return targets_of(published_options(options));
}
/// Returns the kind of model that these options belong to.
[[nodiscard]] const ModelKind& kind_of(const Options& options);

}  // namespace fairstream::live_front
