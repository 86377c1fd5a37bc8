#pragma once
/// The split of a table's rows into parts: training, validation and test.

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include <fairstream/files/points/table.hpp>

namespace fairstream::files {

/// Shares of the training part, the validation part where there are three, and the test part.
using Fractions = std::vector<double>;

/// Parses "0.6,0.2,0.2" or "0.9,0.1". Throws `InvalidInput` (bad_option) unless there are two or three numbers in (0,
/// 1) whose sum is 1 within 1e-9.
[[nodiscard]] Fractions read_fractions(std::string_view text);

/// Assigns every row to a part at random: of a random order of the rows, part p gets those from n times the sum of the
/// fractions before p, rounded, on. The same seed and n give the same parts on every platform. Throws
/// `InvalidInput` (bad_option) when a part would be empty.
void draw_parts(const Fractions& fractions, std::uint64_t seed, Table& table);

/// Returns the rows of a part, in the table's order, as a table without parts; all rows for training where the table
/// has none.
[[nodiscard]] Table rows_of(const Table& table, Part part);

}  // namespace fairstream::files
