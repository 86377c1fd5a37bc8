#pragma once
/// What `fairstream fit` says of the targets of a clustering: before the work those that cannot be met, afterwards
/// those that were missed.

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include <fairstream/command/fit/fit.hpp>
#include <fairstream/csv/table.hpp>
#include <fairstream/models/safairkm/target_notes.hpp>

namespace fairstream::command {

/// The exit code of a fit whose result misses a target.
inline constexpr int target_missed = 3;

/// What a model asks of the clusters that it shows; nothing of a model without targets.
[[nodiscard]] std::optional<safairkm::Options> targets_of(const ModelOptions& model);

/// Points by attribute and group that a sliding window of `capacity` points holds when the table has gone through.
[[nodiscard]] safairkm::GroupTotals retained_totals(const csv::Table& table, std::size_t capacity);

/// Says on stderr which targets cannot be met and which groups are left out of them; returns the first.
std::vector<safairkm::TargetNote> warn_of_targets(const safairkm::Options& options, const csv::Table& table,
                                                  std::size_t capacity);

/// Names the target that nobody asked for and the setting that removes it; empty where that is not so.
[[nodiscard]] std::string default_target_text(const safairkm::Options& options, const StreamFormat& format);
/// "targets", whether all are met, and `default_target_text`; empty where there are none.
[[nodiscard]] std::vector<std::string> targets_row(const ModelOptions& model, const StreamFormat& format,
                                                   const FairnessTally& tally);

/// 0, or `target_missed` after saying on stderr what is missed and has not been said in `warned`.
[[nodiscard]] int judge_targets(const safairkm::Options& options, const StreamFormat& format,
                                const FairnessTally& tally, const std::vector<safairkm::TargetNote>& warned);

/// A line that names groups too rare to count, at least one.
[[nodiscard]] std::string left_out_text(const safairkm::Options& options, const StreamFormat& format,
                                        const std::vector<safairkm::LeftOutGroup>& groups);
[[nodiscard]] nlohmann::ordered_json left_out_json(const StreamFormat& format,
                                                   const std::vector<safairkm::LeftOutGroup>& groups);

/// Adds `missed_targets`, a line each, `default_target`, null where there is none, and `left_out_groups`.
void add_targets(const ModelOptions& model, const StreamFormat& format, const FairnessTally& tally,
                 nlohmann::ordered_json& json);

}  // namespace fairstream::command
