#include <fairstream/server/detail/control_thread.hpp>

#include <algorithm>
#include <array>
#include <span>
#include <utility>

namespace fairstream::zmq {

namespace {

// Largest number of requests queued for the loop: for one connection, and for all. A client with one request at a time
// stays far below.
constexpr std::size_t waiting_of_connection = 64;
constexpr std::size_t waiting_of_all = 4096;
// Requests read before replies are sent again.
constexpr int control_requests_per_turn = 64;
// Longest wait for a stop before the service is interrupted; usual events and checkpoints end sooner.
constexpr std::chrono::seconds stop_grace_period{2};

}  // namespace

ControlThread::ControlThread(::zmq::socket_t& control, std::optional<Gate>& gate, const ClientList& clients,
                             Connections& connections, service::Service& service, Wakeup& loop,
                             std::size_t waiting_bytes)
    : control_(control),
      gate_(gate),
      clients_(clients),
      connections_(connections),
      service_(service),
      loop_(loop),
      waiting_bytes_(waiting_bytes) {}

ControlThread::~ControlThread() {
    end();
}

void ControlThread::begin() {
    thread_ = std::thread([this] { run(); });
}

bool ControlThread::take(Request& request, bool questions) {
    const std::scoped_lock lock(mutex_);
    auto next = requests_.pop([&](const Request& each) { return questions || !each.question; });
    if (!next) return false;
    request = std::move(*next);
    return true;
}

void ControlThread::charge(const service::Client& client, ShareQueue::Time time) {
    const std::scoped_lock lock(mutex_);
    requests_.charge(client, time);
}

void ControlThread::send(std::vector<service::Reply>& replies) {
    if (replies.empty()) return;
    {
        const std::scoped_lock lock(mutex_);
        std::ranges::move(replies, std::back_inserter(replies_));
    }
    replies.clear();
    wakeup_.set();
}

void ControlThread::expect_stop() noexcept {
    stop_expected_ = true;
    wakeup_.set();
}

void ControlThread::finish() {
    end();
    if (failure_) std::rethrow_exception(std::exchange(failure_, nullptr));
}

void ControlThread::end() noexcept {
    ending_ = true;
    wakeup_.set();
    if (thread_.joinable()) thread_.join();
}

void ControlThread::run() noexcept {
    try {
        while (!ending_) loop();
        send_replies();
    } catch (...) {
        failure_ = std::current_exception();
        failed_ = true;
        loop_.set();
    }
}

void ControlThread::loop() {
    std::array<::zmq::pollitem_t, 3> items{{{nullptr, wakeup_.file(), ZMQ_POLLIN, 0},
                                            {control_.handle(), 0, ZMQ_POLLIN, 0},
                                            {gate_ ? gate_->socket().handle() : nullptr, 0, ZMQ_POLLIN, 0}}};
    (void)zmq::wait(std::span(items).first(gate_ ? 3 : 2), interrupt_due_);
    wakeup_.clear();
    watch_stop();
    if (gate_) gate_->answer();
    send_replies();
    read_requests();
}

void ControlThread::watch_stop() {
    if (!stop_expected_) return;
    const Clock::time_point now = Clock::now();
    if (!std::exchange(stop_seen_, true)) interrupt_due_ = now + stop_grace_period;
    if (now < interrupt_due_) return;
    service_.interrupt();
    interrupt_due_ = Clock::time_point::max();
}

void ControlThread::send_replies() {
    {
        const std::scoped_lock lock(mutex_);
        std::swap(replies_, sending_);
    }
    for (const service::Reply& each : sending_)
        counters_.dropped_replies += !reply(control_, each.client, each.message);
    sending_.clear();
}

void ControlThread::read_requests() {
    for (int i = 0; i < control_requests_per_turn && receive(control_, incoming_); ++i) {
        if (!incoming_.valid) {
            ++counters_.dropped_messages;
            continue;
        }
        ::zmq::message_t& body = incoming_.frames[incoming_.delimited ? 2 : 1];
        const service::Client& sender = clients_.sender_of(body);
        connections_.note_message(body, sender);
        Request request{incoming_.client(), std::move(body), &sender};
        if (!answer_at_once(request)) queue(std::move(request));
    }
}

// Answers a request that does not need the server's loop. Returns false for any other message, and notes whether the
// message asks to label or score points.
bool ControlThread::answer_at_once(Request& received) {
    const std::string& client = received.client;
    try {
        aligned_.assign(bytes(received.message));
        const wire::ControlRequest request = wire::read_control_request(aligned_);
        if (!includes(received.sender->rights, service::rule_of(request).needed)) return false;
        received.question = service::Service::is_question(request);
        if (std::holds_alternative<wire::StopRequest>(request.body)) expect_stop();
        if (auto body = service_.answer_of_last_commit(request)) {
            answer(client, {request.request, service_.id(), std::move(*body)});
            return true;
        }
        if (!std::holds_alternative<wire::HealthRequest>(request.body)) return false;
        const std::chrono::duration<double> uptime = Clock::now() - started_;
        wire::Health health = service_.health(uptime.count());
        health.subscribers = connections_.subscribers();
        answer(client, {request.request, service_.id(), std::move(health)});
        return true;
    } catch (const InvalidInput&) {
        return false;  // the service refuses it with an error
    }
}

void ControlThread::queue(Request request) {
    std::vector<Request> surplus;
    {
        const std::scoped_lock lock(mutex_);
        if (requests_.messages_of(*request.sender, connection_of(request.client)) >= waiting_of_connection)
            surplus.push_back(std::move(request));
        else
            requests_.push(std::move(request));
        while (requests_.messages() > waiting_of_all ||
               (requests_.messages() > 1 && requests_.bytes() > waiting_bytes_))
            surplus.push_back(requests_.pop_surplus());
    }
    loop_.set();
    for (const Request& each : surplus) refuse(each.client, bytes(each.message));
}

void ControlThread::refuse(const std::string& client, wire::Bytes message) {
    std::uint64_t request = 0;
    try {
        aligned_.assign(message);
        request = wire::read_request_number(aligned_);
    } catch (const InvalidInput&) {
        // The answer to an unreadable request has the number 0.
    }
    const std::string activity = service_.health(0).activity;
    answer(client, {request, service_.id(),
                    wire::Nack{0, Reason::not_ready,
                               "too many requests wait for an answer" +
                                   (activity.empty() ? std::string() : " (the engine is " + activity + ")") +
                                   ": ask again later",
                               0}});
}

void ControlThread::answer(const std::string& client, const wire::ControlReply& body) {
    counters_.dropped_replies += !reply(control_, client, service::SharedBytes(wire::write(body, encoder_)));
}

}  // namespace fairstream::zmq
