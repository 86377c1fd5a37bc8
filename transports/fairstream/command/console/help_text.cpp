#include <fairstream/command/console/help_text.hpp>

#include <fairstream/text/table.hpp>

namespace fairstream::command {
namespace {

/// Appends `text` word by word to `out`, whose last line is `column` wide; further lines begin after `indent` blanks.
void append_words(std::string_view text, std::size_t column, std::size_t indent, std::string& out) {
    bool line_begins = true;
    while (!text.empty()) {
        const std::string_view word = text.substr(0, text.find(' '));
        text.remove_prefix(word.size() < text.size() ? word.size() + 1 : word.size());
        if (!line_begins && column + 1 + width(word) > help_width) {
            out += "\n" + std::string(indent, ' ');
            column = indent;
            line_begins = true;
        }
        if (!line_begins) out += " ";
        column += width(word) + (line_begins ? 0 : 1);
        out += word;
        line_begins = false;
    }
}

}  // namespace

std::string wrapped(std::string_view text) {
    std::string out;
    while (!text.empty()) {
        const std::size_t end = text.find('\n');
        const std::string_view line = text.substr(0, end);
        if (line.starts_with(' '))
            out += line;
        else
            append_words(line, 0, 0, out);
        if (end == std::string_view::npos) break;
        out += "\n";
        text.remove_prefix(end + 1);
    }
    return out;
}

std::string help_line(std::string_view key, std::string_view meaning) {
    std::string out = "  " + std::string(key);
    const std::size_t column = width(out);
    out += column < help_column ? std::string(help_column - column, ' ') : "\n" + std::string(help_column, ' ');
    append_words(meaning, help_column, help_column, out);
    return out + "\n";
}

}  // namespace fairstream::command
