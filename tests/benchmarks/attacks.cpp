/// Clients of an engine that ask for more than their share; `attacks.py` starts the engine and them. Those that need no
/// key are included. Each prints one JSON object at its end.
///
///   bench_attacks flood INGEST CONTROL SERVER_KEY CONNECTIONS BYTES SECONDS
///       keeps the engine busy with a refinement, and sends messages of BYTES bytes over CONNECTIONS connections to
///       each of two sockets as fast as they are taken, without reading an answer
///   bench_attacks snapshots CONTROL SERVER_KEY CONNECTIONS SECONDS    asks for snapshots and reads none
///   bench_attacks parts INGEST SERVER_KEY COUNT BYTES                 a message of COUNT frames of BYTES bytes
///   bench_attacks subscriptions UPDATES SERVER_KEY COUNT BYTES SECONDS   topics of BYTES bytes, again when cut off
///   bench_attacks refusals INGEST SERVER_KEY COUNT                    refused events, each of another producer
///
/// SERVER_KEY "-": an engine without keys. Otherwise the client's own keys, public and secret, come on standard input.

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <iostream>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include <zmq.hpp>

#include <fairstream/wire/messages.hpp>

#include "roles.hpp"

namespace fairstream::benchmarks {
namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;
using ::zmq::socket_t;
using ::zmq::socket_type;

constexpr int patience_ms = 120'000;

struct Keys {
    std::string server, mine, secret;  // none: an engine without keys
};

Keys read_keys(const std::string& server) {
    Keys keys;
    if (server == "-") return keys;
    keys.server = server;
    if (!(std::cin >> keys.mine >> keys.secret)) throw std::runtime_error("a key pair is needed");
    return keys;
}

socket_t connected(::zmq::context_t& context, socket_type type, const std::string& endpoint, const Keys& keys,
                   int send_queue) {
    namespace option = ::zmq::sockopt;
    socket_t socket(context, type);
    socket.set(option::linger, 0);
    socket.set(option::sndhwm, send_queue);
    socket.set(option::rcvhwm, 1);
    socket.set(option::sndtimeo, patience_ms);
    socket.set(option::rcvtimeo, patience_ms);
    if (!keys.server.empty()) {
        socket.set(option::curve_serverkey, keys.server);
        socket.set(option::curve_publickey, keys.mine);
        socket.set(option::curve_secretkey, keys.secret);
    }
    socket.connect(endpoint);
    return socket;
}

// Sends from memory that outlives the socket, so that waiting messages take no memory of their own.
bool send_borrowed(socket_t& socket, std::string& bytes, ::zmq::send_flags flags) {
    ::zmq::message_t message(bytes.data(), bytes.size(), [](void*, void*) {});
    return socket.send(message, flags).has_value();
}

template <class Message>::zmq::message_t encoded(const Message& message) {
    static wire::Encoder encoder;
    const wire::Bytes bytes = wire::write(message, encoder);
    return {bytes.data(), bytes.size()};
}

void send(socket_t& socket, ::zmq::message_t message) {
    if (!socket.send(message, ::zmq::send_flags::none)) throw std::runtime_error("the engine takes no message");
}

::zmq::message_t received(socket_t& socket) {
    ::zmq::message_t message;
    if (!socket.recv(message)) throw std::runtime_error("the engine does not answer");
    return message;
}

// Sends over all sockets in turn until the time is up; returns how many messages were taken.
template <class Send> std::size_t send_for(std::chrono::seconds time, std::vector<socket_t>& sockets, Send&& send_one) {
    std::vector<::zmq::pollitem_t> items;
    for (socket_t& each : sockets) items.push_back({each.handle(), 0, ZMQ_POLLOUT, 0});
    std::size_t sent = 0;
    for (const auto end = Clock::now() + time; Clock::now() < end;) {
        ::zmq::poll(items, 100ms);
        for (std::size_t i = 0; i < items.size(); ++i)
            if ((items[i].revents & ZMQ_POLLOUT) != 0) sent += send_one(sockets[i]);
    }
    return sent;
}

// Asks for a refinement that keeps the engine busy for about `time`, estimated from a short one.
void keep_busy(socket_t& asking, std::chrono::seconds time) {
    const auto refine = [&](std::int64_t rounds) {
        send(asking, encoded(wire::ControlRequest{1, Refinement{"fair", rounds}}));
    };
    std::int64_t rounds = 16;
    for (Clock::duration taken{}; taken < 200ms; rounds *= 4) {
        const auto start = Clock::now();
        refine(rounds);
        const ::zmq::message_t answer = received(asking);
        const wire::AlignedMessage aligned({static_cast<const std::byte*>(answer.data()), answer.size()});
        if (!std::holds_alternative<wire::Done>(wire::read_control_reply(aligned).body))
            throw std::runtime_error("a refinement was refused");
        taken = Clock::now() - start;
        if (taken >= 200ms) return refine(rounds * (time / taken + 1));
    }
}

void flood(const std::string& ingest, const std::string& control, const Keys& keys, std::size_t connections,
           std::size_t size, std::chrono::seconds time) {
    std::string bytes(size, '\x7e');
    ::zmq::context_t context(1);
    socket_t asking = connected(context, socket_type::dealer, control, keys, 10);
    keep_busy(asking, time);
    std::vector<socket_t> sockets;
    for (const std::string& endpoint : {ingest, control})
        for (std::size_t i = 0; i < connections; ++i)
            sockets.push_back(connected(context, socket_type::dealer, endpoint, keys, 1));
    const std::size_t sent = send_for(
        time, sockets, [&](socket_t& socket) { return send_borrowed(socket, bytes, ::zmq::send_flags::dontwait); });
    ::zmq::message_t answer;
    const bool busy = !asking.recv(answer, ::zmq::recv_flags::dontwait);
    std::printf("{\"messages\": %zu, \"bytes\": %zu, \"busy\": %s}\n", sent, sent * size, busy ? "true" : "false");
}

void snapshots(const std::string& control, const Keys& keys, std::size_t connections, std::chrono::seconds time) {
    ::zmq::context_t context(1);
    std::vector<socket_t> sockets;
    for (std::size_t i = 0; i < connections; ++i)
        sockets.push_back(connected(context, socket_type::dealer, control, keys, 1));
    const std::size_t sent = send_for(time, sockets, [&](socket_t& socket) {
        ::zmq::message_t request = encoded(wire::ControlRequest{1, wire::SnapshotRequest{"labels.fair"}});
        return socket.send(request, ::zmq::send_flags::dontwait).has_value();
    });
    std::printf("{\"messages\": %zu}\n", sent);
}

// The engine holds the frames until the last one is there. The Welcome comes after it.
void parts(const std::string& ingest, const Keys& keys, std::size_t count, std::size_t size) {
    std::string bytes(size, '\x7e');
    ::zmq::context_t context(1);
    socket_t socket = connected(context, socket_type::dealer, ingest, keys, 0);
    for (std::size_t i = 0; i < count; ++i)
        if (!send_borrowed(socket, bytes, i + 1 < count ? ::zmq::send_flags::sndmore : ::zmq::send_flags::none))
            throw std::runtime_error("the engine takes no more parts");
    send(socket, encoded(wire::IngestRequest{wire::Hello{"parts", 1}}));
    (void)received(socket);
    std::printf("{\"messages\": 1, \"bytes\": %zu}\n", count * size);
}

void subscribe(const std::string& updates, const Keys& keys, std::size_t count, std::size_t size,
               std::chrono::seconds time) {
    ::zmq::context_t context(1);
    socket_t socket = connected(context, socket_type::xsub, updates, keys, 0);
    std::string topic(1 + size, 'x');
    for (std::size_t i = 0; i < count; ++i) {
        const std::string number = std::to_string(i);
        topic[0] = '\1';
        std::ranges::copy(number, topic.begin() + 1);
        send(socket, ::zmq::message_t(topic.data(), topic.size()));
    }
    // A socket that is connected again subscribes to everything again.
    for (const auto end = Clock::now() + time; Clock::now() < end;) {
        std::vector<::zmq::pollitem_t> items{{socket.handle(), 0, ZMQ_POLLIN, 0}};
        ::zmq::message_t ignored;
        if (::zmq::poll(items, 100ms) > 0) (void)socket.recv(ignored, ::zmq::recv_flags::dontwait);
    }
    std::printf("{\"messages\": %zu}\n", count);
}

void refusals(const std::string& ingest, const Keys& keys, std::size_t count) {
    constexpr std::size_t on_the_way = 500;
    ::zmq::context_t context(1);
    socket_t socket = connected(context, socket_type::dealer, ingest, keys, 1000);
    std::size_t refused = 0;
    const auto take_answer = [&] {
        const ::zmq::message_t message = received(socket);
        const wire::AlignedMessage aligned({static_cast<const std::byte*>(message.data()), message.size()});
        refused += std::holds_alternative<wire::Nack>(wire::read_ingest_reply(aligned).body);
    };
    for (std::size_t i = 0; i < count; ++i) {
        std::string producer = std::to_string(i);
        producer.resize(128, 'x');
        const wire::IngestRequest request = wire::EventMessage{producer, 1, 1, KnobChange{"nobody", "a", "b"}};
        send(socket, encoded(request));
        if (i >= on_the_way) take_answer();
    }
    for (std::size_t i = 0; i < std::min(count, on_the_way); ++i) take_answer();
    if (refused != count) throw std::runtime_error("not every event was refused");
    std::printf("{\"messages\": %zu}\n", refused);
}

// Returns false if the arguments are no role's.
bool play(const RoleArguments& arguments) {
    const auto text = [&](std::size_t i) { return arguments.text(i); };
    const auto number = [&](std::size_t i) { return arguments.number(i); };
    const auto seconds = [&](std::size_t i) { return std::chrono::seconds(number(i)); };
    const std::string role = arguments.role();
    if (role == "flood" && arguments.size() == 8)
        flood(text(2), text(3), read_keys(text(4)), number(5), number(6), seconds(7));
    else if (role == "snapshots" && arguments.size() == 6)
        snapshots(text(2), read_keys(text(3)), number(4), seconds(5));
    else if (role == "parts" && arguments.size() == 6)
        parts(text(2), read_keys(text(3)), number(4), number(5));
    else if (role == "subscriptions" && arguments.size() == 7)
        subscribe(text(2), read_keys(text(3)), number(4), number(5), seconds(6));
    else if (role == "refusals" && arguments.size() == 5)
        refusals(text(2), read_keys(text(3)), number(4));
    else
        return false;
    return true;
}

}  // namespace
}  // namespace fairstream::benchmarks

int main(int argc, char** argv) {
    return fairstream::benchmarks::play_role("bench_attacks", argc, argv, fairstream::benchmarks::play);
}
