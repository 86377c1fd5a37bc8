#pragma once
/// The network of esvd_fair as it is trained, and its last layer as it is found.

#include <cstdint>
#include <span>
#include <vector>

#include <fairstream/models/esvd_fair/detail/model.hpp>

namespace fairstream::esvd_fair {

/// Returns an output as a prediction, which is finite: rows and weights may be so large that the output is not.
[[nodiscard]] Score prediction_of(float output);

/// Returns the groups of an attribute, n, of points with the groups of all `attributes`; all 0 without any.
[[nodiscard]] std::vector<GroupId> own_groups(const State& state, int attribute, std::span<const GroupId> groups,
                                              std::size_t points);

/// Makes a layer of inputs x one of inputs `factors` x + `shifts`, with the same outputs.
void re_express_inputs(Layer& layer, std::span<const double> factors, std::span<const double> shifts);

/// Returns a network trained on the points of the window, `from` on where that has layers, with `epochs`.
[[nodiscard]] Network trained_on(const Options& options, const Window& window, const Network& from, int epochs,
                                 const WorkHandle& work = {});

/// Returns n x p: what the layers before the last make of the rows.
[[nodiscard]] std::vector<float> last_inputs(const Network& network, ConstRows rows);
/// Returns n x (p + 1): inputs of the last layer, each followed by the target, or 0.
[[nodiscard]] std::vector<float> with_targets(std::span<const float> inputs, std::size_t p,
                                              std::span<const float> targets);
/// Sums the moments of `state` anew from the points of the window.
void sum_moments(const Options& options, const Window& window, State& state);

/// Returns the number of known groups with points enough to be compared.
[[nodiscard]] std::uint32_t compared_groups(const State& state);

/// Finds the last layer from the moments, and the predictions of all retained points by it.
void find_solution(const Options& options, const Window& window, State& state, const WorkHandle& work = {});

}  // namespace fairstream::esvd_fair
