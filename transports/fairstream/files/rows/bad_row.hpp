#pragma once
/// A row that cannot be used, as an error that says what is wrong with it.

#include <cstdint>
#include <string>
#include <utility>

#include <fairstream/base/types.hpp>

namespace fairstream::files {

/// What is wrong with a row, for those who know the options that help.
enum class Fault : std::uint8_t {
    form,       ///< of the row, or of a cell that no option reads
    text,       ///< where a number is needed
    missing,    ///< a value of a feature
    group,      ///< a cell that is none of the groups
    order,      ///< a date in another order of day and month
    unit,       ///< a time that is taken for another one in its unit
    magnitude,  ///< of a feature, which is too large
    future,     ///< a time that is ahead of the clock
    outcome,    ///< a text that is no outcome
};

class BadRow : public InvalidInput {
public:
    BadRow(Reason reason, const std::string& what, Fault fault = Fault::form, std::string column = {},
           std::string cell = {})
        : InvalidInput(reason, what), fault_(fault), column_(std::move(column)), cell_(std::move(cell)) {}

    [[nodiscard]] Fault fault() const noexcept { return fault_; }
    [[nodiscard]] const std::string& column() const noexcept { return column_; }  ///< empty: it is about the whole row
    [[nodiscard]] const std::string& cell() const noexcept { return cell_; }      ///< without the blanks around it

private:
    Fault fault_;
    std::string column_, cell_;
};

}  // namespace fairstream::files
