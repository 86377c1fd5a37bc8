#pragma once
/// Cells of a column that often stand for a missing value: -99, -999, ... as long as other numbers below 0 are far from
/// them, and dates of the year 9999.

#include <algorithm>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>

namespace fairstream::csv {

class StandIns {
public:
    /// Looks at a number, without blanks around it.
    void add_number(std::string_view cell, double value) {
        if (!(value < 0)) return;
        if (is_all_nines(cell)) {
            add(cell);
            nearest_ = std::max(nearest_, value);
        } else {
            least_other_ = std::min(least_other_, value);
        }
    }
    /// Looks at a date.
    void add_date(std::string_view cell) {
        if (cell.starts_with("9999") || cell.ends_with("9999")) add(cell);
    }

    /// Returns how many such cells there are; 0 where they may be values among others.
    [[nodiscard]] std::uint64_t count() const noexcept {
        constexpr double least_ratio = 3;
        return least_other_ == 0 || nearest_ < least_ratio * least_other_ ? count_ : 0;
    }
    [[nodiscard]] const std::string& first() const noexcept { return first_; }

private:
    static bool is_all_nines(std::string_view cell) {
        const std::string_view digits = cell.substr(1, cell.find('.') - 1);
        return cell.front() == '-' && digits.size() >= 2 && digits.find_first_not_of('9') == std::string_view::npos &&
               cell.find_first_not_of(".0", 1 + digits.size()) == std::string_view::npos;
    }
    void add(std::string_view cell) {
        if (count_++ == 0) first_ = cell;
    }

    std::uint64_t count_ = 0;
    std::string first_;
    double nearest_ = -std::numeric_limits<double>::infinity();  // of the numbers of nines below 0
    double least_other_ = 0;                                     // number below 0; 0: there is none
};

}  // namespace fairstream::csv
