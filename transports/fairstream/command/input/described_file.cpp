#include <fairstream/command/input/described_file.hpp>

#include <algorithm>
#include <utility>

#include <fairstream/base/nearest_name.hpp>
#include <fairstream/base/number_text.hpp>
#include <fairstream/command/console/shell_word.hpp>
#include <fairstream/command/console/terminal.hpp>
#include <fairstream/command/input/by_column.hpp>
#include <fairstream/command/input/file_description.hpp>
#include <fairstream/command/input/stream_columns.hpp>
#include <fairstream/command/input/value_notes.hpp>
#include <fairstream/csv/shown.hpp>
#include <fairstream/data/preparation.hpp>

namespace fairstream::command {
namespace {

using csv::ColumnProfile;

constexpr std::size_t most_dimensions = 65536;  // of `StreamFormat`

const ColumnProfile& profile_of(const std::vector<ColumnProfile>& profiles, const std::string& name) {
    return *std::ranges::find(profiles, name, &ColumnProfile::name);
}

std::string prepared_text(const FeatureColumn& column, const ColumnPreparation& how, const ColumnNote& note) {
    if (column.buckets > 0) return "hashed into " + std::to_string(column.buckets) + " columns of 0 and 1";
    if (column.dates != DateUnit::none)
        return std::string(to_string(column.dates)) + (note.is_within_day ? " since midnight" : " since 1970");
    if (column.levels.empty()) return "as they are";
    if (how.encoding == Encoding::onehot) return std::to_string(column.levels.size() + 1) + " columns of 0 and 1";
    constexpr std::size_t levels_named = 6;
    std::vector<std::string> numbered;
    for (const std::string& level : column.levels)
        numbered.push_back(csv::shown(level) + " = " + std::to_string(numbered.size()));
    return csv::first_few(numbered, levels_named);
}

std::string filled_text(const FeatureColumn& column, const ColumnPreparation& how, const ColumnNote& note) {
    if (note.missing == 0 && !column.may_be_missing) return "";
    const double share =
        100 * static_cast<double>(note.missing) / static_cast<double>(std::max<std::uint64_t>(note.cells, 1));
    const std::string missing = note.missing == 0 ? "none missing; later ones: " : fixed(share, 1) + " % missing: ";
    if (!column.may_be_missing) return missing + "rows left out";
    switch (how.missing) {
        case Missing::mean:
            return missing + "the mean";
        case Missing::most_frequent:
            return missing + "the most frequent value";
        case Missing::indicator:
            break;
    }
    return missing + "a column of 0 and 1";
}

/// Returns what a function does; adds the note to its error, of which what it tells of may be the cause.
template <class Function> auto with_note(const std::optional<std::string>& note, const Function& function) {
    try {
        return function();
    } catch (const InvalidInput& error) {
        if (!note) throw;
        throw InvalidInput(error.reason(), std::string(error.what()) + "; " + *note);
    }
}

/// Throws for a file none of whose rows, if it has any, is a row by itself.
[[noreturn]] void refuse_without_rows(const csv::FileProfile& profile, const std::string& file) {
    if (profile.bad_rows == 0) throw InvalidInput(Reason::malformed, file + ": there are no rows after the header");
    const bool is_of_width = profile.first_bad.find("the header has") != std::string::npos;
    throw InvalidInput(
        Reason::malformed,
        profile.first_bad +
            (profile.bad_rows == 1 ? ", and it is the only row"
                                   : ", and none of the " + counted(profile.bad_rows, "row") + " can be used") +
            (is_of_width ? ": the header must have a name for each cell of a row" : ""));
}

/// Returns a note on features that have one value in all rows; nothing where none has, or none has another.
std::optional<std::string> constant_note(const std::vector<ColumnProfile>& profiles,
                                         const std::vector<std::string>& features) {
    constexpr std::uint64_t least_rows = 10;
    constexpr std::size_t most_named = 6;
    std::vector<std::string> constant;
    for (std::size_t i = 0; i < features.size(); ++i)  // their profiles come first
        if (profiles[i].values.size() == 1 && profiles[i].missing == 0 && profiles[i].cells >= least_rows)
            constant.push_back(features[i]);
    if (constant.empty()) return std::nullopt;
    if (constant.size() == features.size()) return "all points are alike: every feature has one value alone";
    return (constant.size() == 1 ? "column " : "columns ") + csv::first_shown(constant, most_named) +
           (constant.size() == 1 ? " has one value alone, which tells" : " have one value each alone, which tell") +
           " no points apart: --leave-out " +
           (constant.size() > most_named ? "COL,..." : shell_word(names_text(constant))) + " leaves " +
           (constant.size() == 1 ? "it" : "them") + " out";
}

/// Throws for a column of predictions that does not exist, and says which option names it.
void require_prediction(const csv::Reader& reader, const std::string& column) {
    try {
        (void)reader.column(column);
    } catch (const InvalidInput& error) {
        throw InvalidInput(error.reason(),
                           std::string(error.what()) + "; --set prediction=COL names the column of the predictions");
    }
}

}  // namespace

InputStream describe_file(const InputOptions& options, bool learns) {
    const csv::InputFile file(options.input, csv::Passes::many);
    const csv::Columns roles = columns_of(options);
    csv::Reader reader = [&] {
        Progress progress("looking for the keys of " + options.name());
        return csv::open_reader(file, roles, [&](double share) { progress.show(share); });
    }();
    reader.set_decimal_mark(roles.decimal_mark);
    reader.set_missing_texts(roles.missing_texts);
    // A name that is misspelt is refused before what it leaves to be a feature.
    for (const std::string& name : {roles.target, roles.classes, roles.id, roles.weight, roles.part})
        if (!name.empty()) (void)reader.column(name);
    if (!options.prediction.empty()) require_prediction(reader, options.prediction);
    const std::vector<std::string> features = csv::feature_names(reader, roles);
    if (features.size() > most_dimensions)
        throw InvalidInput(Reason::bad_option, file.name() + " has " + counted(features.size(), "feature") + ": " +
                                                   std::to_string(most_dimensions) +
                                                   " are read at most; --features COL,... names those to read");
    std::vector<std::string> names = features;
    for (const csv::GroupColumn& column : roles.groups) names.push_back(column.name);
    if (learns && !roles.target.empty()) names.push_back(roles.target);
    if (!roles.id.empty()) names.push_back(roles.id);
    csv::FileProfile looked_through;
    {
        Progress progress("looking through " + options.name());
        looked_through = csv::profile_columns(reader, names, [&](double share) { progress.show(share); });
    }
    const std::vector<ColumnProfile>& profiles = looked_through.columns;
    if (profiles[0].cells == 0) refuse_without_rows(looked_through, file.name());
    FileDescription description(options, names);
    description.set_bad_rows(looked_through.bad_rows);
    for (const std::string& text : reader.unmet_missing_texts()) {
        const std::string name = text.substr(0, text.find('='));
        const bool names_none = name.size() < text.size() && std::ranges::count(reader.header(), name) == 0;
        description.note(
            "--missing-text " + shell_word(text) + " has no effect: no cell is that text" +
            (names_none ? ", and there is no column " + csv::shown(name) + did_you_mean(name, reader.header()) : ""));
    }
    const std::optional<std::string> total = total_note(profiles, file.name());
    std::optional<std::string> header;
    if (reader.separator()) header = header_note(reader.header(), file.name());
    if (reader.separator() && !header) header = first_row_note(profiles, reader.header(), file.name());
    description.note(header);
    if (options.prediction.empty()) description.note(constant_note(profiles, features));
    const auto described = [&] {
        for (std::size_t i = 0; i < features.size(); ++i) description.add_feature(profiles[i]);
        for (const csv::GroupColumn& column : roles.groups)
            description.add_attribute(profile_of(profiles, column.name));
        if (!roles.id.empty()) description.add_ids(profile_of(profiles, roles.id));
        if (learns && !roles.target.empty()) description.add_target(profile_of(profiles, roles.target));
        return description.take(features);
    };
    InputStream stream = with_note(header ? header : total, described);
    stream.format.has_targets = learns && !roles.target.empty();
    stream.format.targets_come_later = stream.format.has_targets && options.targets_come_later;
    stream.format.has_weights = !roles.weight.empty();
    stream.format.missing_texts = options.missing_texts;
    stream.format.decimal_mark = decimal_mark(options);
    stream.file = file;
    return stream;
}

void standardise_by(const csv::Table& table, InputStream& stream) {
    for (std::size_t column = 0; column < stream.prepare.columns.size(); ++column) {
        ColumnPreparation& how = stream.prepare.columns[column];
        if (stream.format.columns[column].is_category() && how.encoding == Encoding::onehot) continue;
        const csv::Scaling scaling = csv::scaling_of(table, column);
        if (!scaling.is_constant && !(scaling.deviation >= least_deviation && scaling.deviation <= largest_deviation))
            throw InvalidInput(Reason::bad_feature,
                               "column " + csv::shown(stream.notes[column].column) + " has the standard deviation " +
                                   number_text(scaling.deviation) +
                                   ", and what is saved can be scaled by 1e-15 to 1e15: write its values in another "
                                   "unit, or leave it out with --leave-out " +
                                   shell_word(stream.notes[column].column));
        how.scale = Scale::fixed;
        how.mean = scaling.mean;
        how.deviation = scaling.deviation;
    }
}

void fill_by(const csv::Table& table, InputStream& stream) {
    stream.fills.clear();
    for (std::size_t column = 0; column < stream.prepare.columns.size(); ++column) {
        ColumnPreparation& how = stream.prepare.columns[column];
        const FeatureColumn& about = stream.format.columns[column];
        const bool is_split = about.is_category() && how.encoding == Encoding::onehot;
        const bool is_whole = about.is_category() && !about.may_be_missing;  // later gaps have the most frequent one
        const bool by_count = is_split || is_whole || how.missing == Missing::most_frequent;
        stream.fills.push_back(by_count ? csv::most_frequent(table, column) : csv::scaling_of(table, column).mean);
        const bool is_told_alone = is_split && how.missing == Missing::indicator;
        if (about.may_be_missing && !is_told_alone) how.fill = stream.fills.back();
    }
}

std::vector<std::vector<std::string>> column_rows(const InputStream& stream) {
    std::vector<std::vector<std::string>> rows;
    for (std::size_t i = 0; i < stream.notes.size(); ++i) {
        const ColumnNote& note = stream.notes[i];
        const FeatureColumn& column = stream.format.columns[i];
        const ColumnPreparation& how = stream.prepare.columns[i];
        rows.push_back({"  " + note.column, note.holds,
                        prepared_text(column, how, note) + (how.scale == Scale::fixed ? ", standardised" : ""),
                        filled_text(column, how, note)});
    }
    return rows;
}

}  // namespace fairstream::command
