/// Separators other than the comma, files that are not read, rows that are passed over.

#include <map>
#include <random>

#include <gmock/gmock.h>

#include "helpers.hpp"

namespace fairstream::csv {
namespace {

using ::testing::AllOf;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;
using namespace std::string_literals;

class CsvFormats : public ::testing::Test {
protected:
    Reader reader(std::string_view text) { return Reader(directory.write("file.csv", text)); }
    std::string refused(std::string_view text, const char* name = "bad.csv") {
        return refusal([&] { (void)all_rows(directory.write(name, text)); });
    }
    /// What `number` says of the cells of one column, in a file of two.
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

TEST_F(CsvFormats, GivesBackWhateverCellsWereWrittenWithAnySeparator) {
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
            ASSERT_EQ(read.separator(), separator);
            ASSERT_EQ(rows_of(std::move(read)), expected) << separator << trial;
        }
    }
}

TEST_F(CsvFormats, TakesTheSeparatorThatGivesTheHeaderMostCells) {
    EXPECT_EQ(reader("a;b,c;d\n").separator(), ';');
    EXPECT_EQ(reader("a;b,c\n").separator(), ',');
    EXPECT_EQ(reader("\"a;b;c\",d\n").separator(), ',');
    EXPECT_EQ(reader("\"a\nb\"\"c;\"|d\n1;2;3;4|5\n").separator(), '|');
    EXPECT_EQ(reader("a\n1;2\n").separator(), ',');
    EXPECT_THAT(refused("a\"b;c\n" + std::string(1000, 'x')),
                HasSubstr("bad.csv:1: there is a quote inside an unquoted cell"));
}

TEST_F(CsvFormats, KeepsATabAroundACellThatTabsSeparate) {
    Reader tabs = reader("a\tb\n\"\tx\"\t y \n");
    ASSERT_TRUE(tabs.next());
    EXPECT_EQ(tabs.trimmed_cell(0), "\tx");
    EXPECT_EQ(tabs.trimmed_cell(1), "y");
    Reader commas = reader("a,b\n\tx, y\n");
    ASSERT_TRUE(commas.next());
    EXPECT_EQ(commas.trimmed_cell(0), "x");
}

TEST_F(CsvFormats, ReadsADecimalCommaWhereTheSeparatorIsNoComma) {
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
    EXPECT_THAT(refused_numbers(',', {"\"3,14\""}), HasSubstr("is not a number"));
}

TEST_F(CsvFormats, RefusesMarksOfThousandsAndTwoDecimalMarksInOneFile) {
    for (const char* cell : {"1.234,56", "1,234.56", "1,234,567", "1.234.567", "-1.234,5"})
        EXPECT_THAT(refused_numbers(';', {cell}), HasSubstr("has marks of thousands")) << cell;
    EXPECT_THAT(
        refused_numbers(';', {"3,14", "2", "1.234"}),
        EndsWith("file.csv:4: column 'x': '1.234' has a decimal point, and numbers before it a decimal comma: a "
                 "file has one of them"));
    EXPECT_THAT(refused_numbers('\t', {"3.14", "1,234"}), HasSubstr("'1,234' has a decimal comma"));
    EXPECT_THAT(refused_numbers(';', {"1,2,x"}), HasSubstr("is not a number"));
    EXPECT_THAT(refused_numbers(';', {","}), HasSubstr("is not a number"));
}

TEST_F(CsvFormats, SaysWhatMakesAFileReadableThatIsNot) {
    const std::map<std::string, std::string> starts{
        {"\xfd\x37zXZ\0x"s, "compressed by xz, which is not read: unpack it first: xz -dc "},
        {"BZh91AY&SYx"s, "bzip2 -dc "},
        {"\x04\x22\x4d\x18x"s, "lz4 -dc "},
        {"7z\xbc\xaf\x27\x1cx"s, "7z x -so "},
        {"PK\x03\x04xxxxxxxx"s, "unzip -p "},
        {"PK\x03\x04"s + std::string(26, 'x') + "[Content_Types].xml", "pandas.read_excel('"},
        {"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1x"s, "an Excel workbook"},
        {"PAR1\x15\x04"s, "python3 -c \"import pandas; pandas.read_parquet('"},
        {"ARROW1\0\0"s, "pandas.read_feather('"},
        {"FEA1\0\0\0\0"s, "pandas.read_feather('"},
        {"SQLite format 3\0x"s, "sqlite3 -header -csv "},
        {"\xff\xfe"
         "a\0,\0b\0\n\0"s,
         "iconv -f UTF-16 -t UTF-8 "},
        {"\xfe\xff\0a\0,\0b\0\n"s, "UTF-16 text"}};
    for (const auto& [bytes, remedy] : starts) {
        const std::string text = refused(bytes);
        EXPECT_THAT(text, AllOf(HasSubstr("bad.csv: is "), HasSubstr(remedy))) << remedy;
        EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 0);
        EXPECT_EQ(refused(gzip(bytes)), text);  // also where compression hides it
    }
    EXPECT_THAT(refused("PK\x03\x04xxxxxxxx", "book.xlsx"), HasSubstr("book.xlsx').to_csv('"));
    EXPECT_THAT(refused(starts.begin()->first, "two words.csv"), Not(HasSubstr("xz -dc " + directory.path().string())));
    // Words that are marks of a format may be names of columns.
    EXPECT_EQ(all_rows(directory.write("names.csv", "PAR1,ARROW1,BZh\n1,2,3\n")),
              (Rows{{"PAR1", "ARROW1", "BZh"}, {"1", "2", "3"}}));
}

TEST_F(CsvFormats, TakesBytesThatAreNoUtf8AsTheyAre) {
    Reader read = reader("caf\xe9,x\n\xfc,1\n");
    EXPECT_EQ(read.header()[0], "caf\xe9");
    ASSERT_TRUE(read.next());
    EXPECT_EQ(read.cell(0), "\xfc");
    EXPECT_THAT(refusal([&] { (void)read.number(0); }), HasSubstr("'\xfc'"));
}

TEST_F(CsvFormats, GoesOnAfterARowThatIsWrongByItself) {
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
    EXPECT_EQ(refused_rows,
              (std::vector<std::string>{"3: 1 cell where the header has 2", "4: the line is empty",
                                        "5: 3 cells where the header has 2", "6: column 'a': 'x' is not a number"}));
}

TEST_F(CsvFormats, GoesOnAfterTheLineOfAWrongQuote) {
    struct Case {
        std::string rows, refused;
        std::vector<std::string> cells;
    };
    const std::vector<Case> cases{
        {"1,2\n3,\"4\n5,6\n", "3: a quote is opened and never closed", {"2", "6"}},
        {"1,2\n3,\"4\n5,\"6\"\n7,8\n",
         "3: there is text after the closing quote of a cell, which is in line 4",
         {"2", "6", "8"}},
        {"1,\"2\"x\n3,4\n", "2: there is text after the closing quote of a cell", {"4"}},
        {"\"1\n2\",3\n4\"x\",5\r\n6,7\n", "4: there is a quote inside an unquoted cell", {"3", "7"}},
        {"\"1\n2\",\"3\n4,5\n", "3: a quote is opened and never closed", {"5"}},
        {"1,2\n\n3,\"4", "3: the line is empty", {"2"}},
        {"1,2\n3,\"4", "3: a quote is opened and never closed", {"2"}},
        {"1,\"" + std::string(300'000, 'x') + "\n3,4\n", "2: a quote is opened and never closed", {"4"}},
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
        EXPECT_EQ(cells, each.cells) << each.refused;
        ASSERT_FALSE(refused_rows.empty());
        EXPECT_THAT(refused_rows[0], ::testing::StartsWith(each.refused));
    }
}

TEST_F(CsvFormats, LooksForTheEndOfAQuoteNoFurtherThanARowMayBeLong) {
    std::string rows = "1,\"2\n";
    while (rows.size() < row_limit + 1000) rows += "3,4\n";
    Reader read = reader("a,b\n" + rows + "5,\"6\"\n");
    EXPECT_THAT(refusal([&] { (void)read.next(); }),
                EndsWith("file.csv:2: a quote is opened and not closed within 16 MiB"));
    std::size_t count = 0;
    while (read.next()) ++count;
    EXPECT_GT(count, row_limit / 5);
    EXPECT_EQ(read.line(), count + 2);
}

TEST_F(CsvFormats, RefusesAHeaderWithAWrongQuote) {
    EXPECT_THAT(refused("a,\"b\n1,2\n"), EndsWith("bad.csv:1: a quote is opened and never closed"));
}

TEST_F(CsvFormats, TellsNumbersWithMarksFromOtherTexts) {
    for (const char* text : {"1,234.50", "-1.234,5", "1,234,567", "12.345.678,00"})
        EXPECT_EQ(mark_of_number(text), NumberMark::thousands) << text;
    for (const char* text : {"3,14", "1,234", "+0,5"}) EXPECT_EQ(mark_of_number(text), NumberMark::comma) << text;
    for (const char* text :
         {"", "1", "1.5", "a,b", ",5", "5,", "1,,2", "1.2.3", "1,23,456", "1234,567.8", "2024,01,15"})
        EXPECT_EQ(mark_of_number(text), NumberMark::none) << text;
}

TEST_F(CsvFormats, TakesMarksOutOfANumber) {
    const auto comma = [](const char* text) { return without_marks(text, DecimalMark::comma).value_or("none"); };
    const auto point = [](const char* text) { return without_marks(text, DecimalMark::point).value_or("none"); };
    EXPECT_EQ(comma("1.234,50"), "1234.50");
    EXPECT_EQ(comma("-12.345.678"), "-12345678");
    EXPECT_EQ(comma("3,14e2"), "3.14e2");
    EXPECT_EQ(comma("1234,5"), "1234.5");
    EXPECT_EQ(comma("1e5"), "1e5");
    EXPECT_EQ(point("1,234.50"), "1234.50");
    EXPECT_EQ(point("+1,234"), "+1234");
    EXPECT_EQ(point("text"), "text");
    for (const char* text : {"1.5", "0.123", "1234.567", "1,2,3", "1,234.5", "1.23.456", "1.234e5", ".123", "1..234"})
        EXPECT_EQ(comma(text), "none") << text;
    for (const char* text : {"3,14", "1.2.3", "1,234.5,6", "0,123"}) EXPECT_EQ(point(text), "none") << text;
}

TEST_F(CsvFormats, ReadsNumbersAsPeopleWriteThem) {
    const auto by = [](DecimalMark mark, const char* text) {
        return read_written(text, mark).value_or(WrittenNumber{"none", ""});
    };
    const auto point = [&](const char* text) { return by(DecimalMark::point, text); };
    const auto comma = [&](const char* text) { return by(DecimalMark::comma, text); };
    using Written = WrittenNumber;
    EXPECT_EQ(point("$1,200.50"), (Written{"1200.50", "$"}));
    EXPECT_EQ(point("-$ 5"), (Written{"-5", "$"}));
    EXPECT_EQ(point("$-5"), (Written{"-5", "$"}));
    EXPECT_EQ(point("(1,234)"), (Written{"-1234", ""}));
    EXPECT_EQ(point("($ 12.5)"), (Written{"-12.5", "$"}));
    EXPECT_EQ(point("45%"), (Written{"45", "%"}));
    EXPECT_EQ(point("5-"), (Written{"-5", ""}));
    EXPECT_EQ(point("$1,250.5-"), (Written{"-1250.5", "$"}));
    EXPECT_EQ(point("\u22121.5"), (Written{"-1.5", ""}));
    EXPECT_EQ(point("4.5 %"), (Written{"4.5", "%"}));
    EXPECT_EQ(point("1'234'567"), (Written{"1234567", ""}));
    EXPECT_EQ(point("£.5"), (Written{".5", "£"}));
    EXPECT_EQ(point("-1e5"), (Written{"-1e5", ""}));
    EXPECT_EQ(comma("1.234,50 €"), (Written{"1234.50", "€"}));
    EXPECT_EQ(comma("1 234\u00a0567,5\u202f€").text, "none") << "blanks of two kinds";
    EXPECT_EQ(comma("1\u202f234\u202f567,5\u00a0€"), (Written{"1234567.5", "€"}));
    EXPECT_EQ(comma("\u00a0 12 "), (Written{"12", ""}));
    EXPECT_EQ(comma("1\xa0\x32\x33\x34,5"), (Written{"1234.5", ""})) << "the blank of Latin-1";
    EXPECT_EQ(point("EUR 59,562"), (Written{"59562", "EUR"}));
    EXPECT_EQ(comma("-1.200,5 CHF"), (Written{"-1200.5", "CHF"}));
    EXPECT_EQ(point("USD5").sign, "USD");
    EXPECT_EQ(point("1,37,611.5"), (Written{"137611.5", ""})) << "as in India";
    EXPECT_EQ(point("12,34,56,789"), (Written{"123456789", ""}));
    // Texts without marks and signs are returned as they are, numbers or not.
    for (const char* text : {"text", "", "nan", "inf", "EUR", "ABC5"}) EXPECT_EQ(point(text), (Written{text, ""}));
    for (const char* text : {"$", "%", "$text", "-", "()", "(-5)", "$5%", "5 5", "1 234,567", "12'34", "--5", "$nan",
                             "1,2 %", "5 $ 5", "$ 5 EUR", "EUR 5 EUR", "EUR 1,2", "137,61,1", "1,37,61"})
        EXPECT_EQ(point(text).text, "none") << text;
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

TEST_F(CsvFormats, EndsAtWhatLeavesUnknownWhereTheNextRowStarts) {
    for (const std::string& row : {"1\r2,3"s, "1,\0"s, "1,\"\0"s}) {
        Reader read = reader("a,b\n" + row + "\n3,4\n");
        const std::string text = refusal([&] { (void)read.next(); });
        EXPECT_TRUE(read.is_broken()) << row;
        try {
            (void)read.next();
            ADD_FAILURE() << "went on after " << row;
        } catch (const std::runtime_error& error) {
            EXPECT_EQ(error.what(), text);
        }
    }
}

TEST_F(CsvFormats, LinesOfSeparatorsAloneAreRowsWithinAFileAndNothingAtItsEnd) {
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
    EXPECT_THAT(refused("a,b\n1,2\n\n\n3,4\n"), EndsWith("bad.csv:3: the line is empty"));
    EXPECT_THAT(refused("a,b\n1,2\n,,\n3,4\n"), EndsWith("bad.csv:3: 3 cells where the header has 2"));
    EXPECT_EQ(rows_of(reader("a\n1\n\n\n2\n\"\"\n\n\n")), (Rows{{"a"}, {"1"}, {""}, {""}, {"2"}, {""}}));
}

}  // namespace
}  // namespace fairstream::csv
