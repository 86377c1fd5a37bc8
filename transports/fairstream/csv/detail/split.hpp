#pragma once
/// A table's rows in parts: what a model learns from, and what it is judged by.

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include <fairstream/csv/table.hpp>

namespace fairstream::csv {

/// Shares of the training part, the validation part where there are three, and the test part.
using Fractions = std::vector<double>;

/// "0.6,0.2,0.2" or "0.9,0.1". Throws `InvalidInput` (bad_option) unless there are two or three numbers in (0, 1) whose
/// sum is 1 within 1e-9.
[[nodiscard]] Fractions read_fractions(std::string_view text);

/// Puts every row into a part, drawn without replacement: part p has the rows whose place in a random order is from
/// n times the fractions before it, rounded, on. The same seed and n give the same parts on every platform. Throws
/// `InvalidInput` (bad_option) when a part would be empty.
void draw_parts(const Fractions& fractions, std::uint64_t seed, Table& table);

/// The rows of a part, in the table's order and itself without parts; all for training where the table has none.
[[nodiscard]] Table rows_of(const Table& table, Part part);

}  // namespace fairstream::csv
