#pragma once
/// The ordered gaps of one group's points to a cluster with the points' weights, and the cheapest weights of each group
/// in one cluster.

#include <cstddef>
#include <span>
#include <vector>

#include <fairstream/fairness/demand.hpp>

namespace fairstream {

/// Takes in the gaps within a band around the present price, and the others only on demand. Orders gaps only where
/// needed: a question divides the stretch with its answer, as quicksort does, until the rest is short enough to sort. A
/// few questions about n gaps take O(n) in all.
class WeightedGaps {
public:
    /// Adds gaps with their weights, both of which it borrows; `shift` is to be added to each gap.
    void add(std::span<const float> gaps, float shift, std::span<const double> weights) {
        sources_.push_back({gaps, shift, weights});
    }
    /// Ends the additions; to be called once, before any function below. Most questions should be about gaps within
    /// `reach` of `middle`.
    void close(double middle, double reach);

    /// Return the weight of three sets of points: the points that want to join at price 0, the points with a gap below
    /// the middle, and all points.
    [[nodiscard]] double free() const { return free_; }
    [[nodiscard]] double mass_below_middle() const { return mass_below_middle_; }
    [[nodiscard]] double total() const { return total_; }
    /// Returns the weight of the points with a gap below `gap`.
    [[nodiscard]] double below(double gap);
    /// Returns the gap of the point that joins next once points of total weight `mass` have joined; infinite beyond the
    /// last point.
    [[nodiscard]] double at(double mass);
    /// Returns a price at which the joining weight is as near to `mass` as whole points allow.
    [[nodiscard]] double price_for(double mass);

private:
    struct Source {
        std::span<const float> gaps;
        float shift;
        std::span<const double> weights;
    };
    struct Point {
        float gap;
        double weight;
    };
    // Consecutive points: the gaps of a stretch are at least `least`, and all gaps before it are less.
    struct Stretch {
        std::size_t first;
        double before;  // weight of all points before the stretch
        float least;
        bool in_order = false, is_loaded = true;
    };

    [[nodiscard]] std::size_t end(std::size_t s) const { return stretches_[s + 1].first; }
    template <class IsBehind> [[nodiscard]] std::size_t ordered_stretch(const IsBehind& is_behind);
    [[nodiscard]] std::size_t stretch_of_gap(double gap);
    [[nodiscard]] std::size_t stretch_of_mass(double mass);
    void load_outside_band();
    std::size_t divide_at(std::size_t s, float limit);
    void divide(std::size_t s);
    void order(std::size_t s);
    [[nodiscard]] std::size_t next_after(double mass);
    [[nodiscard]] double cumulative_weight_before(std::size_t i, std::size_t s) const;

    std::vector<Source> sources_;
    std::vector<Point> points_, upper_;       // `upper_`: scratch
    std::vector<double> cumulative_weights_;  // cumulative weights of the points, where a stretch is ordered
    std::vector<Stretch> stretches_;          // the stretches in order, and an end mark
    double free_ = 0, mass_below_middle_ = 0, total_ = 0;
};

/// Returns the weight of each group with which the cluster meets a demand at the least sum of weighted gaps, as if
/// points were divisible.
[[nodiscard]] std::vector<double> cheapest_masses(const Demand& demand, std::vector<WeightedGaps>& gaps);

}  // namespace fairstream
