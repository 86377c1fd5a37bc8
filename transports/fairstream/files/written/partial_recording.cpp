#include <fairstream/files/written/partial_recording.hpp>

#include <string>
#include <system_error>
#include <utility>

#include <fairstream/files/written/output.hpp>
#include <fairstream/log/event_log.hpp>

namespace fairstream::files {

void check_new_recording(std::string_view option, const std::filesystem::path& target) {
    const auto refuse = [&](const std::string& why) {
        throw InvalidInput(Reason::bad_option, std::string(option) + " " + target.string() + ": " + why);
    };
    if (is_stdout(target)) refuse("a recording is a file, and cannot be standard output");
    if (std::filesystem::exists(target))
        refuse("already exists, and " + std::string(option) + " does not overwrite files");
}

PartialRecording::PartialRecording(std::string_view option, std::filesystem::path target)
    : option_(option),
      target_(std::move(target)),
      part_(target_.string() + ".part"),
      files_{PartialFile(part_), PartialFile(log()), PartialFile(index())} {
    remove();  // left by a killed process
}

void PartialRecording::move_into_place() const {
    // Without its log, the moved file would lose events.
    if (std::filesystem::exists(log()))
        throw log::RecordingError(part_.string() + ": the log could not be merged into the recording");
    check_outputs({{option_, target_}}, {});
    std::filesystem::rename(part_, target_);
}

void PartialRecording::remove() const {
    std::error_code ignored;
    for (const std::filesystem::path& file : {part_, log(), index()}) std::filesystem::remove(file, ignored);
}

}  // namespace fairstream::files
