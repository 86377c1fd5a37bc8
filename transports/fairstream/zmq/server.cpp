#include <fairstream/zmq/server.hpp>

#include <array>
#include <atomic>
#include <span>
#include <utility>

#include <fairstream/zmq/control_desk.hpp>
#include <fairstream/zmq/server_gate.hpp>
#include <fairstream/zmq/server_native.hpp>
#include <fairstream/zmq/socket_native.hpp>

namespace fairstream::zmq {

namespace {

namespace option = ::zmq::sockopt;
using service::Outgoing;
using service::Reply;

// Requests answered, and subscriptions read, before the loop looks at the other sockets again.
constexpr int requests_per_turn = 16;
// Size of the control answers that may wait for a commit; more requests are taken after it.
constexpr std::size_t held_answer_bytes = std::size_t{64} << 20;
constexpr int subscriptions_per_turn = 1000;
// Messages that may wait for and from one client. A producer's credit ends before its queues do; the few control
// answers that wait may be snapshots.
constexpr QueueLimits ingest_queues{.send = 1000, .receive = 128};
constexpr QueueLimits control_queues{.send = 64, .receive = 128};
// How long a closing socket goes on sending, so that the answer to a stop request arrives.
constexpr std::chrono::milliseconds linger{1000};

}  // namespace

struct Server::Impl {
    Impl(service::Service& serving, const ServerOptions& with, std::shared_ptr<Context> given);

    void loop();
    void serve_until_stopped();
    void close() noexcept;

    ::zmq::socket_t bind(::zmq::socket_type type, const std::string& endpoint, const QueueLimits& queues);
    void begin_commit();
    [[nodiscard]] bool room() const;
    [[nodiscard]] bool room_for_answers() const { return service.held_bytes() < held_answer_bytes; }
    void wait(bool at_once, bool full, Clock::time_point status_due);
    void read_subscriptions();
    [[nodiscard]] bool take_events();
    [[nodiscard]] bool take_requests();
    void handle_request();
    void send_released();
    void publish(const Outgoing& publication);

    service::Service& service;
    ServerOptions options;
    std::shared_ptr<Context> context;
    std::atomic<bool> stop = false;
    Wakeup wakeup;                   // set with `stop`, when a commit is through, and when a control request waits
    std::size_t waiting_events = 0;  // taken since the last commit began, and their bytes
    std::size_t waiting_bytes = 0;
    std::optional<Gate> gate;  // before the sockets it guards
    ::zmq::socket_t ingest, updates, control;
    Endpoints bound;
    ServerCounters counters;
    Clock::time_point started = Clock::now();
    Incoming incoming;
    ControlDesk::Request request;
    service::Outbox outbox;
    ControlDesk desk{control, gate, service, wakeup};  // after what it uses
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
        throw InvalidInput(Reason::bad_option, "endpoint '" + endpoints.ingest + "' is to be bound twice");
    if (endpoints.updates == endpoints.control && is_fixed(endpoints.updates))
        throw InvalidInput(Reason::bad_option, "endpoint '" + endpoints.updates + "' is to be bound twice");
    if (options.security) {
        check_key(options.security->secret_key, "the server's secret key");
        for (const std::string& client : options.security->clients) check_key(client, "the public key of a client");
    }
    const auto require = [](bool holds, const char* rule) {
        if (!holds) throw InvalidInput(Reason::bad_option, rule);
    };
    require(options.commit_events >= 1, "commit_events must be at least 1");
    require(options.commit_bytes >= 1, "commit_bytes must be at least 1");
    require(options.update_queue >= 1, "update_queue must be at least 1");
    require(options.status_interval.count() >= 1, "status_interval must be at least 1 ms");
}

Server::Impl::Impl(service::Service& serving, const ServerOptions& with, std::shared_ptr<Context> given)
    : service(serving), options(with), context(given ? std::move(given) : std::make_shared<Context>()) {
    if (options.security) gate.emplace(context->native().context, options.security->clients);
    ingest = bind(::zmq::socket_type::router, options.endpoints.ingest, ingest_queues);
    updates = bind(::zmq::socket_type::xpub, options.endpoints.updates, {.send = options.update_queue});
    control = bind(::zmq::socket_type::router, options.endpoints.control, control_queues);
    bound = {ingest.get(option::last_endpoint), updates.get(option::last_endpoint), control.get(option::last_endpoint)};
}

::zmq::socket_t Server::Impl::bind(::zmq::socket_type type, const std::string& endpoint, const QueueLimits& queues) {
    try {
        ::zmq::socket_t socket(context->native().context, type);
        set_common_options(socket, queues, endpoint);
        socket.set(option::linger, static_cast<int>(linger.count()));
        if (type == ::zmq::socket_type::router) socket.set(option::router_mandatory, true);
        if (options.security) {
            socket.set(option::curve_server, true);
            socket.set(option::curve_secretkey, options.security->secret_key);
            socket.set(option::zap_domain, Gate::domain);
        }
        socket.bind(endpoint);
        return socket;
    } catch (const ::zmq::error_t& error) {
        throw SocketError("cannot bind '" + endpoint + "': " + error.what());
    }
}

void Server::Impl::loop() {
    desk.begin();
    try {
        serve_until_stopped();
        if (!service.stopping()) service.finish();
    } catch (const Interrupted&) {
        service.finish();
        while (desk.take(request)) handle_request();  // who asked to stop waits for the answer
    }
    send_released();
    desk.finish();
}

void Server::Impl::serve_until_stopped() {
    Clock::time_point status_due = Clock::now();
    bool more_events = false, more_requests = false;  // whether a bound ended the last turn, not an empty socket
    while (!stop && !service.stopping() && !desk.failed()) {
        // While one commit is written the next one fills, and no more than that.
        const bool full = service.committing() && !room();
        const bool at_once = service.committing() ? more_requests && room_for_answers()
                                                  : more_events || more_requests || service.pending();
        wait(at_once, full, status_due);
        service.finish_commit();
        read_subscriptions();
        more_events = take_events();
        more_requests = take_requests();
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
}

bool Server::Impl::room() const {
    return waiting_events < options.commit_events && waiting_bytes < options.commit_bytes;
}

void Server::Impl::wait(bool at_once, bool full, Clock::time_point status_due) {
    std::array<::zmq::pollitem_t, 3> items{{{nullptr, wakeup.file(), ZMQ_POLLIN, 0},
                                            {updates.handle(), 0, ZMQ_POLLIN, 0},
                                            {ingest.handle(), 0, ZMQ_POLLIN, 0}}};
    // What there is no room for must not wake the loop up.
    (void)zmq::wait(std::span(items).first(full ? 2 : 3), at_once ? Clock::now() : status_due);
    if (!stop) wakeup.clear();
}

// Who subscribes to what is libzmq's business; but unread, its notes would pile up.
void Server::Impl::read_subscriptions() {
    std::array<::zmq::message_t, 1> frame;
    for (int i = 0; i < subscriptions_per_turn && zmq::receive(updates, frame); ++i) {
    }
}

// True when a bound was reached and more may be waiting.
bool Server::Impl::take_events() {
    while (room() && !stop && !desk.stop_expected()) {
        if (!receive(ingest, incoming)) return false;
        ++waiting_events;
        if (!incoming.valid) {
            ++counters.dropped_messages;
            continue;
        }
        waiting_bytes += incoming.body().size();
        service.handle_ingest(incoming.client(), zmq::bytes(incoming.body()));
        // The thread that writes is not kept waiting: what came so far is the next commit. While that is written more
        // will come, so commits are as large as writing is slow.
        if (!service.committing() || service.committed()) return true;
    }
    return true;
}

bool Server::Impl::take_requests() {
    for (int i = 0; i < requests_per_turn && !service.stopping() && room_for_answers(); ++i) {
        if (!desk.take(request)) return false;
        handle_request();
    }
    return true;
}

void Server::Impl::handle_request() {
    const std::chrono::duration<double> uptime = Clock::now() - started;
    service.handle_control(request.client, zmq::bytes(request.message), uptime.count());
}

void Server::Impl::send_released() {
    service.take(outbox);
    for (const Reply& each : outbox.ingest) counters.dropped_replies += !reply(ingest, each.client, each.message);
    for (const Outgoing& publication : outbox.publications) publish(publication);
    desk.send(outbox.control);
}

// An XPUB never waits: what a slow subscriber has no room for, it loses.
void Server::Impl::publish(const Outgoing& publication) {
    ::zmq::message_t body = frame_of(publication.message);
    if (send_first(updates, publication.topic)) (void)send(updates, body);
}

void Server::Impl::close() noexcept {
    desk.end();
    counters.dropped_messages += desk.counters().dropped_messages;
    counters.dropped_replies += desk.counters().dropped_replies;
    for (::zmq::socket_t* const socket : {&ingest, &updates, &control}) socket->close();
    if (gate) counters.turned_away = gate->turned_away();
    gate.reset();
}

Server::Server(service::Service& service, const ServerOptions& options, std::shared_ptr<Context> context)
    : impl_((check(options), std::make_unique<Impl>(service, options, std::move(context)))) {}

Server::~Server() = default;

const Endpoints& Server::endpoints() const noexcept {
    return impl_->bound;
}

void Server::run() {
    try {
        impl_->loop();
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
    impl_->desk.expect_stop();
}

const ServerCounters& Server::counters() const noexcept {
    return impl_->counters;
}

}  // namespace fairstream::zmq
