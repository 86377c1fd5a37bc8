#pragma once
/// Labels from an embedding, for steps, refinements and graphs.

#include <cstdint>
#include <span>
#include <vector>

#include <fairstream/graph_labels/detail/ungrouped.hpp>
#include <fairstream/numeric/detail/affinity/affinity.hpp>
#include <fairstream/numeric/detail/kmeans.hpp>
#include <fairstream/numeric/detail/random.hpp>
#include <fairstream/optimisation/detail/spectral/problem.hpp>
#include <fairstream/targets/targets.hpp>

namespace fairstream {

/// Options of the labels of a graph.
struct LabelOptions {
    ClusterTargets targets = {};
    int sweeps = 0;  ///< largest number of sweeps of moves by the exact change of the cut; 0: moves only for targets
    double change_price = 0;  ///< price of a changed label if labels are continued, see `fair_spectral::Options`
    std::uint64_t seed = 1;
};

/// The input from which labels are made.
struct RoundingInput {
    LabelOptions options;
    const Affinity& affinity;
    std::span<const float> rows;     ///< rows of the embedding, n x k
    std::span<const GroupId> table;  ///< groups, n x the attributes of `format`
    const StreamFormat& format;
    const LinkedRows& links;
    std::span<const double> weights{};     ///< by row, above 0; empty: all are 1. `affinity` then has these weights
    const Ungrouped* ungrouped = nullptr;  ///< further start of labels made anew; may be null
    WorkDone* done = nullptr;              ///< gets the work that `work_of_labels` counts, and may end it; may be null

    [[nodiscard]] bool stopped() const { return done != nullptr && done->stopped(); }
    /// Adds work done; returns whether to go on.
    bool add_work(double work = 0) const { return done == nullptr || done->add(work); }
    /// Count work in multiply-adds, and settle it; `settle` only where `WorkBudget` allows it.
    void spend(double multiply_adds) const {
        if (done != nullptr) done->handle().spend(multiply_adds);
    }
    void settle() const {
        if (done != nullptr) done->handle().settle();
    }
    [[nodiscard]] WorkHandle uncounted() const { return done == nullptr ? WorkHandle() : done->uncounted(); }
};

/// Return the approximate work on labels, in units of one improved labelling: of `round_from_starts` and
/// `continue_rounding` as a whole, of an annealed labelling, and of a start of k-means.
[[nodiscard]] double work_of_labels(int start_count, std::size_t rows, bool thorough = true);
[[nodiscard]] double work_of_continued_labels(int fresh_starts);
inline constexpr double work_of_annealing = 4, work_of_kmeans = 0.3;

/// Labels and their quality.
struct Rounding {
    std::vector<ClusterId> labels;
    std::vector<float> centres;  ///< k x k, means of the rows; for a cluster without points, the former mean
    double cost = 0;             ///< cost of k-means; only without moves
    double cut = -1;             ///< normalised cut; -1: not computed, because there are no moves
    double shortfall = 0;        ///< sum of the clusters' shortfalls of the targets, in points
    bool is_tight = false;       ///< whether moves missed the targets, so counts that meet them were searched

    /// Returns whether these labels are better than `other`, labels of the same rows, by more than the share `by` of
    /// the cost or cut.
    [[nodiscard]] bool beats(const Rounding& other, double by = 0) const;
};

/// Returns the labels of k-means unchanged.
[[nodiscard]] Rounding rounding_of_kmeans(KMeans found);

/// Clusters the rows by k-means from `start_count` starts, makes them meet the targets at a low cut, and returns the
/// best labels that can be put together from their parts. Without moves: the best of k-means. If the work is ended,
/// leads at least one start to the targets. If not `thorough`, does not continue from the best: see
/// `TargetSearch::evolved`.
[[nodiscard]] Rounding round_from_starts(const RoundingInput& input, int start_count, Random& random,
                                         bool thorough = true);
/// Continues from labels; a row with `no_cluster` gets the cluster with the nearest mean of labelled rows. `centres`
/// are used for clusters that are empty. A label changes only if the cut falls by more than the change's price. Parts
/// of `fresh_starts` of k-means may be used for better labels, and the result is annealed.
[[nodiscard]] Rounding continue_rounding(const RoundingInput& input, std::vector<ClusterId> labels,
                                         std::span<const float> centres, int fresh_starts, Random& random);

}  // namespace fairstream
