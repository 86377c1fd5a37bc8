#include <fairstream/files/points/table.hpp>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <map>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include <fairstream/data/preparation.hpp>
#include <fairstream/files/rows/byte_source.hpp>

namespace fairstream::files {
namespace {

float bounded(const Table& table, double value, std::size_t row, const std::string& column) {
    if (std::abs(value) > largest_value) {
        throw InvalidInput(Reason::bad_feature, "point " + std::to_string(table.ids[row]) + ": column " +
                                                    shown(column) +
                                                    ": its value is above the largest magnitude allowed, 1e15");
    }
    return static_cast<float>(value);
}

/// Counts missing values again, for the columns that have any.
void recount_missing(Table& table) {
    std::vector<MissingCells> counted;
    for (MissingCells cells : table.remarks.missing) {
        const auto named = std::ranges::find(table.feature_names, cells.column);
        cells.cells = 0;
        for (auto at = static_cast<std::size_t>(named - table.feature_names.begin()); at < table.features.size();
             at += table.format.dimensions)
            cells.cells += std::isnan(table.features[at]);
        if (cells.cells > 0) counted.push_back(std::move(cells));
    }
    table.remarks.missing = std::move(counted);
}

/// Throws if a sum of squares overflowed: it would scale everything to 0.
void require_finite(double squares, const std::string& of) {
    if (!std::isfinite(squares))
        throw InvalidInput(Reason::bad_feature, of + ": its values are too large to be scaled");
}

struct ColumnStatistics {
    double mean, deviation, smallest, largest;
};

/// Returns whether a column has levels.
bool has_levels(const Table& table, std::size_t column) {
    return !table.format.columns.empty() && table.format.columns[column].is_category();
}

template <class Counts> ColumnStatistics column_statistics(const Table& table, std::size_t column, Counts&& counts) {
    const std::size_t d = table.format.dimensions;
    constexpr double infinity = std::numeric_limits<double>::infinity();
    double n = 0, sum = 0, smallest = infinity, largest = -infinity;
    for (std::size_t row = 0; row < table.size(); ++row) {
        if (!counts(row)) continue;
        const double value = table.features[row * d + column];
        if (std::isnan(value)) continue;
        const double weight = table.weights.empty() ? 1 : table.weights[row];
        n += weight;
        sum += weight * value;
        smallest = std::min(smallest, value);
        largest = std::max(largest, value);
    }
    const double mean = sum / n;
    double squares = 0;
    for (std::size_t row = 0; row < table.size(); ++row) {
        const double off = table.features[row * d + column] - mean;
        if (counts(row) && !std::isnan(off)) squares += off * off * (table.weights.empty() ? 1 : table.weights[row]);
    }
    if (n == 0) return {0, 0, 0, 0};
    return {mean, std::sqrt(squares / n), smallest, largest};
}

bool is_in_part(const Table& table, std::size_t row, Part part) {
    return table.parts.empty() ? part == Part::training : table.parts[row] == part;
}

/// Maps cells 0, 1 and 2 to parts as described at `read_table`.
std::vector<Part> parts_of(const std::vector<std::uint8_t>& cells, const std::string& column) {
    const auto has = [&](int cell) { return std::ranges::count(cells, cell) > 0; };
    const auto refuse = [&](const std::string& why) {
        throw InvalidInput(Reason::malformed, "column " + shown(column) + ": " + why);
    };
    if (!has(0)) refuse("no row is 0, for training");
    if (!has(1))
        refuse(has(2) ? "has 0 and 2, but no 1: for two parts use 0 and 1" : "all rows are 0, so nothing is split");
    const Part second = has(2) ? Part::validation : Part::test;
    std::vector<Part> parts;
    for (const std::uint8_t cell : cells) parts.push_back(cell == 0 ? Part::training : cell == 1 ? second : Part::test);
    return parts;
}

template <class T>
std::vector<T> selected_rows(const std::vector<T>& values, std::size_t width, const std::vector<std::uint64_t>& rows) {
    std::vector<T> result;
    result.reserve(rows.size() * width);
    for (const std::uint64_t row : rows) {
        const auto first = values.begin() + static_cast<std::ptrdiff_t>(row * width);
        result.insert(result.end(), first, first + static_cast<std::ptrdiff_t>(width));
    }
    return result;
}

}  // namespace

Table read_table(const std::filesystem::path& path, const Roles& roles, const Formats& formats,
                 const BadRowPolicy& bad_rows, const std::function<void(double)>& progress) {
    return read_table(InputFile(path, passes_for(roles.groups)), roles, formats, bad_rows, progress);
}

Table read_table(const InputFile& file, const Roles& roles, const Formats& formats, const BadRowPolicy& bad_rows,
                 const std::function<void(double)>& progress) {
    PointReader reader(file, roles, formats, bad_rows);
    Table table;
    table.format = reader.format();
    table.feature_names = reader.features();
    std::vector<std::uint8_t> cells;
    std::unordered_map<std::string, PointId, TextHash, std::equal_to<>> numbers;  // by text
    for (PointRow row; reader.next(row);) {
        if (table.format.has_text_ids) row.id = numbers.try_emplace(row.id_text, row.number).first->second;
        table.ids.push_back(row.id);
        table.numbers.push_back(row.number);
        if (table.format.has_text_ids) table.id_texts.push_back(row.id_text);
        table.features.insert(table.features.end(), row.features.begin(), row.features.end());
        table.groups.insert(table.groups.end(), row.groups.begin(), row.groups.end());
        if (table.format.has_targets) table.targets.push_back(row.target);
        if (table.format.has_weights) table.weights.push_back(row.weight);
        if (reader.has_times()) table.times.push_back(row.time);
        if (!roles.part.empty()) cells.push_back(row.part);
        if (reader.has_classes()) table.classes.push_back(row.true_class);
        if (!roles.kept.empty()) table.kept.push_back(row.kept);
        if (progress && table.size() % rows_per_report == 0) progress(reader.progress());
    }
    if (table.size() == 0) throw InvalidInput(Reason::malformed, file.name() + ": there are no rows after the header");
    if (!cells.empty()) table.parts = parts_of(cells, roles.part);
    table.remarks = reader.remarks();
    return table;
}

namespace {

// Throws if float32 could not tell the values apart. Does not throw if all values are equal.
void require_resolution(const std::string& what, double largest, double deviation, const std::string& remedy) {
    constexpr double rounding = 0x1p-24;  // relative rounding of a float32
    if (deviation <= largest * 1e-12 || largest * rounding <= deviation / 100) return;
    throw InvalidInput(Reason::bad_feature, what + " are too large (up to " + std::to_string(largest) +
                                                ") and differ too little (standard deviation " +
                                                std::to_string(deviation) +
                                                ") to be distinguished as float32: " + remedy);
}

}  // namespace

void require_target_resolution(const Table& table) {
    double mean = 0, squares = 0, largest = 0;
    for (const double target : table.targets) mean += target / static_cast<double>(table.size());
    for (const double target : table.targets) {
        squares += (target - mean) * (target - mean) / static_cast<double>(table.size());
        largest = std::max(largest, std::abs(target));
    }
    require_resolution("the targets", largest, std::sqrt(squares), "subtract a constant from them");
}

void require_resolution(const Table& table) {
    for (std::size_t column = 0; column < table.format.dimensions; ++column) {
        if (has_levels(table, column)) continue;
        const ColumnStatistics spread = column_statistics(table, column, [](std::size_t) { return true; });
        // Columns that an engine prepares are scaled after their conversion to float32, so that scaling is no remedy.
        const std::vector<FeatureColumn>& described = table.format.columns;
        const bool are_dates = !described.empty() && described[column].dates != DateUnit::none;
        const std::string remedy =
            described.empty() ? "subtract a constant, or use --standardise"
            : are_dates       ? "leave it out with --leave-out, or write the time since a nearby day as numbers"
                              : "subtract a constant, or leave it out with --leave-out";
        require_resolution("column " + shown(table.feature_names[column]) + ": its values",
                           std::max(std::abs(spread.smallest), std::abs(spread.largest)), spread.deviation, remedy);
    }
}

Scaling scaling_of(const Table& table, std::size_t column) {
    const ColumnStatistics spread =
        column_statistics(table, column, [&](std::size_t row) { return is_in_part(table, row, Part::training); });
    require_finite(spread.deviation, "column " + shown(table.feature_names[column]));
    // The mean of equal values is rounded, so their computed deviation may be above 0.
    const auto [mean, deviation, least, greatest] = spread;
    if (least == greatest || deviation == 0) return {least, 1, least, greatest, true};
    return {mean, deviation, least, greatest, false};
}

double most_frequent(const Table& table, std::size_t column) {
    std::map<double, double> weight_of;
    const std::size_t d = table.format.dimensions;
    for (std::size_t row = 0; row < table.size(); ++row) {
        const double value = table.features[row * d + column];
        if (!std::isnan(value) && is_in_part(table, row, Part::training))
            weight_of[value] += table.weights.empty() ? 1 : table.weights[row];
    }
    const auto most = std::ranges::max_element(weight_of, {}, [](const auto& entry) { return entry.second; });
    return most == weight_of.end() ? 0 : most->first;
}

namespace {

void scale_columns(Table& table, ScaleUnit unit) {
    const std::size_t d = table.format.dimensions;
    for (std::size_t column = 0; column < d; ++column) {
        if (has_levels(table, column)) continue;
        const Scaling scaling = scaling_of(table, column);
        const bool is_range = unit == ScaleUnit::range;
        const double origin = is_range ? scaling.least : scaling.mean;
        const double width = is_range ? scaling.greatest - scaling.least : scaling.deviation;
        for (std::size_t i = column; i < table.features.size(); i += d)
            if (!std::isnan(table.features[i]))
                table.features[i] = scaling.is_constant ? 0.0 : (table.features[i] - origin) / width;
    }
}

}  // namespace

void standardise(Table& table) {
    scale_columns(table, ScaleUnit::deviation);
}

void unit_range(Table& table) {
    scale_columns(table, ScaleUnit::range);
}

void unit_rows(Table& table) {
    const std::size_t d = table.format.dimensions;
    for (const FeatureColumn& column : table.format.columns)
        if (column.may_be_missing || column.is_category())
            throw InvalidInput(Reason::bad_feature,
                               "column " + shown(column.name) +
                                   " is a category or may be missing: its rows cannot be scaled to length 1");
    for (std::size_t first = 0; first < table.features.size(); first += d) {
        double squares = 0;
        for (std::size_t i = first; i < first + d; ++i) squares += table.features[i] * table.features[i];
        require_finite(squares, "point " + std::to_string(table.ids[first / d]));
        if (squares == 0) continue;
        const double norm = std::sqrt(squares);
        for (std::size_t i = first; i < first + d; ++i) table.features[i] /= norm;
    }
}

void select_rows(Table& table, const std::vector<std::uint64_t>& rows) {
    std::vector<bool> seen(table.size());
    for (const std::uint64_t row : rows) {
        const bool known = row < table.size();
        if (known && !seen[row]) {
            seen[row] = true;
            continue;
        }
        throw InvalidInput(Reason::malformed,
                           "row " + std::to_string(row) +
                               (known ? " is selected twice"
                                      : " is selected, but the rows are 0 to " + std::to_string(table.size() - 1)));
    }
    table.ids = selected_rows(table.ids, 1, rows);
    if (!table.numbers.empty()) table.numbers = selected_rows(table.numbers, 1, rows);
    table.features = selected_rows(table.features, table.format.dimensions, rows);
    table.groups = selected_rows(table.groups, table.format.attributes.size(), rows);
    if (!table.targets.empty()) table.targets = selected_rows(table.targets, 1, rows);
    if (!table.weights.empty()) table.weights = selected_rows(table.weights, 1, rows);
    if (!table.times.empty()) table.times = selected_rows(table.times, 1, rows);
    if (!table.parts.empty()) table.parts = selected_rows(table.parts, 1, rows);
    if (!table.classes.empty()) table.classes = selected_rows(table.classes, 1, rows);
    if (!table.id_texts.empty()) table.id_texts = selected_rows(table.id_texts, 1, rows);
    if (!table.kept.empty()) table.kept = selected_rows(table.kept, 1, rows);
    recount_missing(table);
}

void select_rows_of_file(Table& table, const std::vector<std::uint64_t>& numbers) {
    const auto fail = [](std::uint64_t number, const std::string& why) {
        throw InvalidInput(Reason::malformed, "row " + std::to_string(number) + " is selected" + why);
    };
    std::vector<std::uint64_t> rows;
    std::unordered_set<std::uint64_t> selected;
    for (const std::uint64_t number : numbers) {
        if (!selected.insert(number).second) fail(number, " twice");
        const auto found = std::ranges::lower_bound(table.numbers, number);
        if (found == table.numbers.end())
            fail(number, ", but the rows are 0 to " + std::to_string(table.numbers.back()));
        if (*found == number) rows.push_back(static_cast<std::uint64_t>(found - table.numbers.begin()));
    }
    if (rows.empty())
        throw InvalidInput(Reason::malformed, "no selected row is left: row " + std::to_string(numbers.front()) +
                                                  (numbers.size() > 1 ? " and the others were" : " was") +
                                                  " left out before, by --missing or --bad-rows");
    select_rows(table, rows);
}

std::size_t different_ids(const Table& table, std::size_t first, std::size_t count) {
    std::unordered_set<PointId> ids;
    for (std::size_t i = 0; i < count; ++i)
        if (!ids.insert(table.ids[first + i]).second) return i;
    return count;
}

void keep_last_of_ids(Table& table) {
    std::unordered_map<PointId, std::uint64_t> last;
    for (std::uint64_t row = 0; row < table.size(); ++row) last[table.ids[row]] = row;
    if (last.size() == table.size()) return;
    std::vector<std::uint64_t> kept;
    for (std::uint64_t row = 0; row < table.size(); ++row)
        if (last.at(table.ids[row]) == row) kept.push_back(row);
    select_rows(table, kept);
}

std::vector<std::uint64_t> read_row_numbers(const std::filesystem::path& path) {
    std::vector<std::uint64_t> rows;
    for (const auto& [text, line] : read_lines(path)) {
        std::uint64_t row = 0;
        const char* const end = text.data() + text.size();
        const auto [parsed, error] = std::from_chars(text.data(), end, row);
        if (error != std::errc() || parsed != end)
            throw InvalidInput(Reason::malformed, input_name(path) + ":" + std::to_string(line) + ": " + shown(text) +
                                                      " is not a row number");
        rows.push_back(row);
    }
    if (rows.empty()) throw InvalidInput(Reason::malformed, input_name(path) + ": there are no row numbers in it");
    return rows;
}

void copy_points(const Table& table, std::size_t first, std::size_t count, PointColumns& out) {
    const std::size_t d = table.format.dimensions, a = table.format.attributes.size();
    out.clear();
    for (std::size_t row = first; row < first + count; ++row) {
        out.ids.push_back(table.ids[row]);
        if (!table.id_texts.empty()) out.id_texts.add(table.id_texts[row]);
        for (std::size_t i = 0; i < d; ++i) {
            out.features.push_back(bounded(table, table.features[row * d + i], row, table.feature_names[i]));
        }
        // Targets that come later may have no column.
        if (table.format.has_targets && !table.targets.empty())
            out.targets.push_back(bounded(table, table.targets[row], row, "target"));
    }
    if (!table.weights.empty()) out.weights.assign(&table.weights[first], &table.weights[first] + count);
    if (!table.times.empty() && count > 0)
        out.event_time = *std::max_element(&table.times[first], &table.times[first] + count);
    const auto groups = table.groups.begin() + static_cast<std::ptrdiff_t>(first * a);
    out.groups.assign(groups, groups + static_cast<std::ptrdiff_t>(count * a));
}

}  // namespace fairstream::files
