#include <random>

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include <fairstream/files/columns/profile.hpp>
#include <fairstream/files/points/points.hpp>

#include "helpers.hpp"
#include "support/names.hpp"

namespace fairstream::files {
namespace {

using test::Names;
using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::HasSubstr;

class JsonLines : public ::testing::Test {
protected:
    Rows rows(std::string_view text) { return all_rows(directory.write("file.data", text)); }
    std::string refused(std::string_view text) {
        return refusal([&] { (void)all_rows(directory.write("bad.jsonl", text)); });
    }

    test::TemporaryDirectory directory;
};

TEST_F(JsonLines, GivesBackWhateverObjectsWereWritten) {
    std::mt19937_64 random(11);
    static const std::vector<std::string> pieces{"a", "\"", "\\", "\n", "\xc3\xa9", "\xf0\x9f\x8d\x8e", "{", ",", " "};
    for (int trial = 0; trial < 50; ++trial) {
        Rows expected{{"a", "b c", "\"d\"", "e"}};
        std::string text;
        for (std::size_t i = 1 + random() % 30; i > 0; --i) {
            auto& row = expected.emplace_back(4);
            nlohmann::ordered_json object;
            // The first line has all keys in order; later lines have some of them in any order.
            std::vector<std::size_t> order{0, 1, 2, 3};
            const bool is_first = expected.size() == 2;
            if (!is_first) std::shuffle(order.begin(), order.end(), random);
            for (const std::size_t column : order) {
                if (!is_first && random() % 4 == 0) continue;
                std::string cell;
                for (std::size_t n = random() % 4; n > 0; --n) cell += pieces[random() % pieces.size()];
                object[expected[0][column]] = cell;
                row[column] = cell;
            }
            text += (object.is_null() ? "{}" : object.dump(-1, ' ', trial % 2 == 0)) + (trial % 3 ? "\n" : " \r\n\n");
        }
        ASSERT_EQ(rows(text), expected) << trial;
        ASSERT_EQ(rows(gzip(text)), expected) << trial;
        ASSERT_EQ(rows("\n \n" + text + "\n"), expected) << trial;
    }
}

TEST_F(JsonLines, KeepsNumbersAsTheyAreWritten) {
    const std::string text = R"({"a":18446744073709551615,"b":-9223372036854775808,"c":123456789012345678901234567890,)"
                             R"("d":1.50,"e":-0.1E+07,"f":true,"g":false,"h":null})";
    EXPECT_EQ(rows(text)[1],
              (std::vector<std::string>{"18446744073709551615", "-9223372036854775808",
                                        "123456789012345678901234567890", "1.50", "-0.1E+07", "true", "false", ""}));
}

TEST_F(JsonLines, ColumnsComeFromFirstThousandLines) {
    std::string text = "{\"b\":1}\n{\"a\":2,\"b\":3}\n";
    for (int i = 2; i < 999; ++i) text += "{}\n";
    const std::string late = text + "{\"c\":4}\n";
    Reader reader(directory.write("late.jsonl", late));
    EXPECT_EQ(reader.header(), (std::vector<std::string>{"b", "a", "c"}));
    EXPECT_EQ(reader.shape().layout, Layout::json_lines);
    ASSERT_TRUE(reader.next());
    EXPECT_EQ(reader.line(), 1U);
    EXPECT_EQ(reader.cell(0), "1");
    EXPECT_TRUE(reader.is_missing(1) && reader.is_missing(2));
    EXPECT_EQ(rows(text + "{}\n{\"c\":4}\n").back(), (std::vector<std::string>{"", ""})) << "no column";
}

TEST_F(JsonLines, LaterKeysAreIgnored) {
    std::string text;
    for (int i = 0; i < 1000; ++i) text += "{\"x\":1}\n";
    const auto file = directory.write("later.jsonl", text + "{\"later\":4,\"x\":5}\n");
    const auto last = [&](const Roles& roles) {
        PointReader reader(file, roles);
        PointRow row;
        while (reader.next(row)) {
        }
        return row.features.at(0);
    };
    EXPECT_EQ(last({.features = {"x"}, .groups = {}}), 5);
    EXPECT_EQ(last({.features = {"later"}, .groups = {}, .needs_all = true}), 4) << "it is found where it is named";
    EXPECT_THAT(refusal([&] { (void)last({.features = {"never"}, .groups = {}}); }),
                Names({"malformed", "'never'", "'x', 'later'"}));
}

TEST_F(JsonLines, AllKeysAreFoundOnRequest) {
    std::string text;
    for (int i = 0; i < 1500; ++i) text += "{\"x\":1}\n";
    text += "{\"x\":{\n{\"later\":4,\"x\":5}\n";
    Reader reader(directory.write("later.jsonl", text));
    reader.find_all_columns();
    EXPECT_THAT(reader.header(), ElementsAre("x", "later"));
    const FileProfile profile = profile_columns(reader, {"x", "later"});
    EXPECT_EQ(profile.bad_rows, 1U);
    EXPECT_EQ(profile.columns[1].missing, 1500U);
    EXPECT_EQ(profile.columns[1].numbers, 1U);
}

TEST_F(JsonLines, BadLineIsNamedAndSkipped) {
    Reader reader(directory.write("rows.jsonl",
                                  "{\"a\":1}\n{\"a\":{\"b\":1}}\n{\"a\":[1]}\n{\"a\":1,\"a\":2}\n[1]\n7\n{\"a\":\n"
                                  "{\"a\":NaN}\n{\"\":1}\n{\"a\":\"\\u0000\"}\n{\"a\":\"\xe9\"}\n{\"a\":1e999}\n"
                                  "{\"a\":1} {\"a\":2}\n{\"a\":3}\n"));
    ASSERT_TRUE(reader.next());
    const auto refused_row = [&] {
        const std::string text = refusal([&] { (void)reader.next(); });
        EXPECT_FALSE(reader.is_broken());
        return text;
    };
    ASSERT_TRUE(reader.next());
    EXPECT_EQ(reader.cell(0), "{...}");
    ASSERT_TRUE(reader.next());
    EXPECT_EQ(reader.cell(0), "[...]");
    EXPECT_THAT(refusal([&] { (void)reader.number(0); }), Names({"bad_feature", "'[...]'"}));
    EXPECT_THAT(refused_row(), EndsWith(":4: key 'a' is repeated"));
    EXPECT_THAT(refused_row(), Names({":5:", "an array"}));
    EXPECT_THAT(refused_row(), EndsWith(":6: is no JSON object"));
    EXPECT_THAT(refused_row(), Names({":7:", "byte"}));
    EXPECT_THAT(refused_row(), Names({"NaN", "null"}));
    EXPECT_THAT(refused_row(), Names({":9:", "key"}));
    EXPECT_THAT(refused_row(), EndsWith(":10: key 'a' has a NUL character"));
    EXPECT_THAT(refused_row(), HasSubstr(":11: is no JSON object"));
    EXPECT_THAT(refused_row(), Names({":12:", "'a'", "double"}));
    EXPECT_THAT(refused_row(), HasSubstr(":13: is no JSON object"));
    ASSERT_TRUE(reader.next());
    EXPECT_EQ(reader.line(), 14U);
    EXPECT_EQ(reader.cell(0), "3");
    EXPECT_FALSE(reader.next());
}

TEST_F(JsonLines, RefusesFilesWithoutColumns) {
    EXPECT_THAT(refused(""), Names({"bad.jsonl:1:", "empty"}));
    EXPECT_THAT(refused("{}\n{}\n"), Names({"bad.jsonl:1:", "empty"}));
    EXPECT_THAT(refused("a,b\n1,2\n"), HasSubstr("bad.jsonl:1: is no JSON object"));
    EXPECT_THAT(refused("{\n  \"a\": 1\n}\n"), HasSubstr("bad.jsonl:1: is no JSON object"));
    for (const char* array : {"[{\"a\":1},{\"a\":2}]", " [\n{\"a\":1}]", "[]", "[[1]]"})
        EXPECT_THAT(refused(array), Names({"bad.jsonl:", "JSON array"}));
    EXPECT_EQ(rows("[x],y\n1,2\n"), (Rows{{"[x]", "y"}, {"1", "2"}}));
}

TEST_F(JsonLines, MatchesCsvPoints) {
    const auto csv = directory.write("p.csv", "id,x,sex\n18446744073709551614,1.5,f\n7,,m\n");
    const auto lines = directory.write("p.ndjson",
                                       "{\"id\":18446744073709551614,\"x\":1.5,\"sex\":\"f\"}\n"
                                       "{\"sex\":\"m\",\"id\":7}\n");
    const Roles roles{.features = {"x"}, .groups = {{"sex", {}}}, .id = "id"};
    const Formats formats{.described = {{.name = "x", .may_be_missing = true}}};
    PointReader a(csv, roles, formats), b(lines, roles, formats);
    EXPECT_EQ(a.format(), b.format());
    PointColumns of_a, of_b;
    ASSERT_EQ(a.read(10, of_a), 2U);
    ASSERT_EQ(b.read(10, of_b), 2U);
    EXPECT_EQ(of_a.ids, of_b.ids);
    EXPECT_EQ(of_a.groups, of_b.groups);
    EXPECT_EQ(of_b.ids[0], 18446744073709551614U);
    EXPECT_TRUE(of_a.features[0] == of_b.features[0] && of_b.features[1] != of_b.features[1]);
}

}  // namespace
}  // namespace fairstream::files
