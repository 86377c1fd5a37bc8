#include <fairstream/numeric/assignment.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <utility>

#include <fairstream/base/types.hpp>
#include <fairstream/numeric/detail/blocks.hpp>

namespace fairstream {
namespace {

constexpr double largest_cost = 1e300;
constexpr std::size_t none = std::numeric_limits<std::size_t>::max();

void require_bounded(const Matrix& costs) {
    const auto is_bad = [](double cost) { return !(std::abs(cost) <= largest_cost); };
    const auto bad = std::ranges::find_if(costs.values, is_bad);
    if (bad == costs.values.end()) return;
    const auto at = static_cast<std::size_t>(bad - costs.values.begin());
    throw InvalidInput(Reason::bad_feature, "the cost of row " + std::to_string(at / costs.cols) + " and column " +
                                                std::to_string(at % costs.cols) + ": must be a number within +-1e300");
}

/// The assignment of the rows added so far. Dual variables prove that it has least cost: u_i + v_j <= c_ij, with
/// equality if j is assigned to i, and v_j <= 0, with v_j = 0 if j is assigned to no row.
class Assignment {
public:
    /// Borrows `costs`, which must have no more rows than columns.
    explicit Assignment(const Matrix& costs)
        : costs_(costs),
          u_(costs.rows),
          v_(costs.cols),
          column_of_(costs.rows, none),
          row_of_(costs.cols, none),
          distance_(costs.cols),
          before_(costs.cols),
          is_scanned_(costs.cols) {}

    void add(std::size_t row) {
        const std::size_t end = find_path(row);
        // Reduced costs stay nonnegative, and become 0 along the path.
        const double length = distance_[end];
        u_[row] += length;
        for (const std::size_t column : scanned_) {
            u_[row_of_[column]] += length - distance_[column];
            v_[column] -= length - distance_[column];
        }
        // Each row of the path passes its column to the row before it.
        std::size_t column = end, taker = none;
        while (taker != row) {
            taker = before_[column];
            row_of_[column] = taker;
            std::swap(column, column_of_[taker]);
        }
    }

    [[nodiscard]] std::size_t column_of(std::size_t row) const noexcept { return column_of_[row]; }

private:
    /// Finds the shortest path from `row` to a column that no row has, by Dijkstra's algorithm, and returns the column.
    /// A row leads to any column at the reduced cost c_ij - u_i - v_j, a column to its row at no cost.
    std::size_t find_path(std::size_t row) {
        std::ranges::fill(distance_, std::numeric_limits<double>::infinity());
        is_scanned_.assign(is_scanned_.size(), false);
        scanned_.clear();
        double travelled = 0;
        for (std::size_t from = row;;) {
            std::size_t nearest = none;
            for (std::size_t j = 0; j < costs_.cols; ++j) {
                if (is_scanned_[j]) continue;
                const double distance = travelled + (costs_.at(from, j) - u_[from] - v_[j]);
                if (distance < distance_[j]) distance_[j] = distance, before_[j] = from;
                if (nearest == none || distance_[j] < distance_[nearest]) nearest = j;
            }
            if (row_of_[nearest] == none) return nearest;
            is_scanned_[nearest] = true;
            scanned_.push_back(nearest);
            travelled = distance_[nearest];
            from = row_of_[nearest];
        }
    }

    const Matrix& costs_;
    std::vector<double> u_, v_;           // by row, by column
    std::vector<std::size_t> column_of_;  // by row; `none`: not added yet
    std::vector<std::size_t> row_of_;     // by column; `none`: assigned to no row
    // The last search:
    std::vector<double> distance_;      // distance from the added row, by column
    std::vector<std::size_t> before_;   // row before each column on the path to it
    std::vector<bool> is_scanned_;      // by column: the search went on from its row
    std::vector<std::size_t> scanned_;  // the scanned columns
};

}  // namespace

std::vector<std::optional<std::size_t>> cheapest_assignment(const Matrix& costs) {
    require_bounded(costs);
    const bool is_tall = costs.rows > costs.cols;
    const Matrix wide = is_tall ? transposed(costs) : costs;
    Assignment assignment(wide);
    for (std::size_t i = 0; i < wide.rows; ++i) assignment.add(i);
    std::vector<std::optional<std::size_t>> column_of(costs.rows);
    for (std::size_t i = 0; i < wide.rows; ++i) {
        const std::size_t j = assignment.column_of(i);
        if (is_tall)
            column_of[j] = i;
        else
            column_of[i] = j;
    }
    return column_of;
}

}  // namespace fairstream
