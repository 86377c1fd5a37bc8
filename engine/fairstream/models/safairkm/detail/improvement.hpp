#pragma once
/// Improvement of a live clustering in the background: on a snapshot, with a budget of evaluations.
///
/// Two clusterings are kept. The published one follows the window by rounds of Lloyd's algorithm with fair assignments,
/// from its former prices. A plain one, without a target, is updated by trials that close one cluster and open another
/// where points are far from their centre. It shows the cost of the target; if a much better clustering exists, it is
/// led to the target and replaces the published one.

#include <cstdint>
#include <span>
#include <vector>

#include <fairstream/models/safairkm/safairkm.hpp>
#include <fairstream/numeric/detail/kernels.hpp>
#include <fairstream/numeric/detail/random.hpp>

namespace fairstream::safairkm {

/// Returns the largest number of evaluations that can be saved for a new start (`State::unspent`) in a window of this
/// capacity.
[[nodiscard]] double most_unspent(const Options& options, Slot capacity);

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

/// Plain k-means of some rows, continued from given centres.
class PlainSearch {
public:
    /// `rows` is n x d, `weights` n or empty: 1 each, `centres` k x d; the object keeps them all.
    PlainSearch(std::span<const float> rows, std::span<const double> weights, std::size_t d,
                std::vector<float> centres);

    /// Runs rounds of Lloyd's algorithm; n k evaluations each.
    void follow(int rounds, Budget& budget);
    /// Makes trials until `evaluations` of the budget are used. Each closes one of the clusters that are cheapest to
    /// close, opens one at a row drawn by its squared distance, runs rounds, and is kept if the cost falls.
    void search(double evaluations, Budget& budget, Random& random);

    [[nodiscard]] const std::vector<float>& centres() const { return centres_; }
    [[nodiscard]] double cost() const { return cost_; }  ///< mean squared distance to the means of the last round

private:
    void round();
    struct Trial {
        std::size_t closed;  // the cluster to close
        std::size_t row;     // the row where it opens again
    };
    [[nodiscard]] Trial propose(Random& random) const;

    std::span<const float> rows_;
    std::span<const double> weights_;
    std::size_t n_, d_, k_;
    const Kernels& kernels_;
    std::vector<float> centres_;
    std::vector<float> packed_;
    std::vector<std::int32_t> labels_;
    std::vector<double> sums_, squares_;
    double cost_ = 0;
};

}  // namespace fairstream::safairkm
