#pragma once
/// Measures the fairness f2 of a labelling for a front, and says which demands ask for so much of it.

#include <vector>

#include <fairstream/models/safairkm/detail/targets.hpp>
#include <fairstream/models/safairkm/front.hpp>

namespace fairstream::safairkm {

class FrontFairness {
public:
    /// Counts the groups of the points in `window`.
    FrontFairness(const FrontOptions& options, const Window& window);

    /// f2, as `FrontMeasure` says.
    [[nodiscard]] double of(const FairnessTally& tally) const;
    /// The balance or parity itself, of each attribute.
    [[nodiscard]] std::vector<double> by_attribute(const FairnessTally& tally) const;
    /// The model's options with a target of `fairness` instead of a number of swaps.
    [[nodiscard]] Options at_least(double fairness) const;
    /// The model's options without a target.
    [[nodiscard]] Options without_target() const;
    /// Demands as much of every attribute as there can be.
    [[nodiscard]] const Demands& all() const { return all_; }
    /// Says whether Algorithm 2's swaps, which raise the balance of all groups, raise f2.
    [[nodiscard]] bool is_raised_by_swaps() const { return by_swaps_; }

private:
    Options model_;
    FrontMeasure measure_;
    Demands all_;
    std::vector<double> unit_;  // of each demand: the ratio that counts as 1
    bool by_swaps_;
};

}  // namespace fairstream::safairkm
