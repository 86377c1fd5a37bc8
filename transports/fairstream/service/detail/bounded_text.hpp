#pragma once
/// A bound on error texts, which quote client input of any length and content, before they are kept or sent.

#include <string>

#include <fairstream/base/printable.hpp>

namespace fairstream::service {

inline constexpr std::size_t text_limit = 1000;  ///< bytes

/// Returns the text without control characters, cut to `text_limit`.
[[nodiscard]] inline std::string bounded(const std::string& unsafe) {
    std::string text = printable(unsafe);
    if (text.size() > text_limit) text.replace(text_limit, std::string::npos, "...");
    return text;
}

}  // namespace fairstream::service
