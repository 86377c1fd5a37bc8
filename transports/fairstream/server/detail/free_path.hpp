#pragma once
/// A check before an ipc endpoint is bound. ZeroMQ removes whatever is at its path: another engine's socket, whose
/// clients would go to this one unawares, or a file that has nothing to do with it.

#include <string_view>

namespace fairstream::zmq {

/// Throws `SocketError` when a process listens at the path of this endpoint, or when what is there is no socket. Does
/// nothing for other endpoints.
void require_free_path(std::string_view endpoint);

}  // namespace fairstream::zmq
