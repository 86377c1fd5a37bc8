#pragma once
/// Description of a file's columns, from their contents and the options.

#include <string>
#include <vector>

#include <fairstream/files/input/input.hpp>

namespace fairstream::files {

/// Counts the columns of a file of points, and describes how they are read and prepared. Numbers stay unchanged; words
/// such as yes and no become 0 and 1. Options decide how text becomes categories, dates become numbers and missing
/// values are filled in. `learns`: the target must be a number, or words for yes and no, that a model learns. Throws
/// `InvalidInput`, in one text for all such columns with the options that read them, for a column that is none of
/// these; also for options that contradict each other or the file, and for a group column that looks like a number.
[[nodiscard]] InputStream describe_file(const InputOptions& options, bool learns, Listener& listener);

/// Scales the columns of numbers for `--standardise`: sets each scale to the weighted mean and deviation over the
/// training rows of `table`, a table of this stream.
void standardise_by(const Table& table, InputStream& stream);

/// Sets the fills that are a mean or the most frequent value from the training rows of `table`, by weight, so that all
/// rows are filled in alike. Keeps fills also for columns without missing values.
void fill_by(const Table& table, InputStream& stream);

/// Returns a line for each column that is not a plain number: its contents, and what it becomes. Empty if all are plain
/// numbers.
[[nodiscard]] std::vector<std::vector<std::string>> column_rows(const InputStream& stream);

/// Returns whether a column has a name that is usual for ids.
[[nodiscard]] bool may_name_ids(const std::string& column);

}  // namespace fairstream::files
