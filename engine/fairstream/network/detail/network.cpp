#include <fairstream/network/network.hpp>

#include <algorithm>
#include <cassert>
#include <cmath>
#include <string>

#include <fairstream/base/types.hpp>
#include <fairstream/network/detail/activation.hpp>
#include <fairstream/numeric/detail/interruption.hpp>
#include <fairstream/numeric/detail/kernels.hpp>

namespace fairstream {
namespace {

// Rows of a task; the outputs of two layers for them fit into the cache.
constexpr std::size_t rows_at_once = 128;
constexpr double largest_magnitude = 1e15;

[[noreturn]] void refuse(std::size_t layer, const std::string& why) {
    throw InvalidInput(Reason::bad_state, "layer " + std::to_string(layer + 1) + " of the network " + why);
}

bool is_usable(std::span<const double> values) {
    return std::ranges::all_of(values, [](double x) { return std::abs(x) <= largest_magnitude; });
}

}  // namespace

void check(const Network& network) {
    if (network.layers.empty()) throw InvalidInput(Reason::bad_state, "the network has no layers");
    for (std::size_t l = 0; l < network.layers.size(); ++l) {
        const Layer& layer = network.layers[l];
        const Matrix& w = layer.weights;
        if (w.rows == 0 || w.cols == 0) refuse(l, "has no weights");
        if (w.values.size() / w.cols != w.rows || w.values.size() % w.cols != 0)
            refuse(l, "has " + std::to_string(w.values.size()) + " weights for " + std::to_string(w.rows) + " x " +
                          std::to_string(w.cols));
        if (layer.bias.size() != w.rows)
            refuse(l,
                   "has " + std::to_string(layer.bias.size()) + " biases for " + std::to_string(w.rows) + " outputs");
        if (l > 0 && network.layers[l - 1].weights.rows != w.cols)
            refuse(l, "has " + std::to_string(w.cols) + " inputs, but the outputs of the layer before it are " +
                          std::to_string(network.layers[l - 1].weights.rows));
        if (layer.activation > Activation::sigmoid) refuse(l, "has an unknown activation");
        if (!is_usable(w.values) || !is_usable(layer.bias))
            refuse(l, "has a weight or bias that is not finite, or is above 1e15 in magnitude");
    }
}

Evaluation::Evaluation(const Network& network, std::size_t first, std::size_t last) {
    last = std::min(last, network.layers.size());
    first = std::min(first, last);
    inputs_ = first < network.layers.size() ? network.layers[first].weights.cols : network.outputs();
    outputs_ = inputs_;
    for (std::size_t l = first; l < last; ++l) {
        const Layer& layer = network.layers[l];
        const Matrix& w = layer.weights;
        Packed packed{w.cols, w.rows, product_padding(w.rows), {}, {}, layer.activation};
        packed.weights.assign(packed.inputs * packed.stride, 0.0F);
        packed.bias.assign(packed.stride, 0.0F);
        for (std::size_t i = 0; i < w.rows; ++i) {
            for (std::size_t j = 0; j < w.cols; ++j)
                packed.weights[j * packed.stride + i] = static_cast<float>(w.at(i, j));
            packed.bias[i] = static_cast<float>(layer.bias[i]);
        }
        widest_ = std::max(widest_, packed.outputs);
        outputs_ = packed.outputs;
        layers_.push_back(std::move(packed));
    }
}

void Evaluation::operator()(ConstRows rows, std::span<float> out) const {
    const std::size_t n = inputs_ == 0 ? 0 : rows.size() / inputs_;
    assert(out.size() == n * outputs_);
    if (layers_.empty()) {
        std::ranges::copy(rows, out.begin());
        return;
    }
    parallel_for(std::size_t{0}, (n + rows_at_once - 1) / rows_at_once, [&](std::size_t block) {
        const std::size_t begin = block * rows_at_once, count = std::min(rows_at_once, n - begin);
        std::vector<float> here(count * widest_), next(count * widest_);
        const float* from = rows.data() + begin * inputs_;
        for (const Packed& layer : layers_) {
            const bool ends = &layer == &layers_.back();
            float* const to = ends ? out.data() + begin * outputs_ : next.data();
            for (std::size_t i = 0; i < count; ++i)
                std::copy_n(layer.bias.data(), layer.outputs, to + i * layer.outputs);
            kernels().add_product_float(from, layer.inputs, 1, count, layer.inputs, layer.weights.data(), layer.stride,
                                        layer.outputs, to, layer.outputs);
            if (layer.activation != Activation::identity)
                for (float& x : std::span(to, count * layer.outputs)) x = activated(layer.activation, x);
            if (ends) break;
            std::swap(here, next);
            from = here.data();
        }
    });
}

std::vector<float> Evaluation::operator()(ConstRows rows) const {
    std::vector<float> out(inputs_ == 0 ? 0 : rows.size() / inputs_ * outputs_);
    (*this)(rows, out);
    return out;
}

}  // namespace fairstream
