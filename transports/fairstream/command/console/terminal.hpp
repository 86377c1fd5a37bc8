#pragma once
/// Output of the commands for people: progress on a terminal, and what fits on it.

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

/// Returns the height of the terminal on stdout; 24 where it is none.
[[nodiscard]] std::size_t screen_rows();
/// Returns the columns of the terminal behind standard output, or 80.
[[nodiscard]] std::size_t screen_columns();
/// Returns what of a text, UTF-8 with colours and without wide characters, fits on the terminal on stdout above its
/// last row: lines that are too long end in "…", and where lines are left over the last one says how many.
[[nodiscard]] std::string fit_to_screen(std::string_view text);
/// Returns what of it fits on a screen of this size.
[[nodiscard]] std::string fit_to_screen(std::string_view text, std::size_t columns, std::size_t rows);

}  // namespace fairstream::command
