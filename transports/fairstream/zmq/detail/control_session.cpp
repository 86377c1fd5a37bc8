#include <fairstream/zmq/detail/control_session.hpp>

#include <utility>

namespace fairstream::zmq {

ControlSession::ControlSession(std::shared_ptr<Context> context, std::string endpoint,
                               std::optional<ClientSecurity> security)
    : context_(std::move(context)), endpoint_(std::move(endpoint)), security_(std::move(security)) {
    if (security_) check(*security_);
    if (!context_) context_ = std::make_shared<Context>();
    reconnect();
}

void ControlSession::reconnect() {
    socket_.close();
    socket_ = connected(*context_, ::zmq::socket_type::dealer, endpoint_, {.send = 16, .receive = 16}, security_);
}

std::uint64_t ControlSession::ask(const Body& body) {
    const wire::Bytes message = wire::write(wire::ControlRequest{last_request_ + 1, body}, encoder_);
    ::zmq::message_t frame(message.data(), message.size());
    // A full queue only contains requests that timed out; their replies would be dropped.
    if (!send(socket_, frame)) {
        reconnect();
        if (!send(socket_, frame)) throw SocketError("cannot send to '" + endpoint_ + "'");
    }
    return ++last_request_;
}

std::optional<wire::ControlReply> ControlSession::receive() {
    ::zmq::message_t frame;
    while (const auto whole = zmq::receive(socket_, {&frame, 1})) {
        try {
            if (*whole) {
                reply_.assign(bytes(frame));
                return wire::read_control_reply(reply_);
            }
        } catch (const InvalidInput&) {
            // The reply is counted below, as are messages with too many frames.
        }
        ++unreadable_;
    }
    return std::nullopt;
}

}  // namespace fairstream::zmq
