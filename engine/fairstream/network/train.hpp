#pragma once
/// Training of networks by mean squared error with Adam (D. Kingma, J. Ba, "Adam: a method for stochastic
/// optimization", 2015). The rate decays from epoch to epoch, and training may end early when held-back rows no longer
/// improve. For demonstrations, comparisons and small networks. The same seed gives the same numbers, at any number of
/// threads.

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include <fairstream/base/work_handle.hpp>
#include <fairstream/network/network.hpp>
#include <fairstream/numeric/group_moments.hpp>

namespace fairstream {

/// Rows and their targets.
struct TargetRows {
    ConstRows rows;                     ///< n x inputs
    std::span<const float> targets;     ///< n x outputs
    std::span<const double> weights{};  ///< n, at least 0, not all 0; empty: 1 each
};

struct TrainOptions {
    int epochs = 20;              ///< in [1, 1e6]
    int batch = 128;              ///< rows per step, in [1, 1e6]
    double rate = 1e-3;           ///< learning rate of the first epoch, in (0, 1]
    double decay = 0.8;           ///< ratio of an epoch's rate to that of the epoch before, in (0, 1]
    std::size_t first_layer = 0;  ///< layers before it are not trained
    /// Training ends after this many epochs without a lower error on held-back rows, and returns the network of the
    /// lowest error; 0: all epochs are run. In [0, 1e6].
    int patience = 0;
    std::uint64_t seed = 1;  ///< seed of the order of rows
};

/// Returns a network of these widths, inputs first. Hidden layers have the activation `hidden`, the last layer has
/// none. Weights and biases are uniform in +-1/sqrt(inputs of the layer).
[[nodiscard]] Network random_network(std::span<const std::size_t> widths, Activation hidden, std::uint64_t seed);

/// Returns the network after training on `rows`. `held_back` decides when to end if `patience` is above 0. Throws
/// `InvalidInput` (bad_option) for an option out of range, (wrong_shape) for rows that do not fit. Reports its steps to
/// `work`; if that ends the work, returns the network trained so far.
[[nodiscard]] Network trained(Network network, const TargetRows& rows, const TrainOptions& options,
                              const TargetRows& held_back = {}, const WorkHandle& work = {});

/// Returns the weighted mean over rows of the squared error, which is a mean over outputs; NaN without rows.
[[nodiscard]] double mean_squared_error(const Network& network, const TargetRows& rows);
/// Returns the mean squared error for known outputs, one row of outputs for each row of `rows`.
[[nodiscard]] double mean_squared_error(std::span<const float> outputs, const TargetRows& rows);

/// Fits a layer without activation by least squares. `inputs_and_targets` are the moments of rows of p inputs followed
/// by m targets. Weights W and bias b minimise the sum of w |W x + b - y|^2 + ridge |W|^2, with `ridge` relative to the
/// mean variance of the inputs times the weight of all rows (ESVDFair (20), centred). Without rows the layer does not
/// change.
void fit_by_least_squares(Layer& layer, const Moments& inputs_and_targets, double ridge);

/// Returns the network with its last layer, which must have no activation, fitted to the rows by least squares.
[[nodiscard]] Network with_last_layer_refitted(Network network, const TargetRows& rows, double ridge = 1e-6);

}  // namespace fairstream
