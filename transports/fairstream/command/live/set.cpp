#include <fairstream/command/live/set.hpp>

#include <fairstream/command/console/output.hpp>
#include <fairstream/command/console/settings.hpp>
#include <fairstream/zmq/control_client.hpp>

namespace fairstream::command {

int run_set(const SetOptions& options) {
    require_endpoint("--control", options.control);
    std::vector<KnobChange> changes;
    for (const std::string& setting : options.settings) changes.push_back(read_model_setting(setting));
    zmq::ControlOptions control;
    control.endpoint = options.control;
    control.timeout = std::chrono::seconds(options.timeout);
    control.security = client_security(options.keys);
    zmq::ControlClient client(control);
    for (const KnobChange& change : changes) {
        try {
            const Sequence sequence = client.set_option(change);
            print(change.model + "." + change.option + " = " + change.value + " from event " +
                  std::to_string(sequence) + " on\n");
        } catch (const zmq::ControlRefused& refusal) {
            throw InvalidInput(refusal.reason(), refusal.what());
        }
    }
    return 0;
}

}  // namespace fairstream::command
