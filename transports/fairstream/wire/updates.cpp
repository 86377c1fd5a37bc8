/// The engine's publications.

#include <limits>
#include <numeric>

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
template <> constexpr const char* columns_of<Memberships> = "memberships";

/// Reads the texts of an update's ids, of all or of none.
template <class Update> void read_id_texts(schema::OutputUpdate::Reader reader, Update& update) {
    update.id_texts = texts(reader.getIdTexts(), reader.getIdTextEnds(), "texts of ids");
    if (!update.id_texts.empty() && update.id_texts.size() != update.ids.size())
        malformed(std::to_string(update.id_texts.size()) + " texts for " + std::to_string(update.ids.size()) + " ids");
}

template <class T> OutputBody read_outputs(schema::OutputUpdate::Reader reader, capnp::Data::Reader outputs) {
    OutputUpdate<T> update{.departed = column<PointId>(reader.getDeparted(), "departed"),
                           .ids = column<PointId>(reader.getIds(), "ids"),
                           .outputs = column<T>(outputs, columns_of<T>),
                           .provisional = column<std::uint8_t>(reader.getProvisional(), "provisional")};
    read_id_texts(reader, update);
    check_columns(update.ids.size(), update.outputs.size(), columns_of<T>, update.provisional.size());
    return update;
}

OutputBody read_memberships(schema::OutputUpdate::Reader reader) {
    const schema::Memberships::Reader memberships = reader.getMemberships();
    const auto counts = column<std::uint16_t>(memberships.getCounts(), "numbers of clusters");
    const auto clusters = column<ClusterId>(memberships.getClusters(), "clusters");
    const auto probabilities = column<float>(memberships.getProbabilities(), "probabilities");
    MembershipUpdate update{.departed = column<PointId>(reader.getDeparted(), "departed"),
                            .ids = column<PointId>(reader.getIds(), "ids"),
                            .outputs = {},
                            .provisional = column<std::uint8_t>(reader.getProvisional(), "provisional")};
    read_id_texts(reader, update);
    check_columns(update.ids.size(), counts.size(), columns_of<Memberships>, update.provisional.size());
    if (std::accumulate(counts.begin(), counts.end(), std::size_t{0}) != clusters.size() ||
        clusters.size() != probabilities.size())
        malformed(std::to_string(clusters.size()) + " clusters of points, and " + std::to_string(probabilities.size()) +
                  " probabilities: not those that are counted");
    update.outputs.reserve(counts.size());
    std::size_t at = 0;
    for (const std::size_t count : counts) {
        Memberships& of_point = update.outputs.emplace_back();
        of_point.reserve(count);
        for (const std::size_t end = at + count; at < end; ++at) of_point.push_back({clusters[at], probabilities[at]});
    }
    return update;
}

OutputBody read_outputs(schema::OutputUpdate::Reader reader) {
    switch (reader.which()) {
        case schema::OutputUpdate::LABELS:
            return read_outputs<ClusterId>(reader, reader.getLabels());
        case schema::OutputUpdate::SCORES:
            return read_outputs<Score>(reader, reader.getScores());
        case schema::OutputUpdate::MEMBERSHIPS:
            return read_memberships(reader);
    }
    unknown_kind("an update", static_cast<unsigned>(reader.which()));
}

void write_columns(std::span<const ClusterId> labels, schema::OutputUpdate::Builder out) {
    out.setLabels(bytes_of(labels, columns_of<ClusterId>));
}

void write_columns(std::span<const Score> scores, schema::OutputUpdate::Builder out) {
    out.setScores(bytes_of(scores, columns_of<Score>));
}

void write_columns(const std::vector<Memberships>& points, schema::OutputUpdate::Builder out) {
    std::vector<std::uint16_t> counts;
    std::vector<ClusterId> clusters;
    std::vector<float> probabilities;
    for (const Memberships& of_point : points) {
        if (of_point.size() > std::numeric_limits<std::uint16_t>::max())
            throw InvalidInput(Reason::oversized, "a point has memberships in " + std::to_string(of_point.size()) +
                                                      " clusters: must be at most 65535");
        counts.push_back(static_cast<std::uint16_t>(of_point.size()));
        for (const Membership& membership : of_point) {
            clusters.push_back(membership.cluster);
            probabilities.push_back(membership.probability);
        }
    }
    schema::Memberships::Builder memberships = out.initMemberships();
    memberships.setCounts(bytes_of(std::span<const std::uint16_t>(counts), "numbers of clusters"));
    memberships.setClusters(bytes_of(std::span<const ClusterId>(clusters), "clusters"));
    memberships.setProbabilities(bytes_of(std::span<const float>(probabilities), "probabilities"));
}

template <class T> void write_outputs(const OutputUpdate<T>& update, schema::OutputUpdate::Builder out) {
    check_columns(update.ids.size(), update.outputs.size(), columns_of<T>, update.provisional.size());
    out.setDeparted(bytes_of(update.departed, "departed"));
    out.setIds(bytes_of(update.ids, "ids"));
    write_columns(update.outputs, out);
    out.setProvisional(bytes_of(update.provisional, "provisional"));
    if (!update.id_texts.empty() && update.id_texts.size() != update.ids.size())
        malformed(std::to_string(update.id_texts.size()) + " texts for " + std::to_string(update.ids.size()) + " ids");
    write_id_texts(update.id_texts, out);
}

Status read_status(schema::Status::Reader reader) {
    Status status{.topics = {},
                  .retained = reader.getRetained(),
                  .condition = read_condition(reader.getCondition()),
                  .ending = reader.getEnding()};
    const auto topics = reader.getTopics();
    status.topics.reserve(checked_count(topics.size(), "topics"));
    for (const auto mark : topics)
        status.topics.push_back({topic_name(mark.getTopic()), mark.getTopicSequence(), mark.getRunningHash()});
    return status;
}

void write_status(const Status& status, schema::Status::Builder out) {
    out.setRetained(status.retained);
    if (status.ending) out.setEnding(true);
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
        case schema::Publication::NETWORK:
            publication.body = read_network(reader.getNetwork());
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
                          [&](const MembershipUpdate& memberships) { write_outputs(memberships, out.initOutputs()); },
                          [&](const FairnessReport& fairness) { write_fairness(fairness, out.initFairness()); },
                          [&](const ClusterReport& clusters) { write_clusters(clusters, out.initClusters()); },
                          [&](const Status& status) { write_status(status, out.initStatus()); },
                          [&](const FrontReport& front) { write_front(front, out.initFront()); },
                          [&](const NetworkReport& network) { write_network(network, out.initNetwork()); }},
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
