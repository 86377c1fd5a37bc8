#pragma once
/// A subscriber's view of one topic of outputs, without sockets and clocks. It folds the engine's updates in order, and
/// tells what to request when some are missing.
///
/// The outputs always equal the engine's as of `topic_sequence()`: nothing is applied out of order. Updates that arrive
/// too early are kept, within bounds, until a range of publications or a snapshot fills the gap.
///
/// Each publication names the running hash of the engine's recording, and the hash of the publication before it. If
/// these do not continue the view, the recording lost events that had been on disk, and the view restarts.

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include <fairstream/wire/messages.hpp>
#include <fairstream/zmq/point_map.hpp>

namespace fairstream::zmq {

/// How a view changed. Fold: `replaced` clears everything; then erase `departed`, then set `ids[i]` to `outputs[i]`.
template <class T> struct ViewChanges {
    Sequence sequence = 0;  ///< event that caused the change
    std::uint64_t topic_sequence = 0;
    bool replaced = false;  ///< by a snapshot: these are all outputs
    std::vector<PointId> departed;
    std::vector<PointId> ids;
    std::vector<T> outputs;
    std::vector<std::uint8_t> provisional;  ///< 1: a prediction until the model's next refresh; empty: none, or unknown
    bool operator==(const ViewChanges&) const = default;
};
using LabelChanges = ViewChanges<ClusterId>;

struct ViewStatistics {
    std::uint64_t applied = 0;     ///< updates folded in
    std::uint64_t repeated = 0;    ///< updates the view already had
    std::uint64_t gaps = 0;        ///< how often updates were found missing
    std::uint64_t repairs = 0;     ///< received ranges that closed a gap, or part of one
    std::uint64_t snapshots = 0;   ///< how often the view was replaced
    std::uint64_t overflows = 0;   ///< how often kept updates exceeded their bounds and were dropped
    std::uint64_t restarts = 0;    ///< how often the engine had another recording, or an earlier state of it
    std::uint64_t losses = 0;      ///< how often the engine's recording lacked events it had named
    std::uint64_t unreadable = 0;  ///< invalid publications
    bool operator==(const ViewStatistics&) const = default;
};

struct ViewLimits {
    std::size_t messages = 4096;                ///< early updates kept
    std::size_t bytes = std::size_t{64} << 20;  ///< bytes of early updates kept
};

/// A view's need for an answer.
struct ViewNeed {
    enum class Kind : std::uint8_t {
        nothing,
        snapshot,
        range,
        known,  ///< ask whether the engine's recording still has the event `known`
    } kind = Kind::nothing;
    std::uint64_t first = 0;  ///< topic sequences of the range, both included
    std::uint64_t last = 0;
    wire::KnownEvent known = {};
    bool operator==(const ViewNeed&) const = default;
};

/// `T` is the type of output: one of the types in `wire::PointOutputs`.
template <class T> class PointView {
public:
    using Changes = ViewChanges<T>;
    using Update = wire::OutputUpdate<T>;
    using Time = std::chrono::steady_clock::time_point;

    using Limits = ViewLimits;
    using Need = ViewNeed;

    /// `patience`: how long statuses may name an earlier state than the view's before the view is dropped. After a
    /// snapshot, which overtakes statuses, this lasts only briefly; it lasts longer only if the engine itself went back
    /// to an earlier state.
    PointView(std::string topic, const Limits& limits, std::chrono::milliseconds patience)
        : topic_(std::move(topic)), limits_(limits), patience_(patience) {}

    // -- input. Changes of the view are appended to `changes`.

    /// Processes a publication on the topic; `message` is its serialised form.
    void on_update(const wire::Publication& update, const wire::AlignedMessage& message, std::vector<Changes>& changes);
    /// Processes a publication on the status topic.
    void on_status(const wire::Publication& status, Time now);
    /// Processes a snapshot, the answer to any need.
    void on_snapshot(const wire::Publication& snapshot, std::vector<Changes>& changes);
    /// Processes a range of serialised publications, the answer to a need.
    void on_range(const wire::Publications& range, std::vector<Changes>& changes);
    /// Processes the answer to `ViewNeed::Kind::known`: whether the recording has the event, as far as the engine can
    /// tell.
    void on_known_answer(bool has_it);

    // -- the view

    [[nodiscard]] const PointMap<T>& outputs() const noexcept { return outputs_; }
    /// Returns the text of the id of a point with an output; empty for a stream without text ids, and for other points.
    [[nodiscard]] std::string_view id_text(PointId id) const noexcept {
        const auto found = id_texts_.find(id);
        return found == id_texts_.end() ? std::string_view() : found->second;
    }
    /// Returns the event that the outputs reflect; it may be later than the last update, if later events changed no
    /// output.
    [[nodiscard]] Sequence sequence() const noexcept { return sequence_; }
    /// Returns the topic sequence of the newest update in the view.
    [[nodiscard]] std::uint64_t topic_sequence() const noexcept { return topic_sequence_; }
    /// Returns whether every known publication is in the view, and the view belongs to the recording whose updates
    /// arrive.
    [[nodiscard]] bool complete() const noexcept;
    [[nodiscard]] Need need() const noexcept;
    /// Returns the recording of the engine whose updates arrive; nothing before the first.
    [[nodiscard]] const std::optional<wire::RecordingId>& recording() const noexcept { return followed_; }
    /// Returns the newest known event, from the view or a status; its hash is 0 if unknown.
    [[nodiscard]] const wire::KnownEvent& newest_known() const noexcept { return newest_known_; }
    [[nodiscard]] const ViewStatistics& statistics() const noexcept { return statistics_; }
    /// Returns the newest known event at the time when events up to it were found missing from the engine's recording;
    /// nothing if that did not happen since the last call.
    [[nodiscard]] std::optional<Sequence> take_loss() noexcept { return std::exchange(loss_, std::nullopt); }

private:
    void follow(const wire::RecordingId& recording);
    void note_status_event(Sequence event, Time now);
    void start_again();
    void count_gap() noexcept;
    void keep(std::uint64_t number, const wire::AlignedMessage& message);
    void drop_kept() noexcept;
    [[nodiscard]] bool apply(const wire::Publication& update, std::vector<Changes>& changes);
    static void add_texts(const Update& update, std::unordered_map<PointId, std::string>& texts);
    void note_loss(Sequence known);
    void question_newest_known();
    void apply_kept(std::vector<Changes>& changes);
    [[nodiscard]] bool readable(const wire::Publication& publication) const;
    void unreadable() noexcept { ++statistics_.unreadable; }

    std::string topic_;
    Limits limits_;
    std::chrono::milliseconds patience_;
    ViewStatistics statistics_;

    PointMap<T> outputs_;
    std::unordered_map<PointId, std::string> id_texts_;  // texts of points with outputs, or empty
    Sequence sequence_ = 0;
    std::uint64_t topic_sequence_ = 0;
    std::uint64_t hash_ = 0;              // running hash of the newest update in the view; 0: unknown
    wire::KnownEvent newest_known_;       // newest known event, from the view or a status
    bool newest_is_from_status_ = false;  // `newest_known_` is from a status, and newer than the view
    // Known events that later messages did not confirm; the engine is asked about the first of them.
    std::deque<wire::KnownEvent> unconfirmed_;
    std::optional<Sequence> loss_;
    std::optional<wire::RecordingId> followed_;  // recording of the arriving updates
    std::optional<wire::RecordingId> viewed_;    // recording of the view; nothing: no view of this recording
    std::uint64_t published_ = 0;                // newest known topic sequence
    bool needs_snapshot_ = false;                // a range did not help, or would be too long
    bool in_gap_ = false;                        // the current gap was counted
    std::optional<Time> behind_since_;           // time since which statuses name an earlier state than the view's
    std::optional<Time> earlier_since_;          // time since which statuses name an earlier event than a known one
    std::map<std::uint64_t, wire::AlignedMessage> kept_;  // by topic sequence, all above topic_sequence_
    std::size_t kept_bytes_ = 0;
};

using LabelView = PointView<ClusterId>;

}  // namespace fairstream::zmq
