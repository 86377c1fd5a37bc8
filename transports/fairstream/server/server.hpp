#pragma once
/// A server for an engine process: a `Service` behind ZeroMQ sockets.
///
/// Three sockets: ingest (ROUTER), updates (XPUB) and control (ROUTER). One thread calls `run`, and a thread of the
/// server's own has the control socket, so that health is answered while the engine recovers or works on a long event;
/// no client can make either wait. Requests to label or score points are answered on a third one, one at a time, which
/// rests after each for as long as that took of a processor, and ends one that takes ten seconds of it. Time is shared
/// out by client (`service::Client::identity`): next is one that has used the least lately; a long event begins when
/// the acks of other clients are sent, and while events wait requests use the loop for no longer than events do. A
/// client that is gone or does not read loses what is sent to it: a producer sends again, a subscriber finds the gap in
/// the numbers.
///
/// Resources that clients can make the process hold are bounded; the bounds follow from `ServerOptions`:
/// - file descriptors: `descriptor_bound`;
/// - messages received and not handled yet: `receive_bound`. Producers are told how many events they may have
///   unanswered (`credit`), fewer where events are long, so that those that keep to it stay below the bound on waiting
///   events. Above it connections of the client that has most waiting are ended, and what came last of that is dropped:
///   none of it was acked. A client without an admitted key can send at most one message of `max_message_bytes` per
///   connection, and is disconnected when it is not admitted in five seconds;
/// - publications: `update_queue` for each subscriber, subscribers sharing the memory of a publication;
/// - answers: four for each connection to `control`, the longest being a snapshot of the window or a range of a ring;
/// - subscriptions: 128 of 512 bytes for each connection to `updates`.
///
/// libzmq has no bound on the frames of a message, all of which it holds until the last one arrives. The protection
/// against that is access: with keys only listed clients may send anything, and without keys only programs on this
/// machine reach an endpoint.

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
    std::string name = {};  ///< the only producer that it may send as; empty: any whose name is bound to no key, and
                            ///< that no other listed client sends as
    std::size_t names = 0;  ///< producers that it may make known; 0: `ClientLimits::names`
};

/// Keys of a server. Every connection is encrypted, and only clients whose public keys are listed are admitted. A key
/// may be listed more than once; a name may be bound to several keys, and several names to one.
struct ServerSecurity {
    std::string secret_key;                     ///< the server's, 40 characters of Z85, as are all keys here
    std::vector<std::string> clients = {};      ///< have all of the rights below
    std::vector<ProducerKey> producers = {};    ///< may send events
    std::vector<std::string> subscribers = {};  ///< may follow updates, and make `control` requests that change nothing
    std::vector<std::string> controllers = {};  ///< may make any `control` request, a stop included
};

struct Endpoints {
    std::string ingest;
    std::string updates;
    std::string control;
};

/// Most connections that each socket keeps open, each at least 1, beside a few that have sent nothing yet. Above it the
/// newest of the client that has most is ended. A subscriber of this library has one to `updates` and one to `control`.
struct ConnectionLimits {
    std::size_t ingest = 64;
    std::size_t updates = 128;
    std::size_t control = 128;
};

/// Limits of each client (`service::Client::identity`), each at least 1.
struct ClientLimits {
    std::size_t names = 100;  ///< producers that are known of it; above it the idlest are forgotten
    std::size_t connections =
        65536;  ///< to each socket; above it, or where a socket has too many, the newest are ended
    std::size_t subscriptions = 4096;  ///< topics, over all of its connections
};

struct ServerOptions {
    /// Endpoints to bind. `tcp://127.0.0.1:*` takes a free port, which `Server::endpoints` returns.
    Endpoints endpoints;
    std::optional<ServerSecurity> security = {};
    bool allow_insecure = false;  ///< without security: may bind endpoints that other machines reach
    /// Events, or bytes of events, per commit while more are waiting; both at least 1. Higher: more throughput, later
    /// answers.
    std::size_t commit_events = 64;
    std::size_t commit_bytes = std::size_t{8} << 20;
    int update_queue = 1000;  ///< publications that may wait for a subscriber before it loses some, at least 1
    /// Longest event or request that is taken, in [4096, 256 MiB]. A client that sends a longer one is disconnected;
    /// producers are told the limit, and refuse longer events themselves. Higher: longer batches, more memory that
    /// clients can hold.
    std::size_t max_message_bytes = std::size_t{4} << 20;
    ConnectionLimits connections = {};
    ClientLimits client_limits = {};
    RunBeside answer_beside =
        {};  ///< runs the answers to requests to label or score points; empty: the server's thread
    std::chrono::milliseconds status_interval{1000};  ///< between publications on topic "status", at least 1
    /// Called with the public key of a client that was not let in, and the socket, "ingest", "updates" or "control":
    /// once for each, and for a hundred at most. From a thread of the server's own; must not call the server.
    std::function<void(std::string_view key, std::string_view socket)> turned_away = {};
};

/// Throws `InvalidInput` (bad_option).
void check(const ServerOptions& options);

/// Returns the most bytes of messages, received and not handled yet, that clients can make a server with these options
/// hold, if each message has the right number of frames.
[[nodiscard]] std::size_t receive_bound(const ServerOptions& options) noexcept;

/// Counts of dropped messages and connections.
struct ServerCounters {
    std::uint64_t dropped_messages = 0;  ///< messages with a wrong number of frames
    std::uint64_t dropped_replies = 0;   ///< replies whose client was gone, or did not read
    std::uint64_t turned_away = 0;       ///< connections refused for their key
    std::uint64_t surplus = 0;           ///< connections that were ended because there were too many
    std::uint64_t oversubscribed = 0;    ///< connections that were ended because of too many subscriptions
    std::uint64_t endless = 0;           ///< connections that were ended in a message with too many parts
};

/// Returns the most file descriptors that the connections of such a server may use: in a burst of new connections,
/// about a thousand more for each socket than stay open. Without a free descriptor libzmq 4.3 ends the process at a
/// connection to an ipc endpoint, and retries in a busy loop on a tcp endpoint.
[[nodiscard]] std::size_t descriptor_bound(const ServerOptions& options) noexcept;

class Server {
public:
    /// Binds. Throws `InvalidInput` for bad options and `SocketError` when an endpoint cannot be bound. `service` must
    /// outlive this. `context` is needed for inproc endpoints only; it can have only one server with security.
    Server(service::Service& service, const ServerOptions& options, std::shared_ptr<Context> context = nullptr);
    ~Server();
    Server(const Server&) = delete;
    Server& operator=(const Server&) = delete;

    /// Returns the bound endpoints, with their actual ports.
    [[nodiscard]] const Endpoints& endpoints() const noexcept;

    /// Functions that `run` calls in a recovery, those that are not empty.
    struct RecoveryHooks {
        service::Service::Progress progress = {};  ///< called after each event that is replayed
        std::function<void()> done = {};           ///< called once the service has recovered, before anything is served
    };
    /// Recovers the service first, if it was not at its construction: meanwhile health is answered, and all else waits.
    /// Serves until a client asks to stop or `request_stop` was called, then finishes the service and closes the
    /// sockets. An event that delays this by more than two seconds is interrupted, see `Service::interrupted`. Throws
    /// `ServiceFailure` and `SocketError`, with the sockets closed. Call it once only.
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
