#pragma once
/// A JSON object in a text.

#include <functional>
#include <string>
#include <string_view>

namespace fairstream::files::detail {

/// Takes a member of an object, and returns what is wrong with it; empty: nothing.
using TakeMember = std::function<std::string(std::string_view key, std::string_view value)>;

/// Gives the members of an object one after another to `take`: strings as they are meant, numbers as they are written
/// (an integer of up to 64 bits in its shortest form), true and false as these words, null as an empty value, and what
/// is nested as "[...]" or "{...}". Returns what is wrong with the text; empty: nothing.
[[nodiscard]] std::string read_object(std::string_view text, const TakeMember& take);

}  // namespace fairstream::files::detail
