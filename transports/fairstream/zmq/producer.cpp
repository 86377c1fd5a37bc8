#include <fairstream/zmq/producer.hpp>

#include <algorithm>
#include <deque>
#include <utility>

#include <fairstream/wire/text_id.hpp>
#include <fairstream/zmq/detail/socket_native.hpp>

namespace fairstream::zmq {

namespace {

constexpr std::size_t refusals_kept = 10'000;

std::uint64_t clock_epoch() {
    const auto since_1970 = std::chrono::system_clock::now().time_since_epoch();
    return static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::microseconds>(since_1970).count());
}

ProducerOptions completed(ProducerOptions options) {
    if (options.security) check(*options.security);
    if (!options.context) options.context = std::make_shared<Context>();
    return options;
}

/// Queue limits: room for the window, and for events that a rewind sends again while their first copies still wait in
/// the socket.
QueueLimits queues(const ProducerWindow::Limits& limits) {
    constexpr std::size_t most = 1'000'000;
    return {.send = static_cast<int>(std::min(most, 2 * std::min(most, limits.messages) + 16)), .receive = 0};
}

}  // namespace

struct Producer::Impl {
    explicit Impl(ProducerOptions given)
        : options(completed(std::move(given))),
          window(options.unanswered, options.timing, Clock::now(),
                 {options.epoch == 0 ? clock_epoch() : options.epoch, options.epoch == 0}) {
        static_cast<void>(wire::write(hello(), encoder));  // throws for an invalid name
        open();
        transmit();
    }

    [[nodiscard]] wire::IngestRequest hello() const { return window.hello(options.name); }
    void open() {
        socket.close();
        socket = connected(*options.context, ::zmq::socket_type::dealer, options.endpoint, queues(options.unanswered),
                           options.security);
    }

    std::optional<std::uint64_t> add(const Event& event, Milliseconds timeout);
    [[nodiscard]] Event with_ids(const Event& event);
    [[nodiscard]] bool wait_until(Clock::time_point deadline, auto&& reached);
    void pump();
    void receive_all();
    void take_epoch();
    void transmit();
    [[nodiscard]] bool transmit(const ProducerWindow::Step& step);
    /// Throws `InvalidInput` (oversized) for an event longer than the engine takes.
    void require_taken(std::size_t bytes) const {
        const std::uint64_t limit = window.message_limit();
        if (limit == 0 || bytes <= limit) return;
        throw InvalidInput(Reason::oversized, "an event of " + std::to_string(bytes) +
                                                  " bytes is longer than the engine's limit, " + std::to_string(limit) +
                                                  ": send fewer points at a time");
    }
    void throw_failure() const {
        if (window.failure()) throw *window.failure();
    }

    ProducerOptions options;
    ProducerWindow window;
    ::zmq::socket_t socket;
    std::deque<::zmq::message_t> kept;  // unanswered events; kept[i] has number first_kept + i
    std::uint64_t first_kept = 1;
    bool blocked = false;  // the socket accepts no more for now
    wire::Encoder encoder;
    wire::AlignedMessage reply;
    std::vector<Refused> refused;
    std::vector<PointId> ids;  // numbers for the texts of the last event
};

// Encodes the waiting events again with the window's epoch.
void Producer::Impl::take_epoch() {
    wire::AlignedMessage message;
    for (::zmq::message_t& frame : kept) {
        message.assign(bytes(frame));
        auto event = std::get<wire::EventMessage>(wire::read_ingest_request(message));
        event.epoch = window.epoch();
        const wire::Bytes again = wire::write(event, encoder);
        frame.rebuild(again.data(), again.size());
    }
}

void Producer::Impl::receive_all() {
    ::zmq::message_t frame;
    while (const auto whole = receive(socket, {&frame, 1})) {
        if (!*whole) {
            window.on_unreadable();
            continue;
        }
        try {
            reply.assign(bytes(frame));
            const std::uint64_t epoch = window.epoch();
            window.on_reply(wire::read_ingest_reply(reply), Clock::now(), refused);
            if (window.epoch() != epoch) take_epoch();
        } catch (const InvalidInput&) {
            // An unreadable message. If it was a needed answer, the answer will soon be overdue, and is then requested
            // again.
            window.on_unreadable();
        }
    }
    for (; first_kept < window.first_unanswered(); ++first_kept) kept.pop_front();
    if (refused.size() > refusals_kept) {
        refused.erase(refused.begin(), refused.end() - static_cast<std::ptrdiff_t>(refusals_kept));
    }
}

/// Sends the message of `step`; returns false when the socket accepts no more for now.
bool Producer::Impl::transmit(const ProducerWindow::Step& step) {
    ::zmq::message_t frame;
    if (step.action == ProducerWindow::Action::event) {
        frame.copy(kept[step.producer_sequence - first_kept]);  // shares the bytes
        return zmq::send(socket, frame);
    }
    if (step.action == ProducerWindow::Action::reconnect) open();
    const wire::Bytes message = wire::write(hello(), encoder);
    frame.rebuild(message.data(), message.size());
    if (zmq::send(socket, frame)) return true;
    // The queue is full of events for a connection that is not established; they will be sent again.
    open();
    static_cast<void>(zmq::send(socket, frame));  // if that fails, too, the Hello is repeated like a lost one
    return true;
}

void Producer::Impl::transmit() {
    blocked = false;
    for (;;) {
        const auto now = Clock::now();
        const auto step = window.next(now);
        if (step.action == ProducerWindow::Action::none) return;
        blocked = !transmit(step);
        if (blocked) return;
        window.done(step, now);
    }
}

void Producer::Impl::pump() {
    receive_all();
    throw_failure();
    transmit();
}

/// Runs the protocol until `reached()` holds; returns false when the deadline passes first.
bool Producer::Impl::wait_until(Clock::time_point deadline, auto&& reached) {
    for (;;) {
        pump();
        if (reached()) return true;
        if (Clock::now() >= deadline) return false;
        ::zmq::pollitem_t item{socket.handle(), 0, static_cast<short>(blocked ? ZMQ_POLLIN | ZMQ_POLLOUT : ZMQ_POLLIN),
                               0};
        wait({&item, 1}, std::min(deadline, window.due()));
    }
}

/// Returns an event with text ids in the engine's form: with the texts' hashes as ids, or without ids for an engine
/// that numbers texts.
Event Producer::Impl::with_ids(const Event& event) {
    const bool hashes = !window.format() || !window.format()->numbers_texts();
    Event with_ids = event;
    const auto set_ids = [&](auto& of_points) {
        if constexpr (requires { of_points.id_texts; }) {
            if (of_points.id_texts.empty()) return;
            ids.clear();
            for (std::size_t i = 0; hashes && i < of_points.id_texts.size(); ++i)
                ids.push_back(wire::text_id(of_points.id_texts[i]));
            of_points.ids = ids;
        }
    };
    std::visit(set_ids, with_ids);
    return with_ids;
}

std::optional<std::uint64_t> Producer::Impl::add(const Event& event, Milliseconds timeout) {
    const auto deadline = deadline_after(timeout);
    // Waits before encoding, as long as the number of events leaves no room.
    if (!wait_until(deadline, [&] { return window.has_room(0); })) return std::nullopt;
    const std::uint64_t number = window.next_number();
    const wire::Bytes message = wire::write(
        wire::IngestRequest{wire::EventMessage{options.name, window.epoch(), number, with_ids(event)}}, encoder);
    ::zmq::message_t frame(message.data(), message.size());
    if (!window.has_room(frame.size()) && !wait_until(deadline, [&] { return window.has_room(frame.size()); })) {
        return std::nullopt;
    }
    require_taken(frame.size());
    window.add(frame.size(), Clock::now());
    kept.push_back(std::move(frame));
    transmit();
    return number;
}

Producer::Producer(ProducerOptions options) : impl_(std::make_unique<Impl>(std::move(options))) {}
Producer::~Producer() = default;
Producer::Producer(Producer&&) noexcept = default;
Producer& Producer::operator=(Producer&&) noexcept = default;

bool Producer::connect(Milliseconds timeout) {
    return impl_->wait_until(deadline_after(timeout), [&] { return impl_->window.format().has_value(); });
}

const std::optional<StreamFormat>& Producer::format() const noexcept {
    return impl_->window.format();
}

const files::ReaderSettings& Producer::reader_settings() const noexcept {
    return impl_->window.reader_settings();
}

bool Producer::engine_scales() const noexcept {
    return impl_->window.engine_scales();
}

const std::optional<wire::RecordingId>& Producer::recording() const noexcept {
    return impl_->window.recording();
}

std::optional<std::uint64_t> Producer::send(const PointBatch& batch, Milliseconds timeout) {
    return impl_->add(batch, timeout);
}

std::optional<std::uint64_t> Producer::send(const Outcomes& outcomes, Milliseconds timeout) {
    return impl_->add(outcomes, timeout);
}

std::optional<std::uint64_t> Producer::set_option(const KnobChange& change, Milliseconds timeout) {
    return impl_->add(change, timeout);
}

std::optional<std::uint64_t> Producer::refine(const Refinement& refinement, Milliseconds timeout) {
    return impl_->add(refinement, timeout);
}

void Producer::poll(Milliseconds timeout) {
    const std::size_t before = unanswered();
    static_cast<void>(impl_->wait_until(deadline_after(timeout), [&] { return unanswered() < before; }));
}

bool Producer::flush(Milliseconds timeout) {
    return impl_->wait_until(deadline_after(timeout), [&] { return unanswered() == 0; });
}

std::uint64_t Producer::message_limit() const noexcept {
    return impl_->window.message_limit();
}
const wire::WindowLimits& Producer::window_limits() const noexcept {
    return impl_->window.window_limits();
}
std::size_t Producer::unanswered() const noexcept {
    return impl_->window.unanswered();
}
std::uint64_t Producer::first_unanswered() const noexcept {
    return impl_->window.first_unanswered();
}
bool Producer::engine_ended() const noexcept {
    return impl_->window.engine_ended();
}
std::vector<Refused> Producer::take_refused() {
    return std::exchange(impl_->refused, {});
}
const ProducerStatistics& Producer::statistics() const noexcept {
    return impl_->window.statistics();
}
std::uint64_t Producer::epoch() const noexcept {
    return impl_->window.epoch();
}

}  // namespace fairstream::zmq
