#pragma once
/// The rows of a file, independent of its format.

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <fairstream/files/rows/detail/byte_window.hpp>

namespace fairstream::files::detail {

/// Result of a step through a file.
enum class RowResult : std::uint8_t { row, bad_row, end };

/// Returns one row after another. Every function throws `InvalidInput` (malformed) for content that leaves the start of
/// the next row unknown.
class Records {
public:
    Records() = default;
    virtual ~Records() = default;
    Records(const Records&) = delete;
    Records& operator=(const Records&) = delete;

    /// Returns the names of the columns as written in the file.
    [[nodiscard]] virtual const std::vector<std::string>& header() const noexcept = 0;
    /// Puts the cells of the next row into `cells`, one for each column, valid until the next call. For a bad row, puts
    /// its fault into `why`; the next call goes on with the row after it.
    [[nodiscard]] virtual RowResult next(std::vector<std::string_view>& cells, std::string& why) = 0;
    /// Returns whether rows may have columns that are not in the header.
    [[nodiscard]] virtual bool may_have_more_columns() const { return false; }
    /// Adds columns for all keys in the file, however late; `whole` is the file from its start. Call it before rows are
    /// read. `progress`, if given, is called now and then with the share of the file read.
    virtual void find_all_columns(ByteWindow /*whole*/, const std::function<void(double)>& /*progress*/) {}
    /// Adds columns with the given names, even if no row has them. Does nothing unless rows name their cells.
    virtual void provide(std::span<const std::string> /*names*/) {}
    /// Returns the provided names that no row has had so far.
    [[nodiscard]] virtual std::vector<std::string> absent_columns() const { return {}; }
    /// Returns the line on which the row of the last call starts.
    [[nodiscard]] virtual std::uint64_t line() const noexcept = 0;
    [[nodiscard]] virtual const ByteWindow& window() const noexcept = 0;
    /// Waits until the next row arrives or begins to arrive, but no longer than `most`; returns false otherwise.
    [[nodiscard]] virtual bool wait(std::chrono::milliseconds most) const = 0;
};

}  // namespace fairstream::files::detail
