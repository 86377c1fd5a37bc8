#pragma once
/// What `fairstream status` shows people.

#include <cstddef>
#include <string>

#include <fairstream/figures/engine_status.hpp>

namespace fairstream::command {

/// Returns the screen for people, its options on lines of at most `widest` columns. `styled`: with the escape sequences
/// of a terminal.
[[nodiscard]] std::string status_text(const figures::EngineStatus& status, bool styled, std::size_t widest);

}  // namespace fairstream::command
