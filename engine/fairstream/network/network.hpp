#pragma once
/// Feed-forward networks: layers of weights, biases and activations, and their evaluation.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include <fairstream/base/types.hpp>
#include <fairstream/numeric/matrix.hpp>

namespace fairstream {

enum class Activation : std::uint8_t {
    identity,
    relu,  ///< max(0, z)
    tanh,
    sigmoid,  ///< 1 / (1 + exp(-z))
};
inline constexpr std::string_view activation_names[] = {"identity", "relu", "tanh", "sigmoid"};

/// x -> activation(weights x + bias).
struct Layer {
    Matrix weights;            ///< outputs x inputs
    std::vector<double> bias;  ///< outputs
    Activation activation = Activation::identity;

    bool operator==(const Layer&) const = default;
    template <class Self, class Archive> static void fields(Self& self, Archive& archive) {
        archive(1, self.weights);
        archive(2, self.bias);
        archive(3, self.activation);
    }
};

struct Network {
    std::vector<Layer> layers;

    [[nodiscard]] std::size_t inputs() const noexcept { return layers.empty() ? 0 : layers.front().weights.cols; }
    [[nodiscard]] std::size_t outputs() const noexcept { return layers.empty() ? 0 : layers.back().weights.rows; }

    bool operator==(const Network&) const = default;
    template <class Self, class Archive> static void fields(Self& self, Archive& archive) { archive(1, self.layers); }
};

/// Throws `InvalidInput` (bad_state) for a network without layers, for sizes that do not fit or are 0, and for numbers
/// that are not finite, or above 1e15 in magnitude. The text names the layer, counted from 1.
void check(const Network& network);

/// Some layers of a network, prepared for evaluation in float32. The outputs of a row depend only on that row, not on
/// the other rows of a call, on threads, or on how a file was divided. Safe from many threads.
class Evaluation {
public:
    /// Takes layers [first, last) of a network that `check` accepts; `last` beyond the end: to the end.
    explicit Evaluation(const Network& network, std::size_t first = 0, std::size_t last = SIZE_MAX);

    [[nodiscard]] std::size_t inputs() const noexcept { return inputs_; }
    [[nodiscard]] std::size_t outputs() const noexcept { return outputs_; }
    /// Writes the outputs of rows, n x inputs, to `out`, n x outputs; without layers the outputs are the rows
    /// themselves.
    void operator()(ConstRows rows, std::span<float> out) const;
    [[nodiscard]] std::vector<float> operator()(ConstRows rows) const;

private:
    struct Packed {
        std::size_t inputs, outputs, stride;
        std::vector<float> weights;  // inputs x stride: transposed, padded
        std::vector<float> bias;     // stride
        Activation activation;
    };
    std::size_t inputs_ = 0, outputs_ = 0, widest_ = 0;
    std::vector<Packed> layers_;
};

}  // namespace fairstream
