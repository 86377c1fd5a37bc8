#include <fairstream/command/live/unclosed_log.hpp>

#include <fairstream/command/console/terminal.hpp>

namespace fairstream::command {

std::string told_of_unclosed_log(const recording::Recording& recording) {
    const auto events = recording.events_of_unclosed_log();
    if (events == 0U) return {};
    return (events ? counted(static_cast<std::int64_t>(*events)) : std::string("some")) + " of its " +
           counted(recording.last_sequence(), "event") + (events == 1U ? " was" : " were") +
           " only in its log, which is nothing to mend: after a kill or a power cut all that was acknowledged is "
           "there; "
           "only of a copy made while an engine wrote it the end may be missing (check the copy's last event)";
}

}  // namespace fairstream::command
