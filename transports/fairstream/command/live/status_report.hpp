#pragma once
/// The screen of `fairstream status`.

#include <cstddef>
#include <string>

#include <fairstream/command/live/engine_status.hpp>

namespace fairstream::command {

/// Returns the screen for people, with its options on lines of at most `widest` columns. `styled`: with the escape
/// sequences of a terminal.
[[nodiscard]] std::string status_text(const EngineStatus& status, bool styled, std::size_t widest);

}  // namespace fairstream::command
