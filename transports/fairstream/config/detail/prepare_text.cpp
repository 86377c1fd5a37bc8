#include <fairstream/config/detail/prepare_text.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <optional>
#include <unordered_map>
#include <vector>

#include <fairstream/base/number_text.hpp>
#include <fairstream/config/config.hpp>

namespace fairstream::config {
namespace {

constexpr std::string_view first_points = "first:", range_of_first_points = "range:";
/// `Missing` value i is `missing_names[i + 1]`; the first name is for a column without missing values.
constexpr std::array<std::string_view, 4> missing_names = {"refuse", "mean", "most_frequent", "indicator"};

/// The settings of a column; `missing` is nothing if no value may be missing.
struct ColumnSettings {
    ColumnPreparation preparation;
    std::optional<Missing> missing;
};

/// Sets the scale of this name, and resets the settings of the earlier scale; returns whether there is such a scale.
bool set_scale(std::string_view name, ColumnPreparation& preparation) {
    const ColumnPreparation unscaled;
    preparation.first = unscaled.first;
    preparation.mean = unscaled.mean;
    preparation.deviation = unscaled.deviation;
    preparation.low = unscaled.low;
    preparation.high = unscaled.high;
    const bool is_of_first = name.starts_with(first_points) || name.starts_with(range_of_first_points);
    preparation.unit = name.starts_with("range") ? ScaleUnit::range : ScaleUnit::deviation;
    preparation.scale = is_of_first                            ? Scale::first
                        : name == "running" || name == "range" ? Scale::running
                        : name == "fixed"                      ? Scale::fixed
                                                               : Scale::none;
    if (!is_of_first) return preparation.scale != Scale::none || name == "none";
    const std::string_view count = name.substr(name.find(':') + 1);
    const auto [end, error] = std::from_chars(count.data(), count.data() + count.size(), preparation.first);
    return error == std::errc() && end == count.data() + count.size() && preparation.first > 0;
}

/// Reads the range of a fixed scale, [low, high].
void read_range(Section& section, ColumnPreparation& preparation) {
    const toml::node* const node = section.find("range");
    if (node == nullptr) return;
    std::vector<double> range;
    section.read("range", range);
    const bool is_range = range.size() == 2 && std::abs(range[0]) <= largest_mean &&
                          std::abs(range[1]) <= largest_mean && range[1] - range[0] >= least_deviation;
    if (!is_range) section.refuse(*node, "range", "must be [low, high], low below high, both within +-1e15");
    for (const char* key : {"mean", "deviation"})
        if (section.keys().contains(key)) section.refuse(*node, "range", "is used in place of mean and deviation");
    preparation.mean = 0;
    preparation.deviation = 1;
    preparation.unit = ScaleUnit::range;
    preparation.low = range[0];
    preparation.high = range[1];
}

void read_scale(Section& section, ColumnPreparation& preparation) {
    std::string name;
    section.read("scale", name);
    if (!name.empty() && !set_scale(name, preparation))
        section.refuse(*section.keys().get("scale"), "scale",
                       "must be none, fixed, running, range, or first:N or range:N of at least 1 point");
    for (const char* key : {"mean", "deviation", "range"})
        if (preparation.scale != Scale::fixed && section.keys().contains(key))
            section.refuse(*section.keys().get(key), key, "needs scale = \"fixed\"");
    section.read("mean", preparation.mean, -largest_mean, largest_mean);
    section.read("deviation", preparation.deviation, least_deviation, largest_deviation);
    read_range(section, preparation);
}

void read_missing(Section& section, std::optional<Missing>& missing) {
    std::string name(missing_names[missing ? static_cast<std::size_t>(*missing) + 1 : 0]);
    section.read("missing", name);
    const auto found = std::ranges::find(missing_names, name);
    if (found == missing_names.end())
        section.refuse(*section.keys().get("missing"), "missing",
                       "must be one of refuse, mean, most_frequent, indicator");
    const auto number = found - missing_names.begin();
    missing = number == 0 ? std::nullopt : std::optional(static_cast<Missing>(number - 1));
}

/// Reads the fill of missing values: a level by its name, otherwise a number.
void read_fill(Section& part, const FeatureColumn& about, ColumnSettings& settings) {
    constexpr const char* key = "fill";
    const toml::node* node = part.find(key);
    if (node == nullptr) return;
    if (!settings.missing) part.refuse(*node, key, "has no effect while missing = refuse");
    double fill = 0;
    if (about.levels.empty()) {
        part.read(key, fill, -largest_mean, largest_mean);
    } else {
        std::string level;
        part.read(key, level);
        const auto found = std::ranges::find(about.levels, level);
        if (found == about.levels.end()) part.refuse(*node, key, "must be one of the levels");
        fill = static_cast<double>(found - about.levels.begin());
    }
    settings.preparation.fill = fill;
}

void read_clip(Section& section, ColumnPreparation& preparation) {
    std::vector<double> clip{preparation.at_least, preparation.at_most};
    section.read("clip", clip);
    if (clip.size() == 2 && clip[0] < clip[1]) {
        preparation.at_least = clip[0];
        preparation.at_most = clip[1];
        return;
    }
    section.refuse(*section.keys().get("clip"), "clip", "must be [low, high], low below high");
}

void read_numbers(Section& section, ColumnSettings& settings) {
    read_scale(section, settings.preparation);
    read_clip(section, settings.preparation);
    section.read("log", settings.preparation.log);
}

/// Returns the default treatment of missing categories, if `missing` is the treatment of missing numbers: a mean
/// becomes the most frequent level.
std::optional<Missing> missing_for_categories(std::optional<Missing> missing) {
    return missing == Missing::mean ? Missing::most_frequent : missing;
}

/// Columns by name; by number if the stream does not name them.
class ColumnIndex {
public:
    explicit ColumnIndex(const StreamFormat& format) : dimensions_(format.dimensions) {
        for (std::size_t i = 0; i < format.columns.size(); ++i) index_.emplace(format.columns[i].name, i);
    }
    /// Reads the column under key `name`. Throws when an earlier part has the same column.
    std::size_t read(Section& part) {
        const toml::node* node = part.find("name");
        if (node == nullptr)
            part.refuse(
                "a [[prepare.column]] has no name; add name, a name in [stream] columns or the number of a column");
        const std::size_t column = find(part, *node);
        if (seen_.size() <= column) seen_.resize(column + 1);
        if (seen_[column]) part.refuse(*node, "name", "is also the name of an earlier [[prepare.column]]");
        seen_[column] = true;
        return column;
    }

private:
    [[nodiscard]] std::size_t find(const Section& part, const toml::node& node) const {
        if (const auto* number = node.as_integer()) {
            if (number->get() >= 0 && static_cast<std::uint64_t>(number->get()) < dimensions_)
                return static_cast<std::size_t>(number->get());
            part.refuse(node, "name", "must be below the number of features, " + std::to_string(dimensions_));
        }
        const auto* name = node.as_string();
        if (name == nullptr) part.refuse(node, "name", "must be text, or the number of a column");
        const auto found = index_.find(name->get());
        if (found == index_.end()) part.refuse(node, "name", "must be one of [stream] columns");
        return found->second;
    }

    std::size_t dimensions_;
    std::unordered_map<std::string_view, std::size_t> index_;
    std::vector<bool> seen_;
};

/// Throws for a column without a name, for which `key` is not allowed.
void require_named(Section& part, const char* key, const StreamFormat& format) {
    if (format.columns.empty())
        part.refuse(*part.keys().get(key), key, "needs [stream] columns, the names of the features");
}

/// Reads the kind of a column: levels, hash, or dates.
void read_kind(Section& part, const StreamFormat& format, FeatureColumn& column) {
    part.read("levels", column.levels);
    part.read("hash", column.buckets, least_buckets, most_buckets);
    std::string dates;
    part.read("dates", dates);
    for (const char* key : {"levels", "hash", "dates"})
        if (part.keys().contains(key)) require_named(part, key, format);
    if (part.keys().contains("levels") && column.levels.empty())
        part.refuse(*part.keys().get("levels"), "levels", "must list at least one");
    if (part.keys().contains("dates")) {
        const std::optional<DateUnit> unit = find_date_unit(dates);
        if (!unit) part.refuse(*part.keys().get("dates"), "dates", "must be seconds, hours, days or years");
        column.dates = *unit;
    }
}

/// Reads the order of a column's dates. Today the order belongs to [files], so no error lists this key.
void read_date_order(Section& part, std::size_t column, const FeatureColumn& about, files::ReaderSettings& reader) {
    const toml::node* const node = part.keys().get("date_order");
    if (node == nullptr) return;
    std::string name;
    part.read("date_order", name);
    const std::optional<files::DateOrder> order = files::find_date_order(name);
    if (!order) part.refuse(*node, "date_order", "must be year_first, day_first or month_first");
    if (about.dates == DateUnit::none) part.refuse(*node, "date_order", "needs dates");
    reader.set_date_order(column, *order);
}

/// Reads how the levels of a column become numbers; one-hot for a column without levels.
Encoding read_encoding(Section& part, const FeatureColumn& column) {
    std::string name = "onehot";
    part.read("encoding", name);
    if (!part.keys().contains("encoding")) return Encoding::onehot;
    if (column.levels.empty()) part.refuse(*part.keys().get("encoding"), "encoding", "needs levels");
    if (name != "onehot" && name != "ordinal")
        part.refuse(*part.keys().get("encoding"), "encoding", "must be onehot or ordinal");
    return name == "ordinal" ? Encoding::ordinal : Encoding::onehot;
}

void refuse_keys_of_numbers(Section& part, const ColumnSettings& settings) {
    for (const char* key : {"scale", "mean", "deviation", "range", "clip", "log"})
        if (part.keys().contains(key))
            part.refuse(*part.keys().get(key), key, "is for numbers, but the column has categories");
    if (settings.missing == Missing::mean)
        part.refuse(*part.keys().get("missing"), "missing", "mean is for numbers, but the column has categories");
}

void put(const Section& part, const ColumnSettings& settings, std::size_t column, StreamFormat& format,
         PrepareOptions& prepare) {
    const bool named = !format.columns.empty();
    if (settings.missing && !named) part.refuse("[prepare] missing needs [stream] columns, the names of the features");
    prepare.columns[column] = settings.preparation;
    if (named) format.columns[column].may_be_missing = settings.missing.has_value();
    if (settings.missing) prepare.columns[column].missing = *settings.missing;
}

void read_column(Section part, const ColumnSettings& usual, ColumnIndex& index, StreamFormat& format,
                 PrepareOptions& prepare, files::ReaderSettings& reader) {
    const std::size_t column = index.read(part);
    ColumnSettings settings = usual;
    FeatureColumn about;
    read_kind(part, format, about);
    read_date_order(part, column, about, reader);
    const Encoding encoding = read_encoding(part, about);
    if (!format.columns.empty()) {
        about.name = format.columns[column].name;
        format.columns[column] = about;
    }
    if (about.is_category() && encoding == Encoding::onehot) {
        settings = {{.missing = Missing::most_frequent}, missing_for_categories(usual.missing)};
        read_missing(part, settings.missing);
        refuse_keys_of_numbers(part, settings);
    } else {
        read_missing(part, settings.missing);
        read_numbers(part, settings);
        settings.preparation.encoding = encoding;
    }
    read_fill(part, about, settings);
    put(part, settings, column, format, prepare);
    part.require_all_known();
}

// ---------------------------------------------------------------- writing

/// Returns a number as TOML; -0 becomes 0.
std::string number(double value) {
    if (std::isinf(value)) return value < 0 ? "-inf" : "inf";
    return value == 0 ? "0" : number_text(value);
}

std::string scale_text(const ColumnPreparation& preparation) {
    const std::string text = "scale = \"" + scale_name(preparation) + "\"\n";
    if (preparation.scale != Scale::fixed) return text;
    if (preparation.unit == ScaleUnit::range)
        return text + "range = [" + number(preparation.low) + ", " + number(preparation.high) + "]\n";
    return text + "mean = " + number(preparation.mean) + "\ndeviation = " + number(preparation.deviation) + "\n";
}

std::string clip_text(const ColumnPreparation& preparation) {
    return "clip = [" + number(preparation.at_least) + ", " + number(preparation.at_most) + "]\n";
}

std::string log_text(const ColumnPreparation& preparation) {
    return preparation.log ? "log = true\n" : "log = false\n";
}

std::string missing_text(const std::optional<Missing>& missing) {
    return "missing = \"" + std::string(missing_names[missing ? static_cast<std::size_t>(*missing) + 1 : 0]) + "\"\n";
}

/// Returns the lines for the settings of numbers that differ from `usual`.
std::string changed_lines(const ColumnSettings& settings, const ColumnSettings& usual) {
    const auto unless_equal = [](const std::string& text, const std::string& other) {
        return text == other ? std::string() : text;
    };
    return unless_equal(scale_text(settings.preparation), scale_text(usual.preparation)) +
           unless_equal(log_text(settings.preparation), log_text(usual.preparation)) +
           unless_equal(clip_text(settings.preparation), clip_text(usual.preparation)) +
           unless_equal(missing_text(settings.missing), missing_text(usual.missing));
}

std::string list(const std::vector<std::string>& texts, std::string (*quoted)(std::string_view)) {
    std::string text;
    for (const std::string& each : texts) text += (text.empty() ? "" : ", ") + quoted(each);
    return "[" + text + "]";
}

/// Returns the lines on the kind of a column; empty for numbers.
std::string kind_text(const FeatureColumn& column, const ColumnPreparation& preparation,
                      std::string (*quoted)(std::string_view)) {
    std::string text;
    if (!column.levels.empty()) text += "levels = " + list(column.levels, quoted) + "\n";
    if (preparation.encoding == Encoding::ordinal) text += "encoding = \"ordinal\"\n";
    if (column.buckets > 0) text += "hash = " + std::to_string(column.buckets) + "\n";
    if (column.dates == DateUnit::none) return text;
    return text + "dates = \"" + std::string(to_string(column.dates)) + "\"\n";
}

}  // namespace

std::string scale_name(const ColumnPreparation& preparation) {
    const bool is_range = preparation.unit == ScaleUnit::range;
    switch (preparation.scale) {
        case Scale::none:
            return "none";
        case Scale::fixed:
            return "fixed";
        case Scale::running:
            return is_range ? "range" : "running";
        case Scale::first:
            break;
    }
    return std::string(is_range ? range_of_first_points : first_points) + std::to_string(preparation.first);
}

void read_prepare(Section section, StreamFormat& format, PrepareOptions& prepare, files::ReaderSettings& reader) {
    ColumnSettings usual;
    read_numbers(section, usual);
    read_missing(section, usual.missing);
    section.read("every", prepare.renew_every);
    section.read("unit_rows", prepare.unit_rows);
    prepare.columns.resize(format.dimensions);
    for (std::size_t column = 0; column < format.dimensions; ++column) put(section, usual, column, format, prepare);
    ColumnIndex index(format);
    for (Section& part : section.tables("column")) read_column(std::move(part), usual, index, format, prepare, reader);
    section.require_all_known();
}

std::string prepare_text(const StreamFormat& format, const PrepareOptions& prepare,
                         std::string (*quoted)(std::string_view)) {
    if (!prepare.prepares()) return {};
    const auto is_split = [&](std::size_t column) {
        return !format.columns.empty() && format.columns[column].is_category() &&
               prepare.columns[column].encoding == Encoding::onehot;
    };
    const auto settings_of = [&](std::size_t column) {
        const bool missing = !format.columns.empty() && format.columns[column].may_be_missing;
        return ColumnSettings{prepare.columns[column],
                              missing ? std::optional(prepare.columns[column].missing) : std::nullopt};
    };
    std::size_t first = 0;
    while (first < prepare.columns.size() && is_split(first)) ++first;
    const ColumnSettings usual = first < prepare.columns.size() ? settings_of(first) : ColumnSettings{};
    std::string text = "\n[prepare]\n" + changed_lines(usual, {}) + "every = " + std::to_string(prepare.renew_every) +
                       "\n" + (prepare.unit_rows ? "unit_rows = true\n" : "");
    for (std::size_t column = 0; column < prepare.columns.size(); ++column) {
        const ColumnSettings settings = settings_of(column);
        std::string lines =
            format.columns.empty() ? "" : kind_text(format.columns[column], settings.preparation, quoted);
        if (!is_split(column))
            lines += changed_lines(settings, usual);
        else if (settings.missing != missing_for_categories(usual.missing))
            lines += missing_text(settings.missing);
        if (settings.preparation.fill) {
            const bool has_levels = !format.columns.empty() && !format.columns[column].levels.empty();
            lines +=
                "fill = " +
                (has_levels
                     ? quoted(format.columns[column].levels.at(static_cast<std::size_t>(*settings.preparation.fill)))
                     : number(*settings.preparation.fill)) +
                "\n";
        }
        if (lines.empty()) continue;
        const std::string name = format.columns.empty() ? std::to_string(column) : quoted(format.columns[column].name);
        text += "\n[[prepare.column]]\nname = " + name + "\n" + lines;
    }
    return text;
}

}  // namespace fairstream::config
