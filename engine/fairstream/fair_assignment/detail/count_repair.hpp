#pragma once
/// Numbers of points by cluster and cell that are led to demands, step by step.

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include <fairstream/fair_assignment/detail/count_problem.hpp>

namespace fairstream {

/// Moves single points and exchanges pairs, so that clusters fall less short of their demands. Does nothing where there
/// are more than `most_cells_searched` cells.
class CountRepair {
public:
    /// Borrows all; changes `counts`, takes from `weighings` what it weighs, and ends where none are left.
    CountRepair(const CountProblem& problem, CellCounts& counts, std::int64_t& weighings);

    /// Makes steps that lower the shortfalls, at the least cost, until nothing does. Returns whether all demands are
    /// kept.
    bool descend();
    /// Goes on from where nothing helps: makes the step that lowers the shortfalls most or raises them least, the
    /// cheapest of those that do so alike, and bars what a cluster got from leaving it for some steps (Glover, "Tabu
    /// search", 1989), unless the shortfalls then are lower than ever. Returns whether all demands are kept.
    bool wander(std::int64_t steps);
    /// Returns the shortfall of all clusters.
    [[nodiscard]] double short_by() const;

private:
    static constexpr std::size_t no_cell = static_cast<std::size_t>(-1);
    // Moves a point of cell `in` from cluster h to l, and one of cell `out` from l to h; either cell may be none.
    struct Step {
        std::size_t l = 0, h = 0, in = no_cell, out = no_cell;
        double gain = 0;                                        // by which the shortfalls of both fall
        double cost = std::numeric_limits<double>::infinity();  // infinite where there is no step
    };

    template <class See> void each_step(std::size_t l, const See& see);
    // Returns the step of cluster l that costs least for what it gains.
    [[nodiscard]] Step cheapest_gain(std::size_t l);
    // Returns the allowed step of a cluster that falls short that gains most, which may be less than nothing.
    template <class Allowed> [[nodiscard]] Step largest_gain(const Allowed& allowed);
    const std::vector<double>& changes_of(std::size_t l);
    void apply(const Step& step);

    const CountProblem& p_;
    CellCounts& counts_;
    std::int64_t& weighings_;
    std::vector<std::int64_t> sizes_;           // by cluster
    std::vector<double> short_by_;              // by cluster
    std::vector<std::vector<double>> changes_;  // by cluster: (cells + 1)^2, or empty
};

}  // namespace fairstream
