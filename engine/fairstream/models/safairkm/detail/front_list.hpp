#pragma once
/// The list of Algorithm 3.

#include <vector>

#include <fairstream/fair_kmeans/detail/clustering.hpp>
#include <fairstream/models/detail/front_search.hpp>
#include <fairstream/models/safairkm/detail/model.hpp>
#include <fairstream/models/safairkm/detail/model_fairness.hpp>
#include <fairstream/models/safairkm/front.hpp>

namespace fairstream::safairkm {

/// A labelling with the sums that a clustering needs to continue from it, so that f1 and f2 need no pass over the
/// points.
struct Labelling {
    CompactLabels labels;
    std::vector<double> sums, squares;  // k x d, k
    std::vector<float> centres;         // k x d
    FairnessTally tally;
    TradeOff point;
};

/// Scratch of one task; carries nothing between tasks.
struct FrontScratch {
    State state;
    Workspace workspace;
};

[[nodiscard]] TradeOff trade_off(const ModelFairness& fairness, const State& state);
[[nodiscard]] Labelling labelling_of(const ModelFairness& fairness, const State& state);
/// Sets `state` to the state of the labelling, without an index.
void restore(const Options& options, const Window& window, const Labelling& from, State& state);

/// Adds starts [first, first + count) of L_0 to the list: k-means clusterings with the stages of their paths, or the
/// paper's starts. `done` gets 1 per stage. If the work is ended, paths end where they are, and starts that have not
/// begun are left out, except for the very first.
void add_starts(const FrontOptions& options, const ModelFairness& fairness, const Window& window, std::size_t first,
                std::size_t count, WorkDone& done, std::vector<Labelling>& list);

/// Adds paths through basins that are cheaper than the list at some balances; see basins.hpp.
void add_basins(const FrontOptions& options, const ModelFairness& fairness, const Window& window, WorkDone& done,
                std::vector<Labelling>& list);
/// Adds labellings near the best fairness, made from the list by moves and exchanges as at the end of a fit.
void add_finished(const ModelFairness& fairness, const Window& window, WorkDone& done, std::vector<Labelling>& list);

}  // namespace fairstream::safairkm
