#include <fairstream/fit/stages/model_report.hpp>

#include <nlohmann/json.hpp>
#include <optional>

#include <fairstream/figures/json.hpp>
#include <fairstream/files/written/output.hpp>
#include <fairstream/fit/stages/input_json.hpp>
#include <fairstream/models/model_kind.hpp>
#include <fairstream/numeric/cpu_level.hpp>
#include <fairstream/text/numbers.hpp>

namespace fairstream::fit {

using nlohmann::ordered_json;

void add_figures(const ModelOptions& model, std::span<const Figure> figures, ordered_json& json) {
    for (const FigureText& text : model.kind().about().figures) {
        const std::string name(text.name);
        const std::optional<double> value = value_of(figures, text.name);
        if (!json.contains(name)) json[name] = value ? ordered_json(*value) : ordered_json();
    }
}

void add_setup(const FitOptions& options, const ModelOptions& model, std::span<const Attribute> attributes,
               ordered_json& json) {
    json["options"] = figures::options_json(model, attributes);
    json["input"] = input_json(options.input);
    if (!options.feature_names.empty()) json["feature_names"] = options.feature_names;
    json["threads"] = options.threads;
    json["cpu_level"] = std::string(cpu_level());
    json["version"] = FAIRSTREAM_VERSION;
}

std::string stopped_text(bool stopped) {
    return stopped ? ", stopped before the end" : "";
}

TextRows figure_rows(const ModelOptions& model, std::span<const Figure> figures) {
    TextRows rows;
    for (const FigureText& text : model.kind().about().figures) {
        const std::optional<double> value = value_of(figures, text.name);
        if (text.detail || !value) continue;
        rows.push_back({words_of(text.name), figure_text(*value, text.unit), std::string(text.meaning)});
    }
    return rows;
}

}  // namespace fairstream::fit
