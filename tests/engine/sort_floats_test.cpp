#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <limits>
#include <vector>

#include <fairstream/numeric/detail/random.hpp>
#include <fairstream/numeric/detail/sort_floats.hpp>

namespace fairstream {
namespace {

void expect_sorted(std::vector<float> values) {
    std::vector<float> expected = values, scratch(values.size());
    std::ranges::sort(expected);
    sort_floats(values, scratch);
    EXPECT_EQ(values, expected);
}

TEST(SortFloats, OrdersAsComparisonsDo) {
    Random random(3);
    for (const std::size_t n : {0, 1, 2, 255, 256, 257, 5000})
        for (const float scale : {1e-38F, 1.0F, 1e30F}) {
            std::vector<float> values(n);
            for (float& x : values) x = scale * static_cast<float>(random.unit() - 0.5);
            expect_sorted(values);
            std::ranges::sort(values);
            expect_sorted(values);
            std::ranges::reverse(values);
            expect_sorted(values);
        }
}

TEST(SortFloats, OrdersNumbersOfAllBits) {
    Random random(4);
    std::vector<float> values;
    while (values.size() < 4000)
        if (const auto x = std::bit_cast<float>(static_cast<std::uint32_t>(random.next())); x == x) values.push_back(x);
    constexpr float infinite = std::numeric_limits<float>::infinity();
    for (const float x : {0.0F, -0.0F, infinite, -infinite, std::numeric_limits<float>::denorm_min()})
        values.insert(values.end(), 3, x);
    expect_sorted(values);
}

TEST(SortFloats, KeepsEqualNumbers) {
    expect_sorted(std::vector<float>(1000, 2.5F));
}

}  // namespace
}  // namespace fairstream
