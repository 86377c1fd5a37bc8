#pragma once
/// Changes numbers of points by cluster and cell, step by step, until they meet demands.

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include <fairstream/fair_assignment/detail/count_problem.hpp>

namespace fairstream {

/// Moves single points and exchanges pairs to lower the clusters' shortfalls. Does nothing with more than
/// `most_cells_searched` cells.
class CountRepair {
public:
    /// Borrows its arguments. Changes `counts`, subtracts the number of changes that it weighs from `weighings`, and
    /// ends when none are left.
    CountRepair(const CountProblem& problem, CellCounts& counts, std::int64_t& weighings);

    /// Takes the cheapest steps that lower the shortfalls until none does. Returns whether all demands are met.
    bool descend();
    /// Continues where no step helps. Takes the step that lowers the shortfalls most or raises them least; of equally
    /// good steps, the cheapest. A cluster that received a point of a cell may not give one of that cell away for some
    /// steps (Glover, "Tabu search", 1989), unless the shortfalls are then lower than ever. Returns whether all demands
    /// are met.
    bool tabu_search(std::int64_t steps);
    /// Returns the sum of the shortfalls of all clusters.
    [[nodiscard]] double total_shortfall() const;

private:
    static constexpr std::size_t no_cell = static_cast<std::size_t>(-1);
    // Moves a point of cell `in` from cluster h to l, and one of cell `out` from l to h; either cell may be none.
    struct Step {
        std::size_t l = 0, h = 0, in = no_cell, out = no_cell;
        double gain = 0;                                        // decrease of the shortfalls of h and l
        double cost = std::numeric_limits<double>::infinity();  // infinite: there is no step
    };

    template <class Visit> void for_each_step(std::size_t l, const Visit& visit);
    // Returns the step of cluster l with the least cost per gain.
    [[nodiscard]] Step cheapest_gain(std::size_t l);
    // Returns the allowed step with the largest gain, which may be negative, of a cluster that falls short.
    template <class Allowed> [[nodiscard]] Step largest_gain(const Allowed& allowed);
    const std::vector<double>& changes_of(std::size_t l);
    void apply(const Step& step);

    const CountProblem& p_;
    CellCounts& counts_;
    std::int64_t& weighings_;
    std::vector<std::int64_t> sizes_;           // by cluster
    std::vector<double> shortfalls_;            // by cluster
    std::vector<std::vector<double>> changes_;  // by cluster: (cells + 1)^2, or empty
};

}  // namespace fairstream
