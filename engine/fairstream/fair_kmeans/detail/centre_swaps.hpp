#pragma once
/// Local search that swaps whole centres, for clusterings with or without demands.
///
/// A swap closes one cluster and opens another at a point. Candidate points are drawn by their squared distance to
/// their centre (S. Lattanzi, C. Sohler, "A better k-means++ algorithm via local search", ICML 2019). One pass over the
/// points gives the change of cost for a candidate and each of the k clusters that may close, because the two best
/// centres of each point are known. With demands, distances include prices. The most promising swaps are tried by
/// rounds of Lloyd's algorithm with fair assignments.

#include <cstdint>
#include <span>
#include <vector>

#include <fairstream/data/window.hpp>
#include <fairstream/fair_kmeans/detail/fair_lloyd.hpp>
#include <fairstream/numeric/detail/random.hpp>

namespace fairstream::safairkm {

/// Remaining evaluations of a distance or price.
class Budget {
public:
    explicit Budget(double evaluations) : left_(evaluations) {}
    [[nodiscard]] double left() const { return left_; }
    [[nodiscard]] bool covers(double evaluations) const { return evaluations <= left_; }
    void spend(double evaluations) { left_ -= evaluations; }

private:
    double left_;
};

class CentreSwaps {
public:
    using Prices = std::vector<std::vector<double>>;

    /// Borrows all but the centres, k x d. `attributes` are those of the demands.
    CentreSwaps(const Window& points, std::span<const float> centres, std::span<const std::uint32_t> attributes,
                const Demands& demands, FairAssignment& memory, const WorkHandle& work);

    /// Starts from these prices instead of none: see `FairAssignment`.
    void resume(const Prices& prices) { lloyd_.resume(prices); }
    /// Runs rounds from the present centres; n k evaluations each.
    void follow(int rounds, Budget& budget);
    /// Tries swaps and keeps those that lower the cost, until k candidates offer none that does or the budget does not
    /// cover another trial. Call `follow` first.
    void search(Budget& budget, Random& random);
    /// Tries these centres, k x d, instead of the present centres, and keeps them if rounds make them cheaper. Call
    /// `follow` first.
    void try_others(std::span<const float> centres, Budget& budget);

    /// Return the best centres, k x d, and their prices.
    [[nodiscard]] std::span<const float> centres() const { return centres_; }
    [[nodiscard]] const Prices& prices() const { return prices_; }
    /// Returns the cost at these centres: see `FairLloyd::cost`.
    [[nodiscard]] double cost() const { return cost_; }

private:
    struct Swap {
        std::size_t closed;  // cluster
        std::size_t at;      // point, in the order of the assignment
        double change;       // change of the sum of distances and prices, before any round
    };
    void rank_centres();
    [[nodiscard]] std::size_t draw_candidate(Random& random) const;
    [[nodiscard]] Swap best_swap(std::size_t at);
    [[nodiscard]] std::vector<Swap> propose(Random& random);
    [[nodiscard]] bool try_swap(const Swap& swap, Budget& budget);
    [[nodiscard]] bool becomes_cheaper(Budget& budget);
    [[nodiscard]] bool covers_trial(const Budget& budget) const;
    [[nodiscard]] double weight(std::size_t i) const;

    const Window& points_;
    const Demands& demands_;
    const WorkHandle work_;
    std::size_t n_, d_, k_;
    FairAssignment& assignment_;
    FairLloyd lloyd_;
    std::vector<float> centres_;
    Prices prices_;
    double cost_ = 0;
    // At these centres and prices, by point in the order of the assignment:
    std::vector<float> first_, second_;  // least and second least distance with price
    std::vector<ClusterId> nearest_;     // cluster of `first_`
    std::vector<double> reached_;        // sum of the distances without price of the points up to this one
    std::vector<float> cell_prices_;     // cells x k
    std::vector<float> there_;           // distances to a candidate
};

}  // namespace fairstream::safairkm
