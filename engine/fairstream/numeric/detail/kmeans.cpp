#include <fairstream/numeric/detail/kmeans.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include <fairstream/numeric/detail/blocks.hpp>
#include <fairstream/numeric/detail/interruption.hpp>
#include <fairstream/numeric/detail/kernels.hpp>
#include <fairstream/numeric/detail/measured_rows.hpp>

namespace fairstream {
namespace {

constexpr int round_limit = 300;

// Returns a row drawn with probability proportional to `weights`; uniform if all are zero (fewer distinct rows than
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

struct Rounds {
    const float* rows;
    std::span<const double> weights;
    std::size_t n, d, k;
    KMeans result;
    std::vector<float> packed;
    std::vector<std::int64_t> sizes;

    // Assigns rows to their nearest centres; returns whether any label changed.
    bool assign() {
        packed.resize(packed_size(k, d));
        pack_centres(result.centres.data(), k, d, packed.data());
        const std::vector<ClusterId> before = result.labels;
        for_row_blocks(n, [&](std::size_t first, std::size_t last) {
            kernels().assign(rows + first * d, last - first, d, packed.data(), k, &result.labels[first]);
        });
        return before != result.labels;
    }
    void take_means() { sizes = fairstream::take_means(rows, n, d, result.labels, k, result.centres, weights); }
    [[nodiscard]] double away(std::size_t i) const {
        return kernels().distance(rows + i * d, &result.centres[static_cast<std::size_t>(result.labels[i]) * d], d);
    }
    // Moves each empty centre to the farthest row, each to a different row; returns whether any centre was moved.
    bool fill_empty() {
        bool moved = false;
        for (std::size_t l = 0; l < k; ++l) {
            if (sizes[l] > 0) continue;
            std::size_t farthest = n;
            double most = 0;
            for (std::size_t i = 0; i < n; ++i)
                if (const double here = away(i); here > most) most = here, farthest = i;
            if (farthest == n) continue;
            std::copy_n(rows + farthest * d, d, &result.centres[l * d]);
            --sizes[static_cast<std::size_t>(result.labels[farthest])];
            result.labels[farthest] = static_cast<ClusterId>(l);
            sizes[l] = 1;
            moved = true;
        }
        return moved;
    }
};

std::vector<std::int64_t> take_weighted_means(const float* rows, std::size_t d, std::span<const ClusterId> labels,
                                              std::size_t k, std::span<float> centres,
                                              std::span<const double> weights) {
    std::vector<double> sums(k * d, 0.0), masses(k, 0.0);
    std::vector<std::int64_t> sizes(k, 0);
    for (std::size_t i = 0; i < labels.size(); ++i) {
        if (labels[i] == no_cluster) continue;
        const auto l = static_cast<std::size_t>(labels[i]);
        ++sizes[l];
        masses[l] += weights[i];
        for (std::size_t j = 0; j < d; ++j) sums[l * d + j] += weights[i] * static_cast<double>(rows[i * d + j]);
    }
    for (std::size_t l = 0; l < k; ++l)
        for (std::size_t j = 0; sizes[l] > 0 && j < d; ++j)
            centres[l * d + j] = static_cast<float>(sums[l * d + j] / masses[l]);
    return sizes;
}

}  // namespace

std::vector<std::int64_t> take_means(const float* rows, std::size_t n, std::size_t d, std::span<const ClusterId> labels,
                                     std::size_t k, std::span<float> centres, std::span<const double> weights) {
    if (!weights.empty()) return take_weighted_means(rows, d, labels, k, centres, weights);
    std::vector<double> sums(k * d, 0.0), squares(k, 0.0);
    std::vector<std::int64_t> sizes(k, 0);
    kernels().accumulate(rows, n, d, labels.data(), 1.0, nullptr, sums.data(), squares.data());
    for (const ClusterId label : labels)
        if (label != no_cluster) ++sizes[static_cast<std::size_t>(label)];
    for (std::size_t l = 0; l < k; ++l)
        for (std::size_t j = 0; sizes[l] > 0 && j < d; ++j)
            centres[l * d + j] = static_cast<float>(sums[l * d + j] / static_cast<double>(sizes[l]));
    return sizes;
}

std::vector<Slot> plus_plus_seeds(const float* rows, std::size_t n, std::size_t d, std::size_t k, Random& random,
                                  std::span<const double> weights) {
    const auto first_seed = [&] {
        if (weights.empty()) return random.below(static_cast<std::uint32_t>(n));
        return draw(random, {weights.begin(), weights.end()}, std::accumulate(weights.begin(), weights.end(), 0.0));
    };
    std::vector<std::uint32_t> order(n);
    std::iota(order.begin(), order.end(), 0U);
    MeasuredRows measured;
    measured.copy(rows, d, order);
    std::vector<double> nearest(n, std::numeric_limits<double>::infinity());
    double total = 0;
    const std::size_t trials = 2 + static_cast<std::size_t>(std::log(static_cast<double>(k)));
    std::vector<Slot> seeds;
    std::vector<float> candidates, away;
    for (std::size_t l = 0; l < k; ++l) {
        check_interrupted();
        std::vector<Slot> drawn{l == 0 ? first_seed() : draw(random, nearest, total)};
        while (l > 0 && drawn.size() < trials) drawn.push_back(draw(random, nearest, total));
        candidates.clear();
        for (const Slot seed : drawn)
            candidates.insert(candidates.end(), rows + std::size_t{seed} * d, rows + (std::size_t{seed} + 1) * d);
        away.resize(drawn.size() * n);
        measured.measure(candidates, away);
        const auto to_nearest = [&](std::size_t candidate, std::size_t i) {
            const double distance = away[candidate * n + i];
            return std::min(nearest[i], weights.empty() ? distance : weights[i] * distance);
        };
        std::size_t best = 0;
        double least = std::numeric_limits<double>::infinity();
        for (std::size_t candidate = 0; candidate < drawn.size(); ++candidate) {
            double sum = 0;
            for (std::size_t i = 0; i < n; ++i) sum += to_nearest(candidate, i);
            if (sum < least) least = sum, best = candidate;
        }
        for (std::size_t i = 0; i < n; ++i) nearest[i] = to_nearest(best, i);
        total = least;
        seeds.push_back(drawn[best]);
    }
    return seeds;
}

KMeans lloyd(const float* rows, std::size_t n, std::size_t d, std::size_t k, std::vector<float> centres,
             std::span<const double> weights) {
    Rounds rounds{rows, weights, n, d, k, {std::move(centres), std::vector<ClusterId>(n, no_cluster), 0}, {}, {}};
    // After a row went to an empty centre, its old centre is not the mean of its rows, even if no label changes next.
    bool filled = false;
    for (int round = 0; round < round_limit && (rounds.assign() || filled); ++round) {
        check_interrupted();
        rounds.take_means();
        filled = rounds.fill_empty();
    }
    rounds.assign();
    for (std::size_t i = 0; i < n; ++i)
        rounds.result.cost += weights.empty() ? rounds.away(i) : weights[i] * rounds.away(i);
    return std::move(rounds.result);
}

KMeans kmeans(const float* rows, std::size_t n, std::size_t d, std::size_t k, int starts, Random& random,
              std::span<const double> weights) {
    KMeans best;
    for (int start = 0; start < starts; ++start) {
        std::vector<float> centres(k * d);
        const std::vector<Slot> seeds = plus_plus_seeds(rows, n, d, k, random, weights);
        for (std::size_t l = 0; l < k; ++l) std::copy_n(rows + std::size_t{seeds[l]} * d, d, &centres[l * d]);
        KMeans run = lloyd(rows, n, d, k, std::move(centres), weights);
        if (start == 0 || run.cost < best.cost) best = std::move(run);
    }
    return best;
}

}  // namespace fairstream
