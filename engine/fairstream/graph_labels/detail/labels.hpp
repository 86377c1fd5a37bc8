#pragma once
/// Labels from an embedding: what a step, a refinement and a graph share.

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
    int sweeps = 0;  ///< over all points, of moves by the exact change of the cut, at most; 0: for targets alone
    double change_price = 0;  ///< of a change of label where labels go on: see `fair_spectral::Options`
    std::uint64_t seed = 1;
};

/// Holds what labels are made from.
struct RoundingInput {
    LabelOptions options;
    const Affinity& affinity;
    std::span<const float> rows;     ///< of the embedding, n x k
    std::span<const GroupId> table;  ///< groups, n x the attributes of `format`
    const StreamFormat& format;
    const LinkedRows& links;
    std::span<const double> weights{};     ///< by row, above 0; empty: 1 each. `affinity` is then that of the weighted
    const Ungrouped* ungrouped = nullptr;  ///< what labels made anew start from, too; null: nothing
    WorkDone* done =
        nullptr;  ///< gets what `work_of_labels` counts, and ends it where it is asked to; null: nobody is told

    [[nodiscard]] bool stopped() const { return done != nullptr && done->stopped(); }
    /// Adds work that was done; returns whether to go on.
    bool goes_on(double work = 0) const { return done == nullptr || done->add(work); }
    /// Count work in multiply-adds, and let all that was counted count: where `WorkBudget` lets them.
    void spend(double multiply_adds) const {
        if (done != nullptr) done->handle().spend(multiply_adds);
    }
    void settle() const {
        if (done != nullptr) done->handle().settle();
    }
    [[nodiscard]] WorkHandle uncounted() const { return done == nullptr ? WorkHandle() : done->uncounted(); }
};

/// Work of labels, in labellings that are improved: those of `round_anew` and `round_on` in all, about, of one that is
/// annealed, and of a start of k-means.
[[nodiscard]] double work_of_labels(int start_count, std::size_t rows, bool thorough = true);
[[nodiscard]] double work_of_labels_on(int fresh_starts);
inline constexpr double work_of_annealing = 4, work_of_kmeans = 0.3;

/// Labels and how good they are.
struct Rounding {
    std::vector<ClusterId> labels;
    std::vector<float> centres;  ///< k x k, the means of the rows; of a cluster without points those before
    double cost = 0;             ///< of k-means; without moves alone
    double cut = -1;             ///< normalised cut; -1: not worked out, without moves
    double shortfall = 0;        ///< by how many points clusters fall short of the targets

    /// Says whether these are better labels of the same rows than others, by more than a share of their cost or cut.
    [[nodiscard]] bool beats(const Rounding& other, double by = 0) const;
};

/// The labels of k-means as they are.
[[nodiscard]] Rounding of_kmeans(KMeans found);

/// Clusters the rows by k-means from so many starts, brings them to the targets and to a low cut, and returns the best
/// labels that can be put together from parts of theirs. Without moves: the best of k-means. Asked to end, it leads at
/// least one start to the targets. Not `thorough`, it does not go on from the best: see `TargetSearch::evolved`.
[[nodiscard]] Rounding round_anew(const RoundingInput& input, int start_count, Random& random, bool thorough = true);
/// Goes on from labels, `no_cluster` where there is none: those rows get the nearest of the means of the others.
/// `centres` are those to start from where a cluster is empty. Labels change where the cut falls by enough for each;
/// `fresh_starts` of k-means are looked to for parts of better labels, and the result is annealed.
[[nodiscard]] Rounding round_on(const RoundingInput& input, std::vector<ClusterId> labels,
                                std::span<const float> centres, int fresh_starts, Random& random);

}  // namespace fairstream
