#pragma once
/// Ids of points whose own ids are text, such as UUIDs.

#include <string_view>

#include <fairstream/base/types.hpp>

namespace fairstream::wire {

/// Returns the id that stands for a text: its XXH64 of seed 0, and 0 for a text whose hash would be `no_point`. Two
/// texts have one id with a probability of 2^-64; an engine refuses the second while the first is retained.
[[nodiscard]] PointId text_id(std::string_view text) noexcept;

}  // namespace fairstream::wire
