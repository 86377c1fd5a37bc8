#pragma once
/// Measures the fairness f2 of a labelling for a front, and says which targets ask for so much of it.

#include <cstddef>
#include <span>
#include <vector>

#include <fairstream/fairness/tally.hpp>
#include <fairstream/models/front.hpp>
#include <fairstream/targets/demands.hpp>
#include <fairstream/targets/target_notes.hpp>

namespace fairstream {

/// Throw `InvalidInput` (bad_option): where there is no protected attribute, and for a limit out of its range.
void check_has_groups(const StreamFormat& format);
void check_range(const char* name, double value, double low, double high);
void check_front_limits(int stages, int rounds, int point_limit, double gap);

/// Throws `InvalidInput` (not_ready) when `points` are fewer than clusters, or a balanced attribute has one group only
/// or a group without points that counts.
void check_front_points(const ClusterTargets& targets, std::span<const Attribute> attributes, const GroupMasses& masses,
                        std::size_t points);

/// Groups of balanced attributes that are too rare to count.
[[nodiscard]] std::vector<LeftOutGroup> left_out_groups(const ClusterTargets& targets, FrontMeasure measure,
                                                        const GroupMasses& masses);

class FrontFairness {
public:
    FrontFairness(const ClusterTargets& targets, FrontMeasure measure, const GroupMasses& masses);

    /// f2 of all points in one cluster: no clustering has more.
    [[nodiscard]] double most() const { return most_; }
    /// f2, as `FrontMeasure` says.
    [[nodiscard]] double of(const FairnessTally& tally) const;
    /// The balance or parity itself, of each attribute.
    [[nodiscard]] std::vector<double> by_attribute(const FairnessTally& tally) const;
    /// The targets that ask for so much, in place of those that were given.
    [[nodiscard]] ClusterTargets at_least(double fairness) const;
    /// Demands as much of every attribute as there can be.
    [[nodiscard]] const Demands& all() const { return all_; }
    /// Says whether Algorithm 2's swaps, which raise the balance of all groups, raise f2.
    [[nodiscard]] bool is_raised_by_swaps() const { return by_swaps_; }

private:
    ClusterTargets targets_;
    FrontMeasure measure_;
    Demands all_;
    std::vector<double> unit_;  // of each demand: the ratio that counts as 1
    double most_ = 1;
    bool by_swaps_;
};

}  // namespace fairstream
