#pragma once
/// Clusters of a window between steps.

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include <fairstream/data/window.hpp>
#include <fairstream/fair_assignment/detail/fair_assignment.hpp>
#include <fairstream/fair_kmeans/options.hpp>
#include <fairstream/fairness/tally.hpp>

namespace fairstream::safairkm {

/// State for a warm start of a step. Everything that affects later draws is here, even the order of the index arrays.
struct State {
    std::vector<double> sums;       ///< k x d, sums of the members' features
    std::vector<double> squares;    ///< k, sums of the members' squared norms
    std::vector<double> peaks;      ///< k, largest `squares` since sums were last computed afresh; bounds rounding
                                    ///< errors
    std::vector<float> centres;     ///< k x d: exact means, or results of the paper's one-sided steps
    std::vector<ClusterId> labels;  ///< by slot, [0, window.size()); `no_cluster` while warming
    std::vector<std::vector<Slot>>
        members;                 ///< k x J: the slots of each (cluster, group), in draw order; empty unless `indexed`.
                                 ///< With several attributes J is the number of combinations of their groups
    std::vector<Slot> position;  ///< by slot: index in its `members`; zeros unless `indexed`
    std::vector<std::uint8_t>
        moved;  ///< capacity x k under `Swap::nearest`, otherwise empty: 1 if the point is no candidate of the cluster
    FairnessTally tally;                       ///< all attributes
    std::array<std::uint64_t, 4> generator{};  ///< pcg64: state and stream, high and low words
    std::uint64_t steps = 0;  ///< steps and rounds since the start; decides the growth of candidate batches
    std::vector<std::vector<double>> prices;    ///< prices of the demands, at which an assignment meets them: for each
                                                ///< demand on groups k x groups, then k for sizes; empty: unknown
    std::vector<float> plain_centres;           ///< k x d, centres of a clustering without a target; empty: unknown
    std::vector<float> centres_before_placing;  ///< k x d, centres from before points were placed for the target at a
                                                ///< high cost; empty: none, or no longer useful
    double unspent = 0;                         ///< evaluations granted by arrivals and not spent
    std::uint64_t improvements = 0;             ///< number of improvements taken in so far; decides their draws
    double plain_cost = 0;           ///< f1 of the model without a target, when it was last computed; 0: unknown
    std::vector<double> heaviest;    ///< k, largest weight of each cluster since its sums were last computed afresh;
                                     ///< empty if weights are equal
    double unit = 0;                 ///< `Window::weight_unit` of the weights; 0 stands for a unit of 1
    double fair_cost = 0;            ///< f1 of the model's own clustering of the points of `plain_cost`
    std::uint32_t next_start = 0;    ///< next start of an open-ended refinement whose budget did not allow all
    double since_followed = 0;       ///< points since a step last ran rounds of Lloyd's algorithm
    double follow_wait = 0;          ///< points before a step runs rounds again
    std::uint32_t search_pause = 0;  ///< how often the wait for an improvement is doubled
    double watched_cost = 0;         ///< cost when it last changed by enough to end these waits
    bool stale = false;              ///< whether sums must be computed afresh, because the measure changed
    bool started = false;
    bool indexed = false;  ///< whether `members` is kept; only swaps and targets draw from it

    bool operator==(const State&) const = default;
    template <class Self, class Archive> static void fields(Self& self, Archive& archive) {
        archive(1, self.sums);
        archive(2, self.squares);
        archive(3, self.peaks);
        archive(4, self.centres);
        archive(5, self.labels);
        archive(6, self.members);
        archive(7, self.position);
        archive(8, self.tally);
        archive(9, self.generator);
        archive(10, self.steps);
        archive(11, self.started);
        archive(12, self.indexed);
        archive(13, self.moved);
        archive.later(14, self.plain_cost);
        archive.later(15, self.prices);
        archive.later(16, self.plain_centres);
        archive.later(17, self.unspent);
        archive.later(18, self.improvements);
        archive.later(19, self.heaviest);
        archive.later(20, self.unit);
        archive.later(21, self.stale);
        archive.later(22, self.fair_cost);
        archive.later(23, self.centres_before_placing);
        archive.later(24, self.next_start);
        archive.later(25, self.since_followed);
        archive.later(26, self.follow_wait);
        archive.later(27, self.search_pause);
        archive.later(28, self.watched_cost);
    }
    /// Returns the weight of a point of weight 1 that comes now.
    [[nodiscard]] double weight_unit() const noexcept { return unit == 0 ? 1 : unit; }
};

/// Result of background work on a snapshot of the window.
struct Improvement {
    std::vector<ClusterId> labels;            ///< by slot of the snapshot; empty: not better than present labels
    std::vector<float> centres;               ///< k x d, the means of those labels
    std::vector<std::vector<double>> prices;  ///< as in `State`, here and below
    std::vector<float> plain_centres;
    double plain_cost = 0;
    double fair_cost = 0;
    double spent = 0;          ///< evaluations
    std::uint64_t number = 0;  ///< counts improvements from 1; 0: none
    std::uint32_t pause = 0;   ///< see `State::search_pause`
    bool operator==(const Improvement&) const = default;
    template <class Self, class Archive> static void fields(Self& self, Archive& archive) {
        archive(1, self.labels);
        archive(2, self.centres);
        archive(3, self.prices);
        archive(4, self.plain_centres);
        archive(5, self.plain_cost);
        archive(6, self.spent);
        archive(7, self.number);
        archive.later(8, self.fair_cost);
        archive.later(9, self.pause);
    }
};

/// Scratch; carries nothing between calls.
struct Workspace {
    std::vector<float> packed;                    ///< centres as the kernels read them
    std::vector<float> frozen;                    ///< packed centres at the start of a mini-batch of the paper
    std::vector<float> distances;                 ///< distances of one point to all centres
    std::vector<float> direction;                 ///< d
    std::vector<ClusterId> labels;                ///< labels of a batch
    std::vector<ClusterId> carried;               ///< labels of a batch's points that moved to another slot
    std::array<std::vector<Slot>, 2> candidates;  ///< drawn in turn: one set is read while the next is prefetched
    std::size_t drawn = 0;                        ///< index of the set of candidates drawn last
    std::vector<Slot> unmoved;
    std::vector<ClusterId> targets;              ///< at most k
    std::vector<double> bounds;                  ///< by balanced attribute
    std::vector<Slot> best_slot;                 ///< k and padding
    std::vector<float> best_score;               ///< k and padding
    std::vector<Slot> journal;                   ///< slots written or relabelled in this step, each once
    std::vector<ClusterId> before;               ///< labels of the slots in `journal` before the step
    std::vector<Slot> mark;                      ///< by slot: its place in `journal`, if the entry there is this slot
    std::unique_ptr<FairAssignment> assignment;  ///< assignment of the steps that follow their window by rounds
};

/// Returns the state of clusters without points.
[[nodiscard]] State start_state(const Options& options, const Window& window);
/// Returns f1: the mean squared distance of the retained points to the exact mean of their cluster; 0 while warming.
[[nodiscard]] double objective(const State& state);

}  // namespace fairstream::safairkm
