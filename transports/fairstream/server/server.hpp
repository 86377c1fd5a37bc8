#pragma once
/// A server for an engine process: a `Service` behind ZeroMQ sockets.
///
/// Three sockets: ingest (ROUTER), updates (XPUB) and control (ROUTER). One thread calls `run`. A second thread owns
/// the control socket, so that health is answered while the engine recovers or works on a long event; no client can
/// make either thread wait. A third thread answers requests to label or score points, one at a time. After each it
/// rests for as long as the answer took of processor time; it ends an answer that takes ten seconds of processor time.
///
/// Time is shared among clients (`service::Client::identity`): the next message is one of the client that has used the
/// least lately. A long event begins only when the acks of other clients are sent. While events wait, requests use the
/// loop for no longer than events do. A client that is gone or does not read loses what is sent to it: a producer sends
/// again, a subscriber finds the gap in the numbers.
///
/// Resources that clients can make the process hold are bounded; the bounds follow from `ServerOptions`:
/// - file descriptors: `descriptor_bound`;
/// - messages received and not yet handled: `receive_bound`. Producers are told how many events they may have
///   unanswered (`credit`), fewer if events are long; with these limits, waiting events stay below their bound. Above
///   the bound, connections of the client with the most waiting bytes are ended, and its newest events are dropped;
///   none of them was acknowledged. A client without an admitted key can send at most one message of
///   `max_message_bytes` per connection, and is disconnected if it is not admitted within five seconds;
/// - publications: `update_queue` for each subscriber; subscribers share the memory of a publication;
/// - answers: four for each connection to `control`; the longest is a snapshot of the window or a range of a ring;
/// - subscriptions: 128 of 512 bytes for each connection to `updates`.
///
/// libzmq has no bound on the frames of a message, and holds all of them until the last one arrives. The protection is
/// access: with keys only listed clients may send anything, and without keys only programs on this machine reach an
/// endpoint.

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <fairstream/service/service.hpp>
#include <fairstream/zmq/socket.hpp>

namespace fairstream::zmq {

/// The public key of a client that may send events.
struct ProducerKey {
    std::string key;        ///< 40 characters of Z85
    std::string name = {};  ///< the only producer name it may use; empty: any that is bound to no key and that no other
                            ///< listed client uses
    std::size_t names = 0;  ///< producers that it may introduce; 0: `ClientLimits::names`
};

/// Keys of a server. Every connection is encrypted, and only clients with listed public keys are admitted. A key may be
/// listed several times; a name may be bound to several keys, and several names to one key.
struct ServerSecurity {
    std::string secret_key;                     ///< 40 characters of Z85, as are all keys here
    std::vector<std::string> clients = {};      ///< keys that have all of the rights below
    std::vector<ProducerKey> producers = {};    ///< may send events
    std::vector<std::string> subscribers = {};  ///< may follow updates, and make `control` requests that change nothing
    std::vector<std::string> controllers = {};  ///< may make any `control` request, including a stop
};

struct Endpoints {
    std::string ingest;
    std::string updates;
    std::string control;
};

/// Largest numbers of connections that each socket keeps open, each at least 1, besides a few that have not sent
/// anything yet. If there are more, the newest connection of the client with the most connections is ended. A
/// subscriber of this library has one connection to `updates` and one to `control`.
struct ConnectionLimits {
    std::size_t ingest = 64;
    std::size_t updates = 128;
    std::size_t control = 128;
};

/// Limits of each client (`service::Client::identity`), each at least 1.
struct ClientLimits {
    std::size_t names = 100;  ///< known producers of a client; beyond these the longest idle are forgotten
    std::size_t connections =
        65536;  ///< connections to each socket; above this or the socket's limit, the newest are ended
    std::size_t subscriptions = 4096;  ///< topics over all connections of a client
};

struct ServerOptions {
    /// Endpoints to bind. `tcp://127.0.0.1:*` takes a free port, which `Server::endpoints` returns.
    Endpoints endpoints;
    std::optional<ServerSecurity> security = {};
    bool allow_insecure = false;  ///< without security: may bind endpoints that other machines can reach
    /// Events, and bytes of events, per commit while more are waiting; both at least 1. Higher: more throughput, later
    /// answers.
    std::size_t commit_events = 64;
    std::size_t commit_bytes = std::size_t{8} << 20;
    int update_queue = 1000;  ///< publications queued for a subscriber before it loses some, at least 1
    /// Longest accepted event or request in bytes, in [4096, 256 MiB]. A client that sends a longer one is
    /// disconnected. Producers are told the limit, and refuse longer events themselves. Higher: longer batches, and
    /// more memory that clients can hold.
    std::size_t max_message_bytes = std::size_t{4} << 20;
    ConnectionLimits connections = {};
    ClientLimits client_limits = {};
    RunInBackground answer_runner = {};  ///< runs answers that label or score points; empty: the server's thread
    std::chrono::milliseconds status_interval{1000};  ///< between publications on topic "status", at least 1
    /// Called with the public key of a rejected client and the socket, "ingest", "updates" or "control": once for each
    /// pair, and at most a hundred times. Called by a thread of the server; must not call the server.
    std::function<void(std::string_view key, std::string_view socket)> on_rejected = {};
};

/// Throws `InvalidInput` (bad_option).
void check(const ServerOptions& options);

/// Returns the largest number of bytes of messages, received and not yet handled, that clients can make a server with
/// these options hold, provided each message has the right number of frames.
[[nodiscard]] std::size_t receive_bound(const ServerOptions& options) noexcept;

/// Counts of dropped messages and connections.
struct ServerCounters {
    std::uint64_t dropped_messages = 0;  ///< messages with a wrong number of frames
    std::uint64_t dropped_replies = 0;   ///< replies whose client was gone or did not read
    std::uint64_t rejected = 0;          ///< connections refused for their key
    std::uint64_t surplus = 0;           ///< connections ended because there were too many
    std::uint64_t oversubscribed = 0;    ///< connections ended for too many subscriptions
    std::uint64_t endless = 0;           ///< connections ended because a message had too many parts
};

/// Returns the largest number of file descriptors that the connections of a server with these options may use. In a
/// burst of new connections, each socket uses about a thousand descriptors more than stay open. Without a free
/// descriptor, libzmq 4.3 ends the process on a connection to an ipc endpoint, and retries in a busy loop on a tcp
/// endpoint.
[[nodiscard]] std::size_t descriptor_bound(const ServerOptions& options) noexcept;

class Server {
public:
    /// Binds the endpoints. Throws `InvalidInput` for bad options and `SocketError` when an endpoint cannot be bound.
    /// `service` must outlive this object. `context` is needed only for inproc endpoints; a context can have only one
    /// server with security.
    Server(service::Service& service, const ServerOptions& options, std::shared_ptr<Context> context = nullptr);
    ~Server();
    Server(const Server&) = delete;
    Server& operator=(const Server&) = delete;

    /// Returns the bound endpoints, with their actual ports.
    [[nodiscard]] const Endpoints& endpoints() const noexcept;

    /// Functions that `run` calls during a recovery; each may be empty.
    struct RecoveryHooks {
        service::Service::Progress progress = {};  ///< called after each replayed event
        std::function<void()> done = {};           ///< called once the service has recovered, before it serves anything
    };
    /// Recovers the service first, unless it recovered at its construction; meanwhile only health is answered. Serves
    /// until a client asks to stop or `request_stop` is called; then finishes the service and closes the sockets. An
    /// event that delays the stop by more than two seconds is interrupted, see `Service::interrupted`. Throws
    /// `ServiceFailure` and `SocketError`, with the sockets closed. Call it only once.
    void run(const RecoveryHooks& recovery);
    void run() { run({}); }
    /// Makes `run` stop. Callable from any thread and from a signal handler.
    void request_stop() noexcept;
    /// Returns the counters; call after `run`.
    [[nodiscard]] const ServerCounters& counters() const noexcept;

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace fairstream::zmq
