#include <random>

#include <gmock/gmock.h>

#include "helpers.hpp"
#include "support/names.hpp"

namespace fairstream::files {
namespace {

using test::Names;
using ::testing::HasSubstr;

class CsvReader : public ::testing::Test {
protected:
    std::string refused(std::string_view text) {
        return refusal([&] { (void)all_rows(directory.write("bad.csv", text)); });
    }
    Rows rows(std::string_view text) { return all_rows(directory.write("good.csv", text)); }

    test::TemporaryDirectory directory;
};

std::string random_cell(std::mt19937_64& random) {
    static constexpr std::string_view alphabet = "ab1.,\"\n\r -\xc3\xa9";
    std::string cell(random() % 12, ' ');
    for (char& c : cell) c = alphabet[random() % alphabet.size()];
    return cell;
}

std::string as_csv(const Rows& rows, std::mt19937_64& random, std::string_view line_end) {
    std::string text;
    for (const auto& row : rows) {
        for (std::size_t i = 0; i < row.size(); ++i) {
            const bool must_quote = row[i].find_first_of(",\"\n\r") != std::string::npos;
            text += i ? "," : "";
            if (!must_quote && random() % 4 != 0) {
                text += row[i];
                continue;
            }
            text += '"';
            for (const char c : row[i]) text += c == '"' ? std::string("\"\"") : std::string(1, c);
            text += '"';
        }
        text += line_end;
    }
    return text;
}

TEST_F(CsvReader, CellsRoundTripPlainAndCompressed) {
    std::mt19937_64 random(20240117);
    for (int trial = 0; trial < 60; ++trial) {
        Rows expected{{"a", "b \"quoted\"", "c,d"}};
        const std::size_t count = trial % 20 == 0 ? 40'000 : random() % 50;  // above the read buffer now and then
        for (std::size_t i = 0; i < count; ++i)
            expected.push_back({random_cell(random), random_cell(random), random_cell(random)});
        std::string text = as_csv(expected, random, trial % 2 ? "\n" : "\r\n");
        if (trial % 3 == 0) text.pop_back();
        if (trial % 5 == 0) text.insert(0, "\xEF\xBB\xBF");
        ASSERT_EQ(rows(text), expected) << "trial " << trial;
        ASSERT_EQ(all_rows(directory.write("good.csv.gz", gzip(text))), expected) << "trial " << trial;
    }
}

TEST_F(CsvReader, FindsTheSameRowsWhereverItsBufferEnds) {
    // A first row of every length around the buffer's size puts each following byte at the boundary once.
    const std::string rest = "\r\n\"x\"\"y\",2\n,\n3,4\n";
    for (std::size_t length = (256 << 10) - 24; length < (256 << 10) + 8; ++length) {
        const std::string cell(length - 6, 'z');
        const Rows expected{{"a", "b"}, {cell, "1"}, {"x\"y", "2"}, {"", ""}, {"3", "4"}};
        ASSERT_EQ(rows("a,b\n" + cell + ",1" + rest), expected) << length;
    }
}

TEST_F(CsvReader, ReadsConcatenatedGzipMembersAsOneFile) {
    const auto path = directory.write("two.csv.gz", gzip("a,b\n1,2\n3,") + gzip("4\n"));
    EXPECT_EQ(all_rows(path), (Rows{{"a", "b"}, {"1", "2"}, {"3", "4"}}));
}

TEST_F(CsvReader, ReadsCompressedBytesUnderAnyName) {
    EXPECT_EQ(all_rows(directory.write("data.csv", gzip("a\n1\n"))), (Rows{{"a"}, {"1"}}));
}

TEST_F(CsvReader, CountsLinesThroughQuotedLineEnds) {
    Reader reader(directory.write("lines.csv", "a,b\n\"1\n\n\",2\n3,4\n"));
    ASSERT_TRUE(reader.next());
    EXPECT_EQ(reader.line(), 2U);
    ASSERT_TRUE(reader.next());
    EXPECT_EQ(reader.line(), 5U);
    EXPECT_FALSE(reader.next());
    EXPECT_FALSE(reader.next());
}

TEST_F(CsvReader, RepeatedColumnIsRefusedOnUse) {
    const Reader reader(directory.write("repeated.csv", "a,a,b,column 5,\n1,2,3,4,5\n"));
    EXPECT_EQ(reader.column("b"), 2U);
    EXPECT_THAT(refusal([&] { (void)reader.column("a"); }), Names({"repeated.csv:1:", "'a'"}));
}

TEST_F(CsvReader, RefusesWhatIsNoTable) {
    EXPECT_THAT(refused(""), Names({"bad.csv:1:", "empty"}));
    EXPECT_THAT(refused("a,b\n1,2\n1\n"), Names({"bad.csv:3:", "1 cell", " 2"}));
    EXPECT_THAT(refused("a,b\n1,2\n# more\n"), Names({"bad.csv:3:", "1 cell", " 2"}));
    EXPECT_THAT(refused("a,b\n1,2\na,b\n"), Names({"bad.csv:3:", "header again"}));
    EXPECT_THAT(refused("a,b\n1,2,3\n"), Names({"bad.csv:2:", "3 cells", " 2"}));
    EXPECT_THAT(refused("a,b\n1,2\n\n3,4\n"), Names({"bad.csv:3:", "empty"}));
}

TEST_F(CsvReader, RefusesBrokenQuotesAndStrayBytes) {
    EXPECT_THAT(refused("a,b\n1,\"2\n3,4\n"), Names({"bad.csv:2:", "never closed"}));
    EXPECT_THAT(refused("a,b\n\"1\"x,2\n"), Names({"bad.csv:2:", "closing quote"}));
    EXPECT_THAT(refused("a,b\n1\"x\",2\n"), Names({"bad.csv:2:", "unquoted"}));
    EXPECT_THAT(refused("a,b\n1\r2,3\n"), Names({"bad.csv:2:", "carriage return"}));
    EXPECT_THAT(refused(std::string_view("a,b\n1,\0\n", 8)), Names({"bad.csv:2:", "NUL"}));
    EXPECT_THAT(refused(std::string_view("a,b\n1,\"\0\"\n", 10)), Names({"bad.csv:2:", "NUL"}));
}

TEST_F(CsvReader, SeparatorRepeatsInNextLine) {
    const auto separator = [&](std::string_view text) {
        return Reader(directory.write("s.csv", text)).shape().separator;
    };
    EXPECT_EQ(separator("age, in years\tv, raw, x\tsex\n1\t2\tf\n"), '\t');
    EXPECT_EQ(separator("name, first;age;x\n\"a;b\";2;3\n"), ';');
    EXPECT_EQ(separator("a;b;c,d\n1,5;2,5;3,5\n"), ';') << "decimal commas";
    EXPECT_EQ(separator("a,b,c|d\n1,2\n"), ',') << "none is as often: that of most";
    EXPECT_EQ(separator("a,b|c\n"), ',') << "and so without a row";
    EXPECT_EQ(separator("a,b;c\n1,2;3\n"), ',') << "of equals the first";
}

TEST_F(CsvReader, RefusesARowWithoutEnd) {
    EXPECT_THAT(refused("a\n\"" + std::string(row_limit, 'x')), Names({"bad.csv:2:", "16777216"}));
}

TEST_F(CsvReader, RefusesEveryTruncationOfACompressedFile) {
    const std::string whole = gzip("a,b\n1,2\n3,4\n5,6\n");
    for (std::size_t length = 1; length < whole.size(); ++length) {
        const auto path = directory.write("cut.csv.gz", std::string_view(whole).substr(0, length));
        const std::string text = refusal([&] { (void)all_rows(path); });
        EXPECT_THAT(text, HasSubstr(length < 2 ? "not gzip" : "cut short")) << length;
    }
}

TEST_F(CsvReader, RefusesEveryDamagedByteOfCompressedData) {
    const std::string whole = gzip("a,b\n1,2\n3,4\n5,6\n7,8\n");
    constexpr std::size_t header = 10;  // time, flags and system of a gzip header may be anything
    for (std::size_t i = header; i < whole.size(); ++i) {
        std::string damaged = whole;
        damaged[i] = static_cast<char>(damaged[i] ^ 0x55);
        EXPECT_THROW((void)all_rows(directory.write("damaged.csv.gz", damaged)), InvalidInput) << "byte " << i;
    }
    EXPECT_THAT(refusal([&] { (void)all_rows(directory.write("more.csv.gz", whole + "garbage")); }),
                Names({"more.csv.gz", "damaged"}));
}

TEST_F(CsvReader, ReadsAndSkipsZstdFrames) {
    const std::string skipped("\x53\x2a\x4d\x18\x03\0\0\0abc", 11);
    const Rows expected{{"a", "b"}, {"1", "2"}, {"3", "4"}};
    EXPECT_EQ(all_rows(directory.write("two.csv", zstd("a,b\n1,2\n3,") + zstd("4\n"))), expected);
    EXPECT_EQ(all_rows(directory.write("skip.csv.zst", skipped + zstd("a,b\n1,2\n3,4\n") + skipped)), expected);
    // A frame whose bytes outgrow every buffer on the way.
    Rows long_rows{{"a"}, {std::string(3'000'000, 'x')}, {"1"}};
    EXPECT_EQ(all_rows(directory.write("long.csv.zst", zstd("a\n" + long_rows[1][0] + "\n1\n"))), long_rows);
}

TEST_F(CsvReader, DamagedZstdIsRefused) {
    const std::string whole = zstd("a,b\n1,2\n3,4\n5,6\n");
    for (std::size_t length = 1; length < whole.size(); ++length) {
        const auto path = directory.write("cut.csv.zst", std::string_view(whole).substr(0, length));
        const std::string text = refusal([&] { (void)all_rows(path); });
        EXPECT_THAT(text, HasSubstr(length < 4 ? "not zstd" : "cut short")) << length;
    }
    for (std::size_t i = 0; i < whole.size(); ++i) {
        std::string damaged = whole;
        damaged[i] = static_cast<char>(damaged[i] ^ 0x55);
        EXPECT_THROW((void)all_rows(directory.write("damaged.csv.zst", damaged)), InvalidInput) << "byte " << i;
    }
    EXPECT_THAT(refusal([&] { (void)all_rows(directory.write("more.csv.zst", whole + "garbage")); }),
                Names({"more.csv.zst", "damaged"}));
}

TEST_F(CsvReader, BadFilesAreRefused) {
    EXPECT_THAT(refusal([&] { Reader(directory / "none.csv"); }), HasSubstr("none.csv: No such"));
    EXPECT_THAT(refusal([&] { Reader reader(directory.path()); }), HasSubstr("directory"));
    EXPECT_THAT(refusal([&] { Reader(directory.write("plain.csv.gz", "a\n1\n")); }), Names({".gz", "gzip-compressed"}));
    EXPECT_THAT(refusal([&] { Reader(directory.write("plain.csv.zst", gzip("a\n1\n"))); }),
                Names({".zst", "zstd-compressed"}));
}

TEST_F(CsvReader, ReadsFurtherTextsOfMissingValuesAsEmpty) {
    Reader reader(directory.write("a.csv", "x,y=1,z\n-999,gone, -999 \n5,5,gone\n"));
    reader.set_missing_texts(std::vector<std::string>{"-999", "z=gone", "y=1=5", "w=5"});
    ASSERT_TRUE(reader.next());
    EXPECT_TRUE(reader.is_missing(0));
    EXPECT_TRUE(reader.had_missing_text(0));
    EXPECT_FALSE(reader.had_missing_text(1));
    EXPECT_EQ(reader.cell(1), "gone");
    EXPECT_TRUE(reader.is_missing(2));
    ASSERT_TRUE(reader.next());
    EXPECT_EQ(reader.number(0), 5);
    EXPECT_FALSE(reader.had_missing_text(0)) << "as in the row before";
    EXPECT_EQ(reader.cell(1), "");
    EXPECT_EQ(reader.cell(2), "");
    EXPECT_EQ(reader.unused_missing_texts(), std::vector<std::string>{"w=5"});
}

TEST_F(CsvReader, MissingNumberMatchesAnySpelling) {
    Reader reader(directory.write("a.csv", "x\n-999.0\n-9.99e2\n-999.5\n-999\n999\n"));
    reader.set_missing_texts(std::vector<std::string>{"-999"});
    for (const bool is_missing : {true, true, false, true, false}) {
        ASSERT_TRUE(reader.next());
        EXPECT_EQ(reader.is_missing(0), is_missing) << reader.line();
    }
}

TEST_F(CsvReader, ReadsNumbersAsTheyAreSpelled) {
    Reader reader(directory.write("numbers.csv", "a,b,c,d,e\n1,-0.5,+2e3, 4\t,.25\n0.1,1e-320,1e308,\"7\",5.\n"));
    ASSERT_TRUE(reader.next());
    EXPECT_EQ(reader.number(0), 1.0);
    EXPECT_EQ(reader.number(1), -0.5);
    EXPECT_EQ(reader.number(2), 2000.0);
    EXPECT_EQ(reader.number(3), 4.0);
    EXPECT_EQ(reader.number(4), 0.25);
    ASSERT_TRUE(reader.next());
    EXPECT_EQ(reader.number(0), 0.1);
    EXPECT_EQ(reader.number(1), 1e-320);
    EXPECT_EQ(reader.number(2), 1e308);
    EXPECT_EQ(reader.number(3), 7.0);
    EXPECT_EQ(reader.number(4), 5.0);
}

TEST_F(CsvReader, NonNumberIsRefusedWithPlace) {
    const auto refused_number = [&](std::string_view cell) {
        Reader reader(directory.write("cell.csv", "id,age\n1,20\n2," + std::string(cell) + "\n"));
        EXPECT_TRUE(reader.next() && reader.next());
        return refusal([&] { (void)reader.number(1); });
    };
    EXPECT_THAT(refused_number("abc"), Names({"bad_feature", "cell.csv:3:", "'age'", "'abc'"}));
    EXPECT_THAT(refused_number(""), Names({"bad_feature", "'age'", "''"}));
    for (const char* text : {"nan", "NaN", "inf", "-inf", "+Infinity"})
        EXPECT_THAT(refused_number(text), Names({"bad_feature", "not finite"}));
    for (const char* text : {"1e999", "-1e999"}) EXPECT_THAT(refused_number(text), Names({"bad_feature", "range"}));
    for (const char* text :
         {"0x10", "1 2", "1.2.3", "+-1", "--1", "+", "-", ".", "e5", "1e", "\"1,500\"", "NA", "1_000"}) {
        EXPECT_THAT(refused_number(text), Names({"bad_feature", "not a"})) << text;
    }
    EXPECT_THAT(refused_number("\"a\tb" + std::string(100, 'c') + "\""),
                HasSubstr("'a\\x09b" + std::string(37, 'c') + "...'"));
}

}  // namespace
}  // namespace fairstream::files
