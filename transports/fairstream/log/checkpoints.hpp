#pragma once
/// Checkpoints: saved states from which a recovery starts instead of from the first event.

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <fairstream/base/types.hpp>

namespace fairstream::log {

/// The position of a topic.
struct TopicMark {
    std::uint64_t number = 0;        ///< number of the topic's newest publication
    std::uint64_t running_hash = 0;  ///< running hash after the event that caused this publication; 0: unknown
    bool operator==(const TopicMark&) const = default;
};

/// A saved state of the engine and its topics. With the events after it, a recovery needs nothing else.
struct Checkpoint {
    Sequence sequence = 0;
    std::vector<std::byte> state;             ///< from Engine::save
    std::map<std::string, TopicMark> topics;  ///< by name
    /// `EventLog::running_hash` after the checkpoint's event, if known. The store sets it when it writes the
    /// checkpoint.
    std::optional<std::uint64_t> running_hash = {};
};

/// Keeps two checkpoints: the newest, and the previous one in case the newest is unusable. No event after the older one
/// is deleted from the log. A checkpoint is large: it is written in parts, so that no flush takes long. Once its last
/// part is on disk, the checkpoint is valid and replaces the older of the two. A checkpoint that a crash cuts short
/// never becomes valid.
class CheckpointStore {
public:
    virtual ~CheckpointStore() = default;

    /// Starts to write a checkpoint. Its event must have been appended, and must not precede the newest checkpoint's
    /// event. Each of the next flushes writes a part of it. A second call replaces a checkpoint that is still being
    /// written. Throws `InvalidInput` (bad_state) for an event that breaks these rules, and `RecordingError`.
    virtual void begin_checkpoint(Checkpoint checkpoint) = 0;
    /// Returns whether a checkpoint was begun and is not valid yet.
    [[nodiscard]] virtual bool checkpoint_pending() const noexcept = 0;
    /// Flushes until the pending checkpoint, if any, is valid.
    virtual void finish_checkpoint() = 0;

    [[nodiscard]] virtual std::optional<Checkpoint> newest_checkpoint() const = 0;
    /// Returns the older of the two kept checkpoints, or the only one.
    [[nodiscard]] virtual std::optional<Checkpoint> oldest_checkpoint() const = 0;
};

}  // namespace fairstream::log
