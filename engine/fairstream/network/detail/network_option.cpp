#include <fairstream/network/network_option.hpp>

#include <algorithm>
#include <charconv>
#include <optional>
#include <utility>
#include <vector>

#include <fairstream/base/number_text.hpp>

namespace fairstream {
namespace {

// Largest number of weights of a layer that is read; above any layer that fits into a message.
constexpr std::size_t most_numbers = std::size_t{1} << 28;

std::string_view next_word(std::string_view& text) {
    const std::string_view word = text.substr(0, text.find(' '));
    text.remove_prefix(std::min(text.size(), word.size() + 1));
    return word;
}

template <class T> std::optional<T> number_of(std::string_view text) {
    T value{};
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    return error == std::errc{} && end == text.data() + text.size() ? std::optional(value) : std::nullopt;
}

bool read_numbers(std::string_view text, std::span<double> out) {
    for (std::size_t i = 0; i < out.size(); ++i) {
        const std::string_view one = text.substr(0, text.find(','));
        const std::optional<float> value = number_of<float>(one);
        const bool is_last = i + 1 == out.size();
        if (!value || is_last != (one.size() == text.size())) return false;
        out[i] = double{*value};
        text.remove_prefix(std::min(text.size(), one.size() + 1));
    }
    return true;
}

std::optional<Layer> read_layer(std::string_view& text) {
    const auto* const activation = std::ranges::find(activation_names, next_word(text));
    if (activation == std::ranges::end(activation_names)) return std::nullopt;
    const std::string_view size = next_word(text);
    const std::size_t cross = std::min(size.find('x'), size.size());
    const auto outputs = number_of<std::size_t>(size.substr(0, cross));
    const auto inputs = number_of<std::size_t>(size.substr(std::min(size.size(), cross + 1)));
    if (!outputs || !inputs || *outputs == 0 || *inputs == 0 || *inputs > most_numbers / *outputs) return std::nullopt;
    // A number takes at least one character, so the text's length bounds the allocation.
    if (*outputs * *inputs > text.size()) return std::nullopt;
    Layer layer{Matrix(*outputs, *inputs), std::vector<double>(*outputs),
                static_cast<Activation>(activation - std::ranges::begin(activation_names))};
    if (!read_numbers(next_word(text), layer.weights.values) || !read_numbers(next_word(text), layer.bias))
        return std::nullopt;
    return layer;
}

std::string numbers_text(std::span<const double> values) {
    std::string text;
    for (const double value : values) text += (text.empty() ? "" : ",") + number_text(static_cast<float>(value));
    return text;
}

}  // namespace

NetworkOption::NetworkOption(Network network) {
    check(network);
    for (Layer& layer : network.layers) {
        for (double& value : layer.weights.values) value = double{static_cast<float>(value)};
        for (double& value : layer.bias) value = double{static_cast<float>(value)};
    }
    network_ = std::make_shared<const Network>(std::move(network));
}

std::string option_text(const NetworkOption& value) {
    if (!value.has_value()) return "none";
    std::string text;
    for (const Layer& layer : value->layers) {
        text += (text.empty() ? "" : " ") + std::string(activation_names[static_cast<std::size_t>(layer.activation)]);
        text += " " + std::to_string(layer.weights.rows) + "x" + std::to_string(layer.weights.cols) + " ";
        text += numbers_text(layer.weights.values) + " " + numbers_text(layer.bias);
    }
    return text;
}

bool read_option_text(std::string_view text, NetworkOption& value) {
    if (text == "none") {
        value = {};
        return true;
    }
    if (text.empty() || text.back() == ' ') return false;
    Network network;
    while (!text.empty()) {
        std::optional<Layer> layer = read_layer(text);
        if (!layer) return false;
        network.layers.push_back(std::move(*layer));
    }
    try {
        value = NetworkOption(std::move(network));
    } catch (const InvalidInput&) {
        return false;
    }
    return true;
}

}  // namespace fairstream
