#include <fairstream/command/live/producers.hpp>

#include <vector>

#include <nlohmann/json.hpp>

#include <fairstream/base/printable.hpp>
#include <fairstream/command/console/print.hpp>
#include <fairstream/figures/report_text.hpp>
#include <fairstream/files/written/output.hpp>
#include <fairstream/text/numbers.hpp>
#include <fairstream/text/table.hpp>
#include <fairstream/zmq/control_client.hpp>

namespace fairstream::command {
namespace {

std::string list_json(const std::vector<wire::ProducerState>& producers) {
    std::string lines;
    for (const wire::ProducerState& each : producers) {
        const nlohmann::ordered_json json{{"producer", each.name},
                                          {"client", each.client},
                                          {"epoch", each.epoch},
                                          {"producer_sequence", each.producer_sequence},
                                          {"last_sequence", each.last_sequence}};
        lines += figures::report_line(json) + "\n";
    }
    return lines;
}

std::string list_text(const std::vector<wire::ProducerState>& producers) {
    if (producers.empty()) return "no producers: none has sent an event yet, or the engine has forgotten them all\n";
    std::vector<std::vector<std::string>> rows{{"producer", "client", "newest event", "epoch", "number in epoch"}};
    for (const wire::ProducerState& each : producers)
        rows.push_back({printable(each.name), each.client.empty() ? "-" : printable(each.client),
                        counted(static_cast<std::int64_t>(each.last_sequence)), std::to_string(each.epoch),
                        counted(static_cast<std::int64_t>(each.producer_sequence))});
    return table(rows, "llrrr");
}

std::string removal_text(const ProducersOptions& options, Sequence sequence) {
    if (options.json)
        return figures::report_line(nlohmann::ordered_json{{"producer", options.forget}, {"sequence", sequence}}) +
               "\n";
    return "producer '" + printable(options.forget) + "' is forgotten from event " + std::to_string(sequence) +
           " on; if it returns, it needs a higher epoch\n";
}

}  // namespace

int run_producers(const ProducersOptions& options) {
    require_endpoint("--control", options.control);
    zmq::ControlClient client(control_options(options.control, options.timeout, options.keys));
    try {
        if (!options.forget.empty()) {
            print(removal_text(options, client.remove_producer(options.forget)));
            return 0;
        }
        const std::vector<wire::ProducerState> producers = client.producers();
        print(options.json ? list_json(producers) : list_text(producers));
    } catch (const zmq::ControlRefused& refusal) {
        throw InvalidInput(refusal.reason(), refusal.what());
    }
    return 0;
}

}  // namespace fairstream::command
