#pragma once
/// The stream of a file, saved for an engine: how the file is sent to it, and what later files may hold.

#include <span>
#include <string>
#include <vector>

#include <fairstream/config/config.hpp>
#include <fairstream/files/input/input.hpp>

namespace fairstream::files {

/// Returns the words after `fairstream send` that send the file of `options` to an engine of `stream`, which the file
/// or a configuration describes. Batches are as `send` has them.
[[nodiscard]] std::vector<std::string> sending_words(const InputOptions& options, const InputStream& stream);

/// Makes a stream take what later files may lack and the one that described it does not: any value of a feature may be
/// missing, but for the columns `needed`, and is filled in by that of `fills` (`fill_by`): numbers and dates by their
/// mean, all others by what is most frequent. Does nothing to what the options have decided.
void tolerate_gaps(config::StreamOptions& stream, const std::vector<std::string>& needed,
                   std::span<const double> fills);
/// Makes cells of group columns that are no group be of one named "unknown", which no target or figure is about.
void tolerate_other_groups(StreamFormat& format);

/// Returns the lines of a saved configuration's comment on that.
[[nodiscard]] std::string tolerance_comment(const config::StreamOptions& stream);

}  // namespace fairstream::files
