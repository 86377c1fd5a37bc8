#pragma once
/// Training with a penalty on the difference of two groups' means and variances of outputs: a peer of `esvd_fair` that
/// needs no group for new rows. The gaps are those of the batch, so batches must be large: chance alone separates the
/// means of small ones.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include <fairstream/network/detail/activation.hpp>
#include <fairstream/network/train.hpp>
#include <fairstream/numeric/detail/blocks.hpp>
#include <fairstream/numeric/draws.hpp>

namespace fairstream::benchmarks {

/// MSE + strength ((m_1 - m_0)^2 + spreads (v_1 - v_0)^2), of groups' means m and variances v of the outputs.
struct MomentPenalty {
    double strength = 1;  ///< lambda, at least 0
    double spreads = 0;   ///< lambda_v, at least 0; 0: variances are free
};

/// Returns the derivative of the loss by the outputs, n x 1; groups are 0 and 1. Without rows of both groups: the
/// derivative of the MSE.
inline Matrix loss_slope(std::span<const double> outputs, std::span<const float> targets,
                         std::span<const GroupId> groups, const MomentPenalty& penalty) {
    const std::size_t n = outputs.size();
    double count[2] = {}, mean[2] = {}, variance[2] = {};
    for (std::size_t i = 0; i < n; ++i) count[groups[i]] += 1, mean[groups[i]] += outputs[i];
    const bool both = count[0] > 0 && count[1] > 0;
    for (const std::size_t g : {0, 1}) mean[g] /= std::max(count[g], 1.0);
    for (std::size_t i = 0; i < n; ++i) variance[groups[i]] += std::pow(outputs[i] - mean[groups[i]], 2);
    for (const std::size_t g : {0, 1}) variance[g] /= std::max(count[g], 1.0);
    Matrix slope(n, 1);
    for (std::size_t i = 0; i < n; ++i) {
        const std::size_t g = groups[i];
        slope.at(i, 0) = 2 / static_cast<double>(n) * (outputs[i] - double{targets[i]});
        if (!both) continue;
        const double by_mean = mean[1] - mean[0],
                     by_variance = 2 * (variance[1] - variance[0]) * (outputs[i] - mean[g]);
        slope.at(i, 0) += (g == 1 ? 2 : -2) / count[g] * penalty.strength * (by_mean + penalty.spreads * by_variance);
    }
    return slope;
}

/// Adam on all layers of a network of one output without an activation.
class PenalisedTrainer {
public:
    explicit PenalisedTrainer(const Network& network) {
        for (const Layer& layer : network.layers) {
            const std::size_t p = layer.weights.cols, m = layer.weights.rows;
            Matrix weights(p + 1, m);
            for (std::size_t i = 0; i < m; ++i) {
                for (std::size_t j = 0; j < p; ++j) weights.at(j, i) = layer.weights.at(i, j);
                weights.at(p, i) = layer.bias[i];
            }
            layers_.push_back({std::move(weights), Matrix(p + 1, m), Matrix(p + 1, m), layer.activation});
        }
        inputs_.resize(layers_.size());
    }

    /// Makes one step by these rows, whose last column is of ones.
    void step(Matrix rows, std::span<const float> targets, std::span<const GroupId> groups,
              const MomentPenalty& penalty, double rate) {
        inputs_[0] = std::move(rows);
        for (std::size_t l = 0; l + 1 < layers_.size(); ++l) forward(l);
        const Matrix outputs = product(inputs_.back(), layers_.back().weights);
        Matrix slopes = loss_slope(outputs.values, targets, groups, penalty);
        ++steps_;
        for (std::size_t l = layers_.size(); l-- > 0;) {
            const Matrix of_weights = gram(inputs_[l], slopes);
            if (l > 0) slopes = backward(l, slopes);
            update(layers_[l], of_weights, rate);
        }
    }

    [[nodiscard]] Network network() const {
        Network out;
        for (const Trained& layer : layers_) {
            const std::size_t p = layer.weights.rows - 1, m = layer.weights.cols;
            Layer to{Matrix(m, p), std::vector<double>(m), layer.activation};
            for (std::size_t i = 0; i < m; ++i) {
                for (std::size_t j = 0; j < p; ++j) to.weights.at(i, j) = layer.weights.at(j, i);
                to.bias[i] = layer.weights.at(p, i);
            }
            out.layers.push_back(std::move(to));
        }
        return out;
    }

private:
    // Weights with the bias as their last row, inputs + 1 x outputs, and Adam's means.
    struct Trained {
        Matrix weights, means, squares;
        Activation activation;
    };

    void forward(std::size_t l) {
        const Trained& layer = layers_[l];
        const std::size_t n = inputs_[l].rows, m = layer.weights.cols;
        Matrix& out = inputs_[l + 1];
        out.reshape(n, m + 1);
        multiply(inputs_[l], layer.weights, Block(out, 0, m));
        for (std::size_t i = 0; i < n; ++i) {
            for (std::size_t j = 0; j < m; ++j) out.at(i, j) = activated(layer.activation, out.at(i, j));
            out.at(i, m) = 1;
        }
    }
    [[nodiscard]] Matrix backward(std::size_t l, const Matrix& slopes) const {
        const Matrix turned = transposed(layers_[l].weights);
        Matrix out = product(slopes, columns(turned, 0, inputs_[l].cols - 1));
        for (std::size_t i = 0; i < out.rows; ++i)
            for (std::size_t j = 0; j < out.cols; ++j)
                out.at(i, j) *= slope(layers_[l - 1].activation, inputs_[l].at(i, j));
        return out;
    }
    void update(Trained& layer, const Matrix& slopes, double rate) const {
        constexpr double beta1 = 0.9, beta2 = 0.999, epsilon = 1e-8;
        const double scale1 = 1 - std::pow(beta1, steps_), scale2 = 1 - std::pow(beta2, steps_);
        for (std::size_t e = 0; e < slopes.values.size(); ++e) {
            double& mean = layer.means.values[e];
            double& square = layer.squares.values[e];
            mean += (1 - beta1) * (slopes.values[e] - mean);
            square += (1 - beta2) * (slopes.values[e] * slopes.values[e] - square);
            layer.weights.values[e] -= rate * (mean / scale1) / (std::sqrt(square / scale2) + epsilon);
        }
    }

    std::vector<Trained> layers_;
    std::vector<Matrix> inputs_;  // of each layer
    int steps_ = 0;
};

/// Returns the network with its layers from `training.first_layer` on trained on. `training.patience` has no effect.
inline Network trained_with_penalty(Network network, const TargetRows& rows, std::span<const GroupId> groups,
                                    const MomentPenalty& penalty, const TrainOptions& training) {
    const auto first = network.layers.begin() + static_cast<std::ptrdiff_t>(training.first_layer);
    const std::vector<float> inputs = Evaluation(network, 0, training.first_layer)(rows.rows);
    const std::size_t n = groups.size(), d = inputs.size() / n;
    // Batches have equal numbers of rows: gaps of a short last batch would be chance.
    const std::size_t batches = std::max<std::size_t>(1, n / static_cast<std::size_t>(training.batch));
    PenalisedTrainer trainer({{first, network.layers.end()}});
    std::vector<std::size_t> order(n);
    std::iota(order.begin(), order.end(), std::size_t{0});
    Draws draws(training.seed);
    double rate = training.rate;
    for (int epoch = 0; epoch < training.epochs; ++epoch, rate *= training.decay) {
        for (std::size_t i = n; i > 1; --i) std::swap(order[i - 1], order[draws.below(static_cast<std::uint32_t>(i))]);
        for (std::size_t b = 0; b < batches; ++b) {
            const std::size_t from = n * b / batches, taken = n * (b + 1) / batches - from;
            Matrix of(taken, d + 1);
            std::vector<float> targets;
            std::vector<GroupId> members;
            for (std::size_t at = 0; at < taken; ++at) {
                const std::size_t i = order[from + at];
                for (std::size_t j = 0; j < d; ++j) of.at(at, j) = double{inputs[i * d + j]};
                of.at(at, d) = 1;
                targets.push_back(rows.targets[i]);
                members.push_back(groups[i]);
            }
            trainer.step(std::move(of), targets, members, penalty, rate);
        }
    }
    const Network tail = trainer.network();
    std::ranges::copy(tail.layers, first);
    return network;
}

}  // namespace fairstream::benchmarks
