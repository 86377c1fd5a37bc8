#pragma once
/// A search for labels of least cut under one target, from many starts and from parts of their results.

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <vector>

#include <fairstream/fair_assignment/fair_labels.hpp>
#include <fairstream/graph_labels/detail/label_problem.hpp>
#include <fairstream/graph_labels/detail/labels.hpp>
#include <fairstream/numeric/detail/kmeans.hpp>

namespace fairstream {

/// Makes labels in [0, k) meet the demands by moves of least cut; with `lead_first`, first at rising prices of
/// shortfall. Then lowers the cut under one price of changes after another. `centres` as in `Rounding`.
[[nodiscard]] Rounding improved_labels(const RoundingInput& input, const CutProblem& problem, const Random& random,
                                       std::vector<ClusterId> labels, std::span<const float> centres, bool lead_first,
                                       std::initializer_list<double> prices = {0});

/// Anneals the labels of `labelled` under a price of changes, and improves the result. If the annealing must end early,
/// returns `labelled`.
[[nodiscard]] Rounding annealed_labels(const RoundingInput& input, const CutProblem& problem, const Random& random,
                                       const Rounding& labelled, double price);

class TargetSearch {
public:
    /// `targets` are for the attributes of the options of `problem`. Results depend only on `random`. If the work must
    /// end, the search leaves out starts that have not begun, and does not continue from the results of the others.
    TargetSearch(const LabelProblem& problem, const ClusterTargets& targets, const Random& random);
    TargetSearch(const TargetSearch&) = delete;
    TargetSearch& operator=(const TargetSearch&) = delete;

    /// Makes labels meet the target only by moves and exchanges, the cheapest first, and lowers the cut.
    [[nodiscard]] Rounding improved(std::vector<ClusterId> labels, std::span<const float> centres) const;

    /// Labels led to the target from clusters of k-means in two ways: by their cut, and by prices in the embedding.
    struct LabelsFromStart {
        std::vector<Rounding> found;
        bool stuck = false;  ///< `Rounding::is_tight` of the labels found by their cut
    };
    [[nodiscard]] LabelsFromStart labels_from_start(const KMeans& start) const;
    /// Leads labels to the target as safairkm does. This reaches targets that leave clusters hardly any choice, and
    /// takes some hundred times as long as an assignment by prices. Needs a target.
    [[nodiscard]] Rounding labels_by_safairkm(std::span<const float> centres) const;
    /// Leads the clusters of all starts to the target, with `labels_by_safairkm` if most are stuck. If the search is
    /// stopped, returns the labels of one start or more.
    [[nodiscard]] std::vector<Rounding> labels_from_starts(std::span<const KMeans> starts) const;

    /// Leads labellings made without groups (`Ungrouped`) to the target: the best of `start_count` starts of k-means,
    /// at most `most` and at most two, and the parts of a graph with k parts or more. Empty if there is no `Ungrouped`,
    /// or if the search is stopped.
    [[nodiscard]] std::vector<Rounding> labels_from_ungrouped(int start_count, std::size_t most) const;

    /// Divides rows into parts by k-means; the rows are those of the embedding without groups, if there is one. Starts
    /// from the labels of each start, anneals them in these parts, and leads the results to the target. Small sets of
    /// similar points move together, so clusters of much lower cut are found than by moves of points from k-means.
    /// Empty if parts are not searched, or if the search is stopped.
    [[nodiscard]] std::vector<Rounding> annealed_in_parts(std::span<const KMeans> starts) const;

    /// Puts labels together from parts of several labellings (`PartSearch`) while that lowers the cut. Begins with
    /// pairs, in parallel, each with its own finer divisions, one of them made without groups. Continues with the
    /// results of all pairs, each time with annealing. Returns the best of the results and of `found`, which must have
    /// one labelling or more.
    [[nodiscard]] Rounding crossed(std::vector<Rounding> found) const;
    /// Continues from labels while that lowers the cut: anneals them in parts, finer each time, and crosses the results
    /// with these labels. Returns the best.
    [[nodiscard]] Rounding evolved(Rounding best) const;

private:
    [[nodiscard]] bool stopped() const { return points_.input().stopped(); }
    [[nodiscard]] bool has_ungrouped() const {
        return points_.input().ungrouped != nullptr && !points_.input().ungrouped->rows.empty();
    }
    /// Returns labels in which each connected part of the graph lies in one cluster. Moves whole parts, which costs no
    /// cut, as long as a move brings the labels nearer to the target.
    [[nodiscard]] std::vector<ClusterId> parts_for_target(const Ungrouped& of) const;
    [[nodiscard]] std::vector<std::vector<ClusterId>> ungrouped_labels(int start_count, std::size_t most) const;
    [[nodiscard]] bool searches_parts() const;
    void restore_held_labels(std::span<const ClusterId> before, std::vector<ClusterId>& labels) const;
    /// Rows of values that k-means divides.
    struct Rows {
        const float* values;
        std::size_t width;
    };
    [[nodiscard]] Rows constrained_rows() const;
    /// Draws one of the sets of rows that were made without groups (`Ungrouped`). If there is none, returns the rows of
    /// the constrained embedding.
    [[nodiscard]] Rows ungrouped_rows(Random& random) const;
    [[nodiscard]] std::vector<ClusterId> division(const Rows& rows, std::size_t count, Random& random) const;
    /// Returns the division of all rows by k-means of a sample.
    [[nodiscard]] std::vector<ClusterId> sampled_division(std::size_t count, Random& random) const;
    [[nodiscard]] std::vector<ClusterId> finer_division(const Rows& rows, Random& random) const;
    [[nodiscard]] Rounding changed_in_parts(const Rounding& labelled, std::size_t count, Random& random) const;
    [[nodiscard]] Rounding annealed(Rounding labelled) const;
    [[nodiscard]] Rounding crossed_once(std::vector<Rounding> found, std::uint64_t number) const;

    const LabelProblem& points_;
    CutProblem problem_;
    Random random_;
    ClusterTargets targets_;
    std::optional<FairLabels> fair_;  // empty without demands
};

}  // namespace fairstream
