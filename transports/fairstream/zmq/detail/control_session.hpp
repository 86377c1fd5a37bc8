#pragma once
/// Asynchronous requests to an engine's control socket, for `ControlClient` and the subscribers. For the sources of
/// this folder only.

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include <fairstream/wire/messages.hpp>
#include <fairstream/zmq/detail/socket_native.hpp>

namespace fairstream::zmq {

class ControlSession {
public:
    using Body = decltype(wire::ControlRequest::body);

    /// Connects in the background. Throws `InvalidInput` (bad_option) or `SocketError`.
    ControlSession(std::shared_ptr<Context> context, std::string endpoint, std::optional<ClientSecurity> security);

    /// Sends a request and returns its number, unique in this session.
    std::uint64_t ask(const Body& body);
    /// Returns the next readable reply, to any request, without waiting; nothing when there is none. Its columns borrow
    /// from this session until the next call.
    [[nodiscard]] std::optional<wire::ControlReply> receive();
    /// Makes a new connection. Replies to earlier requests are lost; requests that were not sent yet are never carried
    /// out.
    void reconnect();

    [[nodiscard]] ::zmq::pollitem_t poll_item() noexcept { return {socket_.handle(), 0, ZMQ_POLLIN, 0}; }
    /// Returns the number of replies that could not be read.
    [[nodiscard]] std::uint64_t unreadable() const noexcept { return unreadable_; }

private:
    std::shared_ptr<Context> context_;
    std::string endpoint_;
    std::optional<ClientSecurity> security_;
    ::zmq::socket_t socket_;
    std::uint64_t last_request_ = 0;
    std::uint64_t unreadable_ = 0;
    wire::Encoder encoder_;
    wire::AlignedMessage reply_;
};

}  // namespace fairstream::zmq
