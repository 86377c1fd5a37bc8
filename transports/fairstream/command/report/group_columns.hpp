#pragma once
/// The columns of tables by group.

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace fairstream::command {

/// The groups that have a column of their own in a table: all of them, or where there are very many the largest, with a
/// last column for the others together.
class GroupColumns {
public:
    /// `totals`: points of each group, or their weight.
    explicit GroupColumns(std::span<const double> totals);

    [[nodiscard]] const std::vector<std::size_t>& shown() const noexcept { return shown_; }
    /// Returns the heading of the last column; empty where all groups have one.
    [[nodiscard]] std::string heading_of_others() const;
    /// Returns what the last column has of the values by group.
    template <class T> [[nodiscard]] T others(std::span<const T> values) const {
        T sum{};
        for (const T& value : values) sum += value;
        for (const std::size_t group : shown_) sum -= values[group];
        return sum;
    }

private:
    std::size_t groups_;
    std::vector<std::size_t> shown_;  // rising
};

}  // namespace fairstream::command
