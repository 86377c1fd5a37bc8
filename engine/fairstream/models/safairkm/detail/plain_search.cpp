#include <algorithm>
#include <limits>
#include <numeric>

#include <fairstream/fair_kmeans/detail/masses.hpp>
#include <fairstream/models/safairkm/detail/improvement.hpp>
#include <fairstream/numeric/detail/interruption.hpp>

namespace fairstream::safairkm {

PlainSearch::PlainSearch(std::span<const float> rows, std::span<const double> weights, std::size_t d,
                         std::vector<float> centres)
    : rows_(rows),
      weights_(weights),
      n_(rows.size() / d),
      d_(d),
      k_(centres.size() / d),
      kernels_(kernels()),
      centres_(std::move(centres)),
      packed_(packed_size(k_, d)),
      labels_(n_) {}

// Assigns rows to their nearest centres and moves centres to the means of their rows; a cluster without rows keeps its
// centre.
void PlainSearch::round() {
    pack_centres(centres_.data(), k_, d_, packed_.data());
    kernels_.assign(rows_.data(), n_, d_, packed_.data(), k_, labels_.data());
    sums_.assign(k_ * d_, 0);
    squares_.assign(k_, 0);
    accumulate(kernels_, rows_.data(), n_, d_, labels_.data(), +1, weights_, sums_.data(), squares_.data());
    std::vector<double> sizes(k_);
    for (std::size_t i = 0; i < n_; ++i)
        sizes[static_cast<std::size_t>(labels_[i])] += weights_.empty() ? 1 : weights_[i];
    double total = 0, all = 0;
    for (std::size_t l = 0; l < k_; ++l) {
        if (sizes[l] == 0) continue;
        const double m = sizes[l];
        all += m;
        double squared_sum = 0;
        for (std::size_t j = 0; j < d_; ++j) {
            const double sum = sums_[l * d_ + j];
            squared_sum += sum * sum;
            centres_[l * d_ + j] = static_cast<float>(sum / m);
        }
        total += std::max(0.0, squares_[l] - squared_sum / m);
    }
    cost_ = n_ == 0 ? 0 : total / all;
}

void PlainSearch::follow(int rounds, Budget& budget) {
    for (int i = 0; i < rounds; ++i) {
        round();
        budget.spend(static_cast<double>(n_ * k_));
    }
}

// Proposes the cluster to close, one of the three cheapest to close, and the row at which to open another, drawn by its
// squared distance. The cost of closing a cluster is the additional distance of its rows to the second nearest centre.
PlainSearch::Trial PlainSearch::propose(Random& random) const {
    std::vector<double> loss(k_), reached(n_);
    std::vector<float> packed(packed_size(k_, d_)), away(k_ + centre_lanes);
    pack_centres(centres_.data(), k_, d_, packed.data());
    double total = 0;
    for (std::size_t i = 0; i < n_; ++i) {
        kernels_.distances(&rows_[i * d_], d_, packed.data(), k_, away.data());
        float first = std::numeric_limits<float>::infinity(), second = first;
        std::size_t nearest = 0;
        for (std::size_t l = 0; l < k_; ++l) {
            if (away[l] < first)
                second = first, first = away[l], nearest = l;
            else
                second = std::min(second, away[l]);
        }
        const double weight = weights_.empty() ? 1 : weights_[i];
        loss[nearest] += weight * (double{second} - double{first});
        reached[i] = total += weight * double{first};
    }
    std::vector<std::size_t> order(k_);
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::stable_sort(order, {}, [&](std::size_t l) { return loss[l]; });
    const auto row = std::ranges::upper_bound(reached, random.unit() * total) - reached.begin();
    return {order[random.below(static_cast<std::uint32_t>(std::min<std::size_t>(3, k_)))],
            std::min(static_cast<std::size_t>(row), n_ - 1)};
}

void PlainSearch::search(double evaluations, Budget& budget, Random& random) {
    constexpr int rounds = 2;
    const auto trial = static_cast<double>((rounds + 1) * n_ * k_);
    if (n_ == 0 || k_ < 2) return;
    for (double spent = 0; spent + trial <= evaluations; spent += trial) {
        check_interrupted();
        const std::vector<float> before = centres_;
        const double cost = cost_;
        const auto [closed, row] = propose(random);
        std::copy_n(&rows_[row * d_], d_, &centres_[closed * d_]);
        Budget own(trial);
        follow(rounds, own);
        budget.spend(trial);
        if (cost_ < cost) continue;
        centres_ = before;
        cost_ = cost;
    }
}

}  // namespace fairstream::safairkm
