#include <gmock/gmock.h>

#include <cmath>
#include <limits>
#include <tuple>

#include <fairstream/files/cells/times.hpp>
#include <fairstream/files/points/points.hpp>

#include "helpers.hpp"
#include "support/names.hpp"

namespace fairstream::files {
namespace {

using test::Names;
using ::testing::ElementsAre;
using ::testing::FieldsAre;
using ::testing::HasSubstr;
using ::testing::Pair;

class CsvPoints : public ::testing::Test {
protected:
    test::TemporaryDirectory directory;
    std::filesystem::path people = directory.write(
        "people.csv", "name,age,sex,income,rich\n7,39,male,2174.5,0\n9,50,female,0,1\n11,38,male,-1,0\n");
    std::string refused(std::string_view text, const Roles& roles, const Formats& formats = {},
                        const BadRowPolicy& bad_rows = {}) {
        return refusal([&] {
            PointReader reader(directory.write("bad.csv", text), roles, formats, bad_rows);
            PointColumns points;
            while (reader.read(2, points) > 0) {
            }
        });
    }
};

TEST_F(CsvPoints, PutsEachColumnWhereItsMeaningIs) {
    PointReader reader(people,
                       {.features = {"income", "age"}, .groups = {{"sex", {}}}, .target = "rich", .id = "name"});
    EXPECT_EQ(reader.format(), (StreamFormat{2, {{"sex", {"female", "male"}}}, true}));
    PointColumns points;
    EXPECT_EQ(reader.read(10, points), 3U);
    EXPECT_EQ(points, (PointColumns{{7, 9, 11}, {2174.5F, 39, 0, 50, -1, 38}, {1, 0, 1}, {0, 1, 0}, 0}));
    EXPECT_EQ(reader.read(10, points), 0U);
    EXPECT_EQ(points, PointColumns{});
}

TEST_F(CsvPoints, IdsDifferWithinABatchAndNoFurther) {
    const std::string text = "id,x\n1,1\n2,2\n1,3\n2,4\n1,5\n";
    const Roles columns{.features = {"x"}, .groups = {}, .id = "id"};
    const auto path = directory.write("ids.csv", text);
    const auto read_all = [&] {
        PointReader reader(path, columns);
        PointColumns points;
        std::vector<PointId> ids;
        while (reader.read(100, points) > 0) ids.insert(ids.end(), points.ids.begin(), points.ids.end());
        return ids;
    };
    EXPECT_THAT(read_all(), ElementsAre(1, 2, 1, 2, 1));
    PointReader reader(path, columns);
    PointColumns points;
    ASSERT_EQ(reader.read(100, points), 2U);  // as far as ids differ
    EXPECT_THAT(points.ids, ElementsAre(1, 2));
    ASSERT_EQ(reader.read(100, points), 2U);
    EXPECT_THAT(points.ids, ElementsAre(1, 2));
    ASSERT_EQ(reader.read(100, points), 1U);
    EXPECT_EQ(reader.read(100, points), 0U);
}

TEST_F(CsvPoints, JsonMayLackOptionalKeys) {
    const Roles roles{
        .features = {"x", "y"}, .groups = {{"sex", {"f", "m", "unknown"}, true}}, .optional = {"x", "y", "sex"}};
    const Formats formats{.described = {{.name = "x", .may_be_missing = true}, {.name = "y", .may_be_missing = true}}};
    PointReader reader(directory.write("one.jsonl", "{\"x\":1.5}\n"), roles, formats);
    PointColumns points;
    ASSERT_EQ(reader.read(10, points), 1U);
    EXPECT_EQ(points.features[0], 1.5F);
    EXPECT_TRUE(std::isnan(points.features[1]));
    EXPECT_THAT(points.groups, ElementsAre(2));
    EXPECT_THAT(reader.remarks().absent_columns, ElementsAre("y", "sex"));
    Roles needs_y = roles;
    needs_y.optional = {"x", "sex"};
    EXPECT_THAT(refusal([&] { PointReader(directory / "one.jsonl", needs_y, formats); }), Names({"malformed", "'y'"}));
    // A file with none of the features is a wrong file.
    EXPECT_THAT(refusal([&] { PointReader(directory.write("other.jsonl", "{\"z\":1}\n"), roles, formats); }),
                Names({"malformed", "'x'"}));
    EXPECT_THAT(refusal([&] { PointReader(directory.write("one.csv", "x\n1.5\n"), roles, formats); }),
                Names({"malformed", "'y'"}));
}

TEST_F(CsvPoints, DefaultsToAllFeaturesAndRowNumbers) {
    PointReader reader(people, {.features = {}, .groups = {{"sex", {}}}, .target = "rich", .id = ""});
    EXPECT_THAT(reader.features(), ElementsAre("name", "age", "income"));
    PointColumns points;
    EXPECT_EQ(reader.read(10, points), 3U);
    EXPECT_THAT(points.ids, ElementsAre(0, 1, 2));
}

TEST_F(CsvPoints, ClassesAreNumberedAndNoFeatures) {
    const auto path = directory.write("kinds.csv", "x,kind,y\n1,b,2\n3,a,4\n5,b,6\n7, b,8\n9,1.0,0\n9,1,0\n");
    PointReader reader(path, {.features = {}, .groups = {}, .classes = "kind"});
    EXPECT_TRUE(reader.has_classes());
    EXPECT_THAT(reader.features(), ElementsAre("x", "y"));
    EXPECT_EQ(reader.format(), StreamFormat{2});
    std::vector<ClassId> classes;
    for (PointRow row; reader.next(row);) classes.push_back(row.true_class);
    EXPECT_THAT(classes, ElementsAre(0, 1, 0, 2, 3, 4));
    EXPECT_FALSE(PointReader(people, {.features = {"age"}, .groups = {}}).has_classes());
}

TEST_F(CsvPoints, BadClassesAreRefused) {
    const Roles columns{.features = {"x"}, .groups = {}, .classes = "kind"};
    EXPECT_THAT(refused("x,kind\n1,a\n2,\n", columns), Names({"bad.csv:3:", "'kind'", "''"}));
    EXPECT_THAT(refused("x,sort\n1,a\n", columns), Names({"bad.csv:1:", "'kind'", "'x', 'sort'"}));
    EXPECT_THAT(refused("x,kind\n1,a\n", {.features = {"x", "kind"}, .groups = {}, .classes = "kind"}),
                Names({"feature", "'kind'", "classes"}));
    std::string text = "x,kind\n";
    for (std::size_t i = 0; i < most_classes; ++i) text += "1," + std::to_string(i) + "\n";
    PointReader enough(directory.write("enough.csv", text), columns);
    PointColumns points;
    EXPECT_EQ(enough.read(2000, points), most_classes);
    EXPECT_THAT(refused(text + "1,one more\n", columns), Names({"bad.csv:1002:", "'kind'", "'one more'", "1001st"}));
}

TEST_F(CsvPoints, ReadsLevelsAndGaps) {
    const auto path =
        directory.write("mixed.csv", "age,job,sex\n39,nurse,f\n,clerk,m\n NA ,?,\n?,pilot,x\n1,other job,f\n");
    const Formats formats{.described = {{"job", {"clerk", "nurse"}, true}, {"age", {}, true}}};
    PointReader reader(path, {.features = {"job", "age"}, .groups = {{"sex", {"f", "m", "not said"}, true}}}, formats);
    EXPECT_EQ(reader.format(), (StreamFormat{.dimensions = 2,
                                             .attributes = {{"sex", {"f", "m", "not said"}, true}},
                                             .columns = formats.described}));
    PointColumns points;
    ASSERT_EQ(reader.read(10, points), 5U);
    const float nan = std::numeric_limits<float>::quiet_NaN();
    EXPECT_THAT(points.features, ::testing::Pointwise(::testing::NanSensitiveFloatEq(),
                                                      std::vector<float>{1, 39, 0, nan, nan, nan, 2, nan, 2, 1}));
    EXPECT_THAT(points.groups, ElementsAre(0, 1, 2, 2, 0));
}

TEST_F(CsvPoints, IgnoresBlanksAndCountsUnlisted) {
    std::string text = "age,job,sex\n1, nurse,f \n2,nurse\t,\tm\n3, my job ,x\n";
    for (int i = 0; i < 9; ++i) text += "4, pilot " + std::to_string(i % 7) + ",\n";
    PointReader reader(directory.write("blanks.csv", text),
                       {.features = {"age", "job"}, .groups = {{"sex", {"f", "m", "not said"}, true}}},
                       {.described = {{"age"}, {"job", {"nurse", " my job "}}}});
    PointColumns points;
    ASSERT_EQ(reader.read(3, points), 3U);
    EXPECT_THAT(points.features, ElementsAre(1, 0, 2, 0, 3, 1));
    EXPECT_THAT(points.groups, ElementsAre(0, 1, 2));
    ASSERT_EQ(reader.read(20, points), 9U);
    const Remarks remarks = reader.remarks();
    ASSERT_EQ(remarks.unlisted.size(), 2U);
    const UnlistedCells &sexes = remarks.unlisted[0], &jobs = remarks.unlisted[1];
    EXPECT_THAT(std::tie(sexes.column, sexes.taken_for, sexes.cells), FieldsAre("sex", "not said", 10));
    EXPECT_THAT(sexes.first, ElementsAre(Pair("x", 1), Pair("", 9)));
    EXPECT_THAT(std::tie(jobs.column, jobs.taken_for, jobs.cells), FieldsAre("job", "", 9));
    EXPECT_THAT(jobs.first, ElementsAre(Pair("pilot 0", 2), Pair("pilot 1", 2), Pair("pilot 2", 1), Pair("pilot 3", 1),
                                        Pair("pilot 4", 1)));

    PointReader found(directory.write("found.csv", "x,sex\n1, f\n2,f\n3,m \n"),
                      {.features = {}, .groups = {{"sex", {}}}});
    EXPECT_THAT(found.format().attributes[0].groups, ElementsAre("f", "m"));
    EXPECT_THAT(refused("x,sex\n1,f\n2, \n", {.features = {}, .groups = {{"sex", {"f"}}}}),
                Names({"unknown_group", "bad.csv:3:", "'sex'", "' '"}));
}

TEST_F(CsvPoints, OnlyMissingTextOfGroupColumnIsNotUnlisted) {
    const auto unlisted = [&](std::vector<std::string> texts) {
        PointReader reader(directory.write("gaps.csv", "x,sex\n1,f\n2,\n3,NA\n4,gone\n5,gone\n6,y\n"),
                           {.features = {"x"}, .groups = {{"sex", {"f", "m", "not said"}, true}}},
                           {.cells = {.missing_texts = std::move(texts)}});
        PointColumns points;
        EXPECT_EQ(reader.read(10, points), 6U);
        EXPECT_THAT(points.groups, ElementsAre(0, 2, 2, 2, 2, 2));
        return reader.remarks().unlisted.at(0).first;
    };
    EXPECT_THAT(unlisted({}), ElementsAre(Pair("", 1), Pair("NA", 1), Pair("gone", 2), Pair("y", 1)));
    EXPECT_EQ(unlisted({"x=unknown"}), unlisted({})) << "of another column";
    for (const char* text : {"sex=gone", "gone"})
        EXPECT_THAT(unlisted({text}), ElementsAre(Pair("", 1), Pair("NA", 1), Pair("y", 1))) << text;
}

TEST_F(CsvPoints, NoticesColumnsThatFloat32DoesNotResolve) {
    std::string text = "seconds,metres,same\n";
    for (int i = 0; i < 50; ++i)
        text += std::to_string(1'700'000'000 + i % 20) + "," + std::to_string(1e6 + i) + ",1700000000.5\n";
    PointReader reader(directory.write("large.csv", text), {.features = {}, .groups = {}});
    EXPECT_TRUE(reader.remarks().coarse.empty());
    PointColumns points;
    ASSERT_EQ(reader.read(50, points), 50U);
    const Remarks remarks = reader.remarks();
    ASSERT_EQ(remarks.coarse.size(), 1U);
    EXPECT_EQ(remarks.coarse[0].column, "seconds");
    EXPECT_EQ(remarks.coarse[0].lost, 1);
    EXPECT_EQ(remarks.coarse[0].value, 1'700'000'009);
}

TEST_F(CsvPoints, RefusesTimesThatAreProbablyInAnotherUnit) {
    const auto read = [&](const std::string& cell, std::optional<TimeUnit> given = {}) {
        PointReader reader(directory.write("times.csv", "x,at\n1," + cell + "\n"), {.features = {"x"}, .time = "at"},
                           {.time_unit = given});
        PointColumns points;
        (void)reader.read(1, points);
        return points.event_time;
    };
    const auto refused_time = [&](const std::string& cell) { return refusal([&] { (void)read(cell); }); };
    EXPECT_THAT(refused_time("1700000000000"),
                Names({"'1700000000000'", "2023-11-14T22:13:20Z", "1970-01-20T16:13:20Z"}));
    EXPECT_THAT(refused_time("1700000000000000000"), HasSubstr("in nanoseconds"));
    EXPECT_EQ(read("1700000000000", TimeUnit::microseconds), 1'700'000'000'000);
    EXPECT_EQ(read("1700000000000000"), 1'700'000'000'000'000);
    EXPECT_EQ(read("1700000000"), 1'700'000'000'000'000);
    EXPECT_EQ(read("7"), 7'000'000);
}

TEST_F(CsvPoints, RefusesMissingValuesWhereTheStreamTakesNone) {
    const Roles roles{.features = {"job", "age"}, .groups = {{"sex", {"f", "m"}}}};
    const Formats formats{.described = {{"job", {"clerk", "nurse"}}, {"age"}}};
    EXPECT_THAT(refused("age,job,sex\n39,nurse,f\n,clerk,m\n", roles, formats),
                Names({"bad_feature", "bad.csv:3:", "'age'", "''"}));
    EXPECT_THAT(refused("age,job,sex\n39,nurse,f\n1,,m\n", roles, formats),
                Names({"bad_feature", "bad.csv:3:", "'job'", "''"}));
    EXPECT_THAT(refused("age,job,sex\nNaN,nurse,f\n", roles, formats), HasSubstr("bad.csv:2: column 'age'"));
    EXPECT_THAT(refused("age,job,sex\n1,nurse,\n", roles, formats),
                Names({"unknown_group", "bad.csv:2:", "'sex'", "''"}));
    Formats fewer = formats;
    fewer.described.pop_back();
    EXPECT_THAT(refused("age,job,sex\n1,nurse,f\n", roles, fewer), Names({"wrong_shape", "2 feature", " 1"}));
}

TEST_F(CsvPoints, ReadsWeightsAndLatestTime) {
    const auto path = directory.write("timed.csv", "x,w,at\n1,2,1970-01-01T00:00:03Z\n2,0.5,5\n3,1e15,4.5\n");
    PointReader reader(path, {.features = {}, .groups = {}, .weight = "w", .time = "at"});
    EXPECT_THAT(reader.features(), ElementsAre("x"));
    EXPECT_TRUE(reader.format().has_weights);
    PointColumns points;
    ASSERT_EQ(reader.read(2, points), 2U);
    EXPECT_THAT(points.weights, ElementsAre(2, 0.5));
    EXPECT_EQ(points.event_time, 5'000'000);
    ASSERT_EQ(reader.read(2, points), 1U);
    EXPECT_THAT(points.weights, ElementsAre(1e15));
    EXPECT_EQ(points.event_time, 4'500'000);
    for (const char* weight : {"0", "-1", "1e16", "nan", "1e-16"})
        EXPECT_THAT(refused("x,w\n1," + std::string(weight) + "\n", {.features = {}, .groups = {}, .weight = "w"}),
                    HasSubstr("bad.csv:2: column 'w'"));
    EXPECT_THAT(refused("x,at\n1,now\n", {.features = {}, .groups = {}, .time = "at"}),
                Names({"bad.csv:2:", "'at'", "'now'"}));
}

TEST(CsvTimes, AreIsoDatesWithOffsetsOrNumbersSince1970) {
    EXPECT_EQ(read_time("1970-01-01"), 0);
    EXPECT_EQ(read_time("1970-01-02T00:00Z"), 86'400'000'000);
    EXPECT_EQ(read_time("1970-01-01 01:00:00.25+01:00"), 250'000);
    EXPECT_EQ(read_time("1969-12-31T23:59:59.9999999"), -1);
    EXPECT_EQ(read_time("2026-11-24T01:30:00-0530"), 1'795'503'600'000'000);
    EXPECT_EQ(read_time("2000-02-29"), 951'782'400'000'000);
    EXPECT_EQ(read_time("1700000000"), 1'700'000'000'000'000);
    EXPECT_EQ(read_time("1700000000000000"), 1'700'000'000'000'000);
    EXPECT_EQ(read_time("-1.5"), -1'500'000);
    for (const char* text : {"", "now", "x2026-01-01", "2026-13-01", "2026-02-29", "2026-01-01T", "2026-01-01T24:00",
                             "2026-01-01T10", "2026-01-01T10:00:00.", "2026-01-01T10:00X", "2026-01-01T10:00+", "1e300",
                             "2026-01-01Z", "inf", "nan", "20260101T1000"})
        EXPECT_EQ(read_time(text), std::nullopt) << text;
}

TEST(CsvTimes, AreNumbersInTheUnitGiven) {
    EXPECT_EQ(read_time("1700000000", TimeUnit::milliseconds), 1'700'000'000'000);
    EXPECT_EQ(read_time("1700000000.5", TimeUnit::milliseconds), 1'700'000'000'500);
    EXPECT_EQ(read_time("1700000000000", TimeUnit::seconds), 1'700'000'000'000'000'000);
    EXPECT_EQ(read_time("5", TimeUnit::microseconds), 5);
    EXPECT_EQ(read_time("-1", TimeUnit::nanoseconds), -1);
    EXPECT_EQ(read_time("1999", TimeUnit::nanoseconds), 1);
    EXPECT_EQ(read_time("1970-01-01T00:00:01", TimeUnit::milliseconds), 1'000'000);
    for (const char* text : {"17000000000000", "1e15"}) EXPECT_EQ(read_time(text, TimeUnit::seconds), std::nullopt);
    for (const TimeUnit unit :
         {TimeUnit::seconds, TimeUnit::milliseconds, TimeUnit::microseconds, TimeUnit::nanoseconds})
        EXPECT_EQ(find_time_unit(symbol(unit)), unit);
    EXPECT_EQ(find_time_unit("m"), std::nullopt);
}

TEST(CsvTimes, AreWrittenAsTheyAreRead) {
    EXPECT_EQ(time_text(1'700'000'000'000'000), "2023-11-14T22:13:20Z");
    EXPECT_EQ(time_text(-1), "1969-12-31T23:59:59.999999Z");
    for (const std::int64_t time : {std::int64_t{0}, std::int64_t{-62'167'219'200'000'000},
                                    std::int64_t{253'402'300'799'999'999}, std::int64_t{253'402'300'800'000'000},
                                    std::numeric_limits<std::int64_t>::min(), std::numeric_limits<std::int64_t>::max()})
        EXPECT_EQ(read_time(time_text(time)), time);
}

TEST_F(CsvPoints, ReadsHashesDatesAndTextIds) {
    const auto path = directory.write("t.csv", "key,city,joined\nab-1, Rome ,31.1.2026\ncd-2,,1.2.2026\n");
    const Roles roles{.features = {"city", "joined"}, .id = "key"};
    const Formats formats{.described = {{.name = "city", .may_be_missing = true, .buckets = 16},
                                        {.name = "joined", .dates = DateUnit::days}},
                          .cells = {.date_orders = {DateOrder::year_first, DateOrder::day_first}},
                          .has_text_ids = true};
    PointReader reader(path, roles, formats);
    EXPECT_TRUE(reader.format().has_text_ids);
    PointColumns points;
    ASSERT_EQ(reader.read(9, points), 2U);
    EXPECT_EQ(points.features[0], static_cast<float>(bucket_of("Rome", 16)));
    EXPECT_TRUE(std::isnan(points.features[2]));
    EXPECT_EQ(points.features[1], 20484);
    EXPECT_EQ(points.features[3], 20485);
    EXPECT_EQ(points.id_texts[0], "ab-1");
    EXPECT_EQ(points.id_texts[1], "cd-2");
    EXPECT_THAT(points.ids, ElementsAre(0, 1)) << "the numbers of their rows";
    EXPECT_THAT(refused("key,city,joined\n,Rome,31.1.2026\n", roles, formats), Names({"'key'", "''"}));
    EXPECT_THAT(refused("key,city,joined\na,Rome,1/31/2026\n", roles, formats),
                Names({"bad_feature", "'1/31/2026'", "day first"}));
    EXPECT_THAT(refused("key,city,joined\na,Rome,yesterday\n", roles, formats), Names({"bad_feature", "'yesterday'"}));
}

TEST_F(CsvPoints, LeavesOutRowsThatLackWhatIsNeeded) {
    const std::string text = "x,y,g\n1,,a\n2,5,\n3,6,b\n,7,a\n";
    Roles columns{.features = {"x", "y"}, .groups = {{"g", {"a", "b"}}}};
    columns.needed = {"x", "y", "g"};
    PointReader reader(directory.write("n.csv", text), columns);
    PointColumns points;
    ASSERT_EQ(reader.read(9, points), 1U);
    EXPECT_THAT(points.ids, ElementsAre(2)) << "rows are numbered with those left out";
    const Remarks remarks = reader.remarks();
    ASSERT_EQ(remarks.left_out.size(), 3U);
    for (const RowsWithout& without : remarks.left_out) EXPECT_EQ(without.rows, 1U) << without.column;
    columns.needed.clear();
    columns.needs_all = true;
    EXPECT_EQ(PointReader(directory.write("n.csv", text), columns).read(9, points), 1U);
}

TEST_F(CsvPoints, LeavesOutAndWritesBadRows) {
    const std::string text = "x,g\n1,a\ntwo,a\n3\n4,c\n5,b\n\"say \"\"6\"\"\",b\nx,g\n7,a\n";
    const Roles roles{.features = {"x"}, .groups = {{"g", {"a", "b"}}}};
    const BadRowPolicy policy{.at_most = 5, .file = directory / "bad-rows.csv"};
    PointReader reader(directory.write("b.csv", text), roles, {}, policy);
    PointColumns points;
    ASSERT_EQ(reader.read(9, points), 3U);
    EXPECT_THAT(points.features, ElementsAre(1, 5, 7));
    EXPECT_EQ(reader.remarks().bad_rows, 5U);
    EXPECT_EQ(reader.remarks().first_bad.size(), 3U);
    Reader bad(policy.file);
    EXPECT_THAT(bad.header(), ElementsAre("line", "reason", "x", "g"));
    ASSERT_TRUE(bad.next());
    EXPECT_EQ(bad.cell(0), "3");
    EXPECT_THAT(std::string(bad.cell(1)), HasSubstr("'two'"));
    EXPECT_EQ(bad.cell(2), "two");
    EXPECT_THAT(refused(text, roles, {}, {.at_most = 4}), HasSubstr("4 rows"));
    EXPECT_THAT(refused(text, roles), Names({"bad_feature", "bad.csv:3:", "'x'", "'two'"}));
}

TEST_F(CsvPoints, TooLargeValueIsBadRow) {
    const std::string text = "x,y\n1,1\n1e16,2\n3,-2e15\n4,4\n";
    const Roles roles{.features = {"x"}, .target = "y"};
    EXPECT_THAT(refused(text, roles), Names({"bad_feature", "'1e16'", "1e15"}));
    PointReader reader(directory.write("large.csv", text), roles, {}, {.at_most = 2});
    PointColumns points;
    ASSERT_EQ(reader.read(9, points), 2U);
    EXPECT_THAT(points.features, ElementsAre(1, 4));
    EXPECT_EQ(reader.remarks().bad_rows, 2U);
}

TEST_F(CsvPoints, ATargetOfTextIsYesOrNo) {
    const Roles roles{.features = {"x"}, .target = "y"};
    const Formats formats{.positive = ">50K"};
    PointReader reader(directory.write("y.csv", "x,y\n1,>50K\n2,<=50K\n"), roles, formats);
    PointColumns points;
    ASSERT_EQ(reader.read(9, points), 2U);
    EXPECT_THAT(points.targets, ElementsAre(1, 0));
    EXPECT_THAT(refused("x,y\n1,?\n", roles, formats), Names({"bad_feature", "'?'"}));
}

TEST_F(CsvPoints, ATargetThatComesLaterMayBeMissing) {
    const Roles roles{.features = {"x"}, .target = "y"};
    Formats formats{.targets_come_later = true};
    PointReader reader(directory.write("y.csv", "x,y\n1,\n2,1.0\n3,NA\n4,-1\n"), roles, formats);
    PointColumns points;
    ASSERT_EQ(reader.read(9, points), 4U);
    EXPECT_TRUE(std::isnan(points.targets[0]) && std::isnan(points.targets[2]));
    EXPECT_EQ(points.targets[1], 1);
    EXPECT_EQ(points.targets[3], -1);
    for (const char* other : {"999", "0.5", "2"})
        EXPECT_THAT(refused("x,y\n1," + std::string(other) + "\n", roles, formats),
                    Names({"bad_feature", "'y'", "'" + std::string(other) + "'"}));
    formats.positive = "yes";
    PointReader words(directory.write("z.csv", "x,y\n1,\n2,yes\n3,no\n"), roles, formats);
    ASSERT_EQ(words.read(9, points), 3U);
    EXPECT_TRUE(std::isnan(points.targets[0]));
    EXPECT_EQ(points.targets[1], 1);
    EXPECT_EQ(points.targets[2], 0);
    EXPECT_THAT(refused("x,y\n1,n\n", roles), Names({"bad_feature", "'n'"}));
    PointReader whole(directory.write("w.csv", "x,y\n1,yes\n2,No\n3,0.5\n"), roles);
    ASSERT_EQ(whole.read(9, points), 3U);
    EXPECT_THAT(points.targets, ElementsAre(1, 0, 0.5F)) << "words of targets that come at once";
}

TEST_F(CsvPoints, RowsOfOneEventAreReadTogether) {
    Roles columns{.features = {}, .groups = {}};
    columns.event = "e";
    const auto sizes = [&](std::size_t most) {
        PointReader reader(directory.write("e.csv", "x,e\n1,a\n2,a\n3,b\n4,c\n5,c\n6,c\n7,a\n"), columns);
        EXPECT_THAT(reader.features(), ElementsAre("x"));
        std::vector<std::size_t> all;
        std::vector<float> features;
        PointColumns points;
        while (reader.read(most, points) > 0) {
            all.push_back(points.ids.size());
            features.insert(features.end(), points.features.begin(), points.features.end());
        }
        EXPECT_THAT(features, ElementsAre(1, 2, 3, 4, 5, 6, 7));
        return all;
    };
    EXPECT_THAT(sizes(100), ElementsAre(2, 1, 3, 1));
    EXPECT_THAT(sizes(2), ElementsAre(2, 1, 2, 1, 1));
    EXPECT_THAT(sizes(1), ElementsAre(1, 1, 1, 1, 1, 1, 1));
}

TEST_F(CsvPoints, CountsGapsAndBadRows) {
    const std::string text = "x,y,g\n1,,a\ntwo,1,a\n3,2\n4,NA,c\n5,3,b\n";
    const Roles roles{.features = {"x", "y"}, .groups = {{"g", {"a", "b"}}}};
    const Formats formats{.described = {{.name = "x"}, {.name = "y", .may_be_missing = true}}};
    PointReader reader(directory.write("c.csv", text), roles, formats);
    PointColumns points;
    EXPECT_THAT(refusal([&] { (void)reader.read(9, points); }), HasSubstr("'two'"));
    const Remarks remarks = reader.remarks();
    ASSERT_EQ(remarks.missing.size(), 1U);
    EXPECT_EQ(remarks.missing[0].column, "y");
    EXPECT_EQ(remarks.missing[0].cells, 1U);
    const auto rows = reader.count_rows();
    ASSERT_TRUE(rows.has_value());
    EXPECT_EQ(rows->bad, 3U);
    EXPECT_EQ(rows->all, 5U);
    PointReader broken(directory.write("d.csv", "x,y,g\n1,2,c\n1,\"2,a\n"), roles, formats);
    EXPECT_THAT(refusal([&] { (void)broken.read(9, points); }), HasSubstr("unknown_group"));
    // An unclosed quote makes its line a bad row.
    const auto of_broken = broken.count_rows();
    ASSERT_TRUE(of_broken.has_value());
    EXPECT_EQ(of_broken->bad, 2U);
    EXPECT_EQ(of_broken->all, 2U);
}

TEST_F(CsvPoints, BatchesOfAnySizeGiveTheSamePoints) {
    std::string text = "x,y,g\n";
    for (int i = 0; i < 1000; ++i)
        text += std::to_string(i) + "," + std::to_string(-i / 8.0) + "," + "abc"[i % 3] + "\n";
    const auto path = directory.write("many.csv.gz", gzip(text));
    const Roles columns{.features = {}, .groups = {{"g", {}}}, .target = "", .id = ""};
    PointColumns whole, part, joined;
    EXPECT_EQ(PointReader(path, columns).read(5000, whole), 1000U);
    for (const std::size_t size : {1, 7, 500, 999, 1000}) {
        PointReader reader(path, columns);
        for (joined.clear(); reader.read(size, part) > 0;) {
            ASSERT_LE(part.ids.size(), size);
            joined.ids.insert(joined.ids.end(), part.ids.begin(), part.ids.end());
            joined.features.insert(joined.features.end(), part.features.begin(), part.features.end());
            joined.groups.insert(joined.groups.end(), part.groups.begin(), part.groups.end());
        }
        ASSERT_EQ(joined, whole) << size;
    }
}

TEST_F(CsvPoints, FoundGroupsAreOrdered) {
    const auto groups = [&](std::string_view text) {
        return PointReader(directory.write("g.csv", text),
                           {.features = {}, .groups = {{"g", {}}}, .target = "", .id = ""})
            .format()
            .attributes[0]
            .groups;
    };
    EXPECT_THAT(groups("x,g\n1,10\n1,9\n1,-1\n1,9\n"), ElementsAre("-1", "9", "10"));
    EXPECT_THAT(groups("x,g\n1,10\n1,9\n1,b\n1,B\n1,\"a,c\"\n"), ElementsAre("10", "9", "B", "a,c", "b"));
}

TEST_F(CsvPoints, GroupsTakeOtherSpellings) {
    const auto groups = [&](const std::vector<std::string>& named, bool has_unknown, std::string_view cells) {
        PointReader reader(directory.write("codes.csv", "x,g\n" + std::string(cells)),
                           {.features = {"x"}, .groups = {{"g", named, has_unknown}}});
        PointColumns points;
        (void)reader.read(9, points);
        return points.groups;
    };
    EXPECT_THAT(groups({"1", "2", "9"}, false, "0,2.0\n0,1\n0,9.0\n"), ElementsAre(1, 0, 2));
    EXPECT_THAT(groups({"1.0", "2.0", "unknown"}, true, "0,2\n0,1.0\n0,2.5\n0,02\n"), ElementsAre(1, 0, 2, 2));
    EXPECT_THAT(groups({"False", "True", "other"}, true, "0,TRUE\n0,0\n0,1.0\n0,no\n0,other\n"),
                ElementsAre(1, 0, 1, 0, 2));
    EXPECT_THAT(groups({"a", "b", "unknown"}, true, "0,A\n0,1.0\n"), ElementsAre(2, 2));
    EXPECT_THAT(groups({"1", "1.0"}, false, "0,1\n0,1.0\n"), ElementsAre(0, 1)) << "what is named comes first";
}

TEST_F(CsvPoints, NamedGroupsKeepTheirOrderAndRefuseOthers) {
    PointReader reader(people,
                       {.features = {"age"}, .groups = {{"sex", {"male", "other", "female"}}}, .target = "", .id = ""});
    PointColumns points;
    EXPECT_EQ(reader.read(2, points), 2U);
    EXPECT_THAT(points.groups, ElementsAre(0, 2));
    EXPECT_THAT(refused("x,g\n1,a\n2,c\n", {.features = {}, .groups = {{"g", {"a", "b"}}}, .target = "", .id = ""}),
                Names({"unknown_group", "bad.csv:3:", "'g'", "'c'", "'a', 'b'"}));
}

TEST_F(CsvPoints, BadColumnsAreRefused) {
    const std::string_view text = "x,g\n1,a\n";
    const auto with = [](std::vector<std::string> features, std::vector<GroupColumn> groups) {
        return Roles{.features = std::move(features), .groups = std::move(groups), .target = "", .id = ""};
    };
    EXPECT_THAT(refused(text, with({"z"}, {})), Names({"malformed", "bad.csv:1:", "'z'", "'x', 'g'"}));
    EXPECT_THAT(refused(text, with({}, {{"h", {}}})), Names({"malformed", "'h'"}));
    EXPECT_THAT(refused(text, with({"x", "x"}, {})), Names({"feature", "'x'", "twice"}));
    EXPECT_THAT(refused(text, with({"x"}, {{"g", {}}, {"g", {}}})), Names({"group", "'g'", "twice"}));
    EXPECT_THAT(refused(text, with({"x"}, {{"g", {"a", "a"}}})), Names({"'a'", "'g'", "twice"}));
    EXPECT_THAT(refused("g\na\n", with({}, {{"g", {}}})), HasSubstr("no column"));
    EXPECT_THAT(refused("x,g\n", with({"x"}, {{"g", {}}})), Names({"bad.csv:", "no rows"}));
}

TEST_F(CsvPoints, CellErrorsNameFault) {
    const Roles roles{.features = {"job", "age"}, .groups = {{"sex", {"f", "m"}}}};
    const auto fault = [&](const std::string& row) {
        PointReader reader(directory.write("f.csv", "age,job,sex\n" + row + "\n"), roles,
                           {.described = {{"job", {"clerk"}}, {"age"}}});
        PointRow point;
        try {
            (void)reader.next(point);
        } catch (const BadRow& error) {
            return std::tuple(error.fault(), error.column(), error.cell());
        }
        return std::tuple(Fault::form, std::string("none"), std::string());
    };
    EXPECT_THAT(fault("old,clerk,f"), FieldsAre(Fault::text, "age", "old"));
    for (const char* cell : {"", "null", "nan", " "})
        EXPECT_THAT(fault(std::string(cell) + ",clerk,f"), FieldsAre(Fault::missing, "age", ::testing::_)) << cell;
    EXPECT_THAT(fault("1, ,f"), FieldsAre(Fault::missing, "job", ""));
    EXPECT_THAT(fault("1,clerk,x"), FieldsAre(Fault::group, "sex", "x"));
    EXPECT_THAT(fault("1,clerk, "), FieldsAre(Fault::group, "sex", ""));
    EXPECT_THAT(fault("1e16,clerk,f"), FieldsAre(Fault::magnitude, "age", "1e16"));
    EXPECT_THAT(fault("1,clerk"), FieldsAre(Fault::form, "", ""));
}

TEST_F(CsvPoints, RefusesCellsThatBreakTheirColumnsRule) {
    const Roles columns{.features = {"x"}, .groups = {{"g", {}}}, .target = "", .id = "id"};
    EXPECT_THAT(refused("id,x,g\n1,1,\n", columns), Names({"unknown_group", "bad.csv:2:", "'g'", "''"}));
    EXPECT_THAT(refused("id,x,g\n1,1e15,a\n2,-1e15,a\n3,1e16,a\n", columns),
                HasSubstr("bad.csv:4: column 'x': '1e16'"));
    EXPECT_THAT(refused("id,x,g\n1,1e16,a\n", columns), Names({"bad_feature", "bad.csv:2:", "'x'", "'1e16'"}));
    EXPECT_THAT(refused("id,x,g\n1,1,a\n-1,1,a\n", columns), Names({"bad.csv:3:", "'id'", "'-1'", "2^64 - 1"}));
    EXPECT_THAT(refused("id,x,g\n18446744073709551615,1,a\n", columns), HasSubstr("reserved_id"));
    EXPECT_THAT(refused("id,x,g\n1,1,a\n ,1,a\n", columns), Names({"bad.csv:3:", "'id'", "empty"}));
    EXPECT_THAT(refused("id,x,g\n18446744073709551616,1,a\n", columns), Names({"'id'", "'18446744073709551616'"}));
}

TEST_F(CsvPoints, AnEmptyDeviceIsAnEmptyFile) {
    EXPECT_THAT(refusal([] { PointReader("/dev/null", {}); }), Names({"/dev/null", "empty"}));
}

}  // namespace
}  // namespace fairstream::files
