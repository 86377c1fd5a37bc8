#pragma once
/// Numbers as text for people.

#include <concepts>
#include <cstdint>
#include <string>
#include <string_view>

namespace fairstream {

/// Returns 32561 as "32,561".
[[nodiscard]] std::string counted(std::int64_t value);
/// Returns a number of things: "1 feature", "32,561 features". `plural` is for words with an irregular plural.
template <std::integral Count>
[[nodiscard]] std::string counted(Count count, std::string_view thing, std::string_view plural = {}) {
    const std::string words = plural.empty() ? std::string(thing) + "s" : std::string(plural);
    return counted(static_cast<std::int64_t>(count)) + " " + (count == 1 ? std::string(thing) : words);
}
/// Returns a rate as "812", "3.41 k", "12.9 M".
[[nodiscard]] std::string rate(double per_second);
/// Returns `value` with `digits` digits behind the point; "inf" if it is not finite.
[[nodiscard]] std::string fixed(double value, int digits = 4);
/// Returns `value` as `fixed` does, but rounded down: the text, read as a number, is never above the value. So a ratio
/// that is possible stays possible as a target when a user copies the text.
[[nodiscard]] std::string fixed_down(double value, int digits = 4);
/// Returns `value` with four significant digits, for figures of any magnitude.
[[nodiscard]] std::string brief(double value);
/// Returns a cost with four digits behind the point; a huge cost, or a small one other than 0, as `brief` does.
[[nodiscard]] std::string cost_text(double cost);
/// Returns the value of a figure with this unit (`FigureText`) as `brief` does; shares in per cent.
[[nodiscard]] std::string figure_text(double value, std::string_view unit);
/// Returns the name of a figure as words: "kkt residual".
[[nodiscard]] std::string words_of(std::string_view name);

}  // namespace fairstream
