#pragma once
/// Options that read what is refused as it is. Each is tried on the file before it is said, and can be pasted.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <fairstream/files/columns/profile.hpp>
#include <fairstream/files/input/stream_columns.hpp>

namespace fairstream::files {

/// An option that says something of columns, or of the whole file where it names none.
struct Advice {
    std::string option;
    std::vector<std::string> columns = {};
    std::string how = {};  ///< empty: the columns are all that it says

    /// Returns "--missing age,hours=mean".
    [[nodiscard]] std::string text() const;
    void add_to(InputOptions& options) const;
};

/// Columns that cannot be read as they are, so that one error names all of them and the options that read them.
class ColumnProblems {
public:
    [[nodiscard]] bool empty() const noexcept { return kinds_.empty(); }
    /// Adds a column of a kind, such as "is text", and what it holds.
    void add(const std::string& column, const std::string& kind, const std::string& what = {});
    /// Adds a column to what reads it.
    void advise(const std::string& option, const std::string& column, const std::string& how = {});
    /// Says whether a column is to be no feature.
    [[nodiscard]] bool sets_aside(const std::string& column) const;
    /// Notes cells for which rows have to be left out.
    void leave_out_cells(std::uint64_t cells) { cells_ += cells; }

    /// Returns "column 'work' is text (9 values); columns 'age', 'hours' lack values (...)".
    [[nodiscard]] std::string text() const;
    [[nodiscard]] std::vector<Advice> advice() const;
    [[nodiscard]] std::uint64_t cells_to_leave_out() const noexcept { return cells_; }

private:
    struct Kind {
        std::string of_one;
        std::vector<std::string> columns;
    };
    std::vector<Kind> kinds_;
    std::vector<Advice> advice_;
    std::uint64_t cells_ = 0;
};

/// Returns " (3 of 800 rows cannot be used): add --bad-rows 3"; no advice where all rows are bad.
[[nodiscard]] std::string bad_rows_text_of(const RowCounts& rows);

/// Returns how many rows of a file there are, read so, and how many cannot be used; nothing where that is not known.
[[nodiscard]] std::optional<RowCounts> count_rows(const InputFile& file, const FileColumns& columns,
                                                  std::vector<std::string>* first_bad = nullptr);

/// Throws the error of a row that cannot be used, with what helps: tried on the file, unless that comes once.
[[noreturn]] void refuse_row(const BadRow& error, const InputOptions& options, const InputFile* file,
                             const ColumnsBy& columns, const std::string& other_remedy = {});

/// Returns ": add --skip-lines 3" where the rows of a file that can be read again have another width than its header,
/// and without that line they have not; otherwise nothing.
[[nodiscard]] std::string advice_on_header(const InputFile& file, const Shape& shape, const InputOptions& options);

/// Throws where columns that options name are not there, for all of them; with their numbers where the file has no
/// header, and these names are in its first row.
void require_columns(const Reader& reader, const InputOptions& options);

}  // namespace fairstream::files
