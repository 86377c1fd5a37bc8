#include <fairstream/replay/erase.hpp>

#include <algorithm>
#include <optional>
#include <string>
#include <unordered_set>
#include <utility>
#include <variant>
#include <vector>

#include <fairstream/engine.hpp>
#include <fairstream/replay/run.hpp>
#include <fairstream/service/recorded_events.hpp>
#include <fairstream/service/topics.hpp>
#include <fairstream/service/update_digest.hpp>

namespace fairstream::replay {
namespace {

using log::Log;
using log::RecordedEvent;
using log::RecordingError;

/// Events between two flushes.
constexpr std::uint64_t flush_events = 1000;

/// Memory for an event without the points; other parts are borrowed from the event.
struct Columns {
    PointColumns points;
    std::vector<PointId> ids;
    std::vector<float> targets;
    TextColumn texts;
};

/// Counts the rows of an event that belong to these points.
std::uint64_t rows_of(const PointNames& points, const Event& event) {
    return std::visit(
        [&]<class E>(const E& of) -> std::uint64_t {
            std::uint64_t count = 0;
            if constexpr (requires { of.id_texts; })
                for (std::size_t i = 0; i < of.size(); ++i) count += points.has_row(of, i);
            return count;
        },
        event);
}

PointBatch without(const PointNames& points, const PointBatch& batch, Columns& columns) {
    columns.points.event_time = batch.event_time;
    for (std::size_t i = 0; i < batch.size(); ++i)
        if (!points.has_row(batch, i)) columns.points.append(batch.slice(i, 1));
    return columns.points.view();
}

/// Keeps the ids and texts of the other rows of outcomes or of a removal.
template <class Rows> void keep_others(const PointNames& points, const Rows& rows, Columns& columns) {
    for (std::size_t i = 0; i < rows.size(); ++i) {
        if (points.has_row(rows, i)) continue;
        if (!rows.ids.empty()) columns.ids.push_back(rows.ids[i]);
        if (!rows.id_texts.empty()) columns.texts.add(rows.id_texts[i]);
        if constexpr (requires { rows.targets; }) columns.targets.push_back(rows.targets[i]);
    }
}

Outcomes without(const PointNames& points, const Outcomes& outcomes, Columns& columns) {
    keep_others(points, outcomes, columns);
    return {columns.ids, columns.targets, columns.texts.view()};
}

PointRemoval without(const PointNames& points, const PointRemoval& removal, Columns& columns) {
    keep_others(points, removal, columns);
    return {columns.ids, columns.texts.view()};
}

/// Returns the event without the rows of the points; the memory is in `columns`.
Event without(const PointNames& points, const Event& event, Columns& columns) {
    columns = {};
    return std::visit(
        [&]<class E>(const E& of) -> Event {
            if constexpr (requires { of.id_texts; })
                return without(points, of, columns);
            else
                return of;
        },
        event);
}

/// Returns the names of the points that an engine retains; texts are stored in `texts`.
PointRemoval retained(const Engine& engine, TextColumn& texts) {
    const std::span<const PointId> ids = engine.window().points().ids;
    for (const PointId id : ids) texts.add(engine.id_text(id));
    return {ids, texts.view()};
}

/// Returns whether a refused message, possibly absent or cut short, contains any of the points.
bool are_in_message(const PointNames& points, wire::Bytes bytes) {
    try {
        const wire::AlignedMessage message(bytes);
        const wire::IngestRequest request = wire::read_ingest_request(message);
        const auto* const event = std::get_if<wire::EventMessage>(&request);
        return event != nullptr && rows_of(points, event->event) > 0;
    } catch (const std::exception&) {
        return points.are_in(bytes);
    }
}

class Eraser {
public:
    Eraser(const Log& from, Log& to, const PointNames& points, const EraseHooks& hooks)
        : from_(from),
          to_(to),
          points_(points),
          hooks_(hooks),
          engine_(recorded_options(from), hooks.threads),
          publisher_(to.id(), engine_.options(), {.messages = 1, .bytes = 0}),
          times_(from.times()) {}

    Erased run() {
        erased_.last = from_.last_sequence();
        if (erased_.last > 0 && from_.first_sequence() != 1) begin_with_checkpoint();
        from_.for_each_event(engine_.sequence() + 1, [&](const RecordedEvent& recorded) {
            take(recorded);
            if (recorded.sequence % flush_events == 0) to_.flush();
            if (hooks_.after) hooks_.after(recorded.sequence, erased_.last);
            return true;
        });
        if (engine_.sequence() != erased_.last || from_.last_sequence() != erased_.last)
            throw RecordingError("an engine wrote events meanwhile: stop it first");
        to_.complete_copy(from_, [&](log::Refusal& refusal) { clear(refusal); },
                          {from_.id(), erased_.points + erased_.retained, hooks_.time});
        to_.flush();
        if (erased_.last > 0) {
            to_.begin_checkpoint({engine_.sequence(), engine_.save(), publisher_.marks()});
            to_.finish_checkpoint();
        }
        erased_.unknown = points_.size() - found_.size();
        return erased_;
    }

private:
    void begin_with_checkpoint() {
        std::optional<log::Checkpoint> checkpoint = from_.oldest_checkpoint();
        if (!checkpoint) throw RecordingError("its first events were deleted, and it has no checkpoint to start from");
        engine_ = Engine::load(engine_.options(), checkpoint->state, hooks_.threads);
        const Slot before = engine_.window().size();
        TextColumn texts;
        note_found(retained(engine_, texts));
        engine_.erase(points_.removal(0, points_.size()).view());
        erased_.retained = before - engine_.window().size();
        publisher_.resume(checkpoint->topics);
        erased_.from = checkpoint->sequence;
        checkpoint->state = engine_.save();
        to_.begin_after(std::move(*checkpoint));
        to_.finish_checkpoint();
    }

    void take(const RecordedEvent& recorded) {
        Event event = service::read_event(recorded, message_);
        wire::Bytes message = recorded.message;
        if (const std::uint64_t rows = rows_of(points_, event); rows > 0) {
            count(event, rows);
            if (const auto* batch = std::get_if<PointBatch>(&event)) note_found(*batch);
            event = without(points_, event, columns_);
            message = wire::write(wire::IngestRequest(wire::EventMessage{recorded.producer, recorded.mark.epoch,
                                                                         recorded.mark.producer_sequence, event}),
                                  encoder_);
        }
        const Update& update = [&]() -> const Update& {
            try {
                return engine_.ingest(event, decisions_of(recorded));
            } catch (const InvalidInput& error) {
                throw RecordingError("event " + std::to_string(recorded.sequence) +
                                     " cannot be taken in again: " + error.what());
            }
        }();
        const std::vector<std::byte> decisions = service::write_decisions(update.decisions);
        to_.append({.sequence = recorded.sequence,
                    .producer = recorded.producer,
                    .mark = recorded.mark,
                    .message = message,
                    .time = time_of(recorded.sequence),
                    .decisions = decisions,
                    .update_digest = service::update_digest(engine_, update)});
        publications_.clear();
        publisher_.publish(engine_, update, to_.running_hash().value_or(0), publications_);
    }

    /// Returns the recorded decisions. With fewer points a step may become due at another event, which has no recorded
    /// decision; that step is not left out.
    [[nodiscard]] std::vector<Decision> decisions_of(const RecordedEvent& recorded) const {
        std::vector<Decision> decisions = service::read_decisions(recorded.decisions);
        const std::vector<ModelSetup>& models = engine_.options().models;
        for (std::uint32_t i = 0; i < models.size(); ++i)
            if (models[i].schedule.when_busy == WhenBusy::skip &&
                std::ranges::find(decisions, i, &Decision::model) == decisions.end())
                decisions.push_back({i, false});
        return decisions;
    }

    /// Returns an estimate of the time at which an event was appended: the last known time up to it; 0 before the
    /// first.
    [[nodiscard]] std::int64_t time_of(Sequence sequence) {
        while (next_time_ < times_.size() && times_[next_time_].sequence <= sequence) ++next_time_;
        return next_time_ == 0 ? 0 : times_[next_time_ - 1].time;
    }

    template <class Rows> void note_found(const Rows& rows) {
        for (std::size_t i = 0; i < rows.size(); ++i)
            if (points_.has_row(rows, i)) found_.insert(points_.name_of(rows, i));
    }

    void count(const Event& event, std::uint64_t rows) {
        (std::holds_alternative<PointBatch>(event) ? erased_.points
         : std::holds_alternative<Outcomes>(event) ? erased_.outcomes
                                                   : erased_.removals) += rows;
    }

    /// Removes from a refusal everything that names a point.
    void clear(log::Refusal& refusal) {
        const bool in_text = points_.are_named_in(refusal.text), in_message = are_in_message(points_, refusal.message);
        if (in_text) refusal.text = "left out: it named a point that was erased";
        if (in_message) refusal.message.clear();
        erased_.refusals += in_text || in_message;
    }

    const Log& from_;
    Log& to_;
    const PointNames& points_;
    const EraseHooks& hooks_;
    Engine engine_;
    service::Publisher publisher_;
    std::vector<log::AppendTime> times_;
    std::size_t next_time_ = 0;
    Erased erased_;
    std::unordered_set<std::string> found_;  // names of points found so far
    wire::AlignedMessage message_;
    wire::Encoder encoder_;
    Columns columns_;
    std::vector<service::Outgoing> publications_;
};

}  // namespace

Erased erase(const Log& from, Log& to, const PointNames& points, const EraseHooks& hooks) {
    return Eraser(from, to, points, hooks).run();
}

std::uint64_t traces_of(const Log& recording, const PointNames& points) {
    std::uint64_t traces = 0;
    wire::AlignedMessage message;
    recording.for_each_event(1, [&](const RecordedEvent& recorded) {
        traces += rows_of(points, service::read_event(recorded, message));
        return true;
    });
    for (const log::Refusal& refusal : recording.refusals())
        traces += points.are_named_in(refusal.text) || are_in_message(points, refusal.message);
    const EngineOptions options = recorded_options(recording);
    for (const auto& checkpoint : {recording.oldest_checkpoint(), recording.newest_checkpoint()}) {
        if (!checkpoint) continue;
        TextColumn texts;
        const Engine engine = Engine::load(options, checkpoint->state);
        traces += rows_of(points, retained(engine, texts));
    }
    return traces;
}

}  // namespace fairstream::replay
