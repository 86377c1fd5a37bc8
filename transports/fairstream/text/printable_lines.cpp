#include <fairstream/text/printable_lines.hpp>

#include <algorithm>

#include <fairstream/base/printable.hpp>

namespace fairstream {

std::string printable_lines(std::string_view text) {
    std::string lines;
    for (std::size_t begin = 0; begin < text.size();) {
        const std::size_t end = std::min(text.find_first_of("\n\t", begin), text.size());
        lines += printable(text.substr(begin, end - begin));
        if (end < text.size()) lines += text[end];
        begin = end + 1;
    }
    return lines;
}

}  // namespace fairstream
