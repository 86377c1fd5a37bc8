#pragma once
/// Hash tables of texts with look-up by string_view.

#include <cstddef>
#include <functional>
#include <string_view>

namespace fairstream::files {

/// A hash for an unordered map from texts, together with `std::equal_to<>`: a look-up copies no text.
struct TextHash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const noexcept { return std::hash<std::string_view>{}(text); }
};

}  // namespace fairstream::files
