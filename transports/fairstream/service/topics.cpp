#include <fairstream/service/topics.hpp>

#include <algorithm>
#include <array>
#include <ranges>
#include <utility>

#include <fairstream/models/model_kind.hpp>
#include <fairstream/options.hpp>

namespace fairstream::service {

namespace {

using Body = decltype(wire::Publication::body);
using Kept = std::shared_ptr<const void>;  // keeps the data alive that a snapshot borrows

bool clusters_points(const ModelOptions& options) {
    return gives_outputs(options) && !gives_numbers(options);
}

// Returns the number of events per publication of a model's clusters: 1 while the centres are below 64 KiB.
std::uint64_t clusters_interval(const FairnessTally& tally, std::uint32_t dimensions) {
    constexpr std::uint64_t share = 64 << 10;
    const auto clusters = static_cast<std::uint64_t>(std::max(tally.clusters(), 0));
    return 1 + clusters * dimensions * sizeof(float) / share;
}

template <class T> Body changed_outputs(const Engine&, const ModelUpdate& update) {
    const auto& changes = std::get<Changes<T>>(update.changes);
    return wire::OutputUpdate<T>{changes.departed, changes.ids, changes.after, changes.provisional};
}

// Returns the ids and outputs of the points with an output; copies them into `kept` only if some points have none.
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

// Returns the changed figures. Intervals are published with steps only: an event that only brings points changes them
// little, and they take much longer than the event.
Body changed_fairness(const Engine& engine, const ModelUpdate& update) {
    wire::FairnessReport report = wire::fairness_report(update, engine.options().format);
    if (auto* const scores = std::get_if<ScoreFairness>(&report.fairness); scores && update.stepped)
        scores->intervals = engine.report(update.model).score_fairness().intervals;
    return report;
}

// Returns the rows of numbers of the points in these slots.
template <class T, class Slots>
wire::OutputUpdate<T> rows_of(const Engine& engine, std::string_view model, const Slots& slots, bool changed) {
    wire::OutputUpdate<T> update;
    const std::span<const float> rows = engine.rows(model, wire::PointOutput<T>::rows);
    const std::size_t k = rows.size() / std::max<std::size_t>(1, engine.window().size());
    for (const Slot slot : slots)
        update.outputs.push_back(wire::PointOutput<T>::of(rows.subspan(slot * k, k), changed));
    return update;
}

template <class T> Body changed_rows(const Engine& engine, const ModelUpdate& update) {
    const std::vector<PointId>& ids = update.rows_of[wire::PointOutput<T>::rows];
    const auto slot_of = [&](PointId id) { return engine.window().find(id).value(); };
    auto changed = rows_of<T>(engine, update.model, std::views::transform(ids, slot_of), true);
    changed.departed = update.labels().departed;
    changed.ids = ids;
    return changed;
}

template <class T> Body all_rows(const Engine& engine, std::string_view model, Kept&) {
    if (engine.rows(model, wire::PointOutput<T>::rows).empty()) return wire::OutputUpdate<T>{};
    auto all = rows_of<T>(engine, model, std::views::iota(Slot{0}, engine.window().size()), false);
    all.ids = engine.window().points().ids;
    return all;
}

template <class T> bool gives_rows(const ModelOptions& options) {
    return options.kind().gives(wire::PointOutput<T>::rows);
}

}  // namespace

// A kind of topics `NAME.<model>`.
struct TopicKind {
    std::string_view name;
    bool (*is_of)(const ModelOptions&);  // whether a model has the topic
    Body (*all)(const Engine&, std::string_view model, Kept&);
    // Returns the body to publish for an event that changed the model; null: the whole state.
    Body (*changed)(const Engine&, const ModelUpdate&) = nullptr;
    // Returns whether the model's n-th such event publishes; null: each does.
    bool (*is_due)(const Engine&, const ModelUpdate&, std::uint64_t n) = nullptr;
};

namespace {

constexpr std::string_view fairness_topic = "fairness";  // each event that changes a model publishes on it

// In the order of a model's topics.
constexpr std::array topic_kinds = {
    TopicKind{wire::PointOutput<ClusterId>::name, clusters_points,
              [](const Engine& engine, std::string_view model, Kept& kept) {
                  return all_outputs(engine, engine.labels(model), kept);
              },
              changed_outputs<ClusterId>},
    TopicKind{wire::PointOutput<Score>::name, gives_numbers,
              [](const Engine& engine, std::string_view model, Kept& kept) {
                  return all_outputs(engine, engine.scores(model), kept);
              },
              changed_outputs<Score>},
    TopicKind{fairness_topic, [](const ModelOptions&) { return true; },
              [](const Engine& engine, std::string_view model, Kept&) -> Body {
                  return wire::fairness_report(engine.report(model), engine.options().format);
              },
              changed_fairness},
    TopicKind{"clusters", clusters_points,
              [](const Engine& engine, std::string_view model, Kept&) -> Body {
                  return wire::cluster_report(engine.report(model), engine.window().dimensions());
              },
              nullptr,
              [](const Engine& engine, const ModelUpdate& update, std::uint64_t n) {
                  return n % clusters_interval(update.tally(), engine.window().dimensions()) == 0;
              }},
    TopicKind{"front", keeps_front,
              [](const Engine& engine, std::string_view model, Kept&) -> Body {
                  return wire::FrontReport{engine.report(model).front};
              },
              [](const Engine&, const ModelUpdate& update) -> Body { return wire::FrontReport{update.front}; }},
    TopicKind{wire::PointOutput<wire::Memberships>::name, gives_rows<wire::Memberships>, all_rows<wire::Memberships>,
              changed_rows<wire::Memberships>},
    TopicKind{"network", gives_predictions,
              [](const Engine& engine, std::string_view model, Kept&) -> Body {
                  const Network* const network = engine.network(model);
                  return network == nullptr ? wire::NetworkReport{} : wire::NetworkReport{*network};
              },
              nullptr, [](const Engine&, const ModelUpdate& update, std::uint64_t) { return update.network_changed; }},
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
        if (kind->is_due != nullptr && !kind->is_due(engine, model, event)) continue;
        publication.body =
            kind->changed == nullptr ? kind->all(engine, model.model, kept_) : kind->changed(engine, model);
        add_id_texts(engine, publication);
        send(topics_[at], publication, out);
    }
}

/// Adds the texts of an update's ids, if the stream has text ids.
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
        throw InvalidInput(Reason::bad_state, "the checkpoint has " + std::to_string(marks.size()) +
                                                  " topics; the engine has " + std::to_string(topics_.size()));
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
