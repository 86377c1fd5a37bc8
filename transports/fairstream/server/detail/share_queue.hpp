#pragma once
/// Messages of clients that wait for a thread, which each client gets an equal share of. For the sources of this folder
/// only: includes ZeroMQ types.

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <deque>
#include <functional>
#include <list>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <zmq.hpp>

#include <fairstream/server/detail/clients.hpp>

namespace fairstream::zmq {

/// A message that came, and whose answer goes to `client`, see `Incoming::client`.
struct Received {
    std::string client;
    ::zmq::message_t message;
    const service::Client* sender = nullptr;
    bool question = false;  ///< whether it is a request that is answered beside the loop
};

/// Takes messages by client: next is one of the client that has used the least time, of those with waiting messages. A
/// client whose messages begin to wait is at least where the one that was served last was: time that nobody asked for
/// is not saved up. Messages of one connection are taken in order, connections of one client by turns.
class ShareQueue {
public:
    using Time = std::chrono::nanoseconds;

    /// Each message counts for at least `least_bytes`. Clients of which nothing is known have `unknown_bytes` for
    /// `usual_bytes`.
    explicit ShareQueue(std::size_t least_bytes = 0, std::size_t unknown_bytes = 0)
        : least_bytes_(least_bytes), unknown_bytes_(unknown_bytes) {}

    void push(Received received);
    /// Returns the client whose message is the next; null when none waits.
    [[nodiscard]] const service::Client* next_client();
    /// Takes the next message, of those that are the first of their connections those that `may_take` lets pass.
    [[nodiscard]] std::optional<Received> pop(const std::function<bool(const Received&)>& may_take = {});
    /// Takes the newest message of the connection that holds most bytes, of those of the client that holds most.
    [[nodiscard]] Received pop_surplus();
    /// Adds to the time that a client has used.
    void charge(const service::Client& client, Time time);

    [[nodiscard]] bool empty() const noexcept { return messages_ == 0; }
    [[nodiscard]] std::size_t messages() const noexcept { return messages_; }
    /// Returns the bytes that wait, as they count.
    [[nodiscard]] std::size_t bytes() const noexcept { return bytes_; }
    /// Returns the number of waiting messages of a connection.
    [[nodiscard]] std::size_t messages_of(const service::Client& client, std::string_view connection) const;
    /// Return the size of this client's large messages, and the time of its long ones: they rise at once, and fall by
    /// an eighth with each message.
    [[nodiscard]] std::size_t usual_bytes(const service::Client& client) const;
    [[nodiscard]] Time usual_time(const service::Client& client) const;

private:
    struct Connection {
        std::string address;
        std::deque<Received> messages;
        std::size_t bytes = 0;
    };
    struct Share {
        Time used{0};
        std::list<Connection> connections;  // that have waiting messages, in the order of their turns
        std::size_t bytes = 0;
        std::size_t usual_bytes;
        Time usual_time{0};
    };
    using Shares = std::map<std::string, Share, std::less<>>;  // by identity

    [[nodiscard]] std::size_t counted(const ::zmq::message_t& message) const noexcept {
        return std::max(message.size(), least_bytes_);
    }
    Share& share_of(const service::Client& client);
    using MayTake = std::function<bool(const Received&)>;
    [[nodiscard]] std::pair<Share*, std::list<Connection>::iterator> next(const MayTake& may_take);
    Received take(Share& share, std::list<Connection>::iterator connection, bool newest);

    std::size_t least_bytes_, unknown_bytes_;
    Shares shares_;
    Time now_{0};  // what the client that was served last had used before
    std::size_t messages_ = 0;
    std::size_t bytes_ = 0;
};

}  // namespace fairstream::zmq
