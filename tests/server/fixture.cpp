#include <fairstream/log/sqlite/recording.hpp>

#include "server/fixture.hpp"

namespace fairstream::zmq {

Client::Client(::zmq::socket_type type, const std::string& endpoint, const std::optional<ClientSecurity>& security)
    : socket_(context_, type) {
    namespace option = ::zmq::sockopt;
    socket_.set(option::linger, 0);
    socket_.set(option::sndhwm, 0);  // never waits to send
    socket_.set(option::rcvtimeo, static_cast<int>(std::chrono::milliseconds(patience).count()));
    socket_.set(option::sndtimeo, static_cast<int>(std::chrono::milliseconds(patience).count()));
    if (security) {
        socket_.set(option::curve_serverkey, security->server_public_key);
        socket_.set(option::curve_publickey, security->keys.public_key);
        socket_.set(option::curve_secretkey, security->keys.secret_key);
    }
    if (type == ::zmq::socket_type::sub) socket_.set(option::subscribe, "");
    if (!endpoint.empty()) socket_.connect(endpoint);
}

void Client::send(const std::vector<Message>& frames) {
    for (std::size_t i = 0; i < frames.size(); ++i) {
        const auto flags = i + 1 < frames.size() ? ::zmq::send_flags::sndmore : ::zmq::send_flags::none;
        ASSERT_TRUE(socket_.send(::zmq::buffer(frames[i]), flags).has_value()) << "nobody takes the message";
    }
}

std::vector<Message> Client::receive() {
    std::vector<Message> frames;
    ::zmq::message_t frame;
    do {
        if (!socket_.recv(frame)) return {};
        const auto* const first = static_cast<const std::byte*>(frame.data());
        frames.emplace_back(first, first + frame.size());
    } while (frame.more());
    return frames;
}

Read<wire::IngestReply> Client::ingest_reply() {
    const auto frames = receive();
    EXPECT_EQ(frames.size(), 1U);
    return read_ingest_reply(frames.at(0));
}

Read<wire::ControlReply> Client::control_reply() {
    const auto frames = receive();
    EXPECT_EQ(frames.size(), 1U);
    return read_control_reply(frames.at(0));
}

Read<wire::Publication> Client::publication() {
    const auto frames = receive();
    EXPECT_EQ(frames.size(), 2U);
    auto read = read_publication(frames.at(1));
    EXPECT_EQ(read.value.topic, std::string(reinterpret_cast<const char*>(frames[0].data()), frames[0].size()));
    return read;
}

void ServerTest::prepare(ServerOptions options, const service::Settings& settings) {
    using log::sqlite::Recording;
    const auto ipc = [&](const char* name) { return "ipc://" + (directory_ / name).string(); };
    if (options.endpoints.ingest.empty()) options.endpoints = {ipc("ingest"), ipc("updates"), ipc("control")};
    options.status_interval = std::chrono::milliseconds(20);
    server_.reset();
    service_.reset();
    auto recorded = std::filesystem::exists(path_) ? Recording::open(path_)
                                                   : Recording::create(path_, config::write_toml(options_));
    service_ = std::make_unique<service::Service>(std::move(recorded), options_, settings);
    server_ = std::make_unique<Server>(*service_, options);
}

void ServerTest::serve(ServerOptions options) {
    prepare(std::move(options));
    running_ = std::async(std::launch::async, [this] { server_->run(); });
}

void ServerTest::stop() {
    if (!running_.valid()) return;
    server_->request_stop();
    running_.get();
}

std::vector<Message> ServerTest::events(std::uint64_t first, std::uint64_t count) {
    std::vector<Message> all;
    for (std::uint64_t number = first; number < first + count; ++number) {
        const PointColumns columns = points_.next(20);
        all.push_back(event("p", 1, number, columns.view()));
    }
    return all;
}

}  // namespace fairstream::zmq
