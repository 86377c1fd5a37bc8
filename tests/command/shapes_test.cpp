/// Files of twenty shapes, as people first try them: each is read by one command, or after pasting the options that the
/// error names.

#include <sstream>

#include "command.hpp"
#include "described_files.hpp"
#include "support/temporary_directory.hpp"

namespace fairstream::command {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class Shapes : public ::testing::Test {
protected:
    /// Twelve rows of two numbers and a text, with these separators, line ends and quotes.
    static std::string rows(const std::string& separator, const std::string& line_end = "\n",
                            const std::string& trailing = "") {
        std::string text;
        for (int i = 0; i < 12; ++i)
            text += std::to_string(i % 2 * 40 + i) + ".5" + separator + std::to_string(90 - i) + separator +
                    (i % 3 == 0 ? "f" : "m") + trailing + line_end;
        return text;
    }

    test::Finished fit(const std::string& name, const std::string& bytes, std::vector<std::string> more) {
        const std::string file = directory.write(name, bytes).string();
        more.insert(more.begin(), {"fit", "safairkm", "--input", file, "--clusters", "2", "--json"});
        return fairstream(more);
    }
    /// Returns the report of a fit; fails the test if it does not end well.
    json report(const std::string& name, const std::string& bytes, const std::vector<std::string>& more) {
        const test::Finished finished = fit(name, bytes, more);
        EXPECT_THAT(finished.exit_code, ::testing::AnyOf(0, 3)) << name << ": " << finished.err;
        notes = finished.err;
        return json::parse(finished.out, nullptr, false);
    }
    /// Expects a file to have twelve points of this shape, with two or three features.
    void expect_read(const std::string& name, const std::string& bytes, std::initializer_list<std::string> shape,
                     const std::string& group) {
        const json read = report(name, bytes, {"--group", group});
        ASSERT_TRUE(read.is_object()) << name;
        EXPECT_EQ(read["sent"], 12) << name;
        const auto told = read["shape"].get<std::string>();
        EXPECT_THAT(told, Names(shape)) << name;
        EXPECT_EQ(std::ranges::count(told, ',') + 1, std::ssize(shape)) << name << ": " << told;
        EXPECT_EQ(read["feature_names"].size(), 2U) << name;
    }
    /// Returns the report after adding the options that the error of the first try names.
    json pasted(const std::string& name, const std::string& bytes, std::vector<std::string> more) {
        const test::Finished refused = fit(name, bytes, more);
        EXPECT_EQ(refused.exit_code, 2) << name;
        error = refused.err;
        const std::vector<std::string> told = options_told(refused.err);
        more.insert(more.end(), told.begin(), told.end());
        return report(name, bytes, more);
    }

    test::TemporaryDirectory directory;
    std::string notes, error;
};

TEST_F(Shapes, AreReadByOneCommand) {
    expect_read("plain.csv", "x,y,sex\n" + rows(","), {"comma", "line 1"}, "sex");
    expect_read("uci.data", rows(", "), {"comma", "1 to 3"}, "3");
    expect_read("dot-and-blank.data", rows(", ", ".\n"), {"comma", "1 to 3"}, "3");
    expect_read("tabs.tsv", "x\ty\tsex\n" + rows("\t"), {"tab", "line 1"}, "sex");
    expect_read("blanks.txt", rows("   "), {"blanks", "1 to 3"}, "3");
    expect_read("blanks-around.txt", "  x y   sex\n  " + rows(" \t", " \n  "), {"blanks", "line 1"}, "sex");
    expect_read("pipes.csv", "x|y|sex\n" + rows("|"), {"|", "line 1"}, "sex");
    expect_read("titles.csv", "Applicants, by branch\n\nMay 2026\nx,y,sex\n" + rows(","),
                {"comma", "3 lines", "line 4"}, "sex");
    expect_read("padded.csv", "Applicants by branch,,\nMay 2026,,\n,,\nx,y,sex\n" + rows(","),
                {"comma", "3 lines", "line 4"}, "sex");
    expect_read("comments.csv", "# made by a program\n# x, y and sex\nx,y,sex\n" + rows(","),
                {"comma", "2 lines", "line 3"}, "sex");
    expect_read("trailing.csv", "x,y,sex\n" + rows(",", "\n", ","), {"comma", "line 1"}, "sex");
    expect_read("trailing-header.csv", "x;y;sex;;\n" + rows(";"), {"semicolon", "line 1"}, "sex");
    expect_read("bom.csv", "\xEF\xBB\xBFx,y,sex\r\n" + rows(",", "\r\n"), {"comma", "line 1"}, "sex");
    expect_read("cr.csv", "x,y,sex\r" + rows(",", "\r"), {"comma", "CR", "line 1"}, "sex");
    expect_read("latin1.csv", "x,gr\xf6\xdf\x65,sex\n" + rows(","), {"comma", "UTF-8", "line 1"}, "sex");
    expect_read("sep.csv", "sep=;\nx;y;sex\n" + rows(";"), {"semicolon", "1 line", "line 2"}, "sex");
    std::string of_r = "\"x\",\"sex\"\n";
    for (int i = 1; i <= 12; ++i)
        of_r += "\"" + std::to_string(i) + "\"," + std::to_string(i * 7 % 5) + (i % 2 ? ",\"f\"\n" : ",\"m\"\n");
    expect_read("r.csv", of_r, {"comma", "line 1"}, "sex");
    std::string commas = rows(";");
    std::ranges::replace(commas, '.', ',');
    expect_read("european.csv", "x;y;sex\n" + commas, {"semicolon", "decimal commas", "line 1"}, "sex");
    std::string without_points = rows(";"), with_blanks = rows(" ");
    std::ranges::replace(without_points, '.', ',');
    std::ranges::replace(with_blanks, '.', ',');
    expect_read("headerless.csv", without_points, {"semicolon", "decimal commas", "1 to 3"}, "3");
    expect_read("blanks-commas.txt", with_blanks, {"blanks", "decimal commas", "1 to 3"}, "3");
    std::string in_quotes = "x,y,sex\n";
    for (int i = 0; i < 12; ++i)
        in_quotes += "\"" + std::to_string(i) + ",5\"," + std::to_string(90 - i) + (i % 3 == 0 ? ",f\n" : ",m\n");
    expect_read("commas.csv", in_quotes, {"comma", "decimal commas", "line 1"}, "sex");
    std::string quoted, line;
    for (std::istringstream lines("x,y,sex\n" + rows(",")); std::getline(lines, line);) quoted += "\"" + line + "\"\n";
    expect_read("quoted.csv", quoted, {"comma", "quotes", "line 1"}, "sex");
    std::string single = "'x','y, in years','sex'\n";
    for (int i = 0; i < 12; ++i)
        single += std::to_string(i) + "," + std::to_string(90 - i) + (i % 3 ? ",'f'\n" : ",'m'\n");
    expect_read("single.csv", single, {"comma", "single quotes", "line 1"}, "sex");
    for (std::size_t at = 0; (at = single.find('\'')) < single.find('\n');) single.erase(at, 1);
    single.replace(single.find(", in"), 4, " in");
    expect_read("single-below.csv", single, {"comma", "single quotes", "line 1"}, "sex");
    std::string escaped = "x,y,name\n", folders = "x,y,folder\n";
    for (int i = 0; i < 12; ++i) {
        const std::string numbers = std::to_string(i) + "," + std::to_string(90 - i) + ",";
        escaped += numbers + (i % 3 ? R"("O\"Neil, \\ed")" : R"("Ann\\")") + "\n";
        folders += numbers + (i % 3 ? R"("C:\in\")" : R"("C:\out")") + "\n";
    }
    expect_read("escaped.csv", escaped, {"comma", "backslashes", "line 1"}, "name");
    EXPECT_EQ(json::parse(fit("escaped.csv", escaped, {"--group", "name"}).out)["groups"],
              (json{R"(Ann\)", R"(O"Neil, \ed)"}));
    expect_read("folders.csv", folders, {"comma", "line 1"}, "folder");
    EXPECT_EQ(json::parse(fit("folders.csv", folders, {"--group", "folder"}).out)["groups"],
              (json{R"(C:\in\)", R"(C:\out)"}));
    expect_read("numpy.txt", "# made by numpy\n# x y sex\n" + rows(" "), {"blanks", "1 line", "line 2"}, "sex");
    expect_read("genes.tsv", "#x\ty\tsex\n" + rows("\t"), {"tab", "line 1"}, "sex");
    expect_read("loans.arff",
                "% loans\n@relation loans\n\n@attribute x numeric\n@attribute 'y' real\n@attribute sex {f,m}\n@data\n" +
                    rows(","),
                {"ARFF", "comma"}, "sex");
}

TEST_F(Shapes, ArffMayHaveSingleQuotesAndComments) {
    std::string text = "@relation people\n@attribute x numeric\n@attribute sex {'F, a','M b'}\n@data\n";
    for (int i = 0; i < 12; ++i) {
        if (i == 5) text += "% it's half of them\n";
        text += std::to_string(i) + (i % 2 == 0 ? ",'F, a'\n" : ",'M b'\n");
    }
    const json read = report("people.arff", text, {"--group", "sex"});
    EXPECT_EQ(read["sent"], 12);
    EXPECT_EQ(read["bad_rows"], 0);
    EXPECT_EQ(read["groups"], (json{"F, a", "M b"}));
}

TEST_F(Shapes, AreReadByWhatTheErrorTells) {
    // The header is repeated, and a cell is no number: rows are counted, not cells.
    const json joined =
        pasted("joined.csv", "x,y,sex\n" + rows(",") + "x,y,sex\n" + rows(",") + "1,n.k.,f\n", {"--group", "sex"});
    EXPECT_EQ(joined["sent"], 24);
    EXPECT_THAT(error, Names({": add --bad-rows 2\n", "joined.csv:14:", "joined.csv:27:", "'y'", "'n.k.'"}));
    // A title that looks like a header, above rows without a header.
    EXPECT_EQ(pasted("titled.csv", "Sales,by region\n" + rows(","), {"--group", "3"})["sent"], 12);
    // Headers in several lines, and a separator that is not tried.
    EXPECT_EQ(pasted("levels.csv", "a,a,b\nx,y,sex\n" + rows(","), {"--group", "sex"})["sent"], 12);
    EXPECT_THAT(error, HasSubstr("'a', 'a', 'b': add --skip-lines 1"));
    EXPECT_EQ(pasted("colons.txt", "x:y:sex\n" + rows(":"), {"--group", "sex"})["sent"], 12);
    EXPECT_THAT(error, HasSubstr("'x:y:sex': add --separator :"));
    // Repeated names of columns.
    const json repeated = pasted("repeated.csv", "x,x,sex\n" + rows(","), {"--group", "sex"});
    EXPECT_EQ(repeated["feature_names"], (json{"x", "x_2"}));
    EXPECT_THAT(error, HasSubstr("'x': add --names x,x_2,sex"));
    // All columns of text in one error.
    std::string texts = "x,a,b,sex\n";
    for (int i = 0; i < 12; ++i)
        texts += std::to_string(i) + (i % 2 == 0 ? ",red" : ",blue") + (i % 3 == 0 ? ",up,f\n" : ",down,m\n");
    EXPECT_EQ(pasted("texts.csv", texts, {"--group", "sex"})["sent"], 12);
    EXPECT_THAT(error, Names({"'a' (2 values", "'red'", "'b' (2 values", "'up'", ": add --categorical a,b=onehot"}));
}

// A first row with one unlike cell is still no header; in doubtful cases a note says so.
TEST_F(Shapes, FirstRowWithUnlikeCellIsKept) {
    const std::string others = rows(",").substr(rows(",").find('\n') + 1);
    for (const char* const first :
         {"unknown,41.5,f\n", "41.5 h,60,m\n", "$41,60.5,f\n", "1e400,60,f\n", "NA,?,f\n", ",,m\n"}) {
        const json read = report("first.csv", first + others,
                                 {"--group", "3", "--missing", "mean", "--categorical", "onehot", "--bad-rows", "1"});
        ASSERT_TRUE(read.is_object()) << first << error;
        EXPECT_THAT(read["shape"].get<std::string>(), Names({"comma", "1 to 3"})) << first;
    }
    std::string short_file = "Anna Bo,20,30.5\n";
    for (int i = 1; i < 5; ++i)
        short_file += "No " + std::to_string(i) + ",2" + std::to_string(i) + ",3" + std::to_string(i) + ".5\n";
    EXPECT_EQ(report("short.csv", short_file, {"--categorical", "onehot"})["sent"], 5);
    const json spectra = report("spectra.csv", "400.5,401.5,sex\n" + rows(","), {"--group", "sex"});
    EXPECT_THAT(spectra["shape"].get<std::string>(), Names({"comma", "line 1", "'400.5'", "--no-header"}));
    EXPECT_THAT(notes, HasSubstr("--no-header"));
}

// Numbers that count columns are names above other numbers; above a few integers they are cells.
TEST_F(Shapes, KeepAFirstRowOfNumbersThatCount) {
    std::string one, two, years, names;
    for (int i = 1; i <= 20; ++i) {
        one += std::to_string(i) + "\n";
        two += std::to_string(i) + "," + std::to_string(i * i % 37) + "\n";
        years +=
            std::to_string(2020 - i % 7) + "," + std::to_string(2021 - i % 5) + "," + std::to_string(2010 + i) + "\n";
        names += std::to_string(i) + ".5,1,2.5\n";
    }
    EXPECT_EQ(report("one.csv", one, {})["sent"], 20);
    EXPECT_EQ(report("two.csv", two, {})["sent"], 20);
    EXPECT_EQ(report("again.csv", "0,1\n" + two + "0,1\n", {})["sent"], 22);
    EXPECT_EQ(report("years.csv", "2020,2021,2022\n" + years, {})["sent"], 21);
    std::string places = "place,2020,2021,2022\n";
    for (int i = 0; i < 20; ++i)
        places += "p" + std::to_string(i % 5) + "," + std::to_string(2000 + i) + ",1990,2015\n";
    EXPECT_EQ(report("places.csv", places, {"--group", "place"})["feature_names"], (json{"2020", "2021", "2022"}));
    EXPECT_EQ(report("names.csv", "0,1,2\n" + names, {})["sent"], 20);
    EXPECT_EQ(report("doubtful.csv", "0,1,2\n1,1,3\n3,5,8\n4,4,4\n", {})["sent"], 3);
    EXPECT_THAT(notes, Names({"line 1", "'0'", "--no-header"}));
    EXPECT_EQ(report("texts.csv", "anna,berlin,tall\nbob,paris,short\neve,berlin,tall\nbob,rome,tall\n",
                     {"--categorical", "onehot"})["sent"],
              4);
}

TEST_F(Shapes, DoubtfulGroupsAreNoted) {
    std::string text = "x,g\n";
    for (int i = 0; i < 12; ++i)
        text += std::to_string(i) + (i % 3 == 0 ? ",NA\n" : i % 3 == 1 ? ",Female\n" : ",female\n");
    EXPECT_EQ(report("groups.csv", text, {"--group", "g"})["sent"], 12);
    EXPECT_THAT(notes, Names({"'g'", "'NA'", "add --unknown-group NA", "'Female' and 'female'"}));
    report("groups.csv", text, {"--group", "g", "--unknown-group", "NA"});
    EXPECT_THAT(notes, Not(HasSubstr("add --unknown-group")));
}

// Numbers that may be 12.5, or 12500 with a mark of thousands, cause a note.
TEST_F(Shapes, PossibleThousandsAreNoted) {
    const auto notes_on = [&](const std::string& separator, const std::string& doubtful) {
        std::string text = "x" + separator + "y" + separator + "sex\n";
        for (int i = 0; i < 12; ++i)
            text += std::to_string(900 + i) + separator + (i < 2 ? doubtful : std::to_string(90 - i)) + separator +
                    (i % 3 == 0 ? "f\n" : "m\n");
        EXPECT_EQ(report("thousands.csv", text, {"--group", "sex"})["sent"], 12);
        return notes;
    };
    EXPECT_THAT(notes_on(";", "12.500"), Names({"'y'", "12.500", "12500"}));
    EXPECT_THAT(notes_on(";", "12,500"), HasSubstr("12,500"));
    for (const char* const plain : {"12.5", "0.125", "1234.500", "12.5000"})
        EXPECT_THAT(notes_on(";", plain), Not(HasSubstr(plain)));
    EXPECT_THAT(notes_on(",", "12.500"), Not(HasSubstr("12.500")));
}

TEST_F(Shapes, ThousandsAreNotDecimals) {
    const auto refused = [&](const std::string& separator, const std::string& x, const std::string& y) {
        std::string text = "x" + separator + "y" + separator + "sex\n";
        for (int i = 0; i < 12; ++i)
            text += x + separator + std::to_string(i) + y + separator + (i % 3 ? "m\n" : "f\n");
        return fit("marks.txt", text, {"--group", "sex"}).err;
    };
    EXPECT_THAT(refused("\t", "1,100", ""), Names({"'x'", "'1,100' in line 2"}));
    EXPECT_THAT(refused("|", "10,100", ".5"), HasSubstr("column 'x' (such as '10,100' in line 2) holds numbers"));
    EXPECT_THAT(refused(";", "1.500", ",5"), HasSubstr("column 'x' (such as '1.500' in line 2) holds numbers"));
}

TEST_F(Shapes, LateKeyMayBeLeftOut) {
    std::string lines;
    for (int i = 0; i < 1500; ++i) lines += "{\"x\":" + std::to_string(i % 7) + "}\n";
    lines += "{\"x\":1,\"late\":{}}\n";
    EXPECT_EQ(report("late.jsonl", lines, {"--leave-out", "late"})["sent"], 1501);
    EXPECT_EQ(pasted("late.jsonl", lines, {})["sent"], 1501);
}

TEST_F(Shapes, UnitRowIsBad) {
    EXPECT_EQ(pasted("units.csv", "g,x,y\na,[cm],[kg]\na,1,2\nb,2,3\na,3,4\nb,4,9\n", {"--group", "g"})["sent"], 4);
    std::string text = "g,x,y\n,cm,kg\n";
    for (int i = 0; i < 60; ++i) text += (i % 2 ? "a," : "b,") + std::to_string(i) + "," + std::to_string(i % 7) + "\n";
    EXPECT_EQ(pasted("units.csv", text, {"--group", "g", "--missing", "g=drop"})["sent"], 60);
}

TEST_F(Shapes, NestedJsonFitsIntoNoCellOfLabels) {
    std::string lines;
    for (int i = 0; i < 12; ++i) lines += "{\"x\":" + std::to_string(i) + ",\"of\":{\"a\":1}}\n";
    const std::string labels = (directory / "labels.csv").string();
    const test::Finished refused = fit("nested.jsonl", lines, {"--features", "x", "--with", "of", "--labels", labels});
    EXPECT_EQ(refused.exit_code, 2);
    EXPECT_THAT(refused.err, Names({"'of'", "'{...}'"}));
}

TEST_F(Shapes, HeaderlessColumnsAreNumbered) {
    const test::Finished refused = fit("people.data", rows(", "), {"--group", " f"});
    EXPECT_EQ(refused.exit_code, 2);
    EXPECT_THAT(refused.err, Names({"people.data:1:", "'f'", "comma", "1 to 3", "--group 3", "--header"}));
    EXPECT_EQ(report("people.data", rows(", "), {"--group", "3"})["sent"], 12);
    EXPECT_THAT(notes, Names({"people.data", "comma", "1 to 3"}));
}

TEST_F(Shapes, AreOverruledInEachPart) {
    const std::string text = "title,1\nx y;z|sex\n" + rows("|");
    const json read =
        report("o.csv", text,
               {"--separator", "|", "--skip-lines", "2", "--no-header", "--names", "x,y,sex", "--group", "sex"});
    EXPECT_EQ(read["sent"], 12);
    EXPECT_EQ(read["feature_names"], (json{"x", "y"}));
    EXPECT_EQ(report("h.csv", rows(","), {"--header", "--group", "f"})["sent"], 11);
    EXPECT_EQ(report("n.csv", "a,b,c\n" + rows(","), {"--names", "x,y,sex", "--group", "sex"})["sent"], 12);
    EXPECT_THAT(fit("n.csv", "a,b,c\n" + rows(","), {"--names", "x,y", "--group", "y"}).err,
                Names({"n.csv", "--names", "2 names", "3 columns"}));
    EXPECT_THAT(fit("n.csv", rows(","), {"--separator", "semi", "--group", "3"}).err, HasSubstr("--separator"));
}

TEST_F(Shapes, ThatAreNoTablesAreNamed) {
    for (const auto& [name, bytes, what] :
         {std::tuple("one.csv", "x\n", "no rows"), std::tuple("none.csv", "", "none.csv:1:"),
          std::tuple("array.json", "[{\"x\":1},{\"x\":2}]", "JSON array"),
          std::tuple("pretty.json", "{\n \"x\": 1\n}\n", "several lines"),
          std::tuple("a9a.txt", "+1 3:1 11:0.5\n-1 1:1 2:1\n-1 4:1 9:1 12:1\n", "LIBSVM"),
          std::tuple("graph.mtx", "%%MatrixMarket matrix coordinate\n4 4 2\n1 2\n", ": add --skip-lines 2 "),
          std::tuple("zeros.arff", "@relation s\n@attribute x numeric\n@data\n{0 1.5}\n", "sparse ARFF"),
          std::tuple("ratings.dat", "1::2::3\n2::3::4\n", "'::'"),
          std::tuple("page.csv", "<!DOCTYPE html>\n<html>\n", "HTML"),
          std::tuple("sparse.arff", "@relation s\n@attribute x numeric\n", "@data")})
        EXPECT_THAT(fit(name, bytes, {}).err, HasSubstr(what)) << name;
    EXPECT_EQ(report("single.csv", "x\n1\n2\n30\n40\n", {})["sent"], 4) << "a column alone";
}

}  // namespace
}  // namespace fairstream::command
