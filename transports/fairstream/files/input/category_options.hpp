#pragma once
/// What the values of `--categorical` say of a column of text.

#include <cstdint>
#include <string>
#include <vector>

namespace fairstream::files {

/// Columns that a column of text is hashed into, where no number is given.
inline constexpr std::uint32_t usual_buckets = 64;

// `option` is the option and its value as an error shows them. Each function throws `InvalidInput` (bad_option) for a
// value that it cannot be.

/// Throws for a text that is no encoding of categories.
void require_encoding(const std::string& option, const std::string& value);

/// Returns the number of columns of "hash" or "hash:N".
[[nodiscard]] std::uint32_t buckets_of(const std::string& option, const std::string& value);

/// Returns the levels in the order that is given, "low<high", which has all that occur.
[[nodiscard]] std::vector<std::string> ordered(const std::string& option, const std::string& value,
                                               const std::vector<std::string>& levels);

}  // namespace fairstream::files
