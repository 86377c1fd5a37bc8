/// The processes of the end-to-end benchmark, a role each; `end_to_end.py` starts them. Each prints one JSON object
/// when it ends; times are of the steady clock, which all processes share.
///
///   bench_end_to_end serve SOCKETS RECORDING DIMENSIONS CLUSTERS SETUP   until SIGTERM
///   bench_end_to_end produce SOCKETS FEATURES GROUPS DIMENSIONS WARM_BATCHES
///   bench_end_to_end subscribe SOCKETS EVENTS                        prints "ready" when it follows the stream
///   bench_end_to_end ask SOCKETS PER_SECOND                          health, until SIGTERM; prints "ready" when
///   answered
///
/// SOCKETS is a folder for ipc endpoints. SETUP is "pairs": a model with 64 revisits and 4 swaps for each batch;
/// "plain": the defaults, in a stream without groups; or "parity": the defaults.

#include <sys/resource.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <exception>
#include <span>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <fairstream/config/config.hpp>
#include <fairstream/log/sqlite/recording.hpp>
#include <fairstream/server/detail/process_memory.hpp>
#include <fairstream/server/server.hpp>
#include <fairstream/service/service.hpp>
#include <fairstream/wire/messages.hpp>
#include <fairstream/zmq/control_client.hpp>
#include <fairstream/zmq/producer.hpp>
#include <fairstream/zmq/subscriber.hpp>

#include "roles.hpp"
#include "stream.hpp"

namespace fairstream::benchmarks {
namespace {

using namespace std::chrono_literals;

constexpr auto patience = 60s;

double clock_seconds() {
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

// Gives the processor time of this process, user and system, of all threads.
double cpu_seconds() {
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    const auto seconds = [](const timeval& t) {
        return static_cast<double>(t.tv_sec) + 1e-6 * static_cast<double>(t.tv_usec);
    };
    return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

zmq::Endpoints endpoints(const std::string& folder) {
    const std::string ipc = "ipc://" + folder;
    return {.ingest = ipc + "/ingest", .updates = ipc + "/updates", .control = ipc + "/control"};
}

// Depends only on the pairs of id and label, not on their order.
class Digest {
public:
    void add(PointId id, ClusterId label) {
        std::uint64_t x = id * 0x9e3779b97f4a7c15U + static_cast<std::uint64_t>(label) + 1;
        x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9U;
        x = (x ^ (x >> 27)) * 0x94d049bb133111ebU;
        sum_ += x ^ (x >> 31);
        ++count_;
    }
    [[nodiscard]] std::string json() const {
        return "\"labels\": " + std::to_string(count_) + ", \"digest\": \"" + std::to_string(sum_) + "\"";
    }

private:
    std::uint64_t sum_ = 0;
    std::uint64_t count_ = 0;
};

zmq::Server* server_to_stop = nullptr;  // for the signal handler

EngineOptions options_of(const std::string& setup, std::uint32_t dimensions, int clusters) {
    if (setup == "pairs") return engine_options(dimensions, model_options(clusters, 64, 4));
    if (setup != "plain" && setup != "parity") throw std::runtime_error("'" + setup + "' is no setup");
    safairkm::Options model;
    model.clusters = clusters;
    EngineOptions options = engine_options(dimensions, model);
    if (setup == "plain") options.format.attributes.clear();
    return options;
}

void serve(const std::string& sockets, const std::string& recording, const EngineOptions& options) {
    zmq::keep_freed_memory();
    service::Service service(log::sqlite::Recording::create(recording, config::write_toml(options)), options);
    zmq::Server server(service, {.endpoints = endpoints(sockets)});
    server_to_stop = &server;
    for (const int signal : {SIGTERM, SIGINT}) std::signal(signal, [](int) { server_to_stop->request_stop(); });
    server.run();
    Digest digest;
    const Engine& engine = service.engine();
    for (Slot slot = 0; slot < engine.window().size(); ++slot)
        digest.add(engine.window().id(slot), engine.labels("model")[slot]);
    const ModelReport report = engine.report("model");
    std::printf(
        "{\"cpu\": %.6f, \"events\": %llu, \"commits\": %llu, \"checkpoints\": %llu, \"cost\": %.9g, \"met\": %s, "
        "%s}\n",
        cpu_seconds(), static_cast<unsigned long long>(service.counters().events),
        static_cast<unsigned long long>(service.counters().commits),
        static_cast<unsigned long long>(service.counters().checkpoints), report.cost,
        report.solve.outcome == Outcome::converged ? "true" : "false", digest.json().c_str());
}

// Quantile of the seconds that answers took; `share` is in [0, 1].
double quantile(std::vector<double>& seconds, double share) {
    if (seconds.empty()) return 0;
    const auto at = static_cast<std::size_t>(share * static_cast<double>(seconds.size() - 1));
    std::ranges::nth_element(seconds, seconds.begin() + static_cast<std::ptrdiff_t>(at));
    return seconds[at];
}

// Returns how long each batch waited for its ack, in seconds.
std::vector<double> send(zmq::Producer& producer, const Stream& stream, std::size_t first, std::size_t last) {
    std::deque<double> sent;
    std::vector<double> waits;
    std::uint64_t oldest = producer.first_unanswered();
    const auto note = [&] {
        const double now = clock_seconds();
        for (; oldest < producer.first_unanswered(); ++oldest) {
            waits.push_back(now - sent.front());
            sent.pop_front();
        }
    };
    for (std::size_t b = first; b < last; ++b) {
        sent.push_back(clock_seconds());
        if (!producer.send(stream.batch(b), patience)) throw std::runtime_error("the engine takes no more batches");
        note();
    }
    for (const double limit = clock_seconds() + 60; producer.unanswered() > 0; note()) {
        if (clock_seconds() > limit) throw std::runtime_error("the engine does not answer");
        producer.poll(100ms);
    }
    return waits;
}

std::atomic<bool> asked_to_end = false;

void ask(const std::string& sockets, double per_second) {
    for (const int signal : {SIGTERM, SIGINT}) std::signal(signal, [](int) { asked_to_end = true; });
    zmq::ControlOptions options;
    options.endpoint = endpoints(sockets).control;
    zmq::ControlClient client(std::move(options));
    (void)client.health();
    std::puts("ready");
    std::fflush(stdout);
    std::vector<double> waits;
    const double start = clock_seconds();
    while (!asked_to_end) {
        const double due = start + static_cast<double>(waits.size()) / per_second, now = clock_seconds();
        // This sleep is the pace of the requests, not a wait for something.
        if (due > now) std::this_thread::sleep_for(std::chrono::duration<double>(due - now));
        const double before = clock_seconds();
        (void)client.health();
        waits.push_back(clock_seconds() - before);
    }
    const double rate = static_cast<double>(waits.size()) / (clock_seconds() - start);
    const double middle = quantile(waits, 0.5), late = quantile(waits, 0.99);
    std::printf("{\"rate\": %.3f, \"p50\": %.9f, \"p99\": %.9f, \"cpu\": %.6f}\n", rate, middle, late, cpu_seconds());
}

void produce(const std::string& sockets, Stream stream, std::size_t warm) {
    if (stream.batches() <= warm) throw std::runtime_error("no batches left to time");
    zmq::ProducerOptions options;
    options.endpoint = endpoints(sockets).ingest;
    options.name = "benchmark";
    zmq::Producer producer(std::move(options));
    if (!producer.connect(patience)) throw std::runtime_error("the engine does not answer");
    if (producer.format()->attributes.empty()) stream.groups.clear();
    (void)send(producer, stream, 0, warm);
    const double start = clock_seconds(), cpu = cpu_seconds();
    std::vector<double> waits = send(producer, stream, warm, stream.batches());
    const double end = clock_seconds(), cpu_end = cpu_seconds();
    const zmq::ProducerStatistics& done = producer.statistics();
    if (done.acked != stream.batches() || done.refused != 0) throw std::runtime_error("not every batch was acked");
    wire::Encoder encoder;
    const wire::EventMessage example{"benchmark", producer.epoch(), done.acked, stream.batch(warm)};
    const double middle = quantile(waits, 0.5), late = quantile(waits, 0.99);
    std::printf(
        "{\"start\": %.9f, \"end\": %.9f, \"cpu\": %.6f, \"events\": %zu, \"message_bytes\": %zu, "
        "\"ack_p50\": %.9f, \"ack_p99\": %.9f}\n",
        start, end, cpu_end - cpu, stream.batches() - warm, wire::write(example, encoder).size(), middle, late);
}

void subscribe(const std::string& sockets, Sequence last) {
    const zmq::Endpoints at = endpoints(sockets);
    zmq::SubscriberOptions options;
    options.updates_endpoint = at.updates;
    options.control_endpoint = at.control;
    options.model = "model";
    zmq::LabelSubscriber subscriber(options);
    bool ready = false;
    for (const double limit = clock_seconds() + 600; subscriber.sequence() < last || !subscriber.consistent();) {
        (void)subscriber.poll(100ms);
        if (!ready && subscriber.consistent()) {
            ready = true;
            std::puts("ready");
            std::fflush(stdout);
        }
        if (clock_seconds() > limit) throw std::runtime_error("the stream did not come to its end");
    }
    const double end = clock_seconds();
    Digest digest;
    for (const auto& [id, label] : subscriber.labels()) digest.add(id, label);
    const zmq::SubscriberStatistics statistics = subscriber.statistics();
    std::printf("{\"end\": %.9f, \"cpu\": %.6f, \"gaps\": %llu, \"snapshots\": %llu, %s}\n", end, cpu_seconds(),
                static_cast<unsigned long long>(statistics.view.gaps),
                static_cast<unsigned long long>(statistics.view.snapshots), digest.json().c_str());
}

// Returns false if the arguments are no role's.
bool play(const RoleArguments& arguments) {
    const auto text = [&](std::size_t i) { return arguments.text(i); };
    const auto number = [&](std::size_t i) { return arguments.number(i); };
    const std::string role = arguments.role();
    if (role == "serve" && arguments.size() == 7)
        serve(text(2), text(3),
              options_of(text(6), static_cast<std::uint32_t>(number(4)), static_cast<int>(number(5))));
    else if (role == "produce" && arguments.size() == 7)
        produce(text(2), Stream(text(3), text(4), static_cast<std::uint32_t>(number(5))), number(6));
    else if (role == "ask" && arguments.size() == 4)
        ask(text(2), static_cast<double>(number(3)));
    else if (role == "subscribe" && arguments.size() == 4)
        subscribe(text(2), number(3));
    else
        return false;
    return true;
}

}  // namespace
}  // namespace fairstream::benchmarks

int main(int argc, char** argv) {
    return fairstream::benchmarks::play_role("bench_end_to_end", argc, argv, fairstream::benchmarks::play);
}
