#pragma once
/// A flat JSON object in a text.

#include <functional>
#include <string>
#include <string_view>

namespace fairstream::csv::detail {

/// Returns an object of jq that has a key as null.
[[nodiscard]] std::string jq_null(std::string_view key);

/// Takes a member of an object, and returns what is wrong with it; empty: nothing.
using TakeMember = std::function<std::string(std::string_view key, std::string_view value)>;

/// Gives the members of a flat object one after another to `take`: strings as they are meant, numbers as they are
/// written (an integer of up to 64 bits in its shortest form), true and false as these words, and null as an empty
/// value. Returns what is wrong with the text, and the remedy; empty: nothing.
[[nodiscard]] std::string read_object(std::string_view text, const TakeMember& take);

}  // namespace fairstream::csv::detail
