#pragma once
/// The settings of [prepare] and [[prepare.column]].

#include <string>
#include <string_view>

#include <fairstream/config/detail/section.hpp>
#include <fairstream/engine.hpp>
#include <fairstream/files/reader_settings.hpp>

namespace fairstream::config {

/// Reads [prepare] into `prepare`, and levels and possible missing values into the columns of `format`, which is
/// otherwise complete. Earlier versions had the orders of dates here; they go into `reader`. Throws `InvalidInput`
/// naming the place.
void read_prepare(Section section, StreamFormat& format, PrepareOptions& prepare, files::ReaderSettings& reader);

/// Returns the settings as text. [prepare] has the settings of the first column of numbers; every column that differs
/// has its [[prepare.column]]. Empty if features stay unchanged. `quoted` writes a text as TOML.
[[nodiscard]] std::string prepare_text(const StreamFormat& format, const PrepareOptions& prepare,
                                       std::string (*quoted)(std::string_view));

}  // namespace fairstream::config
