#pragma once
/// Error texts quote what a client sent, which may be of any length; what is kept and sent of them is not.

#include <string>

namespace fairstream::service {

inline constexpr std::size_t text_limit = 1000;  ///< bytes

[[nodiscard]] inline std::string bounded(std::string text) {
    if (text.size() > text_limit) text.replace(text_limit, std::string::npos, "...");
    return text;
}

}  // namespace fairstream::service
