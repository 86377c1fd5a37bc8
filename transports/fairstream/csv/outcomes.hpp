#pragma once
/// Outcomes in a file: whether what was predicted came true.

#include <cstddef>

#include <fairstream/csv/reader.hpp>

namespace fairstream::csv {

/// Returns the outcome in a cell of the current row: 1 for yes, 0 or -1 for no, as the cell has it; the words for yes
/// and no (`truth_value`) are 1 and 0. Throws `InvalidInput` (bad_feature) for other numbers and texts, with the
/// remedies.
[[nodiscard]] double read_outcome(const Reader& reader, std::size_t column, const Remedies& remedies);

}  // namespace fairstream::csv
