/// Messages of producers: numbering, refusals and answers.

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include <fairstream/base/number_text.hpp>
#include <fairstream/base/printable.hpp>
#include <fairstream/log/running_hash.hpp>
#include <fairstream/service/detail/bounded_text.hpp>
#include <fairstream/service/detail/monitor_watch.hpp>
#include <fairstream/service/recorded_events.hpp>
#include <fairstream/service/service.hpp>
#include <fairstream/service/update_digest.hpp>

namespace fairstream::service {

namespace {

void check_producer(const std::string& producer) {
    if (producer == control_producer)
        throw InvalidInput(Reason::malformed,
                           "the producer name 'control' is reserved for the engine: choose another name");
}

void check_sender(const wire::Hello& hello) {
    check_producer(hello.producer);
}

/// Returns how far a time is ahead as text: in days if it is at least two days, otherwise in minutes.
std::string ahead_text(std::int64_t ahead) {
    constexpr std::int64_t minute = 60'000'000, day = 24 * 60 * minute;
    return ahead < 2 * day ? std::to_string(ahead / minute) + " minutes" : std::to_string(ahead / day) + " days";
}

/// Returns how far `time` is ahead of `now`, limited to the largest number.
std::int64_t ahead_of(std::int64_t now, std::int64_t time) {
    std::int64_t ahead = 0;
    return __builtin_sub_overflow(time, now, &ahead) ? std::numeric_limits<std::int64_t>::max() : ahead;
}

/// Returns whether features are scaled, clipped or replaced by their logarithms.
bool scales(const PrepareOptions& prepare) {
    return prepare.unit_rows || std::ranges::any_of(prepare.columns, [](const ColumnPreparation& column) {
               return column.scale != Scale::none || column.log || std::isfinite(column.at_least) ||
                      std::isfinite(column.at_most);
           });
}

// Throws unless the table of rules allows the sender this event.
void require_allowed(const Client& sender, const wire::IngestRequest& request) {
    const Rule& rule = rule_of(request);
    if (rule.internal)
        throw InvalidInput(Reason::malformed,
                           std::string(rule.message) + " is an internal event of the engine; clients may not send it");
    if (!includes(sender.rights, rule.needed))
        throw InvalidInput(Reason::not_allowed, "this client's key may not send " + std::string(rule.message) +
                                                    "; [security] in the engine's configuration gives rights");
}

template <class Numbered> void check_sender(const Numbered& event) {
    check_producer(event.producer);
    if (event.producer_sequence == 0) throw InvalidInput(Reason::malformed, "producer sequences begin with 1, not 0");
}

// Returns the producer and number of an unreadable event, if at least these can be read.
std::optional<wire::EventMark> mark_of_unreadable(const wire::AlignedMessage& message) {
    auto mark = wire::read_event_mark(message);
    try {
        if (mark) check_sender(*mark);
    } catch (const InvalidInput&) {
        mark.reset();
    }
    return mark;
}

void begin_activity(const Event& event, Sequence sequence, Board& board) {
    if (const auto* const knob = std::get_if<KnobChange>(&event)) {
        board.begin(Board::Work::knob, sequence, knob->model);
    } else if (const auto* const refinement = std::get_if<Refinement>(&event)) {
        board.begin(Board::Work::refinement, sequence, refinement->model);
    } else if (std::holds_alternative<PointBatch>(event) || std::holds_alternative<Outcomes>(event) ||
               std::holds_alternative<PointRemoval>(event)) {
        board.begin(Board::Work::batch, sequence);
    }
}

// Returns the default limit for times ahead of the clock. An event that is `max_age` ahead would make every retained
// point leave, including those of other producers. So the limit is at most a tenth of `max_age`, but at least a second.
std::int64_t most_ahead_by_default(const wire::WindowLimits& limits) {
    constexpr std::int64_t second = 1'000'000;
    return limits.max_age > 0 ? std::clamp(limits.max_age / 10, second, limits.most_ahead()) : limits.most_ahead();
}

}  // namespace

bool Service::may_send_as(const Client& sender, const std::string& producer) const {
    return !sender.may_send_as || sender.may_send_as(producer, producers_.owner(producer));
}

void Service::handle_ingest(std::string_view client, Bytes message, const Client& sender, std::uint32_t credit) {
    require_uninterrupted();
    credit_ = std::clamp<std::uint32_t>(credit, 1, settings_.credit);
    try {
        message_.assign(message);
    } catch (const InvalidInput& error) {
        return refuse(client, {{}, {}, error.reason(), bounded(error.what()), kept(message)});
    }
    wire::IngestRequest request;
    try {
        request = wire::read_ingest_request(message_);
        std::visit([](const auto& body) { check_sender(body); }, request);
    } catch (const InvalidInput& error) {
        return handle_unreadable(client, error, message, sender);
    }
    const std::string& producer =
        std::visit([](const auto& body) -> const std::string& { return body.producer; }, request);
    if (!may_send_as(sender, producer)) {
        return refuse(client, {{},
                               {},
                               Reason::not_allowed,
                               "this client's key may not send as producer '" + producer +
                                   "': [security] binds the key to another name or the name to another key, or "
                                   "another client already uses the name; choose another name (send --name)",
                               kept(message)});
    }
    if (const auto* const event = std::get_if<wire::EventMessage>(&request)) {
        handle(client, *event, sender);
    } else {
        handle(client, std::get<wire::Hello>(request), sender);
    }
}

// Refuses an unreadable event for its content if its number can be read. This uses the number up; otherwise the
// producer would be stuck.
void Service::handle_unreadable(std::string_view client, const InvalidInput& error, Bytes message,
                                const Client& sender) {
    const auto event = mark_of_unreadable(message_);
    if (!event || !may_send_as(sender, event->producer))
        return refuse(client, {{}, {}, error.reason(), bounded(error.what()), kept(message)});
    const ProducerMark mark{event->epoch, event->producer_sequence};
    const Origin origin{event->producer, sender.identity};
    if (!accepts_epoch(client, origin, mark.epoch) || !accepts_number(client, origin, mark)) return;
    refuse(client, {event->producer, mark, error.reason(), bounded(error.what()), kept(message)});
}

// Returns false for a new epoch that is more than a day ahead of the clock; then answers the client, and uses no number
// up. Such an epoch would block lower epochs, which clocks give, until the clock reaches it.
bool Service::accepts_epoch(std::string_view client, const Origin& origin, std::uint64_t epoch) {
    constexpr std::uint64_t day = std::uint64_t{24} * 60 * 60 * 1'000'000;
    if (!settings_.clock || producers_.newest_epoch(origin) >= epoch) return true;
    const auto now = static_cast<std::uint64_t>(std::max<std::int64_t>(settings_.clock(), 0));
    if (epoch <= now + day) return true;
    hold_back(client,
              wire::Nack{0, Reason::ahead_of_clock,
                         bounded("producer '" + std::string(origin.producer) + "': epoch " + std::to_string(epoch) +
                                 " is more than a day ahead of the engine's clock, " + std::to_string(now) +
                                 "; both are microseconds since 1970: check the sender's clock"),
                         0});
    return false;
}

// Throws `InvalidInput` (lost_events) unless the recording still has an event known to a client. If the running hash
// after it differs, or the recording ends earlier, events that had been on disk are lost.
void Service::require_known(const std::string& client, const wire::KnownEvent& event) {
    const std::uint64_t here = hashes_.after(event.sequence);
    const Sequence last = engine_.sequence();
    if (event.running_hash == 0) return;
    if (event.sequence <= last && (here == 0 || here == event.running_hash)) return;
    const std::string text = "events are missing from the recording: " + printable(client) + " knows of event " +
                             std::to_string(event.sequence) +
                             (event.sequence > last ? ", but the recording ends with event " + std::to_string(last)
                                                    : ", but the recording has different events up to that number") +
                             "; the recording may be an older copy";
    warn(++counters_.lost_events, text);
    throw InvalidInput(Reason::lost_events, text);
}

wire::WindowLimits Service::limits() const {
    const Window& window = engine_.window();
    const std::int64_t max_age = window.options().max_age;
    const bool has_time = max_age != 0 && window.now() != std::numeric_limits<std::int64_t>::min();
    wire::WindowLimits limits{max_age, has_time ? window.now() : 0, window.capacity()};
    if (settings_.clock)
        limits.ahead_at_most = settings_.ahead_at_most > 0 ? settings_.ahead_at_most : most_ahead_by_default(limits);
    return limits;
}

// Returns the answer to an event whose time is too far ahead of the clock. The answer names no number, which makes a
// producer of any version end. An answer with the number would refuse the event for good.
std::optional<wire::Nack> Service::refusal_if_ahead(const wire::EventMessage& event) {
    const auto* const batch = std::get_if<PointBatch>(&event.event);
    const std::int64_t limit = limits().ahead_at_most;
    if (batch == nullptr || limit == 0 || limit == wire::any_time_ahead) return std::nullopt;
    const std::int64_t now = settings_.clock();
    if (batch->event_time <= now || ahead_of(now, batch->event_time) <= limit) return std::nullopt;
    const std::string text =
        "the time of event " + std::to_string(event.producer_sequence) + " of producer '" + printable(event.producer) +
        "' is " + ahead_text(ahead_of(now, batch->event_time)) + " ahead of the engine's clock; at most " +
        ahead_text(limit) +
        " is allowed ([ingest] ahead_at_most); the event was not taken: send it again with another time";
    warn(++counters_.refused_ahead, text);
    return wire::Nack{0, Reason::ahead_of_clock, bounded(text), event.producer_sequence};
}

// Warns of an event whose time is ahead of the clock by more than the default limit (`most_ahead_by_default`), if
// points of the window expire or lose weight by time. Until the clock reaches the event's time, the window takes this
// time for the present, and current points count as older than they are.
void Service::warn_if_ahead(const wire::EventMessage& event) {
    const auto* const batch = std::get_if<PointBatch>(&event.event);
    const Window& window = engine_.window();
    const bool goes_by_time = window.options().max_age > 0 || window.options().half_life.time > 0;
    if (!settings_.clock || batch == nullptr || !goes_by_time || batch->event_time <= window.now()) return;
    const std::int64_t ahead = ahead_of(settings_.clock(), batch->event_time);
    if (ahead <= most_ahead_by_default(limits())) return;
    warn(++counters_.ahead, "the time of event " + std::to_string(engine_.sequence() + 1) + " of producer '" +
                                printable(event.producer) + "' is " + ahead_text(ahead) +
                                " ahead of this machine's clock: until the clock reaches this time, the window takes "
                                "this time as the present, so current points count as older than they are; to recover, "
                                "make a new recording from fairstream export --leave-out-ahead");
}

// Reports something to the operator, the `count`-th of its kind. Clients can cause any number of such reports, so only
// some of them reach the log.
void Service::log(const std::function<void(const std::string&)>& listener, std::uint64_t count,
                  const std::string& text) {
    constexpr std::uint64_t most_logged = 100;
    if (!listener || (count > most_logged && !std::has_single_bit(count))) return;
    listener(count < most_logged ? text
                                 : text + " [number " + std::to_string(count) +
                                       " of this kind; from now on only every doubling of the number is logged]");
}

void Service::report_change(const wire::EventMessage& event) {
    const std::string number = std::to_string(engine_.sequence()), by = " (" + printable(event.producer) + ")";
    if (const auto* const knob = std::get_if<KnobChange>(&event.event))
        log(settings_.inform, ++counters_.changes,
            printable(knob->model + "." + knob->option) + " = " + bounded(printable(knob->value)) + " from event " +
                number + " on" + by);
    else if (const auto* const refinement = std::get_if<Refinement>(&event.event))
        log(settings_.inform, ++counters_.changes,
            printable(refinement->model) + " was refined in event " + number + by);
}

void Service::report_monitor(const Update& update) {
    for (const MonitorNote& note : monitor_->notes(update))
        note.is_warning ? warn(++counters_.monitor_warnings, note.text)
                        : log(settings_.inform, ++counters_.monitor_notes, note.text);
}

void Service::handle(std::string_view client, const wire::Hello& hello, const Client& sender) {
    const Origin origin{hello.producer, sender.identity};
    if (!accepts_epoch(client, origin, hello.epoch)) return;
    try {
        require_allowed(sender, hello);
        // A producer that knows another recording sees from the answer that the recording changed.
        if (hello.known && hello.known->recording == id_)
            require_known("producer '" + hello.producer + "'", *hello.known);
    } catch (const InvalidInput& error) {
        return hold_back(client, wire::Nack{0, error.reason(), bounded(error.what()), 0});
    }
    if (hello.refused_up_to > 0) producers_.resume(origin, {hello.epoch, hello.refused_up_to});
    const std::uint64_t expected = producers_.expected(origin, hello.epoch);
    if (expected == 0) {
        hold_back(client, out_of_order(origin, {hello.epoch, 0}));
    } else {
        const Sequence known = hello.known ? hello.known->sequence : 0;
        hold_back(client, wire::Welcome{expected, engine_.options().format, message_limit_, known, limits(),
                                        settings_.reader_settings, scales(engine_.options().prepare)});
    }
}

void Service::handle(std::string_view client, const wire::EventMessage& event, const Client& sender) {
    const ProducerMark mark{event.epoch, event.producer_sequence};
    const Origin origin{event.producer, sender.identity};
    if (!accepts_epoch(client, origin, event.epoch) || !accepts_number(client, origin, mark)) return;
    std::optional<CheckedEvent> checked;
    try {
        require_allowed(sender, event);
        checked = engine_.check(event.event);
    } catch (const InvalidInput& error) {
        return refuse(client, {event.producer, mark, error.reason(), bounded(error.what()), kept(message_.bytes())});
    }
    if (auto nack = refusal_if_ahead(event)) return hold_back(client, std::move(*nack));
    warn_if_ahead(event);
    const Sequence sequence = engine_.sequence() + 1;
    const Window& window = engine_.window();
    const std::uint64_t late_so_far = window.arrivals().late;
    const auto* const batch = std::get_if<PointBatch>(&event.event);
    const std::int64_t time = batch != nullptr ? batch->event_time : 0;
    const EventCounts counts = ingest_and_record(event, *checked, message_, sender);
    wire::Ack ack{event.producer_sequence, sequence, hashes_.after(sequence)};
    ack.counts = counts;
    ack.late_points = window.arrivals().late - late_so_far;
    // A late event is older than now - max_age, so the difference does not overflow.
    if (ack.late_points > 0) {
        ack.late_before = window.now() - window.options().max_age;
        const double age = (static_cast<double>(window.now()) - static_cast<double>(time)) / 1e6;  // as double: no
                                                                                                   // overflow
        warn(++counters_.late, std::to_string(ack.late_points) + " of the points of event " + std::to_string(sequence) +
                                   " of producer '" + printable(event.producer) +
                                   "' came too late for the window and are not retained: they are " +
                                   number_text(std::floor(age)) + " s older than the newest event");
    }
    hold_back(client, ack);
}

// Returns whether `mark` is the expected one; answers the client when it is not.
bool Service::accepts_number(std::string_view client, const Origin& origin, const ProducerMark& mark) {
    switch (producers_.position_of(origin, mark)) {
        case MarkPosition::next:
            return true;
        case MarkPosition::duplicate:
            ++counters_.duplicates;
            held_.answers.push_back(
                {std::string(client), {}, std::string(origin.producer), std::string(origin.client), mark, credit_});
            return false;
        case MarkPosition::gap:
        case MarkPosition::stale_epoch:
            break;
    }
    hold_back(client, out_of_order(origin, mark));
    return false;
}

// Ingests and journals an event, which borrows from `message`; the journal takes over the message at the end. Returns
// the counts of the event's update.
EventCounts Service::ingest_and_record(const wire::EventMessage& event, const CheckedEvent& checked,
                                       wire::AlignedMessage& message, const Client& sender) {
    const std::size_t bytes = message.bytes().size();
    const Sequence sequence = engine_.sequence() + 1;
    EventCounts counts;
    run_or_fail("event " + std::to_string(sequence), [&] {
        begin_activity(event.event, sequence, board_);
        const Update& update = engine_.ingest(checked);
        counts = update.counts;
        board_.end();
        board_.note_ingested();
        const ProducerMark mark{event.epoch, event.producer_sequence};
        std::vector<std::byte> decisions;
        if (!update.decisions.empty()) decisions = write_decisions(update.decisions);
        const std::uint64_t hash = log::running_hash_after(hashes_.after(sequence - 1), sequence, event.producer, mark,
                                                           message.bytes(), decisions);
        hashes_.add(sequence, hash);
        publisher_.publish(engine_, update, hash, held_.publications);
        note_steps(update);
        count(event, bytes);
        report_change(event);
        report_monitor(update);
        if (std::holds_alternative<KnobChange>(event.event)) describe_models();
        for (RefusedNumber& each : producers_.accept({event.producer, sender.identity}, mark, sequence))
            journal_.refuse({event.producer,
                             {event.epoch, each.producer_sequence},
                             each.reason,
                             std::move(each.text),
                             {},
                             log::KeptParts::number,
                             each.order});
        const std::int64_t time = settings_.clock ? settings_.clock() : 0;
        Journal::EventRecord record{update.sequence,
                                    event.producer,
                                    sender.identity,
                                    mark,
                                    time,
                                    std::move(decisions),
                                    update_digest(engine_, update)};
        if (const auto* const expiry = std::get_if<ProducerExpiry>(&event.event)) {
            producers_.expire(*expiry);
            record.expiry = *expiry;
        }
        journal_.append(std::move(record), message);
    });
    expire_producers(sender);
    return counts;
}

// Ingests an event of the service itself, which is numbered, recorded and replayed like a producer's. Returns the
// counts of its update.
EventCounts Service::ingest_own_event(Event event) {
    const Origin origin{control_producer, {}};
    const std::uint64_t newest = producers_.newest_epoch(origin);
    const std::uint64_t epoch = producers_.expected(origin, newest) > 0 ? newest : newest + 1;
    const wire::EventMessage own{std::string(control_producer), epoch, producers_.expected(origin, epoch),
                                 std::move(event)};
    wire::AlignedMessage recorded(wire::write(wire::IngestRequest(own), encoder_));
    return ingest_and_record(own, engine_.check(own.event), recorded, {});
}

void Service::expire_producers(const Client& sender) {
    ProducerExpiry due = producers_.expiry_due(
        engine_.sequence(), {settings_.producer_idle_events, settings_.producers, sender.names, sender.identity});
    if (!due.names.empty()) ingest_own_event(std::move(due));
}

void Service::count(const wire::EventMessage& event, std::size_t bytes) {
    ++counters_.events;
    if (const auto* const batch = std::get_if<PointBatch>(&event.event)) counters_.points += batch->size();
    ++events_since_checkpoint_;
    bytes_since_checkpoint_ += bytes;
}

std::vector<std::byte> Service::kept(Bytes refused) const {
    const Bytes first = refused.first(std::min(refused.size(), refused_bytes_));
    return {first.begin(), first.end()};
}

void Service::refuse(std::string_view client, log::Refusal refusal) {
    warn(++counters_.refused,
         "refused a message" + (refusal.producer.empty() ? "" : " of producer '" + printable(refusal.producer) + "'") +
             ": " + printable(refusal.text));
    const std::uint64_t number = refusal.mark.producer_sequence;
    if (!refusal.producer.empty()) {
        if (!producers_.knows(refusal.producer)) refusal.kept_parts = log::KeptParts::message;
        producers_.refuse(refusal.producer, refusal.mark,
                          {number, refusal.reason, refusal.text, refused_before_ + counters_.refused});
    }
    hold_back(client, wire::Nack{number, refusal.reason, refusal.text, number == 0 ? 0 : number + 1});
    journal_.refuse(std::move(refusal));
}

wire::Nack Service::out_of_order(const Origin& origin, const ProducerMark& mark) {
    ++counters_.out_of_order;
    const std::string who =
        "producer '" + std::string(origin.producer) + "', epoch " + std::to_string(mark.epoch) + ": ";
    const std::uint64_t expected = producers_.expected(origin, mark.epoch);
    if (expected == 0) {
        const std::uint64_t newest = producers_.newest_epoch(origin);
        const char* const why =
            producers_.knows(origin.producer)
                ? "must be at least its newest epoch, "
                : "must be above the newest epoch of this client's producers that the engine has forgotten, ";
        return {mark.producer_sequence, Reason::stale_epoch, who + why + std::to_string(newest), 0, newest};
    }
    return {mark.producer_sequence, Reason::sequence_gap,
            who + "number " + std::to_string(mark.producer_sequence) + " came where " + std::to_string(expected) +
                " is expected",
            expected};
}

void Service::hold_back(std::string_view client, IngestBody body) {
    held_.answers.push_back({std::string(client), encode(std::move(body)), {}, {}, {}, 0});
}

SharedBytes Service::encode(IngestBody body) {
    return SharedBytes(wire::write(wire::IngestReply{id_, credit_, std::move(body), life_}, encoder_));
}

SharedBytes Service::answer_again(const Answer& duplicate) {
    const auto& [client, message, producer, identity, mark, credit] = duplicate;
    credit_ = credit;
    const Origin origin{producer, identity};
    const std::uint64_t expected = producers_.expected(origin, mark.epoch);
    if (const auto sequence = journal_.log().find_event(producer, mark)) {
        return encode(wire::Ack{mark.producer_sequence, *sequence, hashes_.after(*sequence)});
    }
    if (const auto refusal = journal_.log().find_refusal(producer, mark)) {
        return encode(wire::Nack{mark.producer_sequence, refusal->reason, refusal->text, expected});
    }
    if (expected == 0) return encode(out_of_order(origin, mark));  // the producer was forgotten meanwhile
    if (const RefusedNumber* const refused = producers_.find_refused(producer, mark))
        return encode(wire::Nack{mark.producer_sequence, refused->reason, refused->text, expected});
    // The number is too old for its producer to wait for an answer. If events were deleted, it counts as taken; if
    // every event is kept, it must have been refused.
    if (producers_.knows(producer) && journal_.log().first_sequence() > 1)
        return encode(wire::Ack{mark.producer_sequence, 0});
    return encode(wire::Nack{mark.producer_sequence, Reason::malformed, "the reason is no longer recorded", expected});
}

}  // namespace fairstream::service
