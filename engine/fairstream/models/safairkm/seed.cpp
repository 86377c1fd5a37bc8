#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include <fairstream/models/safairkm/updates.hpp>

namespace fairstream::safairkm {
namespace {

// A slot drawn with probability proportional to `weights`; uniform when all are zero (fewer distinct points than
// seeds).
Slot draw(Random& random, const std::vector<double>& weights, double total) {
    const auto n = static_cast<std::uint32_t>(weights.size());
    if (!(total > 0)) return random.below(n);
    double rest = random.unit() * total;
    for (Slot slot = 0; slot < n; ++slot) {
        rest -= weights[slot];
        if (rest < 0) return slot;
    }
    return n - 1;
}

}  // namespace

void seed_centres(Clustering& c) {
    const Slot n = c.window.size();
    const auto distances_to = [&](Slot seed, const std::vector<double>& nearest, std::vector<double>& out) {
        double total = 0;
        for (Slot slot = 0; slot < n; ++slot) {
            out[slot] =
                std::min(nearest[slot], c.kernels.distance(c.window.features(slot), c.window.features(seed), c.d));
            total += out[slot];
        }
        return total;
    };
    std::vector<double> nearest(n, std::numeric_limits<double>::infinity()), trial(n), best(n);
    const int trials = 2 + static_cast<int>(std::log(static_cast<double>(c.k)));
    double total = 0;
    for (std::size_t l = 0; l < c.k; ++l) {
        double least = std::numeric_limits<double>::infinity();
        Slot chosen = 0;
        for (int t = 0; t < (l == 0 ? 1 : trials); ++t) {
            const Slot seed = l == 0 ? c.random.below(n) : draw(c.random, nearest, total);
            if (const double sum = distances_to(seed, nearest, trial); sum < least) {
                least = sum;
                chosen = seed;
                std::swap(best, trial);
            }
        }
        std::swap(nearest, best);
        total = least;
        std::copy_n(c.window.features(chosen), c.d, &c.state.centres[l * c.d]);
    }
    c.pack();
}

}  // namespace fairstream::safairkm
