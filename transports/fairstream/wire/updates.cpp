/// The engine's publications.

#include <limits>
#include <numeric>

#include <fairstream/wire/detail/conversions.hpp>

namespace fairstream::wire {

using namespace detail;

namespace {

/// Throws unless all columns have as many points as there are ids; marks and texts may be absent.
template <class T> void check_columns(const OutputUpdate<T>& update) {
    const auto check = [ids = update.ids.size()](std::size_t size, const std::string& kind) {
        if (size != ids) malformed(std::to_string(ids) + " ids but " + std::to_string(size) + " " + kind);
    };
    check(update.outputs.size(), PointOutput<T>::name);
    if (!update.provisional.empty()) check(update.provisional.size(), "provisional marks");
    if (!update.id_texts.empty()) check(update.id_texts.size(), "texts");
}

/// Reads the outputs of an update. Outputs that are numbers are the column of the same name.
template <class T> typename PointOutput<T>::Column read_column(capnp::DynamicStruct::Reader reader) {
    constexpr const char* name = PointOutput<T>::name;
    if constexpr (!std::same_as<T, Memberships>) {
        return column<T>(reader.get(name).as<capnp::Data>(), name);
    } else {
        const auto memberships = reader.get(name).as<schema::Memberships>();
        const auto counts = column<std::uint16_t>(memberships.getCounts(), "numbers of clusters");
        const auto clusters = column<ClusterId>(memberships.getClusters(), "clusters");
        const auto probabilities = column<float>(memberships.getProbabilities(), "probabilities");
        if (std::accumulate(counts.begin(), counts.end(), std::size_t{0}) != clusters.size() ||
            clusters.size() != probabilities.size())
            malformed(std::to_string(clusters.size()) + " clusters of points, and " +
                      std::to_string(probabilities.size()) +
                      " probabilities, which differs from the numbers of clusters");
        std::vector<Memberships> points;
        points.reserve(counts.size());
        std::size_t at = 0;
        for (const std::size_t count : counts) {
            Memberships& of_point = points.emplace_back();
            of_point.reserve(count);
            for (const std::size_t end = at + count; at < end; ++at)
                of_point.push_back({clusters[at], probabilities[at]});
        }
        return points;
    }
}

template <class T> OutputUpdate<T> read_outputs_of(schema::OutputUpdate::Reader reader) {
    OutputUpdate<T> update{.departed = column<PointId>(reader.getDeparted(), "departed"),
                           .ids = column<PointId>(reader.getIds(), "ids"),
                           .outputs = read_column<T>(reader),
                           .provisional = column<std::uint8_t>(reader.getProvisional(), "provisional"),
                           .id_texts = texts(reader.getIdTexts(), reader.getIdTextEnds(), "texts of ids")};
    check_columns(update);
    return update;
}

decltype(Publication::body) read_outputs(schema::OutputUpdate::Reader reader) {
    decltype(Publication::body) body;
    visit_outputs(reader, "an update", [&]<class T>() { body = read_outputs_of<T>(reader); });
    return body;
}

template <class T> void write_column(std::span<const T> outputs, capnp::DynamicStruct::Builder out) {
    out.set(PointOutput<T>::name, bytes_of(outputs, PointOutput<T>::name));
}

void write_column(const std::vector<Memberships>& points, schema::OutputUpdate::Builder out) {
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
    check_columns(update);
    out.setDeparted(bytes_of(update.departed, "departed"));
    out.setIds(bytes_of(update.ids, "ids"));
    write_column(update.outputs, out);
    out.setProvisional(bytes_of(update.provisional, "provisional"));
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
    std::visit(Overloaded{[&]<class T>(const OutputUpdate<T>& outputs) { write_outputs(outputs, out.initOutputs()); },
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
