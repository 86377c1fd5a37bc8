#include <fairstream/command/live/unclosed_log.hpp>

#include <fairstream/command/console/terminal.hpp>

namespace fairstream::command {

std::string told_of_unclosed_log(const recording::Recording& recording) {
    const auto events = recording.events_of_unclosed_log();
    if (events == 0U) return {};
    return (events ? counted(static_cast<std::int64_t>(*events)) : std::string("some")) + " of its " +
           counted(recording.last_sequence(), "event") + (events == 1U ? " was" : " were") +
           " only in its log; whether the log's end is missing cannot be seen from it alone";
}

}  // namespace fairstream::command
