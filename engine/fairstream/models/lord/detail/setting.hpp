#pragma once
/// The problem that lord solves: an affinity with weights and marginals. Its rows are the points of a window, or the
/// nodes of a given graph.

#include <cstdint>
#include <span>
#include <vector>

#include <fairstream/models/lord/detail/ascent.hpp>
#include <fairstream/models/lord/detail/marginals.hpp>
#include <fairstream/models/lord/detail/similarity.hpp>
#include <fairstream/models/lord/lord.hpp>

namespace fairstream::lord {

/// Returns the block of each point: the combination of its groups in the attributes of the options, if this combination
/// has enough points for its own marginals. Empty if all points are one block. `groups`: n x attributes of `format`.
[[nodiscard]] std::vector<std::uint32_t> fair_blocks(const Options& options, const StreamFormat& format,
                                                     std::span<const GroupId> groups, std::size_t points);
/// Returns mu, k: the roots of the priors.
[[nodiscard]] std::vector<double> roots_of_priors(const Options& options);

struct Setting {
    const Affinity& affinity;
    std::vector<double> mu;
    Marginals marginals;
    Similarity similarity;
    Problem problem;

    /// Borrows `of`, the affinity of the weighted points, and `weights`, n; empty: 1 each. `known_tau2` is the value of
    /// tau by the rule tau2 if it is already known; 0: it is computed.
    Setting(const Options& options, const Affinity& of, std::span<const double> weights,
            std::span<const std::uint32_t> blocks, double known_tau2 = 0);
    Setting(const Setting&) = delete;
    Setting& operator=(const Setting&) = delete;
};

}  // namespace fairstream::lord
