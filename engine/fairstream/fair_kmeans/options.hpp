#pragma once
/// Options of SAfairKM, the search for k-means clusters that meet targets.

#include <cstdint>

#include <fairstream/targets/targets.hpp>

namespace fairstream::safairkm {

enum class SwapWith : std::uint8_t {
    local,   ///< swap with the cluster closest to the least balanced one: (5); under `exact_change`, with the cluster
             ///< that changes f1 least
    global,  ///< swap with the cluster richest in the scarce group: (4)
};
enum class Swap : std::uint8_t {
    exact_change,  ///< exchange the pair of points that changes f1 least, exactly
    nearest,       ///< exchange the points nearest to the destination centres (the paper, section 3). If `swaps` is
                   ///< above 0, swaps are those of the authors' code: they are made whether helpful or not, and a moved
                   ///< point is no candidate in either cluster until one of the two has no other candidate left. Takes
                   ///< capacity x k bytes
};
enum class CentreUpdate : std::uint8_t {
    exact,  ///< centres are always the means of their members
    paper,  ///< only an incoming point moves a centre, by 1/N (Algorithm 2)
};

struct Options {
    int clusters = 8;  ///< k, in [1, 32767]
    /// Targets of every cluster, instead of `swaps`. A parity that is `automatic` is 0 with `swaps`, and under the
    /// paper's swaps or centres.
    Targets targets = {};
    int kmeans_updates = 64;  ///< n_a: retained points revisited per round of a refinement, and per step of a model
                              ///< that does not improve itself, in [0, 1e9]; cost O(k d) each
    int swaps = 0;  ///< n_b: swaps per step, in [0, 1e9], of the attributes in turn; cost O(k * candidates * d) each.
                    ///< Made only if there is no target; a swap raises the lowest balance at any cost

    /// Work per arriving point by which the model improves itself, in [0, 1e6]: on average `effort` x 16 x k
    /// evaluations of a distance or price. Only revisits and swaps are made if this is 0, with `swaps` and no target,
    /// and under the paper's swaps or centres.
    double effort = 4;
    /// Price of a changed label of a retained point in steps with a target, as a share of the mean squared distance to
    /// the centres, in [0, 10]. It keeps a point in its cluster if another cluster is only slightly cheaper. On made-up
    /// changing streams, .03 lowers changes of labels by a tenth to a half at equal cost; from .1 on cost rises.
    double change_price = 0.03;
    SwapWith swap_with = SwapWith::local;
    Swap swap = Swap::exact_change;
    int candidates = 32;          ///< points sampled on each side of a swap, in [1, 1e9]
    double candidate_growth = 1;  ///< factor on `candidates` per step (increasingly accurate swap), in [1, 2]
    CentreUpdate centre_update = CentreUpdate::exact;
    int starts = 10;  ///< starts of an open-ended refinement, of which the best is kept, in [1, 1000]: the present
                      ///< state, then k-means++; cost O(n k d) rounds each
    std::uint64_t seed = 1;
    bool operator==(const Options&) const = default;
};

/// Returns the targets in effect.
[[nodiscard]] ClusterTargets targets_of(const Options& options);

}  // namespace fairstream::safairkm
