#include <fairstream/input/described_file.hpp>

#include <algorithm>
#include <functional>
#include <map>
#include <utility>

#include <fairstream/base/nearest_name.hpp>
#include <fairstream/base/number_text.hpp>
#include <fairstream/data/preparation.hpp>
#include <fairstream/files/cells/numbers.hpp>
#include <fairstream/input/advice.hpp>
#include <fairstream/input/by_column.hpp>
#include <fairstream/input/category_options.hpp>
#include <fairstream/text/numbers.hpp>
#include <fairstream/text/shell_word.hpp>

namespace fairstream::files {
namespace {

constexpr std::size_t most_dimensions = 65536;      // largest number of dimensions of a `StreamFormat`
constexpr std::uint64_t most_numbered_groups = 20;  // columns of numbers with more values are hardly groups
constexpr std::size_t most_split = 50;              // categories with more levels are hashed
constexpr const char *no_value = "has no value", *stray_cells_problem = "has cells unlike all others";

[[noreturn]] void refuse(const std::string& what) {
    throw InvalidInput(Reason::bad_option, what);
}

std::string values_text(const ColumnProfile& column) {
    return column.has_more_values ? "more than " + counted(most_kept_values) + " values"
                                  : counted(column.levels().size(), "value");
}

std::string share_text(std::uint64_t some, std::uint64_t all) {
    return counted(static_cast<std::int64_t>(some)) + " of " + counted(static_cast<std::int64_t>(all));
}

std::string first_text(const ColumnProfile& column) {
    return shown(column.first_text) + " in line " + std::to_string(column.line_of_text);
}

/// Returns whether all cells with a value hold arrays or objects, as JSON lines may have them.
bool is_nested(const ColumnProfile& column) {
    return (column.first_text == "{...}" || column.first_text == "[...]") && column.texts == column.value_count();
}

/// Returns whether a text is a number with marks of thousands, a currency or a per cent sign, which are not read.
bool is_number_with_marks(std::string_view text) {
    constexpr std::string_view marks = ".$%,'()+- \xc2\xa0\xa3\xa5\xe2\x80\xaf\x82\xac\x99\x88\x92";
    const bool has_mark = text.find_first_of(marks.substr(0, 7)) != std::string_view::npos ||
                          text.find_first_of(marks.substr(9)) != std::string_view::npos;
    return has_mark && text.find_first_of("0123456789") != std::string_view::npos &&
           text.find_first_not_of(std::string(marks) + "0123456789") == std::string_view::npos;
}

/// Returns the number of cells that are not numbers (or dates), if they are few or all the same text; otherwise 0.
std::uint64_t stray_cells(const ColumnProfile& column) {
    constexpr std::uint64_t least_ratio = 10, least_ratio_of_one = 2, least_beside_one = 2;
    const std::uint64_t there = column.value_count();
    const std::uint64_t stray = there - std::max(column.numbers, std::ranges::max(column.dates));
    const bool is_one_text = column.texts > 1 && column.equal_to_first_text == column.texts && stray == column.texts &&
                             column.first_text.find_first_of("0123456789") == std::string::npos;
    if (stray == 1 && column.numbers >= least_beside_one) return stray;  // such as a unit below the header
    return stray * (is_one_text ? least_ratio_of_one : least_ratio) <= there ? stray : 0;
}

bool is_time_of_day(const ColumnProfile& column) {
    return column.times_of_day > 0 && column.times_of_day == std::ranges::max(column.dates);
}

/// Returns the number of cells whose text usually means a missing value but is named as a level by an order.
std::uint64_t missing_texts_among_levels(const ColumnProfile& profile, const std::vector<std::string>& levels) {
    std::uint64_t cells = 0;
    for (const auto& [value, count] : profile.values)
        if (is_missing_value(value) && std::ranges::count(levels, value) > 0) cells += count;
    return cells;
}

/// Returns the treatment of missing values with this name; nothing for other text, and for "drop", which fills nothing
/// in.
std::optional<Missing> find_missing(const std::string& text) {
    if (text == "mean") return Missing::mean;
    if (text == "most_frequent") return Missing::most_frequent;
    return text == "indicator" ? std::optional(Missing::indicator) : std::nullopt;
}

/// Returns a note on a feature that is probably an id: by its name or because it counts the rows, and no value repeats.
/// `has_ids`: another column holds the ids of the points.
std::optional<std::string> id_note(const ColumnProfile& profile, bool has_ids) {
    constexpr std::uint64_t least = 20;
    const bool is_text = profile.numbers == 0;
    const bool holds_ids =
        profile.has_distinct_values && profile.cells >= least && (is_text || profile.ids == profile.cells);
    const bool is_named_so = may_name_ids(profile.name) || profile.name.starts_with("column ") ||
                             in_lower_case(profile.name).starts_with("unnamed:");
    if (!holds_ids || !(is_text || is_named_so || profile.counts_rows)) return std::nullopt;
    return "column " + shown(profile.name) + " is a feature, and " +
           (profile.counts_rows ? "numbers the rows" : "all its values differ") +
           (has_ids ? ": if it is not a feature, add --leave-out " : ": if these are ids, add --id ") +
           shell_word(profile.name);
}

/// Returns a note on numbers that may really be a thousand times as large: every number with a mark has three digits
/// behind it, and some have no mark. Nothing for files with commas between cells, whose numbers hardly ever have marks
/// of thousands.
std::optional<std::string> thousands_note(const ColumnProfile& profile, const Shape& shape) {
    const bool is_doubtful =
        profile.grouped > 0 && profile.grouped == profile.marked && profile.marked < profile.numbers;
    if (!is_doubtful || !shape.is_delimited() || shape.separator == ',') return std::nullopt;
    std::string whole = profile.first_grouped;
    std::erase_if(whole, [](char c) { return c == '.' || c == ','; });
    return "column " + shown(profile.name) + " has whole numbers and others such as " + profile.first_grouped +
           ", which is read as a decimal number: if it means " + whole + ", remove the thousands marks from the file";
}

/// Returns a note on features with the same value in all rows; nothing if there are none.
std::optional<std::string> constant_note(const std::vector<ColumnProfile>& profiles, std::size_t features) {
    constexpr std::uint64_t least_rows = 10;
    constexpr std::size_t most_named = 20;
    std::vector<std::string> constant;
    for (std::size_t i = 0; i < features; ++i)
        if (profiles[i].values.size() == 1 && profiles[i].missing == 0 && profiles[i].cells >= least_rows)
            constant.push_back(profiles[i].name);
    if (constant.empty() || constant.size() > most_named) return std::nullopt;
    if (constant.size() == features) return "all points are equal: every feature has only one value";
    return (constant.size() == 1 ? "column " : "columns ") + first_shown(constant, most_named) +
           (constant.size() == 1 ? " has only one value" : " have only one value each") +
           ", which does not distinguish points: --leave-out " + shell_word(names_text(constant)) + " leaves " +
           (constant.size() == 1 ? "it" : "them") + " out";
}

/// A file whose columns were counted.
struct ProfiledFile {
    InputFile file;
    FileColumns columns;
    std::vector<std::string> features;
    FileProfile profile;
    Shape shape;

    [[nodiscard]] const ColumnProfile& column_profile(const std::string& name) const {
        return *std::ranges::find(profile.columns, name, &ColumnProfile::name);
    }
};

/// Describes the columns of a file one by one. Each function throws `InvalidInput` for options that contradict each
/// other or the file.
class Description {
public:
    Description(const InputOptions& options, const ProfiledFile& file, ColumnProblems& problems)
        : options_(options),
          file_(file),
          problems_(problems),
          categorical_("--categorical", options.categorical, file.features, other_roles(options)),
          missing_("--missing", options.missing, names_of(file.profile, options.weight), other_roles(options)),
          dates_("--dates", options.dates, file.features, other_roles(options)),
          tolerated_(options.bad_rows),
          given_order_(date_order(options)) {
        check_general_values();
        if (options.weight.empty()) return;
        if (const auto named = missing_.named(options.weight); named && *named != "drop")
            refuse("--missing " + options.weight + "=" + *named +
                   ": a missing weight cannot be filled in; with =drop, rows without a weight are left out");
        if (missing_.of(options.weight) == "drop") stream_.needed.push_back(options.weight);
    }

    InputStream describe(bool learns) {
        const Roles& roles = file_.columns.roles;
        for (const std::string& name : file_.features) add_feature(file_.column_profile(name));
        for (const GroupColumn& column : roles.groups) add_attribute(file_.column_profile(column.name));
        if (!roles.id.empty()) add_ids(file_.column_profile(roles.id));
        if (learns && !roles.target.empty()) add_target(file_.column_profile(roles.target));
        if (options_.describes) require_utf8();
        note_unused(dates_, has_dates_, "a date");
        note_unused(categorical_, has_categories_, "text");
        StreamFormat& format = stream_.format;
        format.dimensions = static_cast<std::uint32_t>(file_.features.size());
        format.has_targets = learns && !roles.target.empty();
        format.targets_come_later = format.has_targets && options_.targets_come_later;
        format.has_weights = !roles.weight.empty();
        stream_.reader.missing_texts = options_.missing_texts;
        stream_.reader.decimal_mark = file_.columns.formats.cells.decimal_mark;
        if (file_.shape.decimal_mark == DecimalMark::comma && options_.decimal_mark.empty())
            stream_.reader.decimal_mark = DecimalMark::comma;
        stream_.features = file_.features;
        stream_.file = file_.file;
        if (!is_described_ && !options_.describes) {
            format.columns.clear();
            stream_.prepare.columns.clear();
            stream_.notes.clear();
        }
        return std::move(stream_);
    }

private:
    static std::vector<std::string> names_of(const FileProfile& profile, const std::string& weight) {
        std::vector<std::string> names;
        for (const ColumnProfile& column : profile.columns) names.push_back(column.name);
        if (!weight.empty()) names.push_back(weight);
        return names;
    }

    /// Returns the columns that are not features, each with the reason.
    static std::map<std::string, std::string> other_roles(const InputOptions& options) {
        std::map<std::string, std::string> roles;
        for (const std::string& name : options.left_out) roles.emplace(name, "is left out by --leave-out");
        for (const std::string& name : options.groups) roles.emplace(name, "is a group column (--group)");
        for (const auto& [name, role] :
             {std::pair(options.target, "is the target (--target)"), std::pair(options.id, "holds the ids (--id)"),
              std::pair(options.classes, "holds the true classes (--target)"),
              std::pair(options.weight, "holds the weights (--weight)"),
              std::pair(options.split, "holds the part of each point (--split)")})
            roles.emplace(name, role);
        return roles;
    }

    /// Throws if a value of an option that is given for all columns is valid for none.
    void check_general_values() const {
        if (const auto value = missing_.of(""); value && !find_missing(*value) && *value != "drop")
            refuse("--missing " + *value + ": must be drop, mean, most_frequent or indicator");
        if (const auto value = dates_.of(""); value && !find_date_unit(*value))
            refuse("--dates " + *value + ": must be seconds, hours, days or years");
        if (const auto value = categorical_.of("")) require_encoding("--categorical " + *value, *value);
    }

    void note(std::optional<std::string> text) {
        if (text) stream_.hints.push_back(std::move(*text));
    }

    /// Notes that an option for all columns of a kind has no effect, as there is no such column.
    void note_unused(const ByColumn& option, bool is_used, const char* kind) {
        if (const auto value = option.of(""); value && !is_used)
            note(option.option() + " " + *value + " has no effect: no feature is " + kind);
    }

    /// Throws for text that configurations and recordings cannot hold.
    void require_utf8() const {
        const auto require = [&](const std::string& column, const std::vector<std::string>& texts) {
            const auto wrong = std::ranges::find_if_not(texts, is_utf8);
            if (wrong == texts.end()) return;
            throw InvalidInput(Reason::malformed, file_.file.name() + ": column " + shown(column) + " has " +
                                                      shown(*wrong) +
                                                      ", which is not UTF-8 and cannot be saved: " + utf8_remedy);
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

    void add_feature(const ColumnProfile& profile) {
        FeatureColumn column{.name = profile.name};
        ColumnPreparation preparation;
        ColumnNote about{.column = profile.name, .missing = profile.missing, .cells = profile.cells};
        set_kind(profile, column, preparation, about);
        about.missing -= missing_texts_among_levels(profile, column.levels);
        set_missing(profile, column, preparation);
        is_described_ = is_described_ || column != FeatureColumn{.name = profile.name};
        stream_.format.columns.push_back(std::move(column));
        stream_.prepare.columns.push_back(preparation);
        stream_.notes.push_back(std::move(about));
    }

    void set_kind(const ColumnProfile& profile, FeatureColumn& column, ColumnPreparation& preparation,
                  ColumnNote& about) {
        const CellKind kind = profile.kind(tolerated_);
        if (profile.name == options_.prediction && kind == CellKind::text && stray_cells(profile) == 0)
            refuse("prediction = " + profile.name + ": the column is text (" + values_text(profile) + ", such as " +
                   shown(profile.first_text) +
                   "): must be numbers, or words such as no and yes; write 0 and 1 instead");
        if (const auto named = categorical_.named(profile.name))
            return set_category(profile, *named, column, preparation, about);
        if (dates_.named(profile.name) && kind != CellKind::date)
            refuse("--dates: column '" + profile.name + "' holds " +
                   (std::ranges::max(profile.dates) > 0 ? "cells that are not dates in one order" : "no dates") +
                   (profile.first_text.empty() ? "" : ", such as " + first_text(profile)));
        switch (kind) {
            case CellKind::missing:
                problems_.add(profile.name, no_value);
                return problems_.advise("--leave-out", profile.name);
            case CellKind::number:
                about.contents = "numbers";
                if (profile.name != options_.prediction) note(id_note(profile, !options_.id.empty()));
                return note(thousands_note(profile, file_.shape));
            case CellKind::truth: {
                const auto words = truth_words(profile);
                column.levels = {words->at(0), words->at(1)};
                preparation.encoding = Encoding::ordinal;
                about.contents = words->at(0) + ", " + words->at(1);
                return;
            }
            case CellKind::date:
                return set_dates(profile, column, about);
            case CellKind::text:
                // --categorical for all columns does not apply to columns of numbers or dates with a few stray cells.
                if (const auto general = categorical_.of(profile.name);
                    general && stray_cells(profile) == 0 && !is_number_with_marks(profile.first_text))
                    return set_category(profile, *general, column, preparation, about);
                return add_text(profile);
        }
    }

    /// Adds a problem: a column of text, or of numbers or dates with stray cells, with the options that read it.
    void add_text(const ColumnProfile& profile) {
        if (is_nested(profile)) {
            problems_.add(profile.name, "has arrays or objects");
            return problems_.advise("--leave-out", profile.name);
        }
        if (const std::uint64_t stray = stray_cells(profile)) return add_stray_cells(profile, stray);
        const std::uint64_t most = std::ranges::max(profile.dates);
        if (most > 0 && profile.texts == 0 && profile.numbers == 0) {
            problems_.add(profile.name, "holds dates, some with the day first and others with the month first");
            return problems_.advise("--leave-out", profile.name);
        }
        if (is_number_with_marks(profile.first_text)) {
            problems_.add(
                profile.name,
                "holds numbers with thousands marks, or with currency or per cent signs, which are not read (to keep "
                "such a column, first remove the marks and signs from the file)",
                "such as " + first_text(profile));
            return problems_.advise("--leave-out", profile.name);
        }
        const bool are_ids = profile.has_distinct_values && profile.cells > most_split;
        const std::string where = profile.has_more_values ? " in the first " + counted(most_kept_values) : "";
        problems_.add(
            profile.name, "is text",
            (are_ids ? "all values differ" + where : values_text(profile)) + ", such as " + shown(profile.first_text));
        if (are_ids && options_.id.empty() && !has_id_) {
            has_id_ = true;
            problems_.advise("--id", profile.name);
        } else if (are_ids) {
            problems_.advise("--leave-out", profile.name);
        } else {
            const bool has_many = profile.has_more_values || profile.levels().size() > most_split;
            problems_.advise("--categorical", profile.name, has_many ? "hash" : "onehot");
        }
    }

    /// Adds a problem: a column with a few stray cells. If they have one text, it may mean a missing value.
    void add_stray_cells(const ColumnProfile& profile, std::uint64_t stray) {
        const bool is_one_word = profile.texts > 1 && profile.equal_to_first_text == profile.texts &&
                                 stray == profile.texts &&
                                 profile.first_text.find_first_of("0123456789") == std::string::npos;
        problems_.add(
            profile.name, stray_cells_problem,
            share_text(stray, profile.cells) +
                (profile.first_text.empty() ? ""
                                            : (is_one_word ? ", all of them " : ", such as ") + first_text(profile)));
        if (is_one_word) {
            problems_.advise("--missing-text", profile.name, profile.first_text);
            if (profile.missing == 0 && !missing_.of(profile.name)) problems_.advise("--missing", profile.name, "mean");
        } else {
            problems_.leave_out_cells(stray);
        }
        const bool are_dates = std::ranges::max(profile.dates) > profile.numbers;
        if (are_dates && !dates_.of(profile.name))
            add_dates(profile, given_order_ ? given_order_ : profile.date_order(stray));
    }

    void add_dates(const ColumnProfile& profile, std::optional<DateOrder> order) {
        if (is_time_of_day(profile)) {
            problems_.add(profile.name, "holds times of day");
            return problems_.advise("--dates", profile.name, "hours");
        }
        problems_.add(profile.name, order ? "holds dates" : "holds dates in which day or month may come first");
        if (!dates_.of(profile.name)) problems_.advise("--dates", profile.name, "days");
        if (!order) problems_.advise("--date-order", "", "day_first");
    }

    void set_dates(const ColumnProfile& profile, FeatureColumn& column, ColumnNote& about) {
        const std::optional<std::string> unit = dates_.of(profile.name);
        const std::optional<DateOrder> order = given_order_ ? given_order_ : profile.date_order(tolerated_);
        if (!unit || !order) return add_dates(profile, order);
        const std::optional<DateUnit> found = find_date_unit(*unit);
        if (!found) refuse("--dates " + *unit + ": must be seconds, hours, days or years");
        has_dates_ = true;
        column.dates = *found;
        stream_.reader.set_date_order(stream_.format.columns.size(), *order);
        about.has_only_times_of_day = is_time_of_day(profile);
        const bool are_alike = std::ranges::adjacent_find(profile.dates, std::not_equal_to()) == profile.dates.end();
        about.contents = about.has_only_times_of_day  ? "times of day"
                         : are_alike && !given_order_ ? "dates"
                                                      : "dates, " + words_of(to_string(*order));
    }

    void set_category(const ColumnProfile& profile, const std::string& value, FeatureColumn& column,
                      ColumnPreparation& preparation, ColumnNote& about) {
        has_categories_ = true;
        const std::string option = "--categorical " + profile.name + "=" + value;
        about.contents = "text, " + values_text(profile);
        note(id_note(profile, !options_.id.empty()));
        if (value == "hash" || value.starts_with("hash:")) {
            column.buckets = buckets_of(option, value);
            return;
        }
        require_encoding(option, value);
        if (profile.has_more_values)
            refuse(option + ": the column has " + values_text(profile) + "; --categorical " + profile.name +
                   "=hash hashes them into " + std::to_string(usual_buckets) + " columns");
        column.levels = profile.levels();
        if (column.levels.empty()) {
            problems_.add(profile.name, no_value);
            return problems_.advise("--leave-out", profile.name);
        }
        if (value == "onehot") return;
        preparation.encoding = Encoding::ordinal;
        if (value == "ordinal") return;
        // Levels in an order may be words that usually mean a missing value.
        column.levels = ordered(option, value, column.levels);
        const auto is_there = [&](const auto& each) { return std::ranges::count(column.levels, each.first) > 0; };
        about.contents = "text, " + counted(std::ranges::count_if(profile.values, is_there), "value");
    }

    void set_missing(const ColumnProfile& profile, FeatureColumn& column, ColumnPreparation& preparation) {
        const bool is_split = column.is_category() && preparation.encoding == Encoding::onehot;
        if (is_split) preparation.missing = Missing::most_frequent;
        const std::optional<std::string> named = missing_.named(profile.name), rule = missing_.of(profile.name);
        if (profile.missing == missing_texts_among_levels(profile, column.levels) && !named) return;
        if (profile.name == options_.prediction && profile.missing > 0 && rule != "drop")
            refuse_missing_values(profile, "column " + shown(profile.name) + " of predictions");
        if (!rule) {
            if (problems_.advises_leaving_out(profile.name)) return;
            const CellKind kind = profile.kind(tolerated_);
            problems_.add(profile.name, "lacks values", share_text(profile.missing, profile.cells));
            // With missing cells filled in by the only value, the column would be constant.
            const bool has_one_value =
                profile.value_count() > 1 && !profile.has_more_values && profile.levels().size() == 1;
            const bool is_text = kind == CellKind::text && stray_cells(profile) == 0;
            return problems_.advise("--missing", profile.name,
                                    has_one_value         ? "indicator"
                                    : is_text || is_split ? "most_frequent"
                                                          : "mean");
        }
        if (*rule == "drop") {
            stream_.needed.push_back(profile.name);
            return;
        }
        column.may_be_missing = true;
        if (*rule == "mean" && is_split && named)
            refuse("--missing " + profile.name + "=mean: a category has no mean; use =most_frequent or =indicator");
        const std::optional<Missing> found = find_missing(*rule);
        if (!found) refuse("--missing " + *rule + ": must be drop, mean, most_frequent or indicator");
        preparation.missing = *found == Missing::mean && is_split ? Missing::most_frequent : *found;
    }

    /// Throws for missing values without a fill.
    [[noreturn]] void refuse_missing_values(const ColumnProfile& profile, const std::string& what) const {
        throw InvalidInput(Reason::bad_feature, file_.file.name() + ": " + what + " lacks " +
                                                    counted(profile.missing, "value") + ": add --missing " +
                                                    shell_word(profile.name + "=drop") +
                                                    ", which leaves such rows out");
    }

    void add_attribute(const ColumnProfile& profile) {
        const bool has_unknown = !options_.unknown_group.empty(), drops = missing_.of(profile.name) == "drop";
        Attribute attribute{profile.name, {}};
        for (const auto& [value, count] : profile.values)
            if (has_unknown || drops ? !is_missing_value(value) : !value.empty()) attribute.groups.push_back(value);
        sort_values(attribute.groups);
        if (has_unknown && std::erase(attribute.groups, options_.unknown_group) > 0)
            note("--unknown-group " + options_.unknown_group + ": targets and figures leave out this group of column " +
                 shown(profile.name));
        require_groups(profile, attribute);
        note_doubtful_groups(attribute);
        const bool leaves_gaps_out = profile.missing == profile.empty && profile.empty <= tolerated_;
        if (drops) {
            stream_.needed.push_back(profile.name);
        } else if (!has_unknown && profile.empty > 0 && !leaves_gaps_out) {
            throw InvalidInput(Reason::unknown_group,
                               file_.file.name() + ": group column " + shown(profile.name) + " has " +
                                   counted(profile.empty, "empty cell") + ", the first in line " +
                                   std::to_string(profile.first_missing_line) +
                                   ": add --unknown-group unknown, which makes them a group that targets and figures "
                                   "leave out, or --missing " +
                                   shell_word(profile.name + "=drop") + ", which leaves such rows out");
        }
        if (has_unknown) {
            attribute.groups.push_back(options_.unknown_group);
            attribute.has_unknown = true;
        }
        stream_.format.attributes.push_back(std::move(attribute));
    }

    /// Notes a group whose name usually means a missing value, and groups that are spellings of each other.
    void note_doubtful_groups(const Attribute& attribute) {
        const std::string column = "column " + shown(attribute.name) + " has the group";
        std::map<std::string, std::string> spellings;
        for (const std::string& group : attribute.groups) {
            if (is_missing_value(group))
                note(column + " " + shown(group) + ", which usually means a missing value: if so, add " +
                     "--unknown-group " + shell_word(group));
            double number = 0;
            const bool is_number = read_number(group, DecimalMark::point, number) == std::errc();
            const auto [same, is_new] =
                spellings.emplace(is_number ? number_text(number) : in_lower_case(group), group);
            if (!is_new)
                note(column + "s " + shown(same->second) + " and " + shown(group) +
                     ", which differ only in spelling: each counts as a separate group");
        }
    }

    void require_groups(const ColumnProfile& profile, const Attribute& attribute) const {
        const std::string column = "group column " + shown(profile.name) + " has ";
        if (profile.has_more_values)
            refuse(column + values_text(profile) + ": does it hold ids or quantities? A group column has few values");
        const std::size_t groups = attribute.groups.size();
        const bool are_numbers = profile.kind() == CellKind::number;
        const std::uint64_t usual = are_numbers ? most_numbered_groups : most_kept_values;
        if (groups > options_.groups_at_most.value_or(usual))
            refuse(column + std::to_string(groups) + " different " + (are_numbers ? "numbers" : "values") +
                   ": is it a quantity rather than groups? Put its values into a few groups first, or make each value "
                   "a group "
                   "with --groups-at-most " +
                   std::to_string(groups));
        if (groups == 0) refuse(column + "no group: all its cells are missing");
    }

    /// Sets the column of ids: integers or, failing that, texts.
    void add_ids(const ColumnProfile& profile) {
        stream_.format.has_text_ids = profile.cells > profile.ids + profile.empty;
        if (!stream_.format.has_text_ids || profile.empty <= tolerated_) return;
        throw InvalidInput(Reason::malformed, file_.file.name() + ": column " + shown(profile.name) + " of ids has " +
                                                  counted(profile.empty, "empty cell") + ", the first in line " +
                                                  std::to_string(profile.first_missing_line) +
                                                  ": every point needs an id: add --bad-rows " +
                                                  std::to_string(profile.empty) +
                                                  ", which leaves out rows without an id, or remove --id");
    }

    /// Sets the target that a model learns.
    void add_target(const ColumnProfile& profile) {
        const std::string column = "target column " + shown(profile.name);
        if (missing_.of(profile.name) == "drop") {
            stream_.needed.push_back(profile.name);
        } else if (profile.missing > 0 && !options_.targets_come_later) {
            refuse_missing_values(profile, column);
        }
        const std::vector<std::string> levels = profile.levels();
        if (!options_.positive.empty()) {
            const auto is_yes = [&](const std::string& level) { return is_same_answer(options_.positive, level); };
            std::vector<std::string> others = levels;
            std::erase_if(others, is_yes);
            if (others.size() == levels.size() && !profile.has_more_values)
                refuse("--positive " + options_.positive + ": is not a value of column '" + profile.name +
                       "', which has " + with_commas(levels));
            stream_.positive = options_.positive;
            if (!profile.has_more_values && others.size() > 1)
                note(column + ": " + first_shown(others, 5) + " all count as no, since " + shown(options_.positive) +
                     " is yes: if an outcome is unknown, leave its cell empty");
            return;
        }
        const CellKind kind = profile.kind(tolerated_);
        if (kind == CellKind::truth) stream_.positive = truth_words(profile)->at(1);
        stream_.target_levels = levels;
        if (kind != CellKind::text && kind != CellKind::date) return;
        if (const std::uint64_t stray = stray_cells(profile); stray > 0 && profile.numbers > 0) {
            problems_.add(profile.name, stray_cells_problem,
                          share_text(stray, profile.cells) + ", such as " + first_text(profile));
            return problems_.leave_out_cells(stray);
        }
        const bool two = levels.size() == 2;
        throw InvalidInput(Reason::bad_feature,
                           file_.file.name() + ": " + column +
                               " is text: name the value that means yes with --positive " +
                               (two ? shell_word(levels[0]) + " or --positive " + shell_word(levels[1]) : "VALUE") +
                               (two ? "" : "; it has " + values_text(profile)));
    }

    const InputOptions& options_;
    const ProfiledFile& file_;
    ColumnProblems& problems_;
    ByColumn categorical_, missing_, dates_;
    std::uint64_t tolerated_;
    std::optional<DateOrder> given_order_;
    InputStream stream_;
    bool is_described_ = false, has_dates_ = false, has_categories_ = false, has_id_ = false;
};

/// Counts the columns of a file through an open reader.
ProfiledFile profile_file(const InputOptions& options, Reader& reader, bool learns, Listener& listener) {
    ProfiledFile profiled{reader.input(), columns_of(options), {}, {}, reader.shape()};
    const Roles& roles = profiled.columns.roles;
    reader.set_decimal_mark(profiled.columns.formats.cells.decimal_mark);
    reader.set_missing_texts(profiled.columns.formats.cells.missing_texts);
    profiled.features = feature_names(reader, roles);
    if (profiled.features.size() > most_dimensions)
        refuse(reader.input().name() + ": has " + counted(profiled.features.size(), "feature") + ", but at most " +
               std::to_string(most_dimensions) + " are read: name those to read with --features COL,...");
    std::vector<std::string> names = profiled.features;
    for (const GroupColumn& column : roles.groups) names.push_back(column.name);
    if (learns && !roles.target.empty()) names.push_back(roles.target);
    if (!roles.id.empty()) names.push_back(roles.id);
    profiled.profile = profile_columns(
        reader, names, [&](double share) { listener.progress("looking through " + options.name(), share, {}); });
    return profiled;
}

/// Throws for columns that cannot be read. The error names the options with which they can be read, if there are any.
[[noreturn]] void refuse_columns(const InputOptions& options, const ProfiledFile& file, bool learns,
                                 const ColumnProblems& problems, Listener& listener) {
    std::string text = file.file.name() + ": " + problems.text(), advice;
    InputOptions advised = options;
    for (const Advice& one : problems.advice()) {
        one.add_to(advised);
        advice += " " + one.text();
    }
    advised.bad_rows = std::max(options.bad_rows, file.profile.bad_rows + problems.cells_to_leave_out());
    try {
        ColumnProblems left;
        Reader reader = open_reader(file.file, columns_of(advised).roles);
        const ProfiledFile again = profile_file(advised, reader, learns, listener);
        const InputStream stream = Description(advised, again, left).describe(learns);
        std::vector<std::string> first_bad;
        const auto rows = count_rows(file.file, columns_of(advised, stream), &first_bad);
        if (left.empty() && rows && rows->bad < rows->all) {
            if (rows->bad > options.bad_rows) {
                advice += " --bad-rows " + std::to_string(rows->bad);
                text += "; " + counted(rows->bad, "row") + " cannot be used: " + first_few(first_bad, 3, "; ");
            }
            // If no option is advised, the rows to leave out are the only obstacle.
            if (advice.empty()) advice = " --bad-rows " + std::to_string(problems.cells_to_leave_out());
            text += ": add" + advice;
        }
    } catch (const InvalidInput&) {
        // This advice does not help, so the error gives none.
    }
    throw InvalidInput(Reason::bad_feature, text);
}

/// Throws for a file without a well-formed row.
[[noreturn]] void refuse_without_rows(const FileProfile& profile, const Reader& reader, const InputOptions& options) {
    if (profile.bad_rows == 0)
        throw InvalidInput(Reason::malformed, reader.input().name() + ": there are no rows after the header");
    throw InvalidInput(Reason::malformed, profile.first_bad + ", and none of the " + counted(profile.bad_rows, "row") +
                                              " can be used" +
                                              advice_on_header(reader.input(), reader.shape(), options));
}

std::vector<std::string> unused_missing_text_notes(const Reader& reader) {
    std::vector<std::string> notes;
    for (const std::string& text : reader.unused_missing_texts()) {
        const std::string name = text.substr(0, text.find('='));
        const bool names_none = name.size() < text.size() && !reader.has_column(name);
        notes.push_back(
            "--missing-text " + shell_word(text) + " has no effect: no cell has that text" +
            (names_none ? ", and there is no column " + shown(name) + did_you_mean(name, reader.header()) : ""));
    }
    return notes;
}

}  // namespace

bool may_name_ids(const std::string& column) {
    const std::string name = in_lower_case(column);
    return name == "id" || name == "index" || name == "uuid" || name.ends_with("_id") || name.ends_with(" id");
}

InputStream describe_file(const InputOptions& options, bool learns, Listener& listener) {
    const InputFile file(options.input, Passes::many, options.shape);
    Reader reader = open_reader(file, columns_of(options).roles, [&](double share) {
        listener.progress("looking for the keys of " + options.name(), share, {});
    });
    // A misspelt name is refused first: otherwise its column would become a feature.
    require_columns(reader, options);
    const ProfiledFile profiled = profile_file(options, reader, learns, listener);
    const FileProfile& profile = profiled.profile;
    if (profile.columns[0].cells == 0) refuse_without_rows(profile, reader, options);
    ColumnProblems problems;
    InputStream stream = Description(options, profiled, problems).describe(learns);
    if (!problems.empty()) refuse_columns(options, profiled, learns, problems, listener);
    std::vector<std::string> notes = unused_missing_text_notes(reader);
    if (auto note =
            options.prediction.empty() ? constant_note(profile.columns, profiled.features.size()) : std::nullopt)
        notes.push_back(std::move(*note));
    stream.hints.insert(stream.hints.begin(), notes.begin(), notes.end());
    return stream;
}

}  // namespace fairstream::files
