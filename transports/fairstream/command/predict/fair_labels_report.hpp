#pragma once
/// Figures of fair labels of a file's points, and the targets that they miss.

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

/// Counts labels by the groups of the attributes that a model balances. Figures are about these points, in the clusters
/// that have one. So are targets where there are enough points to keep them (`can_keep_among`); otherwise
/// targets are about these points and the retained ones together.
class FairLabelsReport {
public:
    /// Borrows `format`, which is the stream's.
    FairLabelsReport(const AskedModel& model, const StreamFormat& format, std::span<const int> attributes,
                     std::size_t clusters, AskedEngine::Retained retained);

    /// Adds points, n x those attributes, that have these labels, and the nearest clusters.
    void add(std::span<const ClusterId> labels, std::span<const GroupId> groups, std::span<const ClusterId> nearest);
    /// Returns the targets on groups that are missed, a line each.
    [[nodiscard]] std::vector<std::string> missed_targets() const;
    /// Says whether the points were enough to keep targets among themselves.
    [[nodiscard]] bool are_together() const;
    /// Says whether it is known which targets are missed: not of too few points where the retained ones are not known.
    [[nodiscard]] bool knows_targets() const { return are_together() || with_retained_; }
    /// Says whether no point has a known group, so that the labels keep no target.
    [[nodiscard]] bool are_all_unknown() const;
    /// Adds `not_nearest`, `attributes`, `missed_targets` and `left_out_groups`.
    void add_to(nlohmann::ordered_json& json) const;
    /// Returns a line on the points that are not in the nearest cluster, and one for each attribute, ended by line
    /// feeds.
    [[nodiscard]] std::string summary() const;
    /// Says whether the model has targets of sizes, which points that are labelled together leave to it.
    [[nodiscard]] bool leaves_sizes() const {
        return are_together() && (options_.size_at_least > 0 || options_.size_at_most > 0);
    }
    /// Returns balance and parity without the groups that targets leave out; empty where they leave out none.
    [[nodiscard]] std::vector<Figure> without_rare_figures() const;
    /// Returns the groups that the targets of these points leave out.
    [[nodiscard]] std::vector<LeftOutGroup> left_out() const;

private:
    /// Returns the targets on all groups that count or, where some are missed, on the common ones, and on those others
    /// with which none is.
    [[nodiscard]] ClusterTargets targets() const;
    [[nodiscard]] std::string summary_with_retained() const;
    [[nodiscard]] std::vector<TargetNote> missed_of(const ClusterTargets& targets) const;

    const StreamFormat& of_stream_;
    StreamFormat format_;  // those attributes alone
    std::vector<int> attributes_;
    ClusterTargets options_;
    GroupMasses of_window_;
    double weight_unit_;
    FairnessTally tally_, nearest_;
    std::optional<FairnessTally> with_retained_;  // these points and the retained ones
    std::uint64_t points_ = 0, not_nearest_ = 0;
};

}  // namespace fairstream::command
