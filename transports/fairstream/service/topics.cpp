#include <fairstream/service/topics.hpp>

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include <fairstream/options.hpp>

namespace fairstream::service {

namespace {

using Body = decltype(wire::Publication::body);
using Kept = std::shared_ptr<const void>;  // what a snapshot borrows

bool clusters_points(const ModelOptions& options) {
    return gives_outputs(options) && !gives_numbers(options);
}

// Returns the number of events per publication of a model's clusters: 1 while the centres are below 64 KiB.
std::uint64_t clusters_interval(const FairnessTally& tally, std::uint32_t dimensions) {
    constexpr std::uint64_t share = 64 << 10;
    const auto clusters = static_cast<std::uint64_t>(std::max(tally.clusters(), 0));
    return 1 + clusters * dimensions * sizeof(float) / share;
}

template <class T>
std::optional<Body> changed_outputs(const Engine&, const ModelUpdate& update, std::uint64_t /*event*/) {
    const auto& changes = std::get<Changes<T>>(update.changes);
    return wire::OutputUpdate<T>{changes.departed, changes.ids, changes.after, changes.provisional};
}

// Returns the ids and outputs of the points that have an output. Copied, into `kept`, only where some have none.
template <class T> Body all_outputs(const Engine& engine, std::span<const T> outputs, Kept& kept) {
    const std::span<const PointId> ids = engine.window().points().ids;
    if (std::ranges::find(outputs, absent<T>()) == outputs.end()) return wire::OutputUpdate<T>{{}, ids, outputs, {}};
    const auto present = std::make_shared<std::pair<std::vector<PointId>, std::vector<T>>>();
    for (std::size_t slot = 0; slot < outputs.size(); ++slot) {
        if (outputs[slot] == absent<T>()) continue;
        present->first.push_back(ids[slot]);
        present->second.push_back(outputs[slot]);
    }
    kept = present;
    return wire::OutputUpdate<T>{{}, present->first, present->second, {}};
}

// Intervals take much longer than an event that only brings points, and move little by it: they come with steps.
std::optional<Body> changed_fairness(const Engine& engine, const ModelUpdate& update, std::uint64_t /*event*/) {
    wire::FairnessReport report = wire::fairness_report(update, engine.options().format);
    if (auto* const scores = std::get_if<ScoreFairness>(&report.fairness); scores && update.stepped)
        scores->intervals = engine.report(update.model).score_fairness().intervals;
    return report;
}

Body all_clusters(const Engine& engine, std::string_view model, Kept&) {
    return wire::cluster_report(engine.report(model), engine.window().dimensions());
}

std::optional<Body> clusters_when_due(const Engine& engine, const ModelUpdate& update, std::uint64_t event) {
    if (event % clusters_interval(update.tally(), engine.window().dimensions()) != 0) return std::nullopt;
    return wire::cluster_report(engine.report(update.model), engine.window().dimensions());
}

// Returns the memberships of the point in a slot that are at least so probable.
wire::Memberships memberships_of(std::span<const float> rows, std::size_t clusters, Slot slot, float at_least) {
    wire::Memberships memberships;
    for (std::size_t l = 0; l < clusters; ++l)
        if (const float probability = rows[slot * clusters + l]; probability >= at_least)
            memberships.push_back({static_cast<ClusterId>(l), probability});
    return memberships;
}

// What rounds to nothing in whole per cent is left out of an update, which bounds its size: a point has no more than
// 200 others.
std::optional<Body> changed_memberships(const Engine& engine, const ModelUpdate& update, std::uint64_t /*event*/) {
    constexpr float least_published = 0.005F;
    const std::vector<PointId>& ids = update.rows_of[RowKind::memberships];
    wire::MembershipUpdate memberships{update.labels().departed, ids, {}, {}};
    const std::span<const float> rows = engine.memberships(update.model);
    for (const PointId id : ids)
        memberships.outputs.push_back(memberships_of(rows, static_cast<std::size_t>(update.tally().clusters()),
                                                     engine.window().find(id).value(), least_published));
    return memberships;
}

Body all_memberships(const Engine& engine, std::string_view model, Kept&) {
    const std::span<const float> rows = engine.memberships(model);
    wire::MembershipUpdate memberships;
    if (rows.empty()) return memberships;
    const Window& window = engine.window();
    memberships.ids = window.points().ids;
    for (Slot slot = 0; slot < window.size(); ++slot)
        memberships.outputs.push_back(memberships_of(rows, rows.size() / window.size(), slot, 0));
    return memberships;
}

Body network_of(const Engine& engine, std::string_view model, Kept&) {
    const Network* const network = engine.network(model);
    return network == nullptr ? wire::NetworkReport{} : wire::NetworkReport{*network};
}

}  // namespace

// A kind of topics `NAME.<model>`.
struct TopicKind {
    std::string_view name;
    bool (*is_of)(const ModelOptions&);  // whether a model has such a topic
    // Returns what the model's n-th event publishes; nothing: this event publishes nothing.
    std::optional<Body> (*changed)(const Engine&, const ModelUpdate&, std::uint64_t n);
    Body (*all)(const Engine&, std::string_view model, Kept&);
};

namespace {

constexpr std::string_view fairness_topic = "fairness";  // whose publications number the events of a model

// In the order of a model's topics. Each event that changed a model publishes on all of them, unless `changed` says
// not.
constexpr std::array topic_kinds = {
    TopicKind{wire::PointOutput<ClusterId>::name, clusters_points, changed_outputs<ClusterId>,
              [](const Engine& engine, std::string_view model, Kept& kept) {
                  return all_outputs(engine, engine.labels(model), kept);
              }},
    TopicKind{wire::PointOutput<Score>::name, gives_numbers, changed_outputs<Score>,
              [](const Engine& engine, std::string_view model, Kept& kept) {
                  return all_outputs(engine, engine.scores(model), kept);
              }},
    TopicKind{fairness_topic, [](const ModelOptions&) { return true; }, changed_fairness,
              [](const Engine& engine, std::string_view model, Kept&) -> Body {
                  return wire::fairness_report(engine.report(model), engine.options().format);
              }},
    TopicKind{"clusters", clusters_points, clusters_when_due, all_clusters},
    TopicKind{"front", keeps_front,
              [](const Engine&, const ModelUpdate& update, std::uint64_t) -> std::optional<Body> {
                  return wire::FrontReport{update.front};
              },
              [](const Engine& engine, std::string_view model, Kept&) -> Body {
                  return wire::FrontReport{engine.report(model).front};
              }},
    TopicKind{wire::PointOutput<wire::Memberships>::name, has_memberships, changed_memberships, all_memberships},
    TopicKind{"network", gives_predictions,
              [](const Engine& engine, const ModelUpdate& update, std::uint64_t) -> std::optional<Body> {
                  if (!update.network_changed) return std::nullopt;
                  Kept none;
                  return network_of(engine, update.model, none);
              },
              network_of},
};

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

void Topic::resume(const log::TopicMark& mark) {
    ring_.clear();
    bytes_ = 0;
    last_ = mark.number;
    running_hash_ = mark.running_hash;
}

Publisher::Publisher(const wire::RecordingId& recording, const EngineOptions& options, const RingLimits& limits)
    : recording_(recording), has_text_ids_(options.format.has_text_ids) {
    for (std::size_t m = 0; m < options.models.size(); ++m) {
        const ModelSetup& model = options.models[m];
        models_.push_back(model.name);
        for (const TopicKind& kind : topic_kinds) {
            if (!kind.is_of(model.options)) continue;
            topics_.emplace_back(std::string(kind.name) + "." + model.name, limits);
            sources_.push_back({m, &kind});
        }
    }
}

void Publisher::publish(const Engine& engine, const Update& update, std::uint64_t running_hash,
                        std::vector<Outgoing>& out) {
    running_hash_ = running_hash;
    std::uint64_t event = 0;
    for (std::size_t at = 0; at < topics_.size(); ++at) {
        const auto& [m, kind] = sources_[at];
        const ModelUpdate& model = update.models[m];
        if (!model.changed) continue;
        wire::Publication publication = next(topics_[at], update.sequence);
        if (kind->name == fairness_topic) event = publication.topic_sequence;
        std::optional<Body> body = kind->changed(engine, model, event);
        if (!body) continue;
        publication.body = std::move(*body);
        add_id_texts(engine, publication);
        send(topics_[at], publication, out);
    }
}

/// Adds the texts of an update's ids, where the stream's ids stand for some.
void Publisher::add_id_texts(const Engine& engine, wire::Publication& publication) {
    if (!has_text_ids_) return;
    const auto add = [&](auto& body) {
        if constexpr (requires { body.id_texts; }) {
            id_texts_.clear();
            for (const PointId id : body.ids) id_texts_.add(engine.id_text(id));
            body.id_texts = id_texts_.view();
        }
    };
    std::visit(add, publication.body);
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

std::map<std::string, log::TopicMark> Publisher::marks() const {
    std::map<std::string, log::TopicMark> marks;
    for (const Topic& topic : topics_) marks.emplace(topic.name(), log::TopicMark{topic.last(), topic.running_hash()});
    return marks;
}

void Publisher::resume(const std::map<std::string, log::TopicMark>& marks) {
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
    publication.body = sources_[at].kind->all(engine, models_[sources_[at].model], kept_);
    add_id_texts(engine, publication);
    return publication;
}

wire::Condition condition_of(const Engine& engine) {
    wire::Condition condition{engine.window().arrivals().late, engine.preparation()};
    const std::vector<FeatureColumn>& columns = engine.options().format.columns;
    if (condition.preparation.drift > 0 && !columns.empty())
        condition.drift_name = columns[condition.preparation.column].name;
    return condition;
}

wire::Publication Publisher::status(const Engine& engine, std::uint64_t running_hash) const {
    wire::Status status;
    for (const Topic& topic : topics_) status.topics.push_back({topic.name(), topic.last(), topic.running_hash()});
    status.retained = engine.window().size();
    status.condition = condition_of(engine);
    return {recording_, "status", 0, engine.sequence(), std::move(status), running_hash, 0};
}

}  // namespace fairstream::service
