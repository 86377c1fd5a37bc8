#pragma once
/// Removal of groups that no point has. Rows that are left out, replaced or not selected may leave such groups, which
/// would make every balance 0.

#include <string>
#include <vector>

#include <fairstream/files/points/table.hpp>
#include <fairstream/input/input.hpp>

namespace fairstream::files {

/// Removes the known groups without points from `table` and `stream`, whose attributes are the same, and renumbers the
/// others. An attribute that would keep fewer than two groups stays unchanged (`require_two_groups`). Returns a note
/// for each attribute with removed groups.
[[nodiscard]] std::vector<std::string> leave_out_groups_without_points(Table& table, InputStream& stream);

/// Removes the known groups that have no point among the last `window` points, together with their points; otherwise as
/// `leave_out_groups_without_points`. The retained points stay the same.
[[nodiscard]] std::vector<std::string> leave_out_groups_that_leave(std::size_t window, Table& table,
                                                                   InputStream& stream);

/// Throws `InvalidInput` (not_ready) unless the points of a table belong to at least two known groups of each
/// attribute. The error calls them `points`, such as "training points".
void require_two_groups(const Table& table, const std::string& points);

/// Returns notes on the groups of `listed` that are not in `used`, which has the same attributes. Such groups are saved
/// nevertheless.
[[nodiscard]] std::vector<std::string> notes_on_groups_kept(const std::vector<Attribute>& listed,
                                                            const std::vector<Attribute>& used);

}  // namespace fairstream::files
