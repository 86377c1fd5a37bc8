#pragma once
/// The fairness f2 of a labelling for a front, and the targets that demand a given f2.

#include <cstddef>
#include <span>
#include <vector>

#include <fairstream/fairness/tally.hpp>
#include <fairstream/models/front.hpp>
#include <fairstream/targets/demands.hpp>
#include <fairstream/targets/target_notes.hpp>

namespace fairstream {

/// Throws `InvalidInput` (bad_option) if there is no protected attribute.
void check_has_groups(const StreamFormat& format);
/// Throw `InvalidInput` (bad_option) for a value out of range.
void check_range(const char* name, double value, double low, double high);
void check_front_limits(int stages, int rounds, int point_limit, double gap);

/// Throws `InvalidInput` (not_ready) if there are fewer `points` than clusters, or if a balanced attribute has only one
/// group or a group that counts but has no points.
void check_front_points(const ClusterTargets& targets, std::span<const Attribute> attributes, const GroupMasses& masses,
                        std::size_t points);

/// Returns the groups of balanced attributes that are too rare to count.
[[nodiscard]] std::vector<LeftOutGroup> left_out_groups(const ClusterTargets& targets, FrontMeasure measure,
                                                        const GroupMasses& masses);

class FrontFairness {
public:
    FrontFairness(const ClusterTargets& targets, FrontMeasure measure, const GroupMasses& masses);

    /// Returns f2 of all points in one cluster, an upper bound for any clustering.
    [[nodiscard]] double most() const { return most_; }
    /// Returns f2 as `FrontMeasure` defines it.
    [[nodiscard]] double of(const FairnessTally& tally) const;
    /// Returns the balance or parity itself, of each attribute.
    [[nodiscard]] std::vector<double> by_attribute(const FairnessTally& tally) const;
    /// Returns targets that demand this fairness, instead of the given targets.
    [[nodiscard]] ClusterTargets at_least(double fairness) const;
    /// Returns demands of the highest possible fairness of every attribute.
    [[nodiscard]] const Demands& all() const { return all_; }
    /// Returns whether swaps of Algorithm 2, which raise the balance of all groups, raise f2.
    [[nodiscard]] bool is_raised_by_swaps() const { return by_swaps_; }

private:
    ClusterTargets targets_;
    FrontMeasure measure_;
    Demands all_;
    std::vector<double> unit_;  // by demand: the ratio that counts as 1
    double most_ = 1;
    bool by_swaps_;
};

}  // namespace fairstream
