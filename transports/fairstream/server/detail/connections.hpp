#pragma once
/// Bounds on the connections of the server's sockets, and the choice of the connections that are closed above them. For
/// the sources of this folder only: includes ZeroMQ types.
///
/// libzmq bounds neither connections nor subscriptions, nor the parts of a message. It accepts connections until the
/// process has no file descriptor left, and then retries without a pause. It keeps a tree node for every byte of every
/// subscribed topic, and holds the parts of a message until the last one arrives. But a socket's monitor names the
/// descriptor of each connection, and messages name the connection they came over. If a descriptor is shut down, libzmq
/// treats its connection as closed by the client. The client may connect again.

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <mutex>
#include <optional>
#include <thread>

#include <zmq.hpp>

#include <fairstream/server/detail/clients.hpp>
#include <fairstream/server/detail/native.hpp>
#include <fairstream/zmq/detail/socket_native.hpp>

namespace fairstream::zmq {

/// Ends connections above a bound, on a separate thread, because the server's loop may be busy with an event meanwhile.
/// Any thread may call `note_message` and the counters; only the thread that made the sockets may call the other
/// functions.
///
/// A connection is silent until its first message, which identifies its client. If too many are silent, the oldest is
/// ended. If too many others are open, the newest connection of the client with the most connections is ended. So a
/// client with few connections gets one, however many the others have. If no client has two, a newcomer is ended,
/// unless it may control the engine: then the newest connection of a client without that right is ended.
///
/// A TCP connection that brings more than `Bounds::bytes_held` bytes without a complete message is sending too many
/// parts, and is ended. Bytes of other kinds of connections cannot be counted.
class Connections {
public:
    /// Largest number of subscriptions of one connection. A subscriber of all topics of twenty models has fewer.
    static constexpr std::int64_t most_subscriptions = 128;

    /// Returns how many silent connections a socket keeps in addition to `most` others.
    [[nodiscard]] static constexpr std::size_t most_silent(std::size_t most) noexcept {
        return std::clamp<std::size_t>(most / 4, 4, 64);
    }

    /// Connections that libzmq may accept before it waits for the thread that ends them: the fixed length of a
    /// monitor's queue. Until that thread has caught up, a socket may exceed its bound by this many.
    static constexpr std::size_t burst = 1001;

    struct Bounds {
        std::size_t connections;  ///< connections that sent something
        std::size_t bytes_held;   ///< bound on the bytes held for one connection, if messages have no parts
    };

    Connections(::zmq::context_t& context, const ClientLimits& limits) : context_(context), limits_(limits) {}
    ~Connections() { stop(); }
    Connections(const Connections&) = delete;
    Connections& operator=(const Connections&) = delete;

    /// Limits the connections of `socket`, which is not bound yet. Call before `start`.
    void watch(::zmq::socket_t& socket, const Bounds& bounds);
    void start();
    /// Stops watching. Call it, or the destructor, before the sockets are closed.
    void stop() noexcept;

    /// Notes that a client sent a message, and ends a connection if there are too many.
    void note_message(const ::zmq::message_t& message, const service::Client& sender);
    /// Notes a message that an XPUB received: "\1topic" to subscribe or "\0topic" to unsubscribe. Ends the connection
    /// if it, or its client, has too many subscriptions.
    void note_subscription(const ::zmq::message_t& message, const service::Client& sender);

    /// Ends the connection that `message` came over, if it is still open, because too much from it is waiting.
    void end_sender_of(const ::zmq::message_t& message);
    /// Returns the number of open connections of a watched socket, without those inside the process.
    [[nodiscard]] std::size_t open(const ::zmq::socket_t& socket) const;

    /// Returns the number of connections with a subscription, without those inside the process.
    [[nodiscard]] std::uint32_t subscribers() const;
    /// Returns the number of connections ended because there were too many.
    [[nodiscard]] std::uint64_t surplus() const noexcept { return surplus_; }
    /// Returns the number of connections ended for too many subscriptions.
    [[nodiscard]] std::uint64_t oversubscribed() const noexcept { return oversubscribed_; }
    /// Returns the number of connections ended for a message with too many parts.
    [[nodiscard]] std::uint64_t endless() const noexcept { return endless_; }

private:
    struct WatchedSocket {
        void* socket;
        ::zmq::socket_t events;
        Bounds bounds;
    };
    struct Traffic {
        const service::Client* sender = nullptr;  // null: silent so far
        std::int64_t subscriptions = 0;
        bool sent_since_count = false;  // sent a message since its bytes were last counted
    };
    struct Connection {
        WatchedSocket* watched;
        std::uint64_t number;  // rises with each connection
        Traffic traffic = {};
        std::optional<std::uint64_t> bytes = {};  // approximate bytes at its last message; nothing: not counted
        Clock::time_point counted_at = {};
    };
    using Table = std::map<int, Connection>;  // by file descriptor

    void work();
    void read_events(WatchedSocket& watched);
    void add(WatchedSocket& watched, int file);
    [[nodiscard]] bool counts_bytes() const;
    void end_endless();
    Traffic* note(int file, const service::Client& sender);
    bool end_surplus(const WatchedSocket& watched);
    [[nodiscard]] Table::iterator oldest_silent(const WatchedSocket& watched);
    [[nodiscard]] Table::iterator surplus_connection(const WatchedSocket& watched);
    void end(Table::iterator connection);

    ::zmq::context_t& context_;
    ClientLimits limits_;
    std::deque<WatchedSocket> watched_;
    Wakeup wakeup_;
    std::atomic<bool> stop_ = false;
    std::atomic<std::uint64_t> surplus_ = 0, oversubscribed_ = 0, endless_ = 0;

    mutable std::mutex mutex_;  // guards the members below
    Table table_;
    std::map<int, Traffic> unreported_;  // traffic of connections that the monitor has not reported yet
    std::uint64_t last_number_ = 0;

    std::thread thread_;
};

}  // namespace fairstream::zmq
