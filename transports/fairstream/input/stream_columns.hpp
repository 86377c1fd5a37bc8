#pragma once
/// How a file is read for a stream whose format is known beforehand, from an engine or a configuration.

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include <fairstream/files/points/points.hpp>
#include <fairstream/input/input.hpp>

namespace fairstream::files {

/// A stream that a file is read for, and its names in messages.
struct KnownStream {
    StreamFormat format;
    ReaderSettings reader;
    std::string name;           ///< "the engine's stream"
    std::string configuration;  ///< place of its settings: "the engine's configuration"
    /// For points that are only labelled or scored: the attributes whose groups are needed, in this order. Such points
    /// have no targets and no weights, and ids of any text. Nothing: the points are taken in, with all their values.
    std::optional<std::vector<int>> question_attributes = {};
    bool is_saved_fit = false;  ///< made by a fit: only another fit can change its settings

    /// Returns advice on how the cell of `error` can be accepted: usually by a setting of the stream, or of the fit
    /// that made it. Empty without advice.
    [[nodiscard]] std::string remedy(const BadRow& error, const ColumnOptions& columns) const;
};

/// Returns the roles of a file's columns in a stream. The stream decides the groups and levels, and which values may be
/// missing. Group and feature columns that are not named have the stream's names. Names of the stream are put in its
/// order. If none of the names is the stream's, the columns are taken by position. Throws `InvalidInput` if the named
/// columns do not match the stream (wrong_shape), or only some names are the stream's (bad_option).
[[nodiscard]] FileColumns columns_for(const InputOptions& options, const KnownStream& stream);
/// Returns the columns of a file that describes its own stream, from `options` alone.
[[nodiscard]] FileColumns columns_of(const InputOptions& options);
[[nodiscard]] FileColumns columns_of(const InputOptions& options, const InputStream& stream);

/// Returns lines such as "--group: gender is taken for the engine's sex": one for each option whose columns
/// `columns_for` takes by position.
[[nodiscard]] std::vector<std::string> position_notes(const InputOptions& options, const KnownStream& stream);
/// Returns the unit of times in `options`. Throws `InvalidInput` for an unknown unit.
[[nodiscard]] TimeUnit time_unit(const FormatOptions& options);

/// Returns the decimal mark in `options`. Throws `InvalidInput` for an unknown mark.
[[nodiscard]] DecimalMark decimal_mark(const FormatOptions& options);
/// Returns the order of dates in `--date-order`; nothing if not given. Throws `InvalidInput` (bad_option) for an
/// unknown order.
[[nodiscard]] std::optional<DateOrder> date_order(const FormatOptions& options);

/// Throws `InvalidInput` (wrong_shape) unless a file has as many features as the stream.
void require_features(std::size_t features, const KnownStream& stream);
/// Throws `InvalidInput` (wrong_shape) unless `made`, the format of generated points, fits the stream.
void require_format(const StreamFormat& made, const KnownStream& stream);

}  // namespace fairstream::files
