#include <fairstream/command/input/file_description.hpp>

#include <algorithm>
#include <functional>
#include <utility>

#include <fairstream/command/console/shell_word.hpp>
#include <fairstream/command/console/terminal.hpp>
#include <fairstream/command/input/category_options.hpp>
#include <fairstream/command/input/stream_columns.hpp>
#include <fairstream/command/input/value_notes.hpp>

namespace fairstream::command {
namespace {

using csv::CellKind;
using csv::ColumnProfile;

/// Different numbers above which a column is hardly one of groups.
constexpr std::uint64_t most_numbered_groups = 20;

[[noreturn]] void refuse(const std::string& what) {
    throw InvalidInput(Reason::bad_option, what);
}

/// Returns the columns whose cells may be missing: those that are described, and the weights.
std::vector<std::string> with_weights(std::vector<std::string> columns, const std::string& weight) {
    if (!weight.empty()) columns.push_back(weight);
    return columns;
}

/// Returns what is called so; nothing for other text, and for "drop", which fills nothing in.
std::optional<Missing> find_missing(const std::string& text) {
    if (text == "mean") return Missing::mean;
    if (text == "most_frequent") return Missing::most_frequent;
    return text == "indicator" ? std::optional(Missing::indicator) : std::nullopt;
}

}  // namespace

FileDescription::FileDescription(const InputOptions& options, const std::vector<std::string>& columns)
    : options_(options),
      categorical_("--categorical", options.categorical, columns),
      missing_("--missing", options.missing, with_weights(columns, options.weight)),
      dates_("--dates", options.dates, columns),
      tolerated_(options.bad_rows) {
    check_general_values();
    take_weights();
    given_order_ = date_order(options);
    stream_.date_order = given_order_.value_or(stream_.date_order);
}

namespace {

/// Returns how many of the cells that mean a missing value are levels all the same, since an order names their text.
std::uint64_t taken_as_levels(const ColumnProfile& profile, const std::vector<std::string>& levels) {
    std::uint64_t cells = 0;
    for (const auto& [value, count] : profile.values)
        if (csv::is_missing_value(value) && std::ranges::count(levels, value) > 0) cells += count;
    return cells;
}

}  // namespace

void FileDescription::add_feature(const ColumnProfile& profile) {
    FeatureColumn column{.name = profile.name};
    ColumnPreparation how;
    ColumnNote about{.column = profile.name, .missing = profile.missing, .cells = profile.cells};
    set_kind(profile, column, how, about);
    about.missing -= taken_as_levels(profile, column.levels);
    set_missing(profile, column, how);
    is_described_ = is_described_ || column != FeatureColumn{.name = profile.name};
    stream_.format.columns.push_back(std::move(column));
    stream_.prepare.columns.push_back(how);
    stream_.notes.push_back(std::move(about));
}

void FileDescription::require_flat(const ColumnProfile& profile, const char* what) const {
    if (profile.nested <= tolerated_) return;
    throw InvalidInput(Reason::malformed, csv::input_name(options_.input) + ": " + what + " " +
                                              csv::shown(profile.name) + " has arrays or objects in " +
                                              counted(profile.nested, "row") +
                                              ": make columns of all that is nested, and name one of those: " +
                                              csv::flattened(csv::input_name(options_.input)));
}

void FileDescription::refuse_gaps(const ColumnProfile& profile, const std::string& what) const {
    throw InvalidInput(Reason::bad_feature, csv::input_name(options_.input) + ": " + what + " lacks " +
                                                counted(profile.missing, "value") + ": --missing " +
                                                shell_word(profile.name + "=drop") + " leaves such rows out");
}

void FileDescription::add_attribute(const ColumnProfile& profile) {
    require_flat(profile, "group column");
    Attribute attribute{profile.name, {}};
    for (const auto& [value, count] : profile.values)
        if (options_.unknown_group.empty() ? !(value.empty() || is_dropped(profile, value))
                                           : !csv::is_missing_value(value))
            attribute.groups.push_back(value);
    csv::sort_values(attribute.groups);
    if (!options_.unknown_group.empty() && std::erase(attribute.groups, options_.unknown_group) > 0)
        note("--unknown-group " + options_.unknown_group + ": no target or figure is about that group of column " +
             csv::shown(profile.name));
    require_groups(profile, attribute);
    note_texts(profile.name, "groups", attribute.groups);
    note(spellings_note(profile, "each is a group"));
    const bool leaves_gaps_out = profile.missing == profile.empty && profile.empty <= tolerated_;
    if (profile.empty == 0) gaps_.add(profile.name, attribute.groups);
    if (missing_.of(profile.name) == "drop") {
        stream_.needed.push_back(profile.name);
    } else if (options_.unknown_group.empty() && profile.empty > 0 && !leaves_gaps_out) {
        throw InvalidInput(
            Reason::unknown_group,
            csv::input_name(options_.input) + ": group column " + csv::shown(profile.name) + " has " +
                (profile.missing == profile.empty ? counted(profile.empty, "empty cell")
                                                  : counted(profile.missing, "cell") + " without a value, of which " +
                                                        counted(profile.empty, "is", "are") + " empty") +
                (profile.empty == 1 ? ", in line " : ", the first in line ") + std::to_string(profile.line_of_gap) +
                ": --unknown-group unknown makes them a group of that name, which no "
                "target or figure is about; --missing " +
                shell_word(profile.name + "=drop") + " leaves such rows out");
    }
    if (!options_.unknown_group.empty()) {
        attribute.groups.push_back(options_.unknown_group);
        attribute.has_unknown = true;
    }
    stream_.format.attributes.push_back(std::move(attribute));
}

void FileDescription::add_ids(const ColumnProfile& profile) {
    require_flat(profile, "column of ids");
    const std::uint64_t texts = profile.cells - profile.nested - profile.ids - profile.empty;
    const bool is_header = profile.first_text == profile.name && profile.alike == texts;  // that comes again
    stream_.format.has_text_ids = texts > 0 && !is_header;
    if (!stream_.format.has_text_ids || profile.empty <= tolerated_) return;
    throw InvalidInput(Reason::malformed, csv::input_name(options_.input) + ": column " + csv::shown(profile.name) +
                                              " of ids has " + counted(profile.empty, "empty cell") +
                                              ", the first in line " + std::to_string(profile.line_of_gap) +
                                              ": every point needs an id: --bad-rows " +
                                              counted(static_cast<std::int64_t>(profile.empty)) +
                                              " leaves out rows without one, and without --id it is the row's number");
}

void FileDescription::add_target(const ColumnProfile& profile) {
    require_flat(profile, "target column");
    stream_.format.has_targets = true;
    if (missing_.of(profile.name) == "drop") {
        stream_.needed.push_back(profile.name);
    } else if (profile.missing > 0 && !options_.targets_come_later) {
        refuse_gaps(profile, "target column " + csv::shown(profile.name));
    }
    if (!options_.positive.empty()) {
        const auto is_yes = [&](const std::string& level) { return csv::is_same_answer(options_.positive, level); };
        if (std::ranges::none_of(profile.levels(), is_yes) && !profile.has_more_values)
            refuse("--positive " + options_.positive + ": is no value of column '" + profile.name + "', which has " +
                   with_commas(profile.levels()));
        stream_.positive = options_.positive;
        note(negatives_note(profile, options_.positive));
        return;
    }
    const CellKind kind = profile.kind(tolerated_);
    note(spellings_note(profile, "they are taken for two values"));
    if (kind == CellKind::truth) stream_.positive = truth_words(profile)->at(1);
    stream_.target_levels = profile.levels();
    note(stand_in_note(profile));
    if (kind != CellKind::text && kind != CellKind::date) return;
    if (holds_odd_numbers(profile)) return problems_.add_text(profile, false);
    const std::vector<std::string> levels = profile.levels();
    const bool two = levels.size() == 2;
    throw InvalidInput(Reason::bad_feature,
                       csv::input_name(options_.input) + ": target column " + csv::shown(profile.name) +
                           " is text: name the value that means yes with --positive " +
                           (two ? shell_word(levels[0]) + " or --positive " + shell_word(levels[1]) : "VALUE") +
                           (two ? "" : "; it has " + values_text(profile)));
}

void FileDescription::require_utf8() const {
    const auto require = [&](const std::string& column, const std::vector<std::string>& texts) {
        const auto wrong = std::ranges::find_if_not(texts, csv::is_utf8);
        if (wrong == texts.end()) return;
        throw InvalidInput(Reason::malformed, csv::input_name(options_.input) + ": column " + csv::shown(column) +
                                                  " has " + csv::shown(*wrong) +
                                                  ", which is not UTF-8, and cannot be saved: if it is Latin-1, " +
                                                  csv::edited_by("iconv -f latin1 -t utf-8", options_.input.string()));
    };
    for (const FeatureColumn& column : stream_.format.columns) {
        require(column.name, {column.name});
        require(column.name, column.levels);
    }
    for (const Attribute& attribute : stream_.format.attributes) {
        require(attribute.name, {attribute.name});
        require(attribute.name, attribute.groups);
    }
}

InputStream FileDescription::take(std::vector<std::string> names) {
    if (options_.describes) require_utf8();
    problems_.require_none(csv::input_name(options_.input), !options_.id.empty());
    require_one_decimal_mark();
    note_unused();
    note(gaps_.note(options_.unknown_group));
    stream_.format.dimensions = static_cast<std::uint32_t>(names.size());
    stream_.features = std::move(names);
    if (!is_described_ && !options_.describes) {
        stream_.format.columns.clear();
        stream_.prepare.columns.clear();
        stream_.notes.clear();
    }
    return std::move(stream_);
}

void FileDescription::check_general_values() const {
    if (const auto value = missing_.of(""); value && !find_missing(*value) && *value != "drop")
        refuse("--missing " + *value + ": must be drop, mean, most_frequent or indicator");
    if (const auto value = dates_.of(""); value && !find_date_unit(*value))
        refuse("--dates " + *value + ": must be seconds, hours, days or years");
    if (const auto value = categorical_.of("")) require_encoding("--categorical " + *value, *value);
}

void FileDescription::take_weights() {
    if (options_.weight.empty()) return;
    if (const auto named = missing_.named(options_.weight); named && *named != "drop")
        refuse("--missing " + options_.weight + "=" + *named +
               ": a weight is not filled in; =drop leaves rows without one out");
    if (missing_.of(options_.weight) == "drop") stream_.needed.push_back(options_.weight);
}

void FileDescription::note_unused() {
    const auto note_one = [&](const ByColumn& option, bool is_used, const char* kind) {
        if (const auto value = option.of(""); value && !is_used)
            note(option.option() + " " + *value + " has no effect: no feature is " + kind);
    };
    note_one(dates_, has_dates_, "a date");
    note_one(categorical_, has_categories_, "text");
}

bool FileDescription::is_dropped(const ColumnProfile& profile, const std::string& value) const {
    return missing_.of(profile.name) == "drop" && csv::is_missing_value(value);
}

void FileDescription::require_groups(const ColumnProfile& profile, const Attribute& attribute) const {
    const std::string column = "group column " + csv::shown(profile.name) + " has ";
    if (profile.has_more_values) refuse(column + values_text(profile) + ": is this an id, or a number? Groups are few");
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

void FileDescription::set_kind(const ColumnProfile& profile, FeatureColumn& column, ColumnPreparation& how,
                               ColumnNote& about) {
    if (profile.name == options_.prediction && profile.kind(tolerated_) == CellKind::text &&
        !holds_odd_numbers(profile))
        refuse("prediction = " + profile.name + ": the column is text, " + values_text(profile) + ", such as " +
               csv::shown(profile.first_text) +
               ": predictions are numbers, or words such as no and yes; write 0 and 1 for them");
    if (profile.nested > tolerated_) return problems_.add_nested(profile);
    if (const auto named = categorical_.named(profile.name)) return set_category(profile, *named, column, how, about);
    const CellKind kind = profile.kind(tolerated_);
    if (dates_.named(profile.name) && kind != CellKind::date)
        refuse("--dates: column '" + profile.name + "' holds " +
               (std::ranges::max(profile.dates) > 0 ? "cells that are no dates in one order" : "no dates") +
               (profile.first_text.empty() ? "" : ", such as " + csv::shown(profile.first_text)) +
               (odd_cells(profile) > 0
                    ? ": --bad-rows " + std::to_string(odd_cells(profile)) + " leaves rows with such cells out"
                    : ""));
    switch (kind) {
        case CellKind::missing:
            problems_.add_empty(profile);
            return;
        case CellKind::number:
            about.holds = "numbers";
            note_number(profile);
            return;
        case CellKind::truth: {
            const auto words = csv::truth_words(profile);
            column.levels = {words->at(0), words->at(1)};
            how.encoding = Encoding::ordinal;
            about.holds = words->at(0) + ", " + words->at(1);
            note(spellings_note(profile, "they are taken for two values"));
            return;
        }
        case CellKind::date:
            note(stand_in_note(profile));
            return set_dates(profile, column, about);
        case CellKind::text:
            // An option for all text is none for numbers and dates of which a few cells, or how they are written,
            // hinder.
            if (const auto general = categorical_.of(profile.name); general && !holds_odd_values(profile)) {
                note(text_id_note(profile, !options_.id.empty()));
                return set_category(profile, *general, column, how, about);
            }
            if (holds_dates_in_two_orders(profile)) return problems_.add_disordered(profile, order_of_most(profile));
            problems_.add_text(profile);
            add_odd_dates(profile);
    }
}

void FileDescription::note(std::optional<std::string> text) {
    if (text) stream_.hints.push_back(std::move(*text));
}

void FileDescription::note_texts(const std::string& column, const std::string& what,
                                 const std::vector<std::string>& texts) {
    for (std::string& text : text_notes(column, what, texts, options_.input.string())) note(std::move(text));
}

void FileDescription::note_number(const ColumnProfile& profile) {
    problems_.add_numbers(profile);
    note_mark(profile.name, profile.with_point, of_point_);
    note_mark(profile.name, profile.with_comma, of_comma_);
    note(decimal_mark_note(profile));
    if (profile.name != options_.prediction) note(id_note(profile, !options_.id.empty()));
    note(stand_in_note(profile));
}

void FileDescription::note_mark(const std::string& column, const csv::NumbersWithMark& numbers, MarkOfFile& mark) {
    if (numbers.count() == 0) return;
    if (mark.column.empty()) {
        mark.column = column;
        mark.first = numbers.first();
    }
    mark.may_be_thousands = mark.may_be_thousands && numbers.may_separate_thousands();
}

void FileDescription::require_one_decimal_mark() const {
    if (of_comma_.column.empty() || of_point_.column.empty()) return;
    std::string remedy = "a file has one decimal mark, so write all numbers alike";
    if (of_point_.may_be_thousands) remedy = "if the points separate thousands, add --decimal-mark comma";
    if (of_comma_.may_be_thousands)
        remedy = (of_point_.may_be_thousands ? remedy + "; " : "") +
                 "if the commas separate thousands, add --decimal-mark point";
    throw InvalidInput(Reason::bad_feature, csv::input_name(options_.input) + ": column " +
                                                csv::shown(of_comma_.column) + " has commas, such as " +
                                                of_comma_.first + ", and column " + csv::shown(of_point_.column) +
                                                " has points, such as " + of_point_.first + ": " + remedy);
}

void FileDescription::add_odd_dates(const ColumnProfile& profile) {
    if (!holds_odd_dates(profile) || dates_.of(profile.name)) return;
    problems_.add_dates(profile, !given_order_ && !profile.date_order(odd_cells(profile)));
}

std::optional<DateOrder> FileDescription::order_of_most(const ColumnProfile& profile) const {
    const std::uint64_t odd = odd_cells(profile);
    if (odd == 0) return std::nullopt;
    if (!given_order_) return profile.date_order(odd);
    const bool fits = profile.dates[static_cast<std::size_t>(*given_order_)] + odd == profile.values_there();
    return fits ? given_order_ : std::nullopt;
}

void FileDescription::set_dates(const ColumnProfile& profile, FeatureColumn& column, ColumnNote& about) {
    const std::optional<std::string> unit = dates_.of(profile.name);
    const std::optional<DateOrder> order = given_order_ ? given_order_ : profile.date_order(tolerated_);
    if (!unit || !order) return problems_.add_dates(profile, !order);
    const std::optional<DateUnit> found = find_date_unit(*unit);
    if (!found) refuse("--dates " + *unit + ": must be seconds, hours, days or years");
    has_dates_ = true;
    column.dates = *found;
    column.date_order = *order;
    about.is_within_day = is_time_of_day(profile);
    const bool are_alike = std::ranges::adjacent_find(profile.dates, std::not_equal_to()) == profile.dates.end();
    about.holds = about.is_within_day          ? "times of day"
                  : are_alike && !given_order_ ? "dates"
                                               : "dates, " + words_of(to_string(*order));
}

void FileDescription::set_category(const ColumnProfile& profile, const std::string& value, FeatureColumn& column,
                                   ColumnPreparation& how, ColumnNote& about) {
    has_categories_ = true;
    const std::string option = "--categorical " + profile.name + "=" + value;
    about.holds = "text, " + values_text(profile);
    if (value == "hash" || value.starts_with("hash:")) {
        column.buckets = buckets_of(option, value);
        return;
    }
    require_encoding(option, value);
    if (profile.has_more_values)
        refuse(option + ": it has " + values_text(profile) + "; --categorical " + profile.name +
               "=hash puts them into " + std::to_string(usual_buckets) + " columns");
    column.levels = profile.levels();
    if (column.levels.empty()) return problems_.add_empty(profile);
    note_texts(profile.name, "values", column.levels);
    if (value == "onehot") return;
    how.encoding = Encoding::ordinal;
    if (value == "ordinal")
        note(order_note(column.name, column.levels));
    else
        set_order(profile, ordered(option, value, column.levels), column, about);
}

/// Takes the levels of an order, among which may be words that mean a missing value elsewhere.
void FileDescription::set_order(const ColumnProfile& profile, std::vector<std::string> levels, FeatureColumn& column,
                                ColumnNote& about) {
    column.levels = std::move(levels);
    const auto is_there = [&](const auto& value) { return std::ranges::count(column.levels, value.first) > 0; };
    about.holds = "text, " + counted(std::ranges::count_if(profile.values, is_there), "value");
}

void FileDescription::set_missing(const ColumnProfile& profile, FeatureColumn& column, ColumnPreparation& how) {
    const bool is_split = column.is_category() && how.encoding == Encoding::onehot;
    if (is_split) how.missing = Missing::most_frequent;
    const std::optional<std::string> named = missing_.named(profile.name), rule = missing_.of(profile.name);
    if (profile.missing == taken_as_levels(profile, column.levels) && !named) return;
    if (profile.name == options_.prediction && profile.missing > 0 && rule != "drop")
        refuse_gaps(profile, "column " + csv::shown(profile.name) + " of predictions");
    if (!rule) {
        const CellKind kind = profile.kind(tolerated_);
        const bool is_text = kind == CellKind::text && !holds_odd_numbers(profile);
        if (kind != CellKind::missing) problems_.add_missing(profile, !is_text && !is_split);
        return;
    }
    if (*rule == "drop") {
        stream_.needed.push_back(profile.name);
        return;
    }
    column.may_be_missing = true;
    if (*rule == "mean" && is_split && named)
        refuse("--missing " + profile.name + "=mean: a category has no mean; =most_frequent or =indicator");
    const std::optional<Missing> found = find_missing(*rule);
    if (!found) refuse("--missing " + *rule + ": must be drop, mean, most_frequent or indicator");
    how.missing = *found == Missing::mean && is_split ? Missing::most_frequent : *found;
}

}  // namespace fairstream::command
