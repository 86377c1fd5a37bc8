#pragma once
/// Cells of a column that often stand for a missing value: -99, -999, ... and 999, 9999, ... as long as other numbers
/// of the same sign are far from them, and dates of the year 9999.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>

namespace fairstream::csv {

class StandIns {
public:
    /// Says whether `add_number` has to look at a number.
    [[nodiscard]] bool is_of_interest(double value) const noexcept { return value < 0 || value > above_.largest_other; }
    /// Looks at a number, without blanks around it.
    void add_number(std::string_view cell, double value) {
        if (value < 0) below_.add(cell, cell.substr(1), -value);
        if (value > 0) above_.add(cell, cell, value);
    }
    /// Looks at a date.
    void add_date(std::string_view cell) {
        if (cell.starts_with("9999") || cell.ends_with("9999")) dates_.count_one(cell);
    }

    /// Returns how many such cells there are; 0 where they may be values among others.
    [[nodiscard]] std::uint64_t count() const noexcept {
        return (are_below() ? below_.count : 0) + (are_above() ? above_.count : 0) + dates_.count;
    }
    /// Returns the first of these cells, the numbers below 0 before others.
    [[nodiscard]] const std::string& first() const noexcept {
        return are_below() ? below_.first : are_above() ? above_.first : dates_.first;
    }

private:
    struct Cells {
        std::size_t least_digits = 0;  // of a number of nines
        std::uint64_t count = 0;
        std::string first = {};
        double smallest = std::numeric_limits<double>::infinity();  // magnitude of a number of nines
        double largest_other = 0;

        void add(std::string_view cell, std::string_view magnitude, double value) {
            if (value > largest_other && is_all_nines(magnitude)) {
                count_one(cell);
                smallest = std::min(smallest, value);
            } else {
                largest_other = std::max(largest_other, value);
            }
        }
        void count_one(std::string_view cell) {
            if (count++ == 0) first = cell;
        }

    private:
        [[nodiscard]] bool is_all_nines(std::string_view magnitude) const {
            const std::string_view digits = magnitude.substr(0, magnitude.find_first_of(".,"));
            return digits.size() >= least_digits && digits.find_first_not_of('9') == std::string_view::npos &&
                   magnitude.find_first_not_of(".,0", digits.size()) == std::string_view::npos;
        }
    };
    [[nodiscard]] bool are_below() const noexcept {
        constexpr double least_ratio = 3;
        return below_.count > 0 && below_.smallest >= least_ratio * below_.largest_other;
    }
    // More is asked for than of numbers below 0, which few columns have: 99 may be an age, and 999 a price.
    [[nodiscard]] bool are_above() const noexcept {
        constexpr double least_ratio = 5;
        return above_.count > 0 && above_.largest_other > 0 && above_.smallest >= least_ratio * above_.largest_other;
    }

    Cells below_{.least_digits = 2}, above_{.least_digits = 3}, dates_;
};

}  // namespace fairstream::csv
