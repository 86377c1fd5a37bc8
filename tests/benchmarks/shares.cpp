/// Acks of a producer beside another client that asks for all it can, in one process; `shares.py` runs it. Both have
/// keys. Prints one JSON object.
///
///   bench_shares events CONNECTIONS POINTS SECONDS     sends events of POINTS points on each of CONNECTIONS
///   connections,
///       four before the first is answered
///   bench_shares questions CONNECTIONS POINTS SECONDS  asks for labels of POINTS points together, on each connection
///   one
///       request after another
///
/// In milliseconds: "alone" and "beside" are the 99th percentile of the time from an event of ten points to its ack,
/// without and with the other client. "event" is the longest ack of an event of the other client, of at most 20,000
/// points, while it sent one at a time. "answers" is the number of its answered events or requests.

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <functional>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <zmq.hpp>

#include <fairstream/config/config.hpp>
#include <fairstream/log/sqlite/recording.hpp>
#include <fairstream/models/safairkm/safairkm.hpp>
#include <fairstream/server/server.hpp>

#include "roles.hpp"

namespace fairstream::benchmarks {
namespace {

using Clock = std::chrono::steady_clock;
using Milliseconds = std::chrono::duration<double, std::milli>;
using ::zmq::socket_t;

constexpr std::uint32_t dimensions = 6;
// The first events of the other client come all at once, and are deciphered before later messages.
constexpr std::chrono::seconds settling{3};

EngineOptions engine_options() {
    safairkm::Options options;
    options.clusters = 8;
    options.targets.balance_at_least = 0.4;
    EngineOptions engine;
    engine.format.dimensions = dimensions;
    engine.format.attributes = {{"sex", {"female", "male"}}};
    engine.window.capacity = 20'000;
    engine.models = {{"fair", options, {}}};
    return engine;
}

// Points in eight blobs, with ids of their own.
struct Points {
    explicit Points(std::size_t count) {
        for (std::size_t i = 0; i < count; ++i) {
            state = state * 6364136223846793005U + 1442695040888963407U;
            ids.push_back(++newest);
            const std::uint64_t blob = (state >> 33) % 8;
            for (std::uint32_t j = 0; j < dimensions; ++j)
                features.push_back(static_cast<float>((blob >> (j % 3)) & 1) * 4 +
                                   static_cast<float>((state >> (8 * j)) & 255) / 128);
            groups.push_back(static_cast<GroupId>((state >> 40) & 1));
        }
    }
    static inline thread_local std::uint64_t state = 7;
    static inline std::atomic<PointId> newest = 0;
    std::vector<PointId> ids;
    std::vector<float> features;
    std::vector<GroupId> groups;
};

template <class Message>::zmq::message_t encoded(const Message& message) {
    wire::Encoder encoder;
    const wire::Bytes bytes = wire::write(message, encoder);
    return {bytes.data(), bytes.size()};
}

::zmq::message_t event(const std::string& producer, std::uint64_t number, std::size_t points) {
    const Points made(points);
    return encoded(wire::IngestRequest(
        wire::EventMessage{producer, 1, number, PointBatch{made.ids, made.features, made.groups, {}}}));
}

// A socket of a client with keys.
socket_t connected(::zmq::context_t& context, const std::string& endpoint, const std::string& server,
                   const zmq::KeyPair& keys, int send_queue) {
    namespace option = ::zmq::sockopt;
    socket_t socket(context, ::zmq::socket_type::dealer);
    socket.set(option::linger, 0);
    socket.set(option::sndhwm, send_queue);
    socket.set(option::rcvtimeo, 120'000);
    socket.set(option::curve_serverkey, server);
    socket.set(option::curve_publickey, keys.public_key);
    socket.set(option::curve_secretkey, keys.secret_key);
    socket.connect(endpoint);
    return socket;
}

bool was_acked(const ::zmq::message_t& answer) {
    const wire::AlignedMessage aligned({static_cast<const std::byte*>(answer.data()), answer.size()});
    return std::holds_alternative<wire::Ack>(wire::read_ingest_reply(aligned).body);
}

// A thread that is told to end, and joined, even if an exception passes.
class Beside {
public:
    Beside(const std::function<void()>& work, std::function<void()> end) : end_(std::move(end)), thread_(work) {}
    ~Beside() { stop(); }
    Beside(const Beside&) = delete;
    Beside& operator=(const Beside&) = delete;
    void stop() {
        end_();
        if (thread_.joinable()) thread_.join();
    }

private:
    std::function<void()> end_;
    std::thread thread_;
};

// Sends events one by one.
class Sender {
public:
    Sender(socket_t socket, std::string name, std::size_t points)
        : socket_(std::move(socket)), name_(std::move(name)), points_(points) {}
    Milliseconds send() {
        ::zmq::message_t message = event(name_, ++number_, points_), answer;
        const Clock::time_point begin = Clock::now();
        (void)socket_.send(message, ::zmq::send_flags::none);
        if (!socket_.recv(answer) || !was_acked(answer)) throw std::runtime_error("an event got no ack");
        return Clock::now() - begin;
    }
    double percentile_99(std::chrono::seconds time) {
        std::vector<double> taken;
        for (const auto end = Clock::now() + time; Clock::now() < end;) {
            taken.push_back(send().count());
            std::this_thread::sleep_for(std::chrono::milliseconds(2));
        }
        std::ranges::sort(taken);
        return taken[taken.size() * 99 / 100];
    }

private:
    socket_t socket_;
    std::string name_;
    std::size_t points_;
    std::uint64_t number_ = 0;
};

// The other client: keeps `unanswered` events or requests unanswered on each of its connections, until `end` is set.
// Returns the number of answers.
std::size_t ask_for_all(std::vector<socket_t> sockets, std::size_t unanswered,
                        const std::function<::zmq::message_t(std::size_t)>& make, const std::atomic<bool>& end) {
    std::vector<std::size_t> open(sockets.size());
    std::vector<::zmq::pollitem_t> items;
    for (socket_t& each : sockets) items.push_back({each.handle(), 0, ZMQ_POLLIN, 0});
    std::size_t answers = 0;
    while (!end) {
        for (std::size_t i = 0; i < sockets.size(); ++i) {
            for (; open[i] < unanswered; ++open[i]) (void)sockets[i].send(make(i), ::zmq::send_flags::none);
            ::zmq::message_t answer;
            for (; sockets[i].recv(answer, ::zmq::recv_flags::dontwait); --open[i]) ++answers;
        }
        ::zmq::poll(items, std::chrono::milliseconds(50));
    }
    return answers;
}

bool play(const RoleArguments& arguments) {
    const std::string role = arguments.role();
    if ((role != "events" && role != "questions") || arguments.size() != 5) return false;
    const std::size_t connections = arguments.number(2), points = arguments.number(3);
    const std::chrono::seconds time(arguments.number(4));

    const std::filesystem::path folder = std::filesystem::temp_directory_path() / "fairstream-bench-shares";
    std::filesystem::remove_all(folder);
    std::filesystem::create_directories(folder);
    const EngineOptions options = engine_options();
    service::Service service(log::sqlite::Recording::create(folder / "stream.fairstream", config::write_toml(options)),
                             options);
    const zmq::KeyPair keys = zmq::generate_keys(), good = zmq::generate_keys(), other = zmq::generate_keys();
    zmq::ServerSecurity security{keys.secret_key};
    security.producers = {{good.public_key, "good"}, {other.public_key, ""}};
    security.subscribers = {other.public_key};
    zmq::Server server(
        service, {.endpoints = {"tcp://127.0.0.1:*", "tcp://127.0.0.1:*", "tcp://127.0.0.1:*"}, .security = security});
    Beside running([&] { server.run(); }, [&] { server.request_stop(); });
    {
        ::zmq::context_t of_good(1), of_other(1);  // so that enciphering for one delays no message of the other
        const auto connect = [&](const std::string& endpoint, const zmq::KeyPair& mine) {
            return connected(&mine == &good ? of_good : of_other, endpoint, keys.public_key, mine, 100);
        };
        const std::string ingest = server.endpoints().ingest, control = server.endpoints().control;
        // Fills the window, and measures one event of the other client.
        Sender heavy(connect(ingest, other), "heavy", std::min<std::size_t>(points, 20'000));
        double longest = 0;
        for (int i = 0; i < 10; ++i) longest = std::max(longest, heavy.send().count());
        Sender sender(connect(ingest, good), "good", 10);
        const double alone = sender.percentile_99(time);
        // One after another: the engine ends some of many connections that have sent nothing yet.
        std::vector<socket_t> sockets;
        for (std::size_t i = 0; i < connections; ++i) {
            sockets.push_back(connect(role == "events" ? ingest : control, other));
            (void)sockets.back().send(role == "events"
                                          ? encoded(wire::IngestRequest(wire::Hello{"other-" + std::to_string(i), 1}))
                                          : encoded(wire::ControlRequest{1, wire::HealthRequest{}}),
                                      ::zmq::send_flags::none);
            ::zmq::message_t answer;
            if (!sockets.back().recv(answer)) throw std::runtime_error("a connection got no answer");
        }
        std::vector<std::uint64_t> numbers(connections);
        const Points asked(role == "events" ? 0 : points);
        std::atomic<bool> end = false;
        std::size_t answers = 0;
        const auto ask = [&] {
            answers = ask_for_all(
                std::move(sockets), role == "events" ? 4 : 1,
                [&](std::size_t i) {
                    if (role == "events") return event("other-" + std::to_string(i), ++numbers[i], points);
                    return encoded(
                        wire::ControlRequest{++numbers[i], wire::AssignRequest{"fair", asked.features, asked.groups}});
                },
                end);
        };
        Beside asking(ask, [&] { end = true; });
        std::this_thread::sleep_for(settling);
        const double beside = sender.percentile_99(time);
        asking.stop();
        std::printf("{\"alone\": %.2f, \"beside\": %.2f, \"event\": %.2f, \"answers\": %zu}\n", alone, beside, longest,
                    answers);
    }
    running.stop();
    std::filesystem::remove_all(folder);
    return true;
}

}  // namespace
}  // namespace fairstream::benchmarks

int main(int argc, char** argv) {
    return fairstream::benchmarks::play_role("bench_shares", argc, argv, fairstream::benchmarks::play);
}
