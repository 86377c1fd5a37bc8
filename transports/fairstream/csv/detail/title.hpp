#pragma once
/// Lines of a title before the header of delimited text.

#include <string>

#include <fairstream/csv/input_file.hpp>

namespace fairstream::csv::detail {

/// Returns what leaves out the lines of a title, up to the first one with a separator: that is the header. A pipe that
/// comes once is taken to have one such line.
[[nodiscard]] std::string without_title(const InputFile& file);

}  // namespace fairstream::csv::detail
