#include <fairstream/command/predict/outlying_columns.hpp>

#include <algorithm>
#include <cmath>
#include <utility>

#include <fairstream/data/preparation.hpp>
#include <fairstream/files/cells/shown.hpp>
#include <fairstream/text/numbers.hpp>

namespace fairstream::command {
namespace {

/// Returns for each column as sent its index among the prepared columns.
std::vector<std::size_t> prepared_indices(const EngineOptions& options) {
    std::vector<std::size_t> places;
    PrepareOptions before;
    for (std::size_t column = 0; column < options.format.dimensions; ++column) {
        places.push_back(before.prepares()            ? prepared_format(before, options.format).dimensions
                         : options.prepare.prepares() ? 0
                                                      : column);
        if (options.prepare.prepares()) before.columns.push_back(options.prepare.columns[column]);
    }
    return places;
}

}  // namespace

OutlyingColumns::OutlyingColumns(const Engine& engine) {
    const StreamFormat& format = engine.options().format;
    const Window& window = engine.window();
    const std::vector<std::size_t> places = prepared_indices(engine.options());
    for (std::size_t j = 0; j < format.dimensions; ++j) {
        if (!format.columns.empty() && (format.columns[j].is_category() || format.columns[j].dates != DateUnit::none))
            continue;
        Column column{format.columns.empty() ? "x" + std::to_string(j) : format.columns[j].name, j, places[j]};
        const auto n = static_cast<double>(window.size());
        double squares = 0;
        for (Slot slot = 0; slot < window.size(); ++slot) column.mean += window.features(slot)[column.prepared] / n;
        for (Slot slot = 0; slot < window.size(); ++slot)
            squares += std::pow(window.features(slot)[column.prepared] - column.mean, 2);
        column.deviation = std::sqrt(squares / n);
        if (column.deviation > 0) columns_.push_back(std::move(column));
    }
}

void OutlyingColumns::add(const Engine& engine, ConstRows rows) {
    const std::size_t d = engine.options().format.dimensions, width = engine.window().dimensions();
    const std::size_t n = rows.size() / d;
    prepared_.resize(n * width);
    engine.prepare(rows, prepared_);
    for (Column& column : columns_)
        for (std::size_t row = 0; row < n; ++row) {
            const float value = rows[row * d + column.index];
            if (std::isnan(value)) continue;
            ++column.rows;
            column.sum += value;
            const double off = prepared_[row * width + column.prepared] - column.mean;
            column.sum_of_differences += off;
            column.sum_of_squares += off * off;
        }
}

std::vector<std::string> OutlyingColumns::warnings() const {
    constexpr std::uint64_t least_rows = 10;
    constexpr double far = 3;    // standard deviations of the retained points
    constexpr double many = 30;  // factor between the deviations, in either direction
    std::vector<std::string> warnings;
    for (const Column& column : columns_) {
        if (column.rows < least_rows) continue;
        const auto n = static_cast<double>(column.rows);
        const double off = column.sum_of_differences / n;
        const double spread = std::sqrt(std::max(0.0, column.sum_of_squares / n - off * off)) / column.deviation;
        const bool is_spread_alike = spread == 0 || (spread < many && spread > 1 / many);
        if (std::abs(off) < far * column.deviation && is_spread_alike) continue;
        const std::string how =
            is_spread_alike ? "it is " + fixed(std::abs(off) / column.deviation, 1) +
                                  " standard deviations from the mean of the model's points"
                            : "its standard deviation is " + brief(spread) + " times that of the model's points";
        warnings.push_back("column " + files::shown(column.name) + ", " + brief(column.sum / n) +
                           " on average, differs from the model's own points: " + how + "; is it in the same unit?");
    }
    return warnings;
}

}  // namespace fairstream::command
