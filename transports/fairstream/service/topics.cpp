#include <fairstream/service/topics.hpp>

#include <algorithm>
#include <array>

#include <fairstream/options.hpp>

namespace fairstream::service {

namespace {

constexpr std::array<std::string_view, 4> kind_names{"labels", "fairness", "clusters", "front"};

// Every how many events a model's clusters are published: 1 while the centres are below 64 KiB.
std::uint64_t clusters_interval(const FairnessTally& tally, const StreamFormat& format) {
    constexpr std::uint64_t share = 64 << 10;
    const auto clusters = static_cast<std::uint64_t>(std::max(tally.clusters(), 0));
    return 1 + clusters * format.dimensions * sizeof(float) / share;
}

}  // namespace

void Topic::append(SharedBytes publication) {
    bytes_ += publication.size();
    ring_.push_back(std::move(publication));
    ++last_;
    while (ring_.size() > limits_.messages || bytes_ > limits_.bytes) {
        bytes_ -= ring_.front().size();
        ring_.pop_front();
    }
}

void Topic::resume(std::uint64_t last) {
    ring_.clear();
    bytes_ = 0;
    last_ = last;
}

Publisher::Publisher(const wire::RecordingId& recording, const EngineOptions& options, const RingLimits& limits)
    : recording_(recording), format_(options.format) {
    for (const ModelSetup& model : options.models) {
        models_.push_back(model.name);
        first_.push_back(topics_.size());
        for (const Kind kind : {label_topic, fairness_topic, cluster_topic, front_topic}) {
            if (kind == front_topic && !keeps_front(model.options)) continue;
            topics_.emplace_back(std::string(kind_names[kind]) + "." + model.name, limits);
            sources_.push_back({models_.size() - 1, kind});
        }
    }
}

void Publisher::publish(const Engine& engine, const Update& update, std::vector<Outgoing>& out) {
    for (std::size_t m = 0; m < update.models.size(); ++m) {
        const ModelUpdate& model = update.models[m];
        if (!model.changed) continue;
        Topic* const topics = &topics_[first_[m]];

        wire::Publication publication = next(topics[label_topic], update.sequence);
        const Changes<ClusterId>& changes = model.changes;
        publication.body = wire::LabelUpdate{changes.departed, changes.ids, changes.after, changes.provisional};
        send(topics[label_topic], publication, out);

        publication = next(topics[fairness_topic], update.sequence);
        publication.body = wire::fairness_report(model, format_);
        send(topics[fairness_topic], publication, out);

        if (!model.front.empty()) {
            publication = next(topics[front_topic], update.sequence);
            publication.body = wire::FrontReport{model.front};
            send(topics[front_topic], publication, out);
        }

        if (topics[fairness_topic].last() % clusters_interval(model.tally, format_) != 0) continue;
        publication = next(topics[cluster_topic], update.sequence);
        publication.body = wire::cluster_report(engine.report(model.model), format_);
        send(topics[cluster_topic], publication, out);
    }
}

wire::Publication Publisher::next(const Topic& topic, Sequence sequence) const {
    return {recording_, topic.name(), topic.last() + 1, sequence, {}};
}

void Publisher::send(Topic& topic, const wire::Publication& publication, std::vector<Outgoing>& out) {
    SharedBytes message;
    try {
        message = SharedBytes(wire::write(publication, encoder_));
    } catch (const InvalidInput& error) {
        if (error.reason() != Reason::oversized) throw;
        topic.resume(publication.topic_sequence);
        return;
    }
    topic.append(message);
    out.push_back({topic.name(), std::move(message)});
}

std::map<std::string, std::uint64_t> Publisher::marks() const {
    std::map<std::string, std::uint64_t> marks;
    for (const Topic& topic : topics_) marks.emplace(topic.name(), topic.last());
    return marks;
}

void Publisher::resume(const std::map<std::string, std::uint64_t>& marks) {
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

wire::Publication Publisher::snapshot(std::string_view name, const Engine& engine) {
    const std::size_t at = index(name);
    wire::Publication publication{recording_, topics_[at].name(), topics_[at].last(), engine.sequence(), {}};
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
    }
    return publication;
}

wire::LabelUpdate Publisher::all_labels(const Engine& engine, std::string_view model) {
    const std::span<const PointId> ids = engine.window().points().ids;
    const std::span<const ClusterId> labels = engine.labels(model);
    if (std::ranges::find(labels, no_cluster) == labels.end()) return {{}, ids, labels, {}};
    ids_.clear();
    labels_.clear();
    for (std::size_t slot = 0; slot < labels.size(); ++slot) {
        if (labels[slot] == no_cluster) continue;
        ids_.push_back(ids[slot]);
        labels_.push_back(labels[slot]);
    }
    return {{}, ids_, labels_, {}};
}

wire::Publication Publisher::status(const Engine& engine) const {
    wire::Status status;
    for (const Topic& topic : topics_) status.topics.push_back({topic.name(), topic.last()});
    status.retained = engine.window().size();
    return {recording_, "status", 0, engine.sequence(), std::move(status)};
}

}  // namespace fairstream::service
