#pragma once
/// A bound on error texts, which quote client input of any length and content, before they are kept or sent.

#include <string>

#include <fairstream/base/printable.hpp>

namespace fairstream::service {

inline constexpr std::size_t text_limit = 1000;  ///< bytes

/// Returns the text without control characters, shortened to `text_limit`.
[[nodiscard]] inline std::string bounded(const std::string& unsafe) {
    return shortened(printable(unsafe), text_limit);
}

}  // namespace fairstream::service
