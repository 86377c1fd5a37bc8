#pragma once
/// Ids of points with text ids, such as UUIDs.

#include <string_view>

#include <fairstream/base/types.hpp>

namespace fairstream::wire {

/// Returns the id for a text if producers hash texts (`StreamFormat::ids_are_hashes`): its XXH64 with seed 0; 0 for a
/// text with the hash `no_point`. Texts with a given id can be made on purpose.
[[nodiscard]] PointId text_id(std::string_view text) noexcept;

}  // namespace fairstream::wire
