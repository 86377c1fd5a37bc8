#pragma once
/// Numbers of a column that have a mark, "." or ",", which may separate decimals or thousands.

#include <cstdint>
#include <string>
#include <string_view>

#include <fairstream/csv/numbers.hpp>
#include <fairstream/data/point_batch.hpp>

namespace fairstream::csv {

class NumbersWithMark {
public:
    /// Begins with no numbers counted; `mark` is point or comma.
    explicit NumbersWithMark(DecimalMark mark) noexcept : mark_(mark) {}

    /// Counts a number if it has the mark.
    void add(std::string_view number) {
        const bool is_point = mark_ == DecimalMark::point;
        if (number.find(is_point ? '.' : ',') == std::string_view::npos) return;
        if (count_++ == 0) first_ = number;
        const bool has_other = number.find(is_point ? ',' : '.') != std::string_view::npos;
        like_thousands_ += !has_other && without_marks(number, other()).has_value();
    }

    [[nodiscard]] std::uint64_t count() const noexcept { return count_; }
    [[nodiscard]] const std::string& first() const noexcept { return first_; }
    [[nodiscard]] DecimalMark mark() const noexcept { return mark_; }
    /// Returns the decimal mark of numbers in which this mark separates thousands.
    [[nodiscard]] DecimalMark other() const noexcept {
        return mark_ == DecimalMark::point ? DecimalMark::comma : DecimalMark::point;
    }
    /// Says whether all of them are like "19.103" and "1.250.000".
    [[nodiscard]] bool may_separate_thousands() const noexcept { return like_thousands_ == count_; }
    /// Says whether they are so many, too, that it may be no accident.
    [[nodiscard]] bool probably_separate_thousands() const noexcept {
        constexpr std::uint64_t least = 3;
        return count_ >= least && may_separate_thousands();
    }

private:
    DecimalMark mark_;
    std::uint64_t count_ = 0, like_thousands_ = 0;
    std::string first_;
};

}  // namespace fairstream::csv
