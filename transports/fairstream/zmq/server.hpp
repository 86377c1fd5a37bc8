#pragma once
/// The engine process's end of the wire: a `Service` behind ZeroMQ sockets.
///
/// Three sockets: ingest (ROUTER), updates (XPUB) and control (ROUTER). One thread runs `run`, and one of the server's
/// own has the control socket, so that health is answered while the engine works on a long event; nothing that a client
/// does or fails to do makes either wait. A client that is gone or does not read loses what is sent to it: a producer
/// sends again, a subscriber finds the gap in the numbers.

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <fairstream/service/service.hpp>
#include <fairstream/zmq/socket.hpp>

namespace fairstream::zmq {

/// With it every connection is encrypted, and only these clients are let in.
struct ServerSecurity {
    std::string secret_key;            ///< of the server, 40 characters of Z85
    std::vector<std::string> clients;  ///< public keys, 40 characters of Z85 each
};

struct Endpoints {
    std::string ingest;
    std::string updates;
    std::string control;
};

struct ServerOptions {
    /// To bind. `tcp://127.0.0.1:*` takes a free port: `Server::endpoints` says which.
    Endpoints endpoints;
    std::optional<ServerSecurity> security = {};
    bool allow_insecure = false;  ///< without security: bind also where other machines reach it
    /// Events, or bytes of them, after which a commit is made while more are waiting; both at least 1. Higher: more
    /// throughput, later answers.
    std::size_t commit_events = 64;
    std::size_t commit_bytes = std::size_t{8} << 20;
    int update_queue = 1000;  ///< publications that may wait for a subscriber before it loses some, at least 1
    std::chrono::milliseconds status_interval{1000};  ///< of the topic "status", at least 1
};

/// Throws `InvalidInput` (bad_option).
void check(const ServerOptions& options);

/// What clients lost or could not be understood.
struct ServerCounters {
    std::uint64_t dropped_messages = 0;  ///< came with a wrong number of frames
    std::uint64_t dropped_replies = 0;   ///< their client was gone, or did not read
    std::uint64_t turned_away = 0;       ///< connections with a key that is not admitted
};

class Server {
public:
    /// Binds. Throws `InvalidInput` for bad options and `SocketError` when an endpoint cannot be bound. `service` must
    /// live longer. `context` is needed for inproc endpoints only, and serves one server with security.
    Server(service::Service& service, const ServerOptions& options, std::shared_ptr<Context> context = nullptr);
    ~Server();
    Server(const Server&) = delete;
    Server& operator=(const Server&) = delete;

    /// The endpoints that were bound, with their ports.
    [[nodiscard]] const Endpoints& endpoints() const noexcept;

    /// Serves until a client asks to stop or `request_stop` was called, then finishes the service and closes the
    /// sockets. An event that keeps it waiting for more than two seconds then is interrupted, see
    /// `Service::interrupted`. Throws `ServiceFailure` and `SocketError`, the sockets closed. Once only.
    void run();
    /// From any thread, and from a signal handler.
    void request_stop() noexcept;
    /// Of a `run` that is over.
    [[nodiscard]] const ServerCounters& counters() const noexcept;

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace fairstream::zmq
