#include <algorithm>

#include <fairstream/fair_kmeans/detail/updates.hpp>
#include <fairstream/numeric/detail/kmeans.hpp>

namespace fairstream::safairkm {

void seed_centres(Clustering& c) {
    const std::vector<Slot> seeds =
        plus_plus_seeds(c.window.features(0), c.window.size(), c.d, c.k, c.random, c.window.weights());
    for (std::size_t l = 0; l < c.k; ++l) std::copy_n(c.window.features(seeds[l]), c.d, &c.state.centres[l * c.d]);
    c.pack();
}

}  // namespace fairstream::safairkm
