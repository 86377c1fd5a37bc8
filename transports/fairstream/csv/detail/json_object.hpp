#pragma once
/// A JSON object in a text.

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace fairstream::csv::detail {

/// Returns an object of jq that has a key as null.
[[nodiscard]] std::string jq_null(std::string_view key);

/// What a member holds in place of a value.
enum class Nested : std::uint8_t { nothing, array, object };

/// Takes a member of an object, and returns what is wrong with it; empty: nothing.
using TakeMember = std::function<std::string(std::string_view key, std::string_view value, Nested nested)>;

/// Gives the members of an object one after another to `take`: strings as they are meant, numbers as they are written
/// (an integer of up to 64 bits in its shortest form), true and false as these words, and null, arrays and objects as
/// an empty value. Returns what is wrong with the text, and the remedy; empty: nothing.
[[nodiscard]] std::string read_object(std::string_view text, const TakeMember& take);

}  // namespace fairstream::csv::detail
