#pragma once
/// How a file is read for a stream whose format is known beforehand: that of an engine, or of a configuration.

#include <cstddef>
#include <string>

#include <fairstream/command/input/input.hpp>
#include <fairstream/csv/points.hpp>

namespace fairstream::command {

/// A stream that points are read for, with its names in messages.
struct KnownStream {
    StreamFormat format;
    std::string name;           ///< "the engine's stream"
    std::string configuration;  ///< where its settings are: "the engine's configuration"
};

/// Returns the roles of a file's columns in a stream: cells of the i-th group column are names of the i-th attribute's
/// groups, and group columns that are not named have the attributes' names, as feature columns have those of the
/// stream's columns, which say what levels cells are and what may be missing. Throws `InvalidInput` (wrong_shape) where
/// the columns that `options` name are not those of the stream.
[[nodiscard]] csv::Columns columns_for(const InputOptions& options, const KnownStream& stream);
/// Returns the roles of a file's columns by `options` alone.
[[nodiscard]] csv::Columns columns_of(const InputOptions& options);

/// Throws `InvalidInput` (wrong_shape) unless a file has so many features as the stream.
void require_features(std::size_t features, const KnownStream& stream);
/// Throws `InvalidInput` (wrong_shape) unless generated points, of format `made`, are of the stream's.
void require_format(const StreamFormat& made, const KnownStream& stream);

}  // namespace fairstream::command
