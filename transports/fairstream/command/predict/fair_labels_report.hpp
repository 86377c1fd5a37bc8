#pragma once
/// Fairness figures of the labels of a file's points, and the targets missed.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include <fairstream/command/predict/asked_engine.hpp>
#include <fairstream/fairness/tally.hpp>
#include <fairstream/models/safairkm/safairkm.hpp>
#include <fairstream/targets/target_notes.hpp>

namespace fairstream::command {

/// Counts labels by the groups of the attributes that a model balances. Figures describe the labelled points, over the
/// clusters that contain a labelled point. Targets are judged on these points when there are enough of them
/// (`can_meet_among`), otherwise on these points together with the retained points.
class FairLabelsReport {
public:
    /// Borrows `format`, the stream's format.
    FairLabelsReport(const AskedModel& model, const StreamFormat& format, std::span<const int> attributes,
                     std::size_t clusters, AskedEngine::Retained retained);

    /// Adds n points: their labels, their groups (n x a, for the a balanced attributes) and their nearest clusters.
    void add(std::span<const ClusterId> labels, std::span<const GroupId> groups, std::span<const ClusterId> nearest);
    /// Returns the missed targets on groups.
    [[nodiscard]] std::vector<TargetNote> missed_targets() const;
    /// Returns whether there are enough points to meet the targets among themselves (`can_meet_among`).
    [[nodiscard]] bool has_enough_points() const;
    /// Returns whether the missed targets are known. They are unknown when the points are too few and the retained
    /// points are not known.
    [[nodiscard]] bool knows_missed_targets() const { return has_enough_points() || with_retained_; }
    /// Returns whether no point has a known group, so that the labels keep no target.
    [[nodiscard]] bool has_no_known_group() const;
    /// Adds `not_nearest`, `attributes`, `missed_targets` and `left_out_groups`.
    void add_to(nlohmann::ordered_json& json) const;
    /// Returns a line on the points that are not in their nearest cluster, and a line for each attribute. Each line
    /// ends in a line feed.
    [[nodiscard]] std::string summary() const;
    /// Returns whether the labels ignore targets on sizes: the model has such targets, and there are enough points. The
    /// model keeps these targets; points that are labelled together do not.
    [[nodiscard]] bool ignores_size_targets() const {
        return has_enough_points() && (options_.size_at_least > 0 || options_.size_at_most > 0);
    }
    /// Returns balance and parity without the groups that the targets leave out; empty when none is left out.
    [[nodiscard]] std::vector<Figure> without_rare_figures() const;
    /// Returns the groups that the targets of these points leave out.
    [[nodiscard]] std::vector<LeftOutGroup> left_out() const;

private:
    /// Returns the targets on all groups that count, if they are met. Otherwise returns the targets on the groups that
    /// are common (`GroupsAmong::common`), and on each further group with which no target is missed.
    [[nodiscard]] ClusterTargets targets() const;
    [[nodiscard]] std::string summary_with_retained() const;
    [[nodiscard]] std::vector<TargetNote> missed_targets(const ClusterTargets& targets) const;

    const StreamFormat& stream_format_;
    StreamFormat format_;  // only the balanced attributes
    std::vector<int> attributes_;
    ClusterTargets options_;
    GroupMasses window_masses_;
    double weight_unit_;
    FairnessTally tally_, nearest_;
    std::optional<FairnessTally> with_retained_;  // the labelled and the retained points
    std::uint64_t points_ = 0, not_nearest_ = 0;
};

}  // namespace fairstream::command
