/// What `fairstream fit` says of values of a file that were probably meant otherwise than they are read.

#include <cmath>
#include <fstream>

#include <fairstream/base/printable.hpp>

#include "described_files.hpp"
#include "support/temporary_directory.hpp"

namespace fairstream::command {
namespace {

using ::testing::AllOf;
using ::testing::AnyOf;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

class FileValues : public ::testing::Test {
protected:
    /// Fits 40 points of two clusters; `header` and `cells(i)` are of columns behind x and sex.
    template <class Cells> test::Finished fit(const std::string& header, const Cells& cells,
                                              std::vector<std::string> more = {},
                                              const std::string& model = "safairkm") {
        std::string text = "x,sex," + header + "\n";
        for (int i = 0; i < 40; ++i)
            text += std::to_string(i % 2 * 50 + i % 5) + (i % 3 == 0 ? ",m," : ",f,") + cells(i) + "\n";
        file = directory.write("points.csv", text).string();
        more.insert(more.begin(), {"fit", model, "--input", file, "--group", "sex"});
        if (model == "safairkm") more.insert(more.end(), {"--clusters", "2", "--set", "parity_at_least=0"});
        return fairstream(more);
    }
    /// Returns the complaint about a column `v` whose line `at` has `odd` and whose others have numbers.
    std::string refused_odd(const std::string& odd, std::vector<std::string> more = {}) {
        return fit(
                   "v", [&](int i) { return i == 7 ? odd : std::to_string(i * i % 17); }, std::move(more))
            .err;
    }

    test::TemporaryDirectory directory;
    std::string file;
};

TEST_F(FileValues, AMegabyteOfANameOrACellIsQuotedInPart) {
    const std::string megabyte(std::size_t{1} << 20, 'n');
    const auto one = [](int) { return "1"; };
    for (const test::Finished& refused :
         {fit(megabyte + "," + megabyte, [](int) { return "1,2"; }), fit(megabyte, one, {"--group", "nothing"}),
          fit("v", [&](int i) { return i == 9 ? megabyte : "1"; })}) {
        EXPECT_EQ(refused.exit_code, 2);
        EXPECT_LT(refused.err.size(), 2 * longest_error);
    }
    const std::string config =
        directory.write("c.toml", "[stream]\n" + megabyte + " = 1\n[" + megabyte + "]\n").string();
    const std::string refused = refusal({"check", "--config", config});
    EXPECT_LT(refused.size(), 2 * longest_error);
    EXPECT_THAT(refused, AllOf(HasSubstr("bytes left out"), HasSubstr("known: ")));
}

TEST_F(FileValues, ANumberWithASignIsNoCategory) {
    for (const char* form : {"$%.2f", "%.2f €", "%.2f%%", "1 %03.0f", "1'%03.0f", "1\xc2\xa0%03.0f"}) {
        const test::Finished refused = fit("v", [&](int i) {
            std::array<char, 32> text{};
            std::snprintf(text.data(), text.size(), form, 100.0 + i);
            return std::string(text.data());
        });
        EXPECT_EQ(refused.exit_code, 2) << form;
        EXPECT_THAT(refused.err,
                    AllOf(HasSubstr(" in line 2) holds numbers with signs, parentheses, blanks or apostrophes: add "
                                    "--decimal-mark point, or leave"),
                          Not(HasSubstr("onehot"))))
            << form;
    }
    EXPECT_EQ(fit("v", [](int) { return "a b"; }, {"--leave-out", "v"}).exit_code, 0);
}

TEST_F(FileValues, AFewOddCellsMakeNoCategoriesOfNumbers) {
    for (const std::vector<std::string>& more : {std::vector<std::string>{}, {"--categorical", "onehot"}}) {
        EXPECT_THAT(refused_odd("unknown", more),
                    HasSubstr("column 'v' (1 of 40, such as 'unknown' in line 9) has cells that are nothing like the "
                              "others: add --bad-rows 1"));
        EXPECT_THAT(refused_odd("inf", more), HasSubstr("such as 'inf' in line 9) has cells"));
        EXPECT_THAT(refused_odd("1e400", more), HasSubstr("such as '1e400' in line 9) has cells"));
    }
    const auto dates = [](int i) { return i == 7 ? "31/02/2024" : "2024-01-" + std::to_string(10 + i % 20); };
    EXPECT_THAT(fit("v", dates, {"--categorical", "onehot", "--dates", "days"}).err,
                HasSubstr("(1 of 40, such as '31/02/2024' in line 9) has cells that are nothing like the others: add "
                          "--bad-rows 1"));
    EXPECT_EQ(fit("v", [](int i) { return i == 7 ? "unknown" : std::to_string(i % 4); }, {"--categorical", "v=onehot"})
                  .exit_code,
              0)
        << "who names the column means it";
    EXPECT_THAT(fit("v", [](int i) { return i % 2 == 0 ? "inf" : std::to_string(i); }).err,
                HasSubstr("add --bad-rows 20"));
    EXPECT_THAT(
        fit("v", [](int i) { return i == 7   ? "soon"
                                    : i == 8 ? "-"
                                    : i == 9 ? ""
                                             : std::to_string(i % 4); }).err,
        HasSubstr("add --bad-rows 1 --missing v=mean"));
}

TEST_F(FileValues, OddCellsBesideNumbersWithMarksAreReadByTheOptionsOfBoth) {
    for (const std::string gap : {"unknown", "k.A."}) {
        const auto money = [&](int i) { return i % 11 == 5 ? gap : "\"$" + std::to_string(1 + i) + ",200.50\""; };
        for (const std::vector<std::string>& more : {std::vector<std::string>{}, {"--categorical", "onehot"}}) {
            const test::Finished refused = fit("v", money, more);
            EXPECT_THAT(refused.err, HasSubstr("(4 of 40, all of them '" + gap + "' in line 7)"));
            EXPECT_THAT(refused.err,
                        HasSubstr("add --missing-text v=" + gap + " --decimal-mark point --missing v=mean"));
        }
        const test::Finished read =
            fit("v", money, {"--missing-text", "v=" + gap, "--decimal-mark", "point", "--missing", "v=mean"});
        EXPECT_EQ(read.exit_code, 0) << read.err;
    }
    const auto money = [](int i) { return i == 0 ? "soon" : i == 30 ? "late" : "$" + std::to_string(1 + i) + ".50"; };
    EXPECT_THAT(fit("v", money).err, HasSubstr("add --bad-rows 2 --decimal-mark point"));
    EXPECT_EQ(fit("v", money, {"--bad-rows", "2", "--decimal-mark", "point"}).exit_code, 0);
}

TEST_F(FileValues, OddDatesAreReadByBothOptionsAtOnce) {
    const auto dates = [](int i) { return i == 7 ? "soon" : "2026-01-" + std::to_string(10 + i % 20); };
    EXPECT_THAT(fit("v", dates).err, HasSubstr("add --bad-rows 1 --dates v=days"));
    EXPECT_THAT(fit("v", dates, {"--dates", "v=days"}).err, HasSubstr("--bad-rows 1 leaves rows with such cells out"));
    const test::Finished read = fit("v", dates, {"--dates", "v=days", "--bad-rows", "1"});
    EXPECT_EQ(read.exit_code, 0) << read.err;
}

TEST_F(FileValues, DatesInTwoOrdersAreSaidToBeSo) {
    const auto dates = [](int i) {
        return i % 2 == 0 ? "2" + std::to_string(i % 9) + "/03/2026" : "03/2" + std::to_string(i % 9) + "/2026";
    };
    EXPECT_THAT(fit("v", dates).err,
                HasSubstr("column 'v' holds dates, some with the day first and others with the month first: add "
                          "--leave-out v (or write the dates alike)"));
    // Most of the cells are dates in either order, and one in each of them alone.
    const auto ambiguous = [](int i) { return i == 5 ? "31/12/2024" : i == 6 ? "12/31/2024" : "03/04/2024"; };
    const std::string told = fit("v", ambiguous).err;
    EXPECT_THAT(told, AllOf(HasSubstr(": column 'v' holds dates, some with the day first and others with the month "
                                      "first: add --leave-out v (or write the dates alike)"),
                            Not(HasSubstr("do not show")), Not(HasSubstr("--dates"))));
    EXPECT_EQ(fit("v", ambiguous, {"--leave-out", "v"}).exit_code, 0);
    // A few are in the other order than all others.
    const auto few = [](int i) { return i == 6 ? "12/31/2024" : std::to_string(13 + i % 9) + "/04/2024"; };
    EXPECT_THAT(fit("v", few).err,
                HasSubstr(": column 'v' (1 of 40 not with the day first) holds dates, some with the day first and "
                          "others with the month first: add --bad-rows 1 --dates v=days, or leave"));
    EXPECT_EQ(fit("v", few, {"--bad-rows", "1", "--dates", "v=days"}).exit_code, 0);
}

TEST_F(FileValues, TheErrorSaysHowManyRowsAreBad) {
    const auto cells = [](int i) { return i % 10 == 3 ? "\"" + std::to_string(i) : std::to_string(i); };
    EXPECT_THAT(fit("v", cells).err,
                EndsWith("--bad-rows N leaves out up to N such rows (4 of 40 rows cannot be used)\n"));
    EXPECT_THAT(fit("v", cells, {"--bad-rows", "2"}).err, EndsWith(" (4 of 40 rows cannot be used)\n"));
    EXPECT_EQ(fit("v", cells, {"--bad-rows", "4"}).exit_code, 0);
}

TEST_F(FileValues, OptionsForAllColumnsAreCheckedAndNotedWhereThereIsNone) {
    const auto numbers = [](int i) { return std::to_string(i % 7); };
    EXPECT_EQ(fit("v", numbers, {"--dates", "days", "--categorical", "onehot"}).err,
              "note: --dates days has no effect: no feature is a date\n"
              "note: --categorical onehot has no effect: no feature is text\n");
    EXPECT_THAT(fit("v", numbers, {"--missing", "zero"}).err, HasSubstr("--missing zero: must be drop, mean"));
    EXPECT_THAT(fit("v", numbers, {"--dates", "weeks"}).err, HasSubstr("--dates weeks: must be seconds"));
    EXPECT_THAT(fit("v", numbers, {"--categorical", "foo"}).err, HasSubstr("--categorical foo: must be onehot"));
}

TEST_F(FileValues, OneOptionMayGiveColumnsDifferentValues) {
    const auto gaps = [](int i) {
        return (i == 3 ? "," : std::to_string(i % 7) + ",") + (i == 5 ? "" : "7") + "," +
               (i == 6 ? "" : std::to_string(i % 3));
    };
    const test::Finished apart = fit("v,w,u", gaps, {"--missing", "v,w=mean", "--missing", "u=indicator", "--json"});
    EXPECT_EQ(apart.exit_code, 0) << apart.err;
    const test::Finished together = fit("v,w,u", gaps, {"--missing", "v,w=mean,u=indicator", "--json"});
    EXPECT_EQ(together.exit_code, 0) << together.err;
    EXPECT_EQ(json::parse(together.out)["prepare"], json::parse(apart.out)["prepare"]);
    EXPECT_THAT(fit("v,w,u", gaps, {"--missing", "v=mean,wrong=drop"}).err,
                HasSubstr("--missing mean,wrong=drop: must be"));
}

TEST_F(FileValues, TextsThatDifferInCapitalsOrAreNoUtf8AreTold) {
    const auto cells = [](int i) { return i % 4 == 0 ? "Yes" : i % 4 == 1 ? "yes" : "K\xf6ln"; };
    const test::Finished fitted = fit("v", cells, {"--categorical", "v=onehot"});
    EXPECT_EQ(fitted.exit_code, 0);
    EXPECT_THAT(fitted.err,
                AllOf(HasSubstr("column 'v': values 'Yes' and 'yes' differ in capital letters only, and "
                                "are two\n"),
                      HasSubstr("column 'v' has text that is not UTF-8, of which reports show \xEF\xBF\xBD: "
                                "iconv -f latin1 -t utf-8 " +
                                file + " makes it so")));
    const auto pairs = [](int i) { return std::string(1, std::string("aAbBc")[static_cast<std::size_t>(i) % 5]); };
    EXPECT_EQ(fit("v", pairs, {"--categorical", "v=onehot"}).err,
              "note: column 'v': values 'A' and 'a', 'B' and 'b' differ in capital letters only, and are two each\n");
}

TEST_F(FileValues, AFeatureThatIsProbablyAnIdIsTold) {
    const auto ids = [](int i) { return std::to_string(1000 + i); };
    EXPECT_THAT(fit("customer_id", ids).err, StartsWith("note: column 'customer_id' is a feature, and no value comes "
                                                        "twice: if these are ids, add --id customer_id\n"));
    EXPECT_THAT(fit("row", [](int i) { return std::to_string(i); }).err,
                StartsWith("note: column 'row' is a feature, and counts the rows: if these are ids, add --id row\n"));
    EXPECT_EQ(fit("row", [](int i) { return std::to_string(i == 9 ? 99 : i); }).err, "");
    EXPECT_EQ(fit("customer_id", ids, {"--id", "customer_id"}).err, "");
    EXPECT_EQ(fit("customer_id", [](int i) { return std::to_string(i % 5); }).err, "");
    EXPECT_THAT(fit("ID", [](int i) { return std::to_string(i / 2); }, {"--id", "ID", "--batch", "1"}).err,
                "note: 20 rows have an id that an earlier row has: the later row takes its place\n");
}

TEST_F(FileValues, PredictionsAreMeasuredAsTheyAre) {
    const auto scores = [](int i) { return std::to_string(i + 1); };
    const std::vector<std::string> all{"--set", "prediction=v"};
    EXPECT_THAT(fit("v", scores, all, "group_metrics").err,
                "note: all predictions, from 1 to 40, are at least threshold=0.5: --set threshold=X says "
                "from which on they are positive\n");
    EXPECT_EQ(fit("v", scores, {"--set", "prediction=v", "--set", "threshold=20"}, "group_metrics").err, "");
    for (const char* scaled : {"--standardise", "--unit-rows"})
        EXPECT_THAT(fit("v", scores, {"--set", "prediction=v", scaled}, "group_metrics").err,
                    HasSubstr(std::string(scaled) + ": group_metrics measures predictions as they are"));
    EXPECT_THAT(fit("v", scores, {}, "group_metrics").err,
                EndsWith("; --set prediction=COL names the column of the predictions\n"));
}

TEST_F(FileValues, APredictionOnTheEdgeOfABinIsInTheOneThatBeginsThere) {
    // Seven tenths are a little less as float32; beside 0.6 in one bin their errors would cancel.
    const auto scores = [](int i) {
        return i % 2 == 0 ? std::string("0.6,1") : "0.7," + std::to_string(i < 12 ? 1 : 0);
    };
    const test::Finished fitted =
        fit("v,t", scores, {"--set", "prediction=v", "--target", "t", "--json"}, "group_metrics");
    EXPECT_EQ(fitted.exit_code, 0) << fitted.err;
    EXPECT_NEAR(json::parse(fitted.out)["all"]["calibration_error"].get<double>(), 0.4, 1e-6);
}

TEST_F(FileValues, AWrongDecimalMarkIsNamedAsSuch) {
    const auto points = [](int i) { return std::to_string(i) + ".25"; };
    EXPECT_THAT(fit("v", points, {"--decimal-mark", "comma"}).err,
                EndsWith("column 'v' (such as '0.25' in line 2) holds numbers with another decimal mark; give "
                         "--decimal-mark the other mark, or leave it out, for numbers that it does not read\n"));
    const std::string two = "x;pay;rate\n1;1.500;1,5\n2;12.500;2,5\n3;13.500;2,5\n";
    const auto refused = [&](const std::string& text, const char* features) {
        return refusal({"fit", "safairkm", "--input", directory.write("two.csv", text).string(), "--clusters", "2",
                        "--features", features});
    };
    EXPECT_THAT(
        refused(two, "x,pay,rate"),
        EndsWith("column 'rate' has commas, such as 1,5, and column 'pay' has points, such as 1.500: if the points "
                 "separate thousands, add --decimal-mark comma"));
    EXPECT_THAT(refused("x;pay;rate\n1;1.5;1,5\n2;12.500;2,5\n", "x,pay,rate"), EndsWith("so write all numbers alike"));
}

TEST_F(FileValues, IdsKeepTheirLeadingZeros) {
    const std::string labels = (directory / "labels.csv").string();
    const auto ids = [](int i) { return (i % 2 == 0 ? "00" : "0") + std::to_string(i / 2); };
    const test::Finished fitted = fit("key", ids, {"--id", "key", "--labels", labels});
    EXPECT_EQ(fitted.exit_code, 0) << fitted.err;
    EXPECT_EQ(fitted.err, "") << "007 and 07 are two";
    EXPECT_THAT(test::file_bytes(labels), AllOf(HasSubstr("\n007,"), HasSubstr("\n07,"), HasSubstr("\n0019,")));
}

TEST_F(FileValues, NamelessColumnsAtTheEndMustBeEmpty) {
    const test::Finished fitted = fit("v,,", [](int i) { return std::to_string(i % 7) + ",,"; });
    EXPECT_EQ(fitted.exit_code, 0) << fitted.err;
    EXPECT_THAT(fit("v,,", [](int i) { return i == 7 ? "1,,2" : "1,,"; }).err,
                HasSubstr("points.csv:9: column 5, for which the header has no name, has '2'"));
    EXPECT_EQ(fit(",v", [](int) { return ",1"; }, {"--leave-out", "column 3"}).exit_code, 0);
    EXPECT_THAT(fit(",v", [](int i) { return std::to_string(i) + ",1"; }).err,
                HasSubstr("column 'column 3' is a feature, and counts the rows"));
}

TEST_F(FileValues, ATargetWithMarksOfThousandsIsToBeReadByThem) {
    const auto paid = [](int i) { return "\"1." + std::to_string(100 + i) + ",25\""; };
    EXPECT_THAT(fit("v", paid, {"--target", "v"}, "esvd_fair").err, HasSubstr("add --decimal-mark comma"));
}

TEST_F(FileValues, AKnownStreamTellsOfPointsThatMaySeparateThousands) {
    const auto write = [&](const std::string& name, const char* mark) {
        std::string text = "x;sex\n";
        for (int i = 0; i < 40; ++i)
            text += std::to_string(1 + i % 9) + mark + std::to_string(100 + i) + (i % 3 == 0 ? ";m\n" : ";f\n");
        return directory.write(name, text).string();
    };
    const std::string plain = write("plain.csv", ""), marked = write("marked.csv", "."),
                      config = (directory / "engine.toml").string(), saved = (directory / "fit.fairstream").string();
    const std::vector<std::string> fit{"fit", "safairkm", "--group", "sex", "--clusters", "2", "--input"};
    const auto with = [&](const std::string& input, const std::vector<std::string>& more) {
        std::vector<std::string> all = fit;
        all.push_back(input);
        all.insert(all.end(), more.begin(), more.end());
        return fairstream(all);
    };
    EXPECT_EQ(with(plain, {"--set", "parity_at_least=0", "--save-config", config}).err, "");
    EXPECT_EQ(with(plain, {"--set", "parity_at_least=0", "--save", saved}).err, "");
    const char* const told =
        "column 'x' is read with decimal points, such as 1.100: if they separate thousands, add "
        "--decimal-mark comma\n";
    EXPECT_THAT(with(marked, {"--config", config}).err, HasSubstr(told));
    EXPECT_THAT(with(marked, {"--config", config, "--decimal-mark", "comma"}).err, Not(HasSubstr(told)));
    const test::Finished predicted = fairstream({"predict", "--by", saved, "--input", marked});
    EXPECT_EQ(predicted.exit_code, 0);
    EXPECT_THAT(predicted.err, HasSubstr(told));
    const auto labels = [&](const std::string& input, const std::vector<std::string>& more) {
        std::vector<std::string> all{"predict", "--by", saved, "--input", input};
        all.insert(all.end(), more.begin(), more.end());
        return fairstream(all).out;
    };
    EXPECT_EQ(labels(marked, {"--decimal-mark", "comma"}), labels(plain, {}));
}

TEST_F(FileValues, ANumberThatNoPointMayHaveIsABadRow) {
    const auto huge = [](int i) { return i == 3 ? std::string("1e40") : std::to_string(i); };
    const test::Finished refused = fit("v", huge, {});
    EXPECT_EQ(refused.exit_code, 2);
    EXPECT_THAT(refused.err, HasSubstr(":5: column 'v': '1e40' is above the largest magnitude allowed, 1e15"));
    EXPECT_EQ(fit("v", huge, {"--bad-rows", "1"}).exit_code, 0);
    EXPECT_EQ(fit("v", huge, {"--standardise"}).exit_code, 0) << "once it is scaled it is small";
}

TEST_F(FileValues, DatesThatAreAheadByYearsOfTwoDigitsAreTold) {
    const char* const told =
        "column 'born': years of two digits are of 1969 to 2068, and '24.12.55' is ahead of this machine's clock: "
        "write "
        "four digits where another century is meant";
    const std::string saved = (directory / "born.fairstream").string();
    const auto dates = [&](const std::string& century) {
        std::string text = "born;sex\n";
        for (int i = 0; i < 30; ++i) text += "24.12." + century + std::to_string(55 + i) + (i % 3 ? ";f\n" : ";m\n");
        return directory.write("born.csv", text).string();
    };
    const auto fitted = [&](const std::string& input, std::vector<std::string> more) {
        more.insert(more.begin(), {"fit", "safairkm", "--input", input, "--group", "sex", "--clusters", "2", "--dates",
                                   "born=years", "--date-order", "day_first"});
        return fairstream(more).err;
    };
    EXPECT_THAT(fitted(dates(""), {}), HasSubstr(told));
    EXPECT_THAT(fitted(dates("19"), {"--save", saved}), Not(HasSubstr("two digits")));
    EXPECT_THAT(fairstream({"predict", "--by", saved, "--input", dates("")}).err, HasSubstr(told));
}

TEST_F(FileValues, AValueFarFromAllOthersIsTold) {
    const auto far = [](int i) { return i == 3 ? std::string("1e12") : std::to_string(i % 7); };
    const auto near = [](int i) { return std::to_string(i % 7); };
    const auto rare = [](int i) { return std::string(i == 3 ? "1" : "0"); };
    for (const std::vector<std::string>& how : {std::vector<std::string>{}, {"--standardise"}}) {
        EXPECT_THAT(fit("v", far, how).err,
                    HasSubstr("column 'v': the value of point 3 is so far from all others that these are nearly one "
                              "beside it: is it right?"));
        EXPECT_THAT(fit("v", near, how).err, Not(HasSubstr("far from all others")));
        EXPECT_THAT(fit("v", rare, how).err, Not(HasSubstr("far from all others"))) << "a yes among noes";
    }
}

// A stream has one decimal mark; a file that seems to have the other one is told of, but for numbers that have both.
TEST_F(FileValues, MarksThatMayBeOthersThanTheStreamsAreTold) {
    const auto marked = [&](const std::string& separator, const std::vector<std::string>& numbers) {
        std::string text = "x" + separator + "sex\n";
        for (std::size_t i = 0; i < 4 * numbers.size(); ++i)
            text += numbers[i % numbers.size()] + separator + (i % 3 == 0 ? "m\n" : "f\n");
        return directory.write("marked.csv", text).string();
    };
    const auto saved = [&](const char* mark) { return (directory / (std::string(mark) + ".fairstream")).string(); };
    const auto told = [&](const char* mark, const std::string& other) {
        const test::Finished predicted = fairstream({"predict", "--by", saved(mark), "--input", other});
        EXPECT_EQ(predicted.exit_code, 0) << predicted.err;
        return predicted.err;
    };
    for (const auto& [mark, number] : {std::pair("comma", "1,5"), std::pair("point", "1.5")}) {
        const std::string own = marked(";", {number, "2", "7"});
        ASSERT_EQ(fairstream({"fit", "safairkm", "--group", "sex", "--clusters", "2", "--input", own, "--decimal-mark",
                              mark, "--save", saved(mark)})
                      .exit_code,
                  0);
    }
    const char* const with_points =
        "column 'x' is read with decimal commas as the stream is, 1.218 as a number without decimals: if its points "
        "are decimal points, add --decimal-mark point";
    EXPECT_THAT(told("comma", marked(";", {"1.218", "2.612", "7"})), HasSubstr(with_points));
    EXPECT_THAT(told("comma", marked(";", {"1.218,5", "2.612,25", "7"})), Not(HasSubstr("decimal commas")));
    const char* const with_commas =
        "column 'x' is read with decimal points as the stream is, 1,218 as a number without decimals: if its commas "
        "are decimal commas, add --decimal-mark comma";
    EXPECT_THAT(told("point", marked(";", {"1,218", "2,612", "7"})), HasSubstr(with_commas));
    EXPECT_THAT(told("point", marked(";", {"1,218.5", "2,612", "7"})), Not(HasSubstr("decimal points")));
}

// The rows come in batches, and all are to be filled in alike.
TEST_F(FileValues, MissingValuesAreFilledInByThoseOfTheWholeFile) {
    const auto rising = [](int i) { return i % 4 == 1 ? std::string() : std::to_string(i); };
    const auto rare_first = [](int i) { return std::string(i % 4 == 1 ? "" : i < 12 ? "a" : "b"); };
    for (const char* how : {"mean", "most_frequent"}) {
        const std::vector<std::string> more{"--missing", std::string("v=") + how, "--json"};
        const auto cost = [&](const char* batch) {
            std::vector<std::string> all = more;
            all.insert(all.end(), {"--batch", batch});
            const json report = json::parse(fit("v", rising, all).out);
            EXPECT_EQ(report["prepare"]["columns"][1]["fill"], std::string(how) == "mean" ? json(590.0 / 30) : json(0));
            return report["cost"];
        };
        EXPECT_EQ(cost("8"), cost("40"));
    }
    const json filled = json::parse(
        fit("v", rare_first, {"--categorical", "v=onehot", "--missing", "v=most_frequent", "--batch", "8", "--json"})
            .out);
    EXPECT_EQ(filled["prepare"]["columns"][1]["fill"], "b");
}

TEST_F(FileValues, GroupsAndOutcomesThatMayBeMissingAreTold) {
    const auto fitted = [&](const std::string& text, std::vector<std::string> more) {
        more.insert(more.begin(), {"fit", "group_metrics", "--set", "prediction=p", "--group", "g", "--input",
                                   directory.write("told.csv", text).string()});
        return fairstream(more);
    };
    std::string known = "p,g,y\n", pending = known, coded = known, gaps = known, percent = known;
    for (int i = 0; i < 40; ++i) {
        const std::string p = std::to_string(i % 5 / 5.0), g = i % 2 == 0 ? ",a," : ",b,";
        known += p + g + (i % 3 == 0 ? "yes\n" : "no\n");
        pending += p + g + (i % 3 == 0 ? "yes\n" : i % 3 == 1 ? "no\n" : "open\n");
        coded += p + g + (i % 3 == 0 ? "2\n" : "1\n");
        gaps += p + (i % 7 == 0 ? ",N/A," : g) + "1\n";
        percent += std::to_string(i) + g + "1\n";
    }
    const std::vector<std::string> y{"--target", "y"}, yes{"--target", "y", "--positive", "yes"};
    EXPECT_EQ(fitted(known, yes).err, "");
    EXPECT_THAT(fitted(pending, yes).err,
                HasSubstr("target column 'y': 'no', 'open' all count as no, as 'yes' is yes"));
    EXPECT_THAT(fitted(coded, y).err, HasSubstr("column 'y': '2' is no outcome, which is 0 (or -1) or 1: --positive "
                                                "TEXT says which text means yes, --missing-text y=2 that it is not "
                                                "known"));
    EXPECT_EQ(fitted(coded, {"--target", "y", "--positive", "2"}).err, "");
    EXPECT_THAT(fitted(gaps, y).err, HasSubstr("column 'g' has groups that may be missing values, 'N/A': "
                                               "--unknown-group unknown"));
    EXPECT_EQ(fitted(gaps, {"--target", "y", "--unknown-group", "unknown"}).err, "");
    EXPECT_THAT(fitted(percent, y).err, HasSubstr("predictions go from 0 to 39, and threshold=0.5 is one of 0 to 1"));
}

TEST_F(FileValues, AHeaderOfNumbersIsProbablyARow) {
    EXPECT_THAT(fit("v", [](int) { return "1"; }).err, Not(HasSubstr("header")));
    const auto fitted = [&](const std::string& text) {
        return fairstream({"fit", "safairkm", "--clusters", "2", "--input", directory.write("rows.csv", text).string()})
            .err;
    };
    EXPECT_THAT(fitted("0.5,2\n1,3\n7,4\n"),
                HasSubstr("all names of the header are numbers, such as '0.5': if the "
                          "first line is a row, put one of names before it: (seq -s, 2; "));
    EXPECT_EQ(fitted("0,1\n1,3\n7,4\n"), "") << "the numbers of the columns";
}

// Numbers as people write them are read with the option that the error names, and give what plain numbers give.
TEST_F(FileValues, NumbersWithSignsAreReadByTheOptionThatIsNamed) {
    const auto plain = [](int i) { return std::to_string(1000 + i * 37) + ".5"; };
    const auto labels = [&](const test::Finished& of) { return of.out; };
    const std::vector<std::string> to_stdout{"--labels", "-"};
    const std::string expected = labels(fit("v", plain, to_stdout));
    const auto grouped = [](int i, const char* mark) {
        const std::string digits = std::to_string(1000 + i * 37);
        return digits.substr(0, 1) + mark + digits.substr(1);
    };
    const auto same_with = [&](const std::string& mark, const std::function<std::string(int)>& written) {
        EXPECT_THAT(fit("v", written).err, HasSubstr("add --decimal-mark " + mark)) << written(1);
        std::vector<std::string> more = to_stdout;
        more.insert(more.end(), {"--decimal-mark", mark});
        EXPECT_EQ(labels(fit("v", written, more)), expected) << written(1);
    };
    same_with("point", [&](int i) { return "\"$" + grouped(i, ",") + ".5\""; });
    same_with("point", [&](int i) { return grouped(i, "'") + ".5"; });
    same_with("comma", [&](int i) { return "\"" + grouped(i, " ") + ",5 €\""; });
    same_with("point", [&](int i) { return i % 5 == 0 ? plain(i) : plain(i) + " £"; });
}

TEST_F(FileValues, AColumnHasNumbersOfOneUnit) {
    const std::vector<std::string> by_point{"--decimal-mark", "point"};
    const auto error = [&](const char* a, const char* b) {
        return fit(
                   "v", [&](int i) { return std::string(i == 9 ? b : a) + std::to_string(i % 7 + 1); }, by_point)
            .err;
    };
    EXPECT_THAT(error("$", "€"), HasSubstr("has the sign €, and a number before it the sign $: a column has numbers of "
                                           "one unit; write all of them in one, or --leave-out v "));
    EXPECT_EQ(error("$", ""), "");
    const auto share = [](int i) { return std::to_string(i % 7) + (i == 9 ? "" : "%"); };
    EXPECT_THAT(fit("v", share, by_point).err, HasSubstr("has no sign, and a number before it the sign %"));
    EXPECT_EQ(fit(
                  "v", [](int i) { return i % 7 == 0 ? "0" : std::to_string(i % 7) + "%"; }, by_point)
                  .err,
              "");
}

TEST_F(FileValues, AFileThatIsThereIsNotSavedOver) {
    const std::string there = directory.write("keep.csv", "hello\n").string();
    EXPECT_THAT(fit("v", [](int i) { return std::to_string(i); }, {"--save", there}).err,
                HasSubstr("is there already, and --save replaces nothing"));
    EXPECT_EQ(test::file_bytes(there), "hello\n");
}

TEST_F(FileValues, ThatStandForMissingOnesAreAskedForAndTaken) {
    const auto cells = [](int i) { return i % 10 == 3 ? std::string("-999") : std::to_string(i * i % 17); };
    const test::Finished asked = fit("v", cells);
    EXPECT_EQ(asked.exit_code, 0) << asked.err;
    EXPECT_THAT(asked.err, HasSubstr("column 'v' has 4 cells such as '-999': if that means a missing value, add "
                                     "--missing-text v=-999, and --missing says what becomes of it"));
    const test::Finished taken = fit("v", cells, {"--missing-text", "v=-999", "--missing", "mean"});
    EXPECT_EQ(taken.exit_code, 0) << taken.err;
    EXPECT_THAT(taken.err, Not(HasSubstr("-999")));
    EXPECT_THAT(taken.out, HasSubstr("10.0 % missing: the mean"));
    EXPECT_THAT(fit("v", cells, {"--missing-text", "-999"}).err, HasSubstr("lacks values: add --missing v=mean"));
    EXPECT_THAT(fit("v", cells, {"--missing-text", "x=-999", "--missing-text", "none=3"}).err,
                AllOf(HasSubstr("--missing-text x=-999 has no effect: no cell is that text"),
                      HasSubstr("--missing-text none=3 has no effect: no cell is that text")));
}

TEST_F(FileValues, AreNotedByPredictTooWhereTheyStandForMissingOnes) {
    const std::string model = (directory / "v.fairstream").string();
    EXPECT_EQ(fit("v", [](int i) { return std::to_string(i * i % 17); }, {"--save", model}).exit_code, 0);
    const auto gaps = [](int i) { return i % 10 == 3 ? std::string("-999") : std::to_string(i * i % 17); };
    (void)fit("v", gaps);
    EXPECT_THAT(fairstream({"predict", "--by", model, "--input", file}).err,
                HasSubstr("column 'v' has 4 cells such as '-999': if that means a missing value, add --missing-text "
                          "v=-999"));
}

TEST_F(FileValues, IdsOfTextAreNoBadRows) {
    std::string text = "key,x,sex\n";
    for (int i = 0; i < 40; ++i)
        text +=
            (i % 8 == 0 ? "u-" : "") + std::to_string(i) + "," + std::to_string(i % 9) + (i % 3 == 0 ? ",m\n" : ",f\n");
    const std::string keys = directory.write("keys.csv", text).string();
    const test::Finished read = fairstream(
        {"fit", "safairkm", "--input", keys, "--id", "key", "--group", "sex", "--clusters", "2", "--bad-rows", "30"});
    EXPECT_EQ(read.exit_code, 0) << read.err;
    EXPECT_THAT(read.out, HasSubstr("40 points"));
}

TEST_F(FileValues, ATargetBelowNoIsAskedAbout) {
    const auto target = [](int i) { return std::to_string(i % 3 - 1); };
    EXPECT_THAT(fit("v", target, {"--target", "v"}, "partial_fair_scorer").err,
                HasSubstr("target column 'v' has -1 (14 points) beside 0 and 1, and a scorer takes what is not above 0 "
                          "for no"));
    const auto above = [](int i) { return std::to_string(i % 3); };
    EXPECT_THAT(fit("v", above, {"--target", "v"}, "partial_fair_scorer").err,
                HasSubstr("target column 'v' has 2 (13 points) beside 0 and 1, and a scorer takes what is above 0 for "
                          "yes: if it means that the target is not known, add --missing-text v=2 --missing v=drop"));
    const auto codes = [](int i) { return i % 10 == 0 ? "8.0" : i % 10 == 1 ? "-9" : i % 2 == 0 ? "0" : "1"; };
    EXPECT_THAT(fit("v", codes, {"--target", "v"}, "partial_fair_scorer").err,
                HasSubstr("has -9 (4 points) and 8.0 (4 points) beside 0 and 1, and a scorer takes what is above 0 for "
                          "yes, all else for no: if they mean that the target is not known, add --missing-text v=-9 "
                          "--missing-text v=8.0 --missing v=drop"));
    EXPECT_THAT(
        fit("v", codes, {"--target", "v", "--missing-text", "v=-9", "--missing-text", "v=8.0", "--missing", "v=drop"},
            "partial_fair_scorer")
            .err,
        Not(HasSubstr("target column")));
}

TEST_F(FileValues, ATargetOfManyNumbersIsSaidToBeCutAtZero) {
    const auto stars = [](int i) { return std::to_string(i % 8); };
    EXPECT_THAT(
        fit("v", stars, {"--target", "v"}, "partial_fair_scorer").err,
        HasSubstr("target column 'v' has 8 values, from 0 to 7, and a scorer learns whether they are above 0, as "
                  "35 of 40 points are: --positive VALUE names one value that means yes"));
    const auto rest = [](int i) { return std::to_string(i - 5.5); };
    EXPECT_THAT(fit("v", rest, {"--target", "v"}, "partial_fair_scorer").err,
                HasSubstr("target column 'v' has more than 20 values, from -5.5 to 33.5, and a scorer learns whether "
                          "they are above 0, as 34 of 40 points are"));
    EXPECT_THAT(fit("v", rest, {"--target", "v", "--set", "loss=squared"}, "partial_fair_scorer").err,
                Not(HasSubstr("target column")));
}

TEST_F(FileValues, OneTextAmongNumbersIsTakenForMissing) {
    const auto cells = [](int i) { return i % 4 == 3 ? std::string("gone") : std::to_string(i * i % 17); };
    EXPECT_THAT(
        fit("v", cells).err,
        HasSubstr("column 'v' (10 of 40, all of them 'gone', the first in line 5) has cells that are nothing "
                  "like the others: add --missing-text v=gone --missing v=mean (or =indicator, a feature of its "
                  "own that says where; =drop leaves such rows out)"));
    EXPECT_EQ(fit("v", cells, {"--missing-text", "v=gone", "--missing", "v=mean"}).exit_code, 0);
    const auto days = [](int i) { return i % 4 == 3 ? "gone" : "2026-01-" + std::to_string(10 + i % 20); };
    EXPECT_THAT(fit("v", days).err, HasSubstr("add --missing-text v=gone --dates v=days --missing v=mean"));
}

TEST_F(FileValues, AHeaderThatComesAgainIsLeftOutAsABadRow) {
    const auto lines = [](int i) {
        return std::to_string(i % 7) + "," + std::to_string(i % 5) + (i % 15 == 9 ? "\nx,sex,v,w" : "");
    };
    EXPECT_THAT(fit("v,w", lines).err, HasSubstr("(3 of 43, its own name, as if the header came again, the first in "
                                                 "line 12) "));
    EXPECT_THAT(fit("v,w", lines).err, HasSubstr(": add --bad-rows 3, or"));
    const test::Finished read = fit("v,w", lines, {"--bad-rows", "3"});
    EXPECT_EQ(read.exit_code, 0) << read.err;
    EXPECT_THAT(read.out, ::testing::ContainsRegex("balance +f +m\n")) << "no group is called sex";
}

TEST_F(FileValues, DatesWithoutHyphensAreDates) {
    const auto days = [](int i) { return "202601" + std::to_string(10 + i % 20); };
    EXPECT_THAT(fit("v", days).err, HasSubstr("column 'v' holds dates: add --dates v=days"));
    const test::Finished read = fit("v", days, {"--dates", "v=days"});
    EXPECT_EQ(read.exit_code, 0) << read.err;
    EXPECT_THAT(read.out, HasSubstr("v  dates    days since 1970"));
}

TEST_F(FileValues, WordsForYesInSeveralSpellingsAreTwoValues) {
    const auto words = [](int i) {
        return std::vector<std::string>{"Yes", "no", "y", "FALSE"}.at(static_cast<std::size_t>(i % 4));
    };
    const test::Finished read = fit("v", words);
    EXPECT_EQ(read.exit_code, 0) << read.err;
    EXPECT_THAT(read.err, HasSubstr("column 'v' says no and yes in several ways, FALSE,Yes,no,y: they are taken for "
                                    "two values"));
    EXPECT_THAT(read.out, HasSubstr("'no' = 0, 'yes' = 1"));
    // A target has two values of them likewise, and the one that is named stands for the others.
    const auto two = [&](int i) { return std::to_string(i * i % 7) + "," + words(i); };
    const auto target_of = [&](const std::vector<std::string>& more) {
        std::vector<std::string> arguments{"--target", "y", "--json"};
        arguments.insert(arguments.end(), more.begin(), more.end());
        const test::Finished learnt = fit("v,y", two, arguments, "partial_fair_scorer");
        EXPECT_THAT(learnt.exit_code, AnyOf(0, 3)) << learnt.err;
        EXPECT_THAT(learnt.err, Not(HasSubstr("count as no")));
        return json::parse(learnt.out)["train"];
    };
    const json by_spelling = target_of({});
    EXPECT_EQ(target_of({"--positive", "yes"}), by_spelling);
    EXPECT_EQ(target_of({"--positive", "Yes"}), by_spelling);
    EXPECT_FALSE(target_of({"--positive", "y"}) == by_spelling) << "a letter stands for itself";
}

TEST_F(FileValues, CodesAmongNumbersAreNoMissingValues) {
    const auto codes = [](int i) { return i % 10 == 3 ? std::string("4+") : std::to_string(2 + i % 3); };
    const test::Finished refused = fit("v", codes);
    EXPECT_THAT(refused.err,
                AllOf(HasSubstr("column 'v' (4 of 40, such as '4+' in line 5) has cells that are nothing "
                                "like the others: add --bad-rows 4, or"),
                      EndsWith("; if the values are codes, take them by --categorical v=onehot instead\n")));
    EXPECT_THAT(refused.err, Not(HasSubstr("--missing-text")));
    const auto often = [](int i) { return i % 4 == 3 ? std::string("4+") : std::to_string(2 + i % 3); };
    EXPECT_THAT(fit("v", often).err, HasSubstr("add --categorical v=onehot"));
}

TEST_F(FileValues, DatesOfZerosMeanThatThereIsNone) {
    const auto days = [](int i) { return i % 9 == 0 ? "0000-00-00" : "2026-01-" + std::to_string(10 + i % 20); };
    EXPECT_THAT(fit("v", days).err, HasSubstr("add --missing-text v=0000-00-00 --dates v=days --missing v=mean"));
    const test::Finished read =
        fit("v", days, {"--missing-text", "v=0000-00-00", "--dates", "v=days", "--missing", "v=mean"});
    EXPECT_EQ(read.exit_code, 0) << read.err;
}

TEST_F(FileValues, DatesAreReadInTheOrderThatTakesMostOfThem) {
    const auto dates = [](int i) { return i % 9 == 0 ? "12/31/2026" : "2026-01-" + std::to_string(10 + i % 20); };
    const test::Finished read = fit("v", dates, {"--dates", "v=days", "--bad-rows", "20"});
    EXPECT_EQ(read.exit_code, 0) << read.err;
    EXPECT_THAT(read.out, HasSubstr("dates, month first"));
    EXPECT_THAT(read.err, Not(HasSubstr("left out")));
    const auto months = [](int i) { return "2026-" + std::to_string(10 + i % 3); };
    EXPECT_THAT(fit("v", months, {"--dates", "v=days"}).out, HasSubstr("v  dates    days since 1970"));
}

TEST_F(FileValues, GroupsThatMeanTheSameOrNothingAreTold) {
    const auto of_group = [&](const std::vector<std::string>& words) {
        return fit("v,g",
                   [&](int i) {
                       return std::to_string(i % 7) + "," + words.at(static_cast<std::size_t>(i) % words.size());
                   },
                   {"--group", "g"})
            .err;
    };
    EXPECT_THAT(of_group({"0", "1", "0.0"}),
                HasSubstr("column 'g': groups '0' and '0.0' are the same number, and are two"));
    EXPECT_THAT(of_group({"yes", "no", "TRUE"}),
                HasSubstr("column 'g' says no and yes in several ways, TRUE,no,yes: each is a group"));
    EXPECT_THAT(of_group({"f", "m", "Prefer not to say"}),
                HasSubstr("column 'g' has groups that may be missing values, 'Prefer not to say': --unknown-group "
                          "'Prefer not to say' makes them a group that no target or figure is about"));
    EXPECT_THAT(of_group({"f", "m"}), Not(HasSubstr("note: column 'g'")));
    for (const char* alike : {"fe\u200Bmale", "female\u00A0"})
        EXPECT_THAT(of_group({"female", "male", alike}),
                    HasSubstr("differ in characters that cannot be seen, and are two"));
}

TEST_F(FileValues, SeveralWordsForNoGroupAreTakenByTheOptionsThatOneNoteNames) {
    const auto cells = [](int i) {
        constexpr std::array sexes = {"f", "m", "Unknown", "not stated", "f", "m", "unknown", "N/A"};
        constexpr std::array regions = {"north", "south", "missing"};
        return std::to_string(i % 7) + "," + sexes.at(i % sexes.size()) + "," + regions.at(i % regions.size());
    };
    const std::string told = fit("v,g,region", cells, {"--group", "g,region"}).err;
    EXPECT_THAT(told, HasSubstr("note: column 'g' has groups that may be missing values, 'N/A', 'Unknown', 'not "
                                "stated', 'unknown'; column 'region' has groups that may be missing values, "
                                "'missing': --unknown-group Unknown --missing-text 'g=not stated' --missing-text "
                                "g=unknown --missing-text region=missing makes them a group"));
    const std::size_t from = told.find(": --unknown-group") + 2;
    std::vector<std::string> options = words_of(told.substr(from, told.find(" makes them", from) - from));
    options.insert(options.end(), {"--group", "g,region", "--json"});
    const test::Finished taken = fit("v,g,region", cells, options);
    EXPECT_THAT(taken.err, Not(HasSubstr("may be missing values")));
    EXPECT_EQ(json::parse(taken.out)["attributes"][0]["groups"], json({"f", "m", "Unknown"}));
    // The note names the words that are left, and not the group that is given.
    EXPECT_THAT(fit("v,g,region", cells, {"--group", "g,region", "--unknown-group", "Unknown"}).err,
                HasSubstr("'missing': --missing-text 'g=not stated' --missing-text g=unknown --missing-text "
                          "region=missing puts them into group 'Unknown', which no target or figure is about"));
}

TEST_F(FileValues, ColumnsThatCountForNothingBesideAnotherAreTold) {
    const auto cells = [](const char* income) {
        return [=](int i) {
            return std::to_string(20 + i % 50) + "," + std::to_string(i * 7919 % 30000) + income + "," +
                   std::to_string(i * 6007 % 29000) + income + (i == 7 ? ",1" : ",0");
        };
    };
    EXPECT_THAT(
        fit("age,income,debt,rare", cells("")).err,
        HasSubstr("note: columns 'x', 'age' count for next to nothing beside 'income', whose variance is over a "
                  "thousand times as large: --standardise makes them alike"));
    EXPECT_EQ(fit("age,income,debt,rare", cells(""), {"--standardise"}).err, "");
}

TEST_F(FileValues, AColumnThatCountsTheRowsIsToldOfBesideIds) {
    const auto cells = [](int i) {
        return std::to_string(i) + ",C" + std::to_string(i * 7) + "," + std::to_string(i % 7);
    };
    EXPECT_THAT(fit(",id,v", cells, {"--id", "id"}).err,
                HasSubstr("column 'column 3' is a feature, and counts the rows: if it is none, add --leave-out 'column "
                          "3'"));
    EXPECT_THAT(fit("n,v", [](int i) { return std::to_string(i) + "," + std::to_string(i % 7); }).err,
                HasSubstr("column 'n' is a feature, and counts the rows: if these are ids, add --id n"));
}

TEST_F(FileValues, AnOrderTakesLevelsWithTheSignThatSeparatesThemAndWordsForMissingValues) {
    const std::vector<std::string> bands{"<10k", "10k-20k", ">20k"};
    const auto of_bands = [&](int i) {
        return bands.at(static_cast<std::size_t>(i) % 3) + "," + std::to_string(i % 7);
    };
    const auto ordered = [&](const std::string& order) {
        return fit("band,v", of_bands, {"--categorical", "band=" + order});
    };
    EXPECT_THAT(ordered("<10k<10k-20k<>20k").out, HasSubstr("'<10k' = 0, '10k-20k' = 1, '>20k' = 2"));
    EXPECT_THAT(ordered("10k-20k<<10k<>20k").out, HasSubstr("'10k-20k' = 0, '<10k' = 1, '>20k' = 2"));
    EXPECT_THAT(ordered("10k-20k<>20k").err, HasSubstr("leaves out '<10k'"));

    const std::vector<std::string> regions{"NA", "EMEA", "APAC"};
    const auto of_regions = [&](int i) {
        return regions.at(static_cast<std::size_t>(i) % 3) + "," + std::to_string(i % 7);
    };
    EXPECT_THAT(fit("region,v", of_regions, {"--categorical", "region=NA<EMEA<APAC"}).out,
                HasSubstr("text, 3 values  'NA' = 0, 'EMEA' = 1, 'APAC' = 2\n"));
    EXPECT_THAT(fit("region,v", of_regions, {"--categorical", "region=EMEA<APAC"}).err,
                HasSubstr("written 'NA') lacks values"));
}

TEST_F(FileValues, ARowLongerThanTheHeaderIsToldOfWhereAllAre) {
    EXPECT_THAT(fit("v", [](int i) { return std::to_string(i) + ",0,"; }).err,
                HasSubstr("5 cells where the header has 3, and none of the 40 rows can be used"));
}

TEST_F(FileValues, AHeaderWhoseTextIsAValueOfItsColumnIsProbablyARow) {
    std::string rows = "39,State-gov,77516,Male\n";
    for (int i = 0; i < 40; ++i)
        rows += std::to_string(20 + i % 30) + (i % 3 == 0 ? ",State-gov," : ",Private,") + std::to_string(i * i) +
                (i % 2 == 0 ? ",Male\n" : ",Female\n");
    const std::string input = directory.write("adult.csv", rows).string();
    const std::vector<std::string> fit{"fit", "safairkm", "--clusters", "2", "--input", input, "--group", "Male"};
    EXPECT_THAT(fairstream(fit).err,
                AllOf(HasSubstr("add --categorical State-gov=onehot"),
                      HasSubstr("the header has numbers, and 'State-gov' is a value of its column, too: if the first "
                                "line is a row, put one of names before it: (seq -s, 4; cat ")));
    // Names such as years are none of their columns' values.
    std::string years = "country,2019,2020,sex\n";
    for (int i = 0; i < 40; ++i)
        years += (i % 3 == 0 ? "at," : "de,") + std::to_string(i) + "," + std::to_string(i * i % 13) +
                 (i % 2 == 0 ? ",m\n" : ",f\n");
    EXPECT_THAT(fairstream({"fit", "safairkm", "--clusters", "2", "--input",
                            directory.write("years.csv", years).string(), "--group", "sex"})
                    .err,
                Not(HasSubstr("header")));
}

TEST_F(FileValues, TextThatCannotBeSavedIsNamedWithItsColumn) {
    const auto towns = [](int i) { return i % 2 == 0 ? "K\xf6ln" : "Bonn"; };
    const std::vector<std::string> onehot{"--categorical", "v=onehot"};
    EXPECT_EQ(fit("v", towns, onehot).exit_code, 0);
    EXPECT_THAT(fit("v", towns, {"--categorical", "v=onehot", "--save", (directory / "l.fairstream").string()}).err,
                AllOf(HasSubstr("column 'v' has 'K\xf6ln', which is not UTF-8, and cannot be saved"),
                      HasSubstr("iconv -f latin1 -t utf-8 FILE | fairstream ... --input -")));
}

TEST_F(FileValues, TextIdsUnderAnOptionForAllTextAreToldOf) {
    const auto keys = [](int i) { return "k" + std::to_string(i * 7919); };
    EXPECT_THAT(
        fit("v", keys, {"--categorical", "onehot"}).err,
        HasSubstr("column 'v' is a feature, and no value comes twice, such as 'k0': if these are ids, add --id v"));
}

TEST_F(FileValues, NamesThatNoColumnHasAreToldOf) {
    const auto cells = [](int i) { return std::to_string(i % 9); };
    EXPECT_THAT(fit("v", cells, {"--features", "x,v", "--leave-out", "bogus"}).err,
                HasSubstr("there is no column 'bogus'"));
    EXPECT_THAT(fit("age", cells, {"--missing-text", "agee=0"}).err,
                HasSubstr("--missing-text agee=0 has no effect: no cell is that text, and there is no column 'agee' "
                          "(did you mean 'age'?)"));
}

TEST_F(FileValues, OfALastRowThatSumsUpTheOthersAreToldOf) {
    const auto cells = [](int i) { return std::string(i == 39 ? "Total" : "a") + "," + std::to_string(i); };
    EXPECT_THAT(fit("shop,v", cells, {"--categorical", "onehot"}).err,
                HasSubstr("the last row has 'Total' in column 'shop': if it sums up the others it is no point"));
    // A row that is left out is none of the points.
    EXPECT_THAT(fit("shop,v", [](int i) { return i == 39 ? std::string("Total,") : "a," + std::to_string(i); },
                    {"--categorical", "onehot", "--missing", "drop"})
                    .err,
                Not(HasSubstr("sums up")));
    const auto within = [](int i) { return std::string(i == 20 ? "Total" : "a") + "," + std::to_string(i); };
    EXPECT_THAT(fit("shop,v", within, {"--categorical", "onehot"}).err, Not(HasSubstr("sums up")));
}

}  // namespace
}  // namespace fairstream::command
