#include <fairstream/command/live/remove.hpp>

#include <algorithm>
#include <stdexcept>
#include <vector>

#include <nlohmann/json.hpp>

#include <fairstream/command/console/print.hpp>
#include <fairstream/command/live/described_engine.hpp>
#include <fairstream/command/live/id_list.hpp>
#include <fairstream/figures/report_text.hpp>
#include <fairstream/files/written/output.hpp>
#include <fairstream/replay/point_names.hpp>
#include <fairstream/text/numbers.hpp>
#include <fairstream/text/shell_word.hpp>
#include <fairstream/zmq/control_client.hpp>

namespace fairstream::command {
namespace {

/// Number of ids in one request. A request with the longest ids takes a quarter of the default `max_message_bytes`.
constexpr std::size_t ids_at_once = 1000;

/// Removes the points, with one event for each part of the list. Returns the sums of the counts, and the last event.
wire::RemovedPoints remove_all(zmq::ControlClient& client, const replay::PointNames& points) {
    wire::RemovedPoints removed;
    for (std::size_t first = 0; first < points.size(); first += ids_at_once) {
        const auto part = points.removal(first, std::min(ids_at_once, points.size() - first));
        const wire::RemovedPoints now = client.remove_points(part.view());
        removed = {now.sequence, removed.points + now.points, removed.not_retained + now.not_retained};
    }
    return removed;
}

std::string as_json(const wire::RemovedPoints& removed) {
    return figures::report_line(nlohmann::ordered_json{
               {"removed", removed.points}, {"not_retained", removed.not_retained}, {"sequence", removed.sequence}}) +
           "\n";
}

std::string not_retained_text(std::uint64_t ids) {
    return counted(ids, "id") + (ids == 1 ? " belongs" : " belong") + " to no retained point";
}

std::string as_text(const RemoveOptions& options, const wire::RemovedPoints& removed, const std::string& recording) {
    if (removed.points == 0)
        return "no point removed: " + not_retained_text(removed.not_retained) +
               "; the recording may still have a point that left the window: fairstream erase writes a recording "
               "without it\n";
    return counted(removed.points, "point") + " removed, as of event " + std::to_string(removed.sequence) +
           (removed.not_retained > 0 ? "; " + not_retained_text(removed.not_retained) : "") +
           "\nwhat models learned from the points (weights, running means) stays until a refit. The recording still "
           "has "
           "these points: stop the engine, then\n  fairstream erase " +
           shell_word(recording) + " --ids " + (options.ids == "-" ? "FILE" : shell_word(options.ids.string())) +
           " --to NEW.fairstream\nwrites a recording without them\n";
}

}  // namespace

int run_remove(const RemoveOptions& options) {
    require_endpoint("--control", options.control);
    const std::vector<std::string> ids = read_id_list(options.ids);
    const zmq::ControlOptions control = control_options(options.control, options.timeout, options.keys);
    zmq::ControlClient client(control);
    const std::optional<wire::Description> engine = awaited_description(client, control);
    if (!engine) throw std::runtime_error("the engine's version is too old to remove points");
    try {
        const wire::RemovedPoints removed = remove_all(client, replay::PointNames(engine->format, ids));
        print(options.json ? as_json(removed) : as_text(options, removed, engine->recording));
    } catch (const zmq::ControlRefused& refusal) {
        throw InvalidInput(refusal.reason(), refusal.what());
    }
    return 0;
}

}  // namespace fairstream::command
