/// The shortfalls of a cluster for single points: the same bits as counting anew gives.

#include <gtest/gtest.h>

#include <bit>
#include <random>

#include <fairstream/fairness/demand.hpp>

namespace fairstream {
namespace {

std::uint64_t bits(double value) {
    return std::bit_cast<std::uint64_t>(value);
}

/// Compares all changes of random counts with `shortfall`, which counts anew.
void expect_same(const Demand& demand, const std::vector<std::int64_t>& counts) {
    const ShortfallChanges changes(demand, counts);
    const int groups = static_cast<int>(counts.size());
    for (int minus = no_group; minus < groups; ++minus)
        for (int plus = no_group; plus < groups; ++plus)
            EXPECT_EQ(bits(changes.after(minus, plus)), bits(shortfall(demand, counts, minus, plus)))
                << groups << " groups, " << minus << " less, " << plus << " more";
    for (int minus = no_group; minus < groups; ++minus)
        for (int plus = no_group; plus < groups; ++plus)
            EXPECT_EQ(changes.keeps(minus, plus), shortfall(demand, counts, minus, plus) <= 0)
                << groups << " groups, " << minus << " less, " << plus << " more";
}

TEST(ShortfallChanges, AreThoseOfCountingAnew) {
    std::mt19937_64 random(7);
    std::uniform_int_distribution<std::int64_t> few(0, 4), many(0, 400);
    std::uniform_real_distribution<double> unit(0, 1);
    for (int trial = 0; trial < 300; ++trial) {
        const std::size_t groups = 1 + random() % 9;
        Demand demand{.ratio = trial % 7 == 0 ? 1 : unit(random)};
        std::vector<std::int64_t> counts;
        for (std::size_t j = 0; j < groups; ++j) {
            counts.push_back(trial % 2 == 0 ? few(random) : many(random));
            if (trial % 3 != 0)
                demand.weights.push_back(trial % 5 == 0 && j % 2 == 0 ? 0
                                                                      : 1.0 / static_cast<double>(1 + many(random)));
        }
        expect_same(demand, counts);
        expect_same({.ratio = 0}, counts);
        Demand shares{.lower = std::vector<double>(groups, 0.8 * unit(random) / static_cast<double>(groups))};
        shares.upper.assign(groups, 1.2 / static_cast<double>(groups));
        expect_same(shares, counts);
    }
    expect_same({.ratio = 0.5}, {0, 0, 0});
    expect_same({.ratio = 0.5}, {3, 3, 3});
    expect_same({.ratio = 0.5}, {});
}

}  // namespace
}  // namespace fairstream
