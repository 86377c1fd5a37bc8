#pragma once
/// Outcomes in a file: whether what was predicted came true.

#include <cstddef>
#include <string_view>

#include <fairstream/files/columns/unlisted.hpp>
#include <fairstream/files/rows/reader.hpp>

namespace fairstream::files {

/// Returns the outcome in a cell of the current row: 1 for yes, 0 or -1 for no, as the cell has it; the words for yes
/// and no (`truth_value`) are 1 and 0. Throws `BadRow` (bad_feature) for other numbers and texts.
[[nodiscard]] double read_outcome(const Reader& reader, std::size_t column);

/// Says whether texts that are taken for no, as they are not `positive`, may mean something else: there are several, or
/// `positive` is a word for yes and the one there is none for no.
[[nodiscard]] bool may_not_mean_no(const UnlistedCells& negative, std::string_view positive);

}  // namespace fairstream::files
