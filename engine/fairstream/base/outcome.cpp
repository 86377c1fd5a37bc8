#include <fairstream/base/outcome.hpp>

namespace fairstream {

std::string_view to_string(Outcome outcome) noexcept {
    switch (outcome) {
        case Outcome::converged:
            return "converged";
        case Outcome::iteration_limit:
            return "iteration_limit";
        case Outcome::stalled:
            return "stalled";
        case Outcome::warming:
            return "warming";
        case Outcome::unattainable:
            return "unattainable";
    }
    return "unknown_outcome";
}

}  // namespace fairstream
