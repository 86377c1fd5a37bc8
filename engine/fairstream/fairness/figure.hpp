#pragma once
/// Figures by name, and their meanings.

#include <algorithm>
#include <optional>
#include <string_view>

namespace fairstream {

/// A figure of one model, beyond the figures that all models have.
struct Figure {
    std::string_view name;  ///< e.g. "normalised_cut"; a string with static lifetime
    double value = 0;
    std::string_view unit = {};  ///< as in `FigureText`; a model may leave it out
    bool operator==(const Figure&) const = default;
};

/// Returns the first entry with this name in a list of figures, or of texts about them; null if there is none.
template <class List> [[nodiscard]] constexpr auto* find_named(List& list, std::string_view name) {
    const auto found = std::ranges::find_if(list, [&](const auto& entry) { return entry.name == name; });
    return found == list.end() ? nullptr : &*found;
}
/// Returns the value of the figure with this name; empty if there is none.
template <class List> [[nodiscard]] std::optional<double> value_of(const List& figures, std::string_view name) {
    const auto* found = find_named(figures, name);
    return found == nullptr ? std::nullopt : std::optional(found->value);
}

/// The meaning of a figure.
struct FigureText {
    std::string_view name;     ///< as in `Figure`
    std::string_view unit;     ///< e.g. "iterations"; "share": 1 is the whole; "count": a whole number; empty: no unit
    std::string_view meaning;  ///< one line for people
    bool adds_up = false;      ///< counts what the last step did, so that a sum over steps is meaningful
    bool detail = false;       ///< left out of summaries for people
};

/// A figure that is a member of `Of`. Messages, JSON and texts take the figures of a type from one table, such as
/// `score_figures`. A figure `worst_gap` is the field `worstGap` of messages and the key `worst_gap` of JSON.
template <class Of> struct MemberFigure {
    std::string_view name;
    std::string_view type;  ///< "share": in [0, 1]; "number"; "unbounded": may be infinite; `?` at the end: may be null
    std::string_view meaning;  ///< one line for people
    double Of::*value;
};

}  // namespace fairstream
