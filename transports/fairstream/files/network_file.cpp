#include <fairstream/files/network_file.hpp>

#include <algorithm>
#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include <fairstream/files/detail/file_text.hpp>
#include <fairstream/options.hpp>

namespace fairstream::files {
namespace {

// Reals are float32, read and written without conversion to double: rounding twice might miss the nearest float32.
using Json = nlohmann::basic_json<std::map, std::vector, std::string, bool, std::int64_t, std::uint64_t, float>;

constexpr std::size_t most_layers = 1000;
constexpr const char* shape = R"({"layers": [{"weights": [[...], ...], "bias": [...], "activation": "relu"}, ...]})";

[[noreturn]] void refuse(const std::string& where, const std::string& why) {
    throw InvalidInput(Reason::malformed, where + ": " + why);
}

std::string layer_at(const std::string& file, std::size_t index) {
    return file + ": layer " + std::to_string(index + 1);
}

std::string position_in(std::string_view text, std::size_t byte) {
    const std::string_view before = text.substr(0, std::min(text.size(), byte == 0 ? 0 : byte - 1));
    const auto lines = std::ranges::count(before, '\n');
    const std::size_t line_start = before.rfind('\n') + 1;  // npos + 1 is 0
    return std::to_string(lines + 1) + ":" + std::to_string(before.size() - line_start + 1);
}

// Parses JSON, refusing more nesting or layers than a network has: nested JSON takes many times its length in memory.
Json parsed(const std::string& text, const std::string& file) {
    constexpr int deepest = 4;  // nesting of a row of weights
    std::size_t layers = 0;
    const auto look = [&](int depth, Json::parse_event_t event, Json&) {
        const bool begins = event == Json::parse_event_t::array_start || event == Json::parse_event_t::object_start;
        if (begins && depth > deepest) refuse(file, std::string("nests deeper than a network does: must be ") + shape);
        if (event == Json::parse_event_t::object_start && depth > 0 && ++layers > most_layers)
            refuse(file, "has more than " + std::to_string(most_layers) + " layers");
        return true;
    };
    try {
        return Json::parse(text, look);
    } catch (const Json::out_of_range&) {
        refuse(layers == 0 ? file : layer_at(file, layers - 1),
               "a number is too large: weights and biases must be within +-1e15");
    } catch (const Json::parse_error& error) {
        refuse(file + ":" + position_in(text, error.byte),
               "is no JSON from here on (numbers must be finite, and text in double quotes)");
    }
}

// Throws unless the object has all these keys and no others.
void require_keys(const Json& object, std::initializer_list<const char*> keys, const std::string& where) {
    std::string all;
    for (const char* key : keys) all += (all.empty() ? "" : ", ") + std::string(key);
    if (!object.is_object()) refuse(where, "must be an object of " + all + ", as in " + shape);
    for (const char* key : keys)
        if (!object.contains(key)) refuse(where, "has no '" + std::string(key) + "': must have " + all);
    if (object.size() == keys.size()) return;
    for (const auto& [name, value] : object.items())
        if (std::ranges::find(keys, name) == keys.end())
            refuse(where, "has a key that is not known, '" + name.substr(0, 40) + "': there are " + all);
}

double number_of(const Json& value, const std::string& where, std::size_t index) {
    if (!value.is_number())
        refuse(where, "number " + std::to_string(index + 1) + " is of type " + value.type_name() +
                          ": must be a finite number");
    return double{value.get<float>()};
}

Matrix read_weights(const Json& rows, const std::string& where) {
    if (!rows.is_array() || rows.empty())
        refuse(where,
               "weights must be a list of rows, one for each output of the layer, each of them a list of numbers");
    const auto row_name = [&](std::size_t i) { return where + ", row " + std::to_string(i + 1) + " of weights"; };
    const std::size_t inputs = rows[0].is_array() ? rows[0].size() : 0;
    if (inputs == 0) refuse(row_name(0), "must be a list of numbers, one for each input of the layer");
    Matrix weights(rows.size(), inputs);
    for (std::size_t i = 0; i < rows.size(); ++i) {
        if (!rows[i].is_array()) refuse(row_name(i), "must be a list of numbers, one for each input of the layer");
        if (rows[i].size() != inputs)
            refuse(row_name(i), "has " + std::to_string(rows[i].size()) + " numbers, and row 1 has " +
                                    std::to_string(inputs) +
                                    ": every row must have one number for each input of the layer");
        for (std::size_t j = 0; j < inputs; ++j) weights.at(i, j) = number_of(rows[i][j], row_name(i), j);
    }
    return weights;
}

std::vector<double> read_bias(const Json& values, std::size_t outputs, const std::string& where) {
    if (!values.is_array() || values.size() != outputs)
        refuse(where, "bias must be a list of " + std::to_string(outputs) + " numbers, one for each row of weights" +
                          (values.is_array() ? ", and has " + std::to_string(values.size()) : ""));
    std::vector<double> bias;
    for (std::size_t i = 0; i < outputs; ++i) bias.push_back(number_of(values[i], where + ", bias", i));
    return bias;
}

Activation read_activation(const Json& name, const std::string& where) {
    const auto* const found = name.is_string() ? std::ranges::find(activation_names, name.get_ref<const std::string&>())
                                               : std::ranges::end(activation_names);
    if (found != std::ranges::end(activation_names))
        return static_cast<Activation>(found - std::ranges::begin(activation_names));
    std::string all;
    for (const std::string_view known : activation_names) all += (all.empty() ? "" : ", ") + std::string(known);
    refuse(where, "activation must be one of " + all);
}

}  // namespace

NetworkOption read_network(const std::filesystem::path& path) {
    const std::string file = path.string();
    const Json json = parsed(file_text(path, most_network_mebibytes), file);
    require_keys(json, {"layers"}, file);
    const Json& layers = json["layers"];
    if (!layers.is_array() || layers.empty())
        refuse(file, std::string("layers must be a list of layers, as in ") + shape);
    Network network;
    for (std::size_t l = 0; l < layers.size(); ++l) {
        const std::string where = layer_at(file, l);
        require_keys(layers[l], {"weights", "bias", "activation"}, where);
        Matrix weights = read_weights(layers[l]["weights"], where);
        std::vector<double> bias = read_bias(layers[l]["bias"], weights.rows, where);
        network.layers.push_back(
            {std::move(weights), std::move(bias), read_activation(layers[l]["activation"], where)});
    }
    try {
        return NetworkOption(std::move(network));
    } catch (const InvalidInput& error) {
        refuse(file, error.what());
    }
}

std::string network_text(const Network& network) {
    Json json = {{"layers", Json::array()}};
    for (const Layer& layer : network.layers) {
        Json weights = Json::array(), bias = Json::array();
        for (std::size_t i = 0; i < layer.weights.rows; ++i) {
            Json row = Json::array();
            for (std::size_t j = 0; j < layer.weights.cols; ++j)
                row.push_back(static_cast<float>(layer.weights.at(i, j)));
            weights.push_back(std::move(row));
            bias.push_back(static_cast<float>(layer.bias[i]));
        }
        json["layers"].push_back(
            {{"weights", std::move(weights)},
             {"bias", std::move(bias)},
             {"activation", std::string(activation_names[static_cast<std::size_t>(layer.activation)])}});
    }
    return json.dump() + "\n";
}

std::string option_value(const ModelOptions& options, std::string_view name, std::string_view value) {
    if (!value.starts_with('@')) return std::string(value);
    const std::vector<OptionText> all = list_options(options);
    const auto option = std::ranges::find(all, name, &OptionText::name);
    if (option == all.end() || !option->from_file) return std::string(value);
    try {
        return option_text(read_network(value.substr(1)));
    } catch (const InvalidInput& error) {
        throw InvalidInput(error.reason(), std::string(name) + " = " + std::string(value) + ": " + error.what());
    }
}

}  // namespace fairstream::files
