#pragma once
/// The resolution that a column of numbers keeps as float32, the type of a point's features.

#include <cmath>
#include <cstdint>
#include <limits>

namespace fairstream::csv {

/// Looks at the values of neighbouring rows: how many differ, and how many of these are equal as float32.
class Resolution {
public:
    void add(double value) noexcept {
        constexpr double limit = std::numeric_limits<float>::max();
        if (!(std::abs(value) <= limit)) return;  // missing, or refused elsewhere
        if (rows_++ > 0 && value != last_) {
            ++differ_;
            equal_ += static_cast<float>(value) == static_cast<float>(last_);
        }
        last_ = value;
    }

    /// The share of neighbours that differ and are equal as float32.
    [[nodiscard]] double lost() const noexcept {
        return differ_ == 0 ? 0 : static_cast<double>(equal_) / static_cast<double>(differ_);
    }
    /// Says whether so much is lost that it is worth a word. In random order a share of 1/20 means that neighbouring
    /// float32 lie about a sixth of the standard deviation apart; rows that are sorted lose as much at a lower spread.
    [[nodiscard]] bool is_coarse() const noexcept {
        constexpr std::uint64_t least_pairs = 10;
        return differ_ >= least_pairs && lost() > 0.05;
    }
    [[nodiscard]] double last() const noexcept { return last_; }

private:
    std::uint64_t rows_ = 0, differ_ = 0, equal_ = 0;
    double last_ = 0;
};

}  // namespace fairstream::csv
