#pragma once
/// A recording that a command writes under a temporary name.

#include <array>
#include <filesystem>
#include <string_view>

#include <fairstream/files/written/partial_files.hpp>

namespace fairstream::files {

/// Throws `InvalidInput` (bad_option) when the target of a new recording, given by `option`, is standard output or
/// exists.
void check_new_recording(std::string_view option, const std::filesystem::path& target);

/// A recording under a temporary name. Its files are removed unless it was moved to its target.
class PartialRecording {
public:
    /// `option` names the target on the command line.
    PartialRecording(std::string_view option, std::filesystem::path target);
    ~PartialRecording() { remove(); }
    PartialRecording(const PartialRecording&) = delete;
    PartialRecording& operator=(const PartialRecording&) = delete;

    [[nodiscard]] const std::filesystem::path& path() const noexcept { return part_; }
    /// Moves the closed recording to its target. Throws `InvalidInput` when the target exists by now.
    void move_into_place() const;

private:
    [[nodiscard]] std::filesystem::path log() const { return part_.string() + "-wal"; }
    [[nodiscard]] std::filesystem::path index() const { return part_.string() + "-shm"; }
    void remove() const;

    std::string_view option_;
    std::filesystem::path target_, part_;
    std::array<PartialFile, 3> files_;
};

}  // namespace fairstream::files
