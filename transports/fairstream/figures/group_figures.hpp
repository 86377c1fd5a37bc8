#pragma once
/// Figures of predictions by group in reports.

#include <string>

#include <fairstream/fairness/group_metrics.hpp>

namespace fairstream::figures {

/// Returns a table of the groups' rates with their 95 % intervals, one of differences and ratios, and lines about
/// groups that are left out and points whose outcome is not known. `most_groups`: rows of an attribute at most.
[[nodiscard]] std::string group_tables(const GroupMetrics& metrics, std::size_t most_groups = 64);

/// Returns "bound of parity: within; of odds: left by sex and 2 others", or as much of it as there are bounds.
[[nodiscard]] std::string bounds_text(const GroupMetrics& groups);

}  // namespace fairstream::figures
