#pragma once
/// Rows of a file that cannot be used: malformed rows, and rows with a cell that cannot be used.

#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include <fairstream/files/rows/reader.hpp>

namespace fairstream::files {

/// The number of rows, and how many of them cannot be used.
struct RowCounts {
    std::uint64_t bad = 0, all = 0;
};

/// Treatment of rows that cannot be used.
struct BadRowPolicy {
    std::uint64_t at_most = 0;  ///< largest number to leave out
    /// CSV file to write these rows to, or "-" for standard output: line, reason and cells; empty: none.
    std::filesystem::path file = {};
};

/// Counts unusable rows, and keeps the errors of the first few.
class BadRows {
public:
    /// Writes the heading of the policy's file, if it has one. Throws `std::system_error` where that fails.
    BadRows(const BadRowPolicy& policy, const Reader& reader);

    /// Counts the reader's current row, which cannot be used because of `error`. Throws `error` if no row may be bad;
    /// when more rows are bad than allowed, throws an error that quotes the first few errors and has the fault of
    /// `error`. Throws `std::system_error` if the row cannot be written.
    void add(const Reader& reader, const BadRow& error);

    /// Makes later calls of `add` only count rows.
    void count_all();
    [[nodiscard]] std::uint64_t count() const noexcept { return count_; }
    /// Returns the errors of the first few rows.
    [[nodiscard]] const std::vector<std::string>& first() const noexcept { return first_; }

private:
    struct Close {
        void operator()(std::FILE* file) const { std::fclose(file); }
    };
    void write(const std::vector<std::string>& cells);

    BadRowPolicy policy_;
    std::unique_ptr<std::FILE, Close> file_;
    std::uint64_t count_ = 0;
    std::vector<std::string> first_;
};

}  // namespace fairstream::files
