/// The clients of the benchmark of strangers; `strangers.py` starts the engine and them.
///
///   bench_strangers keys COUNT                      prints COUNT key pairs, a line each: public, secret
///   bench_strangers load INGEST UPDATES CONTROL SERVER_KEY PRODUCERS SUBSCRIBERS FOLLOWERS DIMENSIONS BATCH
///   bench_strangers idle COUNT PAUSE_MS PORT...     silent connections without a key, spread over the ports
///
/// `load` reads its keys from standard input, one pair for each producer, then one for each subscriber. The first
/// FOLLOWERS subscribers are label subscribers of the library. The others are bare SUB sockets, which take what comes
/// and drop it: a view for each of 500 subscribers would leave the engine little of two cores. `load` and `idle` then
/// print "ready". For each line "mark" of standard input they print one JSON object of the work until then. They end
/// with standard input.

#include <netinet/in.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <exception>
#include <iostream>
#include <mutex>
#include <random>
#include <span>
#include <stdexcept>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

#include <zmq.hpp>

#include <fairstream/zmq/producer.hpp>
#include <fairstream/zmq/subscriber.hpp>

#include "roles.hpp"

namespace fairstream::benchmarks {
namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

constexpr auto patience = 120s;

double clock_seconds() {
    return std::chrono::duration<double>(Clock::now().time_since_epoch()).count();
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

void say(const std::string& line) {
    std::puts(line.c_str());
    std::fflush(stdout);
}

std::string number(std::uint64_t value) {
    return std::to_string(value);
}

void print_keys(std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) {
        const zmq::KeyPair keys = zmq::generate_keys();
        std::printf("%s %s\n", keys.public_key.c_str(), keys.secret_key.c_str());
    }
}

std::vector<zmq::KeyPair> read_keys(std::size_t count) {
    std::vector<zmq::KeyPair> keys(count);
    for (zmq::KeyPair& each : keys) std::cin >> each.public_key >> each.secret_key;
    std::cin.ignore();
    if (!std::cin) throw std::runtime_error(number(count) + " key pairs are needed");
    return keys;
}

struct LoadOptions {
    std::string ingest, updates, control, server_key;
    std::size_t producers = 0, subscribers = 0, followers = 0, dimensions = 0, batch = 0;
};

/// Points of two groups in blobs; one set, sent under new ids with every batch.
class Points {
public:
    Points(std::size_t dimensions, std::size_t batch) : features_(batch * dimensions), groups_(batch), ids_(batch) {
        std::mt19937_64 random(1);
        std::normal_distribution<float> noise;
        for (std::size_t i = 0; i < batch; ++i) {
            const auto blob = static_cast<float>(random() % 6);
            for (std::size_t j = 0; j < dimensions; ++j) features_[i * dimensions + j] = 4 * blob + noise(random);
            groups_[i] = static_cast<GroupId>(random() % 3 == 0);
        }
    }
    PointBatch next() {
        for (PointId& id : ids_) id = ++last_;
        return {ids_, features_, groups_, {}};
    }

private:
    std::vector<float> features_;
    std::vector<GroupId> groups_;
    std::vector<PointId> ids_;
    PointId last_ = 0;
};

/// All producers on one thread: each keeps a few batches in flight, and sends the next one with an answer.
class Producers {
public:
    Producers(const LoadOptions& options, std::span<const zmq::KeyPair> keys)
        : points_(options.dimensions, options.batch) {
        const auto context = std::make_shared<zmq::Context>();
        for (const zmq::KeyPair& each : keys) {
            zmq::ProducerOptions one;
            one.endpoint = options.ingest;
            one.name = "producer-" + number(producers_.size());
            one.unanswered.messages = on_the_way;
            // A loaded engine is slow to answer, and a new session would repeat what it already has.
            one.timing = {.answer_timeout = 20s, .hello_interval = 20s, .hello_interval_max = 20s};
            one.security = zmq::ClientSecurity{options.server_key, each};
            one.context = context;
            producers_.emplace_back(std::move(one));
        }
    }
    void connect() {
        for (zmq::Producer& each : producers_)
            if (!each.connect(patience)) throw std::runtime_error("the engine does not answer a producer");
    }
    /// Sends until told to end, then waits for the last answers.
    void run(const std::atomic<bool>& ending) {
        for (std::size_t next = 0; !ending; next = (next + 1) % producers_.size()) {
            bool moved = false;
            for (zmq::Producer& each : producers_) {
                each.poll(0ms);
                for (; each.unanswered() < on_the_way && each.try_send(points_.next()); moved = true) {
                }
            }
            count();
            if (!moved) producers_[next].poll(1ms);
        }
        for (zmq::Producer& each : producers_)
            if (!each.flush(patience)) throw std::runtime_error("the engine does not answer the last batches");
        count();
    }
    [[nodiscard]] std::uint64_t acked() const noexcept { return acked_; }
    [[nodiscard]] std::uint64_t refused() const noexcept { return refused_; }
    [[nodiscard]] std::uint64_t resent() const noexcept { return resent_; }
    [[nodiscard]] Sequence last_sequence() const {
        Sequence last = 0;
        for (const zmq::Producer& each : producers_) last = std::max(last, each.statistics().last_sequence);
        return last;
    }

private:
    static constexpr std::size_t on_the_way = 4;

    void count() {
        std::uint64_t acked = 0, refused = 0, resent = 0;
        for (const zmq::Producer& each : producers_) {
            acked += each.statistics().acked;
            refused += each.statistics().refused;
            resent += each.statistics().resent;
        }
        acked_ = acked;
        refused_ = refused;
        resent_ = resent;
    }

    Points points_;
    std::vector<zmq::Producer> producers_;
    std::atomic<std::uint64_t> acked_ = 0, refused_ = 0, resent_ = 0;
};

::zmq::socket_t bare_subscriber(::zmq::context_t& context, const LoadOptions& options, const zmq::KeyPair& keys) {
    ::zmq::socket_t socket(context, ::zmq::socket_type::sub);
    socket.set(::zmq::sockopt::linger, 0);
    socket.set(::zmq::sockopt::curve_serverkey, options.server_key);
    socket.set(::zmq::sockopt::curve_publickey, keys.public_key);
    socket.set(::zmq::sockopt::curve_secretkey, keys.secret_key);
    socket.set(::zmq::sockopt::subscribe, "labels.fair");
    socket.connect(options.updates);
    return socket;
}

/// Bare SUB sockets on one thread.
class Listeners {
public:
    Listeners(const LoadOptions& options, std::span<const zmq::KeyPair> keys) : heard_(keys.size(), false) {
        for (const zmq::KeyPair& each : keys) sockets_.push_back(bare_subscriber(context_, options, each));
        for (::zmq::socket_t& each : sockets_) items_.push_back({each.handle(), 0, ZMQ_POLLIN, 0});
    }
    void run(const std::atomic<bool>& ending) {
        constexpr int messages_per_turn = 64;
        while (!ending) {
            ::zmq::poll(items_, 100ms);
            for (std::size_t i = 0; i < items_.size(); ++i)
                if ((items_[i].revents & ZMQ_POLLIN) != 0) read(i, messages_per_turn);
        }
    }
    [[nodiscard]] std::uint64_t messages() const noexcept { return messages_; }
    [[nodiscard]] std::uint64_t bytes() const noexcept { return bytes_; }
    /// Waits until every socket has received something; returns whether that happened by `limit`.
    [[nodiscard]] bool wait_for_all(Clock::time_point limit) {
        std::unique_lock lock(mutex_);
        return all_reached_.wait_until(lock, limit, [&] { return reached_ == sockets_.size(); });
    }

private:
    void read(std::size_t i, int most) {
        ::zmq::message_t frame;
        for (int taken = 0; taken < most && sockets_[i].recv(frame, ::zmq::recv_flags::dontwait);) {
            bytes_ += frame.size();
            if (frame.more()) continue;
            ++taken;
            ++messages_;
            if (!heard_[i]) note_reached(i);
        }
    }

    void note_reached(std::size_t i) {
        heard_[i] = true;
        const std::lock_guard lock(mutex_);
        if (++reached_ == sockets_.size()) all_reached_.notify_all();
    }

    ::zmq::context_t context_{1};
    std::vector<::zmq::socket_t> sockets_;
    std::vector<::zmq::pollitem_t> items_;
    std::vector<bool> heard_;
    std::atomic<std::uint64_t> messages_ = 0, bytes_ = 0;
    std::mutex mutex_;
    std::condition_variable all_reached_;
    std::size_t reached_ = 0;  // sockets that have received something; guarded by the mutex
};

/// Label subscribers of the library on one thread.
class Followers {
public:
    Followers(const LoadOptions& options, std::span<const zmq::KeyPair> keys) {
        const auto context = std::make_shared<zmq::Context>();
        for (const zmq::KeyPair& each : keys) {
            zmq::SubscriberOptions one;
            one.updates_endpoint = options.updates;
            one.control_endpoint = options.control;
            one.model = "fair";
            one.security = zmq::ClientSecurity{options.server_key, each};
            one.context = context;
            followers_.emplace_back(std::move(one));
        }
    }
    void run(const std::atomic<bool>& ending) {
        while (!ending) turn();
    }
    /// Continues until every one has the labels of event `last`.
    void catch_up(Sequence last) {
        for (const auto limit = Clock::now() + patience; consistent_at(last) < followers_.size(); turn())
            if (Clock::now() > limit) throw std::runtime_error("a label subscriber does not catch up");
        for (const zmq::LabelSubscriber& each : followers_)
            if (each.labels() != followers_.front().labels())
                throw std::runtime_error("label subscribers hold different labels");
    }
    [[nodiscard]] std::uint64_t gaps() const {
        std::uint64_t sum = 0;
        for (const zmq::LabelSubscriber& each : followers_) sum += each.statistics().view.gaps;
        return sum;
    }

private:
    void turn() {
        for (zmq::LabelSubscriber& each : followers_) (void)each.poll(&each == &followers_.back() ? 1ms : 0ms);
    }
    [[nodiscard]] std::size_t consistent_at(Sequence last) const {
        std::size_t count = 0;
        for (const zmq::LabelSubscriber& each : followers_) count += each.consistent() && each.sequence() >= last;
        return count;
    }
    std::vector<zmq::LabelSubscriber> followers_;
};

/// Ends the process, whatever its threads are doing.
[[noreturn]] void give_up(const char* why) {
    std::fprintf(stderr, "bench_strangers: %s\n", why);
    std::_Exit(1);
}

/// A thread whose failure ends the process: without it the figures would measure something else.
template <class Action> std::thread started(Action action) {
    return std::thread([action] {
        try {
            action();
        } catch (const std::exception& error) {
            give_up(error.what());
        }
    });
}

void load(const LoadOptions& options) {
    const std::vector<zmq::KeyPair> keys = read_keys(options.producers + options.subscribers);
    const auto of_subscribers = std::span(keys).subspan(options.producers);
    Producers producers(options, std::span(keys).first(options.producers));
    Followers followers(options, of_subscribers.first(options.followers));
    Listeners listeners(options, of_subscribers.subspan(options.followers));
    std::atomic<bool> sent = false, heard = false;
    producers.connect();
    std::thread follow = started([&] { followers.run(heard); });
    std::thread listen = started([&] { listeners.run(heard); });
    std::thread produce = started([&] { producers.run(sent); });
    if (!listeners.wait_for_all(Clock::now() + patience)) give_up("a subscriber hears nothing");
    say("ready");
    const auto mark = [&] {
        std::array<char, 256> text{};
        std::snprintf(text.data(), text.size(),
                      "{\"time\": %.9f, \"acked\": %llu, \"refused\": %llu, \"resent\": %llu, \"publications\": %llu, "
                      "\"bytes\": %llu, \"cpu\": %.6f}",
                      clock_seconds(), static_cast<unsigned long long>(producers.acked()),
                      static_cast<unsigned long long>(producers.refused()),
                      static_cast<unsigned long long>(producers.resent()),
                      static_cast<unsigned long long>(listeners.messages()),
                      static_cast<unsigned long long>(listeners.bytes()), cpu_seconds());
        say(text.data());
    };
    for (std::string line; std::getline(std::cin, line);)
        if (line == "mark") mark();
    sent = true;
    produce.join();
    heard = true;
    follow.join();
    listen.join();
    followers.catch_up(producers.last_sequence());
    say("{\"acked\": " + number(producers.acked()) + ", \"refused\": " + number(producers.refused()) +
        ", \"resent\": " + number(producers.resent()) + ", \"last\": " + number(producers.last_sequence()) +
        ", \"gaps\": " + number(followers.gaps()) + "}");
}

/// Connections that are opened and send nothing; one that the engine ends is opened again after a pause.
class Strangers {
public:
    Strangers(std::size_t count, std::chrono::milliseconds pause, std::vector<std::uint16_t> ports)
        : pause_(pause),
          ports_(std::move(ports)),
          poll_(::epoll_create1(EPOLL_CLOEXEC)),
          files_(count, -1),
          accepted_(count) {
        if (poll_ < 0) throw std::system_error(errno, std::generic_category(), "epoll_create1");
        epoll_event commands{EPOLLIN, {.u64 = from_input}};
        if (::epoll_ctl(poll_, EPOLL_CTL_ADD, STDIN_FILENO, &commands) != 0)
            throw std::system_error(errno, std::generic_category(), "epoll_ctl of standard input");
        for (std::size_t i = 0; i < count; ++i) open(i);
    }
    void run() {
        bool ready = false;
        while (!ended_) {
            std::array<epoll_event, 256> events;
            const int count = ::epoll_wait(poll_, events.data(), events.size(), wait_ms());
            for (int i = 0; i < count; ++i) {
                if (events[i].data.u64 == from_input)
                    read_command();
                else
                    handle(events[i].data.u64, events[i].events);
            }
            for (; !waiting_.empty() && waiting_.front().due <= Clock::now(); waiting_.pop_front())
                open(waiting_.front().stranger);
            if (!ready && connected_ >= files_.size()) {
                ready = true;
                say("ready");
            }
        }
    }

private:
    static constexpr std::uint64_t from_input = ~std::uint64_t{0};
    struct Waiting {
        Clock::time_point due;
        std::size_t stranger;
    };

    void open(std::size_t i) {
        const int file = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
        if (file < 0) throw std::system_error(errno, std::generic_category(), "socket");
        sockaddr_in address{};
        address.sin_family = AF_INET;
        address.sin_port = htons(ports_[i % ports_.size()]);
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        if (::connect(file, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0 && errno != EINPROGRESS) {
            ::close(file);
            ++failed_;
            return wait(i);
        }
        files_[i] = file;
        accepted_[i] = false;
        ++open_;
        epoll_event events{EPOLLIN | EPOLLOUT | EPOLLRDHUP | EPOLLET, {.u64 = i}};
        ::epoll_ctl(poll_, EPOLL_CTL_ADD, file, &events);
    }
    // Reads and drops what the engine sends, its half of a greeting; the engine's end of the connection ends it here.
    void handle(std::size_t i, std::uint32_t events) {
        if ((events & EPOLLOUT) != 0 && (events & EPOLLERR) == 0 && !accepted_[i]) {
            accepted_[i] = true;
            ++connected_;
        }
        std::array<char, 256> said;
        ssize_t count = 0;
        while ((count = ::recv(files_[i], said.data(), said.size(), 0)) > 0) {
        }
        if (count < 0 && (errno == EAGAIN || errno == EINTR)) return;
        ::close(files_[i]);
        files_[i] = -1;
        --open_;
        ++cut_;
        wait(i);
    }
    void wait(std::size_t i) { waiting_.push_back({Clock::now() + pause_, i}); }
    [[nodiscard]] int wait_ms() const {
        if (waiting_.empty()) return -1;
        const auto left = std::chrono::ceil<std::chrono::milliseconds>(waiting_.front().due - Clock::now());
        return static_cast<int>(std::max<std::int64_t>(left.count(), 0));
    }
    void read_command() {
        std::array<char, 64> text;
        const ssize_t count = ::read(STDIN_FILENO, text.data(), text.size());
        ended_ = count <= 0;
        if (!ended_)
            say("{\"open\": " + number(open_) + ", \"cut\": " + number(cut_) + ", \"failed\": " + number(failed_) +
                "}");
    }

    std::chrono::milliseconds pause_;
    std::vector<std::uint16_t> ports_;
    int poll_;
    std::vector<int> files_;       // by stranger; -1: none
    std::vector<bool> accepted_;   // by stranger: whether the connection was made
    std::deque<Waiting> waiting_;  // without a connection, in the order of their next attempts
    std::size_t open_ = 0;
    std::uint64_t connected_ = 0, cut_ = 0, failed_ = 0;
    bool ended_ = false;
};

// Returns false if the arguments are no role's.
bool play(const RoleArguments& arguments) {
    const auto text = [&](std::size_t i) { return arguments.text(i); };
    const auto count = [&](std::size_t i) { return arguments.number(i); };
    const std::string role = arguments.role();
    if (role == "keys" && arguments.size() == 3) {
        print_keys(count(2));
    } else if (role == "load" && arguments.size() == 11) {
        load({text(2), text(3), text(4), text(5), count(6), count(7), count(8), count(9), count(10)});
    } else if (role == "idle" && arguments.size() >= 5) {
        std::vector<std::uint16_t> ports;
        for (std::size_t i = 4; i < arguments.size(); ++i) ports.push_back(static_cast<std::uint16_t>(count(i)));
        Strangers(count(2), std::chrono::milliseconds(count(3)), std::move(ports)).run();
    } else {
        return false;
    }
    return true;
}

}  // namespace
}  // namespace fairstream::benchmarks

int main(int argc, char** argv) {
    return fairstream::benchmarks::play_role("bench_strangers", argc, argv, fairstream::benchmarks::play);
}
