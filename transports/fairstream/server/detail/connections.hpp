#pragma once
/// Bounds on the connections of the server's sockets, and the choice of those that are closed above them. For the
/// sources of this folder only: includes ZeroMQ types.
///
/// libzmq bounds neither connections nor subscriptions. It accepts until the process has no file descriptor left, and
/// from then on tries again without a pause; and it keeps a tree node for every byte of every subscribed topic. But a
/// socket's monitor names the descriptor of each connection, messages name the one that they came over, and to libzmq a
/// connection whose descriptor is shut down looks closed by the client. The client may connect again.

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <mutex>
#include <thread>

#include <zmq.hpp>

#include <fairstream/server/detail/native.hpp>

namespace fairstream::zmq {

/// Ends connections above a bound from a thread of its own, because the server's loop may be busy with an event while
/// they come. Any thread may call `note_message` and the counters, only the one that made the sockets the rest.
class Connections {
public:
    /// Most subscriptions of one connection. A subscriber of all topics of twenty models has fewer.
    static constexpr std::int64_t most_subscriptions = 128;

    /// Connections that libzmq may accept before it waits for the thread that ends them: the fixed length of a
    /// monitor's queue. Until that thread has caught up, a socket may exceed its bound by so many.
    static constexpr std::size_t burst = 1001;

    explicit Connections(::zmq::context_t& context) : context_(context) {}
    ~Connections() { stop(); }
    Connections(const Connections&) = delete;
    Connections& operator=(const Connections&) = delete;

    /// Limits `socket`, not bound yet, to `most` connections. Call before `start`.
    void watch(::zmq::socket_t& socket, std::size_t most);
    void start();
    /// Stops watching. Call it, or the destructor, before the sockets are closed.
    void stop() noexcept;

    /// Notes that the connection of `message` sent something: of too many connections, silent ones are ended first.
    void note_message(const ::zmq::message_t& message);
    /// Counts a message that an XPUB received, "\1topic" to subscribe or "\0topic" to unsubscribe, and ends a
    /// connection with too many subscriptions.
    void note_subscription(const ::zmq::message_t& message);

    /// Returns the number of connections that have a subscription now; those within the process are not counted.
    [[nodiscard]] std::uint32_t subscribers() const;
    /// Returns the number of connections ended because there were too many.
    [[nodiscard]] std::uint64_t surplus() const noexcept { return surplus_; }
    /// Returns the number of connections ended for too many subscriptions.
    [[nodiscard]] std::uint64_t oversubscribed() const noexcept { return oversubscribed_; }

private:
    struct Watched {
        void* socket;
        ::zmq::socket_t events;
        std::size_t most;
        std::size_t connections = 0;
    };
    struct Said {
        bool anything = false;
        std::int64_t subscriptions = 0;
    };
    struct Connection {
        Watched* watched;
        std::uint64_t number;  // rises with each connection
        Said said = {};
    };
    using Table = std::map<int, Connection>;  // by file descriptor

    void work();
    void read_events(Watched& watched);
    void add(Watched& watched, int file);
    [[nodiscard]] Said& said(int file);
    void end_surplus(Watched& watched);
    void end(Table::iterator connection);
    void forget(Table::iterator connection);

    ::zmq::context_t& context_;
    std::deque<Watched> watched_;
    Wakeup wakeup_;
    std::atomic<bool> stop_ = false;
    std::atomic<std::uint64_t> surplus_ = 0, oversubscribed_ = 0;

    mutable std::mutex mutex_;  // guards what follows, and `Watched::connections`
    Table table_;
    std::map<int, Said> early_;  // of connections that the monitor has not reported yet
    std::uint64_t last_number_ = 0;

    std::thread thread_;
};

}  // namespace fairstream::zmq
