#pragma once
/// Notes on columns of different scale, whose distances are those of one of them, and on columns in which one value is
/// far from all others.

#include <string>
#include <vector>

#include <fairstream/command/input/input.hpp>

namespace fairstream::command {

/// Returns a note on each column of numbers that has nearly all of its variance from one value of at least twenty; and
/// one where points are read as they are, and one of three columns or more has over nine tenths of their variance, or
/// over a thousand times that of another.
[[nodiscard]] std::vector<std::string> notes_on_scales(const InputOptions& options, const csv::Table& table);

}  // namespace fairstream::command
