#include <fairstream/command/live/engine_status.hpp>

#include <nlohmann/json.hpp>

#include <fairstream/base/hexadecimal.hpp>
#include <fairstream/figures/condition.hpp>
#include <fairstream/figures/json.hpp>
#include <fairstream/figures/report_text.hpp>

namespace fairstream::command {
namespace {

using nlohmann::ordered_json;

ordered_json model_json(const ModelStatus& model, Sequence newest) {
    const wire::ModelDescription& of = model.description;
    const auto behind = events_behind(of, newest);
    ordered_json json = {{"model", of.name},
                         {"kind", of.kind},
                         {"every", of.every},
                         {"stepped_at", of.stepped_at == 0 ? ordered_json() : ordered_json(of.stepped_at)},
                         {"events_since_step", behind ? ordered_json(*behind) : ordered_json()}};
    json["figures"] = model.figures ? figures::figures_json(*model.figures) : ordered_json();
    json["option_states"] = ordered_json::object();
    for (const wire::OptionState& option : of.options)
        json["option_states"][option.name] = {{"value", option.value},
                                              {"configured", option.configured},
                                              {"live", option.live},
                                              {"changed", option.value != option.configured}};
    return json;
}

}  // namespace

std::optional<std::uint64_t> events_behind(const wire::ModelDescription& model, Sequence newest) {
    if (model.stepped_at == 0 || model.stepped_at > newest) return std::nullopt;
    return newest - model.stepped_at;
}

std::string status_json(const EngineStatus& status) {
    const auto dumped = [](const ordered_json& json) { return figures::report_text(json) + "\n"; };
    ordered_json json = {{"healthy", status.healthy()}, {"control", status.endpoint}};
    json["failure"] = status.failure.empty() ? ordered_json() : ordered_json(status.failure);
    if (!status.failure.empty()) return dumped(json);
    const wire::Health& health = status.health;
    const auto& description = status.description;
    json["recording"] = description ? ordered_json(description->recording) : ordered_json();
    json["recording_id"] = hexadecimal(status.recording);
    if (health.ready) {  // otherwise these figures are unknown
        json["sequence"] = health.sequence;
        json["running_hash"] =
            health.running_hash == 0 ? ordered_json() : ordered_json(hexadecimal(health.running_hash));
        if (health.recording_bytes > 0) {
            json["first_sequence"] = health.first_sequence;
            json["recording_bytes"] = health.recording_bytes;
            json["bytes_a_day"] = health.bytes_a_day ? ordered_json(*health.bytes_a_day) : ordered_json();
        }
        json["retained"] = health.retained;
        if (description && description->capacity > 0) json["window"] = description->capacity;
        json["producers"] = health.producers;
        json["refused"] = health.refused;
    }
    json["events_since_start"] = description ? ordered_json(description->events) : ordered_json();
    json["sent_since_start"] = description ? ordered_json(description->points) : ordered_json();
    json["subscribers"] = health.subscribers;
    json["activity"] = health.activity;
    json["uncommitted_seconds"] = health.uncommitted_seconds;
    json["uptime_seconds"] = health.uptime_seconds;
    json["version"] = health.version;
    json["cpu_level"] = health.cpu_level;
    figures::add_condition(health.condition, json);
    json["missing_answers"] = status.missing.empty() ? ordered_json() : ordered_json(status.missing);
    json["models"] = description ? ordered_json::array() : ordered_json();
    for (const ModelStatus& model : status.models)
        json["models"].push_back(model_json(model, status.description->sequence));
    return dumped(json);
}

}  // namespace fairstream::command
