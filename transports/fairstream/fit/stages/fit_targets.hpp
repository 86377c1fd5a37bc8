#pragma once
/// Messages of `fairstream fit` about targets: before the fit the targets that cannot be met, after it the targets that
/// were missed.

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include <fairstream/files/points/table.hpp>
#include <fairstream/fit/request/fit_options.hpp>
#include <fairstream/models/model_options.hpp>
#include <fairstream/targets/target_notes.hpp>
#include <fairstream/text/listener.hpp>

namespace fairstream::fit {

/// Exit code of a fit that was stopped early; its result so far is written.
inline constexpr int stopped_early = 1;
/// Exit code of a fit whose result misses a target, or whose figures left their bound.
inline constexpr int target_missed = 3;
/// Exit code of a fit that misses no target, but left a rare group out of a target, or could not measure part of a
/// bounded figure.
inline constexpr int met_in_part = 4;

/// Returns the model's targets on clusters; nothing for a model without targets.
[[nodiscard]] std::optional<ClusterTargets> targets_of(const ModelOptions& model);

/// Throws `InvalidInput` for points without the groups that the model needs, and for attributes with a single group.
void require_groups_for(const ModelOptions& model, const std::vector<Attribute>& attributes);

/// Returns the numbers of points, by attribute and group, that a sliding window of `capacity` points retains at the end
/// of the table.
[[nodiscard]] GroupTotals retained_totals(const files::Table& table, std::size_t capacity);

/// Reports the targets that these numbers of points cannot meet, and the groups left out of targets. Returns the
/// unattainable targets. For a table, counts the points that a sliding window of `capacity` retains.
std::vector<TargetNote> warn_of_targets(const ClusterTargets& options, const StreamFormat& format,
                                        const GroupTotals& totals, std::int64_t points, Listener& listener);
std::vector<TargetNote> warn_of_targets(const ClusterTargets& options, const files::Table& table, std::size_t capacity,
                                        Listener& listener);

/// Notes the groups that are too small for fair shares in lord.
void note_groups_without_shares(const ModelOptions& model, const StreamFormat& format, const FairnessTally& tally,
                                Listener& listener);
/// Notes clusters without a point.
void note_empty_clusters(const FairnessTally& tally, Listener& listener);
/// Warns if the probabilities of clusters are nearly equal, since labels do not show that.
void warn_of_nearly_equal_memberships(const ModelOptions& model, std::span<const Figure> figures, Listener& listener);

/// Returns the row "targets": whether all targets are met, and `figures::default_target_text`. Empty if there are no
/// targets.
[[nodiscard]] std::vector<std::string> targets_row(const ModelOptions& model, const StreamFormat& format,
                                                   const FairnessTally& tally);

/// Notes a default target that more than doubles the cost. `figures` are the model's figures.
void note_price_of_fairness(const ModelOptions& model, const StreamFormat& format, const std::vector<Figure>& figures,
                            Listener& listener);

/// Assessment of a result.
struct Judgement {
    int code = 0;                          ///< the exit code: 0, `met_in_part`, or `target_missed`
    std::vector<std::string> missed = {};  ///< what is missed and was not reported before, a line each
};
/// Judges clusters by their targets. `Judgement::missed` leaves out the targets in `warned`, which were reported
/// before.
[[nodiscard]] Judgement judge_targets(const ClusterTargets& options, const StreamFormat& format,
                                      const FairnessTally& tally, const std::vector<TargetNote>& warned);

/// Returns the exit code for met targets: `met_in_part` if the targets left out a group with points.
[[nodiscard]] int exit_code_of_met_targets(const std::vector<LeftOutGroup>& left_out);

/// Adds balance and parity without rare groups to the figures of a model without targets on groups. A model with
/// targets reports these figures itself.
void add_figures_without_targets(const ModelOptions& model, const FairnessTally& tally, std::vector<Figure>& figures);

/// Adds `missed_targets` (a line each), `default_target` (null without one) and `left_out_groups`.
void add_targets(const ModelOptions& model, const StreamFormat& format, const FairnessTally& tally,
                 nlohmann::ordered_json& json);

}  // namespace fairstream::fit
