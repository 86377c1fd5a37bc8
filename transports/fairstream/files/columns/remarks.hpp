#pragma once
/// What a file of points holds that may be a mistake, noticed while it was read.

#include <cstdint>
#include <string>
#include <vector>

#include <fairstream/files/columns/unlisted.hpp>

namespace fairstream::files {

/// A feature of which float32 does not keep values apart that differ.
struct CoarseColumn {
    std::string column;
    double lost = 0;   ///< share of neighbouring values that differ and are equal as float32
    double value = 0;  ///< one of its values
};

/// Rows that were left out because a cell of theirs is missing.
struct RowsWithout {
    std::string column;      ///< the first of the row's missing cells
    std::uint64_t rows = 0;  ///< at least 1
};

/// Cells of a feature whose values are missing, and may be.
struct MissingCells {
    std::string column;
    std::uint64_t cells = 0;  ///< at least 1
};

struct Remarks {
    std::string shape = {};       ///< of the file, as it was judged
    bool has_usual_shape = true;  ///< `Shape::is_usual`
    bool has_header = true;
    std::vector<std::string> passed_over = {};  ///< columns of the file that are read for nothing
    std::vector<std::string> unmet = {};        ///< columns in use that no line of JSON had
    std::vector<UnlistedCells> unlisted = {};   ///< of columns that have such cells
    std::vector<CoarseColumn> coarse = {};      ///< as the file has them, before any scaling
    std::vector<MissingCells> missing = {};
    std::vector<RowsWithout> left_out = {};
    std::uint64_t repeated_ids = 0;           ///< rows whose id an earlier one has, of a table
    std::uint64_t bad_rows = 0;               ///< that could not be used
    std::vector<std::string> first_bad = {};  ///< what is wrong with the first few of them
    std::uint64_t span_of_batch = 0;          ///< `SpanOfTime::longest` of points read together
};

}  // namespace fairstream::files
