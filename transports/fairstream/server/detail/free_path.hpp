#pragma once
/// A check before an ipc endpoint is bound. ZeroMQ removes any file at its path: another engine's socket, whose clients
/// would then reach this engine unawares, or an unrelated file.

#include <string_view>

namespace fairstream::zmq {

/// Throws `SocketError` when a process listens at the path of this endpoint, or when the file there is no socket. Does
/// nothing for other endpoints.
void require_free_path(std::string_view endpoint);

}  // namespace fairstream::zmq
