#pragma once
/// Figures of predictions by group in reports.

#include <string>

#include <nlohmann/json_fwd.hpp>

#include <fairstream/fairness/group_metrics.hpp>

namespace fairstream::command {

/// Returns the figures of all points as `all`, and those of every attribute and intersection as a list `comparisons`. A
/// figure that is not there is null.
[[nodiscard]] nlohmann::ordered_json group_metrics_json(const GroupMetrics& metrics);

/// Returns a table of the groups' rates with their 95 % intervals, one of differences and ratios, and lines about
/// groups that are left out and points whose outcome is not known. `most_groups`: rows of an attribute at most.
[[nodiscard]] std::string group_tables(const GroupMetrics& metrics, std::size_t most_groups = 64);

/// Returns the attribute, or those that are intersected: "sex x age".
[[nodiscard]] std::string attributes_text(const AttributeMetrics& metrics);

/// Returns the largest difference over all attributes and intersections of one comparison; none where none is measured.
[[nodiscard]] const GroupComparison* largest_of(const GroupMetrics& metrics,
                                                GroupComparison AttributeMetrics::*comparison);
/// Says whether every attribute and intersection is measured by a comparison, and none lacks a rate, so that the
/// largest difference is that of all.
[[nodiscard]] bool is_complete(const GroupMetrics& metrics, const NamedComparison& of);
/// Returns the worst of the statuses of a bound.
[[nodiscard]] BoundStatus worst_of(const GroupMetrics& metrics, BoundStatus AttributeMetrics::*status);

/// Returns "bound of parity: within; of odds: left by sex and 2 others", or as much of it as there are bounds.
[[nodiscard]] std::string bounds_text(const GroupMetrics& groups);

}  // namespace fairstream::command
