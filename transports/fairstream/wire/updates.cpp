/// The engine's publications.

#include <fairstream/wire/detail/conversions.hpp>

namespace fairstream::wire {

using namespace detail;

namespace {

void check_columns(std::size_t ids, std::size_t outputs, const char* kind, std::size_t provisional) {
    if (outputs != ids) malformed(std::to_string(ids) + " ids but " + std::to_string(outputs) + " " + kind);
    if (provisional != 0 && provisional != ids)
        malformed(std::to_string(ids) + " ids but " + std::to_string(provisional) + " provisional marks");
}

using OutputBody = decltype(Publication::body);

template <class T> constexpr const char* columns_of = std::same_as<T, Score> ? "scores" : "labels";

template <class T> OutputBody read_outputs(schema::OutputUpdate::Reader reader, capnp::Data::Reader outputs) {
    const OutputUpdate<T> update{.departed = column<PointId>(reader.getDeparted(), "departed"),
                                 .ids = column<PointId>(reader.getIds(), "ids"),
                                 .outputs = column<T>(outputs, columns_of<T>),
                                 .provisional = column<std::uint8_t>(reader.getProvisional(), "provisional")};
    check_columns(update.ids.size(), update.outputs.size(), columns_of<T>, update.provisional.size());
    return update;
}

OutputBody read_outputs(schema::OutputUpdate::Reader reader) {
    switch (reader.which()) {
        case schema::OutputUpdate::LABELS:
            return read_outputs<ClusterId>(reader, reader.getLabels());
        case schema::OutputUpdate::SCORES:
            return read_outputs<Score>(reader, reader.getScores());
    }
    unknown_kind("an update", static_cast<unsigned>(reader.which()));
}

template <class T> void write_outputs(const OutputUpdate<T>& update, schema::OutputUpdate::Builder out) {
    check_columns(update.ids.size(), update.outputs.size(), columns_of<T>, update.provisional.size());
    out.setDeparted(bytes_of(update.departed, "departed"));
    out.setIds(bytes_of(update.ids, "ids"));
    if constexpr (std::same_as<T, ClusterId>)
        out.setLabels(bytes_of(update.outputs, columns_of<T>));
    else
        out.setScores(bytes_of(update.outputs, columns_of<T>));
    out.setProvisional(bytes_of(update.provisional, "provisional"));
}

Status read_status(schema::Status::Reader reader) {
    Status status{.topics = {}, .retained = reader.getRetained(), .condition = read_condition(reader.getCondition())};
    const auto topics = reader.getTopics();
    status.topics.reserve(checked_count(topics.size(), "topics"));
    for (const auto mark : topics)
        status.topics.push_back({topic_name(mark.getTopic()), mark.getTopicSequence(), mark.getRunningHash()});
    return status;
}

void write_status(const Status& status, schema::Status::Builder out) {
    out.setRetained(status.retained);
    if (status.condition != Condition{}) write_condition(status.condition, out.initCondition());
    auto topics = out.initTopics(checked_count(status.topics.size(), "topics"));
    for (unsigned t = 0; t < topics.size(); ++t) {
        topics[t].setTopic(checked_topic(status.topics[t].topic));
        topics[t].setTopicSequence(status.topics[t].topic_sequence);
        topics[t].setRunningHash(status.topics[t].running_hash);
    }
}

}  // namespace

Publication detail::read_publication(schema::Publication::Reader reader) {
    Publication publication{.recording = recording_id(reader.getRecording()),
                            .topic = topic_name(reader.getTopic()),
                            .topic_sequence = reader.getTopicSequence(),
                            .sequence = reader.getSequence(),
                            .body = {},
                            .running_hash = reader.getRunningHash(),
                            .previous_hash = reader.getPreviousHash()};
    switch (reader.which()) {
        case schema::Publication::OUTPUTS:
            publication.body = read_outputs(reader.getOutputs());
            return publication;
        case schema::Publication::FAIRNESS:
            publication.body = read_fairness(reader.getFairness());
            return publication;
        case schema::Publication::CLUSTERS:
            publication.body = read_clusters(reader.getClusters());
            return publication;
        case schema::Publication::STATUS:
            publication.body = read_status(reader.getStatus());
            return publication;
        case schema::Publication::FRONT:
            publication.body = read_front(reader.getFront());
            return publication;
    }
    unknown_kind("a publication", static_cast<unsigned>(reader.which()));
}

void detail::write_publication(const Publication& publication, schema::Publication::Builder out) {
    out.setRecording(bytes_of(publication.recording));
    out.setTopic(checked_topic(publication.topic));
    out.setTopicSequence(publication.topic_sequence);
    out.setSequence(publication.sequence);
    out.setRunningHash(publication.running_hash);
    out.setPreviousHash(publication.previous_hash);
    std::visit(Overloaded{[&](const LabelUpdate& labels) { write_outputs(labels, out.initOutputs()); },
                          [&](const ScoreUpdate& scores) { write_outputs(scores, out.initOutputs()); },
                          [&](const FairnessReport& fairness) { write_fairness(fairness, out.initFairness()); },
                          [&](const ClusterReport& clusters) { write_clusters(clusters, out.initClusters()); },
                          [&](const Status& status) { write_status(status, out.initStatus()); },
                          [&](const FrontReport& front) { write_front(front, out.initFront()); }},
               publication.body);
}

Publication read_publication(const AlignedMessage& message) {
    return decode<schema::Publication>(message,
                                       [](schema::Publication::Reader root) { return detail::read_publication(root); });
}

Bytes write(const Publication& publication, Encoder& encoder) {
    return encode<schema::Publication>(
        encoder, [&](schema::Publication::Builder root) { write_publication(publication, root); });
}

}  // namespace fairstream::wire
