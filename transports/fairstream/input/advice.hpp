#pragma once
/// Options that make refused input readable. Each is tried on the file before an error suggests it, and can be pasted
/// into the command.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <fairstream/files/columns/profile.hpp>
#include <fairstream/input/stream_columns.hpp>

namespace fairstream::files {

/// An option for columns, or for the whole file if it names none.
struct Advice {
    std::string option;
    std::vector<std::string> columns = {};
    std::string treatment = {};  ///< value; empty: the option lists only columns

    /// Returns "--missing age,hours=mean".
    [[nodiscard]] std::string text() const;
    void add_to(InputOptions& options) const;
};

/// Collects the columns that cannot be read, so that one error names all of them with the options that read them.
class ColumnProblems {
public:
    [[nodiscard]] bool empty() const noexcept { return kinds_.empty(); }
    /// Adds a column with its problem, such as "is text", and its contents.
    void add(const std::string& column, const std::string& kind, const std::string& what = {});
    /// Adds a column to an advised option that reads it.
    void advise(const std::string& option, const std::string& column, const std::string& treatment = {});
    /// Returns whether a column is advised to be no feature.
    [[nodiscard]] bool advises_leaving_out(const std::string& column) const;
    /// Counts cells whose rows have to be left out.
    void leave_out_cells(std::uint64_t cells) { cells_ += cells; }

    /// Returns "column 'work' is text (9 values); columns 'age', 'hours' lack values (...)".
    [[nodiscard]] std::string text() const;
    [[nodiscard]] std::vector<Advice> advice() const;
    [[nodiscard]] std::uint64_t cells_to_leave_out() const noexcept { return cells_; }

private:
    struct Kind {
        std::string singular;
        std::vector<std::string> columns;
    };
    std::vector<Kind> kinds_;
    std::vector<Advice> advice_;
    std::uint64_t cells_ = 0;
};

/// Returns " (3 of 800 rows cannot be used): add --bad-rows 3"; without advice if all rows are bad.
[[nodiscard]] std::string bad_rows_text_of(const RowCounts& rows);

/// Returns the number of rows in a file read with these columns, and how many cannot be used; nothing if unknown.
[[nodiscard]] std::optional<RowCounts> count_rows(const InputFile& file, const FileColumns& columns,
                                                  std::vector<std::string>* first_bad = nullptr);

/// Throws the error of an unusable row with the options that help. These are tried on the file, unless it can be read
/// only once.
[[noreturn]] void refuse_row(const BadRow& error, const InputOptions& options, const InputFile* file,
                             const ColumnsOfOptions& columns, const std::string& other_remedy = {});

/// Returns ": add --skip-lines 3" if the rows have another width than the header, and skipping lines resolves that;
/// otherwise empty. The file must be readable again.
[[nodiscard]] std::string advice_on_header(const InputFile& file, const Shape& shape, const InputOptions& options);

/// Throws one error for all columns that options name but the file lacks. If the file has no header and the names are
/// in its first row, the error gives their numbers.
void require_columns(const Reader& reader, const InputOptions& options);

}  // namespace fairstream::files
