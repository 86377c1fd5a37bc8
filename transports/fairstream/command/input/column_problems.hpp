#pragma once
/// Columns of a file that cannot be read as they are, and the options that read them.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <fairstream/csv/profile.hpp>

namespace fairstream::command {

/// Returns the number of different values of a column in words: "9 values".
[[nodiscard]] std::string values_text(const csv::ColumnProfile& column);

/// Returns the number of cells that are no numbers, or no dates, in a column that has few of them, fewer than others
/// where all are one text, or, of numbers, only infinite ones; otherwise 0.
[[nodiscard]] std::uint64_t odd_cells(const csv::ColumnProfile& column);

/// Says whether a column that is not read as numbers is probably one of them: but for odd cells, or for how they are
/// written.
[[nodiscard]] bool holds_odd_numbers(const csv::ColumnProfile& column);
/// Returns the number of cells that are no numbers in a column of numbers that have marks or signs, if it is small as
/// above; otherwise 0.
[[nodiscard]] std::uint64_t odd_beside_written(const csv::ColumnProfile& column);
/// Says whether a column that is not read as dates is one of them but for odd cells.
[[nodiscard]] bool holds_odd_dates(const csv::ColumnProfile& column);
/// Says whether all cells of a column are dates, but in no one order of day and month.
[[nodiscard]] bool holds_dates_in_two_orders(const csv::ColumnProfile& column);
/// Says whether a column is one of numbers or dates in this way.
[[nodiscard]] bool holds_odd_values(const csv::ColumnProfile& column);

/// Says whether the dates of a column are times of day alone.
[[nodiscard]] bool is_time_of_day(const csv::ColumnProfile& column);

/// Says whether these cells are one text, more than once, which probably means a missing value.
[[nodiscard]] bool are_one_text(const csv::ColumnProfile& column);

/// Collects such columns, so that one error names all of them.
class ColumnProblems {
public:
    /// Add a column of text, of dates, with missing values, with arrays or objects, and without any value. `may_miss`:
    /// whether its values may be missing.
    void add_text(const csv::ColumnProfile& column, bool may_miss = true);
    void add_dates(const csv::ColumnProfile& column, bool is_ambiguous);
    /// Adds a column of dates in two orders; `order` is the one to read it in, if but a few cells are in the other.
    void add_disordered(const csv::ColumnProfile& column, std::optional<DateOrder> order);
    void add_missing(const csv::ColumnProfile& column, bool is_number);
    void add_nested(const csv::ColumnProfile& column);
    void add_empty(const csv::ColumnProfile& column);
    /// Takes the number of rows that cannot be used whatever the columns are.
    void set_bad_rows(std::uint64_t rows) { bad_rows_ = rows; }
    /// Notes the decimal mark of a column that is read.
    void add_numbers(const csv::ColumnProfile& column);

    /// Throws `InvalidInput` (bad_feature) naming the columns of `file` and the options that read them; does nothing
    /// where no column was added. `has_id`: whether a column of ids is named.
    void require_none(const std::string& file, bool has_id) const;

private:
    /// The columns of one kind: as their error describes them, and their names.
    struct Kind {
        std::vector<std::string> described = {}, names = {};
        void add(const csv::ColumnProfile& column, const std::string& what);
    };

    void add_written(const csv::ColumnProfile& column, std::uint64_t odd, bool may_miss);
    void add_stand_in(const csv::ColumnProfile& column, const std::string& text);
    [[nodiscard]] std::string options_text(bool has_id) const;
    [[nodiscard]] std::string advice(bool has_id, const std::string& file) const;
    [[nodiscard]] bool has_mixed_marks() const;
    [[nodiscard]] std::string decimal_mark_text() const;

    Kind texts_, odd_, marked_, signed_, misread_, dates_, times_, disordered_, gaps_, nested_, empty_;
    std::vector<std::string> like_dates_;                // of `texts_`, that may be dates as they are not read
    std::vector<std::string> ids_, split_, hashed_;      // of `texts_`, by what reads them
    std::vector<std::string> number_gaps_, other_gaps_;  // of `gaps_`, or with a text for missing values
    std::vector<std::string> single_gaps_;               // of `gaps_`, with one value
    std::vector<std::string> stand_ins_;                 // of `odd_`: "age=unknown"
    std::vector<std::string> ordered_, unordered_;       // of `disordered_`: with an order to read them in, and without
    std::vector<std::string> codes_;                     // of `odd_`, those whose values may be codes
    std::vector<std::string> mostly_nested_;             // of `nested_`
    std::uint64_t bad_rows_ = 0, odd_cells_ = 0;
    std::uint64_t repeated_headers_ = 0;  // rows, of the column that has most
    bool is_ambiguous_ = false;
    std::uint64_t only_with_point_ = 0, only_with_comma_ = 0;  // numbers, by the decimal mark they can have
    std::string first_ambiguous_;                              // one that is another number by either mark
};

}  // namespace fairstream::command
