#pragma once
/// Checks of points that come against the format of their stream.

#include <cstddef>
#include <functional>
#include <string>

#include <fairstream/data/point_batch.hpp>

namespace fairstream {

/// Throws `InvalidInput` naming the first of the features, n x d, that is out of range, missing where it may not be, or
/// no level, and its row by `name`.
void check_features(const StreamFormat& format, ConstRows rows,
                    const std::function<std::string(std::size_t row)>& name);

/// Throws `InvalidInput` naming the first value of a batch that breaks a rule of the format; ids are not checked.
void check_points(const StreamFormat& format, const PointBatch& batch);

}  // namespace fairstream
