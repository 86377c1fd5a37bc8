#pragma once
/// Checks of points that come against the format of their stream.

#include <cstddef>
#include <functional>
#include <span>
#include <string>

#include <fairstream/data/point_batch.hpp>

namespace fairstream {

/// Throws `InvalidInput` naming the first of the features, n x d, that is out of range, missing where it may not be, or
/// no level, and its row by `name`.
void check_features(const StreamFormat& format, ConstRows rows,
                    const std::function<std::string(std::size_t row)>& name);

/// Throws `InvalidInput` for texts of ids that do not end one after the other, or of which one is empty or too long.
void check_id_texts(const TextSpan& texts);
/// Returns how a message names a point of a batch whose texts were checked, or an outcome: by the text that it is known
/// by, 'x', or by its number.
[[nodiscard]] std::string shown_id(const StreamFormat& format, std::span<const PointId> ids, const TextSpan& texts,
                                   std::size_t row);

/// Throws `InvalidInput` naming the first value of a batch that breaks a rule of the format; ids are not checked.
void check_points(const StreamFormat& format, const PointBatch& batch);

}  // namespace fairstream
