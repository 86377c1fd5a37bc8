#pragma once
/// Columns of a file whose numbers are far from those the model has seen, for example because of another unit.

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <fairstream/engine.hpp>

namespace fairstream::command {

class OutlyingColumns {
public:
    /// Computes the mean and the deviation of the retained points in each column of numbers, as prepared.
    explicit OutlyingColumns(const Engine& engine);

    /// Adds rows, n x d, in the form in which points are sent.
    void add(const Engine& engine, ConstRows rows);
    /// Returns a line for each column of numbers in which the rows differ from the retained points: the means are
    /// several standard deviations of the retained points apart, or the spreads differ by an order of magnitude.
    /// Returns none when the rows are few.
    [[nodiscard]] std::vector<std::string> warnings() const;

private:
    struct Column {
        std::string name;
        std::size_t index = 0, prepared = 0;  // index among the columns as sent, and as prepared
        double mean = 0, deviation = 0;       // moments of the retained points, prepared
        std::uint64_t rows = 0;               // rows that have a value
        // Over the rows: sum of the values as sent; sums of the prepared values' differences from `mean`, and of their
        // squares.
        double sum = 0, sum_of_differences = 0, sum_of_squares = 0;
    };
    std::vector<Column> columns_;  // columns with a deviation above 0
    std::vector<float> prepared_;
};

}  // namespace fairstream::command
