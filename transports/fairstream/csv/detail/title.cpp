#include <fairstream/csv/detail/title.hpp>

#include <cstddef>
#include <cstdint>
#include <string_view>

#include <fairstream/csv/detail/byte_window.hpp>
#include <fairstream/csv/reader.hpp>
#include <fairstream/csv/remedies.hpp>

namespace fairstream::csv::detail {
namespace {

/// Returns the number of the first line after the first one that has a separator; 2 where none of the first has one.
std::uint64_t line_of_header(const InputFile& file) {
    constexpr std::uint64_t most_lines = 20, usual = 2;
    if (!file.is_rereadable()) return usual;
    ByteWindow window(file, row_limit);
    std::size_t from = 0;
    for (std::uint64_t line = 1; line <= most_lines; ++line) {
        std::size_t end = window.view().find('\n', from);
        for (; end == std::string_view::npos; end = window.view().find('\n', from))
            if (!window.fill(line)) return usual;
        const std::string_view text = window.view().substr(from, end - from);
        if (line > 1 && text.find_first_of(",;\t|") != std::string_view::npos) return line;
        from = end + 1;
    }
    return usual;
}

}  // namespace

std::string without_title(const InputFile& file) {
    const std::string line = std::to_string(line_of_header(file));
    return ": if lines of a title come before the header, leave them out: " +
           edited_by("tail -n +" + line, file.name()) + " begins with line " + line;
}

}  // namespace fairstream::csv::detail
