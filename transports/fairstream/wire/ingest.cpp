/// The messages between a producer and the engine.

#include <fairstream/wire/detail/conversions.hpp>

namespace fairstream::wire {

using namespace detail;

namespace {

PointBatch read_batch(schema::PointBatch::Reader reader) {
    // The columns' lengths depend on the stream's format; the engine checks them, and names the expected shape.
    return {.ids = column<PointId>(reader.getIds(), "ids"),
            .features = column<float>(reader.getFeatures(), "features"),
            .groups = column<GroupId>(reader.getGroups(), "groups"),
            .targets = column<float>(reader.getTargets(), "targets"),
            .event_time = reader.getEventTime(),
            .weights = column<double>(reader.getWeights(), "weights"),
            .id_texts = texts(reader.getIdTexts(), reader.getIdTextEnds(), "texts of ids")};
}

ProducerExpiry read_expiry(schema::ProducerExpiry::Reader reader) {
    ProducerExpiry expiry{.last_sequence = reader.getLastSequence(), .removed = reader.getRemoved()};
    const auto names = reader.getNames();
    expiry.names.reserve(checked_count(names.size(), "producers"));
    for (const auto name : names) expiry.names.push_back(producer_name(name));
    const auto floors = reader.getFloors();
    expiry.floors.reserve(checked_count(floors.size(), "floors"));
    for (const auto floor : floors)
        expiry.floors.push_back({text(floor.getClient(), "client", 0, name_limit), floor.getEpoch()});
    return expiry;
}

void write_expiry(const ProducerExpiry& expiry, schema::ProducerExpiry::Builder out) {
    out.setLastSequence(expiry.last_sequence);
    out.setRemoved(expiry.removed);
    if (expiry.names.empty()) return;
    auto names = out.initNames(checked_count(expiry.names.size(), "producers"));
    for (unsigned i = 0; i < names.size(); ++i) names.set(i, checked_producer(expiry.names[i]));
    auto floors = out.initFloors(checked_count(expiry.floors.size(), "floors"));
    for (unsigned i = 0; i < floors.size(); ++i) {
        floors[i].setClient(checked(expiry.floors[i].client, "client", 0, name_limit));
        floors[i].setEpoch(expiry.floors[i].epoch);
    }
}

Event read_event(schema::Event::Reader reader) {
    switch (reader.which()) {
        case schema::Event::BATCH:
            return read_batch(reader.getBatch());
        case schema::Event::KNOB:
            return read_knob(reader.getKnob());
        case schema::Event::REFINEMENT:
            return read_refinement(reader.getRefinement());
        case schema::Event::EXPIRY:
            return read_expiry(reader.getExpiry());
        case schema::Event::OUTCOMES: {
            const auto outcomes = reader.getOutcomes();
            return Outcomes{column<PointId>(outcomes.getIds(), "ids"), column<float>(outcomes.getTargets(), "targets"),
                            texts(outcomes.getIdTexts(), outcomes.getIdTextEnds(), "texts of ids")};
        }
        case schema::Event::POINT_REMOVAL:
            return read_point_removal(reader.getPointRemoval());
    }
    unknown_kind("an event", static_cast<unsigned>(reader.which()));
}

void write_batch(const PointBatch& batch, schema::PointBatch::Builder out) {
    out.setIds(bytes_of(batch.ids, "ids"));
    out.setFeatures(bytes_of(batch.features, "features"));
    out.setGroups(bytes_of(batch.groups, "groups"));
    out.setTargets(bytes_of(batch.targets, "targets"));
    out.setEventTime(batch.event_time);
    if (!batch.weights.empty()) out.setWeights(bytes_of(batch.weights, "weights"));
    write_id_texts(batch.id_texts, out);
}

void write_event(const EventMessage& message, schema::Event::Builder out) {
    out.setProducer(checked_producer(message.producer));
    out.setEpoch(message.epoch);
    out.setProducerSequence(message.producer_sequence);
    std::visit(Overloaded{[&](const PointBatch& batch) { write_batch(batch, out.initBatch()); },
                          [&](const Outcomes& outcomes) {
                              auto to = out.initOutcomes();
                              to.setIds(bytes_of(outcomes.ids, "ids"));
                              to.setTargets(bytes_of(outcomes.targets, "targets"));
                              write_id_texts(outcomes.id_texts, to);
                          },
                          [&](const KnobChange& knob) { write_knob(knob, out.initKnob()); },
                          [&](const Refinement& refinement) { write_refinement(refinement, out.initRefinement()); },
                          [&](const ProducerExpiry& expiry) { write_expiry(expiry, out.initExpiry()); },
                          [&](const PointRemoval& removal) { write_point_removal(removal, out.initPointRemoval()); }},
               message.event);
}

}  // namespace

IngestRequest read_ingest_request(const AlignedMessage& message) {
    return decode<schema::IngestRequest>(message, [](schema::IngestRequest::Reader root) -> IngestRequest {
        switch (root.which()) {
            case schema::IngestRequest::HELLO: {
                const auto hello = root.getHello();
                return Hello{producer_name(hello.getProducer()), hello.getEpoch(), hello.getRefusedUpTo(),
                             hello.hasKnown() ? std::optional(read_known(hello.getKnown())) : std::nullopt};
            }
            case schema::IngestRequest::EVENT: {
                const auto event = root.getEvent();
                return EventMessage{producer_name(event.getProducer()), event.getEpoch(), event.getProducerSequence(),
                                    read_event(event)};
            }
        }
        unknown_kind("an ingest request", static_cast<unsigned>(root.which()));
    });
}

std::optional<EventMark> read_event_mark(const AlignedMessage& message) {
    try {
        return decode<schema::IngestRequest>(
            message, [](schema::IngestRequest::Reader root) -> std::optional<EventMark> {
                if (!root.isEvent()) return std::nullopt;
                const auto event = root.getEvent();
                return EventMark{producer_name(event.getProducer()), event.getEpoch(), event.getProducerSequence()};
            });
    } catch (const InvalidInput&) {
        return std::nullopt;
    }
}

IngestReply read_ingest_reply(const AlignedMessage& message) {
    return decode<schema::IngestReply>(message, [](schema::IngestReply::Reader root) {
        IngestReply reply{.recording = recording_id(root.getRecording()),
                          .credit = root.getCredit(),
                          .body = {},
                          .life = root.getLife()};
        switch (root.which()) {
            case schema::IngestReply::WELCOME: {
                const auto welcome = root.getWelcome();
                files::ReaderSettings settings;
                StreamFormat format = read_format(welcome.getFormat(), settings);
                reply.body = Welcome{welcome.getNextProducerSequence(),
                                     std::move(format),
                                     welcome.getMaxMessageBytes(),
                                     welcome.getKnownSequence(),
                                     WindowLimits{welcome.getMaxAge(), welcome.getLatestTime(), welcome.getCapacity(),
                                                  welcome.getAheadAtMost()},
                                     std::move(settings),
                                     welcome.getScales()};
                return reply;
            }
            case schema::IngestReply::ACK: {
                const auto ack = root.getAck();
                reply.body =
                    Ack{ack.getProducerSequence(), ack.getSequence(),
                        ack.getRunningHash(),      ack.getLatePoints(),
                        ack.getLateBefore(),       {ack.getNotRetained(), ack.getReplaced(), ack.getOutcomesDropped()}};
                return reply;
            }
            case schema::IngestReply::NACK:
                reply.body = read_nack(root.getNack());
                return reply;
            case schema::IngestReply::ENDING:
                reply.body = Ending{};
                return reply;
        }
        unknown_kind("an ingest reply", static_cast<unsigned>(root.which()));
    });
}

Bytes write(const IngestRequest& request, Encoder& encoder) {
    return encode<schema::IngestRequest>(encoder, [&](schema::IngestRequest::Builder root) {
        std::visit(Overloaded{[&](const Hello& hello) {
                                  auto out = root.initHello();
                                  out.setProducer(checked_producer(hello.producer));
                                  out.setEpoch(hello.epoch);
                                  out.setRefusedUpTo(hello.refused_up_to);
                                  if (hello.known) write_known(*hello.known, out.initKnown());
                              },
                              [&](const EventMessage& event) { write_event(event, root.initEvent()); }},
                   request);
    });
}

Bytes write(const IngestReply& reply, Encoder& encoder) {
    return encode<schema::IngestReply>(encoder, [&](schema::IngestReply::Builder root) {
        root.setRecording(bytes_of(reply.recording));
        root.setCredit(reply.credit);
        root.setLife(reply.life);
        std::visit(Overloaded{[&](const Welcome& welcome) {
                                  auto out = root.initWelcome();
                                  out.setNextProducerSequence(welcome.next_producer_sequence);
                                  write_format(welcome.format, welcome.reader_settings, out.initFormat());
                                  out.setMaxMessageBytes(welcome.max_message_bytes);
                                  out.setKnownSequence(welcome.known_sequence);
                                  out.setMaxAge(welcome.window_limits.max_age);
                                  out.setLatestTime(welcome.window_limits.latest_time);
                                  out.setCapacity(welcome.window_limits.capacity);
                                  out.setAheadAtMost(welcome.window_limits.ahead_at_most);
                                  out.setScales(welcome.scales);
                              },
                              [&](const Ack& ack) {
                                  auto out = root.initAck();
                                  out.setProducerSequence(ack.producer_sequence);
                                  out.setSequence(ack.sequence);
                                  out.setRunningHash(ack.running_hash);
                                  out.setLatePoints(ack.late_points);
                                  out.setLateBefore(ack.late_before);
                                  out.setNotRetained(ack.counts.not_retained);
                                  out.setReplaced(ack.counts.replaced);
                                  out.setOutcomesDropped(ack.counts.outcomes_dropped);
                              },
                              [&](const Nack& nack) { write_nack(nack, root.initNack()); },
                              [&](const Ending&) { root.setEnding(); }},
                   reply.body);
    });
}

}  // namespace fairstream::wire
