#include <fairstream/replay/run.hpp>

#include <chrono>
#include <optional>
#include <utility>
#include <variant>

#include <fairstream/base/printable.hpp>
#include <fairstream/config/config.hpp>
#include <fairstream/log/running_hash.hpp>
#include <fairstream/replay/detail/digest.hpp>
#include <fairstream/service/recorded_events.hpp>
#include <fairstream/service/topics.hpp>
#include <fairstream/service/update_digest.hpp>

namespace fairstream::replay {
namespace {

using log::Log;
using log::RecordedEvent;
using log::RecordingError;

/// Describes the difference between two formats with the same columns.
std::string difference(const StreamFormat& recorded, const StreamFormat& asked) {
    if (recorded.dimensions != asked.dimensions)
        return "it has " + std::to_string(asked.dimensions) + " columns, not " + std::to_string(recorded.dimensions);
    if (recorded.attributes.size() != asked.attributes.size())
        return "it has " + std::to_string(asked.attributes.size()) + " protected attributes, not " +
               std::to_string(recorded.attributes.size());
    for (std::size_t a = 0; a < asked.attributes.size(); ++a)
        if (recorded.attributes[a] != asked.attributes[a])
            return "the name or the groups of attribute '" + asked.attributes[a].name + "' differ";
    if (recorded.has_text_ids != asked.has_text_ids)
        return std::string("its ids are ") + (asked.has_text_ids ? "texts, not numbers" : "numbers, not texts");
    if (recorded.ids_are_hashes != asked.ids_are_hashes)
        return std::string("its text ids are ") +
               (asked.ids_are_hashes ? "hashed, not numbered" : "numbered, not hashed");
    return "the targets differ";
}

/// Throws `InvalidInput` unless recorded points also fit the format `asked`. Names of unnamed columns, and which values
/// may be missing, may differ.
void require_points_of(StreamFormat recorded, StreamFormat asked) {
    for (StreamFormat* format : {&recorded, &asked}) {
        format->columns.resize(format->dimensions);
        format->has_weights = false;  // the engine refuses points with weights when its stream has none
    }
    for (std::size_t i = 0; i < asked.dimensions && recorded.dimensions == asked.dimensions; ++i) {
        const FeatureColumn &was = recorded.columns[i], &is = asked.columns[i];
        if (was.name != is.name && !was.name.empty() && !is.name.empty())
            throw InvalidInput(Reason::wrong_shape, "column " + std::to_string(i + 1) + " of the [stream] is '" +
                                                        printable(is.name) + "', but was recorded as '" +
                                                        printable(was.name) +
                                                        "': columns must keep their names and order");
        if (was.levels == is.levels && was.buckets == is.buckets && was.dates == is.dates) continue;
        const std::string& name = asked.columns[i].name.empty() ? recorded.columns[i].name : asked.columns[i].name;
        throw InvalidInput(Reason::wrong_shape,
                           "the levels, hash or dates of column '" + name +
                               "' under [prepare] differ from the recorded ones, by which recorded points are encoded");
    }
    recorded.columns = asked.columns;
    if (recorded != asked)
        throw InvalidInput(
            Reason::wrong_shape,
            "the [stream] of the configuration differs from the recorded one: " + difference(recorded, asked) +
                "; the points would not fit: fairstream export writes them for a new recording");
}

/// One run in progress.
class Player {
public:
    Player(const Log& recording, const EngineOptions& options, const Settings& settings, const Hooks& hooks)
        : hooks_(hooks),
          settings_(settings),
          last_(recording.last_sequence()),
          recorded_(recorded_options(recording)),
          as_recorded_(!settings.without_changes && options == recorded_),
          engine_(options, settings.threads),
          publisher_(recording.id(), options, {.messages = 1, .bytes = 0}) {
        run_.options = options;
        if (as_recorded_) run_.verification.emplace();
        for (const ModelSetup& model : options.models) run_.models.push_back({.name = model.name, .samples = {}});
    }

    /// Starts from the state of a checkpoint, when earlier events may be gone.
    void begin(const log::Checkpoint& checkpoint) {
        engine_ = Engine::load(engine_.options(), checkpoint.state, settings_.threads);
        publisher_.resume(checkpoint.topics);
        running_hash_ = checkpoint.running_hash.value_or(0);
        run_.from = run_.last = sequence_ = checkpoint.sequence;
    }

    [[nodiscard]] bool is_as_recorded() const noexcept { return as_recorded_; }

    /// Replays an event; returns false when the caller ends the run.
    bool play(const RecordedEvent& recorded) {
        const Event event = service::read_event(recorded, message_);
        const auto* batch = std::get_if<PointBatch>(&event);
        if (hooks_.before && !hooks_.before(batch == nullptr ? 0 : batch->event_time)) return false;
        ++run_.events;
        run_.last = recorded.sequence;
        running_hash_ = log::running_hash_after(running_hash_, recorded);
        if (batch != nullptr) run_.points += batch->size();
        const auto start = std::chrono::steady_clock::now();
        if (const std::optional<CheckedEvent> accepted = checked(event, recorded.sequence))
            ingest(*accepted, recorded, start);
        if (hooks_.after) hooks_.after(recorded.sequence, last_, run_.points);
        return true;
    }

    Run finish() {
        for (ModelRun& model : run_.models) {
            if (model.steps > 0) model.mean_churn /= static_cast<double>(model.steps);
        }
        if (run_.events > 0) sample(sequence_);
        run_.digest = digest_.value();
        run_.running_hash = running_hash_;
        run_.condition = service::condition_of(engine_);
        if (hooks_.end) hooks_.end(engine_);
        return std::move(run_);
    }

private:
    /// Returns the event as checked by the engine; nothing if the engine refuses it. Under changed options, an option
    /// or model that it names may not exist; the event is then skipped.
    std::optional<CheckedEvent> checked(const Event& event, Sequence sequence) {
        if (settings_.without_changes && std::holds_alternative<KnobChange>(event)) {
            ++run_.changes_left_out;
            return std::nullopt;
        }
        try {
            return engine_.check(event);
        } catch (const InvalidInput& error) {
            const std::string what = "event " + std::to_string(sequence) + " cannot be taken in again: " + error.what();
            if (as_recorded_) throw RecordingError(what);
            if (std::holds_alternative<PointBatch>(event)) throw InvalidInput(error.reason(), what);
            ++run_.left_out;
            return std::nullopt;
        }
    }

    /// Returns which steps of models that may skip steps were left out. Under changed options, a model of the same name
    /// that is due as often leaves out the same steps, and any other model leaves out none: the result of a run must
    /// not depend on its speed.
    [[nodiscard]] std::vector<Decision> decisions_of(const RecordedEvent& recorded) const {
        std::vector<Decision> then = service::read_decisions(recorded.decisions);
        if (as_recorded_) return then;
        std::vector<Decision> decisions;
        for (std::uint32_t i = 0; i < run_.options.models.size(); ++i) {
            const ModelSetup& model = run_.options.models[i];
            if (model.schedule.when_busy != WhenBusy::skip) continue;
            const std::size_t before = decisions.size();
            for (const Decision& decision : then) {
                const ModelSetup& was = recorded_.models.at(decision.model);
                if (was.name == model.name && was.schedule.every == model.schedule.every)
                    decisions.push_back({i, decision.skipped});
            }
            if (decisions.size() == before) decisions.push_back({i, false});
        }
        return decisions;
    }

    /// Takes in an event. `start` is the time at which the engine began to work on it.
    void ingest(const CheckedEvent& event, const RecordedEvent& recorded, std::chrono::steady_clock::time_point start) {
        const Update& update = engine_.ingest(event, decisions_of(recorded));
        run_.seconds += std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
        sequence_ = recorded.sequence;
        publish(update);
        if (run_.verification) compare(update, recorded);
        for (std::size_t i = 0; i < run_.models.size(); ++i) count(update.models[i], run_.models[i]);
        const std::uint64_t due = (recorded.sequence - run_.from) * settings_.samples / (last_ - run_.from);
        if (due > taken_samples_) {
            taken_samples_ = due;
            sample(recorded.sequence);
        }
    }

    void compare(const Update& update, const RecordedEvent& recorded) {
        Verification& verification = *run_.verification;
        if (!recorded.update_digest) {
            ++verification.not_recorded;
            return;
        }
        if (verification.compared++ == 0) verification.first_compared = recorded.sequence;
        verification.last_compared = recorded.sequence;
        if (verification.differs_from == 0 && *recorded.update_digest != service::update_digest(engine_, update))
            verification.differs_from = recorded.sequence;
    }

    void publish(const Update& update) {
        outgoing_.clear();
        publisher_.publish(engine_, update, running_hash_, outgoing_);
        for (const service::Outgoing& sent : outgoing_) {
            digest_.add(sent.message.view());
            ++run_.updates;
            run_.update_bytes += sent.message.size();
            if (hooks_.update) hooks_.update(sent.message.view());
        }
    }

    static void count(const ModelUpdate& update, ModelRun& model) {
        if (!update.changed || update.solve.outcome == Outcome::warming) return;
        ++model.steps;
        model.mean_churn += update.churn;  // a sum until `finish`
        model.moves += update.solve.moves;
        model.swaps += update.solve.swaps;
    }

    /// Samples every model, at most once per event: the last event may already have been sampled.
    void sample(Sequence sequence) {
        for (ModelRun& model : run_.models) {
            if (!model.samples.empty() && model.samples.back().sequence == sequence) continue;
            model.samples.push_back(
                {sequence, run_.points, wire::fairness_report(engine_.report(model.name), run_.options.format)});
        }
    }

    const Hooks& hooks_;
    Settings settings_;
    Sequence last_;
    const EngineOptions recorded_;  // options of the recording
    bool as_recorded_;
    Engine engine_;
    service::Publisher publisher_;
    Digest digest_;
    Run run_;
    Sequence sequence_ = 0;  // last event taken by the engine
    std::uint64_t running_hash_ = 0;
    std::uint64_t taken_samples_ = 0;
    wire::AlignedMessage message_;
    std::vector<service::Outgoing> outgoing_;
};

}  // namespace

EngineOptions recorded_options(const log::EventLog& recording) {
    return config::parse_recorded(recording.config(), "the recording's configuration");
}

files::ReaderSettings recorded_reader_settings(const log::EventLog& recording) {
    return config::recorded_reader_settings(recording.config(), "the recording's configuration");
}

Run run(const Log& recording, const EngineOptions& asked, const Settings& settings, const Hooks& hooks) {
    if (settings.samples < 1) throw InvalidInput(Reason::bad_option, "samples = 0: must be at least 1");
    const StreamFormat recorded = recorded_options(recording).format;
    EngineOptions options = asked;
    config::keep_hashed_ids(recorded, options.format);
    require_points_of(recorded, options.format);
    Player player(recording, options, settings, hooks);
    Sequence first = 1;
    if (const Sequence kept = recording.first_sequence(); kept > 1) {
        const std::string only = "the recording keeps only events from " + std::to_string(kept) + " on";
        const auto checkpoint = recording.oldest_checkpoint();
        if (!checkpoint) throw RecordingError(only + ", and has no checkpoint to start from");
        if (!player.is_as_recorded())
            throw RecordingError(only + ": a replay begins with the state in the checkpoint of event " +
                                 std::to_string(checkpoint->sequence) + ", which " +
                                 (settings.without_changes ? "contains the recorded changes of options"
                                                           : "was made with the recorded options") +
                                 "; fairstream export writes the kept points for a new recording");
        player.begin(*checkpoint);
        first = checkpoint->sequence + 1;
    }
    recording.for_each_event(first, [&](const RecordedEvent& event) { return player.play(event); });
    return player.finish();
}

}  // namespace fairstream::replay
