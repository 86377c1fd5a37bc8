#pragma once
/// What a damaged recording still holds. `Recording` refuses such a file; this reads around the damage, so that what is
/// sound is not lost with the rest.

#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <fairstream/log/sqlite/recording.hpp>

namespace fairstream::log::sqlite {

/// Events that cannot be read, the first and the last one included.
struct LostEvents {
    Sequence first = 0, last = 0;
    bool operator==(const LostEvents&) const = default;
};

/// A file that may be damaged, for reading only, by one thread.
class Salvage {
public:
    /// Throws `RecordingError` where neither the configuration nor an event can be read.
    explicit Salvage(const std::filesystem::path& path);
    ~Salvage();
    Salvage(Salvage&&) noexcept;
    Salvage& operator=(Salvage&&) noexcept;

    /// Returns the configuration with which the recording began; empty where that is damaged.
    [[nodiscard]] const std::string& config() const noexcept;
    /// Returns the newest event that the file tells of, as far as that can be read; 0: none.
    [[nodiscard]] Sequence last_sequence() const noexcept;
    /// Says whether the newest events were in a log beside the file that is missing, or cut short before its first
    /// page: then any number came after `last_sequence`, and is lost.
    [[nodiscard]] bool lacks_log() const noexcept;
    /// Says whether any of what tells of the newest event can be read; otherwise there may have been any number.
    [[nodiscard]] bool knows_last_sequence() const noexcept;

    /// Calls `each` for the events from `first` on whose rows can be read and have the right checksum, in order, until
    /// it returns false. Returns the others, up to the last one that `each` was called for or, where it never returned
    /// false, to `last_sequence`: they are lost. Events that were deleted in order are not among them, unless the table
    /// that says so is damaged.
    [[nodiscard]] std::vector<LostEvents> for_each_event(Sequence first,
                                                         const std::function<bool(const RecordedEvent&)>& each) const;

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace fairstream::log::sqlite
