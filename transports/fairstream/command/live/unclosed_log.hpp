#pragma once
/// The message of `serve` and `check` about a recording that its last writer did not close.

#include <string>

#include <fairstream/log/event_log.hpp>

namespace fairstream::command {

/// Returns the message; empty when the recording was closed or is being written.
[[nodiscard]] std::string unclosed_log_text(const log::EventLog& recording);

}  // namespace fairstream::command
