#pragma once
/// The training of esvd_fair's network, and the solution for its last layer.

#include <cstdint>
#include <span>
#include <vector>

#include <fairstream/models/esvd_fair/detail/model.hpp>

namespace fairstream::esvd_fair {

/// Returns an output as a finite prediction; the output may be infinite if rows and weights are very large.
[[nodiscard]] Score prediction_of(float output);

/// Returns the groups of one attribute, n, of points with the groups of all `attributes`; all 0 if there are none.
[[nodiscard]] std::vector<GroupId> groups_of_attribute(const State& state, int attribute,
                                                       std::span<const GroupId> groups, std::size_t points);

/// Changes a layer of inputs x to one of inputs `factors` x + `shifts`, with the same outputs.
void re_express_inputs(Layer& layer, std::span<const double> factors, std::span<const double> shifts);

/// Returns a network trained for `epochs` on the points of the window, starting from `from` if that has layers.
[[nodiscard]] Network trained_on(const Options& options, const Window& window, const Network& from, int epochs,
                                 const WorkHandle& work = {});

/// Returns the outputs of the layers before the last for these rows, n x p.
[[nodiscard]] std::vector<float> last_inputs(const Network& network, ConstRows rows);
/// Returns n x (p + 1): inputs of the last layer, each row followed by its target, or by 0.
[[nodiscard]] std::vector<float> with_targets(std::span<const float> inputs, std::size_t p,
                                              std::span<const float> targets);
/// Computes the moments of `state` afresh from the points of the window.
void sum_moments(const Options& options, const Window& window, State& state);

/// Returns the number of known groups with enough points to be compared.
[[nodiscard]] std::uint32_t compared_groups(const State& state);

/// Finds the last layer from the moments, and with it the predictions of all retained points.
void find_solution(const Options& options, const Window& window, State& state, const WorkHandle& work = {});

}  // namespace fairstream::esvd_fair
