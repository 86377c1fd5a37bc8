#pragma once
/// A search for labels of least cut under one target, from many starts and from parts of what they found.

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

/// Brings labels in [0, k) to the demands by moves of least cut, at first along rising prices of shortfall where they
/// are `led`, and lowers the cut, under one price of changes after another. `centres` as in `Rounding`.
[[nodiscard]] Rounding improved_labels(const RoundingInput& input, const CutProblem& problem, const Random& random,
                                       std::vector<ClusterId> labels, std::span<const float> centres, bool led,
                                       std::initializer_list<double> prices = {0});

/// Anneals labels under a price of changes, and improves what comes of it. Where it ends early they stay as they are.
[[nodiscard]] Rounding annealed_labels(const RoundingInput& input, const CutProblem& problem, const Random& random,
                                       const Rounding& labelled, double price);

class TargetSearch {
public:
    /// `targets` are for the attributes of the options of `problem`. What is found is the same whenever
    /// `random` is.
    /// A search whose work is to end leaves out the starts that have not begun, and goes on from none of those it has.
    TargetSearch(const LabelProblem& problem, const ClusterTargets& targets, const Random& random);
    TargetSearch(const TargetSearch&) = delete;
    TargetSearch& operator=(const TargetSearch&) = delete;

    /// Brings labels to the target by moves and exchanges alone, the cheapest first, and lowers the cut.
    [[nodiscard]] Rounding improved(std::vector<ClusterId> labels, std::span<const float> centres) const;

    /// Labels led to the target from clusters of k-means: by their cut, and by prices in the embedding.
    struct Led {
        std::vector<Rounding> found;
        bool stuck = false;  ///< whether the first way alone missed it
    };
    [[nodiscard]] Led led(const KMeans& start) const;
    /// Leads them there as safairkm does, which finds the way to targets that leave clusters hardly a choice, and takes
    /// some hundred times as long as an assignment by prices. Needs a target.
    [[nodiscard]] Rounding led_far(std::span<const float> centres) const;
    /// Leads the clusters of all starts to the target, and far where most are stuck. When the search is stopped, one or
    /// more of them.
    [[nodiscard]] std::vector<Rounding> led_from(std::span<const KMeans> starts) const;

    /// Leads labellings to the target that are made whatever the groups, `Ungrouped`: the best of k-means from so
    /// many starts, at most `most` and two, and the parts of a graph in k parts or more. None where there is no
    /// `Ungrouped`, or when the search is stopped.
    [[nodiscard]] std::vector<Rounding> led_ungrouped(int start_count, std::size_t most) const;

    /// Makes labels of the parts that k-means divides the rows into, the embedding's whatever the groups where there is
    /// one: anneals them from those of each start, and leads what comes of it to the target. Few points that belong
    /// together go over at once, so that clusters of far lower cut are found than by moves of points from k-means. None
    /// where parts are not searched, or when the search is stopped.
    [[nodiscard]] std::vector<Rounding> annealed_in_parts(std::span<const KMeans> starts) const;

    /// Puts labels together from parts of several, as long as that lowers the cut: see `PartSearch`. Two at a time,
    /// side by side, each pair with finer divisions of its own, one of them whatever the groups, and then what all
    /// pairs have come to, each time annealed. Returns the best of what is put together and what was given, which is
    /// one or more.
    [[nodiscard]] Rounding crossed(std::vector<Rounding> found) const;
    /// Goes on from labels as long as that lowers the cut: anneals them in parts, finer from one to the next, and
    /// crosses what comes of it with them. Returns the best.
    [[nodiscard]] Rounding evolved(Rounding best) const;

private:
    [[nodiscard]] bool stopped() const { return points_.input().stopped(); }
    [[nodiscard]] bool has_ungrouped() const {
        return points_.input().ungrouped != nullptr && !points_.input().ungrouped->rows.empty();
    }
    /// Returns connected parts as clusters: whole parts change them, which costs no cut, until they bring the target no
    /// nearer.
    [[nodiscard]] std::vector<ClusterId> parts_for_target(const Ungrouped& of) const;
    [[nodiscard]] std::vector<std::vector<ClusterId>> ungrouped_labels(int start_count, std::size_t most) const;
    [[nodiscard]] bool searches_parts() const;
    void keep_held(std::span<const ClusterId> before, std::vector<ClusterId>& labels) const;
    /// Rows of values that divisions are made of by k-means.
    struct Rows {
        const float* values;
        std::size_t width;
    };
    [[nodiscard]] Rows own_rows() const;
    /// Returns rows made whatever the groups, drawn from those that there are; otherwise the own ones.
    [[nodiscard]] Rows ungrouped_rows(Random& random) const;
    [[nodiscard]] std::vector<ClusterId> division(const Rows& rows, std::size_t count, Random& random) const;
    /// Returns what k-means of a sample divides all rows into.
    [[nodiscard]] std::vector<ClusterId> sampled_division(std::size_t count, Random& random) const;
    [[nodiscard]] std::vector<ClusterId> finer_division(const Rows& rows, Random& random) const;
    [[nodiscard]] Rounding changed_in_parts(const Rounding& labelled, std::size_t count, Random& random) const;
    [[nodiscard]] Rounding annealed(Rounding labelled) const;
    [[nodiscard]] Rounding crossed_once(std::vector<Rounding> found, std::uint64_t number) const;

    const LabelProblem& points_;
    CutProblem problem_;
    Random random_;
    ClusterTargets targets_;
    std::optional<FairLabels> fair_;  // where there are demands
};

}  // namespace fairstream
