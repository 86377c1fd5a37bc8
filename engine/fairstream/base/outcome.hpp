#pragma once
/// How a model's step ended, and what it did.

#include <cstdint>
#include <limits>
#include <string_view>

namespace fairstream {

/// Why a step stopped. None of these is an error: the state is usable after each of them.
enum class Outcome : std::uint8_t {
    converged,        ///< the target is met, or no update improves the result
    iteration_limit,  ///< the step's budget is spent
    stalled,          ///< the target is not met and no update helps
    warming,          ///< too few points to start: points are retained but not labelled
    unattainable,     ///< the target is not met, and the group counts prove that no clustering meets it
};
[[nodiscard]] std::string_view to_string(Outcome outcome) noexcept;

/// How a step ended, and what it did.
struct Solve {
    Outcome outcome = Outcome::warming;
    std::int64_t iterations = 0;  ///< rounds of the model's algorithm
    std::int64_t moves = 0;       ///< points that an update of the model moved to another cluster (revisits)
    std::int64_t swaps = 0;       ///< pairs of points exchanged
    double objective = std::numeric_limits<double>::quiet_NaN();  ///< the minimised function, after the step
    bool operator==(const Solve&) const = default;
    template <class Self, class Archive> static void fields(Self& self, Archive& archive) {
        archive(1, self.outcome);
        archive(2, self.iterations);
        archive(3, self.moves);
        archive(4, self.swaps);
        archive(5, self.objective);
    }
};

}  // namespace fairstream
