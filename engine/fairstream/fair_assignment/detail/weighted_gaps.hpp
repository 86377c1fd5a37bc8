#pragma once
/// The gaps of one group's points to a cluster, in order, with what the points weigh; and the weights of each group in
/// one cluster at the least cost.

#include <cstddef>
#include <span>
#include <vector>

#include <fairstream/fairness/demand.hpp>

namespace fairstream {

/// Takes the gaps within a band about the present price, and the others only when they are asked about. Orders gaps
/// where they are asked about alone: a question divides the stretch that holds its answer, as quicksort does, until
/// what is left is short enough to sort. Some questions about n gaps take O(n) together.
class WeightedGaps {
public:
    /// Adds gaps, to each of which `shift` is to be added, with their weights; borrows both.
    void add(std::span<const float> gaps, float shift, std::span<const double> weights) {
        sources_.push_back({gaps, shift, weights});
    }
    /// Ends the additions; to be called once, before any question below. Most are about gaps within `reach` of
    /// `middle`.
    void close(double middle, double reach);

    /// Weight of the points that want to join for free, of those whose gap is below the middle, and of all.
    [[nodiscard]] double free() const { return free_; }
    [[nodiscard]] double wanted() const { return wanted_; }
    [[nodiscard]] double total() const { return total_; }
    /// Weight of the points whose gap is below this.
    [[nodiscard]] double below(double gap);
    /// Gap of the point that comes next when so much weight has joined; infinite past the last.
    [[nodiscard]] double at(double mass);
    /// A price at which the weight that joins is as near to `mass` as whole points allow.
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
    // Neighbours in order: the gaps of a stretch are at least `least`, those before it are less.
    struct Stretch {
        std::size_t first;
        double before;  // weight of all points that stand before it
        float least;
        bool in_order = false, is_taken = true;
    };

    [[nodiscard]] std::size_t end(std::size_t s) const { return stretches_[s + 1].first; }
    template <class IsBehind> [[nodiscard]] std::size_t ordered_stretch(const IsBehind& is_behind);
    [[nodiscard]] std::size_t stretch_of_gap(double gap);
    [[nodiscard]] std::size_t stretch_of_mass(double mass);
    void take_all();
    std::size_t divide_at(std::size_t s, float limit);
    void divide(std::size_t s);
    void order(std::size_t s);
    [[nodiscard]] std::size_t next_after(double mass);
    [[nodiscard]] double reached_before(std::size_t i, std::size_t s) const;

    std::vector<Source> sources_;
    std::vector<Point> points_, upper_;  // `upper_`: scratch
    std::vector<double> reached_;        // weights of the points so far, where a stretch is in order
    std::vector<Stretch> stretches_;     // and one behind the last
    double free_ = 0, wanted_ = 0, total_ = 0;
};

/// Returns the weight of each group at which the cluster keeps a demand and the sum of weighted gaps of all that join
/// is least, as if points could be divided.
[[nodiscard]] std::vector<double> cheapest_masses(const Demand& demand, std::vector<WeightedGaps>& gaps);

}  // namespace fairstream
