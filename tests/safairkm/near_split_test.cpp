/// Splits of the smallest group near the present ones, against all splits there are.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include <fairstream/fair_assignment/detail/near_split.hpp>
#include <fairstream/fairness/attainable.hpp>
#include <fairstream/numeric/detail/random.hpp>

namespace fairstream::safairkm {
namespace {

CountProblem balance_of_two_groups(std::size_t clusters, double ratio) {
    CountProblem problem{.clusters = clusters, .cells = {{0}, {1}}, .attributes = {0}, .groups = {2}, .demands = {}};
    problem.demands.of_groups.push_back({.attribute = 0, .ratio = ratio, .weights = {}, .lower = {}, .upper = {}});
    return problem;
}

// Returns the points that leave or enter clusters when the first group is split so, or nothing where the second one
// finds no room.
std::optional<std::int64_t> moves_to(const CellCounts& parts, const CellCounts& counts, double ratio,
                                     std::int64_t most) {
    std::int64_t moves = 0, room = 0;
    for (std::size_t l = 0; l < parts.size(); ++l) {
        const std::int64_t beside = room_beside(parts[l], ratio), other = counts[2 * l + 1];
        room += beside;
        moves += std::abs(counts[2 * l] - parts[l]) + std::abs(other - std::clamp(other, parts[l], beside));
    }
    return room < most ? std::nullopt : std::optional(moves);
}

TEST(NearSplit, MovesAsFewPointsAsAnySplitOfThreeClusters) {
    Random random(1, 21);
    std::size_t found_some = 0;
    for (int repetition = 0; repetition < 200; ++repetition) {
        CellCounts counts;
        std::int64_t all = 0, most = 0;
        for (int l = 0; l < 3; ++l) {
            // Within the first radius of one another.
            counts.push_back(4 + random.below(5));
            counts.push_back(counts.back() + random.below(6));
            all += counts[counts.size() - 2];
            most += counts.back();
        }
        const double ratio = static_cast<double>(all) / static_cast<double>(most) * (0.9 + 0.1 * random.unit());
        std::int64_t fewest = std::numeric_limits<std::int64_t>::max();
        for (std::int64_t a = 1; a < all; ++a)
            for (std::int64_t b = 1; a + b < all; ++b) {
                const CellCounts parts{a, b, all - a - b};
                bool is_near = true;
                for (std::size_t l = 0; l < 3; ++l) is_near &= std::abs(parts[l] - counts[2 * l]) <= 8;
                if (const auto moves = moves_to(parts, counts, ratio, most); is_near && moves)
                    fewest = std::min(fewest, *moves);
            }
        if (fewest == std::numeric_limits<std::int64_t>::max()) continue;
        ++found_some;
        const CountProblem problem = balance_of_two_groups(3, ratio);
        const auto parts = near_split(problem, problem.demands.of_groups[0], counts, 0, most);
        ASSERT_TRUE(parts) << repetition;
        EXPECT_EQ(sum_of(*parts), all) << repetition;
        EXPECT_EQ(moves_to(*parts, counts, ratio, most), fewest) << repetition;
    }
    EXPECT_GT(found_some, 50U);
}

// Room for 1241 of the larger group takes clusters whose parts waste a third of a point together: as good as all
// multiples of 13.
TEST(NearSplit, FindsOneNearbyWhereHardlyAnyRoomMayBeLost) {
    const CellCounts counts{162, 249, 101, 155, 144, 222, 130, 200, 147, 226, 123, 189};
    const CountProblem problem = balance_of_two_groups(6, 0.65);
    const auto parts = near_split(problem, problem.demands.of_groups[0], counts, 0, 1241);
    ASSERT_TRUE(parts);
    EXPECT_EQ(sum_of(*parts), 807);
    EXPECT_TRUE(moves_to(*parts, counts, 0.65, 1241));
    for (std::size_t l = 0; l < 6; ++l) EXPECT_LE(std::abs((*parts)[l] - counts[2 * l]), 16) << l;
}

TEST(NearSplit, FindsNothingWhereThereIsNoRoom) {
    const CountProblem problem = balance_of_two_groups(2, 0.5);
    EXPECT_FALSE(near_split(problem, problem.demands.of_groups[0], {5, 10, 5, 11}, 0, 21));
}

}  // namespace
}  // namespace fairstream::safairkm
