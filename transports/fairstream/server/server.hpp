#pragma once
/// The engine process's end of the wire: a `Service` behind ZeroMQ sockets.
///
/// Three sockets: ingest (ROUTER), updates (XPUB) and control (ROUTER). One thread runs `run`, and one of the server's
/// own has the control socket, so that health is answered while the engine works on a long event; nothing that a client
/// does or fails to do makes either wait. A client that is gone or does not read loses what is sent to it: a producer
/// sends again, a subscriber finds the gap in the numbers.
///
/// What clients can make the process hold has bounds, which follow from `ServerOptions`:
/// - file descriptors: `descriptor_bound`;
/// - messages that came and were not handled yet: `receive_bound`. A client without an admitted key gets no further
///   than one message of `max_message_bytes` for each connection, and is cut off when it is not admitted in five
///   seconds;
/// - publications: `update_queue` of them for each subscriber, which share their memory where they are the same;
/// - answers: four for each connection to `control`, the longest being a snapshot of the window or a range of a ring;
/// - subscriptions: 128 of 512 bytes for each connection to `updates`.
///
/// One thing libzmq has no bound for: a message of several frames, of which it holds those that came until the last one
/// does. A client can make it hold any number of them. What stands before that are the keys, with which only listed
/// clients may send anything, and without keys that only programs on this machine reach an endpoint.

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

/// The public key of a client that may send events.
struct ProducerKey {
    std::string key;        ///< 40 characters of Z85
    std::string name = {};  ///< the producer that it may speak as, and no other key may; empty: any that is nobody's
};

/// With it every connection is encrypted, and only clients whose public keys are listed are let in. A key may be listed
/// more than once, and a name be bound to several keys, or several names to one.
struct ServerSecurity {
    std::string secret_key;                     ///< of the server, 40 characters of Z85, as are all keys here
    std::vector<std::string> clients = {};      ///< may do all that follows
    std::vector<ProducerKey> producers = {};    ///< may send events
    std::vector<std::string> subscribers = {};  ///< may follow updates, and ask on `control` for what changes nothing
    std::vector<std::string> controllers = {};  ///< may ask on `control` for everything, a stop included
};

struct Endpoints {
    std::string ingest;
    std::string updates;
    std::string control;
};

/// Connections that each socket keeps open at most, each number at least 1. A subscriber of this library has one to
/// `updates` and one to `control`.
struct ConnectionLimits {
    std::size_t ingest = 64;
    std::size_t updates = 128;
    std::size_t control = 128;
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
    /// Longest event or request that is taken, in [4096, 256 MiB]. A client that sends a longer one is cut off;
    /// producers are told, and refuse it themselves. Higher: longer batches, more memory that clients can hold.
    std::size_t max_message_bytes = std::size_t{4} << 20;
    ConnectionLimits connections = {};
    std::chrono::milliseconds status_interval{1000};  ///< of the topic "status", at least 1
};

/// Throws `InvalidInput` (bad_option).
void check(const ServerOptions& options);

/// Bytes of messages, received and not handled yet, that clients can make a server with these options hold, if each
/// message has the frames it should have.
[[nodiscard]] std::size_t receive_bound(const ServerOptions& options) noexcept;

/// What clients lost or could not be understood.
struct ServerCounters {
    std::uint64_t dropped_messages = 0;  ///< came with a wrong number of frames
    std::uint64_t dropped_replies = 0;   ///< their client was gone, or did not read
    std::uint64_t turned_away = 0;       ///< connections with a key that is not admitted
    std::uint64_t surplus = 0;           ///< connections that were ended because there were too many
    std::uint64_t oversubscribed = 0;    ///< connections that were ended because of too many subscriptions
};

/// File descriptors that the connections of such a server may have at most: in a burst of new connections, about a
/// thousand more for each socket than stay. libzmq 4.3 ends the process when there is none left for a connection to an
/// ipc endpoint, and tries again without a pause on a tcp endpoint.
[[nodiscard]] std::size_t descriptor_bound(const ServerOptions& options) noexcept;

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
