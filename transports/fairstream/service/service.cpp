#include <fairstream/service/service.hpp>

#include <algorithm>
#include <iterator>
#include <utility>

#include <fairstream/service/bounded_text.hpp>
#include <fairstream/service/replay.hpp>

namespace fairstream::service {

namespace {

void check_producer(const std::string& producer) {
    if (producer == control_producer) throw InvalidInput(Reason::malformed, "the producer name 'control' is reserved");
}

void check_sender(const wire::Hello& hello) {
    check_producer(hello.producer);
}

template <class Numbered> void check_sender(const Numbered& event) {
    check_producer(event.producer);
    if (event.producer_sequence == 0) throw InvalidInput(Reason::malformed, "producer sequences begin with 1, not 0");
}

// Whose event it is that could not be read, when at least that can be.
std::optional<wire::EventMark> sender_of_unreadable(const wire::AlignedMessage& message) {
    auto mark = wire::read_event_mark(message);
    try {
        if (mark) check_sender(*mark);
    } catch (const InvalidInput&) {
        mark.reset();
    }
    return mark;
}

std::vector<std::byte> copy(Bytes message) {
    return {message.begin(), message.end()};
}

}  // namespace

void check(const Settings& settings) {
    const auto require = [](bool holds, const char* rule) {
        if (!holds) throw InvalidInput(Reason::bad_option, rule);
    };
    require(settings.credit >= 1, "credit must be at least 1");
    require(settings.ring.bytes <= std::size_t{128} << 20,
            "ring.bytes must be at most 128 MiB: a range is one message");
    require(settings.checkpoint_events >= 1, "checkpoint_events must be at least 1");
    require(settings.checkpoint_bytes >= 1, "checkpoint_bytes must be at least 1");
}

// Runs what must not fail half way: whatever it throws ends the service.
template <class Action> void Service::must(std::string_view what, Action&& action) {
    try {
        std::forward<Action>(action)();
    } catch (const std::exception& error) {
        failed_ = true;
        throw ServiceFailure(std::string(what) + " failed: " + error.what());
    }
}

void Service::require_usable() const {
    if (failed_) throw ServiceFailure("the service has failed before: only a recovery can go on");
}

void Service::handle_ingest(std::string_view client, Bytes message) {
    require_usable();
    try {
        message_.assign(message);
    } catch (const InvalidInput& error) {
        return refuse(client, {{}, {}, error.reason(), bounded(error.what()), copy(message)});
    }
    wire::IngestRequest request;
    try {
        request = wire::read_ingest_request(message_);
        std::visit([](const auto& body) { check_sender(body); }, request);
    } catch (const InvalidInput& error) {
        return handle_unreadable(client, error, message);
    }
    if (const auto* const event = std::get_if<wire::EventMessage>(&request)) {
        handle(client, *event, message);
    } else {
        handle(client, std::get<wire::Hello>(request));
    }
}

// An event whose number can be read is refused for its content, and uses the number up; or its producer would be stuck.
void Service::handle_unreadable(std::string_view client, const InvalidInput& error, Bytes message) {
    const auto sender = sender_of_unreadable(message_);
    if (!sender) return refuse(client, {{}, {}, error.reason(), bounded(error.what()), copy(message)});
    const ProducerMark mark{sender->epoch, sender->producer_sequence};
    if (!expects(client, sender->producer, mark)) return;
    refuse(client, {sender->producer, mark, error.reason(), bounded(error.what()), copy(message)});
}

void Service::handle(std::string_view client, const wire::Hello& hello) {
    const std::uint64_t expected = producers_.expected(hello.producer, hello.epoch);
    if (expected == 0) {
        hold_back(client, out_of_order(hello.producer, {hello.epoch, 0}));
    } else {
        hold_back(client, wire::Welcome{expected, engine_.options().format});
    }
}

void Service::handle(std::string_view client, const wire::EventMessage& event, Bytes message) {
    const ProducerMark mark{event.epoch, event.producer_sequence};
    if (!expects(client, event.producer, mark)) return;
    try {
        engine_.check(event.event);
    } catch (const InvalidInput& error) {
        return refuse(client, {event.producer, mark, error.reason(), bounded(error.what()), copy(message)});
    }
    take_in(event, message);
    hold_back(client, wire::Ack{event.producer_sequence, engine_.sequence()});
}

// Whether `mark` is next; answers the client when it is not.
bool Service::expects(std::string_view client, const std::string& producer, const ProducerMark& mark) {
    switch (producers_.place(producer, mark)) {
        case Place::next:
            return true;
        case Place::duplicate:
            ++counters_.duplicates;
            answers_.push_back({std::string(client), {}, producer, mark});
            return false;
        case Place::gap:
        case Place::stale_epoch:
            break;
    }
    hold_back(client, out_of_order(producer, mark));
    return false;
}

void Service::take_in(const wire::EventMessage& event, Bytes message) {
    const Sequence sequence = engine_.sequence() + 1;
    must("event " + std::to_string(sequence), [&] {
        const ProducerMark mark{event.epoch, event.producer_sequence};
        uncommitted_ = true;
        recording_.append(sequence, event.producer, mark, message);
        const Update& update = engine_.ingest(event.event);
        if (!update.decisions.empty()) recording_.attach_decisions(sequence, write_decisions(update.decisions));
        publisher_.publish(engine_, update, publications_);
        producers_.advance(event.producer, mark);
    });
    count(event, message);
}

void Service::count(const wire::EventMessage& event, Bytes message) {
    ++counters_.events;
    if (const auto* const batch = std::get_if<PointBatch>(&event.event)) counters_.points += batch->size();
    ++events_since_checkpoint_;
    bytes_since_checkpoint_ += message.size();
}

void Service::refuse(std::string_view client, const recording::Refusal& refusal) {
    must("recording a refusal", [&] {
        uncommitted_ = true;
        recording_.refuse(refusal);
        if (!refusal.producer.empty()) producers_.advance(refusal.producer, refusal.mark);
    });
    ++counters_.refused;
    const std::uint64_t number = refusal.mark.producer_sequence;
    hold_back(client, wire::Nack{number, refusal.reason, refusal.text, number == 0 ? 0 : number + 1});
}

wire::Nack Service::out_of_order(std::string_view producer, const ProducerMark& mark) {
    ++counters_.out_of_order;
    const std::string who = "producer '" + std::string(producer) + "', epoch " + std::to_string(mark.epoch) + ": ";
    const std::uint64_t expected = producers_.expected(producer, mark.epoch);
    if (expected == 0) {
        const std::string newest = std::to_string(producers_.newest_epoch(producer));
        return {mark.producer_sequence, Reason::stale_epoch, who + "below its newest epoch, " + newest, 0};
    }
    return {mark.producer_sequence, Reason::sequence_gap,
            who + "number " + std::to_string(mark.producer_sequence) + " came where " + std::to_string(expected) +
                " is expected",
            expected};
}

void Service::hold_back(std::string_view client, IngestBody body) {
    answers_.push_back({std::string(client), encode(std::move(body)), {}, {}});
}

SharedBytes Service::encode(IngestBody body) {
    return SharedBytes(wire::write(wire::IngestReply{recording_.id(), settings_.credit, std::move(body)}, encoder_));
}

SharedBytes Service::answer_again(const Answer& duplicate) {
    const auto& [client, message, producer, mark] = duplicate;
    const std::uint64_t expected = producers_.expected(producer, mark.epoch);
    if (const auto sequence = recording_.find_event(producer, mark)) {
        return encode(wire::Ack{mark.producer_sequence, *sequence});
    }
    if (const auto refusal = recording_.find_refusal(producer, mark)) {
        return encode(wire::Nack{mark.producer_sequence, refusal->reason, refusal->text, expected});
    }
    // Far older than anything a producer can still wait for. Where every event is kept, it was not taken.
    if (recording_.first_sequence() > 1) return encode(wire::Ack{mark.producer_sequence, 0});
    return encode(
        wire::Nack{mark.producer_sequence, Reason::malformed, "it was refused; why is no longer known", expected});
}

bool Service::pending() const noexcept {
    return uncommitted_ || !answers_.empty() || recording_.checkpoint_pending();
}

void Service::commit() {
    require_usable();
    if (!pending()) return;
    must("the commit", [&] {
        recording_.commit();
        ++counters_.commits;
        uncommitted_ = false;
        release();
        if (checkpoint_due() && !recording_.checkpoint_pending()) begin_checkpoint();
    });
}

bool Service::checkpoint_due() const noexcept {
    return events_since_checkpoint_ >= settings_.checkpoint_events ||
           bytes_since_checkpoint_ >= settings_.checkpoint_bytes;
}

void Service::release() {
    for (Answer& answer : answers_) {
        const bool duplicate = answer.message.size() == 0;
        released_.ingest.push_back(
            {std::move(answer.client), duplicate ? answer_again(answer) : std::move(answer.message)});
    }
    answers_.clear();
    std::ranges::move(publications_, std::back_inserter(released_.publications));
    publications_.clear();
}

void Service::begin_checkpoint() {
    recording_.begin_checkpoint({engine_.sequence(), engine_.save(), publisher_.marks()});
    ++counters_.checkpoints;
    checkpointed_ = engine_.sequence();
    events_since_checkpoint_ = 0;
    bytes_since_checkpoint_ = 0;
}

void Service::finish() {
    commit();
    must("the last checkpoint", [&] {
        if (checkpointed_ != engine_.sequence()) begin_checkpoint();
        recording_.finish_checkpoint();
    });
}

void Service::take(Outbox& out) {
    out.clear();
    std::swap(out, released_);
}

Outgoing Service::status() {
    commit();
    const wire::Publication status = publisher_.status(engine_);
    return {"status", SharedBytes(wire::write(status, encoder_))};
}

}  // namespace fairstream::service
