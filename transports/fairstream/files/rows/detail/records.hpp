#pragma once
/// The rows of a file, whatever its format.

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

/// What a step through a file came to.
enum class Found : std::uint8_t { row, bad_row, end };

/// Gives one row after another. Every function throws `InvalidInput` (malformed) for content that leaves unknown where
/// the next row starts.
class Records {
public:
    Records() = default;
    virtual ~Records() = default;
    Records(const Records&) = delete;
    Records& operator=(const Records&) = delete;

    /// Returns the names of the columns, as the file has them.
    [[nodiscard]] virtual const std::vector<std::string>& header() const noexcept = 0;
    /// Puts the cells of the next row into `cells`, one for each column, valid until the next call. Of a bad row it
    /// puts what is wrong with it into `why`, and the call after it goes on with the next row.
    [[nodiscard]] virtual Found next(std::vector<std::string_view>& cells, std::string& why) = 0;
    /// Says whether rows may have columns that are not in the header.
    [[nodiscard]] virtual bool may_have_more_columns() const { return false; }
    /// Makes columns of all that rows have, however late: `whole` is the file from its start. Before rows are read.
    /// `progress`, when given, is called now and then with the share of the file read.
    virtual void find_all_columns(ByteWindow /*whole*/, const std::function<void(double)>& /*progress*/) {}
    /// Provides columns of these names, whether rows have them or not, where rows name what they have.
    virtual void provide(std::span<const std::string> /*names*/) {}
    /// Returns the names that were provided and that no row has had so far.
    [[nodiscard]] virtual std::vector<std::string> unmet_columns() const { return {}; }
    /// Returns the line on which the row of the last call starts.
    [[nodiscard]] virtual std::uint64_t line() const noexcept = 0;
    [[nodiscard]] virtual const ByteWindow& window() const noexcept = 0;
    /// Waits until the next row is there or begins to come, but no longer than `most`; returns false where it does not.
    [[nodiscard]] virtual bool wait(std::chrono::milliseconds most) const = 0;
};

}  // namespace fairstream::files::detail
