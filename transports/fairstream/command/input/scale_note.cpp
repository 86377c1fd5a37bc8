#include <fairstream/command/input/scale_note.hpp>

#include <algorithm>

#include <fairstream/command/console/terminal.hpp>

namespace fairstream::command {

std::vector<std::string> notes_on_scales(const InputOptions& options, const csv::Table& table) {
    constexpr double most_of_many = 0.9, most_of_two = 0.9999;  // of the variance of all columns
    constexpr std::size_t least_columns = 2;
    if (options.input.empty() || !options.config.empty() || options.standardise || options.unit_rows) return {};
    double sum = 0, largest = 0;
    std::size_t columns = 0, heaviest = 0;
    for (std::size_t column = 0; column < table.format.dimensions; ++column) {
        if (!table.format.columns.empty() && table.format.columns[column].is_category()) continue;
        const csv::Scaling scaling = csv::scaling_of(table, column);
        const double variance = scaling.is_constant ? 0 : scaling.deviation * scaling.deviation;
        columns += variance > 0;
        sum += variance;
        if (variance <= largest) continue;
        largest = variance;
        heaviest = column;
    }
    if (columns < least_columns || largest <= (columns == 2 ? most_of_two : most_of_many) * sum) return {};
    // A share that is not the whole is not shown as such.
    const double share = std::min(100 * largest / sum, 99.9);
    return {"column " + csv::shown(table.feature_names[heaviest]) + " outweighs the others, with " + fixed(share, 1) +
            " % of the variance of all columns of numbers: --standardise makes them alike"};
}

}  // namespace fairstream::command
