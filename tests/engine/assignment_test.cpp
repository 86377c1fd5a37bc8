/// The cheapest assignment of rows to columns.

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include <fairstream/base/types.hpp>
#include <fairstream/numeric/assignment.hpp>
#include <fairstream/numeric/draws.hpp>

namespace fairstream::test {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using AssignedColumns = std::vector<std::optional<std::size_t>>;

Matrix matrix(std::size_t rows, std::size_t cols, std::vector<double> values) {
    Matrix result(rows, cols);
    result.values = std::move(values);
    return result;
}

Matrix whole_numbers(Draws& draws, std::size_t rows, std::size_t cols, std::uint32_t below) {
    Matrix result(rows, cols);
    for (double& value : result.values) value = std::floor(draws.below(below) - below / 2.0);
    return result;
}

/// Returns the cost of an assignment; fails the test if it is not one to one, or assigns too few.
double cost_of(const Matrix& costs, const AssignedColumns& columns) {
    EXPECT_EQ(columns.size(), costs.rows);
    std::vector<bool> taken(costs.cols, false);
    std::size_t assigned = 0;
    double sum = 0;
    for (std::size_t i = 0; i < costs.rows; ++i) {
        if (!columns[i]) continue;
        EXPECT_LT(*columns[i], costs.cols);
        EXPECT_FALSE(taken[*columns[i]]) << "column " << *columns[i] << " twice";
        taken[*columns[i]] = true;
        ++assigned;
        sum += costs.at(i, *columns[i]);
    }
    EXPECT_EQ(assigned, std::min(costs.rows, costs.cols));
    return sum;
}

/// Returns the least cost, by trying every order of the longer side.
double least_cost(const Matrix& costs) {
    const bool is_tall = costs.rows > costs.cols;
    const std::size_t shorter = std::min(costs.rows, costs.cols);
    std::vector<std::size_t> order(std::max(costs.rows, costs.cols));
    std::iota(order.begin(), order.end(), std::size_t{0});
    double least = std::numeric_limits<double>::infinity();
    do {
        double sum = 0;
        for (std::size_t i = 0; i < shorter; ++i) sum += is_tall ? costs.at(order[i], i) : costs.at(i, order[i]);
        least = std::min(least, sum);
    } while (std::ranges::next_permutation(order).found);
    return least;
}

TEST(Assignment, IsTheCheapestOfAll) {
    Draws draws(1);
    for (int round = 0; round < 300; ++round) {
        const std::size_t rows = 1 + draws.below(7), cols = 1 + draws.below(7);
        // Few distinct values give many ties; costs below 0 occur, too.
        const Matrix costs = whole_numbers(draws, rows, cols, round % 3 == 0 ? 3 : 1000);
        const AssignedColumns columns = cheapest_assignment(costs);
        ASSERT_EQ(cost_of(costs, columns), least_cost(costs)) << rows << " x " << cols << ", round " << round;
        ASSERT_EQ(cheapest_assignment(costs), columns);
    }
}

TEST(Assignment, IsTheCheapestOfFractionsUpToRounding) {
    Draws draws(2);
    for (int round = 0; round < 200; ++round) {
        Matrix costs(1 + draws.below(6), 1 + draws.below(6));
        for (double& value : costs.values) value = draws.unit() * (round % 2 == 0 ? 1 : 1e9);
        const double least = least_cost(costs);
        ASSERT_NEAR(cost_of(costs, cheapest_assignment(costs)), least, 1e-12 * least);
    }
}

// Too large to try every assignment: one is planted. Each row (or column, of the shorter side) costs at least its
// charge anywhere, and exactly that in its planted place, so that no assignment costs less than the planted one.
TEST(Assignment, FindsAPlantedAssignmentOfManyRows) {
    Draws draws(3);
    for (const auto& [rows, cols] : {std::pair<std::size_t, std::size_t>{60, 60}, {40, 150}, {150, 40}}) {
        const std::size_t shorter = std::min(rows, cols), longer = std::max(rows, cols);
        std::vector<std::size_t> planted(longer);
        std::iota(planted.begin(), planted.end(), std::size_t{0});
        for (std::size_t i = longer; i > 1; --i)
            std::swap(planted[i - 1], planted[draws.below(static_cast<std::uint32_t>(i))]);
        std::vector<double> charge(shorter);
        for (double& value : charge) value = draws.below(100);
        Matrix costs(rows, cols);
        double planted_cost = 0;
        for (std::size_t s = 0; s < shorter; ++s) {
            planted_cost += charge[s];
            for (std::size_t l = 0; l < longer; ++l) {
                const double cost = charge[s] + (planted[s] == l ? 0 : draws.below(3));
                (rows > cols ? costs.at(l, s) : costs.at(s, l)) = cost;
            }
        }
        EXPECT_EQ(cost_of(costs, cheapest_assignment(costs)), planted_cost) << rows << " x " << cols;
    }
}

TEST(Assignment, TakesTheLowerIndexOfEqualCosts) {
    EXPECT_THAT(cheapest_assignment(Matrix(3, 3)), ElementsAre(0, 1, 2));
    EXPECT_THAT(cheapest_assignment(Matrix(2, 4)), ElementsAre(0, 1));
    EXPECT_THAT(cheapest_assignment(Matrix(4, 2)), ElementsAre(0, 1, std::nullopt, std::nullopt));
    EXPECT_THAT(cheapest_assignment(matrix(2, 3, {5, 5, 5, 5, 5, 5})), ElementsAre(0, 1));
    EXPECT_THAT(cheapest_assignment(matrix(1, 4, {3, 2, 7, 2})), ElementsAre(1));
    EXPECT_THAT(cheapest_assignment(matrix(4, 1, {3, 2, 7, 2})),
                ElementsAre(std::nullopt, 0, std::nullopt, std::nullopt));
}

TEST(Assignment, IsNotGreedy) {
    EXPECT_THAT(cheapest_assignment(matrix(2, 2, {-9, -8, -8, 0})), ElementsAre(1, 0));
}

TEST(Assignment, OfNothingIsNothing) {
    EXPECT_THAT(cheapest_assignment(Matrix()), IsEmpty());
    EXPECT_THAT(cheapest_assignment(Matrix(0, 3)), IsEmpty());
    EXPECT_THAT(cheapest_assignment(Matrix(2, 0)), ElementsAre(std::nullopt, std::nullopt));
}

TEST(Assignment, RefusesCostsWhoseSumsAreNoNumbers) {
    for (const double bad : {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity(), -2e300})
        EXPECT_THROW((void)cheapest_assignment(matrix(2, 2, {0, 0, bad, 0})), InvalidInput);
    EXPECT_THAT(cheapest_assignment(matrix(2, 2, {1e300, -1e300, -1e300, 1e300})), ElementsAre(1, 0));
}

}  // namespace
}  // namespace fairstream::test
