#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <string_view>

#include <fairstream/base/number_text.hpp>
#include <fairstream/config/config.hpp>
#include <fairstream/config/detail/prepare_text.hpp>
#include <fairstream/config/duration.hpp>
#include <fairstream/options.hpp>

namespace fairstream::config {
namespace {

/// Returns the length of the UTF-8 sequence at the start of `text`, or 0 if there is none. Overlong forms and
/// surrogates are invalid.
std::size_t utf8_length(std::string_view text) {
    const auto byte = [&](std::size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0U; };
    const auto tail = [&](std::size_t i) { return (byte(i) & 0xC0U) == 0x80; };
    const unsigned first = byte(0), second = byte(1);
    if (first < 0x80) return 1;
    if (first >= 0xC2 && first < 0xE0) return tail(1) ? 2 : 0;
    if (first >= 0xE0 && first < 0xF0) {
        if ((first == 0xE0 && second < 0xA0) || (first == 0xED && second >= 0xA0)) return 0;
        return tail(1) && tail(2) ? 3 : 0;
    }
    if (first < 0xF0 || first > 0xF4 || (first == 0xF0 && second < 0x90) || (first == 0xF4 && second >= 0x90)) return 0;
    return tail(1) && tail(2) && tail(3) ? 4 : 0;
}

/// A basic string of TOML.
std::string toml_string(std::string_view text) {
    constexpr std::string_view hex = "0123456789abcdef";
    std::string result = "\"";
    for (std::size_t i = 0; i < text.size();) {
        const std::size_t length = utf8_length(text.substr(i));
        if (length == 0)
            throw InvalidInput(Reason::bad_option, "a name in the configuration is not UTF-8: " + result + "...");
        const auto byte = static_cast<unsigned char>(text[i]);
        if (byte == '"' || byte == '\\') {
            result += {'\\', text[i]};
        } else if (byte < 0x20 || byte == 0x7f) {
            result += {'\\', 'u', '0', '0', hex[byte >> 4], hex[byte & 15]};
        } else {
            result += text.substr(i, length);
        }
        i += length;
    }
    return result + "\"";
}

/// Returns an integer as TOML; above 2^63 - 1, TOML's largest integer, as a string.
std::string integer(std::uint64_t value) {
    const std::string digits = std::to_string(value);
    return value > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max()) ? toml_string(digits) : digits;
}

template <class Number> bool spells(std::string_view text) {
    Number value{};
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    return error == std::errc() && end == text.data() + text.size() && std::isfinite(static_cast<double>(value));
}

/// Returns an option's value as TOML: unquoted if it is a number or boolean.
std::string option_value(const std::string& text) {
    if (text == "true" || text == "false") return text;
    if (text == "-0") return "0";  // -0 equals 0, so it must give the same text
    if (spells<std::int64_t>(text)) return text;
    // Reals come in the shortest form, "0.5" or "1e-05", which TOML accepts. It accepts no leading or trailing dot.
    const bool is_real = spells<double>(text) && text.front() != '.' && text.back() != '.' &&
                         text.find_first_of(".e") != std::string::npos;
    return is_real ? text : toml_string(text);
}

/// Returns the line "key = [...]".
std::string list_text(const std::string& key, std::span<const std::string> texts) {
    std::string line = key + " = [";
    for (const std::string& text : texts) line += (&text == texts.data() ? "" : ", ") + toml_string(text);
    return line + "]\n";
}

/// Returns the optional settings of [stream], and the attributes.
std::string stream_text(const StreamFormat& format) {
    std::string text = format.has_weights ? "weights = true\n" : "";
    if (format.has_text_ids)
        text +=
            std::string("ids = \"text\"\ntext_ids = ") + (format.ids_are_hashes ? "\"hashed\"\n" : "\"numbered\"\n");
    std::vector<std::string> names;
    for (const FeatureColumn& column : format.columns) names.push_back(column.name);
    if (!names.empty()) text += list_text("columns", names);
    for (const Attribute& attribute : format.attributes) {
        text += "\n[[stream.attribute]]\nname = " + toml_string(attribute.name) + "\n" +
                list_text("groups", std::span(attribute.groups).first(attribute.known_groups()));
        if (attribute.has_unknown) text += "unknown = " + toml_string(attribute.groups.back()) + "\n";
    }
    return text;
}

/// Returns [files]; empty if all settings have their defaults.
std::string files_text(const files::ReaderSettings& reader, const StreamFormat& format) {
    std::string text;
    if (reader.decimal_mark != files::DecimalMark::found)
        text += "decimal_mark = " + toml_string(to_string(reader.decimal_mark)) + "\n";
    if (!reader.missing_texts.empty()) text += list_text("missing_texts", reader.missing_texts);
    for (const auto order : {files::DateOrder::day_first, files::DateOrder::month_first}) {
        std::vector<std::string> names;
        for (std::size_t i = 0; i < format.columns.size(); ++i)
            if (reader.date_order(i) == order) names.push_back(format.columns[i].name);
        if (!names.empty()) text += list_text(std::string(to_string(order)), names);
    }
    return text.empty() ? text : "\n[files]\n" + text;
}

/// Returns the optional settings of [window] on time and decay.
std::string time_text(const WindowOptions& window) {
    std::string text;
    if (window.max_age != 0) text += "max_age = \"" + duration_text(window.max_age) + "\"\n";
    if (window.half_life.time != 0) text += "half_life = \"" + duration_text(window.half_life.time) + "\"\n";
    if (window.half_life.points != 0) text += "half_life = " + number_text(window.half_life.points) + "\n";
    return text;
}

/// Returns the value of an option; attributes appear by name.
std::string shown_value(const OptionText& option, const StreamFormat& format) {
    return option.name == attribute_option ? attribute_names(option.value, format.attributes) : option.value;
}

// `all`: also write the options that a recording's text omits.
std::string engine_text(const EngineOptions& options, const files::ReaderSettings& reader, bool all) {
    std::string text;
    if (all) text += "event_work_limit = " + integer(options.event_work_limit) + "\n";
    if (all || options.step_work_limit != no_work_limit)
        text += "step_work_limit = " + integer(options.step_work_limit) + "\n\n";
    text += "[stream]\ndimensions = " + std::to_string(options.format.dimensions);
    text += std::string("\ntargets = ") +
            (options.format.targets_come_later ? "\"later\""
             : options.format.has_targets      ? "true"
                                               : "false") +
            "\n";
    text += stream_text(options.format);
    text += "\n[window]\ncapacity = " + std::to_string(options.window.capacity);
    text +=
        std::string("\npolicy = ") + (options.window.policy == WindowPolicy::sliding ? "\"sliding\"" : "\"reservoir\"");
    text += "\nseed = " + integer(options.window.seed) + "\n" + time_text(options.window);
    text += prepare_text(options.format, options.prepare, toml_string) + files_text(reader, options.format);
    for (const ModelSetup& model : options.models) {
        text += "\n[[model]]\nname = " + toml_string(model.name) + "\nkind = " + toml_string(model_name(model.options));
        text += "\nevery = " + integer(model.schedule.every);
        text += std::string("\nwhen_busy = ") + (model.schedule.when_busy == WhenBusy::wait ? "\"wait\"" : "\"skip\"");
        text += "\n\n[model.options]\n";
        for (const OptionText& option : list_options(model.options))
            if (all || !option.left_out)
                text += option.name + " = " + option_value(shown_value(option, options.format)) + "\n";
    }
    return text;
}

}  // namespace

std::string write_toml(const EngineOptions& options, const files::ReaderSettings& reader) {
    return engine_text(options, reader, false);
}

std::string renewed(std::string_view recorded) {
    return write_toml(parse_recorded(recorded, "the recording's configuration"));
}

std::string write_config(const EngineOptions& options, const files::ReaderSettings& reader) {
    return engine_text(options, reader, true);
}

}  // namespace fairstream::config
