#pragma once
/// Texts and JSON about targets: the default one, the missed ones, and the groups that they leave out.

#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>
#include <vector>

#include <fairstream/data/point_batch.hpp>
#include <fairstream/targets/target_notes.hpp>
#include <fairstream/targets/targets.hpp>

namespace fairstream::figures {

/// Returns the name of a default target, and the setting that removes it; empty if there is none.
[[nodiscard]] std::string default_target_text(const ClusterTargets& options, const StreamFormat& format);
/// Returns "'x' of 'sex' (3 points), ..." for groups that do not count.
[[nodiscard]] std::string groups_text(const std::vector<LeftOutGroup>& groups, const StreamFormat& format);
/// Returns a line that names the groups too rare to count, and the setting with which they count; `groups` must not be
/// empty. `of` names what leaves them out.
[[nodiscard]] std::string left_out_text(const ClusterTargets& options, const StreamFormat& format,
                                        const std::vector<LeftOutGroup>& groups, const std::string& of = "the target");

/// Returns the lines of `missed_targets`.
[[nodiscard]] nlohmann::ordered_json missed_json(std::span<const TargetNote> missed);
/// Returns [{"attribute": "sex", "group": "x", "points": 3}, ...], for `left_out_groups`.
[[nodiscard]] nlohmann::ordered_json left_out_json(const StreamFormat& format, const std::vector<LeftOutGroup>& groups);

}  // namespace fairstream::figures
