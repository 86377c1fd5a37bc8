#include <gmock/gmock.h>

#include <fairstream/files/points/detail/split.hpp>

#include <algorithm>

#include "helpers.hpp"

namespace fairstream::files {
namespace {

using ::testing::ElementsAre;

/// n points with ids from 100 on, the row number as the only feature, and no groups.
Table numbered(std::size_t n) {
    Table table;
    table.format.dimensions = 1;
    table.feature_names = {"x"};
    for (std::size_t i = 0; i < n; ++i) {
        table.ids.push_back(100 + i);
        table.features.push_back(static_cast<double>(i));
    }
    return table;
}

std::ptrdiff_t count(const Table& table, Part part) {
    return std::ranges::count(table.parts, part);
}

TEST(CsvSplit, PartsHaveTheirSharesOfTheRows) {
    for (const std::size_t n : {4U, 10U, 99U, 1000U}) {
        Table table = numbered(n);
        draw_parts({0.5, 0.25, 0.25}, 7, table);
        ASSERT_EQ(table.parts.size(), n);
        const double half = static_cast<double>(n) / 2;
        EXPECT_LE(std::abs(static_cast<double>(count(table, Part::training)) - half), 0.5);
        EXPECT_LE(std::abs(static_cast<double>(count(table, Part::validation)) - half / 2), 1);
        EXPECT_GT(count(table, Part::test), 0);
    }
    Table two = numbered(10);
    draw_parts({0.9, 0.1}, 7, two);
    EXPECT_EQ(count(two, Part::training), 9);
    EXPECT_EQ(count(two, Part::test), 1);
}

TEST(CsvSplit, RowsAreHeldOutUniformly) {
    constexpr int draws = 4000;
    std::vector<int> held_out(10);
    for (int seed = 0; seed < draws; ++seed) {
        Table table = numbered(held_out.size());
        draw_parts({0.7, 0.3}, static_cast<std::uint64_t>(seed), table);
        for (std::size_t i = 0; i < held_out.size(); ++i) held_out[i] += table.parts[i] == Part::test;
    }
    // Six deviations of a binomial, sqrt(4000 * 0.3 * 0.7) = 29.
    for (const int times : held_out) EXPECT_NEAR(times, 0.3 * draws, 6 * 29);
}

TEST(CsvSplit, PartKeepsOrderAndColumns) {
    Table table = numbered(5);
    table.format.attributes = {{"g", {"a", "b"}}};
    table.groups = {0, 1, 1, 0, 1};
    table.format.has_targets = true;
    table.targets = {0, 1, 0, 1, 1};
    table.parts = {Part::test, Part::training, Part::validation, Part::training, Part::test};
    const Table training = rows_of(table, Part::training), test = rows_of(table, Part::test);
    EXPECT_THAT(training.ids, ElementsAre(101, 103));
    EXPECT_THAT(training.features, ElementsAre(1, 3));
    EXPECT_THAT(training.groups, ElementsAre(1, 0));
    EXPECT_THAT(training.targets, ElementsAre(1, 1));
    EXPECT_TRUE(training.parts.empty());
    EXPECT_THAT(test.ids, ElementsAre(100, 104));
    table.parts.clear();
    EXPECT_EQ(rows_of(table, Part::training).size(), 5U);
    EXPECT_EQ(rows_of(table, Part::test).size(), 0U);
}

TEST(CsvSplit, ScalingLooksAtTrainingRowsAlone) {
    Table table = numbered(4);
    table.features = {1, 3, 1000, 2};
    table.parts = {Part::training, Part::training, Part::test, Part::validation};
    standardise(table);
    EXPECT_THAT(table.features, ElementsAre(-1, 1, 998, 0));
}

TEST(CsvSplit, FractionsAreTwoOrThreeOfSumOne) {
    EXPECT_THAT(read_fractions("0.9,0.1"), ElementsAre(0.9, 0.1));
    EXPECT_THAT(read_fractions("0.6,0.2,0.2"), ElementsAre(0.6, 0.2, 0.2));
    EXPECT_THAT(read_fractions("0.33333333333,0.33333333333,0.33333333333").size(), 3U);
    for (const char* text : {"", "1", "0.5", ",", "0.5,", ",0.5", "0.5,,0.5", "0.5;0.5", "0.5, 0.5", "1.5,-0.5", "1,0",
                             "inf,0.5", "nan,nan", "0.5,0.5000001", "0.25,0.25,0.25,0.25", "0.5,0.5x"})
        EXPECT_THROW((void)read_fractions(text), InvalidInput) << text;
}

TEST(CsvSplit, EmptyPartIsRefused) {
    Table table = numbered(2);
    EXPECT_THROW(draw_parts({0.34, 0.33, 0.33}, 1, table), InvalidInput);
    EXPECT_THROW(draw_parts({0.9, 0.1}, 1, table), InvalidInput);
    EXPECT_TRUE(table.parts.empty());
}

}  // namespace
}  // namespace fairstream::files
