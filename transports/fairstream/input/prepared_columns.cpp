#include <fairstream/input/prepared_columns.hpp>

#include <algorithm>

#include <fairstream/base/number_text.hpp>
#include <fairstream/data/preparation.hpp>
#include <fairstream/text/numbers.hpp>
#include <fairstream/text/shell_word.hpp>

namespace fairstream::files {
namespace {

std::string prepared_text(const FeatureColumn& column, const ColumnPreparation& preparation, const ColumnNote& note) {
    if (column.buckets > 0) return "hashed into " + std::to_string(column.buckets) + " columns of 0 and 1";
    if (column.dates != DateUnit::none)
        return std::string(to_string(column.dates)) + (note.has_only_times_of_day ? " since midnight" : " since 1970");
    if (column.levels.empty()) return "as they are";
    if (preparation.encoding == Encoding::onehot)
        return std::to_string(column.levels.size() + 1) + " columns of 0 and 1";
    constexpr std::size_t levels_named = 6;
    std::vector<std::string> numbered;
    for (const std::string& level : column.levels)
        numbered.push_back(shown(level) + " = " + std::to_string(numbered.size()));
    return first_few(numbered, levels_named);
}

std::string scaled_text(const ColumnPreparation& preparation) {
    if (preparation.scale != Scale::fixed) return "";
    return preparation.unit == ScaleUnit::range ? ", scaled to [0, 1]" : ", standardised";
}

std::string filled_text(const FeatureColumn& column, const ColumnPreparation& preparation, const ColumnNote& note) {
    if (note.missing == 0 && !column.may_be_missing) return "";
    const double share =
        100 * static_cast<double>(note.missing) / static_cast<double>(std::max<std::uint64_t>(note.cells, 1));
    const std::string missing =
        note.missing == 0 ? "none missing; later missing values: " : fixed(share, 1) + " % missing: ";
    if (!column.may_be_missing) return missing + "rows left out";
    switch (preparation.missing) {
        case Missing::mean:
            return missing + "the mean";
        case Missing::most_frequent:
            return missing + "the most frequent value";
        case Missing::indicator:
            break;
    }
    return missing + "marked by 1 in an extra column";
}

}  // namespace

void set_scales(const Table& table, ScaleUnit unit, InputStream& stream) {
    for (std::size_t column = 0; column < stream.prepare.columns.size(); ++column) {
        ColumnPreparation& preparation = stream.prepare.columns[column];
        if (stream.format.columns[column].is_category() && preparation.encoding == Encoding::onehot) continue;
        const Scaling scaling = scaling_of(table, column);
        const bool is_range = unit == ScaleUnit::range;
        const double width = is_range ? scaling.greatest - scaling.least : scaling.deviation;
        if (!scaling.is_constant && !(width >= least_deviation && width <= largest_deviation))
            throw InvalidInput(Reason::bad_feature,
                               "column " + shown(stream.notes[column].column) + " has " +
                                   (is_range ? "a range of " : "standard deviation ") + number_text(width) +
                                   ", but a saved configuration allows 1e-15 to 1e15: write its values in another "
                                   "unit, or leave it out with --leave-out " +
                                   shell_word(stream.notes[column].column));
        preparation.scale = Scale::fixed;
        preparation.unit = unit;
        if (is_range) {
            preparation.low = scaling.least;
            preparation.high = scaling.is_constant ? scaling.least + 1 : scaling.greatest;
        } else {
            preparation.mean = scaling.mean;
            preparation.deviation = scaling.deviation;
        }
    }
}

void set_fills(const Table& table, InputStream& stream) {
    stream.fills.clear();
    for (std::size_t column = 0; column < stream.prepare.columns.size(); ++column) {
        ColumnPreparation& preparation = stream.prepare.columns[column];
        const FeatureColumn& about = stream.format.columns[column];
        const bool is_split = about.is_category() && preparation.encoding == Encoding::onehot;
        // If a value is missing only later, it becomes the most frequent level.
        const bool is_whole = about.is_category() && !about.may_be_missing;
        const bool by_count = is_split || is_whole || preparation.missing == Missing::most_frequent;
        stream.fills.push_back(by_count ? most_frequent(table, column) : scaling_of(table, column).mean);
        const bool has_own_indicator = is_split && preparation.missing == Missing::indicator;
        if (about.may_be_missing && !has_own_indicator) preparation.fill = stream.fills.back();
    }
}

std::vector<std::vector<std::string>> column_rows(const InputStream& stream) {
    std::vector<std::vector<std::string>> rows;
    for (std::size_t i = 0; i < stream.notes.size(); ++i) {
        const ColumnNote& note = stream.notes[i];
        const FeatureColumn& column = stream.format.columns[i];
        const ColumnPreparation& preparation = stream.prepare.columns[i];
        rows.push_back({"  " + note.column, note.contents,
                        prepared_text(column, preparation, note) + scaled_text(preparation),
                        filled_text(column, preparation, note)});
    }
    return rows;
}

}  // namespace fairstream::files
