#pragma once
/// A bound on error texts, which quote client input of any length, before they are kept or sent.

#include <string>

namespace fairstream::service {

inline constexpr std::size_t text_limit = 1000;  ///< bytes

[[nodiscard]] inline std::string bounded(std::string text) {
    if (text.size() > text_limit) text.replace(text_limit, std::string::npos, "...");
    return text;
}

}  // namespace fairstream::service
