#include <fairstream/command/live/refine.hpp>

#include <optional>

#include <nlohmann/json.hpp>

#include <fairstream/base/printable.hpp>
#include <fairstream/command/console/output.hpp>
#include <fairstream/command/console/terminal.hpp>
#include <fairstream/command/report/report_text.hpp>
#include <fairstream/zmq/control_client.hpp>

namespace fairstream::command {
namespace {

/// The figures of a model before a refinement and after it.
struct Refined {
    Sequence sequence = 0;
    std::optional<double> cost_before;  // empty: it had not started
    wire::FairnessReport after;
};

Refined refine(zmq::ControlClient& client, const RefineOptions& options) {
    try {
        Refined refined;
        const wire::FairnessReport before = client.report(options.model).fairness;
        if (before.outcome != Outcome::warming) refined.cost_before = before.cost;
        refined.sequence = client.refine({options.model, options.rounds});
        refined.after = client.report(options.model).fairness;  // answered after the event
        return refined;
    } catch (const zmq::ControlRefused& refusal) {
        throw InvalidInput(refusal.reason(), refusal.what());
    }
}

std::string as_json(const RefineOptions& options, const Refined& refined) {
    const nlohmann::ordered_json json{
        {"model", options.model},
        {"rounds", options.rounds},
        {"sequence", refined.sequence},
        {"outcome", to_string(refined.after.outcome)},
        {"cost_before", refined.cost_before ? nlohmann::ordered_json(*refined.cost_before) : nullptr},
        {"cost", refined.after.cost}};
    return report_text(json) + "\n";
}

std::string as_text(const RefineOptions& options, const Refined& refined) {
    return printable(options.model) + " refined " +
           (options.rounds == 0 ? "until nothing improved"
                                : "by " + counted(static_cast<std::uint64_t>(options.rounds), "round") + " at most") +
           ", event " + std::to_string(refined.sequence) + ": cost " +
           (refined.cost_before ? cost_text(*refined.cost_before) + " before, " : "unknown before, ") +
           cost_text(refined.after.cost) + " after; " + std::string(to_string(refined.after.outcome)) + "\n";
}

}  // namespace

int run_refine(const RefineOptions& options) {
    require_endpoint("--control", options.control);
    zmq::ControlClient client(control_options(options.control, options.timeout, options.keys));
    const Refined refined = refine(client, options);
    print(options.json ? as_json(options, refined) : as_text(options, refined));
    return 0;
}

}  // namespace fairstream::command
