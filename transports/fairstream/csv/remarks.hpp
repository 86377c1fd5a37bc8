#pragma once
/// What a file of points holds that may be a mistake, noticed while it was read.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <fairstream/csv/unlisted.hpp>
#include <fairstream/data/point_batch.hpp>

namespace fairstream::csv {

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

/// A feature whose points or commas may separate thousands or decimals: all have three digits after them.
struct LikeThousands {
    std::string column;
    std::string value;                      ///< one of its cells
    DecimalMark mark = DecimalMark::point;  ///< point or comma
    bool are_thousands = false;  ///< whether they are read as marks of thousands, by the stream's decimal mark
};

/// Cells of a feature that are read as values, and often stand for missing ones (`StandIns`).
struct StandInCells {
    std::string column, first;
    std::uint64_t cells = 0;  ///< at least 1
};

/// A date with a year of two digits that is ahead of this machine's clock.
struct DateAhead {
    std::string column, cell;
};

/// A word such as Total in a row.
struct TotalCell {
    std::string column, text;
    std::uint64_t line = 0;  ///< of the file
};

struct Remarks {
    std::vector<std::string> passed_over = {};  ///< columns of the file that are read for nothing
    std::vector<std::string> unmet = {};        ///< columns in use that no line of JSON had
    std::vector<UnlistedCells> unlisted = {};   ///< of columns that have such cells
    std::vector<CoarseColumn> coarse = {};      ///< as the file has them, before any scaling
    std::vector<MissingCells> missing = {};
    std::vector<LikeThousands> like_thousands = {};
    std::vector<RowsWithout> left_out = {};
    std::uint64_t repeated_ids = 0;  ///< rows whose id an earlier one has, of a table
    std::vector<StandInCells> stand_ins = {};
    std::optional<TotalCell> last_total = {};   ///< of the last row that is a point
    std::uint64_t bad_rows = 0;                 ///< that could not be used
    std::vector<std::string> first_bad = {};    ///< what is wrong with the first few of them
    std::vector<DateAhead> dates_ahead = {};    ///< the first one of each column that has such
    std::vector<std::string> in_per_cent = {};  ///< features whose numbers have %, where the stream's do not say so
    std::uint64_t span_of_batch = 0;            ///< `SpanOfTime::longest` of points read together
};

}  // namespace fairstream::csv
