#pragma once
/// The split of a table's rows into parts: training, validation and test.

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include <fairstream/files/points/table.hpp>

namespace fairstream::files {

/// Shares of the training part, of the validation part if there are three, and of the test part.
using Fractions = std::vector<double>;

/// Parses "0.6,0.2,0.2" or "0.9,0.1". Throws `InvalidInput` (bad_option) unless there are two or three numbers in (0,
/// 1) whose sum is 1 within 1e-9.
[[nodiscard]] Fractions read_fractions(std::string_view text);

/// Assigns every row to a part at random. The rows are put in random order; part p begins at n times the sum of the
/// fractions before p, rounded. The same seed and n give the same parts on every platform. Throws `InvalidInput`
/// (bad_option) if a part would be empty.
void draw_parts(const Fractions& fractions, std::uint64_t seed, Table& table);

/// Returns the rows of a part, in the table's order, as a table without parts. If the table has no parts, all rows are
/// for training.
[[nodiscard]] Table rows_of(const Table& table, Part part);

}  // namespace fairstream::files
