#pragma once
/// A bound on error texts before they are kept or sent: they quote client input of any length and content.

#include <string>

#include <fairstream/base/printable.hpp>

namespace fairstream::service {

inline constexpr std::size_t text_limit = 1000;  ///< bytes

/// Returns the text without control characters, shortened to `text_limit`.
[[nodiscard]] inline std::string bounded(const std::string& unsafe) {
    return shortened(printable(unsafe), text_limit);
}

}  // namespace fairstream::service
