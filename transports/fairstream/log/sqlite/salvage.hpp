#pragma once
/// The intact content of a damaged recording. `Recording` refuses such a file; this class reads around the damage, so
/// that intact events are not lost with the rest.

#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <fairstream/log/sqlite/recording.hpp>

namespace fairstream::log::sqlite {

/// Events that cannot be read, from `first` to `last`, both included.
struct LostEvents {
    Sequence first = 0, last = 0;
    bool operator==(const LostEvents&) const = default;
};

/// A possibly damaged file, open for reading only, for one thread.
class Salvage {
public:
    /// Throws `RecordingError` when neither the configuration nor an event can be read.
    explicit Salvage(const std::filesystem::path& path);
    ~Salvage();
    Salvage(Salvage&&) noexcept;
    Salvage& operator=(Salvage&&) noexcept;

    /// Returns the configuration that the recording began with; empty if damaged.
    [[nodiscard]] const std::string& config() const noexcept;
    /// Returns the newest event known, from a readable event or the table of producers; 0: none.
    [[nodiscard]] Sequence last_sequence() const noexcept;
    /// Returns whether the newest events were in a log that is missing, or cut short before its first page. An unknown
    /// number of events after `last_sequence` is then lost.
    [[nodiscard]] bool lacks_log() const noexcept;
    /// Returns whether the newest event is known even if it is damaged; otherwise any number of events may follow
    /// `last_sequence`.
    [[nodiscard]] bool knows_last_sequence() const noexcept;

    /// Calls `each` for the events from `first` on whose rows are readable and have the right checksum, in order, until
    /// `each` returns false. Returns the lost events: all events that were not passed to `each`, up to the last event
    /// passed to it, or up to `last_sequence` if `each` never returned false. Events that the recording's limits
    /// deleted are not lost, unless the table that records the deletion is damaged.
    [[nodiscard]] std::vector<LostEvents> for_each_event(Sequence first,
                                                         const std::function<bool(const RecordedEvent&)>& each) const;

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace fairstream::log::sqlite
