/// The cheapest counts of one cluster, against all counts, for any bands.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <span>

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

// Returns counts found from bands around these middles with this initial reach; the gaps lie in two parts.
Counts from_bands(const Instance& i, const std::vector<double>& middles, double reach, double widest) {
    std::vector<float> room(1024);
    std::vector<RankedGaps> ranked;
    for (std::size_t j = 0; j < i.gaps.size(); ++j) {
        ranked.emplace_back(middles[j], reach, widest, room);
        const std::span<const float> gaps(i.gaps[j]);
        ranked.back().add(gaps.first(gaps.size() / 2), 0);
        ranked.back().add(gaps.subspan(gaps.size() / 2), 0);
        ranked.back().collect();
    }
    return cheapest_counts(i.demand, ranked);
}

Counts from_everything(const Instance& i) {
    return from_bands(i, std::vector<double>(i.gaps.size()), 1e30, 1e30);
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

// Bands that begin narrow, anywhere, and are widened by width, by numbers of points, or by both in turn.
void expect_same_from_bands(const Instance& i, Random& random) {
    const Counts expected = from_everything(i);
    std::vector<double> middles;
    for (std::size_t j = 0; j < i.gaps.size(); ++j) middles.push_back(2 * test::normal(random));
    for (const double widest : {0.05, 0.4, 1e30}) EXPECT_EQ(from_bands(i, middles, 0.05, widest), expected) << widest;
}

TEST(CheapestCounts, ShareBoundsIgnoreBands) {
    for_some_instances(5, 40, expect_same_from_bands);
}

TEST(CheapestCounts, RatioIgnoresBands) {
    for_some_instances(5, 40, [](Instance i, Random& random) {
        i.demand = {.attribute = 0, .ratio = random.unit(), .weights = {}, .lower = {}, .upper = {}};
        expect_same_from_bands(i, random);
    });
}

// Bounds were once kept only in fractions of points, which let a distant cluster of one point satisfy them.
TEST(CheapestCounts, BoundsOnSharesAreKeptInWholePoints) {
    int kept = 0;
    for_some_instances(3, 8, [&](const Instance& i, Random&) {
        std::size_t largest = 0;
        for_each_kept(i, [&](const Counts& counts) { largest = std::max(largest, size_of(counts)); });
        if (largest == 0) return;
        const Counts found = from_everything(i);
        EXPECT_EQ(short_by(i, found), 0);
        ++kept;
    });
    EXPECT_GT(kept, 100);
}

TEST(CheapestCounts, NoSameSizedCountsAreCheaper) {
    int compared = 0;
    for_some_instances(3, 12, [&](const Instance& i, Random&) {
        const Counts found = from_everything(i);
        const double own = counts_cost(i, found);
        for_each_kept(i, [&](const Counts& counts) {
            if (size_of(counts) != size_of(found)) return;
            EXPECT_GE(counts_cost(i, counts), own - 1e-5 * std::abs(own));
            compared += counts != found;
        });
    });
    EXPECT_GT(compared, 100);
}

// If every size, or every second or fourth, can keep the bounds exactly, integer counts cost the same as fractions.
TEST(CheapestCounts, NoOtherSizeIsCheaper) {
    Random random(3);
    for (const auto& [lower, upper] : std::vector<std::pair<std::vector<double>, std::vector<double>>>{
             {{0, 0}, {1, 1}}, {{.5, .5}, {.5, .5}}, {{.25, .75}, {.25, .75}}, {{1, 0}, {1, 0}}})
        for (const Kind kind : {Kind::normal, Kind::tied, Kind::heavy_tailed})
            for (int trial = 0; trial < 50; ++trial) {
                Instance i = instance(random, 2, 24, kind);
                i.demand.lower = lower;
                i.demand.upper = upper;
                const Counts found = from_everything(i);
                double least = std::numeric_limits<double>::infinity();
                for_each_kept(i, [&](const Counts& counts) {
                    if (size_of(counts) > 0 || size_of(found) == 0) least = std::min(least, counts_cost(i, counts));
                });
                EXPECT_LE(counts_cost(i, found), least + 1e-5 * std::abs(least)) << lower[0] << ", trial " << trial;
            }
}

}  // namespace
}  // namespace fairstream::safairkm
