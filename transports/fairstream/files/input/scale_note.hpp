#pragma once
/// Notes on columns of different scale, whose distances are those of one of them.

#include <string>
#include <vector>

#include <fairstream/files/input/input.hpp>

namespace fairstream::files {

/// Returns a note where points are read as they are, and one of three columns or more has over nine tenths of their
/// variance, or over a thousand times that of another.
[[nodiscard]] std::vector<std::string> notes_on_scales(const InputOptions& options, const Table& table);

}  // namespace fairstream::files
