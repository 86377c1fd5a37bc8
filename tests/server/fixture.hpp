#pragma once
/// A server in a thread of this process, and bare sockets as its clients.

#include <chrono>
#include <filesystem>
#include <future>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <zmq.hpp>

#include <fairstream/config/config.hpp>
#include <fairstream/server/server.hpp>

#include "support/service_stream.hpp"
#include "support/temporary_directory.hpp"

namespace fairstream::zmq {

using namespace fairstream::test;

/// Longer than anything here takes; a test that waits this long has failed.
inline constexpr std::chrono::seconds patience{20};

/// A client socket that waits for at most `patience`.
class Client {
public:
    /// Connects unless `endpoint` is empty.
    Client(::zmq::socket_type type, const std::string& endpoint, const std::optional<ClientSecurity>& security = {});

    void send(const std::vector<Message>& frames);
    void send(const Message& frame) { send(std::vector<Message>{frame}); }
    /// Returns the frames of the next message; none if nothing came.
    [[nodiscard]] std::vector<Message> receive();
    /// Returns the next message, which must have one frame, as an answer to an event or a request.
    [[nodiscard]] Read<wire::IngestReply> ingest_reply();
    [[nodiscard]] Read<wire::ControlReply> control_reply();
    /// The next publication of a SUB socket.
    [[nodiscard]] Read<wire::Publication> publication();
    [[nodiscard]] ::zmq::socket_t& socket() noexcept { return socket_; }

private:
    ::zmq::context_t context_{1};
    ::zmq::socket_t socket_;
};

class ServerTest : public testing::Test {
protected:
    void TearDown() override { stop(); }

    /// Creates a server, on ipc endpoints unless the options name others, without running it.
    void prepare(ServerOptions options = {}, const service::Settings& settings = {});
    /// Creates a server and runs it.
    void serve(ServerOptions options = {});
    /// Ends the server, if it runs, and rethrows its exception.
    void stop();
    [[nodiscard]] const Endpoints& endpoints() const { return server_->endpoints(); }
    /// Returns valid events of producer "p", epoch 1, from number `first` on.
    [[nodiscard]] std::vector<Message> events(std::uint64_t first, std::uint64_t count);

    TemporaryDirectory directory_;
    std::filesystem::path path_ = directory_ / "stream.fairstream";
    EngineOptions options_ = small_options();
    Points points_{3};
    std::unique_ptr<service::Service> service_;
    std::unique_ptr<Server> server_;
    std::future<void> running_;
};

}  // namespace fairstream::zmq
