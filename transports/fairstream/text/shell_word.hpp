#pragma once
/// Arguments of command lines in messages.

#include <string>
#include <string_view>

namespace fairstream {

/// Returns an argument as a word for a shell, in single quotes if the shell would split or change it.
[[nodiscard]] std::string shell_word(std::string_view text);

}  // namespace fairstream
