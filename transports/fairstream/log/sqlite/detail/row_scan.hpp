#pragma once
/// The rows on a file's pages, found without SQLite.
///
/// SQLite reads a table from its root page down; damage on the way hides rows that are intact. Each row has a checksum
/// of its own that covers its table's name, so a row with the right checksum can be trusted wherever it is found.

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include <fairstream/log/sqlite/detail/files.hpp>
#include <fairstream/log/sqlite/detail/rows.hpp>

namespace fairstream::log::sqlite {

enum class Table : std::uint8_t { meta, state, producers, events };
inline constexpr std::size_t scanned_tables = 4;

/// Locates the columns of a row. Column 0, the row's number, is not among these bytes.
struct RowHead {
    static constexpr std::size_t most_columns = 7;

    Table table{};
    std::uint64_t number = 0;
    std::uint64_t payload = 0;                            ///< bytes of the columns and of what precedes them
    std::size_t payload_at = 0;                           ///< position in the row
    std::array<std::uint64_t, most_columns + 1> at = {};  ///< positions of the columns in the payload, and their end
    std::array<std::uint64_t, most_columns> types = {};
};

/// A row in the form of its table. Its checksum is not checked.
class FoundRow {
public:
    FoundRow(const RowHead& head, std::vector<std::byte> payload) : head_(head), payload_(std::move(payload)) {}

    /// Returns the value of a column, in the order of the table's definition.
    [[nodiscard]] std::uint64_t number(std::size_t column) const;
    [[nodiscard]] Bytes blob(std::size_t column) const;
    [[nodiscard]] std::string_view text(std::size_t column) const;

private:
    RowHead head_;
    std::vector<std::byte> payload_;
};

/// For one thread.
class RowScan {
public:
    /// The beginning of a row on a version of a page.
    struct Place {
        std::uint64_t number = 0;   ///< number of the row
        std::uint64_t page_at = 0;  ///< position of the page in the file or log
        std::uint32_t offset = 0;   ///< position of the row in the page
        bool in_log = false;
    };

    /// Reads every page of the file and every frame of its log. Throws `std::system_error` for a failed read.
    explicit RowScan(const std::filesystem::path& path);

    /// Returns the places of a table's rows by number; of each row the newest version first.
    [[nodiscard]] std::span<const Place> places(Table table) const { return places_[static_cast<std::size_t>(table)]; }
    /// Returns nothing if a part of the row is missing. Throws `std::system_error`.
    [[nodiscard]] std::optional<FoundRow> read(const Place& place);

private:
    void find_rows(std::uint64_t page_at, bool in_log);
    [[nodiscard]] bool read_page(std::uint64_t at, bool in_log, std::vector<std::byte>& page) const;
    [[nodiscard]] bool add_overflow(std::uint32_t page, std::uint64_t size, std::vector<std::byte>& payload) const;

    std::unique_ptr<OpenFile> file_, log_;
    std::uint64_t bytes_ = 0;                        // of file and log; no row is longer
    std::map<std::uint32_t, std::uint64_t> newest_;  // position in the log of the newest version of each page
    std::array<std::vector<Place>, scanned_tables> places_;
    std::vector<std::byte> page_;  // the page that was read last
    std::uint64_t page_at_ = 0;
    bool page_in_log_ = false;
};

}  // namespace fairstream::log::sqlite
