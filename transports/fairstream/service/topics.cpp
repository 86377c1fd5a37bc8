#include <fairstream/service/topics.hpp>

#include <algorithm>
#include <stdexcept>

#include <fairstream/options.hpp>

namespace fairstream::service {

namespace {

// Returns the number of events per publication of a model's clusters: 1 while the centres are below 64 KiB.
std::uint64_t clusters_interval(const FairnessTally& tally, std::uint32_t dimensions) {
    constexpr std::uint64_t share = 64 << 10;
    const auto clusters = static_cast<std::uint64_t>(std::max(tally.clusters(), 0));
    return 1 + clusters * dimensions * sizeof(float) / share;
}

wire::LabelUpdate outputs_of(const Changes<ClusterId>& changes) {
    return {changes.departed, changes.ids, changes.after, changes.provisional};
}
wire::LabelUpdate outputs_of(const Changes<NoOutput>&) {
    throw std::logic_error("outputs of a model that gives none");
}
wire::ScoreUpdate outputs_of(const Changes<Score>& changes) {
    return {changes.departed, changes.ids, changes.after, changes.provisional};
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
wire::MembershipUpdate changed_memberships(const Engine& engine, const ModelUpdate& update) {
    constexpr float least_published = 0.005F;
    wire::MembershipUpdate memberships{update.labels().departed, update.memberships_of, {}, {}};
    const std::span<const float> rows = engine.memberships(update.model);
    for (const PointId id : update.memberships_of)
        memberships.outputs.push_back(memberships_of(rows, static_cast<std::size_t>(update.tally().clusters()),
                                                     engine.window().find(id).value(), least_published));
    return memberships;
}

wire::NetworkReport network_of(const Engine& engine, std::string_view model) {
    const Network* const network = engine.network(model);
    return network == nullptr ? wire::NetworkReport{} : wire::NetworkReport{*network};
}

wire::MembershipUpdate all_memberships(const Engine& engine, std::string_view model) {
    const std::span<const float> rows = engine.memberships(model);
    if (rows.empty()) return {};
    const Window& window = engine.window();
    wire::MembershipUpdate memberships{{}, window.points().ids, {}, {}};
    for (Slot slot = 0; slot < window.size(); ++slot)
        memberships.outputs.push_back(memberships_of(rows, rows.size() / window.size(), slot, 0));
    return memberships;
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

void Topic::resume(const log::TopicMark& mark) {
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
        const bool numbers = gives_numbers(model.options);
        const auto add = [&](Kind kind, const char* name) {
            topics_.emplace_back(std::string(name) + "." + model.name, limits);
            sources_.push_back({models_.size() - 1, kind});
        };
        if (gives_outputs(model.options)) add(output_topic, numbers ? "scores" : "labels");
        add(fairness_topic, "fairness");
        if (gives_outputs(model.options) && !numbers) add(cluster_topic, "clusters");
        if (keeps_front(model.options)) add(front_topic, "front");
        if (has_memberships(model.options)) add(membership_topic, "memberships");
        if (gives_predictions(model.options)) add(network_topic, "network");
    }
}

void Publisher::publish(const Engine& engine, const Update& update, std::uint64_t running_hash,
                        std::vector<Outgoing>& out) {
    running_hash_ = running_hash;
    for (std::size_t m = 0; m < update.models.size(); ++m) {
        const ModelUpdate& model = update.models[m];
        if (!model.changed) continue;
        publish(engine, model, update.sequence, first_[m], out);
    }
}

void Publisher::publish(const Engine& engine, const ModelUpdate& update, Sequence sequence, std::size_t first,
                        std::vector<Outgoing>& out) {
    std::uint64_t events = 0;
    for (std::size_t at = first; at < topics_.size() && sources_[at].model == sources_[first].model; ++at) {
        wire::Publication publication = next(topics_[at], sequence);
        if (sources_[at].kind == fairness_topic) events = publication.topic_sequence;
        switch (sources_[at].kind) {
            case output_topic:
                std::visit([&](const auto& changes) { publication.body = outputs_of(changes); }, update.changes);
                break;
            case fairness_topic:
                publication.body = fairness_of(engine, update);
                break;
            case cluster_topic:
                if (events % clusters_interval(update.tally(), engine.window().dimensions()) != 0) continue;
                publication.body = wire::cluster_report(engine.report(update.model), engine.window().dimensions());
                break;
            case front_topic:
                publication.body = wire::FrontReport{update.front};
                break;
            case membership_topic:
                publication.body = changed_memberships(engine, update);
                break;
            case network_topic:
                if (!update.network_changed) continue;
                publication.body = network_of(engine, update.model);
                break;
        }
        add_id_texts(engine, publication);
        send(topics_[at], publication, out);
    }
}

/// Adds the texts of an update's ids, where the stream's ids stand for some.
void Publisher::add_id_texts(const Engine& engine, wire::Publication& publication) {
    if (!format_.has_text_ids) return;
    const auto add = [&](auto& body) {
        if constexpr (requires { body.id_texts; }) {
            id_texts_.clear();
            for (const PointId id : body.ids) id_texts_.add(engine.id_text(id));
            body.id_texts = id_texts_.view();
        }
    };
    std::visit(add, publication.body);
}

// Intervals take much longer than an event that only brings points, and move little by it: they come with steps.
wire::FairnessReport Publisher::fairness_of(const Engine& engine, const ModelUpdate& update) const {
    wire::FairnessReport report = wire::fairness_report(update, format_);
    if (auto* const scores = std::get_if<ScoreFairness>(&report.fairness); scores && update.stepped)
        scores->intervals = engine.report(update.model).score_fairness().intervals;
    return report;
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
    const std::string& model = models_[sources_[at].model];
    switch (sources_[at].kind) {
        case output_topic:
            publication.body = all_outputs(engine, model);
            break;
        case fairness_topic:
            publication.body = wire::fairness_report(engine.report(model), format_);
            break;
        case cluster_topic:
            publication.body = wire::cluster_report(engine.report(model), engine.window().dimensions());
            break;
        case front_topic:
            publication.body = wire::FrontReport{engine.report(model).front};
            break;
        case membership_topic:
            publication.body = all_memberships(engine, model);
            break;
        case network_topic:
            publication.body = network_of(engine, model);
            break;
    }
    add_id_texts(engine, publication);
    return publication;
}

namespace {

// Returns the ids and outputs of the points that have an output. Copied only where some have none.
template <class T> wire::OutputUpdate<T> present(std::span<const PointId> ids, std::span<const T> outputs,
                                                 std::vector<PointId>& kept_ids, std::vector<T>& kept) {
    if (std::ranges::find(outputs, absent<T>()) == outputs.end()) return {{}, ids, outputs, {}};
    kept_ids.clear();
    kept.clear();
    for (std::size_t slot = 0; slot < outputs.size(); ++slot) {
        if (outputs[slot] == absent<T>()) continue;
        kept_ids.push_back(ids[slot]);
        kept.push_back(outputs[slot]);
    }
    return {{}, kept_ids, kept, {}};
}

}  // namespace

decltype(wire::Publication::body) Publisher::all_outputs(const Engine& engine, std::string_view model) {
    const std::span<const PointId> ids = engine.window().points().ids;
    if (gives_numbers(engine.current_options(model))) return present(ids, engine.scores(model), ids_, scores_);
    return present(ids, engine.labels(model), ids_, labels_);
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
