#include <gmock/gmock.h>

#include <cmath>
#include <iostream>
#include <random>

#include <fairstream/files/points/table.hpp>

#include "helpers.hpp"
#include "support/names.hpp"

namespace fairstream::files {
namespace {

using test::Names;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

Table random_table(std::size_t n, std::size_t d, std::uint64_t seed) {
    std::mt19937_64 random(seed);
    Table table;
    table.format = {static_cast<std::uint32_t>(d), {{"g", {"a", "b"}}}, true};
    for (std::size_t i = 0; i < d; ++i) table.feature_names.push_back("f" + std::to_string(i));
    for (std::size_t row = 0; row < n; ++row) {
        table.ids.push_back(1000 + row);
        table.groups.push_back(static_cast<GroupId>(random() % 2));
        table.targets.push_back(static_cast<double>(row));
        for (std::size_t i = 0; i < d; ++i)
            table.features.push_back(static_cast<double>(random() % 100'000) / 7.0 - 300.0 * static_cast<double>(i));
    }
    return table;
}

TEST(CsvTable, StandardisedColumnsAreNormalised) {
    Table table = random_table(501, 4, 1);
    standardise(table);
    for (std::size_t column = 0; column < 4; ++column) {
        double sum = 0, squares = 0;
        for (std::size_t row = 0; row < 501; ++row) {
            sum += table.features[row * 4 + column];
            squares += std::pow(table.features[row * 4 + column], 2);
        }
        EXPECT_NEAR(sum / 501, 0, 1e-12);
        EXPECT_NEAR(squares / 501, 1, 1e-12);
    }
}

TEST(CsvTable, StandardisingMatchesAHandComputedColumn) {
    Table table;
    table.format.dimensions = 1;
    table.feature_names = {"x"};
    table.ids = {0, 1, 2, 3};
    table.features = {2, 4, 4, 6};  // mean 4, population variance 2
    standardise(table);
    EXPECT_THAT(table.features, ElementsAre(-2 / std::sqrt(2.0), 0, 0, 2 / std::sqrt(2.0)));
}

TEST(CsvTable, UnitRangeRunsFromLeastToGreatest) {
    Table table;
    table.format.dimensions = 2;
    table.feature_names = {"x", "y"};
    table.ids = {0, 1, 2, 3};
    table.features = {2, 5, -6, std::nan(""), 10, -5, 4, 0};
    table.parts = {Part::training, Part::training, Part::test, Part::training};
    unit_range(table);
    EXPECT_EQ(table.features[3] == table.features[3], false) << "a missing value stays";
    table.features[3] = 0;
    EXPECT_THAT(table.features, ElementsAre(0.8, 1, 0, 0, 1.6, -1, 1, 0)) << "the test part does not count";
}

TEST(CsvTable, ConstantColumnBecomesZero) {
    for (const auto scale : {standardise, unit_range}) {
        Table table = random_table(1000, 2, 2);
        for (std::size_t row = 0; row < 1000; ++row) table.features[2 * row] = 0.1;
        scale(table);
        for (std::size_t row = 0; row < 1000; ++row) ASSERT_EQ(table.features[2 * row], 0.0);
    }
}

TEST(CsvTable, RefusesWhatFloatsWouldNotTellApart) {
    Table table = random_table(200, 2, 3);
    EXPECT_NO_THROW(require_resolution(table));
    for (std::size_t i = 0; i < table.size(); ++i) table.features[2 * i + 1] = 1.7e9 + static_cast<double>(i);
    try {
        require_resolution(table);
        FAIL();
    } catch (const InvalidInput& error) {
        EXPECT_EQ(error.reason(), Reason::bad_feature);
        EXPECT_THAT(error.what(), testing::HasSubstr("'f1'"));
    }
    standardise(table);
    EXPECT_NO_THROW(require_resolution(table));
    for (std::size_t i = 0; i < table.size(); ++i) table.features[2 * i] = 1.7e9;
    EXPECT_NO_THROW(require_resolution(table)) << "a constant loses nothing";
}

TEST(CsvTable, UnitRowsHaveLengthOne) {
    Table table = random_table(100, 3, 3);
    for (std::size_t i = 0; i < 3; ++i) table.features[30 + i] = 0;
    unit_rows(table);
    for (std::size_t row = 0; row < 100; ++row) {
        double squares = 0;
        for (std::size_t i = 0; i < 3; ++i) squares += std::pow(table.features[3 * row + i], 2);
        EXPECT_NEAR(squares, row == 10 ? 0 : 1, 1e-14);
    }
}

TEST(CsvTable, RefusesToScaleWhatOverflows) {
    Table table = random_table(3, 2, 4);
    table.features[3] = 1e200;
    EXPECT_THAT(refusal([&] { standardise(table); }), Names({"bad_feature", "'f1'"}));
    EXPECT_THAT(refusal([&] { unit_range(table); }), Names({"bad_feature", "'f1'"}));
    EXPECT_THAT(refusal([&] { unit_rows(table); }), Names({"bad_feature", "1001"}));
}

TEST(CsvTable, SelectedRowsKeepEverythingTheyHad) {
    const Table whole = random_table(50, 3, 5);
    Table part = whole;
    for (ClassId i = 0; i < 50; ++i) part.classes.push_back(i % 9);
    const std::vector<std::uint64_t> rows{49, 0, 7, 8};
    select_rows(part, rows);
    ASSERT_EQ(part.size(), rows.size());
    for (std::size_t i = 0; i < rows.size(); ++i) {
        EXPECT_EQ(part.ids[i], whole.ids[rows[i]]);
        EXPECT_EQ(part.classes[i], rows[i] % 9);
        EXPECT_EQ(part.groups[i], whole.groups[rows[i]]);
        EXPECT_EQ(part.targets[i], whole.targets[rows[i]]);
        for (std::size_t j = 0; j < 3; ++j) EXPECT_EQ(part.features[3 * i + j], whole.features[3 * rows[i] + j]);
    }
    EXPECT_THAT(refusal([&] { select_rows(part, {1, 4}); }), Names({"row 4 ", "0 to 3"}));
    EXPECT_THAT(refusal([&] { select_rows(part, {1, 2, 1}); }), Names({"row 1 ", "twice"}));
}

TEST(CsvTable, RowsThatAreLeftOutHaveNumbersToo) {
    const test::TemporaryDirectory directory;
    // Row 1 has no number, row 3 is malformed, and row 5 lacks a value.
    const auto path = directory.write("rows.csv", "x,g\n0,a\nbad,b\n2,a\n3,b,3\n4,a\n,b\n6,b\n");
    const auto read = [&] {
        return read_table(path, {.features = {"x"}, .groups = {{"g", {"a", "b"}}}, .needed = {"x"}}, {},
                          {.at_most = 2});
    };
    EXPECT_THAT(read().ids, ElementsAre(0, 2, 4, 6)) << "ids are the numbers of the rows in the file";
    Table some = read();
    select_rows_of_file(some, {6, 3, 0});
    EXPECT_THAT(some.ids, ElementsAre(6, 0));
    EXPECT_THAT(refusal([&] { select_rows_of_file(some = read(), {7}); }), Names({"row 7 ", "0 to 6"}));
    EXPECT_THAT(refusal([&] { select_rows_of_file(some = read(), {2, 2}); }), Names({"row 2 ", "twice"}));
    EXPECT_THAT(refusal([&] { select_rows_of_file(some = read(), {1, 5}); }), HasSubstr("left out"));
}

TEST(CsvTable, ReadsRowNumbersOnePerLine) {
    const test::TemporaryDirectory directory;
    EXPECT_THAT(read_row_numbers(directory.write("rows.txt", "3\n0\r\n12")), ElementsAre(3, 0, 12));
    EXPECT_THAT(refusal([&] { (void)read_row_numbers(directory.write("rows.txt", "3\nx\n")); }),
                Names({"rows.txt:2:", "'x'"}));
    EXPECT_THAT(read_row_numbers(directory.write("rows.txt", "3\n\n4\n \r\n")), ElementsAre(3, 4));
    EXPECT_THAT(refusal([&] { (void)read_row_numbers(directory.write("rows.txt", "3\n\n4 5\n")); }),
                Names({"rows.txt:3:", "'4 5'"}));
    EXPECT_THAT(refusal([&] { (void)read_row_numbers(directory.write("rows.txt", "\n")); }), HasSubstr("no row"));
    EXPECT_THAT(refusal([&] { (void)read_row_numbers(directory.write("rows.txt", "-1\n")); }), HasSubstr("'-1'"));
    EXPECT_THAT(refusal([&] { (void)read_row_numbers(directory.write("rows.txt", "")); }), HasSubstr("no row"));
}

TEST(CsvTable, CopiesItsPointsAsFloats) {
    Table table = random_table(9, 2, 6);
    PointColumns points;
    copy_points(table, 3, 4, points);
    ASSERT_EQ(points.ids.size(), 4U);
    EXPECT_EQ(points.ids[0], table.ids[3]);
    EXPECT_EQ(points.features[7], static_cast<float>(table.features[13]));
    EXPECT_EQ(points.groups[3], table.groups[6]);
    EXPECT_EQ(points.targets[2], 5.0F);
    table.features[13] = -1e15;
    copy_points(table, 3, 4, points);
    EXPECT_EQ(points.features[7], -feature_limit);
    table.features[13] = -2e15;
    EXPECT_THAT(refusal([&] { copy_points(table, 3, 4, points); }),
                Names({"bad_feature", "point 1006:", "'f1'", "1e15"}));
}

/// The published facts on this file: rows, shares of the groups.
TEST(CsvTable, ReadsTheAdultCensusFile) {
    const std::filesystem::path path =
        std::filesystem::path(FAIRSTREAM_SOURCE_DIR) / "../shared/data/adult/adult.csv.gz";
    if (!std::filesystem::exists(path)) {
        std::cout << "[   NOTE   ] " << path << " is not here: its reading is not checked\n";
        return;
    }
    const Roles columns{.features = {"age", "fnlwgt", "education_num", "capital_gain", "hours_per_week"},
                        .groups = {{"group", {}}, {"group_race", {}}},
                        .target = "target",
                        .id = ""};
    Table table = read_table(path, columns);
    ASSERT_EQ(table.size(), 32'561U);
    EXPECT_EQ(table.format.attributes[0].groups.size(), 2U);
    EXPECT_EQ(table.format.attributes[1].groups.size(), 5U);
    std::size_t male = 0;
    for (std::size_t row = 0; row < table.size(); ++row) male += table.groups[2 * row] == 0;
    EXPECT_NEAR(static_cast<double>(male) / 32'561, 0.6692, 5e-5);
    standardise(table);
    unit_rows(table);
    select_rows(table, read_row_numbers(path.parent_path() / "rows5000.txt"));
    EXPECT_EQ(table.size(), 5'000U);
}

TEST(CsvTable, StandardisesByWeightWithoutGaps) {
    const test::TemporaryDirectory directory;
    const Formats formats{.described = {{"x", {}, true}, {"job", {"a", "b"}}}};
    Table table = read_table(directory.write("w.csv", "x,job,w\n1,b,3\n,a,5\n5,c,1\n"),
                             {.features = {"x", "job"}, .weight = "w"}, formats);
    Table equal =
        read_table(directory.write("r.csv", "x,job\n1,b\n1,b\n1,b\n?,a\n5,c\n"), {.features = {"x", "job"}}, formats);
    standardise(table);
    standardise(equal);
    EXPECT_DOUBLE_EQ(table.features[0], equal.features[0]);
    EXPECT_DOUBLE_EQ(table.features[4], equal.features[8]);
    EXPECT_TRUE(std::isnan(table.features[2]));
    EXPECT_EQ(table.features[1], 1);
    EXPECT_EQ(table.features[5], 2) << "a level that is not listed";
    require_resolution(table);
    EXPECT_THROW(unit_rows(table), InvalidInput);
    select_rows(table, {2, 0});
    PointColumns points;
    copy_points(table, 0, 2, points);
    EXPECT_EQ(points.weights, (std::vector<double>{1, 3}));
}

TEST(CsvTable, MissingValuesAreThoseOfTheSelectedRows) {
    const test::TemporaryDirectory directory;
    Table table =
        read_table(directory.write("m.csv", "x,y\n1,\n,2\n3,\n4,4\n"), {.features = {"x", "y"}},
                   {.described = {{.name = "x", .may_be_missing = true}, {.name = "y", .may_be_missing = true}}});
    ASSERT_EQ(table.remarks.missing.size(), 2U);
    select_rows(table, {0, 2, 3});
    ASSERT_EQ(table.remarks.missing.size(), 1U);
    EXPECT_EQ(table.remarks.missing[0].column, "y");
    EXPECT_EQ(table.remarks.missing[0].cells, 2U);
}

TEST(CsvTable, TargetsThatComeLaterNeedNoColumn) {
    const test::TemporaryDirectory directory;
    Table table = read_table(directory.write("l.csv", "x\n1\n2\n"), {.features = {"x"}, .groups = {}});
    table.format.has_targets = table.format.targets_come_later = true;
    PointColumns points;
    copy_points(table, 0, 2, points);
    EXPECT_EQ(points.ids.size(), 2U);
    EXPECT_TRUE(points.targets.empty());
}

}  // namespace
}  // namespace fairstream::files
