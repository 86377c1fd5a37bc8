#pragma once
/// How work on a model ends.

#include <cstdint>
#include <string_view>

namespace fairstream {

/// Why a step stopped. None of these is an error: the state is usable after each of them.
enum class Outcome : std::uint8_t {
    converged,        ///< the target is met, or no update improves any more
    iteration_limit,  ///< the step's budget is spent
    stalled,          ///< the target is not met and no update helps
    warming,          ///< too few points to start: points are retained, none is labelled
    unattainable,     ///< the target is not met, and the counts of the points prove that no clustering meets it
};
[[nodiscard]] std::string_view to_string(Outcome outcome) noexcept;

}  // namespace fairstream
