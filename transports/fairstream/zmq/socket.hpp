#pragma once
/// The common parts of the sockets of clients and servers: keys, checks of endpoints, and contexts.
///
/// A socket, and so every client here, belongs to one thread at a time: libzmq ends the process when two threads use
/// one socket. Clients on several threads may share a `Context`.

#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>

#include <fairstream/base/types.hpp>

namespace fairstream::zmq {

/// A socket could not be made, connected or used; `what()` names the endpoint and the cause.
class SocketError : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

/// A CURVE key pair, each key 40 characters of Z85.
struct KeyPair {
    std::string public_key;
    std::string secret_key;
    bool operator==(const KeyPair&) const = default;
};

/// Returns a new key pair from the operating system's random source. Throws `SocketError` when libzmq was built without
/// CURVE.
[[nodiscard]] KeyPair generate_keys();

/// Throws `InvalidInput` (bad_option) unless `key` is 40 characters of Z85. `what` names the key in the error text,
/// which does not show the key itself.
void check_key(std::string_view key, std::string_view what);
/// Throws `InvalidInput` (bad_option) unless both are keys and the public one belongs to the secret one.
void check(const KeyPair& keys);

/// Keys of a client to a server with keys: connections are encrypted and mutually authenticated.
struct ClientSecurity {
    std::string server_public_key;
    KeyPair keys;  ///< the client's own; the server must allow its public key
};
void check(const ClientSecurity& security);

/// Throws `InvalidInput` (bad_option) unless `endpoint` is tcp://host:port with a port of 1 to 65535 (libzmq maps a
/// larger one to another port), ipc://path or inproc://name.
void check_connectable(std::string_view endpoint);
/// Throws `InvalidInput` (bad_option) unless a server may bind `endpoint`. With keys or `allow_insecure`: any tcp, ipc
/// or inproc endpoint. Otherwise: ipc, inproc, and tcp on 127.0.0.0/8, [::1] and localhost only, because without keys
/// any client that reaches a port may send events and stop the engine.
void check_bind_allowed(std::string_view endpoint, bool has_keys, bool allow_insecure);

/// libzmq's background thread, and the name space of inproc endpoints. Clients without a context make their own.
/// Several threads may share it; it lives until the last client that uses it is gone. Connect to an inproc endpoint
/// only after it was bound: libzmq 4.3 may fail an assertion when a context ends with a connection to an endpoint that
/// never was.
class Context {
public:
    Context();
    ~Context();
    Context(const Context&) = delete;
    Context& operator=(const Context&) = delete;
    struct Native;
    [[nodiscard]] Native& native() noexcept { return *native_; }

private:
    std::unique_ptr<Native> native_;
};

}  // namespace fairstream::zmq
