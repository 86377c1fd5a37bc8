#pragma once
/// Output for people: progress on a terminal, and text cut to its size.

#include <chrono>
#include <cstddef>
#include <string>
#include <string_view>

namespace fairstream::command {

/// A progress line on stderr, redrawn in place; nothing when stderr is not a terminal.
class Progress {
public:
    explicit Progress(std::string what);
    ~Progress() { clear(); }
    Progress(const Progress&) = delete;
    Progress& operator=(const Progress&) = delete;

    /// `share` is in [0, 1]. The bar is followed by `detail` and, once it can be estimated, by the time left. Cheap:
    /// draws at most ten times a second.
    void show(double share, std::string_view detail = {});
    void clear();
    /// Prints a line that stays, also when stderr is no terminal.
    void note(const std::string& line);
    /// Shows only `detail`, for work of unknown length.
    void show(std::string_view detail);

private:
    [[nodiscard]] bool due();
    void draw(const std::string& line);

    std::string what_;
    bool active_;
    bool drawn_ = false;
    std::chrono::steady_clock::time_point begun_ = std::chrono::steady_clock::now(), next_{};
};

/// Returns the height of the terminal on stdout in rows; 24 when stdout is no terminal.
[[nodiscard]] std::size_t screen_rows();
/// Returns the width of the terminal on stdout in columns; 80 when stdout is no terminal.
[[nodiscard]] std::size_t screen_columns();
/// Returns the part of a text that fits on the terminal on stdout above its last row. The text is UTF-8 with colours
/// and without wide characters. Lines that are too long end in "…". When lines are left over, the last line says how
/// many.
[[nodiscard]] std::string fit_to_screen(std::string_view text);
/// Returns the part of a text that fits on a screen of this size above its last row.
[[nodiscard]] std::string fit_to_screen(std::string_view text, std::size_t columns, std::size_t rows);

}  // namespace fairstream::command
