#include <fairstream/command/live/described_engine.hpp>

#include <vector>

#include <fairstream/base/nearest_name.hpp>
#include <fairstream/base/printable.hpp>
#include <fairstream/command/live/activity_line.hpp>

namespace fairstream::command {

std::optional<wire::Description> engine_description(zmq::ControlClient& client) {
    try {
        return client.description();
    } catch (const zmq::ControlRefused&) {
        return std::nullopt;
    }
}

std::optional<wire::Description> awaited_description(zmq::ControlClient& client, const zmq::ControlOptions& control) {
    require_engine(control);
    try {
        return engine_description(client);
    } catch (const zmq::ControlTimeout& timeout) {
        const std::string activity = activity_of(control);
        throw zmq::ControlTimeout(timeout.what() + (activity.empty() ? "" : ": the engine is " + printable(activity)) +
                                  "; nothing was changed; to wait longer, raise --timeout");
    }
}

const wire::ModelDescription& model_of(const wire::Description& engine, const std::string& name) {
    std::vector<std::string> known;
    for (const wire::ModelDescription& model : engine.models) {
        if (model.name == name) return model;
        known.push_back(model.name);
    }
    throw InvalidInput(Reason::unknown_model, unknown_name("model", name, known));
}

}  // namespace fairstream::command
