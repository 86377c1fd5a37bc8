#pragma once
/// A row that cannot be used, as an error that tells why.

#include <cstdint>
#include <string>
#include <utility>

#include <fairstream/base/types.hpp>

namespace fairstream::files {

/// The fault of a row, from which suitable options can be found.
enum class Fault : std::uint8_t {
    form,       ///< malformed row, or a cell that no option can read
    text,       ///< text in place of a number
    missing,    ///< missing value of a feature
    group,      ///< cell that is no group
    order,      ///< date in another order of day and month
    unit,       ///< time that is probably in another unit
    magnitude,  ///< feature that is too large
    future,     ///< time that is ahead of the clock
    outcome,    ///< text that is no outcome
};

class BadRow : public InvalidInput {
public:
    BadRow(Reason reason, const std::string& what, Fault fault = Fault::form, std::string column = {},
           std::string cell = {})
        : InvalidInput(reason, what), fault_(fault), column_(std::move(column)), cell_(std::move(cell)) {}

    [[nodiscard]] Fault fault() const noexcept { return fault_; }
    [[nodiscard]] const std::string& column() const noexcept { return column_; }  ///< empty: the whole row is at fault
    [[nodiscard]] const std::string& cell() const noexcept { return cell_; }      ///< without blanks around it

private:
    Fault fault_;
    std::string column_, cell_;
};

}  // namespace fairstream::files
