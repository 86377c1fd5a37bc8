/// The cheapest counts of one cluster under bounds on shares, against all counts there are, and whatever the bands.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <iterator>
#include <limits>
#include <optional>

#include <fairstream/fair_assignment/detail/cheapest_counts.hpp>
#include <fairstream/numeric/detail/random.hpp>

#include "support/streams.hpp"

namespace fairstream::safairkm {
namespace {

using Counts = std::vector<std::size_t>;

// The gaps of each group, and bounds on their shares.
struct Instance {
    std::vector<std::vector<float>> gaps;
    Demand demand;
};

enum class Kind { normal, tied, heavy_tailed };

float gap(Random& random, Kind kind) {
    if (kind == Kind::tied) return static_cast<float>(random.below(5)) - 1;
    const float value = test::normal(random) + 0.5F;
    return kind == Kind::normal ? value : value / std::max(1e-4F, std::abs(test::normal(random)));
}

// Shares are multiples of 1 / 12, 0 and 1 among them; they leave room for all groups.
Instance instance(Random& random, std::size_t groups, std::uint32_t most, Kind kind) {
    Instance made;
    for (std::size_t j = 0; j < groups; ++j) {
        made.gaps.emplace_back(random.below(most + 1));
        for (float& value : made.gaps.back()) value = gap(random, kind);
    }
    std::uint32_t low = 0, high = 0;
    while (low > 12 || high < 12 || made.demand.lower.empty()) {
        made.demand.lower.clear();
        made.demand.upper.clear();
        low = high = 0;
        for (std::size_t j = 0; j < groups; ++j) {
            const std::uint32_t one = random.below(13), other = random.below(3) == 0 ? one : random.below(13);
            low += std::min(one, other);
            high += std::max(one, other);
            made.demand.lower.push_back(std::min(one, other) / 12.0);
            made.demand.upper.push_back(std::max(one, other) / 12.0);
        }
    }
    return made;
}

RankedGaps band(const std::vector<float>& gaps, double low, double high) {
    RankedGaps ranked(low, high);
    std::vector<float> near;
    std::ranges::copy_if(gaps, std::back_inserter(near), [=](float gap) { return gap >= low && gap <= high; });
    const auto below = [&](double limit) {
        return static_cast<std::size_t>(std::ranges::count_if(gaps, [=](float gap) { return gap < limit; }));
    };
    ranked.add(near, 0, below(low), below(0), gaps.size());
    ranked.sort();
    return ranked;
}

std::optional<Counts> from_everything(const Instance& i) {
    std::vector<RankedGaps> ranked;
    for (const std::vector<float>& gaps : i.gaps) ranked.push_back(band(gaps, -1e30, 1e30));
    std::vector<bool> lacking(i.gaps.size());
    return cheapest_counts(i.demand, ranked, lacking);
}

double counts_cost(const Instance& i, const Counts& counts) {
    double total = 0;
    for (std::size_t j = 0; j < counts.size(); ++j) {
        std::vector<float> gaps = i.gaps[j];
        std::ranges::sort(gaps);
        for (std::size_t rank = 0; rank < counts[j]; ++rank) total += gaps[rank];
    }
    return total;
}

std::size_t size_of(const Counts& counts) {
    std::size_t size = 0;
    for (const std::size_t count : counts) size += count;
    return size;
}

double short_by(const Instance& i, const Counts& counts) {
    return shortfall(i.demand, std::vector<std::int64_t>(counts.begin(), counts.end()));
}

// All counts that keep the bounds.
void for_each_kept(const Instance& i, const std::function<void(const Counts&)>& visit) {
    Counts counts(i.gaps.size());
    for (;;) {
        if (short_by(i, counts) == 0) visit(counts);
        std::size_t j = 0;
        while (j < counts.size() && ++counts[j] > i.gaps[j].size()) counts[j++] = 0;
        if (j == counts.size()) return;
    }
}

// A gap that lies beyond its band is asked for until it is there, and nothing else is.
template <class Widen> void expect_same_from_bands(const Instance& i, std::vector<RankedGaps> ranked, Widen widen) {
    const std::optional<Counts> expected = from_everything(i);
    ASSERT_TRUE(expected);
    std::optional<Counts> found;
    for (int pass = 0; !found; ++pass) {
        ASSERT_LT(pass, 1000);
        std::vector<bool> lacking(i.gaps.size());
        found = cheapest_counts(i.demand, ranked, lacking);
        if (found) break;
        ASSERT_GT(std::ranges::count(lacking, true), 0) << "nothing is lacking, and nothing is found";
        for (std::size_t j = 0; j < ranked.size(); ++j)
            if (lacking[j]) {
                ASSERT_LT(ranked[j].near().size(), i.gaps[j].size()) << "a group lacks gaps that are there";
                ranked[j] = widen(j);
            }
    }
    EXPECT_EQ(*found, *expected);
}

template <class Visit> void for_some_instances(std::size_t most_groups, std::uint32_t most, const Visit& visit) {
    Random random(7);
    for (const Kind kind : {Kind::normal, Kind::tied, Kind::heavy_tailed})
        for (int trial = 0; trial < 300; ++trial) {
            SCOPED_TRACE(testing::Message() << "kind " << static_cast<int>(kind) << ", trial " << trial);
            const auto groups = 1 + random.below(static_cast<std::uint32_t>(most_groups));
            visit(instance(random, groups, most, kind), random);
            if (testing::Test::HasFatalFailure()) return;
        }
}

TEST(CheapestCounts, UnderBoundsOnSharesDoNotDependOnTheBandsOfTheGaps) {
    for_some_instances(5, 40, [](const Instance& i, Random& random) {
        std::vector<double> middles, reach;
        std::vector<RankedGaps> ranked;
        for (const std::vector<float>& gaps : i.gaps) {
            middles.push_back(2 * test::normal(random));
            reach.push_back(0.05);
            ranked.push_back(band(gaps, middles.back() - 0.05, middles.back() + 0.05));
        }
        expect_same_from_bands(i, ranked, [&](std::size_t j) {
            reach[j] *= 1.5;
            return band(i.gaps[j], middles[j] - reach[j], middles[j] + reach[j]);
        });
    });
}

TEST(CheapestCounts, UnderBoundsOnSharesDoNotDependOnHowManyGapsAreRanked) {
    for_some_instances(5, 40, [](const Instance& i, Random& random) {
        std::vector<double> middles;
        std::vector<std::size_t> reach(i.gaps.size());
        const auto ranked_gaps = [&](std::size_t j) {
            std::vector<float> gaps = i.gaps[j];
            return RankedGaps(gaps, middles[j], ++reach[j]);
        };
        std::vector<RankedGaps> ranked;
        for (std::size_t j = 0; j < i.gaps.size(); ++j) {
            middles.push_back(2 * test::normal(random));
            ranked.push_back(ranked_gaps(j));
        }
        expect_same_from_bands(i, ranked, ranked_gaps);
    });
}

// They were kept in fractions of points only, which let a cluster of one point, far out, be within bounds.
TEST(CheapestCounts, BoundsOnSharesAreKeptInWholePoints) {
    int kept = 0;
    for_some_instances(3, 8, [&](const Instance& i, Random&) {
        std::size_t largest = 0;
        for_each_kept(i, [&](const Counts& counts) { largest = std::max(largest, size_of(counts)); });
        if (largest == 0) return;
        const std::optional<Counts> found = from_everything(i);
        ASSERT_TRUE(found);
        EXPECT_EQ(short_by(i, *found), 0);
        ++kept;
    });
    EXPECT_GT(kept, 100);
}

TEST(CheapestCounts, NoCountsOfTheSameSizeWithinBoundsOnSharesAreCheaper) {
    int compared = 0;
    for_some_instances(3, 12, [&](const Instance& i, Random&) {
        const std::optional<Counts> found = from_everything(i);
        ASSERT_TRUE(found);
        const double own = counts_cost(i, *found);
        for_each_kept(i, [&](const Counts& counts) {
            if (size_of(counts) != size_of(*found)) return;
            EXPECT_GE(counts_cost(i, counts), own - 1e-5 * std::abs(own));
            compared += counts != *found;
        });
    });
    EXPECT_GT(compared, 100);
}

// With bounds that every size, or every second or fourth, can keep exactly whole points cost what fractions do.
TEST(CheapestCounts, NoOtherSizeIsCheaperWhereWholePointsKeepTheBoundsExactly) {
    Random random(3);
    for (const auto& [lower, upper] : std::vector<std::pair<std::vector<double>, std::vector<double>>>{
             {{0, 0}, {1, 1}}, {{.5, .5}, {.5, .5}}, {{.25, .75}, {.25, .75}}, {{1, 0}, {1, 0}}})
        for (const Kind kind : {Kind::normal, Kind::tied, Kind::heavy_tailed})
            for (int trial = 0; trial < 50; ++trial) {
                Instance i = instance(random, 2, 24, kind);
                i.demand.lower = lower;
                i.demand.upper = upper;
                const std::optional<Counts> found = from_everything(i);
                ASSERT_TRUE(found);
                double least = std::numeric_limits<double>::infinity();
                for_each_kept(i, [&](const Counts& counts) {
                    if (size_of(counts) > 0 || size_of(*found) == 0) least = std::min(least, counts_cost(i, counts));
                });
                EXPECT_LE(counts_cost(i, *found), least + 1e-5 * std::abs(least)) << lower[0] << ", trial " << trial;
            }
}

}  // namespace
}  // namespace fairstream::safairkm
