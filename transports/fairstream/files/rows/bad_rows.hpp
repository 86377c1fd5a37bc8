#pragma once
/// Rows of a file that cannot be used: they are wrong by themselves, or a cell of theirs is.

#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include <fairstream/files/rows/reader.hpp>

namespace fairstream::files {

/// How many rows there are, and how many of them cannot be used.
struct RowCounts {
    std::uint64_t bad = 0, all = 0;
};

/// What becomes of rows that cannot be used.
struct BadRowPolicy {
    std::uint64_t at_most = 0;  ///< so many are left out
    /// CSV file of them that is written, or "-" for standard output: line, reason, and their cells; empty: none.
    std::filesystem::path file = {};
};

/// Counts such rows, and keeps what is wrong with the first few.
class BadRows {
public:
    /// Writes the heading of the policy's file, if it has one. Throws `std::system_error` where that fails.
    BadRows(const BadRowPolicy& policy, const Reader& reader);

    /// Takes note of the reader's current row, which cannot be used because of `error`. Throws `error` itself where no
    /// row may be bad, and for one row more than may be bad one of its fault about the first few.
    /// Throws `std::system_error` where the row cannot be written.
    void add(const Reader& reader, const BadRow& error);

    /// Makes later calls of `add` count rows, and nothing else.
    void count_all();
    [[nodiscard]] std::uint64_t count() const noexcept { return count_; }
    /// Returns what is wrong with the first few of them.
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
