#pragma once
/// The events that an engine takes in, and the decisions that it takes on the way.

#include <cstdint>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include <fairstream/base/types.hpp>
#include <fairstream/data/point_batch.hpp>

namespace fairstream {

/// An option changed while running, e.g. {"safairkm", "swaps", "8"}. Only options that `list_options` marks as live.
struct KnobChange {
    std::string model;
    std::string option;
    std::string value;
    bool operator==(const KnobChange&) const = default;
};

/// A request for further rounds on the retained points, for models that can be refined.
struct Refinement {
    std::string model;
    std::int64_t rounds = 0;  ///< 0: until neither objective improves, from the options' number of starts
    bool operator==(const Refinement&) const = default;
};

/// The epoch up to which a client's new producers are stale, because producers of that client were forgotten.
struct EpochFloor {
    std::string client;  ///< who it applies to; empty: every client
    std::uint64_t epoch = 0;
    bool operator==(const EpochFloor&) const = default;
};

/// Forgets producers. It concerns whoever numbers the events, and changes nothing of an engine.
struct ProducerExpiry {
    /// Older recordings alone: forgets all producers without an event after this one. Below the event's own; 0: none.
    Sequence last_sequence = 0;
    std::vector<std::string> names = {};  ///< producers that are forgotten
    std::vector<EpochFloor> floors = {};  ///< what their clients' new producers have to exceed from now on
    bool removed = false;  ///< whether somebody asked for it: each name then has its own newest epoch as its floor
    bool operator==(const ProducerExpiry&) const = default;
};

/// Targets of retained points, known later than the points: of a stream whose targets come later. An id that is not
/// retained, any more or yet, is passed over and counted; a target that was known is replaced. Borrowed as a batch is.
/// Time does not pass with it: no point leaves by age.
struct Outcomes {
    std::span<const PointId> ids = {};    ///< n, no two alike; of streams whose texts the engine numbers as of a batch
    std::span<const float> targets = {};  ///< n, finite and within +-1e15
    TextSpan id_texts = {};               ///< n, no two alike, where the engine numbers texts; otherwise empty
    [[nodiscard]] std::size_t size() const noexcept { return ids.empty() ? id_texts.size() : ids.size(); }
};

/// Takes points out at once, as if they left the window: their rows, groups, weights and targets. What models learned
/// of them as weights and running means stays. Ids that are not retained are passed over and counted. Borrowed as a
/// batch is. Time does not pass with it.
struct PointRemoval {
    std::span<const PointId> ids = {};  ///< n, no two alike; of streams whose texts the engine numbers as of a batch
    TextSpan id_texts = {};             ///< n, no two alike, where the engine numbers texts; otherwise empty
    [[nodiscard]] std::size_t size() const noexcept { return ids.empty() ? id_texts.size() : ids.size(); }
};

using Event = std::variant<PointBatch, KnobChange, Refinement, ProducerExpiry, Outcomes, PointRemoval>;

/// Counts what an event met among the retained points.
struct EventCounts {
    std::uint64_t not_retained = 0;      ///< ids of outcomes or of a removal that are not those of retained points
    std::uint64_t replaced = 0;          ///< points that took the place of a retained one with their id
    std::uint64_t outcomes_dropped = 0;  ///< of those, points without a target in place of one that had it
    EventCounts& operator+=(const EventCounts& other) noexcept {
        not_retained += other.not_retained;
        replaced += other.replaced;
        outcomes_dropped += other.outcomes_dropped;
        return *this;
    }
    bool operator==(const EventCounts&) const = default;
};

/// Decision under `WhenBusy::skip` when the next step of a model was due. Recorded, and handed back on replay.
struct Decision {
    std::uint32_t model = 0;  ///< index in `EngineOptions::models`
    bool skipped = false;     ///< the running step was left running and no new one begun
    bool operator==(const Decision&) const = default;
};

}  // namespace fairstream
