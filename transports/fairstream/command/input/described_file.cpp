#include <fairstream/command/input/described_file.hpp>

#include <algorithm>
#include <charconv>
#include <utility>

#include <fairstream/command/console/shell_word.hpp>
#include <fairstream/command/console/terminal.hpp>
#include <fairstream/command/input/by_column.hpp>
#include <fairstream/command/input/column_problems.hpp>
#include <fairstream/command/input/stream_columns.hpp>
#include <fairstream/csv/profile.hpp>

namespace fairstream::command {
namespace {

using csv::CellKind;
using csv::ColumnProfile;

constexpr std::uint32_t usual_buckets = 64;
/// Different numbers above which a column is hardly one of groups.
constexpr std::uint64_t most_numbered_groups = 20;

[[noreturn]] void refuse(const std::string& what) {
    throw InvalidInput(Reason::bad_option, what);
}

/// Describes the columns of a file one by one.
class FileDescription {
public:
    FileDescription(const InputOptions& options, const std::vector<std::string>& columns)
        : options_(options),
          categorical_("--categorical", options.categorical, columns),
          missing_("--missing", options.missing, columns),
          dates_("--dates", options.dates, columns),
          tolerated_(options.bad_rows) {
        if (options.date_order.empty()) return;
        given_order_ = find_date_order(options.date_order);
        if (!given_order_)
            refuse("--date-order " + options.date_order + ": must be year_first, day_first or month_first");
        stream_.date_order = *given_order_;
    }

    void add_feature(const ColumnProfile& profile) {
        FeatureColumn column{.name = profile.name};
        ColumnPreparation how;
        ColumnNote note{.column = profile.name, .missing = profile.missing, .cells = profile.cells};
        set_kind(profile, column, how, note);
        set_missing(profile, column, how);
        is_described_ = is_described_ || column != FeatureColumn{.name = profile.name};
        stream_.format.columns.push_back(std::move(column));
        stream_.prepare.columns.push_back(how);
        stream_.notes.push_back(std::move(note));
    }

    void add_attribute(const ColumnProfile& profile) {
        Attribute attribute{profile.name, {}};
        for (const auto& [value, count] : profile.values)
            if (options_.unknown_group.empty() ? !(value.empty() || is_dropped(profile, value))
                                               : !csv::is_missing_value(value))
                attribute.groups.push_back(value);
        csv::sort_values(attribute.groups);
        require_groups(profile, attribute);
        if (missing_.of(profile.name) == "drop") {
            stream_.needed.push_back(profile.name);
        } else if (options_.unknown_group.empty() && profile.empty > 0) {
            throw InvalidInput(Reason::unknown_group,
                               csv::input_name(options_.input) + ": group column " + csv::shown(profile.name) +
                                   " has " + counted(profile.empty, "empty cell") +
                                   ": --unknown-group unknown makes them a group of that name, which no "
                                   "target or figure is about; --missing " +
                                   shell_word(profile.name + "=drop") + " leaves such rows out");
        }
        if (!options_.unknown_group.empty()) {
            if (std::ranges::count(attribute.groups, options_.unknown_group) > 0)
                refuse("--unknown-group " + options_.unknown_group + ": is a group of column '" + profile.name + "'");
            attribute.groups.push_back(options_.unknown_group);
            attribute.has_unknown = true;
        }
        stream_.format.attributes.push_back(std::move(attribute));
    }

    /// Takes the column of ids: of integers, or otherwise of texts.
    void add_ids(const ColumnProfile& profile) {
        stream_.format.has_text_ids = profile.ids + tolerated_ < profile.cells;
        if (!stream_.format.has_text_ids || profile.empty <= tolerated_) return;
        throw InvalidInput(Reason::malformed, csv::input_name(options_.input) + ": column " + csv::shown(profile.name) +
                                                  " of ids has " + counted(profile.empty, "empty cell") +
                                                  ": every point needs an id; without --id it is the row's number");
    }

    /// Takes the target that a model learns.
    void add_target(const ColumnProfile& profile) {
        stream_.format.has_targets = true;
        if (missing_.of(profile.name) == "drop") {
            stream_.needed.push_back(profile.name);
        } else if (profile.missing > 0 && !options_.targets_come_later) {
            throw InvalidInput(Reason::bad_feature, csv::input_name(options_.input) + ": target column " +
                                                        csv::shown(profile.name) + " lacks " +
                                                        counted(profile.missing, "value") + ": --missing " +
                                                        shell_word(profile.name + "=drop") + " leaves such rows out");
        }
        if (!options_.positive.empty()) {
            if (std::ranges::count(profile.levels(), options_.positive) == 0 && !profile.has_more_values)
                refuse("--positive " + options_.positive + ": is no value of column '" + profile.name +
                       "', which has " + with_commas(profile.levels()));
            stream_.positive = options_.positive;
            return;
        }
        const CellKind kind = profile.kind(tolerated_);
        if (kind == CellKind::truth) stream_.positive = truth_words(profile)->at(1);
        if (kind != CellKind::text && kind != CellKind::date) return;
        const std::vector<std::string> levels = profile.levels();
        const bool two = levels.size() == 2;
        throw InvalidInput(Reason::bad_feature,
                           csv::input_name(options_.input) + ": target column " + csv::shown(profile.name) +
                               " is text, and a model learns numbers: name the value that means yes with --positive " +
                               (two ? shell_word(levels[0]) + " or --positive " + shell_word(levels[1]) : "VALUE") +
                               (two ? "" : "; it has " + values_text(profile)));
    }

    [[nodiscard]] InputStream take(std::vector<std::string> names) {
        problems_.require_none(csv::input_name(options_.input), !options_.id.empty());
        stream_.format.dimensions = static_cast<std::uint32_t>(names.size());
        stream_.features = std::move(names);
        if (!is_described_ && !options_.describes) {
            stream_.format.columns.clear();
            stream_.prepare.columns.clear();
            stream_.notes.clear();
        }
        return std::move(stream_);
    }

private:
    [[nodiscard]] bool is_dropped(const ColumnProfile& profile, const std::string& value) const {
        return missing_.of(profile.name) == "drop" && csv::is_missing_value(value);
    }

    void require_groups(const ColumnProfile& profile, const Attribute& attribute) const {
        const std::string column = "group column " + csv::shown(profile.name) + " has ";
        if (profile.has_more_values)
            refuse(column + values_text(profile) + ": is this an id, or a number? Groups are few");
        const std::size_t groups = attribute.groups.size();
        const std::uint64_t most = options_.groups_at_most              ? *options_.groups_at_most
                                   : profile.kind() == CellKind::number ? most_numbered_groups
                                                                        : csv::most_kept_values;
        if (groups > most)
            refuse(column + std::to_string(groups) + " different " +
                   (profile.kind() == CellKind::number ? "numbers" : "values") +
                   ": is it a number rather than a group? Put its values into a few groups first, or take each for a "
                   "group with --groups-at-most " +
                   std::to_string(groups));
        if (groups == 0) refuse(column + "no group: all its cells are missing");
    }

    void set_kind(const ColumnProfile& profile, FeatureColumn& column, ColumnPreparation& how, ColumnNote& note) {
        if (profile.name == options_.prediction && profile.kind(tolerated_) == CellKind::text && profile.marked == 0)
            refuse("prediction = " + profile.name + ": the column is text, " + values_text(profile) + ", such as " +
                   csv::shown(profile.first_text) +
                   ": predictions are numbers, or words such as no and yes; write 0 and 1 for them");
        if (const auto named = categorical_.named(profile.name))
            return set_category(profile, *named, column, how, note);
        const CellKind kind = profile.kind(tolerated_);
        if (dates_.named(profile.name) && kind != CellKind::date)
            refuse("--dates: column '" + profile.name + "' holds " +
                   (std::ranges::max(profile.dates) > 0 ? "cells that are no dates in one order" : "no dates") +
                   (profile.first_text.empty() ? "" : ", such as " + csv::shown(profile.first_text)));
        switch (kind) {
            case CellKind::missing:
                problems_.add_empty(profile);
                return;
            case CellKind::number:
                note.holds = "numbers";
                return;
            case CellKind::truth: {
                const auto words = csv::truth_words(profile);
                column.levels = {words->at(0), words->at(1)};
                how.encoding = Encoding::ordinal;
                note.holds = words->at(0) + ", " + words->at(1);
                return;
            }
            case CellKind::date:
                return set_dates(profile, column, note);
            case CellKind::text:
                if (const auto general = categorical_.of(profile.name))
                    return set_category(profile, *general, column, how, note);
                problems_.add_text(profile);
        }
    }

    void set_dates(const ColumnProfile& profile, FeatureColumn& column, ColumnNote& note) {
        const std::optional<std::string> unit = dates_.of(profile.name);
        const std::optional<DateOrder> order = given_order_ ? given_order_ : profile.date_order(tolerated_);
        if (!unit || !order) return problems_.add_dates(profile, !order);
        const std::optional<DateUnit> found = find_date_unit(*unit);
        if (!found) refuse("--dates " + *unit + ": must be seconds, hours, days or years");
        column.dates = *found;
        column.date_order = *order;
        note.holds = "dates, " + words_of(to_string(*order));
    }

    void set_category(const ColumnProfile& profile, const std::string& value, FeatureColumn& column,
                      ColumnPreparation& how, ColumnNote& note) {
        const std::string option = "--categorical " + profile.name + "=" + value;
        note.holds = "text, " + values_text(profile);
        if (value == "hash" || value.starts_with("hash:")) {
            column.buckets = buckets_of(option, value);
            return;
        }
        if (value != "onehot" && value != "ordinal" && value.find('<') == std::string::npos)
            refuse(option + ": must be onehot, ordinal, hash, hash:N, or an order such as low<high");
        if (profile.has_more_values)
            refuse(option + ": it has " + values_text(profile) + "; --categorical " + profile.name +
                   "=hash puts them into " + std::to_string(usual_buckets) + " columns");
        column.levels = profile.levels();
        if (column.levels.empty()) return problems_.add_empty(profile);
        if (value == "onehot") return;
        how.encoding = Encoding::ordinal;
        if (value == "ordinal")
            note_order(column);
        else
            column.levels = ordered(option, value, column.levels);
    }

    /// Says in which order texts are put where none is given, unless it is that of integers.
    void note_order(const FeatureColumn& column) {
        constexpr std::size_t most_named = 6;
        const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
        const auto is_integer = [&](const std::string& level) {
            return std::ranges::all_of(level.begin() + (level.starts_with('-') ? 1 : 0), level.end(), is_digit);
        };
        if (column.levels.size() < 2 || std::ranges::all_of(column.levels, is_integer)) return;
        std::vector<std::string> named = column.levels;
        if (named.size() > most_named) {
            named.resize(most_named);
            named.emplace_back("...");
        }
        const std::string order = with_commas(named, "<");
        stream_.hints.push_back("column " + csv::shown(column.name) + " is put in the order of the letters, " + order +
                                ": give another as --categorical " + shell_word(column.name + "=" + order));
    }

    static std::uint32_t buckets_of(const std::string& option, const std::string& value) {
        if (value == "hash") return usual_buckets;
        std::uint32_t buckets = 0;
        const char* const last = value.data() + value.size();
        const auto [end, error] = std::from_chars(value.data() + std::string_view("hash:").size(), last, buckets);
        if (error != std::errc() || end != last || buckets < least_buckets || buckets > most_buckets)
            refuse(option + ": N must be 2 to 65535");
        return buckets;
    }

    /// Returns the levels in the order that is given, "low<high", which has all that occur.
    static std::vector<std::string> ordered(const std::string& option, const std::string& value,
                                            const std::vector<std::string>& levels) {
        std::vector<std::string> given;
        for (std::size_t first = 0; first <= value.size();) {
            const std::size_t end = std::min(value.find('<', first), value.size());
            given.push_back(value.substr(first, end - first));
            first = end + 1;
        }
        for (const std::string& level : levels)
            if (std::ranges::count(given, level) == 0) refuse(option + ": leaves out " + csv::shown(level));
        return given;
    }

    void set_missing(const ColumnProfile& profile, FeatureColumn& column, ColumnPreparation& how) {
        const bool is_split = column.is_category() && how.encoding == Encoding::onehot;
        if (is_split) how.missing = Missing::most_frequent;
        const std::optional<std::string> named = missing_.named(profile.name), rule = missing_.of(profile.name);
        if (profile.missing == 0 && !named) return;
        if (!rule) {
            const CellKind kind = profile.kind(tolerated_);
            if (kind != CellKind::missing) problems_.add_missing(profile, kind != CellKind::text && !is_split);
            return;
        }
        if (*rule == "drop") {
            stream_.needed.push_back(profile.name);
            return;
        }
        column.may_be_missing = true;
        if (*rule == "mean" && is_split && named)
            refuse("--missing " + profile.name + "=mean: a category has no mean; =most_frequent or =indicator");
        if (*rule == "mean")
            how.missing = is_split ? Missing::most_frequent : Missing::mean;
        else if (*rule == "most_frequent")
            how.missing = Missing::most_frequent;
        else if (*rule == "indicator")
            how.missing = Missing::indicator;
        else
            refuse("--missing " + *rule + ": must be drop, mean, most_frequent or indicator");
    }

    const InputOptions& options_;
    ByColumn categorical_, missing_, dates_;
    std::uint64_t tolerated_;
    std::optional<DateOrder> given_order_;
    InputStream stream_;
    ColumnProblems problems_;
    bool is_described_ = false;
};

const ColumnProfile& profile_of(const std::vector<ColumnProfile>& profiles, const std::string& name) {
    return *std::ranges::find(profiles, name, &ColumnProfile::name);
}

std::string prepared_text(const FeatureColumn& column, const ColumnPreparation& how) {
    if (column.buckets > 0) return "hashed into " + std::to_string(column.buckets) + " columns of 0 and 1";
    if (column.dates != DateUnit::none) return std::string(to_string(column.dates)) + " since 1970";
    if (column.levels.empty()) return "as they are";
    if (how.encoding == Encoding::onehot) return std::to_string(column.levels.size() + 1) + " columns of 0 and 1";
    constexpr std::size_t levels_named = 6;
    std::string text;
    for (std::size_t i = 0; i < std::min(column.levels.size(), levels_named); ++i)
        text += (i > 0 ? ", " : "") + csv::shown(column.levels[i]) + " = " + std::to_string(i);
    return column.levels.size() > levels_named ? text + ", ..." : text;
}

std::string filled_text(const FeatureColumn& column, const ColumnPreparation& how, const ColumnNote& note) {
    if (note.missing == 0 && !column.may_be_missing) return "";
    const double share =
        100 * static_cast<double>(note.missing) / static_cast<double>(std::max<std::uint64_t>(note.cells, 1));
    const std::string missing = fixed(share, 1) + " % missing: ";
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

}  // namespace

InputStream describe_file(const InputOptions& options, bool learns) {
    const csv::InputFile file(options.input, csv::Passes::many);
    csv::Reader reader(file);
    const csv::Columns roles = columns_of(options);
    // A name that is misspelt is refused before what it leaves to be a feature.
    for (const std::string& name : {roles.target, roles.classes, roles.id, roles.weight, roles.part})
        if (!name.empty()) (void)reader.column(name);
    const std::vector<std::string> features = csv::feature_names(reader, roles);
    std::vector<std::string> names = features;
    for (const csv::GroupColumn& column : roles.groups) names.push_back(column.name);
    if (learns && !roles.target.empty()) names.push_back(roles.target);
    if (!roles.id.empty()) names.push_back(roles.id);
    std::vector<ColumnProfile> profiles;
    {
        Progress progress("looking through " + options.name());
        profiles = csv::profile_columns(reader, names, [&](double share) { progress.show(share); });
    }
    if (profiles[0].cells == 0)
        throw InvalidInput(Reason::malformed, file.name() + ": there are no rows after the header");
    FileDescription description(options, names);
    for (const std::string& feature : features) description.add_feature(profile_of(profiles, feature));
    for (const csv::GroupColumn& column : roles.groups) description.add_attribute(profile_of(profiles, column.name));
    if (!roles.id.empty()) description.add_ids(profile_of(profiles, roles.id));
    if (learns && !roles.target.empty()) description.add_target(profile_of(profiles, roles.target));
    InputStream stream = description.take(features);
    stream.format.has_targets = learns && !roles.target.empty();
    stream.format.targets_come_later = stream.format.has_targets && options.targets_come_later;
    stream.format.has_weights = !roles.weight.empty();
    stream.file = file;
    return stream;
}

void standardise_by(const csv::Table& table, InputStream& stream) {
    for (std::size_t column = 0; column < stream.prepare.columns.size(); ++column) {
        ColumnPreparation& how = stream.prepare.columns[column];
        if (stream.format.columns[column].is_category() && how.encoding == Encoding::onehot) continue;
        const csv::Scaling scaling = csv::scaling_of(table, column);
        how.scale = Scale::fixed;
        how.mean = scaling.mean;
        how.deviation = scaling.deviation;
    }
}

std::vector<std::vector<std::string>> column_rows(const InputStream& stream) {
    std::vector<std::vector<std::string>> rows;
    for (std::size_t i = 0; i < stream.notes.size(); ++i) {
        const ColumnNote& note = stream.notes[i];
        const FeatureColumn& column = stream.format.columns[i];
        const ColumnPreparation& how = stream.prepare.columns[i];
        rows.push_back({"  " + note.column, note.holds,
                        prepared_text(column, how) + (how.scale == Scale::fixed ? ", standardised" : ""),
                        filled_text(column, how, note)});
    }
    return rows;
}

}  // namespace fairstream::command
