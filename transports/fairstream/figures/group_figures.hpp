#pragma once
/// Figures of predictions by group.

#include <string>

#include <fairstream/fairness/group_metrics.hpp>

namespace fairstream::figures {

/// Returns a table of the groups' rates with 95 % intervals, a table of differences and ratios, and lines on groups
/// left out and points without a known outcome. An attribute has at most `most_groups` rows.
[[nodiscard]] std::string group_tables(const GroupMetrics& metrics, std::size_t most_groups = 64);

/// Returns "bound of parity: within; of odds: left by sex and 2 others", with a part for each bound that is set.
[[nodiscard]] std::string bounds_text(const GroupMetrics& groups);

}  // namespace fairstream::figures
