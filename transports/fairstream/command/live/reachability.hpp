#pragma once
/// Finds the reason why nothing answers at an endpoint, as far as the connection shows it.

#include <string>

namespace fairstream::command {

/// Connects to an endpoint, tcp://HOST:PORT or ipc://PATH. Returns why the connection fails or why the listener is no
/// engine: "nothing listens at ...". Returns an empty text when it connects or the reason is unknown. Takes at most a
/// second, plus the look-up of a host name.
[[nodiscard]] std::string why_unreachable(const std::string& endpoint);

}  // namespace fairstream::command
