#pragma once
/// Number of bytes received over a connection.

#include <cstdint>
#include <optional>

namespace fairstream::zmq {

/// Returns the bytes that the process has read from a TCP connection so far; nothing for another file, or if the system
/// does not count them.
[[nodiscard]] std::optional<std::uint64_t> bytes_taken_in(int file) noexcept;

}  // namespace fairstream::zmq
