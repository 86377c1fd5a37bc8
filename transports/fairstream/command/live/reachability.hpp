#pragma once
/// Says why nothing answers at an endpoint, as far as the connection alone tells.

#include <string>

namespace fairstream::command {

/// Connects to an endpoint, tcp://HOST:PORT or ipc://PATH, and returns why that cannot be done, or why what listens
/// there is no engine: "nothing listens at ...". Empty where it can, or where the connection does not tell. Takes a
/// second at most, but for the look-up of a name.
[[nodiscard]] std::string why_unreachable(const std::string& endpoint);

}  // namespace fairstream::command
