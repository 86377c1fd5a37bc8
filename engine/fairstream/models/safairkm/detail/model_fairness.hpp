#pragma once
/// The fairness of a front of safairkm, and the options that demand a given fairness.

#include <fairstream/models/front_fairness.hpp>
#include <fairstream/models/safairkm/detail/own_targets.hpp>

namespace fairstream::safairkm {

class ModelFairness : public FrontFairness {
public:
    ModelFairness(const Options& model, FrontMeasure measure, const GroupMasses& masses)
        : FrontFairness(targets_of(model), measure, masses), model_(model) {}

    /// Returns the model's options with a target of `fairness` instead of a number of swaps.
    [[nodiscard]] Options at_least(double fairness) const {
        const ClusterTargets targets = FrontFairness::at_least(fairness);
        Options options = with_targets(model_, static_cast<const Targets&>(targets));  // without the number of clusters
        options.swaps = 0;
        return options;
    }
    /// Returns the model's options without a target.
    [[nodiscard]] Options without_target() const { return with_targets(model_, without_targets(model_.targets)); }

private:
    Options model_;
};

}  // namespace fairstream::safairkm
