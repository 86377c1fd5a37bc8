#pragma once
/// Possible mistakes in a file of points, noticed while it was read.

#include <cstdint>
#include <string>
#include <vector>

#include <fairstream/files/columns/unlisted.hpp>

namespace fairstream::files {

/// A feature whose different values become equal as float32.
struct CoarseColumn {
    std::string column;
    double lost = 0;   ///< share of the pairs of different values in consecutive rows that become equal as float32
    double value = 0;  ///< one of its values
};

/// Rows left out because a cell is missing.
struct RowsWithout {
    std::string column;      ///< first missing cell of the row
    std::uint64_t rows = 0;  ///< at least 1
};

/// Missing cells of a feature whose values may be missing.
struct MissingCells {
    std::string column;
    std::uint64_t cells = 0;  ///< at least 1
};

struct Remarks {
    std::string shape = {};       ///< shape of the file, as detected
    bool has_usual_shape = true;  ///< `Shape::is_usual`
    bool has_header = true;
    std::vector<std::string> ignored_columns = {};  ///< columns of the file that are ignored
    std::vector<std::string> absent_columns = {};   ///< columns in use that no line of JSON had
    std::vector<UnlistedCells> unlisted = {};       ///< only columns with unlisted cells
    std::vector<CoarseColumn> coarse = {};          ///< in units of the file, before scaling
    std::vector<MissingCells> missing = {};
    std::vector<RowsWithout> left_out = {};
    std::uint64_t repeated_ids = 0;           ///< rows with the id of an earlier row, in a table
    std::uint64_t bad_rows = 0;               ///< rows that could not be used
    std::vector<std::string> first_bad = {};  ///< faults of the first few bad rows
    std::uint64_t span_of_batch = 0;          ///< `SpanOfTime::longest` of points read together
};

}  // namespace fairstream::files
