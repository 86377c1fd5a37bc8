#pragma once
/// Description of a file's columns, from their contents and the options.

#include <string>

#include <fairstream/input/input.hpp>

namespace fairstream::files {

/// Counts the columns of a file of points, and describes how they are read and prepared. Numbers stay unchanged; words
/// such as yes and no become 0 and 1. Options decide how text becomes categories, dates become numbers and missing
/// values are filled in. With `learns`, a model learns the target, which must be a number, or words for yes and no.
/// Throws `InvalidInput` for columns that cannot be read in this way: one error names all of them, and the options that
/// read them. Throws also for options that contradict each other or the file, and for a group column that looks like a
/// number.
[[nodiscard]] InputStream describe_file(const InputOptions& options, bool learns, Listener& listener);

/// Returns whether a column has a name that is usual for ids.
[[nodiscard]] bool may_name_ids(const std::string& column);

}  // namespace fairstream::files
