#pragma once
/// Preparation of a described file's columns from its training rows, and what each column becomes.

#include <string>
#include <vector>

#include <fairstream/input/input.hpp>

namespace fairstream::files {

/// Sets the scales of the columns of numbers: to the weighted mean and deviation, or the range, over the training rows
/// of `table`, a table of this stream.
void set_scales(const Table& table, ScaleUnit unit, InputStream& stream);

/// Sets the fills that are a mean or the most frequent value from the training rows of `table`, by weight, so that all
/// rows are filled in alike. Keeps fills also for columns without missing values.
void set_fills(const Table& table, InputStream& stream);

/// Returns a line for each column that is not a plain number: its contents, and what it becomes. Empty if all are plain
/// numbers.
[[nodiscard]] std::vector<std::vector<std::string>> column_rows(const InputStream& stream);

}  // namespace fairstream::files
