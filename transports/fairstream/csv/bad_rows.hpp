#pragma once
/// Rows of a file that cannot be used: they are wrong by themselves, or a cell of theirs is.

#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include <fairstream/csv/reader.hpp>

namespace fairstream::csv {

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

    /// Takes note of the reader's current row, which cannot be used because of `error`. Throws `InvalidInput` (of its
    /// reason): `error` itself where no row may be bad, with `remedy` after it, and for one row more than may be bad a
    /// text about the first few. Throws `std::system_error` where the row cannot be written.
    void add(const Reader& reader, const InvalidInput& error, const std::string& remedy);

    /// Makes later calls of `add` count rows, and nothing else.
    void count_all();
    /// Returns " (3 of 800 rows cannot be used)"; nothing where none is bad. `all`: the rows that there are.
    [[nodiscard]] std::string text_among(std::uint64_t all) const;
    [[nodiscard]] std::uint64_t count() const noexcept { return count_; }
    [[nodiscard]] const std::vector<std::string>& first() const noexcept {
        return first_;
    }  ///< what is wrong with them

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

}  // namespace fairstream::csv
