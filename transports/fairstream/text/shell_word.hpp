#pragma once
/// Arguments of command lines in messages.

#include <string>
#include <string_view>

namespace fairstream {

/// Returns an argument as a shell takes it: in single quotes where it would take it apart otherwise.
[[nodiscard]] std::string shell_word(std::string_view text);

}  // namespace fairstream
