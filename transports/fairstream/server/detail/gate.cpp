#include <fairstream/server/detail/gate.hpp>

#include <array>

#include <fairstream/server/detail/native.hpp>
#include <fairstream/zmq/detail/socket_native.hpp>

namespace fairstream::zmq {

namespace {

// Frames of a ZAP request for the mechanism CURVE; other mechanisms have more or fewer.
enum Frame : std::size_t { version, request, requested_domain, address, routing_id, mechanism, key, frame_count };

/// Returns a key of 32 bytes as 40 characters of Z85; empty for a key of another length.
std::string z85(const ::zmq::message_t& raw) {
    constexpr std::size_t key_bytes = 32;
    if (raw.size() != key_bytes) return {};
    std::array<char, key_bytes / 4 * 5 + 1> text{};
    return zmq_z85_encode(text.data(), raw.data<std::uint8_t>(), raw.size()) == nullptr ? "" : text.data();
}

std::optional<SocketRole> role_of_domain(std::string_view domain) {
    for (const SocketRole role : {SocketRole::ingest, SocketRole::updates, SocketRole::control})
        if (domain == Gate::domain(role)) return role;
    return std::nullopt;
}

}  // namespace

const char* Gate::domain(SocketRole role) noexcept {
    switch (role) {
        case SocketRole::ingest:
            return "fairstream.ingest";
        case SocketRole::updates:
            return "fairstream.updates";
        case SocketRole::control:
            return "fairstream.control";
    }
    return "";
}

Gate::Gate(::zmq::context_t& context, const ClientList& clients, RejectionHandler on_rejected)
    : clients_(clients), on_rejected_(std::move(on_rejected)), socket_(context, ::zmq::socket_type::rep) {
    try {
        socket_.set(::zmq::sockopt::linger, 0);
        socket_.bind("inproc://zeromq.zap.01");
    } catch (const ::zmq::error_t& error) {
        throw SocketError(std::string("this context already has a handler of connections: ") + error.what());
    }
}

void Gate::reject(const std::string& key, std::optional<SocketRole> role) {
    constexpr std::size_t most_reported = 100;
    ++rejected_;
    if (!on_rejected_ || !role || reported_.size() >= most_reported || !reported_.emplace(key, *role).second) return;
    const std::string_view domain = Gate::domain(*role);
    on_rejected_(key, domain.substr(domain.find('.') + 1));
}

void Gate::answer() {
    std::array<::zmq::message_t, frame_count> frames;
    while (const std::optional<bool> complete = receive(socket_, frames)) {
        const std::string client = *complete ? z85(frames[key]) : std::string();
        const std::optional<SocketRole> role =
            *complete ? role_of_domain(frames[requested_domain].to_string_view()) : std::optional<SocketRole>();
        const bool admitted = role && frames[version].to_string_view() == "1.0" &&
                              frames[mechanism].to_string_view() == "CURVE" && clients_.may_connect(client, *role);
        if (!admitted) reject(client, role);
        const std::string_view user = admitted ? std::string_view(client) : std::string_view();
        ::zmq::message_t metadata;
        bool sent = true;
        for (const std::string_view frame : {std::string_view("1.0"), frames[request].to_string_view(),
                                             std::string_view(admitted ? "200" : "400"), std::string_view(), user}) {
            sent = sent && send_first(socket_, frame);
        }
        if (sent) (void)send(socket_, metadata);
    }
}

}  // namespace fairstream::zmq
