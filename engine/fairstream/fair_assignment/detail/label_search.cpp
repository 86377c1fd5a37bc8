#include <fairstream/fair_assignment/detail/label_search.hpp>

#include <algorithm>
#include <bit>
#include <limits>
#include <numeric>
#include <span>
#include <utility>

#include <fairstream/fair_assignment/detail/cheaper_labels.hpp>
#include <fairstream/fair_assignment/detail/fair_assignment.hpp>
#include <fairstream/numeric/detail/interruption.hpp>

namespace fairstream {
namespace {

using Labels = std::vector<ClusterId>;

// First prices of a point of shortfall, in mean distances of the points. Low prices take longer, and lead to cheaper
// labels.
constexpr double first_prices[] = {1.0 / 16, 0.25, 1, 4, 16};

class LabelSearch {
public:
    LabelSearch(FairAssignment& assignment, const CountProblem& problem)
        : assignment_(assignment), problem_(problem), points_(assignment.distances()), n_(assignment.order().size()) {}

    /// Improves labels that meet the demands, and keeps them if they are the cheapest.
    void add(Labels labels) {
        constexpr int rounds = 8;  // each is cheaper than the last; two are usual
        for (int round = 0; round < rounds && make_cheaper(problem_, points_, labels, steps_); ++round)
            labels = cheapest_with(assignment_.counts_of(labels));  // other labels may be cheapest
        swap_clusters(labels);
        for (int round = 0; round < rounds; ++round) {
            const bool cheaper = tabu_search(problem_, points_, labels, steps_);
            if (!swap_counts(labels) && !cheaper) break;
        }
        if (const double cost = cost_of(labels); cost < least_) {
            least_ = cost;
            best_ = std::move(labels);
        }
    }
    /// Leads labels to the demands at rising prices, then adds them; returns whether they are notably cheaper than all
    /// labels before.
    bool lead_to_demands(Labels labels, double first_price) {
        constexpr double worthwhile = 1e-4;
        const double before = least_;
        check_interrupted();
        if (steps_ > 0 && make_feasible(problem_, points_, first_price, labels, steps_)) add(std::move(labels));
        return least_ < before * (1 - worthwhile);
    }
    /// Return the nearest cluster of each point, among all clusters or among some of them, at least one.
    [[nodiscard]] Labels nearest() const { return nearest_among(std::vector<bool>(assignment_.clusters(), true)); }
    [[nodiscard]] Labels nearest_among(const std::vector<bool>& clusters) const {
        Labels labels(n_, static_cast<ClusterId>(std::ranges::find(clusters, true) - clusters.begin()));
        for (std::size_t i = 0; i < n_; ++i)
            for (std::size_t l = 0; l < clusters.size(); ++l)
                if (clusters[l] && distance(i, l) < distance(i, static_cast<std::size_t>(labels[i])))
                    labels[i] = static_cast<ClusterId>(l);
        return labels;
    }
    /// Leads the best labels to the demands again, at several rising prices, while that makes them notably cheaper.
    void improve() {
        constexpr int most_turns = 8;
        for (int turn = 0; turn < most_turns && best_; ++turn) {
            bool cheaper = false;
            for (const double price : first_prices) cheaper = lead_to_demands(*best_, price) || cheaper;
            if (!cheaper) break;
        }
    }
    /// Starts from labels that use only some of the clusters, and leads them to the demands. Tries all subsets of few
    /// clusters; of more clusters, each time all but one. Returns whether cheaper labels were found.
    bool leave_clusters_out() {
        constexpr std::size_t few = 5, most = 12;
        const std::size_t k = assignment_.clusters();
        if (!problem_.may_be_empty() || k < 2 || k > most) return false;
        const double before = least_;
        for (unsigned used = 1; used + 1 < 1U << k; ++used) {
            const auto count = static_cast<std::size_t>(std::popcount(used));
            if (count < problem_.least_used || (k > few && count + 1 < k)) continue;
            std::vector<bool> clusters(k);
            for (std::size_t l = 0; l < k; ++l) clusters[l] = (used >> l & 1U) != 0;
            for (const double price : first_prices) lead_to_demands(nearest_among(clusters), price);
        }
        return least_ < before;
    }
    /// Returns the cheapest labels with these counts, k x cells.
    [[nodiscard]] Labels cheapest_with(const CellCounts& counts) {
        check_interrupted();
        steps_ -= static_cast<std::int64_t>(n_ * assignment_.clusters());
        (void)assignment_.assign();
        const std::span<const ClusterId> labels = assignment_.assign_counts(counts);
        return {labels.begin(), labels.end()};
    }
    [[nodiscard]] const std::optional<Labels>& best() const { return best_; }
    [[nodiscard]] double cost() const { return least_; }

private:
    [[nodiscard]] float distance(std::size_t i, std::size_t l) const { return points_.distances[l * n_ + i]; }
    [[nodiscard]] double cost_of(const Labels& labels) const {
        double cost = 0;
        for (std::size_t i = 0; i < n_; ++i) cost += distance(i, static_cast<std::size_t>(labels[i]));
        return cost;
    }
    /// Lets clusters exchange their counts if the cheapest labels with exchanged counts cost less. Returns whether any
    /// clusters did. Only for few points.
    bool swap_counts(Labels& labels) {
        constexpr std::size_t most = 100'000;  // points times pairs of clusters
        const std::size_t k = assignment_.clusters();
        if (n_ * k * k > most) return false;
        CellCounts counts = assignment_.counts_of(labels);
        double least = cost_of(labels);
        bool swapped = false;
        for (std::size_t l = 0; l < k; ++l)
            for (std::size_t h = l + 1; h < k && steps_ > 0; ++h) {
                std::ranges::swap_ranges(problem_.row_of(counts, l), problem_.row_of(counts, h));
                Labels others = cheapest_with(counts);
                if (const double cost = cost_of(others); cost < least * (1 - worthwhile_swap)) {
                    least = cost;
                    labels = std::move(others);
                    swapped = true;
                } else {
                    std::ranges::swap_ranges(problem_.row_of(counts, l), problem_.row_of(counts, h));
                }
            }
        return swapped;
    }
    /// Lets clusters exchange all their points if that is cheaper; their demands are equal.
    void swap_clusters(Labels& labels) const {
        const std::size_t k = assignment_.clusters();
        std::vector<double> costs(k * k);  // cost of the points of label l if they were in cluster h
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
                    if (at(l, place[h]) + at(h, place[l]) >= now * (1 - worthwhile_swap)) continue;
                    std::swap(place[l], place[h]);
                    swapped = true;
                }
        }
        for (ClusterId& label : labels) label = place[static_cast<std::size_t>(label)];
    }

    static constexpr double worthwhile_swap = 1e-9;  // relative decrease of a cost

    FairAssignment& assignment_;
    const CountProblem& problem_;
    CellDistances points_;
    std::size_t n_;
    std::int64_t steps_ = usual_search;
    std::optional<Labels> best_;
    double least_ = std::numeric_limits<double>::infinity();
};

}  // namespace

std::optional<FoundLabels> search_labels(FairAssignment& assignment, const CountProblem& problem,
                                         std::span<const CellCounts> found) {
    LabelSearch search(assignment, problem);
    const std::span<const ClusterId> at_prices = assignment.assign();
    const Labels priced(at_prices.begin(), at_prices.end()), nearest = search.nearest();
    for (const CellCounts& counts : found) search.add(search.cheapest_with(counts));
    for (const double price : first_prices) {
        search.lead_to_demands(priced, price);
        search.lead_to_demands(nearest, price);
    }
    search.improve();
    if (search.leave_clusters_out()) search.improve();
    if (!search.best()) return std::nullopt;
    return FoundLabels{*search.best(), search.cost()};
}

}  // namespace fairstream
