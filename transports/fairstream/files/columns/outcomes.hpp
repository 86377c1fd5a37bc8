#pragma once
/// Outcomes in a file: whether a prediction came true.

#include <cstddef>
#include <string_view>

#include <fairstream/files/columns/unlisted.hpp>
#include <fairstream/files/rows/reader.hpp>

namespace fairstream::files {

/// Returns the outcome in a cell of the current row: 1, 0 or -1 as written; words for yes and no (`truth_value`) become
/// 1 and 0. Throws `BadRow` (bad_feature) for other numbers and texts.
[[nodiscard]] double read_outcome(const Reader& reader, std::size_t column);

/// Returns whether texts other than `positive`, which are read as no, may mean something else: there are several such
/// texts, or `positive` is a word for yes and the only other text is not a word for no.
[[nodiscard]] bool is_no_doubtful(const UnlistedCells& negative, std::string_view positive);

}  // namespace fairstream::files
