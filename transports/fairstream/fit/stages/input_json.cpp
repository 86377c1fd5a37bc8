#include <fairstream/fit/stages/input_json.hpp>

#include <cstdint>

#include <nlohmann/json.hpp>

#include <fairstream/generate/graphs.hpp>

namespace fairstream::fit {

using nlohmann::ordered_json;

ordered_json input_json(const files::InputOptions& input) {
    ordered_json json;
    if (!input.generate.empty()) {
        const generate::GraphKind* graph = generate::find_graph_kind(input.generate);
        const std::uint64_t usual = graph != nullptr ? graph->nodes : generate::generator_kind(input.generate).points;
        json = {{"generate", input.generate}, {"points", input.points.value_or(usual)}, {"seed", input.generate_seed}};
    } else if (input.is_graph()) {
        json = {{"edges_file", input.edges.string()}, {"nodes_file", input.nodes.string()}};
    } else {
        json = {{"file", input.input.string()},
                {"standardise", input.standardise},
                {"unit_range", input.unit_range},
                {"unit_rows", input.unit_rows},
                {"rows_file", input.rows.string()}};
    }
    if (!input.config.empty()) json["config"] = input.config.string();
    return json;
}

}  // namespace fairstream::fit
