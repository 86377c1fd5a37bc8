#pragma once
/// Ids of points whose own ids are text, such as UUIDs.

#include <string_view>

#include <fairstream/base/types.hpp>

namespace fairstream::wire {

/// Returns the id that stands for a text where producers hash texts (`StreamFormat::ids_are_hashes`): its XXH64 of seed
/// 0, and 0 for a text whose hash would be `no_point`. Whoever wants to can make a text of a given id.
[[nodiscard]] PointId text_id(std::string_view text) noexcept;

}  // namespace fairstream::wire
