#include <fairstream/files/cells/csv_cell.hpp>

namespace fairstream::files {

std::string csv_cell(std::string_view text) {
    const bool blank_end = !text.empty() && (text.front() == ' ' || text.back() == ' ');
    if (text.find_first_of(",\"\r\n") == std::string_view::npos && !blank_end) return std::string(text);
    std::string cell = "\"";
    for (const char c : text) cell += c == '"' ? std::string("\"\"") : std::string(1, c);
    return cell + "\"";
}

}  // namespace fairstream::files
