#include <fairstream/command/live/open_recording.hpp>

#include <fairstream/command/live/salvage.hpp>
#include <fairstream/log/open/open.hpp>

namespace fairstream::command {

std::unique_ptr<log::Log> open_for_reading(const std::filesystem::path& path) {
    if (!std::filesystem::is_regular_file(path))
        throw InvalidInput(Reason::malformed,
                           path.string() + (std::filesystem::exists(path) ? ": is not a recording: not a regular file"
                                                                          : ": no such file"));
    try {
        return log::open_read_only(path);
    } catch (const log::NotARecording&) {
        throw;
    } catch (const log::RecordingError& error) {
        if (!can_be_salvaged(path)) throw;
        throw log::RecordingError(error.what() +
                                  std::string("; if it is damaged, fairstream salvage writes the readable events"));
    }
}

std::unique_ptr<log::Log> open_for_writing(const std::filesystem::path& path, const log::Settings& settings) {
    try {
        return log::open(path, settings);
    } catch (const log::NotARecording&) {
        throw;
    } catch (const log::RecordingError&) {
        (void)open_for_reading(path);  // throws if the recording is damaged
        throw;
    }
}

}  // namespace fairstream::command
