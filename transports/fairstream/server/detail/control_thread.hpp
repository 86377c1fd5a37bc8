#pragma once
/// The control socket on a separate thread: health, descriptions and reports are answered while the server's loop is
/// busy; other requests wait for the loop. For the sources of this folder only: includes ZeroMQ types.

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include <zmq.hpp>

#include <fairstream/server/detail/clients.hpp>
#include <fairstream/server/detail/connections.hpp>
#include <fairstream/server/detail/gate.hpp>
#include <fairstream/server/detail/native.hpp>
#include <fairstream/server/detail/share_queue.hpp>
#include <fairstream/service/service.hpp>
#include <fairstream/zmq/detail/socket_native.hpp>

namespace fairstream::zmq {

class ControlThread {
public:
    using Request = Received;
    struct Counters {
        std::uint64_t dropped_messages = 0;
        std::uint64_t dropped_replies = 0;
    };

    /// Between `begin` and `finish`, the socket and the gate (if any) belong to this object's thread. `loop` is set
    /// when a request is queued. All arguments must outlive this object. The queue holds `waiting_bytes` of requests,
    /// or a single longer one; above that, the newest request of the client that holds the most is refused.
    ControlThread(::zmq::socket_t& control, std::optional<Gate>& gate, const ClientList& clients,
                  Connections& connections, service::Service& service, Wakeup& loop, std::size_t waiting_bytes);
    /// Ends the thread without waiting for clients.
    ~ControlThread();
    ControlThread(const ControlThread&) = delete;
    ControlThread& operator=(const ControlThread&) = delete;

    void begin();
    /// Takes the next queued request, see `ShareQueue`; takes requests to label or score points only with `questions`.
    /// Returns false when there is none.
    [[nodiscard]] bool take(Request& request, bool questions = true);
    /// Adds to the time that requests of a client have used.
    void charge(const service::Client& client, ShareQueue::Time time);
    /// Sends `replies`, and empties the list.
    void send(std::vector<service::Reply>& replies);
    /// Interrupts the service if it has not stopped after some seconds, like a client's stop request. Callable from any
    /// thread and from a signal handler.
    void expect_stop() noexcept;
    /// Returns whether the thread ended by an exception, which `finish` rethrows.
    [[nodiscard]] bool failed() const noexcept { return failed_; }
    [[nodiscard]] bool stop_expected() const noexcept { return stop_expected_; }
    /// Sends the remaining replies and ends the thread; rethrows an exception that ended it earlier.
    void finish();
    /// Like `finish`, but does not throw.
    void end() noexcept;
    /// Returns the counters; call after `finish`.
    [[nodiscard]] const Counters& counters() const noexcept { return counters_; }

private:
    void run() noexcept;
    void loop();
    void send_replies();
    void read_requests();
    void watch_stop();
    [[nodiscard]] bool answer_at_once(Request& request);
    void queue(Request request);
    void refuse(const std::string& client, wire::Bytes message);
    void answer(const std::string& client, const wire::ControlReply& reply);

    ::zmq::socket_t& control_;
    std::optional<Gate>& gate_;
    const ClientList& clients_;
    Connections& connections_;
    service::Service& service_;
    Wakeup& loop_;
    std::size_t waiting_bytes_;

    Wakeup wakeup_;  // set when there are replies, and at the end
    std::atomic<bool> stop_expected_ = false;
    std::atomic<bool> ending_ = false;
    std::atomic<bool> failed_ = false;
    std::exception_ptr failure_;

    std::mutex mutex_;  // guards the queues
    ShareQueue requests_;
    std::vector<service::Reply> replies_;

    Clock::time_point started_ = Clock::now();
    bool stop_seen_ = false;
    Clock::time_point interrupt_due_ = Clock::time_point::max();
    Counters counters_;
    Incoming incoming_;  // scratch of the thread, as are the members below
    wire::AlignedMessage aligned_;
    wire::Encoder encoder_;
    std::vector<service::Reply> sending_;
    std::thread thread_;
};

}  // namespace fairstream::zmq
