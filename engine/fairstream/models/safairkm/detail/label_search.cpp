#include <fairstream/models/safairkm/detail/label_search.hpp>

#include <limits>
#include <numeric>
#include <span>
#include <utility>

#include <fairstream/models/safairkm/detail/cheaper_labels.hpp>
#include <fairstream/models/safairkm/detail/fair_assignment.hpp>

namespace fairstream::safairkm {
namespace {

using Labels = std::vector<ClusterId>;

class LabelSearch {
public:
    LabelSearch(FairAssignment& assignment, const CountProblem& problem)
        : assignment_(assignment), problem_(problem), points_(assignment.distances()), n_(assignment.order().size()) {}

    /// Makes labels cheaper that keep the demands, and keeps them if they are the cheapest.
    void add(Labels labels) {
        constexpr int rounds = 8;  // each is cheaper than the last; two are usual
        for (int round = 0; round < rounds && make_cheaper(problem_, points_, labels, steps_); ++round) {
            // Other counts of a cell may have other cheapest labels.
            const std::vector<std::int64_t> counts = assignment_.counts_of(labels);
            (void)assignment_.assign();
            const std::span<const ClusterId> cheapest = assignment_.assign_counts(counts);
            labels.assign(cheapest.begin(), cheapest.end());
            steps_ -= static_cast<std::int64_t>(n_ * assignment_.clusters());
        }
        swap_clusters(labels);
        for (int round = 0; round < rounds && wander(problem_, points_, labels, steps_); ++round) swap_clusters(labels);
        if (const double cost = cost_of(labels); cost < least_) {
            least_ = cost;
            best_ = std::move(labels);
        }
    }
    /// Leads labels to the demands at rising prices, then adds them; says whether they are the cheapest by a good part.
    bool lead(Labels labels, double first_price) {
        constexpr double worthwhile = 1e-4;
        const double before = least_;
        if (steps_ > 0 && make_feasible(problem_, points_, first_price, labels, steps_)) add(std::move(labels));
        return least_ < before * (1 - worthwhile);
    }
    [[nodiscard]] Labels nearest() const {
        Labels labels(n_);
        for (std::size_t i = 0; i < n_; ++i)
            for (std::size_t l = 1; l < assignment_.clusters(); ++l)
                if (distance(i, l) < distance(i, static_cast<std::size_t>(labels[i])))
                    labels[i] = static_cast<ClusterId>(l);
        return labels;
    }
    [[nodiscard]] const std::optional<Labels>& best() const { return best_; }

private:
    [[nodiscard]] float distance(std::size_t i, std::size_t l) const { return points_.distances[l * n_ + i]; }
    [[nodiscard]] double cost_of(const Labels& labels) const {
        double cost = 0;
        for (std::size_t i = 0; i < n_; ++i) cost += distance(i, static_cast<std::size_t>(labels[i]));
        return cost;
    }
    /// Lets clusters take each other's points, all of them, where that is cheaper: their demands are alike.
    void swap_clusters(Labels& labels) const {
        const std::size_t k = assignment_.clusters();
        std::vector<double> costs(k * k);  // of the points that have label l, in cluster h
        for (std::size_t i = 0; i < n_; ++i)
            for (std::size_t h = 0; h < k; ++h) costs[static_cast<std::size_t>(labels[i]) * k + h] += distance(i, h);
        std::vector<ClusterId> place(k);
        std::iota(place.begin(), place.end(), 0);
        const auto at = [&](std::size_t l, ClusterId h) { return costs[l * k + static_cast<std::size_t>(h)]; };
        for (bool swapped = true; swapped;) {
            swapped = false;
            for (std::size_t l = 0; l < k; ++l)
                for (std::size_t h = l + 1; h < k; ++h) {
                    const double now = at(l, place[l]) + at(h, place[h]);
                    if (at(l, place[h]) + at(h, place[l]) >= now * (1 - 1e-9)) continue;
                    std::swap(place[l], place[h]);
                    swapped = true;
                }
        }
        for (ClusterId& label : labels) label = place[static_cast<std::size_t>(label)];
    }

    FairAssignment& assignment_;
    const CountProblem& problem_;
    CellDistances points_;
    std::size_t n_;
    std::int64_t steps_ = usual_search;
    std::optional<Labels> best_;
    double least_ = std::numeric_limits<double>::infinity();
};

}  // namespace

std::optional<Labels> search_labels(FairAssignment& assignment, const CountProblem& problem,
                                    const std::optional<std::vector<std::int64_t>>& counts) {
    // First prices of a point by which a cluster falls short, in mean distances of the points: a low one leads slowly,
    // and to cheaper labels.
    constexpr double prices[] = {1.0 / 16, 0.25, 1, 4, 16};
    constexpr int most_turns = 8;
    LabelSearch search(assignment, problem);
    const std::span<const ClusterId> at_prices = assignment.assign();
    const Labels priced(at_prices.begin(), at_prices.end()), nearest = search.nearest();
    if (counts) {
        const std::span<const ClusterId> labels = assignment.assign_counts(*counts);
        search.add({labels.begin(), labels.end()});
    }
    for (const double price : prices) {
        search.lead(priced, price);
        search.lead(nearest, price);
    }
    for (int turn = 0; turn < most_turns && search.best(); ++turn) {
        bool cheaper = false;
        for (const double price : prices) cheaper = search.lead(*search.best(), price) || cheaper;
        if (!cheaper) break;
    }
    return search.best();
}

}  // namespace fairstream::safairkm
