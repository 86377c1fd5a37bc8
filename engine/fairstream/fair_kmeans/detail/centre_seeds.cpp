#include <fairstream/fair_kmeans/detail/centre_seeds.hpp>

#include <algorithm>
#include <limits>
#include <map>
#include <utility>

#include <fairstream/numeric/detail/kernels.hpp>
#include <fairstream/numeric/detail/kmeans.hpp>

namespace fairstream::safairkm {

CentreSeeds::CentreSeeds(const Window& window, std::span<const std::uint32_t> attributes, std::size_t clusters)
    : window_(window), k_(clusters), d_(window.dimensions()) {
    std::map<std::vector<GroupId>, std::vector<Slot>> by_groups;
    for (Slot slot = 0; slot < window.size(); ++slot) {
        std::vector<GroupId> groups;
        for (const std::uint32_t a : attributes) groups.push_back(window.group(slot, a));
        by_groups[std::move(groups)].push_back(slot);
    }
    for (auto& [groups, slots] : by_groups) cells_.push_back(std::move(slots));
}

std::vector<float> CentreSeeds::draw(std::size_t number, Random& random) const {
    constexpr std::size_t ways = 3, any = 1, nearest_of = 8;
    std::vector<float> means;
    if (number % ways != 0) means = means_over_groups(number % ways == 1 ? any : nearest_of, random);
    const float* rows = means.empty() ? window_.features(0) : means.data();
    const std::size_t n = means.empty() ? window_.size() : means.size() / d_;
    const std::span<const double> weights = means.empty() ? window_.weights() : std::span<const double>{};
    std::vector<float> centres;
    for (const Slot row : plus_plus_seeds(rows, n, d_, k_, random, weights))
        centres.insert(centres.end(), rows + row * d_, rows + (row + 1) * d_);
    return centres;
}

// Makes means of a point and one point of each of some other cells. From each of these cells, `nearest_of` points are
// drawn and the nearest is used.
std::vector<float> CentreSeeds::means_over_groups(std::size_t nearest_of, Random& random) const {
    constexpr std::size_t least = 256, for_each_cluster = 8, most_joined = 8;
    const std::size_t joined = std::min(most_joined, cells_.size());
    std::vector<float> means;
    for (std::size_t i = 0; i < std::max(least, for_each_cluster * k_); ++i) {
        const std::size_t cell = random.below(static_cast<std::uint32_t>(cells_.size()));
        const float* first = draw_point(cell, random);
        std::vector<float> sum(first, first + d_);
        for (std::size_t c = 1; c < joined; ++c) {
            const float* other = nearest(first, (cell + c) % cells_.size(), nearest_of, random);
            for (std::size_t j = 0; j < d_; ++j) sum[j] += other[j];
        }
        for (const float x : sum) means.push_back(x / static_cast<float>(joined));
    }
    return means;
}

const float* CentreSeeds::draw_point(std::size_t cell, Random& random) const {
    const std::vector<Slot>& slots = cells_[cell];
    return window_.features(slots[random.below(static_cast<std::uint32_t>(slots.size()))]);
}

const float* CentreSeeds::nearest(const float* x, std::size_t cell, std::size_t of, Random& random) const {
    const float* best = nullptr;
    float least = std::numeric_limits<float>::infinity();
    for (std::size_t i = 0; i < of; ++i) {
        const float* other = draw_point(cell, random);
        const auto away = static_cast<float>(kernels().distance(x, other, d_));
        if (best == nullptr || away < least) least = away, best = other;
    }
    return best;
}

}  // namespace fairstream::safairkm
