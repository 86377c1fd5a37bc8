#pragma once
/// The stream of a file, saved as an engine's configuration: how the file is sent to the engine, and what later files
/// may contain.

#include <span>
#include <string>
#include <vector>

#include <fairstream/config/config.hpp>
#include <fairstream/input/input.hpp>

namespace fairstream::files {

/// Returns the words after `fairstream send` that send the file of `options` to an engine of `stream`, which the file
/// or a configuration describes. The words do not set the size of batches.
[[nodiscard]] std::vector<std::string> send_arguments(const InputOptions& options, const InputStream& stream);

/// Lets later files have gaps that the describing file does not have: values of all features except `needed` may be
/// missing. They are filled in from `fills` (`set_fills`): numbers and dates by their mean, others by the most frequent
/// value. Leaves unchanged what the options have decided.
void allow_missing_values(config::StreamOptions& stream, const std::vector<std::string>& needed,
                          std::span<const double> fills);
/// Adds a group "unknown" that takes all unlisted cells of a group column; no target or figure covers it.
void allow_unlisted_groups(StreamFormat& format);

/// Returns the lines of a saved configuration's comment on these tolerances.
[[nodiscard]] std::string tolerance_comment(const config::StreamOptions& stream);

}  // namespace fairstream::files
