#include <fairstream/network/train.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <string>
#include <utility>

#include <fairstream/base/refuse_option.hpp>
#include <fairstream/base/types.hpp>
#include <fairstream/network/detail/activation.hpp>
#include <fairstream/numeric/detail/blocks.hpp>
#include <fairstream/numeric/detail/interruption.hpp>
#include <fairstream/numeric/detail/linear_algebra.hpp>
#include <fairstream/numeric/detail/random.hpp>
#include <fairstream/numeric/group_moments.hpp>

namespace fairstream {
namespace {

void check(const TrainOptions& options) {
    if (options.epochs < 1 || options.epochs > 1'000'000) refuse_option("epochs", options.epochs, "[1, 1e6]");
    if (options.batch < 1 || options.batch > 1'000'000) refuse_option("batch", options.batch, "[1, 1e6]");
    if (!(options.rate > 0 && options.rate <= 1)) refuse_option("rate", options.rate, "(0, 1]");
    if (!(options.decay > 0 && options.decay <= 1)) refuse_option("decay", options.decay, "(0, 1]");
    if (options.patience < 0 || options.patience > 1'000'000) refuse_option("patience", options.patience, "[0, 1e6]");
}

std::size_t rows_of(const Network& network, const TargetRows& rows) {
    const std::size_t n = network.inputs() == 0 ? 0 : rows.rows.size() / network.inputs();
    if (rows.rows.size() != n * network.inputs() || rows.targets.size() != n * network.outputs() ||
        (!rows.weights.empty() && rows.weights.size() != n))
        throw InvalidInput(Reason::wrong_shape,
                           std::to_string(rows.rows.size()) + " values and " + std::to_string(rows.targets.size()) +
                               " targets do not fit a network of " + std::to_string(network.inputs()) + " inputs and " +
                               std::to_string(network.outputs()) + " outputs");
    return n;
}

// A layer in training: (inputs + 1) x outputs weights, with the bias as last row, and Adam's moving means.
struct Trained {
    Matrix weights, means, squares;
    Activation activation;
};

class Trainer {
public:
    Trainer(const Network& network, const TrainOptions& options) : first_(options.first_layer) {
        for (const Layer& layer : network.layers) {
            const std::size_t p = layer.weights.cols, m = layer.weights.rows;
            Matrix weights(p + 1, m);
            for (std::size_t i = 0; i < m; ++i) {
                for (std::size_t j = 0; j < p; ++j) weights.at(j, i) = layer.weights.at(i, j);
                weights.at(p, i) = layer.bias[i];
            }
            layers_.push_back({std::move(weights), Matrix(p + 1, m), Matrix(p + 1, m), layer.activation});
        }
        active_.resize(layers_.size() + 1);
    }

    // Takes one step on the rows with these indices.
    void step(const TargetRows& rows, std::span<const std::uint32_t> at, double rate) {
        load(rows, at);
        for (std::size_t l = 0; l < layers_.size(); ++l) forward(l);
        Matrix gradient = error(rows, at);
        ++steps_;
        for (std::size_t l = layers_.size(); l-- > first_;) {
            const Matrix of_weights = gram(active_[l], gradient);
            if (l > first_) gradient = backward(l, gradient);
            update(layers_[l], of_weights, rate);
        }
    }

    void copy_to(Network& network) const {
        for (std::size_t l = first_; l < layers_.size(); ++l) {
            Layer& layer = network.layers[l];
            const std::size_t p = layer.weights.cols;
            for (std::size_t i = 0; i < layer.weights.rows; ++i) {
                for (std::size_t j = 0; j < p; ++j) layer.weights.at(i, j) = layers_[l].weights.at(j, i);
                layer.bias[i] = layers_[l].weights.at(p, i);
            }
        }
    }

private:
    // The inputs of every layer have a last column of ones.
    void load(const TargetRows& rows, std::span<const std::uint32_t> at) {
        const std::size_t d = layers_.front().weights.rows - 1;
        active_[0].reshape(at.size(), d + 1);
        for (std::size_t i = 0; i < at.size(); ++i) {
            for (std::size_t j = 0; j < d; ++j) active_[0].at(i, j) = double{rows.rows[at[i] * d + j]};
            active_[0].at(i, d) = 1;
        }
    }
    void forward(std::size_t l) {
        const std::size_t n = active_[l].rows, m = layers_[l].weights.cols;
        Matrix& out = active_[l + 1];
        out.reshape(n, m + 1);
        multiply(active_[l], layers_[l].weights, Block(out, 0, m));
        for (std::size_t i = 0; i < n; ++i) {
            for (std::size_t j = 0; j < m; ++j) out.at(i, j) = activated(layers_[l].activation, out.at(i, j));
            out.at(i, m) = 1;
        }
    }
    // Returns the derivative of the weighted mean squared error by the inputs of the last layer's activation.
    [[nodiscard]] Matrix error(const TargetRows& rows, std::span<const std::uint32_t> at) const {
        const Matrix& out = active_.back();
        const std::size_t m = out.cols - 1;
        Matrix gradient(at.size(), m);
        double mass = 0;
        for (const std::uint32_t i : at) mass += rows.weights.empty() ? 1 : rows.weights[i];
        for (std::size_t i = 0; i < at.size() && mass > 0; ++i) {
            const double weight = (rows.weights.empty() ? 1 : rows.weights[at[i]]) / mass;
            for (std::size_t j = 0; j < m; ++j)
                gradient.at(i, j) = 2 * weight / static_cast<double>(m) *
                                    (out.at(i, j) - double{rows.targets[at[i] * m + j]}) *
                                    slope(layers_.back().activation, out.at(i, j));
        }
        return gradient;
    }
    // Returns the derivative by the inputs of the activation of layer l - 1.
    [[nodiscard]] Matrix backward(std::size_t l, const Matrix& gradient) const {
        const Matrix& inputs = active_[l];
        Matrix out(inputs.rows, inputs.cols - 1);
        Matrix turned = transposed(layers_[l].weights);
        multiply(gradient, columns(turned, 0, out.cols), Block(out));
        for (std::size_t i = 0; i < out.rows; ++i)
            for (std::size_t j = 0; j < out.cols; ++j)
                out.at(i, j) *= slope(layers_[l - 1].activation, inputs.at(i, j));
        return out;
    }
    void update(Trained& layer, const Matrix& gradient, double rate) const {
        constexpr double beta1 = 0.9, beta2 = 0.999, epsilon = 1e-8;
        const double scale1 = 1 - std::pow(beta1, steps_), scale2 = 1 - std::pow(beta2, steps_);
        for (std::size_t e = 0; e < gradient.values.size(); ++e) {
            const double g = gradient.values[e];
            double& mean = layer.means.values[e];
            double& square = layer.squares.values[e];
            mean += (1 - beta1) * (g - mean);
            square += (1 - beta2) * (g * g - square);
            layer.weights.values[e] -= rate * (mean / scale1) / (std::sqrt(square / scale2) + epsilon);
        }
    }

    std::size_t first_;
    std::vector<Trained> layers_;
    std::vector<Matrix> active_;  // inputs of each layer, then the outputs
    std::int64_t steps_ = 0;
};

}  // namespace

Network random_network(std::span<const std::size_t> widths, Activation hidden, std::uint64_t seed) {
    Random random(seed, 31);
    Network network;
    for (std::size_t l = 0; l + 1 < widths.size(); ++l) {
        const double bound = 1 / std::sqrt(static_cast<double>(widths[l]));
        Layer layer{Matrix(widths[l + 1], widths[l]), std::vector<double>(widths[l + 1]),
                    l + 2 < widths.size() ? hidden : Activation::identity};
        for (double& value : layer.weights.values) value = bound * (2 * random.unit() - 1);
        for (double& value : layer.bias) value = bound * (2 * random.unit() - 1);
        network.layers.push_back(std::move(layer));
    }
    return network;
}

double mean_squared_error(const Network& network, const TargetRows& rows) {
    (void)rows_of(network, rows);
    return mean_squared_error(Evaluation(network)(rows.rows), rows);
}

double mean_squared_error(std::span<const float> outputs, const TargetRows& rows) {
    if (outputs.size() != rows.targets.size())
        throw InvalidInput(Reason::wrong_shape, std::to_string(outputs.size()) + " outputs for " +
                                                    std::to_string(rows.targets.size()) + " targets");
    const std::size_t n = rows.weights.empty() ? outputs.size() : rows.weights.size();
    const std::size_t m = n == 0 ? 0 : outputs.size() / n;
    double sum = 0, mass = 0;
    for (std::size_t i = 0; i < n; ++i) {
        const double weight = rows.weights.empty() ? 1 : rows.weights[i];
        double square = 0;
        for (std::size_t j = 0; j < m; ++j) {
            const double gap = double{outputs[i * m + j]} - double{rows.targets[i * m + j]};
            square += gap * gap;
        }
        sum += weight * square / static_cast<double>(m);
        mass += weight;
    }
    return mass > 0 ? sum / mass : std::numeric_limits<double>::quiet_NaN();
}

Network trained(Network network, const TargetRows& rows, const TrainOptions& options, const TargetRows& held_back,
                const WorkHandle& work) {
    check(options);
    check(network);
    const std::size_t n = rows_of(network, rows);
    if (options.first_layer >= network.layers.size())
        refuse_option("first_layer", static_cast<double>(options.first_layer), "[0, layers)");
    const bool watches = options.patience > 0 && rows_of(network, held_back) > 0;
    if (n == 0) return network;
    Trainer trainer(network, options);
    std::vector<std::uint32_t> order(n);
    std::iota(order.begin(), order.end(), 0U);
    Random random(options.seed, 32);
    Network best = network;
    double least = watches ? mean_squared_error(network, held_back) : 0, rate = options.rate;
    constexpr std::size_t steps_between_signs = 16;
    constexpr double ways = 2;  // multiply-adds counted per weight and row
    double of_row = 0;
    for (const Layer& layer : network.layers) of_row += ways * static_cast<double>(layer.weights.values.size());
    const auto batch = static_cast<std::size_t>(options.batch);
    bool goes_on = true;
    for (int epoch = 0, since = 0; epoch < options.epochs && (!watches || since < options.patience) && goes_on;
         ++epoch) {
        for (std::size_t i = n; i > 1; --i) std::swap(order[i - 1], order[random.below(static_cast<std::uint32_t>(i))]);
        for (std::size_t first = 0; first < n && goes_on; first += batch) {
            check_interrupted();
            trainer.step(rows, std::span(order).subspan(first, std::min(batch, n - first)), rate);
            const std::size_t seen = std::min(first + batch, n);
            work.settle(of_row * static_cast<double>(seen - first));
            if (seen < n && (first / batch + 1) % steps_between_signs != 0) continue;
            const double of_epoch = static_cast<double>(seen) / static_cast<double>(n);
            goes_on =
                work.report_progress((epoch + of_epoch) / options.epochs, epoch + (seen == n ? 1 : 0), options.epochs);
        }
        rate *= options.decay;
        if (!watches) continue;
        trainer.copy_to(network);
        const double error = mean_squared_error(network, held_back);
        ++since;
        if (error < least) least = error, best = network, since = 0;
    }
    if (watches) return best;
    trainer.copy_to(network);
    return network;
}

void fit_by_least_squares(Layer& layer, const Moments& inputs_and_targets, double ridge) {
    if (layer.activation != Activation::identity)
        throw InvalidInput(Reason::bad_option,
                           "a refit by least squares needs a last layer without activation (identity)");
    if (!(inputs_and_targets.mass > 0)) return;
    const std::size_t p = layer.weights.cols, m = layer.weights.rows;
    const Matrix covariance = inputs_and_targets.covariance();
    Matrix normal(p, p);
    double mean_variance = 0, mean_square = 0;
    for (std::size_t i = 0; i < p; ++i) {
        for (std::size_t j = 0; j < p; ++j) normal.at(i, j) = covariance.at(i, j);
        mean_variance += normal.at(i, i) / static_cast<double>(p);
        mean_square += inputs_and_targets.mean[i] * inputs_and_targets.mean[i] / static_cast<double>(p);
    }
    // Inputs that are constant up to rounding carry no information; without this bound, weights would fit rounding
    // errors.
    const double least = 1e-12 * (mean_variance + mean_square);
    for (std::size_t j = 0; j < p; ++j) normal.at(j, j) += std::max({ridge * mean_variance, least, 1e-30});
    const Cholesky factor(normal);
    if (!factor.positive_definite()) return;
    for (std::size_t k = 0; k < m; ++k) {
        Vector products = xt::zeros<double>({p});
        for (std::size_t j = 0; j < p; ++j) products(j) = covariance.at(p + k, j);
        const Vector found = factor.solve(products);
        layer.bias[k] = inputs_and_targets.mean[p + k];
        for (std::size_t j = 0; j < p; ++j) {
            layer.weights.at(k, j) = found(j);
            layer.bias[k] -= found(j) * inputs_and_targets.mean[j];
        }
    }
}

Network with_last_layer_refitted(Network network, const TargetRows& rows, double ridge) {
    check(network);
    const std::size_t n = rows_of(network, rows), last = network.layers.size() - 1;
    Layer& layer = network.layers[last];
    const std::size_t p = layer.weights.cols, m = layer.weights.rows;
    const std::vector<float> inputs = Evaluation(network, 0, last)(rows.rows);
    std::vector<float> joined(n * (p + m));
    for (std::size_t i = 0; i < n; ++i) {
        const auto at = joined.begin() + static_cast<std::ptrdiff_t>(i * (p + m));
        std::copy_n(inputs.begin() + static_cast<std::ptrdiff_t>(i * p), p, at);
        std::ranges::copy(rows.targets.subspan(i * m, m), at + static_cast<std::ptrdiff_t>(p));
    }
    const std::vector<GroupId> one(n, 0);
    fit_by_least_squares(layer, moments_of_groups({joined, one, rows.weights}, 1, p + m)[0], ridge);
    return network;
}

}  // namespace fairstream
