#pragma once
/// The events that an engine takes in, and the decisions that it makes while doing so.

#include <cstdint>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include <fairstream/base/types.hpp>
#include <fairstream/data/point_batch.hpp>

namespace fairstream {

/// A change of an option while running, e.g. {"safairkm", "swaps", "8"}. Only options that `list_options` marks as
/// live.
struct KnobChange {
    std::string model;
    std::string option;
    std::string value;
    bool operator==(const KnobChange&) const = default;
};

/// A request for further rounds on the retained points, for models that can be refined.
struct Refinement {
    std::string model;
    std::int64_t rounds = 0;  ///< 0: as far as possible, from as many starts as the options say
    bool operator==(const Refinement&) const = default;
};

/// The epoch that a client's new producers must exceed, because producers of that client were forgotten.
struct EpochFloor {
    std::string client;  ///< the client; empty: every client
    std::uint64_t epoch = 0;
    bool operator==(const EpochFloor&) const = default;
};

/// Forgets producers. Used by the owner that numbers events; the engine's own state does not change.
struct ProducerExpiry {
    /// Only in older recordings: forgets each producer whose last event has at most this sequence, which is below the
    /// sequence of this event. 0: forgets none in this way.
    Sequence last_sequence = 0;
    std::vector<std::string> names = {};  ///< names of the producers to forget
    std::vector<EpochFloor> floors = {};  ///< epochs that new producers of the clients must exceed from now on
    bool removed = false;  ///< whether a request removed the producers; the floor of each name is then its newest epoch
    bool operator==(const ProducerExpiry&) const = default;
};

/// Targets of retained points, known later than the points, on a stream whose targets come later. Ids that are not
/// retained are ignored and counted; a known target is replaced. Borrowed as a batch is. The event does not advance
/// time: no point leaves by age.
struct Outcomes {
    std::span<const PointId> ids = {};    ///< n, no two equal; not read on streams whose texts the engine numbers, as
                                          ///< in a batch
    std::span<const float> targets = {};  ///< n, finite and within +-1e15
    TextSpan id_texts = {};               ///< n, no two equal, if the engine numbers texts; otherwise empty
    [[nodiscard]] std::size_t size() const noexcept { return ids.empty() ? id_texts.size() : ids.size(); }
};

/// Removes points at once, as if they left the window: their rows, groups, weights and targets. Weights and running
/// means that models learned from them stay. Ids that are not retained are ignored and counted. Borrowed as a batch is.
/// The event does not advance time.
struct PointRemoval {
    std::span<const PointId> ids = {};  ///< n, no two equal; not read on streams whose texts the engine numbers, as in
                                        ///< a batch
    TextSpan id_texts = {};             ///< n, no two equal, if the engine numbers texts; otherwise empty
    [[nodiscard]] std::size_t size() const noexcept { return ids.empty() ? id_texts.size() : ids.size(); }
};

using Event = std::variant<PointBatch, KnobChange, Refinement, ProducerExpiry, Outcomes, PointRemoval>;

/// Counts of what an event found among the retained points.
struct EventCounts {
    std::uint64_t not_retained = 0;      ///< ids of outcomes or of a removal that no retained point has
    std::uint64_t replaced = 0;          ///< points that replaced a retained point with their id
    std::uint64_t outcomes_dropped = 0;  ///< replaced points with a known target whose replacement has none
    EventCounts& operator+=(const EventCounts& other) noexcept {
        not_retained += other.not_retained;
        replaced += other.replaced;
        outcomes_dropped += other.outcomes_dropped;
        return *this;
    }
    bool operator==(const EventCounts&) const = default;
};

/// A decision under `WhenBusy::skip` when the next step of a model was due. Recorded, and repeated on replay.
struct Decision {
    std::uint32_t model = 0;  ///< index in `EngineOptions::models`
    bool skipped = false;     ///< the running step goes on and no new step began
    bool operator==(const Decision&) const = default;
};

}  // namespace fairstream
