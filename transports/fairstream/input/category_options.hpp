#pragma once
/// The values of `--categorical` for a column of text.

#include <cstdint>
#include <string>
#include <vector>

namespace fairstream::files {

/// Default number of columns that a column of text is hashed into.
inline constexpr std::uint32_t usual_buckets = 64;

// `option` is the option with its value, for errors. Each function throws `InvalidInput` (bad_option) for an invalid
// value.

/// Throws for a text that is no encoding of categories.
void require_encoding(const std::string& option, const std::string& value);

/// Returns the number of columns of "hash" or "hash:N".
[[nodiscard]] std::uint32_t buckets_of(const std::string& option, const std::string& value);

/// Returns the levels that `value` lists in their order, such as "low<high". It must list all `levels`, which occur in
/// the file.
[[nodiscard]] std::vector<std::string> ordered(const std::string& option, const std::string& value,
                                               const std::vector<std::string>& levels);

}  // namespace fairstream::files
