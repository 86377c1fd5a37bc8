#include <fairstream/command/live/erase.hpp>

#include <stdexcept>
#include <vector>

#include <nlohmann/json.hpp>

#include <fairstream/command/console/print.hpp>
#include <fairstream/command/console/stop_signals.hpp>
#include <fairstream/command/console/terminal.hpp>
#include <fairstream/command/live/id_list.hpp>
#include <fairstream/command/live/open_recording.hpp>
#include <fairstream/figures/report_text.hpp>
#include <fairstream/files/written/output.hpp>
#include <fairstream/files/written/partial_recording.hpp>
#include <fairstream/log/open/open.hpp>
#include <fairstream/replay/erase.hpp>
#include <fairstream/text/clock.hpp>
#include <fairstream/text/numbers.hpp>
#include <fairstream/text/shell_word.hpp>

namespace fairstream::command {
namespace {

std::string as_json(const EraseOptions& options, const replay::Erased& erased) {
    return figures::report_text(nlohmann::ordered_json{{"recording", options.to.string()},
                                                       {"erased", erased.points + erased.retained},
                                                       {"unknown_ids", erased.unknown},
                                                       {"outcomes", erased.outcomes},
                                                       {"removals", erased.removals},
                                                       {"refusals_cleared", erased.refusals},
                                                       {"first_sequence", erased.from + 1},
                                                       {"last_sequence", erased.last}}) +
           "\n";
}

std::string as_text(const EraseOptions& options, const replay::Erased& erased) {
    const std::string old = shell_word(options.recording.string());
    std::string text =
        options.to.string() + ": written without " + counted(erased.points + erased.retained, "point") + ", " +
        counted(erased.outcomes, "outcome") + " and " + counted(erased.refusals, "refused message") +
        " of these ids; nothing in it names them\n" +
        (erased.unknown > 0 ? counted(erased.unknown, "id") + (erased.unknown == 1 ? " belongs" : " belong") +
                                  " to no point; are ids spelled as in the stream?\n"
                            : "");
    if (erased.from > 0)
        text += "it begins with the state after event " + std::to_string(erased.from) +
                ", as earlier events were deleted. What models had learned from the points until then (weights, "
                "running means) is still in it\n";
    return text + "to do: serve it instead of " + old + ", and delete the old recording with its log (" + old +
           "-wal) and all copies, backups, exports and files of labels or updates\n";
}

}  // namespace

int run_erase(const EraseOptions& options) {
    files::check_new_recording("--to", options.to);
    files::check_outputs({{"--to", options.to}}, {options.recording, options.ids});
    const std::vector<std::string> ids = read_id_list(options.ids);
    StopSignals signals;
    const std::unique_ptr<log::Log> from = open_for_reading(options.recording);
    if (from->had_writer())
        throw InvalidInput(Reason::bad_option, options.recording.string() + ": an engine is writing it; stop it first");
    const auto handler = signals.poll_for_stop();
    const replay::PointNames points(replay::recorded_options(*from).format, ids);
    const files::PartialRecording partial("--to", options.to);
    replay::Erased erased;
    {
        Progress progress("erasing from " + options.recording.string());
        const std::unique_ptr<log::Log> to = log::create(partial.path(), from->config());
        replay::EraseHooks hooks{.threads = options.threads, .time = now_in_microseconds()};
        hooks.after = [&](Sequence done, Sequence last) {
            if (signals.requested()) throw std::runtime_error("stopped");
            progress.show(static_cast<double>(done) / static_cast<double>(last), "event " + std::to_string(done));
        };
        erased = replay::erase(*from, *to, points, hooks);
    }
    if (erased.unknown == points.size())
        throw InvalidInput(Reason::bad_option,
                           "--ids: no id belongs to a point in " + options.recording.string() +
                               "; write one id on each line, spelled as in the stream; nothing was written");
    const std::unique_ptr<log::Log> now = open_for_reading(options.recording);
    if (now->had_writer() || now->last_sequence() != erased.last)
        throw std::runtime_error("an engine was started meanwhile; stop it first; nothing was written");
    if (const std::uint64_t traces = replay::traces_of(*log::open_read_only(partial.path()), points); traces > 0)
        throw std::runtime_error(
            counted(traces, "trace") +
            " of the points would remain in the new recording, by a fault of this program; nothing was written");
    partial.move_into_place();
    print(options.json ? as_json(options, erased) : as_text(options, erased));
    return 0;
}

}  // namespace fairstream::command
