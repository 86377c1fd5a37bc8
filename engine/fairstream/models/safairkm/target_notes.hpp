#pragma once
/// Notes for people on the targets of safairkm: which no clustering of some points can meet, which were missed, and
/// which groups were left out of them.

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <fairstream/data/window.hpp>
#include <fairstream/fairness/tally.hpp>
#include <fairstream/models/safairkm/safairkm.hpp>

namespace fairstream::safairkm {

/// Points by attribute of the stream and group: `totals[a][j]`.
using GroupTotals = std::vector<std::vector<std::int64_t>>;
/// Count points by their groups, points x attributes row-major, those in a tally, or those retained.
[[nodiscard]] GroupTotals group_totals(std::span<const GroupId> table, std::span<const Attribute> attributes);
[[nodiscard]] GroupTotals group_totals(const FairnessTally& tally);
[[nodiscard]] GroupTotals group_totals(const Window& window);

/// A note on one target.
struct TargetNote {
    std::string_view option;  ///< that asks for it; lives as long as the program
    int attribute = -1;       ///< index in the stream's format; -1: the target is of sizes
    std::string text;         ///< one line that names the value asked for, and why or by what it is missed
};

/// Lists the targets that no clustering of these points meets, by their counts alone: with up to 512 points in the
/// smallest group a balance beyond what whole points allow is among them. None listed does not mean that all can be
/// met.
[[nodiscard]] std::vector<TargetNote> unattainable_targets(const Options& options, const StreamFormat& format,
                                                           const GroupTotals& totals, std::int64_t points);

/// Lists the targets that the clusters of `tally` miss.
[[nodiscard]] std::vector<TargetNote> missed_targets(const Options& options, const StreamFormat& format,
                                                     const FairnessTally& tally);

/// Says whether the options ask for a target of a stream with so many attributes; it then replaces the number of swaps.
[[nodiscard]] bool has_target(const Options& options, std::size_t attributes);

/// Returns the parity that is asked for by default, when nothing else is; empty: the options say what they ask for, or
/// the stream has no protected attribute.
[[nodiscard]] std::optional<double> default_parity(const Options& options, const StreamFormat& format);

/// Returns the first option that asks for something of groups, such as "balance_at_least"; empty: none does.
[[nodiscard]] std::string_view option_on_groups(const Options& options);

/// A group of a balanced attribute that is too rare to count for its target.
struct LeftOutGroup {
    int attribute = 0;  ///< index in the stream's format
    GroupId group = 0;
    std::int64_t points = 0;
};
[[nodiscard]] std::vector<LeftOutGroup> left_out_groups(const Options& options, const GroupTotals& totals);

}  // namespace fairstream::safairkm
