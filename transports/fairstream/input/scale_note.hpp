#pragma once
/// Notes on columns of such different scale that one of them determines the distances.

#include <string>
#include <vector>

#include <fairstream/input/input.hpp>

namespace fairstream::files {

/// Returns a note if points are not scaled and one of at least three columns has over nine tenths of the variance of
/// all columns, or over a thousand times the variance of another column.
[[nodiscard]] std::vector<std::string> notes_on_scales(const InputOptions& options, const Table& table);

}  // namespace fairstream::files
