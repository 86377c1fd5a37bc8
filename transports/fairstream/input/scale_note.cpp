#include <fairstream/input/scale_note.hpp>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <utility>

#include <fairstream/text/numbers.hpp>

namespace fairstream::files {

namespace {

bool is_of_numbers(const Table& table, std::size_t column) {
    return table.format.columns.empty() || !table.format.columns[column].is_category();
}

/// Returns the variance of each column of numbers; 0 for other columns and for constant ones.
std::vector<double> variances(const Table& table) {
    std::vector<double> result(table.format.dimensions);
    for (std::size_t column = 0; column < result.size(); ++column) {
        if (!is_of_numbers(table, column)) continue;
        const Scaling scaling = scaling_of(table, column);
        if (!scaling.is_constant) result[column] = scaling.deviation * scaling.deviation;
    }
    return result;
}

/// Returns whether a column has at most two values. The variance of a column of rare cases only says how rare they are.
bool is_of_two_values(const Table& table, std::size_t column) {
    std::optional<double> first, second;
    for (std::size_t at = column; at < table.features.size(); at += table.format.dimensions) {
        const double value = table.features[at];
        if (std::isnan(value) || value == first || value == second) continue;
        if (second) return false;
        (first ? second : first) = value;
    }
    return true;
}

/// Returns a note if one column nearly determines the distances, or if others are negligible beside it.
std::optional<std::string> note_on_unlike_scales(const Table& table) {
    constexpr double most_of_many = 0.9, most_of_two = 0.9999;  // largest column's share of all variance
    constexpr double next_to_nothing = 1e-3;                    // negligible share of the largest variance
    constexpr std::size_t least_columns = 2, most_named = 4;
    const std::vector<double> of = variances(table);
    const auto columns = of.size() - static_cast<std::size_t>(std::ranges::count(of, 0.0));
    if (columns < least_columns) return std::nullopt;
    const auto heaviest = std::ranges::max_element(of);
    const double sum = std::accumulate(of.begin(), of.end(), 0.0);
    const std::string name = shown(table.feature_names[static_cast<std::size_t>(heaviest - of.begin())]);
    if (*heaviest > (columns == 2 ? most_of_two : most_of_many) * sum)
        // A share below the whole must not be shown as 100 %.
        return "column " + name + " outweighs the others, with " + fixed(std::min(100 * *heaviest / sum, 99.9), 1) +
               " % of the variance of all numeric columns: --standardise gives them equal weight";
    std::vector<std::string> light;
    for (std::size_t column = 0; column < of.size(); ++column)
        if (of[column] > 0 && of[column] < next_to_nothing * *heaviest && !is_of_two_values(table, column))
            light.push_back(shown(table.feature_names[column]));
    if (columns == 2 || light.empty()) return std::nullopt;
    return (light.size() == 1 ? "column " : "columns ") + first_few(light, most_named) +
           (light.size() == 1 ? " counts" : " count") + " for almost nothing beside " + name +
           ", whose variance is over a thousand times as large: --standardise gives them equal weight";
}

}  // namespace

std::vector<std::string> notes_on_scales(const InputOptions& options, const Table& table) {
    if (options.input.empty() || !options.config.empty()) return {};
    if (options.scales()) return {};
    std::vector<std::string> notes;
    if (auto note = note_on_unlike_scales(table)) notes.push_back(std::move(*note));
    return notes;
}

}  // namespace fairstream::files
