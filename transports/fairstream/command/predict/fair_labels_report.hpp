#pragma once
/// Figures of fair labels of a file's points, and the targets that they miss.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include <fairstream/command/predict/asked_engine.hpp>
#include <fairstream/fairness/tally.hpp>
#include <fairstream/models/safairkm/safairkm.hpp>
#include <fairstream/models/safairkm/target_notes.hpp>

namespace fairstream::command {

/// Counts labels by the groups of the attributes that a model balances. Figures and targets are about the clusters that
/// have a point.
class FairLabelsReport {
public:
    /// `of_window` are the masses of the retained points, by which groups count (`safairkm::targets_among`).
    FairLabelsReport(const AskedModel& model, const StreamFormat& format, std::span<const int> attributes,
                     std::size_t clusters, safairkm::GroupMasses of_window);

    /// Adds points, n x those attributes, that have these labels, and the nearest clusters.
    void add(std::span<const ClusterId> labels, std::span<const GroupId> groups, std::span<const ClusterId> nearest);
    /// Returns the targets on groups that the points miss, a line each.
    [[nodiscard]] std::vector<std::string> missed_targets() const;
    /// Returns the attributes with a target that is about none of the points, since too few of them have its groups.
    [[nodiscard]] std::vector<std::string> without_target() const;
    /// Says whether no point has a known group, so that the labels keep no target.
    [[nodiscard]] bool are_all_unknown() const;
    /// Adds `not_nearest`, `attributes`, `missed_targets` and `left_out_groups`.
    void add_to(nlohmann::ordered_json& json) const;
    /// Returns a line on the points that are not in the nearest cluster, and one for each attribute, ended by line
    /// feeds.
    [[nodiscard]] std::string summary() const;
    /// Says whether the model has targets of sizes, which fair labels leave to it.
    [[nodiscard]] bool leaves_sizes() const { return options_.size_at_least > 0 || options_.size_at_most > 0; }
    /// Returns balance and parity without the groups that targets leave out; empty where they leave out none.
    [[nodiscard]] std::vector<Figure> without_rare_figures() const;
    /// Returns the groups that the targets of these points leave out.
    [[nodiscard]] std::vector<safairkm::LeftOutGroup> left_out() const;

private:
    /// Returns the targets on all groups that count or, where some are missed, on the common ones, and on those others
    /// with which none is.
    [[nodiscard]] safairkm::Options targets() const;
    [[nodiscard]] std::vector<safairkm::TargetNote> missed_of(const safairkm::Options& targets) const;

    StreamFormat format_;  // its attributes alone
    safairkm::Options options_;
    safairkm::GroupMasses of_window_;
    FairnessTally tally_;
    std::uint64_t points_ = 0, not_nearest_ = 0;
};

}  // namespace fairstream::command
