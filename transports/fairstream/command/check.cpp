#include <fairstream/command/check.hpp>

#include <nlohmann/json.hpp>

#include <fairstream/command/output.hpp>
#include <fairstream/config/config.hpp>
#include <fairstream/types.hpp>

namespace fairstream::command {
namespace {

using nlohmann::ordered_json;

std::string check_config(const CheckOptions& options) {
    const config::ProcessOptions process = config::load(options.config);
    const EngineOptions& engine = process.engine;
    if (options.json) {
        ordered_json models = ordered_json::array();
        for (const ModelSetup& model : engine.models) models.push_back(model.name);
        return ordered_json{{"config", options.config.string()},
                            {"valid", true},
                            {"dimensions", engine.format.dimensions},
                            {"models", models}}
                   .dump(2) +
               "\n";
    }
    std::string models;
    for (const ModelSetup& model : engine.models) models += (models.empty() ? "" : ", ") + model.name;
    return options.config.string() + ": in order; " + std::to_string(engine.format.dimensions) + " features, " +
           std::to_string(engine.format.attributes.size()) + " protected attributes, models: " + models + "\n";
}

}  // namespace

int run_check(const CheckOptions& options) {
    if (options.config.empty() && options.recording.empty())
        throw InvalidInput(Reason::bad_option, "nothing to check: name a recording, or a configuration with --config");
    if (!options.config.empty()) print(check_config(options));
    return 0;
}

}  // namespace fairstream::command
