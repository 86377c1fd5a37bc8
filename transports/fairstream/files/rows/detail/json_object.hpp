#pragma once
/// A JSON object in a text.

#include <functional>
#include <string>
#include <string_view>

namespace fairstream::files::detail {

/// Takes a member of an object; returns an error text, empty if there is none.
using TakeMember = std::function<std::string(std::string_view key, std::string_view value)>;

/// Passes the members of an object to `take` one by one: strings decoded, numbers as written (an integer of up to 64
/// bits in its shortest form), true and false as these words, null as an empty value, and nested values as "[...]" or
/// "{...}". Returns the error of the text; empty if there is none.
[[nodiscard]] std::string read_object(std::string_view text, const TakeMember& take);

}  // namespace fairstream::files::detail
