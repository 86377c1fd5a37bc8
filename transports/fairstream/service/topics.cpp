#include <fairstream/service/topics.hpp>

#include <algorithm>
#include <array>

#include <fairstream/options.hpp>

namespace fairstream::service {

namespace {

constexpr std::array<std::string_view, 6> kind_names{"labels", "fairness", "clusters", "front", "scores", "fairness"};

// Returns the number of events per publication of a model's clusters: 1 while the centres are below 64 KiB.
std::uint64_t clusters_interval(const FairnessTally& tally, const StreamFormat& format) {
    constexpr std::uint64_t share = 64 << 10;
    const auto clusters = static_cast<std::uint64_t>(std::max(tally.clusters(), 0));
    return 1 + clusters * format.dimensions * sizeof(float) / share;
}

}  // namespace

void Topic::append(SharedBytes publication, std::uint64_t running_hash) {
    running_hash_ = running_hash;
    bytes_ += publication.size();
    ring_.push_back(std::move(publication));
    ++last_;
    while (ring_.size() > limits_.messages || bytes_ > limits_.bytes) {
        bytes_ -= ring_.front().size();
        ring_.pop_front();
    }
}

void Topic::resume(const recording::TopicMark& mark) {
    ring_.clear();
    bytes_ = 0;
    last_ = mark.number;
    running_hash_ = mark.running_hash;
}

Publisher::Publisher(const wire::RecordingId& recording, const EngineOptions& options, const RingLimits& limits)
    : recording_(recording), format_(options.format) {
    for (const ModelSetup& model : options.models) {
        models_.push_back(model.name);
        first_.push_back(topics_.size());
        const bool scores = gives_scores(model.options);
        for (const Kind kind :
             {label_topic, fairness_topic, cluster_topic, front_topic, score_topic, score_fairness_topic}) {
            if ((kind >= score_topic) != scores || (kind == front_topic && !keeps_front(model.options))) continue;
            topics_.emplace_back(std::string(kind_names[kind]) + "." + model.name, limits);
            sources_.push_back({models_.size() - 1, kind});
        }
    }
}

void Publisher::publish(const Engine& engine, const Update& update, std::uint64_t running_hash,
                        std::vector<Outgoing>& out) {
    running_hash_ = running_hash;
    for (std::size_t m = 0; m < update.models.size(); ++m) {
        const ModelUpdate& model = update.models[m];
        if (!model.changed) continue;
        Topic* const topics = &topics_[first_[m]];
        if (sources_[first_[m]].kind == score_topic)
            publish_scores(model, update.sequence, topics, out);
        else
            publish_clustering(engine, model, update.sequence, topics, out);
    }
}

void Publisher::publish_clustering(const Engine& engine, const ModelUpdate& update, Sequence sequence,
                                   Topic* const topics, std::vector<Outgoing>& out) {
    wire::Publication publication = next(topics[label_topic], sequence);
    const Changes<ClusterId>& changes = update.changes;
    publication.body = wire::LabelUpdate{changes.departed, changes.ids, changes.after, changes.provisional};
    send(topics[label_topic], publication, out);

    publication = next(topics[fairness_topic], sequence);
    publication.body = wire::fairness_report(update, format_);
    send(topics[fairness_topic], publication, out);

    if (!update.front.empty()) {
        publication = next(topics[front_topic], sequence);
        publication.body = wire::FrontReport{update.front};
        send(topics[front_topic], publication, out);
    }

    if (topics[fairness_topic].last() % clusters_interval(update.tally, format_) != 0) return;
    publication = next(topics[cluster_topic], sequence);
    publication.body = wire::cluster_report(engine.report(update.model), format_);
    send(topics[cluster_topic], publication, out);
}

void Publisher::publish_scores(const ModelUpdate& update, Sequence sequence, Topic* const topics,
                               std::vector<Outgoing>& out) {
    Topic &scores = topics[0], &fairness = topics[score_fairness_topic - score_topic];
    wire::Publication publication = next(scores, sequence);
    const Changes<Score>& changes = update.scores;
    publication.body = wire::ScoreUpdate{changes.departed, changes.ids, changes.after, changes.provisional};
    send(scores, publication, out);

    publication = next(fairness, sequence);
    publication.body = wire::score_fairness_report(update);
    send(fairness, publication, out);
}

wire::Publication Publisher::next(const Topic& topic, Sequence sequence) const {
    return {recording_, topic.name(), topic.last() + 1, sequence, {}, running_hash_, topic.running_hash()};
}

void Publisher::send(Topic& topic, const wire::Publication& publication, std::vector<Outgoing>& out) {
    SharedBytes message;
    try {
        message = SharedBytes(wire::write(publication, encoder_));
    } catch (const InvalidInput& error) {
        if (error.reason() != Reason::oversized) throw;
        topic.resume({publication.topic_sequence, running_hash_});
        return;
    }
    topic.append(message, running_hash_);
    out.push_back({topic.name(), std::move(message)});
}

std::map<std::string, recording::TopicMark> Publisher::marks() const {
    std::map<std::string, recording::TopicMark> marks;
    for (const Topic& topic : topics_)
        marks.emplace(topic.name(), recording::TopicMark{topic.last(), topic.running_hash()});
    return marks;
}

void Publisher::resume(const std::map<std::string, recording::TopicMark>& marks) {
    if (marks.size() != topics_.size()) {
        throw InvalidInput(Reason::bad_state, "the checkpoint numbers " + std::to_string(marks.size()) +
                                                  " topics; there are " + std::to_string(topics_.size()));
    }
    for (Topic& topic : topics_) {
        const auto mark = marks.find(topic.name());
        if (mark == marks.end())
            throw InvalidInput(Reason::bad_state, "the checkpoint lacks topic '" + topic.name() + "'");
        topic.resume(mark->second);
    }
}

std::size_t Publisher::index(std::string_view topic) const {
    const auto found = std::ranges::find(topics_, topic, &Topic::name);
    if (found != topics_.end()) return static_cast<std::size_t>(found - topics_.begin());
    std::string known;
    for (const Topic& each : topics_) known += (known.empty() ? "" : ", ") + each.name();
    throw InvalidInput(Reason::unknown_model, "no topic '" + std::string(topic) + "'; there are: " + known);
}

wire::Publication Publisher::snapshot(std::string_view name, const Engine& engine, std::uint64_t running_hash) {
    const std::size_t at = index(name);
    const Topic& topic = topics_[at];
    wire::Publication publication{recording_, topic.name(), topic.last(),        engine.sequence(),
                                  {},         running_hash, topic.running_hash()};
    const std::string& model = models_[sources_[at].model];
    switch (sources_[at].kind) {
        case label_topic:
            publication.body = all_labels(engine, model);
            break;
        case fairness_topic:
            publication.body = wire::fairness_report(engine.report(model), format_);
            break;
        case cluster_topic:
            publication.body = wire::cluster_report(engine.report(model), format_);
            break;
        case front_topic:
            publication.body = wire::FrontReport{engine.report(model).front};
            break;
        case score_topic:
            publication.body = all_scores(engine, model);
            break;
        case score_fairness_topic:
            publication.body = wire::score_fairness_report(engine.report(model));
            break;
    }
    return publication;
}

namespace {

// The columns of a snapshot: ids and outputs of the points that have an output. Copied only where some have none.
template <class T> struct Snapshot {
    std::span<const PointId> ids;
    std::span<const T> outputs;
};
template <class T> Snapshot<T> present(std::span<const PointId> ids, std::span<const T> outputs,
                                       std::vector<PointId>& kept_ids, std::vector<T>& kept) {
    if (std::ranges::find(outputs, absent<T>()) == outputs.end()) return {ids, outputs};
    kept_ids.clear();
    kept.clear();
    for (std::size_t slot = 0; slot < outputs.size(); ++slot) {
        if (outputs[slot] == absent<T>()) continue;
        kept_ids.push_back(ids[slot]);
        kept.push_back(outputs[slot]);
    }
    return {kept_ids, kept};
}

}  // namespace

wire::LabelUpdate Publisher::all_labels(const Engine& engine, std::string_view model) {
    const auto [ids, labels] = present(engine.window().points().ids, engine.labels(model), ids_, labels_);
    return {{}, ids, labels, {}};
}

wire::ScoreUpdate Publisher::all_scores(const Engine& engine, std::string_view model) {
    const auto [ids, scores] = present(engine.window().points().ids, engine.scores(model), ids_, scores_);
    return {{}, ids, scores, {}};
}

wire::Publication Publisher::status(const Engine& engine, std::uint64_t running_hash) const {
    wire::Status status;
    for (const Topic& topic : topics_) status.topics.push_back({topic.name(), topic.last(), topic.running_hash()});
    status.retained = engine.window().size();
    return {recording_, "status", 0, engine.sequence(), std::move(status), running_hash, 0};
}

}  // namespace fairstream::service
