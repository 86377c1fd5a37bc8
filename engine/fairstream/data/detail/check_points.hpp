#pragma once
/// Checks of arriving points against the format of their stream.

#include <cstddef>
#include <functional>
#include <span>
#include <string>

#include <fairstream/data/point_batch.hpp>

namespace fairstream {

/// Throws `InvalidInput` for the first feature, of n x d, that is out of range, missing where it must not be, or not
/// the number of a level. The text has the row's `name`.
void check_features(const StreamFormat& format, ConstRows rows,
                    const std::function<std::string(std::size_t row)>& name);

/// Throws `InvalidInput` if a text id is empty or too long, or if the ends of the texts do not rise.
void check_id_texts(const TextSpan& texts);
/// Returns the name of a point or outcome in messages: its text id, 'x', or its number. The batch's texts must have
/// been checked.
[[nodiscard]] std::string id_for_message(const StreamFormat& format, std::span<const PointId> ids,
                                         const TextSpan& texts, std::size_t row);

/// Throws `InvalidInput` for the first value of a batch that breaks a rule of the format; ids are not checked.
void check_points(const StreamFormat& format, const PointBatch& batch);

}  // namespace fairstream
