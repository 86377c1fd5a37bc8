#pragma once
/// The gaps of one group's points to a cluster, in order, with what the points weigh; and the weights of each group in
/// one cluster at the least cost.

#include <cstddef>
#include <utility>
#include <vector>

#include <fairstream/fairness/demand.hpp>

namespace fairstream::safairkm {

class WeightedGaps {
public:
    void add(float gap, double weight) { points_.emplace_back(gap, weight); }
    /// Puts the gaps in order; to be called once, before any question.
    void sort();

    /// Weight of the points that want to join for free, and of all.
    [[nodiscard]] double free() const { return below(0); }
    [[nodiscard]] double total() const { return reached_.empty() ? 0 : reached_.back(); }
    /// Weight of the points whose gap is below this.
    [[nodiscard]] double below(double gap) const;
    /// Gap of the point that comes next when so much weight has joined; infinite past the last.
    [[nodiscard]] double at(double mass) const;
    /// A price at which the weight that joins is as near to `mass` as whole points allow.
    [[nodiscard]] double price_for(double mass) const;

private:
    std::vector<std::pair<float, double>> points_;
    std::vector<double> reached_;  // weights of the points so far
};

/// Returns the weight of each group at which the cluster keeps a demand and the sum of weighted gaps of all that join
/// is least, as if points could be divided.
[[nodiscard]] std::vector<double> cheapest_masses(const Demand& demand, const std::vector<WeightedGaps>& gaps);

}  // namespace fairstream::safairkm
