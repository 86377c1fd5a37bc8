#include <fairstream/base/printable.hpp>

namespace fairstream {

std::string printable(std::string_view text) {
    constexpr std::string_view hex = "0123456789abcdef";
    std::string result;
    const auto escape = [&](unsigned char byte) { result += {'\\', 'x', hex[byte >> 4], hex[byte & 15]}; };
    for (std::size_t i = 0; i < text.size(); ++i) {
        const auto byte = static_cast<unsigned char>(text[i]);
        const auto next = static_cast<unsigned char>(i + 1 < text.size() ? text[i + 1] : '\0');
        if (byte < 0x20 || byte == 0x7f) {
            escape(byte);
        } else if (byte == 0xc2 && next >= 0x80 && next <= 0x9f) {
            escape(byte);
            escape(next);
            ++i;
        } else {
            result += text[i];
        }
    }
    return result;
}

std::string shortened(std::string text, std::size_t most) {
    if (text.size() <= most) return text;
    const auto is_inside_letter = [&](std::size_t at) {
        return (static_cast<unsigned char>(text[at]) & 0xC0U) == 0x80;
    };
    std::size_t begin = most * 2 / 3, end = text.size() - most / 10;
    while (begin > 0 && is_inside_letter(begin)) --begin;
    while (end < text.size() && is_inside_letter(end)) ++end;
    text.replace(begin, end - begin, " ... (" + std::to_string(end - begin) + " bytes left out) ... ");
    return text;
}

}  // namespace fairstream
