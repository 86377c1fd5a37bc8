#pragma once
/// The groups that points are of, among those that their file has: of rows that are left out, replaced or not selected
/// there may be groups that no point has, which would make every balance 0.

#include <string>
#include <vector>

#include <fairstream/files/input/input.hpp>
#include <fairstream/files/points/table.hpp>

namespace fairstream::files {

/// Leaves the known groups that no point has out of `table` and `stream`, whose attributes are the same; numbers the
/// others anew. An attribute of which fewer than two would stay is left as it is (`require_two_groups`). Returns notes,
/// one for each attribute that has such groups.
[[nodiscard]] std::vector<std::string> leave_out_groups_without_points(Table& table, InputStream& stream);

/// Leaves out the points that are gone from a window of the last `window` points at the end and are of a group of which
/// none is retained then; the groups too, as above. The retained points are the same with them and without.
[[nodiscard]] std::vector<std::string> leave_out_groups_that_leave(std::size_t window, Table& table,
                                                                   InputStream& stream);

/// Throws `InvalidInput` (not_ready) unless the points of a table, "training points" in its text, are of two known
/// groups of each attribute or more.
void require_two_groups(const Table& table, const std::string& points);

/// Returns notes on the groups of `listed` that are not in `used`, the same attributes, and are saved all the same.
[[nodiscard]] std::vector<std::string> notes_on_groups_kept(const std::vector<Attribute>& listed,
                                                            const std::vector<Attribute>& used);

}  // namespace fairstream::files
