#include <fairstream/command/live/unclosed_log.hpp>

#include <fairstream/text/numbers.hpp>

namespace fairstream::command {

std::string unclosed_log_text(const log::EventLog& recording) {
    const auto [events, unreadable] = recording.unclean_end();
    std::string end = unreadable ? "its log ends with an incomplete write or damage: acked events may be missing" : "";
    if (events == 0U) return end;
    return end + (end.empty() ? "" : "; ") +
           (events ? counted(static_cast<std::int64_t>(*events)) : std::string("some")) + " of its " +
           counted(recording.last_sequence(), "event") + (events == 1U ? " was" : " were") +
           " only in its log, as after a kill or a power cut" + (end.empty() ? ", which loses no acked event" : "") +
           ". Its end may be missing if the log was cut off since, or copied while an engine wrote it: check that the "
           "last event is the last one that was acked";
}

}  // namespace fairstream::command
