#include <fairstream/csv/csv_cell.hpp>

namespace fairstream::csv {

std::string csv_cell(std::string_view text) {
    const bool blank_end = !text.empty() && (text.front() == ' ' || text.back() == ' ');
    if (text.find_first_of(",\"\r\n") == std::string_view::npos && !blank_end) return std::string(text);
    std::string cell = "\"";
    for (const char c : text) cell += c == '"' ? std::string("\"\"") : std::string(1, c);
    return cell + "\"";
}

}  // namespace fairstream::csv
