/// Separators other than the comma, unreadable files, skipped rows.

#include <map>
#include <random>

#include <gmock/gmock.h>

#include "helpers.hpp"
#include "support/names.hpp"

namespace fairstream::files {
namespace {

using test::Names;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::StartsWith;
using namespace std::string_literals;

class CsvFormats : public ::testing::Test {
protected:
    Reader reader(std::string_view text) { return Reader(directory.write("file.csv", text)); }
    std::string refused(std::string_view text, const char* name = "bad.csv") {
        return refusal([&] { (void)all_rows(directory.write(name, text)); });
    }
    /// Returns the errors of `number` for the cells of one column, in a file of two.
    std::string refused_numbers(char separator, const std::vector<std::string>& cells) {
        std::string text = "x"s + separator + "y\n";
        for (const std::string& cell : cells) text += cell + separator + "1\n";
        Reader read = reader(text);
        return refusal([&] {
            while (read.next()) (void)read.number(0);
        });
    }

    test::TemporaryDirectory directory;
};

TEST_F(CsvFormats, CellsRoundTripWithAnySeparator) {
    std::mt19937_64 random(7);
    for (const char separator : {',', ';', '\t', '|'}) {
        static constexpr std::string_view alphabet = "ab1.,;|\t\"\n\r -\xe9";
        for (int trial = 0; trial < 30; ++trial) {
            Rows expected{{"a", "b\tquoted", "c,d;e|f"}};
            for (std::size_t i = random() % 40; i > 0; --i) {
                auto& row = expected.emplace_back();
                for (int column = 0; column < 3; ++column) {
                    std::string cell(random() % 8, ' ');
                    for (char& c : cell) c = alphabet[random() % alphabet.size()];
                    row.push_back(cell);
                }
            }
            std::string text;
            for (const auto& row : expected) {
                for (std::size_t i = 0; i < row.size(); ++i) {
                    if (i > 0) text += separator;
                    const bool plain = row[i].find_first_of("\"\r\n"s + separator) == std::string::npos;
                    if (plain && &row != &expected[0]) {
                        text += row[i];
                        continue;
                    }
                    text += '"';
                    for (const char c : row[i]) text += c == '"' ? "\"\""s : std::string(1, c);
                    text += '"';
                }
                text += '\n';
            }
            Reader read = reader(text);
            ASSERT_EQ(read.shape().separator, separator);
            ASSERT_EQ(rows_of(std::move(read)), expected) << separator << trial;
        }
    }
}

TEST_F(CsvFormats, SeparatorGivesWidestHeader) {
    EXPECT_EQ(reader("a;b,c;d\n").shape().separator, ';');
    EXPECT_EQ(reader("a;b,c\n").shape().separator, ',');
    EXPECT_EQ(reader("\"a;b;c\",d\n").shape().separator, ',');
    EXPECT_EQ(reader("\"a\nb\"\"c;\"|d\n1;2;3;4|5\n").shape().separator, '|');
    EXPECT_EQ(reader("a\n1;2\n").shape().separator, ',');
    EXPECT_THAT(refused("a\"b;c\n" + std::string(1000, 'x')), Names({"bad.csv:1:", "quote"}));
}

TEST_F(CsvFormats, SeparatingTabIsKept) {
    Reader tabs = reader("a\tb\n\"\tx\"\t y \n");
    ASSERT_TRUE(tabs.next());
    EXPECT_EQ(tabs.trimmed_cell(0), "\tx");
    EXPECT_EQ(tabs.trimmed_cell(1), "y");
    Reader commas = reader("a,b\n\tx, y\n");
    ASSERT_TRUE(commas.next());
    EXPECT_EQ(commas.trimmed_cell(0), "x");
}

TEST_F(CsvFormats, RecognisesHeaderDespiteTrailingSeparator) {
    for (const char* const text : {"x,\nx\n1\n", "x,\n1\nx,\n2\n", "x,y,\n1,2,\nx,y\n"}) {
        Reader read = reader(text);
        EXPECT_THAT(refusal([&] {
                        while (read.next()) {
                        }
                    }),
                    HasSubstr("header again"))
            << text;
    }
}

TEST_F(CsvFormats, DecimalCommaIsRead) {
    for (const char separator : {';', '\t', '|'}) {
        std::string text = "a|b|c|d|e\n3,14|-0,5|+2,5e3| ,25|7\n";
        std::ranges::replace(text, '|', separator);
        Reader read = reader(text);
        ASSERT_TRUE(read.next());
        EXPECT_EQ(read.number(0), 3.14);
        EXPECT_EQ(read.number(1), -0.5);
        EXPECT_EQ(read.number(2), 2500.0);
        EXPECT_EQ(read.number(3), 0.25);
        EXPECT_EQ(read.number(4), 7.0);
    }
    Reader quoted = reader("a,b\n\"3,14\",7\n");
    ASSERT_TRUE(quoted.next());
    EXPECT_EQ(quoted.number(0), 3.14);
    EXPECT_THAT(refused_numbers(',', {"\"3,141\""}), HasSubstr("bad_feature")) << "3,141 may be 3141";
    EXPECT_THAT(refused_numbers(',', {"\"3,14\"", "2.5", "1.5"}), Names({"bad_feature", "'3,14'"}));
}

TEST_F(CsvFormats, OneDecimalMarkWithoutThousands) {
    for (const char* cell : {"1.234,56", "1,234.56", "1,234,567", "1.234.567", "$5", "5 %", "1'000", "(5)", "5-"})
        EXPECT_THAT(refused_numbers(';', {"1", cell}), HasSubstr("bad_feature")) << cell;
    EXPECT_THAT(refused_numbers(';', {"3,14", "2,5", "1.234"}),
                Names({"bad_feature", "file.csv:4:", "'x'", "'1.234'"}));
    EXPECT_THAT(refused_numbers('\t', {"3.14", "2.5", "1,234"}), Names({"bad_feature", "'1,234'"}));
    Reader given = reader("x,y\n\"3,14\",1\n");
    given.set_decimal_mark(DecimalMark::comma);
    ASSERT_TRUE(given.next());
    EXPECT_EQ(given.number(0), 3.14);
}

TEST_F(CsvFormats, UnreadableFormatNamesConversion) {
    const std::map<std::string, std::string> starts{
        {"\xfd\x37zXZ\0x"s, ": xz -dc "},
        {"BZh91AY&SYx"s, "bzip2 -dc "},
        {"\x04\x22\x4d\x18x"s, "lz4 -dc "},
        {"7z\xbc\xaf\x27\x1cx"s, "7z x -so "},
        {"PK\x03\x04xxxxxxxx"s, "unzip -p "},
        {"PK\x03\x04"s + std::string(26, 'x') + "[Content_Types].xml", "Excel"},
        {"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1x"s, "Excel"},
        {"PAR1\x15\x04"s, "Parquet"},
        {"ARROW1\0\0"s, "Arrow (Feather)"},
        {"FEA1\0\0\0\0"s, "Arrow (Feather)"},
        {"SQLite format 3\0x"s, "SQLite"},
        {"\xff\xfe"
         "a\0,\0b\0\n\0"s,
         "iconv -f UTF-16 -t UTF-8 "},
        {"\xfe\xff\0a\0,\0b\0\n"s, "UTF-16"}};
    for (const auto& [bytes, remedy] : starts) {
        const std::string text = refused(bytes);
        EXPECT_THAT(text, Names({"bad.csv: ", remedy})) << remedy;
        EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 0);
        EXPECT_EQ(refused(gzip(bytes)), text);  // also where compression hides it
    }
    EXPECT_THAT(refused("PK\x03\x04xxxxxxxx", "book.xlsx"), HasSubstr("Excel"));
    EXPECT_THAT(refused("BZh91AY&SYx", "two words.csv.bz2"),
                EndsWith(": bzip2 -dc '" + (directory / "two words.csv.bz2").string() + "' > '" +
                         (directory / "two words.csv").string() + "'"));
    // Words that are marks of a format may also be names of columns.
    EXPECT_EQ(all_rows(directory.write("names.csv", "PAR1,ARROW1,BZh\n1,2,3\n")),
              (Rows{{"PAR1", "ARROW1", "BZh"}, {"1", "2", "3"}}));
}

TEST_F(CsvFormats, InvalidUtf8IsKept) {
    Reader read = reader("caf\xe9,x\n\xfc,1\n");
    EXPECT_EQ(read.header()[0], "caf\xe9");
    ASSERT_TRUE(read.next());
    EXPECT_EQ(read.cell(0), "\xfc");
    EXPECT_THAT(refusal([&] { (void)read.number(0); }), HasSubstr("'\xfc'"));
}

TEST_F(CsvFormats, ContinuesAfterMalformedRow) {
    Reader read = reader("a,b\n1,2\n3\n\n4,5,6\nx,8\n9,10\n");
    std::vector<std::string> cells, refused_rows;
    for (bool more = true; more;) {
        try {
            more = read.next();
            if (more) (void)read.number(0), cells.emplace_back(read.cell(1));
        } catch (const InvalidInput& error) {
            ASSERT_FALSE(read.is_broken());
            const std::string text = error.what();
            refused_rows.push_back(text.substr(text.rfind(".csv:") + 5));
        }
    }
    EXPECT_EQ(cells, (std::vector<std::string>{"2", "10"}));
    EXPECT_THAT(refused_rows, ElementsAre(StartsWith("3: 1 cell "), StartsWith("4: "), StartsWith("5: 3 cells "),
                                          AllOf(StartsWith("6: "), HasSubstr("'x'"))));
}

TEST_F(CsvFormats, ContinuesAfterWrongQuote) {
    struct Case {
        std::string rows, line, fault;
        std::vector<std::string> cells;
    };
    const std::vector<Case> cases{
        {"1,2\n3,\"4\n5,6\n", "3:", "never closed", {"2", "6"}},
        {"1,2\n3,\"4\n5,\"6\"\n7,8\n", "3:", "closing quote", {"2", "6", "8"}},
        {"1,\"2\"x\n3,4\n", "2:", "closing quote", {"4"}},
        {"\"1\n2\",3\n4\"x\",5\r\n6,7\n", "4:", "unquoted", {"3", "7"}},
        {"\"1\n2\",\"3\n4,5\n", "3:", "never closed", {"5"}},
        {"1,2\n\n3,\"4", "3:", "empty", {"2"}},
        {"1,2\n3,\"4", "3:", "never closed", {"2"}},
        {"1,\"" + std::string(300'000, 'x') + "\n3,4\n", "2:", "never closed", {"4"}},
    };
    for (const Case& each : cases) {
        Reader read = reader("a,b\n" + each.rows);
        std::vector<std::string> cells, refused_rows;
        for (bool more = true; more;) {
            try {
                more = read.next();
                if (more) cells.emplace_back(read.cell(1));
            } catch (const InvalidInput& error) {
                ASSERT_FALSE(read.is_broken());
                const std::string text = error.what();
                refused_rows.push_back(text.substr(text.rfind(".csv:") + 5));
                EXPECT_EQ(refused_rows.back(), std::to_string(read.line()) + refused_rows.back().substr(1));
            }
        }
        EXPECT_EQ(cells, each.cells) << each.rows;
        ASSERT_FALSE(refused_rows.empty());
        EXPECT_THAT(refused_rows[0], AllOf(StartsWith(each.line), HasSubstr(each.fault)));
    }
}

TEST_F(CsvFormats, QuoteSearchIsBounded) {
    std::string rows = "1,\"2\n";
    while (rows.size() < row_limit + 1000) rows += "3,4\n";
    Reader read = reader("a,b\n" + rows + "5,\"6\"\n");
    EXPECT_THAT(refusal([&] { (void)read.next(); }), Names({"file.csv:2:", "quote", "16 MiB"}));
    std::size_t count = 0;
    while (read.next()) ++count;
    EXPECT_GT(count, row_limit / 5);
    EXPECT_EQ(read.line(), count + 2);
}

TEST_F(CsvFormats, RefusesAHeaderWithAWrongQuote) {
    EXPECT_THAT(refused("a,\"b\n1,2\n"), Names({"bad.csv:1:", "quote"}));
}

TEST_F(CsvFormats, NamesColumnsWithoutANameByTheirNumber) {
    EXPECT_EQ(rows_of(reader(",a,,b,,\n1,2,3,4,,\n")),
              (Rows{{"column 1", "a", "column 3", "b"}, {"1", "2", "3", "4"}}));
}

TEST_F(CsvFormats, TakesALineThatNamesTheSeparator) {
    const Rows rows{{"a,x", "b"}, {"1,5", "2"}};
    for (const char* end : {"\n", "\r\n"}) {
        const std::string text = "sep=;"s + end + "a,x;b" + end + "1,5;2" + end;
        EXPECT_EQ(rows_of(reader(text)), rows);
        EXPECT_THAT(refused(text + "3" + end), HasSubstr("bad.csv:4: 1 cell")) << "lines are those of the file";
    }
    EXPECT_EQ(rows_of(reader("sep=,\na\n1\n")), (Rows{{"a"}, {"1"}}));
    for (const char* text : {"sep=;x\n1;2\n", "sep=a\n1\n", "sep=\n1\n", "sep"}) {
        const Rows plain = rows_of(reader(text));
        EXPECT_THAT(plain[0][0], ::testing::StartsWith("sep")) << text;
    }
}

TEST_F(CsvFormats, EndsWhenNextRowIsUnknown) {
    for (const std::string& row : {"1\r2,3"s, "1,\0"s, "1,\"\0"s}) {
        Reader read = reader("a,b\n" + row + "\n3,4\n");
        const std::string text = refusal([&] { (void)read.next(); });
        EXPECT_TRUE(read.is_broken()) << row;
        try {
            (void)read.next();
            ADD_FAILURE() << "went on after " << row;
        } catch (const std::runtime_error& error) {
            EXPECT_TRUE(text.ends_with(error.what())) << text;
        }
    }
}

TEST_F(CsvFormats, SeparatorLinesAreRowsExceptAtEnd) {
    const auto rows = [&](const std::string& text) {
        Reader reader(directory.write("separators.csv", text));
        std::vector<std::vector<std::string>> all;
        while (reader.next()) all.emplace_back(reader.cells().begin(), reader.cells().end());
        return all;
    };
    using Rows = std::vector<std::vector<std::string>>;
    EXPECT_EQ(rows("a;b;c\n1;2;3\n;;\r\n;;\n\n;;"), (Rows{{"1", "2", "3"}}));
    EXPECT_EQ(rows("a;b;c\n1;2;3\n;;\r\n4;5;6\n;;\n"), (Rows{{"1", "2", "3"}, {"", "", ""}, {"4", "5", "6"}}));
    EXPECT_EQ(rows("a,b\n1,2\n,\"\"\n"), (Rows{{"1", "2"}, {"", ""}})) << "a quoted cell is a value";
}

TEST_F(CsvFormats, PassesOverBlankLinesAtTheEndAlone) {
    const Rows two{{"a", "b"}, {"1", "2"}};
    for (const char* end : {"\n", "\n\n", "\r\n\r\n\n", ""}) EXPECT_EQ(rows_of(reader("a,b\n1,2\n"s + end)), two);
    EXPECT_EQ(rows_of(reader("a,b\n1,2\n" + std::string(2'000'000, '\n'))), two);
    EXPECT_THAT(refused("a,b\n1,2\n\n\n3,4\n"), HasSubstr("bad.csv:3:"));
    EXPECT_THAT(refused("a,b\n1,2\n,,\n3,4\n"), Names({"bad.csv:3:", "3 cells", " 2"}));
    EXPECT_EQ(rows_of(reader("a\n1\n\n\n2\n\"\"\n\n\n")), (Rows{{"a"}, {"1"}, {""}, {""}, {"2"}, {""}}));
}

}  // namespace
}  // namespace fairstream::files
