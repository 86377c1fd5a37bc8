#pragma once
/// Labels put together from parts of several labellings.

#include <cstdint>
#include <span>
#include <vector>

#include <fairstream/graph_labels/detail/cut_moves.hpp>
#include <fairstream/numeric/detail/random.hpp>

namespace fairstream {

/// Points in parts, each with one label: sets of points that no labelling divides further. The affinities between parts
/// are a small matrix, so whole parts move quickly. Thus the best parts of labellings with different cuts are combined
/// (for the travelling salesman's problem: D. Whitley, D. Hains, A. Howe, "Tunneling between optima: partition
/// crossover", 2009).
class PartSearch {
public:
    /// With more clusters a search would take longer than fresh starts: for every move it considers 8 k parts, each
    /// with k clusters.
    static constexpr std::size_t most_clusters = 64;
    /// Besides the labellings, k-means divides the rows into parts: `finer_starts` times, with `finer_halves` / 2 times
    /// k clusters.
    static constexpr std::size_t finer_starts = 2, finer_halves = 5;
    /// Labels made anew are put together from finer parts: from divisions into at least `least_finer`, and at most
    /// `most_parts_of_new_labels`, or 8 k, parts. A few clusters with other borders could not be made of fewer parts.
    /// On five sets of moons and circles (k = 2, parity .8, five seeds) cuts are .0054 to .013 with finer parts, and
    /// .0054 to .063 without finer parts. Continued labels change more with finer parts, for no lower cuts (k = 10:
    /// .058 of the labels change instead of .048).
    static constexpr std::size_t least_finer = 16, most_parts_of_new_labels = 128;
    /// Price of a point of shortfall, in 1/n of a cut of 1. It is low because moves of points repair the remaining
    /// shortfall.
    static constexpr double price_of_shortfall = 8;

    /// Labels begin at 0; the labels of the first labelling are in [0, k). There are at most 8 k parts, or `most_parts`
    /// if that is more, plus k: the smallest parts are joined if their first labels are equal. Reads every row of the
    /// affinity, or its factors.
    PartSearch(const CutProblem& problem, std::span<const std::vector<ClusterId>> labellings,
               std::size_t most_parts = 0);

    struct Found {
        std::vector<ClusterId> labels;  ///< n
        double sum = 0;
    };
    /// Starts from labels in [0, k); a part gets the label of most of its points. Makes moves of parts, each the one
    /// that lowers a sum most or raises it least; no move is reversed at once (tabu search). The sum is the cut,
    /// `price` per point without its preferred label and `shortfall_price` per point of shortfall. Returns the best
    /// labels found.
    [[nodiscard]] Found improved(std::span<const ClusterId> labels, double price, double shortfall_price) const;
    /// Starts from labels as `improved` does, and anneals them. In each sweep each part draws another cluster. It goes
    /// there if that lowers the sum of the cut and `shortfall_price` per point of shortfall; otherwise it goes with
    /// probability exp(gain / t). t falls from `hot` geometrically, in units of the cut that a part gains when it goes
    /// to the cluster to which it is mostly joined. So borders move by whole parts. Returns the best labels found.
    [[nodiscard]] Found annealed(std::span<const ClusterId> labels, double shortfall_price, int sweeps, double hot,
                                 Random& random) const;

private:
    class Labelled;

    void join_rows();
    void join_places(const MergedRows& merged);
    [[nodiscard]] std::vector<ClusterId> part_labels(std::span<const ClusterId> labels) const;
    [[nodiscard]] Found found(std::span<const ClusterId> part_labels, double sum) const;

    const CutProblem& problem_;
    std::size_t k_;
    std::vector<std::size_t> part_of_;         // by point
    std::size_t count_;                        // number of parts
    Matrix affinity_;                          // count x count
    std::vector<double> degrees_;              // by part
    std::vector<std::int64_t> sizes_;          // by part: points
    std::vector<double> masses_;               // by part: its weight
    std::vector<std::vector<double>> counts_;  // by attribute, count x groups, by weight
    std::vector<double> preferred_weights_;    // count x k: weight of the points that prefer this cluster
    std::vector<bool> held_;                   // by part: whether it has a held point
};

}  // namespace fairstream
