#pragma once
/// Columns of a file whose numbers are far from those of the points that a model knows, as where they are in another
/// unit.

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <fairstream/engine.hpp>

namespace fairstream::command {

class UnlikeColumns {
public:
    /// Measures the retained points, by column of numbers, as they are prepared.
    explicit UnlikeColumns(const Engine& engine);

    /// Takes in rows, n x d, as points are sent.
    void add(const Engine& engine, ConstRows rows);
    /// Returns a line on each column whose mean is some standard deviations of the retained points from theirs, or
    /// whose spread is another by an order of magnitude; none for a few rows.
    [[nodiscard]] std::vector<std::string> warnings() const;

private:
    struct Column {
        std::string name;
        std::size_t index = 0, prepared = 0;  // among the columns as sent, and as prepared
        double mean = 0, deviation = 0;       // of the retained points, as prepared
        std::uint64_t rows = 0;               // that have a value
        // Of the rows: sums of their values as sent, and of what they are off that mean as prepared, and its squares.
        double sum = 0, sum_off = 0, squares_off = 0;
    };
    std::vector<Column> columns_;  // those whose deviation is above 0
    std::vector<float> prepared_;
};

}  // namespace fairstream::command
