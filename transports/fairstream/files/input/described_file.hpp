#pragma once
/// What the columns of a file become: by what they hold, and by what the options say of them.

#include <string>
#include <vector>

#include <fairstream/files/input/input.hpp>

namespace fairstream::files {

/// Looks through a file of points and says how its columns are read and prepared. Numbers stay as they are; words such
/// as yes and no become 0 and 1; text becomes categories, and dates numbers, where the options say how, as missing
/// values are filled in. `learns`: whether the target is a number that a model learns, or words for yes and no. Throws
/// `InvalidInput` for a column that is none of these, in one text that names all of them and the options that read
/// them, for options that contradict each other or the file, and for a group column that looks like a number.
[[nodiscard]] InputStream describe_file(const InputOptions& options, bool learns, Listener& listener);

/// Scales columns of numbers, as `--standardise` does: sets the scale of each to the mean and the deviation that the
/// training rows of `table`, which is of this stream, have by weight.
void standardise_by(const Table& table, InputStream& stream);

/// Sets what missing values are filled in by, where that is a mean or the most frequent value: those of the training
/// rows of `table`, by weight, so that all rows are filled in alike. Keeps them for the columns that lack none, too.
void fill_by(const Table& table, InputStream& stream);

/// Returns a line for each column that is not a plain number: what it holds, and what it becomes; empty where all are.
[[nodiscard]] std::vector<std::vector<std::string>> column_rows(const InputStream& stream);

/// Says whether a column is called as those of ids are.
[[nodiscard]] bool may_name_ids(const std::string& column);

}  // namespace fairstream::files
