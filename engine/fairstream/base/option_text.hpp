#pragma once
/// Options of any model as text.

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include <fairstream/base/nearest_name.hpp>
#include <fairstream/base/option_fields.hpp>

namespace fairstream {

/// One option as help texts and reports show it.
struct OptionText {
    std::string name;
    std::string value;  ///< as `set_option` reads it; reals in the shortest form that reads back equal
    std::string range;  ///< e.g. "1 to 65535", "local|global"
    std::string help;
    bool live = false;            ///< may change while the engine runs
    bool several = false;         ///< also takes several values, "0.4,0.1"
    bool left_out = false;        ///< not written, because texts without the option mean this value
    bool from_file = false;       ///< people give it as a file, because it is long
    Effect effect = {};           ///< when it has an effect
    std::string recorded = name;  ///< its name in recordings and checkpoints
    bool single = false;          ///< may have one value only, even as a list

    /// Returns whether `text` is a name of this option.
    [[nodiscard]] bool is_called(std::string_view text) const { return text == name || text == recorded; }
};

/// Returns the option with this name; null if there is none.
[[nodiscard]] inline const OptionText* find_option(const std::vector<OptionText>& options, std::string_view name) {
    const auto found = std::ranges::find_if(options, [&](const OptionText& option) { return option.is_called(name); });
    return found == options.end() ? nullptr : &*found;
}

template <class Options> [[nodiscard]] std::vector<OptionText> list_options_of(const Options& options) {
    std::vector<OptionText> list;
    const auto note_recorded = [&](std::string_view recorded) {
        if (!recorded.empty()) list.back().recorded = recorded;
    };
    visit_options(
        options, Cases{[&]<class T>(const Number& field, const T& value) {
                           list.push_back({std::string(field.name), value_text(field, value), range_text(field),
                                           std::string(field.help), field.live, is_list<T>,
                                           is_as_when_missing(field, value), false, field.effect});
                           list.back().single = field.single;
                           note_recorded(field.recorded);
                       },
                       [&](const Choice& field, const auto& value) {
                           list.push_back({std::string(field.name),
                                           std::string(field.names[static_cast<std::size_t>(value)]), range_text(field),
                                           std::string(field.help), field.live, false, false, false, field.effect});
                           note_recorded(field.recorded);
                       },
                       [&](const Written& field, const auto& value) {
                           list.push_back({std::string(field.name), option_text(value), range_text(field),
                                           std::string(field.help), field.live, field.several, false, field.from_file,
                                           field.effect});
                           note_recorded(field.recorded);
                       }});
    return list;
}

/// Sets the option with this name; throws `InvalidInput` and leaves `options` unchanged.
template <class Options> void set_option_of(Options& options, std::string_view name, std::string_view text) {
    Options changed = options;
    bool found = false;
    std::vector<std::string_view> known;
    const auto is_it = [&](const auto& field) {
        known.push_back(field.name);
        return (field.name == name || (!name.empty() && field.recorded == name)) && (found = true);
    };
    visit_options(changed, Cases{[&]<class T>(const Number& field, T& value) {
                                     if (!is_it(field)) return;
                                     if (!read_number(field, text, value)) fail_option<T>(field, text);
                                 },
                                 [&]<class E>(const Choice& field, E& value) {
                                     if (!is_it(field)) return;
                                     const auto at = std::ranges::find(field.names, text);
                                     if (at == field.names.end()) fail_option<E>(field, text);
                                     value = static_cast<E>(at - field.names.begin());
                                 },
                                 [&]<class T>(const Written& field, T& value) {
                                     if (!is_it(field)) return;
                                     if (!read_option_text(text, value)) fail_option<T>(field, text);
                                 }});
    if (!found) throw InvalidInput(Reason::unknown_option, unknown_name("option", name, known));
    options = changed;
}

}  // namespace fairstream
