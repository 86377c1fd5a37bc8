#pragma once
/// How many connections the server's sockets have, and which of them end when there are too many. For the sources of
/// this folder only: shows ZeroMQ types.
///
/// libzmq bounds neither connections nor subscriptions. It accepts until the process has no file descriptor left, and
/// from then on tries again without a pause; and it keeps a node of a tree for every byte of every topic that somebody
/// subscribes to. But a socket's monitor names the descriptor of each connection, messages name the one that they came
/// over, and a connection that is shut down at its descriptor is to libzmq one that the client closed. The client may
/// connect again.

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
/// they come. `note_message` and the counters are for any thread, the rest for the one that made the sockets.
class Connections {
public:
    /// Topics that one connection may be subscribed to. A subscriber of all topics of twenty models has fewer.
    static constexpr std::int64_t most_subscriptions = 128;

    /// Connections that libzmq may accept before it waits for the thread that ends them: what it lets a monitor fall
    /// behind, which cannot be set. Until that thread has caught up, a socket may have so many above its bound.
    static constexpr std::size_t burst = 1001;

    explicit Connections(::zmq::context_t& context) : context_(context) {}
    ~Connections() { stop(); }
    Connections(const Connections&) = delete;
    Connections& operator=(const Connections&) = delete;

    /// Keeps `socket`, not bound yet, at no more than `most` connections. Before `start`.
    void watch(::zmq::socket_t& socket, std::size_t most);
    void start();
    /// Watches no more. Before the sockets are closed, as is the destructor.
    void stop() noexcept;

    /// Notes that `message` came over its connection: where there are too many, those go first that have not sent any.
    void note_message(const ::zmq::message_t& message);
    /// Counts a message that an XPUB received, "\1topic" to subscribe and "\0topic" to do so no more, and ends the
    /// connection that has too many of them.
    void note_subscription(const ::zmq::message_t& message);

    /// Ended because there were too many.
    [[nodiscard]] std::uint64_t surplus() const noexcept { return surplus_; }
    /// Ended because of their subscriptions.
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

    std::mutex mutex_;  // guards what follows, and `Watched::connections`
    Table table_;
    std::map<int, Said> early_;  // of connections that libzmq has not told of yet
    std::uint64_t last_number_ = 0;

    std::thread thread_;
};

}  // namespace fairstream::zmq
