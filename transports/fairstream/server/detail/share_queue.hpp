#pragma once
/// Messages of clients that wait for a thread; each client gets an equal share of its time. For the sources of this
/// folder only: includes ZeroMQ types.

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

/// A received message; its answer goes to `client`, see `Incoming::client`.
struct Received {
    std::string client;
    ::zmq::message_t message;
    const service::Client* sender = nullptr;
    bool question = false;  ///< whether it asks to label or score points
};

/// Takes messages by client: the next one belongs to the client that has used the least time, among those with waiting
/// messages. A client whose messages begin to wait starts at least at the time of the client served last, so that
/// unused time is not saved up. Messages of one connection are taken in order, connections of one client by turns.
class ShareQueue {
public:
    using Time = std::chrono::nanoseconds;

    /// Each message counts for at least `least_bytes`. An unknown client has `unknown_bytes` as its `usual_bytes`.
    explicit ShareQueue(std::size_t least_bytes = 0, std::size_t unknown_bytes = 0)
        : least_bytes_(least_bytes), unknown_bytes_(unknown_bytes) {}

    void push(Received received);
    /// Returns the client of the next message; null when none waits.
    [[nodiscard]] const service::Client* next_client();
    /// Takes the next message that `may_take` allows, among the first messages of all connections.
    [[nodiscard]] std::optional<Received> pop(const std::function<bool(const Received&)>& may_take = {});
    /// Takes the newest message of the connection with the most bytes, among those of the client with the most bytes.
    [[nodiscard]] Received pop_surplus();
    /// Adds to a client's used time.
    void charge(const service::Client& client, Time time);

    [[nodiscard]] bool empty() const noexcept { return messages_ == 0; }
    [[nodiscard]] std::size_t messages() const noexcept { return messages_; }
    /// Returns the counted bytes of all waiting messages.
    [[nodiscard]] std::size_t bytes() const noexcept { return bytes_; }
    /// Returns the number of waiting messages of a connection.
    [[nodiscard]] std::size_t messages_of(const service::Client& client, std::string_view connection) const;
    /// Return the usual size of this client's messages, and the usual time that they take. A larger value raises them
    /// at once; every other message lowers them by at most an eighth.
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
        std::list<Connection> connections;  // connections with waiting messages, in the order of their turns
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
    Time now_{0};  // time used by the client served last, before it was served
    std::size_t messages_ = 0;
    std::size_t bytes_ = 0;
};

}  // namespace fairstream::zmq
