/// Files of networks: written files are read back equal; other files are refused in one line.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include <fairstream/files/network_file.hpp>
#include <fairstream/options.hpp>

#include "support/matrices.hpp"
#include "support/refusal.hpp"
#include "support/temporary_directory.hpp"

namespace fairstream::files {
namespace {

using test::expect_refused;

/// A network of 3 inputs, a layer for each activation, with numbers of all sizes that float32 has.
Network network_of_all_sizes(std::uint64_t seed) {
    Random random(seed, 3);
    const auto number = [&] {
        const auto exponent = static_cast<double>(random.below(94)) - 45;  // denormals too
        return double{static_cast<float>(test::normal(random) * std::pow(10, std::min(exponent, 14.0)))};
    };
    Network network;
    std::size_t inputs = 3;
    for (const Activation activation :
         {Activation::relu, Activation::tanh, Activation::sigmoid, Activation::identity}) {
        const std::size_t outputs = activation == Activation::identity ? 1 : 2 + random.below(5);
        Layer& layer = network.layers.emplace_back(Layer{Matrix(outputs, inputs), {}, activation});
        for (double& weight : layer.weights.values) weight = number();
        for (std::size_t i = 0; i < outputs; ++i) layer.bias.push_back(number());
        inputs = outputs;
    }
    network.layers[0].bias[0] = -0.0;
    network.layers[0].bias[1] = double{std::numeric_limits<float>::denorm_min()};
    network.layers[1].bias[0] = double{1e15F};
    return network;
}

class NetworkFile : public ::testing::Test {
protected:
    /// Expects that a file of this text is refused, with its name and these parts in a single line.
    void expect_no_network(const std::string& text, std::initializer_list<std::string_view> parts) const {
        SCOPED_TRACE(text.substr(0, 100));
        const std::filesystem::path file = directory_.write("net.json", text);
        expect_refused(Reason::malformed, parts, [&] { (void)read_network(file); });
        try {
            (void)read_network(file);
        } catch (const InvalidInput& error) {
            EXPECT_THAT(error.what(), ::testing::StartsWith(file.string()));
            EXPECT_EQ(std::string_view(error.what()).find('\n'), std::string_view::npos);
            EXPECT_LT(std::string_view(error.what()).size(), 500U);
        }
    }
    void expect_no_layer(const std::string& layer, std::initializer_list<std::string_view> parts) const {
        expect_no_network(
            R"({"layers": [{"weights": [[1, 2], [3, 4]], "bias": [0, 0], "activation": "relu"}, )" + layer + "]}",
            parts);
    }

    test::TemporaryDirectory directory_;
};

TEST_F(NetworkFile, ReadsBackToEqualNumbersOfFloat32) {
    for (std::uint64_t seed = 1; seed <= 50; ++seed) {
        const Network network = network_of_all_sizes(seed);
        const NetworkOption again = read_network(directory_.write("net.json", network_text(network)));
        ASSERT_TRUE(again.has_value());
        EXPECT_EQ(*again, network) << seed;
        EXPECT_TRUE(std::signbit(again->layers[0].bias[0]));
        EXPECT_EQ(network_text(*again), network_text(network));
    }
}

TEST_F(NetworkFile, RoundsNumbersOnce) {
    // Just above the middle between two floats, by less than the precision of a double: rounding to double first would
    // make it a tie.
    const NetworkOption read = read_network(directory_.write(
        "net.json",
        R"({"layers": [{"bias": [1], "activation": "identity", "weights": [[1.00000005960464477539062500000000000001]]}]})"));
    EXPECT_EQ(read->layers[0].weights.at(0, 0), double{std::nextafter(1.0F, 2.0F)});
}

TEST_F(NetworkFile, RefusesWhatIsNoSuchJson) {
    expect_no_network("", {":1:1: is no JSON"});
    expect_no_network("{\"layers\":\n [{\"weights\": [[1, NaN]]", {":2:20: is no JSON", "finite"});
    expect_no_network("{'layers': []}", {":1:2: is no JSON", "double quotes"});
    expect_no_network(R"({"layers": [{"weights": [[-Infinity)", {"is no JSON"});
    expect_no_network(std::string("{\"layers\": \"\xff\"}"), {"is no JSON"});
    expect_no_network("[]", {"object"});
    expect_no_network("{}", {"has no 'layers'"});
    expect_no_network(R"({"layers": []})", {"layers", "list"});
    expect_no_network(R"({"layers": 5})", {"layers", "list"});
    expect_no_network(R"({"layers": [1], "biases": 2})", {"'biases'", "layers"});
    expect_no_network(R"({"layers": [1]})", {"layer 1: ", "weights, bias, activation"});
}

TEST_F(NetworkFile, NamesTheLayerThatIsWrong) {
    expect_no_layer("{}", {"layer 2: has no 'weights'"});
    expect_no_layer(R"({"weights": [[1, 2]], "activation": "relu"})", {"layer 2: has no 'bias'"});
    expect_no_layer(R"({"weights": [[1, 2]], "bias": [0]})", {"layer 2: has no 'activation'"});
    expect_no_layer(R"({"weights": [[1, 2]], "bias": [0], "activation": "identity", "name": "out"})",
                    {"layer 2: ", "not known, 'name'"});
    expect_no_layer(R"({"weights": [[1, 2]], "bias": [0], "activation": "gelu"})",
                    {"layer 2: activation", "identity, relu, tanh, sigmoid"});
    expect_no_layer(R"({"weights": [[1, 2]], "bias": [0], "activation": 1})", {"layer 2: activation"});
    expect_no_layer(R"({"weights": [[1, 2], [3]], "bias": [0, 0], "activation": "relu"})",
                    {"layer 2, row 2 of weights: ", " 1 number", "row 1 ", " 2"});
    expect_no_layer(R"({"weights": [[1, null]], "bias": [0], "activation": "relu"})",
                    {"layer 2, row 1 of weights: ", "number 2 ", "null"});
    expect_no_layer(R"({"weights": [[1, "2"]], "bias": [0], "activation": "relu"})", {"number 2 ", "string"});
    expect_no_layer(R"({"weights": [1, 2], "bias": [0, 0], "activation": "relu"})", {"layer 2, row 1 of weights: "});
    expect_no_layer(R"({"weights": [[]], "bias": [0], "activation": "relu"})", {"layer 2, row 1 of weights: "});
    expect_no_layer(R"({"weights": [], "bias": [], "activation": "relu"})", {"layer 2: weights"});
    expect_no_layer(R"({"weights": {"a": 1}, "bias": [], "activation": "relu"})", {"layer 2: weights"});
    expect_no_layer(R"({"weights": [[1, 2]], "bias": [0, 1], "activation": "relu"})",
                    {"layer 2: bias", " 1 number", " 2"});
    expect_no_layer(R"({"weights": [[1, 2]], "bias": 0, "activation": "relu"})", {"layer 2: bias"});
    expect_no_layer(R"({"weights": [[1, 2, 3]], "bias": [0], "activation": "identity"})",
                    {"layer 2", "has 3 inputs", " 2"});
    expect_no_layer(R"({"weights": [[1, 1e16]], "bias": [0], "activation": "identity"})", {"layer 2", "above 1e15"});
    expect_no_layer(R"({"weights": [[1, 1e999]], "bias": [0], "activation": "identity"})", {"layer 2: ", "too large"});
    expect_no_layer(R"({"weights": [[1, 1e39]], "bias": [0], "activation": "identity"})", {"layer 2: ", "too large"});
}

TEST_F(NetworkFile, RefusesWhatIsTooMuch) {
    expect_no_network(std::string(1'000'000, '['), {"nests deeper"});
    expect_no_network(R"({"layers": [)" + std::string(1'000'000, '['), {"nests deeper"});
    std::string many = R"({"layers": [{})";
    for (int i = 0; i < 2000; ++i) many += ",{}";
    expect_no_network(many + "]}", {"more than 1000 layers"});
    expect_no_network(std::string((most_network_mebibytes << 20) + 1, ' '), {"64 MiB"});
}

TEST_F(NetworkFile, NamesAFileThatCannotBeRead) {
    expect_refused(Reason::malformed, {"none.json: No such"}, [&] { (void)read_network(directory_ / "none.json"); });
    expect_refused(Reason::malformed, {"directory"}, [&] { (void)read_network(directory_.path()); });
    expect_refused(Reason::malformed, {"64 MiB"}, [] { (void)read_network("/dev/zero"); });
}

TEST_F(NetworkFile, IsOptionValue) {
    const ModelOptions model = default_options("esvd_fair");
    const Network network = network_of_all_sizes(7);
    const std::string value = "@" + directory_.write("net.json", network_text(network)).string();
    EXPECT_EQ(option_value(model, "network", value), option_text(NetworkOption(network)));
    EXPECT_EQ(option_value(model, "network", "none"), "none");
    EXPECT_EQ(option_value(model, "means", value), value) << "no file is read for other options";
    EXPECT_EQ(option_value(model, "unknown", value), value);
    EXPECT_EQ(option_value(default_options("safairkm"), "network", value), value);
    expect_refused(Reason::malformed, {"network = @none.json: none.json: No such"},
                   [&] { (void)option_value(model, "network", "@none.json"); });
    expect_refused(Reason::malformed, {"network = @: "}, [&] { (void)option_value(model, "network", "@"); });
}

}  // namespace
}  // namespace fairstream::files
