#include <fairstream/server/server.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <optional>
#include <span>
#include <unordered_set>
#include <utility>

#include <fairstream/base/refuse_option.hpp>
#include <fairstream/server/detail/clients.hpp>
#include <fairstream/server/detail/connections.hpp>
#include <fairstream/server/detail/control_thread.hpp>
#include <fairstream/server/detail/free_path.hpp>
#include <fairstream/server/detail/gate.hpp>
#include <fairstream/server/detail/idle_thread.hpp>
#include <fairstream/server/detail/native.hpp>
#include <fairstream/server/detail/share_queue.hpp>
#include <fairstream/zmq/detail/socket_native.hpp>

namespace fairstream::zmq {

namespace {

namespace option = ::zmq::sockopt;
using service::Outgoing;
using service::Reply;

// Numbers of requests answered, and events and subscriptions read, before the loop looks at the other sockets.
constexpr int ingest_requests_per_turn = 16;
// Bytes of control answers that may wait for a commit; further requests are taken after the commit.
constexpr std::size_t held_answer_bytes = std::size_t{64} << 20;
constexpr int events_per_turn = 1000;
constexpr int subscriptions_per_turn = 1000;
// Largest number of clients that are told of the end: many times the clients that may be connected at once.
constexpr std::size_t most_producers = 65536;
// Longest time for which the ingest socket stays unread while events are handled.
constexpr std::chrono::milliseconds longest_unread{1};
// If a client's events take this long, acks of other clients are sent before its next event.
constexpr std::chrono::milliseconds long_event{5};
// A waiting event counts for at least this many bytes, which bounds the number of short events.
constexpr std::size_t least_event_bytes = 4096;
// Processor time after which an answer beside the loop is ended.
constexpr std::chrono::seconds longest_answer{10};
// Messages queued for and from one client. Answers to events are short; answers to requests may be snapshots. Received
// messages may be as long as the limit, so few may wait here: the others wait at the client.
constexpr QueueLimits ingest_queues{.send = 1000, .receive = 2};
constexpr QueueLimits control_queues{.send = 4, .receive = 1};
// With a longer queue, libzmq would process one client's subscriptions for longer before it returns control.
constexpr int subscription_queue = 1;
// The longest message to the updates socket: a topic, or the handshake of a client with a key.
constexpr std::size_t subscription_bytes = 512;
// Largest number of bytes of requests that wait for the server's loop; less if a full-size request from each client
// takes less.
constexpr std::size_t most_request_bytes = std::size_t{64} << 20;
// Threads of libzmq, one for each socket: decryption for one socket delays no messages of another.
constexpr int io_threads = 3;
// Bytes that encryption adds to a message.
constexpr std::size_t curve_bytes = 64;
// A client that is not admitted within this time is disconnected.
constexpr std::chrono::milliseconds handshake_interval{5000};
// Time for which a closing socket continues to send, so that the answer to a stop request arrives.
constexpr std::chrono::milliseconds linger{1000};

std::size_t bytes_for_requests(const ServerOptions& options) noexcept {
    return std::min(most_request_bytes, options.connections.control * options.max_message_bytes);
}

// Returns the bytes of whole messages that a socket holds for one connection: those in the queue, one received in part
// or in full when the queue is full, one fetched for the next reader, and libzmq's read-ahead.
constexpr std::size_t held_of_connection(int queue, std::size_t message_bytes) noexcept {
    constexpr std::size_t read_ahead = 16384;
    return (static_cast<std::size_t>(queue) + 2) * (message_bytes + curve_bytes) + read_ahead;
}

// Bytes of events that wait for the loop: a full-size one from each connection.
std::size_t bytes_for_events(const ServerOptions& options) noexcept {
    return options.connections.ingest * options.max_message_bytes;
}

}  // namespace

struct Server::Impl {
    Impl(service::Service& serving, const ServerOptions& with, std::shared_ptr<Context> given);
    ~Impl() { service.set_answer_runner({}); }
    Impl(const Impl&) = delete;
    Impl& operator=(const Impl&) = delete;

    void loop(const RecoveryHooks& recovery);
    void recover(const RecoveryHooks& hooks);
    void serve_until_stopped();
    void close() noexcept;

    struct Limits {
        QueueLimits queues;
        std::size_t message_bytes;
        std::size_t connections;
    };
    void bind(::zmq::socket_t& socket, SocketRole role, const std::string& endpoint, const Limits& limits);
    void begin_commit();
    [[nodiscard]] bool has_room() const;
    [[nodiscard]] bool room_for_answers() const { return service.held_bytes() < held_answer_bytes; }
    // The clients with events that wait for a commit.
    struct Senders {
        const service::Client* newest = nullptr;
        bool several = false;

        void note(const service::Client& client) {
            several = several || (newest != nullptr && newest->identity != client.identity);
            newest = &client;
        }
        [[nodiscard]] bool includes_other_than(const service::Client& client) const {
            return several || (newest != nullptr && newest->identity != client.identity);
        }
    };
    void wait(bool at_once, bool full, Clock::time_point status_due);
    void read_subscriptions();
    void read_events();
    [[nodiscard]] bool take_events();
    [[nodiscard]] bool keeps_acks_waiting(const service::Client* next) const;
    [[nodiscard]] std::uint32_t credit_of(const service::Client& client) const;
    [[nodiscard]] bool take_requests();
    // Returns whether requests may use the loop: no event is waiting, or requests have used the loop for no longer than
    // events.
    [[nodiscard]] bool requests_turn() const {
        return events.empty() || requests_ahead <= Clock::duration(0) || control_thread.stop_expected();
    }
    [[nodiscard]] bool may_take_questions() const;
    void handle_request();
    void watch_answer();
    void end_answer() noexcept;
    void send_released();
    void tell_producers_of_end();
    void publish(const Outgoing& publication);

    service::Service& service;
    ServerOptions options;
    bool given_context;
    std::shared_ptr<Context> context;
    std::atomic<bool> stop = false;
    Wakeup wakeup;                   // set by `stop`, by the end of a commit, and by a waiting control request
    std::size_t waiting_events = 0;  // events ingested since the last commit began; then their bytes
    std::size_t waiting_bytes = 0;
    Senders waiting_senders;     // senders of the waiting events
    Senders committing_senders;  // senders of the events in the running commit
    bool acks_first = false;     // the next event waits until acks are sent
    ClientList clients{options.security, options.client_limits.names};
    std::optional<Gate> gate;  // constructed before the sockets that it guards
    ::zmq::socket_t ingest, updates, control;
    Connections connections;  // ends before the sockets that it watches
    Endpoints bound;
    ServerCounters counters;
    Clock::time_point started = Clock::now();
    Incoming incoming;
    std::unordered_set<std::string> producers;  // clients that sent something to `ingest`
    ShareQueue events{least_event_bytes, options.max_message_bytes};
    std::size_t open_connections = 1;                  // connections of the ingest socket, when it was last read
    Clock::time_point read_at{};                       // when the ingest socket was read last
    Clock::duration requests_ahead{0};                 // by how much requests used the loop longer than events
    const service::Client* answered_client = nullptr;  // client of the current or last answer beside the loop
    ControlThread::Request request;
    service::Outbox outbox;
    // Declared after the members they use.
    IdleThread answer_thread{[this] { wakeup.set(); }};
    ControlThread control_thread{control, gate, clients, connections, service, wakeup, bytes_for_requests(options)};
};

void check(const ServerOptions& options) {
    const Endpoints& endpoints = options.endpoints;
    for (const std::string& endpoint : {endpoints.ingest, endpoints.updates, endpoints.control}) {
        check_bind_allowed(endpoint, options.security.has_value(), options.allow_insecure);
    }
    const auto is_fixed = [](const std::string& endpoint) {
        return !endpoint.ends_with(":*") && !endpoint.ends_with(":0");
    };
    if ((endpoints.ingest == endpoints.updates || endpoints.ingest == endpoints.control) && is_fixed(endpoints.ingest))
        throw InvalidInput(Reason::bad_option, "endpoint '" + endpoints.ingest +
                                                   "' would be bound twice; each endpoint needs its own address");
    if (endpoints.updates == endpoints.control && is_fixed(endpoints.updates))
        throw InvalidInput(Reason::bad_option, "endpoint '" + endpoints.updates +
                                                   "' would be bound twice; each endpoint needs its own address");
    if (options.security) {
        check_key(options.security->secret_key, "the server's secret key");
        for (const auto* const keys :
             {&options.security->clients, &options.security->subscribers, &options.security->controllers}) {
            for (const std::string& key : *keys) check_key(key, "the public key of a client");
        }
        for (const ProducerKey& producer : options.security->producers)
            check_key(producer.key, "the public key of a producer");
    }
    require_at_least("commit_events", options.commit_events, 1);
    require_at_least("commit_bytes", options.commit_bytes, 1);
    require_at_least("update_queue", options.update_queue, 1);
    if (options.max_message_bytes < 4096 || options.max_message_bytes > wire::message_limit)
        throw InvalidInput(Reason::bad_option, "max_message_bytes = " + std::to_string(options.max_message_bytes) +
                                                   ": must be 4096 to " + std::to_string(wire::message_limit));
    require_at_least("connections.ingest", options.connections.ingest, 1);
    require_at_least("connections.updates", options.connections.updates, 1);
    require_at_least("connections.control", options.connections.control, 1);
    require_at_least("client_limits.names", options.client_limits.names, 1);
    require_at_least("client_limits.connections", options.client_limits.connections, 1);
    require_at_least("client_limits.subscriptions", options.client_limits.subscriptions, 1);
    require_at_least("status_interval", options.status_interval.count(), 1, " ms");
}

std::size_t receive_bound(const ServerOptions& options) noexcept {
    const auto of = [](std::size_t most, int queue, std::size_t bytes) {
        return (most + Connections::most_silent(most)) * held_of_connection(queue, bytes);
    };
    return of(options.connections.ingest, ingest_queues.receive, options.max_message_bytes) +
           of(options.connections.updates, subscription_queue, subscription_bytes) +
           of(options.connections.control, control_queues.receive, options.max_message_bytes) +
           std::max(bytes_for_requests(options), options.max_message_bytes) + bytes_for_events(options);
}

std::size_t descriptor_bound(const ServerOptions& options) noexcept {
    const auto& [ingest, updates, control] = options.connections;
    const auto of = [](std::size_t most) { return most + Connections::most_silent(most) + Connections::burst; };
    return of(ingest) + of(updates) + of(control);
}

Server::Impl::Impl(service::Service& serving, const ServerOptions& with, std::shared_ptr<Context> given)
    : service(serving),
      options(with),
      given_context(given != nullptr),
      context(given ? std::move(given) : std::make_shared<Context>()),
      connections(context->native().context, options.client_limits) {
    if (!given_context) context->native().context.set(::zmq::ctxopt::io_threads, io_threads);
    service.set_message_limit(options.max_message_bytes);
    service.set_answer_runner([this](std::function<void()> task) {
        if (!options.answer_runner) return answer_thread.run(std::move(task));
        options.answer_runner([this, task = std::move(task)] {
            task();
            wakeup.set();
        });
    });
    if (options.security) {
        gate.emplace(context->native().context, clients, options.on_rejected);
    }
    const auto& [ingest_connections, updates_connections, control_connections] = options.connections;
    bind(ingest, SocketRole::ingest, options.endpoints.ingest,
         {ingest_queues, options.max_message_bytes, ingest_connections});
    bind(updates, SocketRole::updates, options.endpoints.updates,
         {{options.update_queue, subscription_queue}, subscription_bytes, updates_connections});
    bind(control, SocketRole::control, options.endpoints.control,
         {control_queues, options.max_message_bytes, control_connections});
    connections.start();
    bound = {ingest.get(option::last_endpoint), updates.get(option::last_endpoint), control.get(option::last_endpoint)};
}

void Server::Impl::bind(::zmq::socket_t& socket, SocketRole role, const std::string& endpoint, const Limits& limits) {
    const auto type = role == SocketRole::updates ? ::zmq::socket_type::xpub : ::zmq::socket_type::router;
    try {
        socket = ::zmq::socket_t(context->native().context, type);
        QueueLimits queues = limits.queues;
        // libzmq sends the client's name, which the gate set, ahead of the first message. The name takes a place in the
        // queue and, in libzmq 4.3, keeps this place.
        if (options.security) ++queues.receive;
        set_common_options(socket, queues, endpoint);
        if (!given_context) socket.set(option::affinity, std::uint64_t{1} << static_cast<unsigned>(role));
        socket.set(option::linger, static_cast<int>(linger.count()));
        socket.set(option::maxmsgsize,
                   static_cast<std::int64_t>(limits.message_bytes + (options.security ? curve_bytes : 0)));
        socket.set(option::handshake_ivl, static_cast<int>(handshake_interval.count()));
        if (type == ::zmq::socket_type::router) socket.set(option::router_mandatory, true);
        if (type == ::zmq::socket_type::xpub) socket.set(option::xpub_verboser, true);  // to count every subscription
        if (options.security) {
            socket.set(option::curve_server, true);
            socket.set(option::curve_secretkey, options.security->secret_key);
            socket.set(option::zap_domain, Gate::domain(role));
        }
        connections.watch(socket, {limits.connections, held_of_connection(queues.receive, limits.message_bytes)});
        require_free_path(endpoint);
        socket.bind(endpoint);
    } catch (const ::zmq::error_t& error) {
        throw SocketError("cannot bind '" + endpoint + "': " + error.what());
    }
}

void Server::Impl::loop(const RecoveryHooks& recovery) {
    control_thread.begin();
    try {
        if (!service.recovered()) recover(recovery);
        serve_until_stopped();
        if (!service.stopping()) service.finish();
    } catch (const Interrupted&) {
        service.finish();
        while (control_thread.take(request)) handle_request();  // the client that asked to stop waits for the answer
    }
    end_answer();
    if (!control_thread.failed() && service.recovered()) service.publish_end();
    send_released();
    tell_producers_of_end();
    control_thread.finish();
}

// Tells all clients that sent events that the server takes no more events: an unanswered event was not taken.
void Server::Impl::tell_producers_of_end() {
    const service::SharedBytes ending = service.ending_answer();
    for (const std::string& client : producers) (void)reply(ingest, client, ending);  // the client may be gone
}

void Server::Impl::recover(const RecoveryHooks& hooks) {
    service.recover([&](Sequence done, Sequence last) {
        if (control_thread.stop_expected() || control_thread.failed()) service.interrupt();
        if (hooks.progress) hooks.progress(done, last);
    });
    if (hooks.done) hooks.done();
}

void Server::Impl::serve_until_stopped() {
    Clock::time_point status_due = Clock::now();
    bool more_events = false, more_requests = false;  // whether a bound, not an empty socket, ended the last turn
    while (!stop && !service.stopping() && !control_thread.failed()) {
        // While one commit is written, only the next one fills.
        const bool full = service.committing() && (!has_room() || acks_first);
        const bool at_once = service.committing() ? (more_requests && room_for_answers() && requests_turn()) ||
                                                        (!full && !events.empty())
                                                  : more_events || more_requests || service.pending();
        wait(at_once, full, status_due);
        service.finish_commit();
        if (!service.committing()) committing_senders = {};
        send_released();
        read_subscriptions();
        more_events = take_events();
        more_requests = take_requests();
        watch_answer();
        if (Clock::now() >= status_due) {
            service.publish_status();
            status_due = Clock::now() + options.status_interval;
        }
        begin_commit();
        send_released();
    }
}

void Server::Impl::begin_commit() {
    if (service.committing()) return;
    service.begin_commit([this] { wakeup.set(); });
    waiting_events = waiting_bytes = 0;
    const Senders begun = std::exchange(waiting_senders, {});
    if (service.committing()) committing_senders = begun;
}

bool Server::Impl::has_room() const {
    return waiting_events < options.commit_events && waiting_bytes < options.commit_bytes;
}

void Server::Impl::wait(bool at_once, bool full, Clock::time_point status_due) {
    std::array<::zmq::pollitem_t, 3> items{{{nullptr, wakeup.file(), ZMQ_POLLIN, 0},
                                            {updates.handle(), 0, ZMQ_POLLIN, 0},
                                            {ingest.handle(), 0, ZMQ_POLLIN, 0}}};
    // The ingest socket must not wake the loop while there is no room for events.
    (void)zmq::wait(std::span(items).first(full ? 2 : 3), at_once ? Clock::now() : status_due);
    if (!stop) wakeup.clear();
}

// Reads subscription messages, which bounds their number per connection and keeps them from accumulating. libzmq itself
// matches topics.
void Server::Impl::read_subscriptions() {
    std::array<::zmq::message_t, 1> frame;
    for (int i = 0; i < subscriptions_per_turn && zmq::receive(updates, frame); ++i)
        connections.note_subscription(frame[0], clients.sender_of(frame[0]));
}

// Reads the events that have arrived, so that one client's events do not wait behind another's. If too much waits, ends
// connections of the client with the most waiting bytes.
void Server::Impl::read_events() {
    open_connections = std::max<std::size_t>(connections.open(ingest), 1);
    for (int i = 0; i < events_per_turn && receive(ingest, incoming); ++i) {
        if (!incoming.valid) {
            ++counters.dropped_messages;
            continue;
        }
        const service::Client& sender = clients.sender_of(incoming.body());
        connections.note_message(incoming.body(), sender);
        if (producers.size() == most_producers) producers.clear();  // those still connected send again
        producers.insert(incoming.client());
        events.push({incoming.client(), std::move(incoming.frames[incoming.delimited ? 2 : 1]), &sender});
        while (events.bytes() > bytes_for_events(options)) connections.end_sender_of(events.pop_surplus().message);
    }
}

// Ingests events; returns true if a bound was reached and more may be waiting.
bool Server::Impl::take_events() {
    while (has_room() && !stop && !control_thread.stop_expected()) {
        if (const auto now = Clock::now(); events.empty() || now - read_at >= longest_unread) {
            read_events();
            read_at = now;
        }
        acks_first = keeps_acks_waiting(events.next_client());
        if (acks_first) return true;
        const std::optional<Received> event = events.pop();
        if (!event) return false;
        waiting_senders.note(*event->sender);
        const Clock::time_point begin = Clock::now();
        ++waiting_events;
        waiting_bytes += event->message.size();
        service.handle_ingest(event->client, zmq::bytes(event->message), *event->sender, credit_of(*event->sender));
        const Clock::duration time = Clock::now() - begin;
        events.charge(*event->sender, time);
        requests_ahead = std::max(requests_ahead - time, Clock::duration(0));
        // The writing thread must not wait: the events so far form the next commit. More events arrive while it is
        // written, so commits grow when writing is slow.
        if (!service.committing() || service.committed()) return true;
    }
    return true;
}

// Returns whether the next event of this client, if any, would probably delay the acks of other clients' events.
bool Server::Impl::keeps_acks_waiting(const service::Client* next) const {
    return next != nullptr &&
           (waiting_senders.includes_other_than(*next) || committing_senders.includes_other_than(*next)) &&
           events.usual_time(*next) >= long_event;
}

// Returns how many events a producer of this client may have unanswered. If all connections keep to their limits, their
// events fit the room for events, even when earlier connections got their limits while there were fewer connections.
std::uint32_t Server::Impl::credit_of(const service::Client& client) const {
    const std::size_t room = bytes_for_events(options) / 4 / open_connections;
    return static_cast<std::uint32_t>(std::min<std::size_t>(room / events.usual_bytes(client), 1'000'000));
}

bool Server::Impl::take_requests() {
    for (int i = 0; i < ingest_requests_per_turn && !service.stopping() && room_for_answers(); ++i) {
        if (events.empty()) requests_ahead = Clock::duration(0);
        if (!requests_turn()) return true;
        if (!control_thread.take(request, may_take_questions())) return false;
        handle_request();
    }
    return true;
}

bool Server::Impl::may_take_questions() const {
    return !service.answering() && (options.answer_runner || answer_thread.ready());
}

void Server::Impl::handle_request() {
    const Clock::time_point begin = Clock::now();
    const std::chrono::duration<double> uptime = begin - started;
    if (request.question) answered_client = request.sender;
    service.handle_control(request.client, zmq::bytes(request.message), uptime.count(), *request.sender);
    const Clock::duration time = Clock::now() - begin;
    control_thread.charge(*request.sender, time);
    requests_ahead += time;
}

// Ends an answer beside the loop if it takes too long, and charges its time to its client.
void Server::Impl::watch_answer() {
    if (answer_thread.running() > longest_answer)
        service.end_answer(Reason::oversized,
                           "the request took " + std::to_string(longest_answer.count()) +
                               " s of processor time, the limit of a request: ask about fewer points at a time");
    if (const IdleThread::Time used = answer_thread.take_time_used(); used > IdleThread::Time(0))
        control_thread.charge(*answered_client, used);
}

void Server::Impl::end_answer() noexcept {
    service.set_answer_runner({});
    service.end_answer(Reason::not_ready, "the engine is stopping and did not carry out the request");
    answer_thread.end();
}

void Server::Impl::send_released() {
    service.take(outbox);
    for (const Reply& each : outbox.ingest) counters.dropped_replies += !reply(ingest, each.client, each.message);
    for (const Outgoing& publication : outbox.publications) publish(publication);
    control_thread.send(outbox.control);
}

// Publishes without waiting: an XPUB drops messages that a slow subscriber has no room for.
void Server::Impl::publish(const Outgoing& publication) {
    ::zmq::message_t body = frame_of(publication.message);
    if (send_first(updates, publication.topic)) (void)send(updates, body);
}

void Server::Impl::close() noexcept {
    end_answer();
    control_thread.end();
    counters.dropped_messages += control_thread.counters().dropped_messages;
    counters.dropped_replies += control_thread.counters().dropped_replies;
    connections.stop();
    counters.surplus = connections.surplus();
    counters.oversubscribed = connections.oversubscribed();
    counters.endless = connections.endless();
    for (::zmq::socket_t* const socket : {&ingest, &updates, &control}) socket->close();
    if (gate) counters.rejected = gate->rejected();
    gate.reset();
}

Server::Server(service::Service& service, const ServerOptions& options, std::shared_ptr<Context> context)
    : impl_((check(options), std::make_unique<Impl>(service, options, std::move(context)))) {}

Server::~Server() = default;

const Endpoints& Server::endpoints() const noexcept {
    return impl_->bound;
}

void Server::run(const RecoveryHooks& recovery) {
    try {
        impl_->loop(recovery);
    } catch (...) {
        impl_->close();
        throw;
    }
    impl_->close();
}

void Server::request_stop() noexcept {
    static_assert(std::atomic<bool>::is_always_lock_free, "signal handlers may use no other");
    impl_->stop = true;
    impl_->wakeup.set();
    impl_->control_thread.expect_stop();
}

const ServerCounters& Server::counters() const noexcept {
    return impl_->counters;
}

}  // namespace fairstream::zmq
