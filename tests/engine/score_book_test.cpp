/// The scores by group that a session keeps beside a moving window.

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include <fairstream/core/detail/score_book.hpp>
#include <fairstream/numeric/detail/random.hpp>

#include "support/streams.hpp"

namespace fairstream::core {
namespace {

using test::mixture;

StreamFormat format() {
    return {2, {{"sex", {"f", "m"}}, {"age", {"young", "middle", "old"}}}, true};
}

ScoreTally counted(const Window& window, std::span<const Score> scores, std::uint32_t attribute) {
    ScoreTally tally(window.format().attributes[attribute].groups.size());
    for (Slot slot = 0; slot < scores.size(); ++slot)
        tally.add(scores[slot], window.group(slot, attribute), window.target(slot));
    tally.settle();
    return tally;
}

TEST(ScoreBook, EqualsRecountAfterMoves) {
    for (const std::uint32_t attribute : {0U, 1U}) {
        Window window(format(), {60, WindowPolicy::sliding, 1});
        ScoreBook book(format(), static_cast<int>(attribute));
        Random random(7);
        std::vector<Score> scores;
        for (std::size_t round = 0; round < 200; ++round) {
            // Ids come again, with other groups and targets.
            const PointColumns points = mixture(format(), random.below(12), round, random.below(500));
            const WindowChange& change = window.apply(points.view());
            scores.resize(window.size(), no_score);
            for (const Slot slot : change.written) scores[slot] = std::floor(5 * random.unit()) - 2;
            const double share = round % 4 == 0 ? 1.0 : 0.1;
            for (Score& score : scores)
                if (random.unit() < share) score = random.unit() < 0.1 ? no_score : 4 * random.unit() - 2;
            book.update_to(window, scores);
            ASSERT_EQ(book.tally(), counted(window, scores, attribute)) << round;
        }
    }
}

TEST(ScoreBook, SlotsWithoutAScoreAreLeftOut) {
    Window window(format(), {10, WindowPolicy::sliding, 1});
    ScoreBook book(format(), 0);
    book.update_to(window, {});
    EXPECT_EQ(book.tally().size(), 0U);
    window.apply(mixture(format(), 4, 1).view());
    const std::vector<Score> two{1, no_score};
    book.update_to(window, two);
    EXPECT_EQ(book.tally().size(), 1U);
    book.update_to(window, {});
    EXPECT_EQ(book.tally().size(), 0U);
}

TEST(ScoreBook, WithoutAttributesAllPointsAreOneGroup) {
    const StreamFormat plain{2, {}, true};
    Window window(plain, {10, WindowPolicy::sliding, 1});
    ScoreBook book(plain, 0);
    window.apply(mixture(plain, 6, 1).view());
    book.update_to(window, std::vector<Score>(6, 0.5));
    EXPECT_EQ(book.tally().groups(), 1U);
    EXPECT_EQ(book.tally().size(), 6U);
}

TEST(VerifyScores, TakesFiniteOrNone) {
    const std::vector<Score> good{0, -1e300, 1e300, no_score};
    verify_scores(good, 4);
    verify_scores(good, 5);
    verify_scores({}, 0);
    EXPECT_THROW(verify_scores(good, 3), InvalidInput);
    for (const Score bad : {std::numeric_limits<Score>::quiet_NaN(), std::numeric_limits<Score>::infinity()})
        EXPECT_THROW(verify_scores(std::vector<Score>{1, bad}, 2), InvalidInput);
}

}  // namespace
}  // namespace fairstream::core
