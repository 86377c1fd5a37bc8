#pragma once
/// Training of networks by mean squared error: Adam, whose rate decays from epoch to epoch (D. Kingma, J. Ba, "Adam: a
/// method for stochastic optimization", 2015), and ending early where held-back rows get no better. For demonstrations,
/// comparisons and small networks; the same numbers from the same seed, whatever the threads.

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include <fairstream/base/work_handle.hpp>
#include <fairstream/network/network.hpp>
#include <fairstream/numeric/group_moments.hpp>

namespace fairstream {

/// Rows, and what a network shall make of each.
struct TargetRows {
    ConstRows rows;                     ///< n x inputs
    std::span<const float> targets;     ///< n x outputs
    std::span<const double> weights{};  ///< n, at least 0, not all 0; empty: 1 each
};

struct TrainOptions {
    int epochs = 20;              ///< in [1, 1e6]
    int batch = 128;              ///< rows of a step, in [1, 1e6]
    double rate = 1e-3;           ///< of the first epoch, in (0, 1]
    double decay = 0.8;           ///< rate of an epoch over that of the one before, in (0, 1]
    std::size_t first_layer = 0;  ///< layers before it stay as they are
    /// Epochs without a lower error on held-back rows after which training ends, with the layers of the lowest; 0: all
    /// epochs are made. In [0, 1e6].
    int patience = 0;
    std::uint64_t seed = 1;  ///< of the order of rows
};

/// Returns a network of these widths, inputs first, whose hidden layers have one activation and whose last has none;
/// weights and biases uniform in +-1/sqrt(inputs of the layer).
[[nodiscard]] Network random_network(std::span<const std::size_t> widths, Activation hidden, std::uint64_t seed);

/// Returns the network after training on `rows`. `held_back` decides when to end, where `patience` is above 0. Throws
/// `InvalidInput` (bad_option) for an option out of its range, (wrong_shape) for rows that do not fit. Tells `work` of
/// its steps; asked to end, it returns the network as it is then.
[[nodiscard]] Network trained(Network network, const TargetRows& rows, const TrainOptions& options,
                              const TargetRows& held_back = {}, const WorkHandle& work = {});

/// Returns the mean over rows, by weight, of the squared error, a mean over outputs; NaN without rows.
[[nodiscard]] double mean_squared_error(const Network& network, const TargetRows& rows);
/// Does so for outputs that are known, n x the network's.
[[nodiscard]] double mean_squared_error(std::span<const float> outputs, const TargetRows& rows);

/// Fits a layer without activation by least squares to rows of whose p inputs and m targets, one after the other in
/// p + m values, these are the moments: weights and bias that minimise the sum of w |W x + b - y|^2 + ridge |W|^2,
/// `ridge` in parts of the mean of the inputs' variances times the weight of all rows (ESVDFair (20), centred). Leaves
/// it as it is where there are no rows.
void fit_by_least_squares(Layer& layer, const Moments& inputs_and_targets, double ridge);

/// Returns the network with its last layer, which has no activation, fitted to the rows by least squares.
[[nodiscard]] Network with_last_layer_refitted(Network network, const TargetRows& rows, double ridge = 1e-6);

}  // namespace fairstream
