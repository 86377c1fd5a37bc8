#pragma once
/// Hash tables of texts that are looked up by parts of others.

#include <cstddef>
#include <functional>
#include <string_view>

namespace fairstream::files {

/// The hash of an unordered map from texts, with `std::equal_to<>`: a look-up makes no copy of the text.
struct TextHash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const noexcept { return std::hash<std::string_view>{}(text); }
};

}  // namespace fairstream::files
