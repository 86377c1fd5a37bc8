#pragma once
/// Labels put together from parts of several labellings.

#include <cstdint>
#include <span>
#include <vector>

#include <fairstream/graph_labels/detail/cut_moves.hpp>
#include <fairstream/numeric/detail/random.hpp>

namespace fairstream {

/// Points in parts, each of which has one label: what labellings divide no further. Their affinities to each other are
/// a matrix of few rows, in which whole parts are moved in no time; from labellings that end at different cuts the
/// best of each are so taken over (in the travelling salesman's problem: D. Whitley, D. Hains, A. Howe, "Tunneling
/// between optima: partition crossover", 2009).
class PartSearch {
public:
    /// More would take longer than fresh starts: a search looks at 8 k parts, each at k clusters, for every move.
    static constexpr std::size_t most_clusters = 64;
    /// Beside the labellings, parts are where k-means with more clusters divides the rows: from this many starts, and
    /// with so many halves of k.
    static constexpr std::size_t finer_starts = 2, finer_halves = 5;
    /// Labels made anew are put together from finer parts, since few clusters that are cut elsewhere could not be made
    /// of so few: from divisions into at least `least_finer`, and parts of at most `parts_anew`, or 8 k. Five sets of
    /// moons and circles, k = 2, parity .8, five seeds: cuts of .0054 to .013, without .0054 to .063. Labels that go on
    /// change more for no lower cuts with them (k = 10: .058 of them, not .048).
    static constexpr std::size_t least_finer = 16, parts_anew = 128;
    /// Price of a point of shortfall, in 1/n of a cut of 1: what moves of points then take.
    static constexpr double price_of_shortfall = 8;

    /// Labels are from 0, those of the first labelling in [0, k). Parts are at most 8 k, or `most_parts` where that is
    /// more, and k: the smallest are joined where their first labels are the same. Takes every row of the affinity, or
    /// its factors.
    PartSearch(const CutProblem& problem, std::span<const std::vector<ClusterId>> labellings,
               std::size_t most_parts = 0);

    struct Found {
        std::vector<ClusterId> labels;  ///< n
        double sum = 0;
    };
    /// Starts from labels in [0, k), those of a part being what most of its points have. Makes moves of parts that
    /// lower most, or raise least, the sum of the cut, `price` for every point away from home and `shortfall_price` for
    /// every point of shortfall, none back at once (tabu search). Returns the best labels met.
    [[nodiscard]] Found improved(std::span<const ClusterId> labels, double price, double shortfall_price) const;
    /// Starts from labels likewise, and anneals them: sweeps over the parts, each of which draws another cluster and
    /// goes there where that lowers the sum of the cut and `shortfall_price` for every point of shortfall, or with
    /// chance exp(gain / t), t falling from `hot` in equal ratios, in units of the cut that a part mostly joined to
    /// another cluster gains by going over. Borders so move by whole parts. Returns the best labels met.
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
    std::vector<std::size_t> of_;              // by point: its part
    std::size_t count_;                        // of parts
    Matrix affinity_;                          // count x count
    std::vector<double> degrees_;              // by part
    std::vector<std::int64_t> sizes_;          // by part: points
    std::vector<double> masses_;               // by part: their weight
    std::vector<std::vector<double>> counts_;  // by attribute, count x groups, by weight
    std::vector<double> homes_;                // count x k: weight of the points whose home the cluster is
    std::vector<bool> held_;                   // by part: whether a point of it is
};

}  // namespace fairstream
