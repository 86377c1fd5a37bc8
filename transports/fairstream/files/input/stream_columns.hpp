#pragma once
/// How a file is read for a stream whose format is known beforehand: that of an engine, or of a configuration.

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include <fairstream/files/input/input.hpp>
#include <fairstream/files/points/points.hpp>

namespace fairstream::files {

/// A stream that points are read for, with its names in messages.
struct KnownStream {
    StreamFormat format;
    ReaderSettings reader;
    std::string name;           ///< "the engine's stream"
    std::string configuration;  ///< where its settings are: "the engine's configuration"
    /// Of points that only ask for labels or scores: the attributes whose groups that takes, in this order. Such points
    /// have neither targets nor weights, and ids of any text. Nothing: points are taken in, with all that they have.
    std::optional<std::vector<int>> asked_with = {};
    bool is_of_fit = false;  ///< whether a fit made it, so that only another fit has other settings

    /// Returns what helps with a cell and is no option: a setting of the stream, or of the fit that made it.
    [[nodiscard]] std::string remedy(const BadRow& error, const ColumnOptions& columns) const;
};

/// Returns the roles of a file's columns in a stream, which decides the groups and levels that cells are names of, and
/// what may be missing. Group columns that are not named have the attributes' names, as feature columns have those of
/// the stream's columns. Names that are the stream's are put in its order; names of which none is the stream's are
/// taken in its order by position. Throws `InvalidInput` where the columns that `options` name are not those of the
/// stream (wrong_shape), and for names of which only some are the stream's (bad_option).
[[nodiscard]] FileColumns columns_for(const InputOptions& options, const KnownStream& stream);
/// Returns the columns of a file by `options` alone, and of one that describes its own stream.
[[nodiscard]] FileColumns columns_of(const InputOptions& options);
[[nodiscard]] FileColumns columns_of(const InputOptions& options, const InputStream& stream);

/// Returns "--group: gender is taken for the engine's sex" for columns that `columns_for` takes by position in an
/// engine's stream, a line for each option.
[[nodiscard]] std::vector<std::string> taken_by_position(const InputOptions& options, const KnownStream& stream);
/// Returns the unit of times that `options` name. Throws `InvalidInput` for other text.
[[nodiscard]] TimeUnit time_unit(const FormatOptions& options);

/// Returns the decimal mark that `options` name. Throws `InvalidInput` for other text.
[[nodiscard]] DecimalMark decimal_mark(const FormatOptions& options);
/// Returns the order of dates that `--date-order` names; nothing where it is not given. Throws `InvalidInput`
/// (bad_option) for a word that is none.
[[nodiscard]] std::optional<DateOrder> date_order(const FormatOptions& options);

/// Throws `InvalidInput` (wrong_shape) unless a file has so many features as the stream.
void require_features(std::size_t features, const KnownStream& stream);
/// Throws `InvalidInput` (wrong_shape) unless generated points, of format `made`, are of the stream's.
void require_format(const StreamFormat& made, const KnownStream& stream);

}  // namespace fairstream::files
