#pragma once
/// The engine's sockets, answered by the test.

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <zmq.hpp>

#include <fairstream/wire/messages.hpp>
#include <fairstream/zmq/socket.hpp>

namespace fairstream::zmq::test {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

/// A folder for ipc endpoints that goes away with the test.
class Folder {
public:
    Folder() {
        std::string name = (std::filesystem::temp_directory_path() / "fairstream-XXXXXX").string();
        if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("no temporary folder");
        path_ = name;
    }
    ~Folder() {
        std::error_code ignored;
        std::filesystem::remove_all(path_, ignored);
    }
    Folder(const Folder&) = delete;
    Folder& operator=(const Folder&) = delete;
    [[nodiscard]] std::string endpoint(const std::string& name) const { return "ipc://" + (path_ / name).string(); }

private:
    std::filesystem::path path_;
};

/// Repeats `step` until it returns true. Returns false after a time that only a hang takes.
bool eventually(auto&& step) {
    const auto deadline = Clock::now() + 30s;
    while (Clock::now() < deadline) {
        if (step()) return true;
    }
    return false;
}

/// A bound socket with a context of its own: destroying it ends the endpoint before another one may be bound there.
class FakeServer {
public:
    FakeServer(::zmq::socket_type type, const std::string& endpoint, const std::optional<KeyPair>& keys = {},
               int send_queue = 0)
        : socket_(context_, type) {
        socket_.set(::zmq::sockopt::linger, 0);
        socket_.set(::zmq::sockopt::sndhwm, send_queue);
        if (keys) {
            socket_.set(::zmq::sockopt::curve_server, true);
            socket_.set(::zmq::sockopt::curve_secretkey, keys->secret_key);
        }
        socket_.bind(endpoint);
    }

    struct Incoming {
        ::zmq::message_t client;
        wire::AlignedMessage message;
    };
    /// Returns the next request, without waiting.
    std::optional<Incoming> receive() {
        Incoming in;
        if (!socket_.recv(in.client, ::zmq::recv_flags::dontwait)) return std::nullopt;
        ::zmq::message_t frame;
        static_cast<void>(socket_.recv(frame));
        EXPECT_FALSE(frame.more()) << "a request is one frame";
        in.message.assign({frame.data<std::byte>(), frame.size()});
        return in;
    }
    Incoming await() {
        std::optional<Incoming> in;
        EXPECT_TRUE(eventually([&] {
            wait();
            in = receive();
            return in.has_value();
        })) << "no request came";
        return in ? std::move(*in) : Incoming{};
    }
    void wait(std::chrono::milliseconds timeout = 20ms) {
        ::zmq::pollitem_t item{socket_.handle(), 0, ZMQ_POLLIN, 0};
        ::zmq::poll(&item, 1, timeout);
    }
    void reply(Incoming& to, wire::Bytes message) {
        ::zmq::message_t client;
        client.copy(to.client);
        socket_.send(client, ::zmq::send_flags::sndmore);
        socket_.send(::zmq::buffer(message.data(), message.size()), ::zmq::send_flags::none);
    }
    void publish(const std::string& topic, wire::Bytes message) {
        socket_.send(::zmq::buffer(topic), ::zmq::send_flags::sndmore);
        socket_.send(::zmq::buffer(message.data(), message.size()), ::zmq::send_flags::none);
    }
    [[nodiscard]] ::zmq::socket_t& socket() { return socket_; }
    [[nodiscard]] ::zmq::context_t& context() { return context_; }

private:
    ::zmq::context_t context_{1};
    ::zmq::socket_t socket_;
};

}  // namespace fairstream::zmq::test
