#pragma once
/// A subscriber's view of one topic of labels or scores, without sockets and clocks: the fold of the engine's updates
/// in their order, and what to ask for when some are missing.
///
/// The outputs are always exactly the engine's as of `topic_sequence()`: nothing is ever applied out of order. Updates
/// that came too early are kept, within bounds, until what is between has come: a range of publications, or a snapshot.
///
/// Each publication names the running hash of the engine's recording, and that of the publication before it. Where
/// these do not fit what is in the view, the recording lost events that had been on disk, and the view begins anew.

#include <chrono>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <fairstream/wire/messages.hpp>
#include <fairstream/zmq/point_map.hpp>

namespace fairstream::zmq {

/// How a view changed. Fold: `replaced` clears everything; then erase `departed`, then set `ids[i]` to `labels[i]`.
struct LabelChanges {
    Sequence sequence = 0;  ///< of the event that caused it
    std::uint64_t topic_sequence = 0;
    bool replaced = false;  ///< a snapshot: these are all the labels there are
    std::vector<PointId> departed;
    std::vector<PointId> ids;
    std::vector<ClusterId> labels;
    std::vector<std::uint8_t>
        provisional;  ///< 1: a prediction until the model's next refresh; empty: none is, or unknown
    bool operator==(const LabelChanges&) const = default;
};

/// The same of a view of scores.
struct ScoreChanges {
    Sequence sequence = 0;
    std::uint64_t topic_sequence = 0;
    bool replaced = false;
    std::vector<PointId> departed;
    std::vector<PointId> ids;
    std::vector<Score> scores;
    std::vector<std::uint8_t> provisional;
    bool operator==(const ScoreChanges&) const = default;
};

struct ViewStatistics {
    std::uint64_t applied = 0;     ///< updates folded in
    std::uint64_t repeated = 0;    ///< updates that were in the view already
    std::uint64_t gaps = 0;        ///< times that something was found missing
    std::uint64_t repairs = 0;     ///< ranges that closed a gap or a part of one
    std::uint64_t snapshots = 0;   ///< times that the view was replaced
    std::uint64_t overflows = 0;   ///< times that the updates kept for later passed their bounds and were dropped
    std::uint64_t restarts = 0;    ///< times that another recording, or an earlier state of this one, took the place
    std::uint64_t losses = 0;      ///< times that the engine's recording was found to lack events it had told of
    std::uint64_t unreadable = 0;  ///< publications that broke a rule
    bool operator==(const ViewStatistics&) const = default;
};

struct ViewLimits {
    std::size_t messages = 4096;                ///< updates kept for later
    std::size_t bytes = std::size_t{64} << 20;  ///< of them
};

/// What a view lacks.
struct ViewNeed {
    enum class Kind : std::uint8_t {
        nothing,
        snapshot,
        range,
        known,  ///< whether the engine's recording still has an event that was told of
    } kind = Kind::nothing;
    std::uint64_t first = 0;  ///< topic sequences of the range, both included
    std::uint64_t last = 0;
    wire::KnownEvent known = {};
    bool operator==(const ViewNeed&) const = default;
};

/// Of outputs `T`, which are `ClusterId` or `Score`.
template <class T> class PointView {
public:
    using Changes = std::conditional_t<std::same_as<T, Score>, ScoreChanges, LabelChanges>;
    using Update = std::conditional_t<std::same_as<T, Score>, wire::ScoreUpdate, wire::LabelUpdate>;
    using Time = std::chrono::steady_clock::time_point;

    using Limits = ViewLimits;
    using Need = ViewNeed;

    /// `patience`: how long statuses may name an earlier state than the view's before the view is given up. They do so
    /// for a moment after each snapshot, which overtakes them; for longer only when the engine itself went back.
    PointView(std::string topic, const Limits& limits, std::chrono::milliseconds patience)
        : topic_(std::move(topic)), limits_(limits), patience_(patience) {}

    // -- what arrived. Changes of the view are appended to `changes`.

    /// A publication on the topic, from the engine's updates; `message` is what it was read from.
    void on_update(const wire::Publication& update, const wire::AlignedMessage& message, std::vector<Changes>& changes);
    /// A publication of the status topic, from the engine's updates.
    void on_status(const wire::Publication& status, Time now);
    /// The answer to a need: a snapshot, whatever was asked for.
    void on_snapshot(const wire::Publication& snapshot, std::vector<Changes>& changes);
    /// The answer to a need: serialised publications.
    void on_range(const wire::Publications& range, std::vector<Changes>& changes);
    /// The answer to a need: whether the recording has the event that was asked about, as far as the engine can tell.
    void on_known(bool has_it);

    // -- the view

    [[nodiscard]] const PointMap<T>& outputs() const noexcept { return outputs_; }
    /// The outputs are those after this event; also after later ones that are known not to have changed one.
    [[nodiscard]] Sequence sequence() const noexcept { return sequence_; }
    /// The newest update in the view.
    [[nodiscard]] std::uint64_t topic_sequence() const noexcept { return topic_sequence_; }
    /// Whether everything that is known to be published is in the view, and the engine that publishes is the one that
    /// the view came from.
    [[nodiscard]] bool complete() const noexcept;
    [[nodiscard]] Need need() const noexcept;
    /// Of the engine whose updates arrive; empty before the first.
    [[nodiscard]] const std::optional<wire::RecordingId>& recording() const noexcept { return followed_; }
    /// The newest event that was told of, by what is in the view or by a status; its hash is 0 where none is known.
    [[nodiscard]] const wire::KnownEvent& told() const noexcept { return told_; }
    [[nodiscard]] const ViewStatistics& statistics() const noexcept { return statistics_; }
    /// The newest event that had been told of when others up to it were found missing from the engine's recording;
    /// empty when none was since the last call.
    [[nodiscard]] std::optional<Sequence> take_loss() noexcept { return std::exchange(loss_, std::nullopt); }

private:
    void follow(const wire::RecordingId& recording);
    void start_again();
    void count_gap() noexcept;
    void keep(std::uint64_t number, const wire::AlignedMessage& message);
    void drop_kept() noexcept;
    [[nodiscard]] bool apply(const wire::Publication& update, std::vector<Changes>& changes);
    void note_loss(Sequence known);
    void ask_about_told();
    void apply_kept(std::vector<Changes>& changes);
    [[nodiscard]] bool readable(const wire::Publication& publication) const;
    void unreadable() noexcept { ++statistics_.unreadable; }

    std::string topic_;
    Limits limits_;
    std::chrono::milliseconds patience_;
    ViewStatistics statistics_;

    PointMap<T> outputs_;
    Sequence sequence_ = 0;
    std::uint64_t topic_sequence_ = 0;
    std::uint64_t hash_ = 0;       // running hash of the newest update in the view; 0: not known
    wire::KnownEvent told_;        // the newest event that was told of: by what is in the view, or by a status
    bool told_by_status_ = false;  // and nothing in the view comes after it
    // Events that were told of before something that does not name them; the engine is asked about the first.
    std::deque<wire::KnownEvent> unconfirmed_;
    std::optional<Sequence> loss_;
    std::optional<wire::RecordingId> followed_;  // of the updates
    std::optional<wire::RecordingId> viewed_;    // of the view; empty: there is none yet, or not of this recording
    std::uint64_t published_ = 0;                // newest topic sequence that is known of
    bool needs_snapshot_ = false;                // a range did not help, or would be too long
    bool in_gap_ = false;                        // counted already
    std::optional<Time> behind_since_;           // since when statuses name an earlier state than the view's
    std::map<std::uint64_t, wire::AlignedMessage> kept_;  // by topic sequence, all above topic_sequence_
    std::size_t kept_bytes_ = 0;
};

extern template class PointView<ClusterId>;
extern template class PointView<Score>;
using LabelView = PointView<ClusterId>;
using ScoreView = PointView<Score>;

}  // namespace fairstream::zmq
