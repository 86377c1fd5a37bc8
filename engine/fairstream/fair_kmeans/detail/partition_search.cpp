#include <fairstream/fair_kmeans/detail/partition_search.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>

#include <fairstream/numeric/detail/interruption.hpp>

namespace fairstream::safairkm {
namespace {

constexpr Slot most_points = 24;
constexpr std::int64_t most_visits = std::int64_t{1} << 21;
constexpr std::int64_t visits_between_checks = 4096;
constexpr double rounding_error = 1e-9;  // rounding error of numbers of points, and relative error of squares

// Points are given one after another to clusters that have points, or to the next empty one, so each partition occurs
// once. The squares of the placed points are a lower bound for all continuations.
class Search {
public:
    Search(const Clustering& c, const Demands& demands, double total_shortfall, double squares)
        : c_(c),
          demands_(demands),
          total_shortfall_(total_shortfall),
          squares_(squares),
          order_(c.window.size()),
          labels_(order_.size()) {
        order_by_distance();
        means_.assign(c.k * c.d, 0.0);
        sizes_.assign(c.k, 0);
        for (const Demand& demand : demands.of_groups) {
            const auto groups =
                static_cast<std::size_t>(c.state.tally.known_groups(static_cast<int>(demand.attribute)));
            counts_.emplace_back(c.k * groups, 0);
        }
        kept_means_.resize(order_.size() * c.d);
    }

    PartitionSearch run() {
        place(0, 0, 0);
        return {std::move(best_), squares_, visits_ <= most_visits};
    }

private:
    // Far points come first: their squares end hopeless branches early.
    void order_by_distance() {
        const std::size_t n = order_.size(), d = c_.d;
        std::vector<double> mean(d, 0.0), away(n, 0.0);
        for (Slot slot = 0; slot < n; ++slot)
            for (std::size_t j = 0; j < d; ++j) mean[j] += double{c_.window.features(slot)[j]} / static_cast<double>(n);
        for (Slot slot = 0; slot < n; ++slot)
            for (std::size_t j = 0; j < d; ++j)
                away[slot] += std::pow(double{c_.window.features(slot)[j]} - mean[j], 2);
        std::iota(order_.begin(), order_.end(), Slot{0});
        std::ranges::stable_sort(order_, [&](Slot a, Slot b) { return away[a] > away[b]; });
    }

    [[nodiscard]] double total_shortfall() const {
        double points = 0;
        for (std::size_t l = 0; l < c_.k; ++l) {
            for (std::size_t i = 0; i < counts_.size(); ++i) {
                const std::size_t groups = counts_[i].size() / c_.k;
                points += shortfall(demands_.of_groups[i], std::span(counts_[i]).subspan(l * groups, groups));
            }
            points += shortfall(demands_.of_sizes, sizes_[l]);
        }
        return points;
    }

    // Returns whether squares are below the least so far by more than rounding.
    [[nodiscard]] bool is_cheaper(double squares) const { return squares < squares_ * (1 - rounding_error); }

    void judge(double squares) {
        const double points = total_shortfall();
        if (points > total_shortfall_ + rounding_error ||
            (points > total_shortfall_ - rounding_error && !is_cheaper(squares)))
            return;
        total_shortfall_ = points;
        squares_ = squares;
        best_ = labels_;
    }

    void count(Slot slot, std::size_t l, std::int64_t change) {
        sizes_[l] += change;
        for (std::size_t i = 0; i < counts_.size(); ++i) {
            const std::size_t groups = counts_[i].size() / c_.k;
            const GroupId group = c_.window.groups(slot)[demands_.of_groups[i].attribute];
            if (group < groups) counts_[i][l * groups + group] += change;
        }
    }

    // Gives the `at`-th point to each cluster in turn; `used` clusters have points so far.
    void place(std::size_t at, std::size_t used, double squares) {
        if (at == order_.size()) return judge(squares);
        const std::size_t left = order_.size() - at, d = c_.d;
        const Slot slot = order_[at];
        const float* const x = c_.window.features(slot);
        double* const kept = &kept_means_[at * d];
        for (std::size_t l = left == c_.k - used ? used : 0; l < std::min(used + 1, c_.k); ++l) {
            if (++visits_ > most_visits) return;
            if (visits_ % visits_between_checks == 0) check_interrupted();
            double* const mean = &means_[l * d];
            const auto size = static_cast<double>(sizes_[l]);
            double distance = 0;
            for (std::size_t j = 0; j < d; ++j) distance += (double{x[j]} - mean[j]) * (double{x[j]} - mean[j]);
            const double then = squares + (sizes_[l] == 0 ? 0 : distance * size / (size + 1));
            // Cost cuts a branch only if the best so far meets the demands: clusterings with a smaller shortfall may
            // cost more.
            if (total_shortfall_ <= rounding_error && !is_cheaper(then)) continue;
            std::copy_n(mean, d, kept);
            for (std::size_t j = 0; j < d; ++j) mean[j] += (double{x[j]} - mean[j]) / (size + 1);
            count(slot, l, 1);
            labels_[slot] = static_cast<ClusterId>(l);
            place(at + 1, std::max(used, l + 1), then);
            count(slot, l, -1);
            std::copy_n(kept, d, mean);
        }
    }

    const Clustering& c_;
    const Demands& demands_;
    double total_shortfall_, squares_;
    std::vector<Slot> order_;
    std::vector<ClusterId> labels_, best_;
    std::vector<double> means_, kept_means_;
    std::vector<std::int64_t> sizes_;
    std::vector<std::vector<std::int64_t>> counts_;  // by demand: k x groups
    std::int64_t visits_ = 0;
};

}  // namespace

bool are_few(const Clustering& c) noexcept {
    return !c.weighted && c.window.size() <= most_points && c.window.size() >= c.k;
}

PartitionSearch search_partitions(const Clustering& c, const Demands& demands, double total_shortfall, double squares) {
    return Search(c, demands, total_shortfall, squares).run();
}

}  // namespace fairstream::safairkm
