#pragma once
/// Output of the commands for people: progress on a terminal, readable numbers, tables.

#include <chrono>
#include <concepts>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace fairstream::command {

/// A progress line on stderr, redrawn in place; nothing when stderr is not a terminal.
class Progress {
public:
    explicit Progress(std::string what);
    ~Progress() { clear(); }
    Progress(const Progress&) = delete;
    Progress& operator=(const Progress&) = delete;

    /// `share` is in [0, 1]; the bar is followed by the time that is left at that pace, once that says something, and
    /// by `detail`. Cheap: draws ten times a second at most.
    void show(double share, std::string_view detail = {});
    void clear();
    /// Prints a line that stays, also when stderr is no terminal.
    void note(const std::string& line);
    /// Shows `detail` alone, for work of unknown length.
    void show(std::string_view detail);

private:
    [[nodiscard]] bool due();
    void draw(const std::string& line);

    std::string what_;
    bool active_;
    bool drawn_ = false;
    std::chrono::steady_clock::time_point begun_ = std::chrono::steady_clock::now(), next_{};
};

/// Returns 32561 as "32,561".
[[nodiscard]] std::string counted(std::int64_t value);
/// Returns a number of things: "1 feature", "32,561 features". `plural` is for words that take no s.
template <std::integral Count>
[[nodiscard]] std::string counted(Count count, std::string_view thing, std::string_view plural = {}) {
    const std::string words = plural.empty() ? std::string(thing) + "s" : std::string(plural);
    return counted(static_cast<std::int64_t>(count)) + " " + (count == 1 ? std::string(thing) : words);
}
/// Returns a rate as "812", "3.41 k", "12.9 M".
[[nodiscard]] std::string rate(double per_second);
/// Returns `value` with `digits` digits behind the point; "inf" if it is not finite.
[[nodiscard]] std::string fixed(double value, int digits = 4);
/// Rounds down instead: the text read as a number is never above the value, so that a ratio that is possible, or was
/// reached, may be asked for as it is printed.
[[nodiscard]] std::string fixed_down(double value, int digits = 4);
/// Returns `value` with four significant digits: residuals are far below 1, counts of products far above.
[[nodiscard]] std::string brief(double value);
/// Returns a cost with four digits behind the point, and one that is small and not 0, or huge, as `brief` does.
[[nodiscard]] std::string cost_text(double cost);
/// Returns the value of a figure with this unit (`FigureText`) as `brief` does, shares in per cent.
[[nodiscard]] std::string figure_text(double value, std::string_view unit);
/// Returns the name of a figure as words: "kkt residual".
[[nodiscard]] std::string words_of(std::string_view name);

/// Returns rows of cells as text in aligned columns, two blanks between them. `alignment` has 'l' or 'r' for each
/// column; those beyond its end are aligned to the right.
[[nodiscard]] std::string table(const std::vector<std::vector<std::string>>& rows, std::string_view alignment = "l");

/// Returns `text` as `printable` does, but for line ends and tabs, which stay.
[[nodiscard]] std::string printable_lines(std::string_view text);

/// Returns the height of the terminal on stdout; 24 where it is none.
[[nodiscard]] std::size_t screen_rows();
/// Returns the columns of the terminal behind standard output, or 80.
[[nodiscard]] std::size_t screen_columns();
/// Returns what of a text, UTF-8 with colours and without wide characters, fits on the terminal on stdout above its
/// last row: lines that are too long end in "…", and where lines are left over the last one says how many.
[[nodiscard]] std::string fit_to_screen(std::string_view text);
/// Returns what of it fits on a screen of this size.
[[nodiscard]] std::string fit_to_screen(std::string_view text, std::size_t columns, std::size_t rows);
/// Returns the columns on the screen that `text`, UTF-8 without wide characters, takes.
[[nodiscard]] std::size_t width(std::string_view text);

}  // namespace fairstream::command
