#include <fairstream/zmq/socket.hpp>

#include <algorithm>
#include <array>
#include <charconv>

#include <arpa/inet.h>

#include <fairstream/zmq/detail/socket_native.hpp>

namespace fairstream::zmq {

namespace {

namespace option = ::zmq::sockopt;

constexpr std::size_t key_length = 40;
constexpr std::string_view z85_digits =
    "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ.-:+=^!/*?&<>()[]{}@%$#";

[[noreturn]] void bad_option(const std::string& what) {
    throw InvalidInput(Reason::bad_option, what);
}

/// Returns whether a tcp endpoint "host:port" cannot be reached from other machines.
bool is_loopback(std::string_view address) {
    const std::size_t colon = address.rfind(':');
    if (colon == std::string_view::npos) return false;
    const std::string host(address.substr(0, colon));
    if (host == "localhost" || host == "[::1]") return true;
    // Strict: "127.0.0.1.example.org" is a name, and resolvers read "127.1" differently.
    in_addr ipv4{};
    return inet_pton(AF_INET, host.c_str(), &ipv4) == 1 && (ntohl(ipv4.s_addr) >> 24) == 127;
}

}  // namespace

void check_key(std::string_view key, std::string_view what) {
    if (key.size() != key_length) {
        bad_option(std::string(what) + " has " + std::to_string(key.size()) + " characters; a key has 40");
    }
    if (key.find_first_not_of(z85_digits) != std::string_view::npos) {
        bad_option(std::string(what) + " has a character that is not in Z85");
    }
}

void check(const KeyPair& keys) {
    check_key(keys.public_key, "the public key");
    check_key(keys.secret_key, "the secret key");
    std::array<char, key_length + 1> derived{};
    if (zmq_curve_public(derived.data(), keys.secret_key.c_str()) != 0) bad_option("the secret key cannot be used");
    if (keys.public_key != derived.data()) bad_option("the public key does not belong to the secret key");
}

void check(const ClientSecurity& security) {
    check_key(security.server_public_key, "the server's public key");
    check(security.keys);
}

KeyPair generate_keys() {
    std::array<char, key_length + 1> public_key{}, secret_key{};
    if (zmq_curve_keypair(public_key.data(), secret_key.data()) != 0) {
        throw SocketError("no keys can be made: this libzmq was built without CURVE");
    }
    return {public_key.data(), secret_key.data()};
}

namespace {

constexpr std::string_view tcp = "tcp://";

// `wildcard`: whether the system may choose the port.
void check_address(std::string_view endpoint, bool wildcard) {
    if (endpoint.starts_with("ipc://") || endpoint.starts_with("inproc://")) return;
    if (!endpoint.starts_with(tcp)) {
        bad_option("endpoint '" + std::string(endpoint) + "' must be tcp://host:port, ipc://path or inproc://name");
    }
    const std::string_view port = endpoint.substr(std::min(endpoint.rfind(':') + 1, endpoint.size()));
    if (wildcard && (port == "*" || port == "0")) return;
    std::uint16_t number = 0;
    const auto [end, error] = std::from_chars(port.data(), port.data() + port.size(), number);
    if (error != std::errc{} || end != port.data() + port.size() || number == 0) {
        bad_option("endpoint '" + std::string(endpoint) + "' needs a port from 1 to 65535");
    }
}

}  // namespace

void check_connectable(std::string_view endpoint) {
    check_address(endpoint, false);
}

void check_bind_allowed(std::string_view endpoint, bool has_keys, bool allow_insecure) {
    check_address(endpoint, true);
    if (!endpoint.starts_with(tcp)) return;
    if (has_keys || allow_insecure || is_loopback(endpoint.substr(tcp.size()))) return;
    bad_option("endpoint '" + std::string(endpoint) +
               "' can be reached from other machines: set [security] keys, or use ipc, inproc, 127.0.0.0/8, [::1] or "
               "localhost; to allow it without keys, set [security] allow_plain_network = true");
}

Context::Context() : native_(std::make_unique<Native>()) {}
Context::~Context() = default;

void set_common_options(::zmq::socket_t& socket, const QueueLimits& queues, std::string_view endpoint) {
    // A closing socket drops unsent messages. Messages that matter need an answer, and are sent again.
    socket.set(option::linger, 0);
    socket.set(option::sndhwm, queues.send);
    socket.set(option::rcvhwm, queues.receive);
    // A peer that announces a longer message is disconnected before any of it is stored.
    socket.set(option::maxmsgsize, static_cast<std::int64_t>(wire::message_limit));
    // TCP notices a dead connection. ZMTP's own heartbeats stay off: when one times out while a receive queue is full,
    // libzmq 4.3 fails an assertion and ends the host's process.
    socket.set(option::tcp_keepalive, 1);
    socket.set(option::tcp_keepalive_idle, 10);
    socket.set(option::tcp_keepalive_intvl, 5);
    socket.set(option::tcp_keepalive_cnt, 3);
    // With IPv6 on, a name such as localhost may resolve to ::1 only.
    if (endpoint.find('[') != std::string_view::npos) socket.set(option::ipv6, 1);
}

namespace {

void set_security(::zmq::socket_t& socket, const ClientSecurity& security) {
    socket.set(option::curve_serverkey, security.server_public_key);
    socket.set(option::curve_publickey, security.keys.public_key);
    socket.set(option::curve_secretkey, security.keys.secret_key);
}

}  // namespace

::zmq::socket_t connected(Context& context, ::zmq::socket_type type, const std::string& endpoint,
                          const QueueLimits& queues, const std::optional<ClientSecurity>& security,
                          std::span<const std::string> subscriptions) {
    check_connectable(endpoint);
    try {
        ::zmq::socket_t socket(context.native().context, type);
        set_common_options(socket, queues, endpoint);
        socket.set(option::reconnect_ivl, 100);
        socket.set(option::reconnect_ivl_max, 1000);
        if (security) set_security(socket, *security);
        for (const std::string& topic : subscriptions) socket.set(option::subscribe, topic);
        socket.connect(endpoint);
        return socket;
    } catch (const ::zmq::error_t& error) {
        throw SocketError("cannot connect to '" + endpoint + "': " + error.what());
    }
}

namespace {

/// Receives one frame; returns false when there is none.
bool receive_frame(::zmq::socket_t& socket, ::zmq::message_t& frame) {
    for (;;) {
        try {
            return socket.recv(frame, ::zmq::recv_flags::dontwait).has_value();
        } catch (const ::zmq::error_t& error) {
            if (error.num() != EINTR) throw SocketError(std::string("cannot receive: ") + error.what());
        }
    }
}

}  // namespace

std::optional<bool> receive(::zmq::socket_t& socket, std::span<::zmq::message_t> frames) {
    ::zmq::message_t excess;
    std::size_t count = 0;
    // The frames of a message arrive together: only the first can be missing.
    for (bool more = true; more; ++count) {
        ::zmq::message_t& frame = count < frames.size() ? frames[count] : excess;
        if (!receive_frame(socket, frame)) return std::nullopt;
        more = frame.more();
    }
    return count == frames.size();
}

bool send(::zmq::socket_t& socket, ::zmq::message_t& frame) {
    for (;;) {
        try {
            return socket.send(frame, ::zmq::send_flags::dontwait).has_value();
        } catch (const ::zmq::error_t& error) {
            if (error.num() != EINTR) throw SocketError(std::string("cannot send: ") + error.what());
        }
    }
}

bool wait(std::span<::zmq::pollitem_t> items, Clock::time_point deadline) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now());
    // The timeout is bounded, because zmq_poll computes a deadline of its own from it.
    const auto timeout = std::clamp(left, std::chrono::milliseconds(0), std::chrono::milliseconds(3'600'000));
    try {
        return ::zmq::poll(items.data(), items.size(), timeout) > 0;
    } catch (const ::zmq::error_t& error) {
        if (error.num() == EINTR) return false;
        throw SocketError(std::string("cannot wait: ") + error.what());
    }
}

}  // namespace fairstream::zmq
