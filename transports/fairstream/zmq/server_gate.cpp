#include <fairstream/zmq/server_gate.hpp>

#include <array>

#include <fairstream/zmq/server_native.hpp>
#include <fairstream/zmq/socket_native.hpp>

namespace fairstream::zmq {

namespace {

// Frames of a ZAP request for the mechanism CURVE. Others have more or fewer.
enum Frame : std::size_t { version, request, requested_domain, address, routing_id, mechanism, key, frame_count };

std::string raw_key(const std::string& z85) {
    std::array<std::uint8_t, 32> raw{};
    if (zmq_z85_decode(raw.data(), z85.c_str()) == nullptr) {
        throw InvalidInput(Reason::bad_option, "the public key of a client is not Z85");
    }
    return {raw.begin(), raw.end()};
}

}  // namespace

Gate::Gate(::zmq::context_t& context, const std::vector<std::string>& clients)
    : socket_(context, ::zmq::socket_type::rep) {
    for (const std::string& client : clients) {
        check_key(client, "the public key of a client");
        clients_.insert(raw_key(client));
    }
    try {
        socket_.set(::zmq::sockopt::linger, 0);
        socket_.bind("inproc://zeromq.zap.01");
    } catch (const ::zmq::error_t& error) {
        throw SocketError(std::string("this context has a handler of connections already: ") + error.what());
    }
}

void Gate::answer() {
    std::array<::zmq::message_t, frame_count> frames;
    while (const std::optional<bool> complete = receive(socket_, frames)) {
        const bool admitted = *complete && frames[version].to_string_view() == "1.0" &&
                              frames[requested_domain].to_string_view() == domain &&
                              frames[mechanism].to_string_view() == "CURVE" &&
                              clients_.contains(frames[key].to_string());
        if (!admitted) ++turned_away_;
        ::zmq::message_t metadata;
        bool sent = true;
        for (const std::string_view frame :
             {std::string_view("1.0"), frames[request].to_string_view(), std::string_view(admitted ? "200" : "400"),
              std::string_view(), std::string_view()}) {
            sent = sent && send_first(socket_, frame);
        }
        if (sent) (void)send(socket_, metadata);
    }
}

}  // namespace fairstream::zmq
