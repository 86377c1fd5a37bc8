#include <gmock/gmock.h>

#include <fairstream/files/columns/profile.hpp>

#include "helpers.hpp"

namespace fairstream::files {
namespace {

using ::testing::ElementsAre;

class CsvProfile : public ::testing::Test {
protected:
    /// Profiles a file with the column "x", and another column so that empty cells give no empty lines.
    ColumnProfile profile(const std::vector<std::string>& cells) {
        std::string text = "x,y\n";
        for (const std::string& cell : cells) text += cell + ",0\n";
        Reader reader(directory.write("x.csv", text));
        return profile_columns(reader, {"x"}).columns.at(0);
    }
    CellKind kind(const std::vector<std::string>& cells, std::uint64_t tolerated = 0) {
        return profile(cells).kind(tolerated);
    }
    test::TemporaryDirectory directory;
};

TEST_F(CsvProfile, TellsKindsApart) {
    EXPECT_EQ(kind({"1", " 2.5", "-3e4", "+7"}), CellKind::number);
    EXPECT_EQ(kind({"1", "", "NA", "nan"}), CellKind::number);
    EXPECT_EQ(kind({"", "NA", "?"}), CellKind::missing);
    EXPECT_EQ(kind({"yes", "no", "", "yes"}), CellKind::truth);
    EXPECT_EQ(kind({"TRUE", "FALSE"}), CellKind::truth);
    EXPECT_EQ(kind({"yes", "true"}), CellKind::text);
    EXPECT_EQ(kind({"f", "m"}), CellKind::text);
    EXPECT_EQ(kind({"2026-01-31", "", "2025-12-01 08:15"}), CellKind::date);
    EXPECT_EQ(kind({"2026-01-31", "soon"}), CellKind::text);
    EXPECT_EQ(kind({"red", "2026-01-31"}), CellKind::text);
    EXPECT_EQ(kind({"1", "2", "x"}), CellKind::text);
    EXPECT_EQ(kind({"1", "2", "x"}, 1), CellKind::number);
    EXPECT_EQ(kind({"inf"}), CellKind::text);
}

TEST_F(CsvProfile, CountsNumbersAndIdsAsTheyAreRead) {
    const ColumnProfile forms = profile({"5.", ".5", "+.5", "-0", "+7", "1e3", "-2E-5", "007", "12.25", "70", "0"});
    EXPECT_EQ(forms.numbers, 11U);
    EXPECT_EQ(forms.ids, 2U) << "007 is another id than 7";
    const ColumnProfile long_ones = profile({"9999999999999999999", "18446744073709551614", "18446744073709551615",
                                             "18446744073709551616", std::string(300, '9'), std::string(400, '9')});
    EXPECT_EQ(long_ones.numbers, 5U) << "the last one is above the range of a number";
    EXPECT_EQ(long_ones.ids, 2U);
    EXPECT_EQ(profile({".", "-", "+", "1.2.3", "--1", "+-1", "1-", "1 2"}).numbers, 0U);
}

TEST_F(CsvProfile, DetectsRepeatsWithinLimit) {
    std::vector<std::string> cells;
    for (std::size_t i = 0; i <= most_kept_values; ++i) cells.push_back("k" + std::to_string(i));
    EXPECT_TRUE(profile(cells).has_distinct_values);
    EXPECT_TRUE(profile({"a", "b"}).has_distinct_values);
    EXPECT_FALSE(profile({"a", "b", "a"}).has_distinct_values);
    cells[7] = cells[3];
    cells.push_back("another");
    EXPECT_TRUE(profile(cells).has_more_values);
    EXPECT_FALSE(profile(cells).has_distinct_values);
}

TEST_F(CsvProfile, CountsNumbersThatAreDates) {
    EXPECT_EQ(profile({"20260131", "19991231", "20260231", "99990101", "2026013"}).compact_dates, 2U);
}

TEST_F(CsvProfile, FindsTheOneOrderThatAllDatesHave) {
    EXPECT_EQ(profile({"2026-01-31", "2026-02-01"}).date_order(), DateOrder::year_first);
    EXPECT_EQ(profile({"31.1.2026", "1.2.2026"}).date_order(), DateOrder::day_first);
    EXPECT_EQ(profile({"1/31/2026", "2/1/2026"}).date_order(), DateOrder::month_first);
    EXPECT_EQ(profile({"1/2/2026", "2/1/2026"}).date_order(), std::nullopt) << "either would do";
    EXPECT_EQ(profile({"1/31/2026", "31/1/2026"}).date_order(), std::nullopt) << "neither would do";
    EXPECT_EQ(profile({"2026-01-31", "20260201"}).date_order(), DateOrder::year_first);
    EXPECT_EQ(profile({"2026-01-31", "20260201"}).kind(), CellKind::date);
}

TEST_F(CsvProfile, DateOrderFollowsMajority) {
    const ColumnProfile x = profile({"2026-01-31", "2026-02-01", "1/31/2026", "soon"});
    EXPECT_EQ(x.date_order(1), DateOrder::month_first);
    EXPECT_EQ(x.date_order(), std::nullopt);
}

TEST_F(CsvProfile, WordSpellingsAreEqual) {
    EXPECT_TRUE(is_same_answer("yes", "TRUE") && is_same_answer("Yes", "y") && is_same_answer("no", "0"));
    EXPECT_TRUE(is_same_answer(">50K", ">50K") && is_same_answer("t", "t"));
    EXPECT_FALSE(is_same_answer("yes", "no") || is_same_answer("t", "y") || is_same_answer("1", "yes"));
    EXPECT_FALSE(is_same_answer(">50K", "yes") || is_same_answer("yes", ""));
    EXPECT_TRUE(is_same_answer("yes", "1.0") && is_same_answer("no", "0.0"));
    EXPECT_FALSE(is_same_answer("1.0", "yes") || is_same_answer("1", "1.0"));
}

TEST_F(CsvProfile, KeepsFileOrderAndSortsLevels) {
    const ColumnProfile x = profile({"b", "", "a", "b", "NA"});
    EXPECT_THAT(x.values, ElementsAre(std::pair("b", 2), std::pair("", 1), std::pair("a", 1), std::pair("NA", 1)));
    EXPECT_THAT(x.levels(), ElementsAre("a", "b"));
    EXPECT_EQ(x.cells, 5U);
    EXPECT_EQ(x.missing, 2U);
    EXPECT_EQ(x.empty, 1U);
    EXPECT_EQ(x.first_text, "b");
    EXPECT_EQ(x.line_of_text, 2U);
    EXPECT_THAT(profile({"10", "9", "-1"}).levels(), ElementsAre("-1", "9", "10")) << "integers by size";
    EXPECT_EQ(profile({"1", "18446744073709551615", "-1", "x"}).ids, 1U);
}

TEST_F(CsvProfile, ManyValuesAreNotKept) {
    std::vector<std::string> cells;
    for (std::size_t i = 0; i <= most_kept_values; ++i) cells.push_back("v" + std::to_string(i));
    const ColumnProfile x = profile(cells);
    EXPECT_TRUE(x.has_more_values);
    EXPECT_TRUE(x.values.empty());
    cells.pop_back();
    EXPECT_EQ(profile(cells).values.size(), most_kept_values);
}

TEST_F(CsvProfile, MissingWordIsSpelledAlike) {
    const auto words = [&](const std::vector<std::string>& cells) { return truth_words(profile(cells)); };
    EXPECT_EQ(words({"yes"}), (std::array<std::string, 2>{"no", "yes"}));
    EXPECT_EQ(words({"No"}), (std::array<std::string, 2>{"No", "Yes"}));
    EXPECT_EQ(words({"TRUE", ""}), (std::array<std::string, 2>{"FALSE", "TRUE"}));
    EXPECT_EQ(words({"T"}), (std::array<std::string, 2>{"F", "T"}));
    EXPECT_EQ(words({"no", "No"}), std::nullopt) << "one word in two spellings is no pair";
    EXPECT_EQ(words({"1", "0"}), std::nullopt) << "numbers";
}

TEST_F(CsvProfile, PassesOverRowsThatAreNone) {
    Reader reader(directory.write("x.csv", "x,y\n1,2\n3\n4,5,6\n7,8\n"));
    EXPECT_EQ(profile_columns(reader, {"y"}).columns.at(0).cells, 2U);
}

}  // namespace
}  // namespace fairstream::files
