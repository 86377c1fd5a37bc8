#include <fairstream/command/console/terminal.hpp>

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <utility>

#include <fairstream/base/printable.hpp>
#include <fairstream/base/progress_text.hpp>
#include <fairstream/text/printable_lines.hpp>

namespace fairstream::command {
namespace {

constexpr auto draw_every = std::chrono::milliseconds(100);

/// Returns the width of the terminal of a file; 80 when the file is no terminal.
std::size_t columns_of(int file) {
    winsize size{};
    return ioctl(file, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
}

std::string bar(double share) {
    constexpr std::size_t length = 24;
    const auto full = static_cast<std::size_t>(std::clamp(share, 0.0, 1.0) * length);
    std::string text;
    for (std::size_t i = 0; i < length; ++i) text += i < full ? "━" : "·";
    return text;
}

/// Returns the first `columns` characters.
std::string_view cut(std::string_view text, std::size_t columns) {
    std::size_t end = 0;
    for (std::size_t seen = 0; end < text.size(); ++end) {
        const bool starts = (static_cast<unsigned char>(text[end]) & 0xC0U) != 0x80;
        if (starts && seen++ == columns) break;
    }
    return text.substr(0, end);
}

}  // namespace

Progress::Progress(std::string what) : what_(std::move(what)), active_(isatty(STDERR_FILENO) == 1) {}

void Progress::clear() {
    if (drawn_) std::fputs("\r\x1b[K", stderr);
    drawn_ = false;
}

bool Progress::due() {
    if (!active_) return false;
    const auto now = std::chrono::steady_clock::now();
    if (now < next_) return false;
    next_ = now + draw_every;
    return true;
}

void Progress::draw(const std::string& line) {
    std::fprintf(stderr, "\r%s\x1b[K", std::string(cut(printable(line), columns_of(STDERR_FILENO) - 1)).c_str());
    std::fflush(stderr);
    drawn_ = true;
}

void Progress::show(double share, std::string_view detail) {
    if (!due()) return;
    std::array<char, 8> percent;
    std::snprintf(percent.data(), percent.size(), "%3.0f %%", 100 * std::clamp(share, 0.0, 1.0));
    const std::chrono::duration<double> since = std::chrono::steady_clock::now() - begun_;
    const std::string left = time_left(share, since.count());
    // The share comes before the details, as a narrow screen cuts the end.
    draw(what_ + "  " + bar(share) + "  " + percent.data() + "  " + left +
         (left.empty() || detail.empty() ? "" : ", ") + std::string(detail));
}

void Progress::show(std::string_view detail) {
    if (due()) draw(what_ + "  " + std::string(detail));
}

void Progress::note(const std::string& line) {
    clear();
    std::fprintf(stderr, "%s\n", printable_lines(line).c_str());
}

std::size_t screen_columns() {
    return columns_of(STDOUT_FILENO);
}

std::size_t screen_rows() {
    winsize size{};
    return ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_row > 0 ? size.ws_row : 24;
}

namespace {

/// Returns a line cut to `columns`; colour sequences take no columns.
std::string fit_line(std::string_view line, std::size_t columns) {
    constexpr std::string_view plain = "\x1b[0m";
    std::string fitting;
    std::size_t seen = 0, room = 0;  // columns so far, and bytes of `fitting` before the last column
    for (std::size_t i = 0; i < line.size();) {
        std::size_t end = i + 1;
        if (line[i] == '\x1b') {
            end = std::min(line.find('m', i), line.size() - 1) + 1;
        } else {
            while (end < line.size() && (static_cast<unsigned char>(line[end]) & 0xC0U) == 0x80) ++end;
            if (++seen == columns) room = fitting.size();
            if (seen > columns) return fitting.substr(0, room) + "…" + std::string(plain);
        }
        fitting += line.substr(i, end - i);
        i = end;
    }
    return fitting;
}

/// Returns the number of lines; the last may lack its line end.
std::size_t lines_of(std::string_view text) {
    return static_cast<std::size_t>(std::ranges::count(text, '\n')) + (text.ends_with('\n') || text.empty() ? 0 : 1);
}

}  // namespace

std::string fit_to_screen(std::string_view text, std::size_t columns, std::size_t rows) {
    std::string fitting;
    for (std::size_t row = 1; row < rows && !text.empty(); ++row) {
        if (const bool is_last = row + 1 == rows; is_last && lines_of(text) > 1)
            return fitting +
                   fit_line("… " + std::to_string(lines_of(text)) + " more lines; enlarge the terminal to see them",
                            columns) +
                   "\n";
        const std::size_t end = std::min(text.find('\n'), text.size());
        fitting += fit_line(text.substr(0, end), columns);
        if (end < text.size()) fitting += '\n';
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return fitting;
}

std::string fit_to_screen(std::string_view text) {
    return fit_to_screen(text, screen_columns(), screen_rows());
}

}  // namespace fairstream::command
