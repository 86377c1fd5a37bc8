/// Notes of `fairstream fit` on values of a file that are probably read otherwise than meant.

#include <cmath>
#include <fstream>

#include <fairstream/base/printable.hpp>

#include "described_files.hpp"
#include "support/temporary_directory.hpp"

namespace fairstream::command {
namespace {

using ::testing::AllOf;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

class FileValues : public ::testing::Test {
protected:
    /// Fits 40 points of two clusters; `header` and `cells(i)` define the columns behind x and sex.
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
    /// Returns the error about a column `v` that has `odd` in line `at`, and numbers elsewhere.
    std::string refused_odd(const std::string& odd, std::vector<std::string> more = {}) {
        return fit(
                   "v", [&](int i) { return i == 7 ? odd : std::to_string(i * i % 17); }, std::move(more))
            .err;
    }

    test::TemporaryDirectory directory;
    std::string file;
};

TEST_F(FileValues, LongNameOrCellIsQuotedInPart) {
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
    EXPECT_THAT(refused, Names({" ... ", "[stream]", ": dimensions"}));
}

TEST_F(FileValues, ANumberWithASignIsNoCategory) {
    for (const char* form : {"$%.2f", "%.2f €", "%.2f%%", "1 %03.0f", "1'%03.0f", "1\xc2\xa0%03.0f"}) {
        const test::Finished refused = fit("v", [&](int i) {
            std::array<char, 32> text{};
            std::snprintf(text.data(), text.size(), form, 100.0 + i);
            return std::string(text.data());
        });
        EXPECT_EQ(refused.exit_code, 2) << form;
        EXPECT_THAT(refused.err, AllOf(Names({"'v'", "line 2)", "remove the marks", ": add --leave-out v"}),
                                       Not(HasSubstr("onehot"))))
            << form;
    }
    EXPECT_EQ(fit("v", [](int) { return "a b"; }, {"--leave-out", "v"}).exit_code, 0);
}

TEST_F(FileValues, FewOddCellsStayNumbers) {
    for (const std::vector<std::string>& more : {std::vector<std::string>{}, {"--categorical", "onehot"}}) {
        EXPECT_THAT(refused_odd("unknown", more), Names({"'v'", "1 of 40", "'unknown'", "line 9", "1 row"}));
        EXPECT_THAT(refused_odd("inf", more), HasSubstr("such as 'inf' in line 9) has cells"));
        EXPECT_THAT(refused_odd("1e400", more), HasSubstr("such as '1e400' in line 9) has cells"));
    }
    const auto dates = [](int i) { return i == 7 ? "31/02/2024" : "2024-01-" + std::to_string(10 + i % 20); };
    EXPECT_THAT(fit("v", dates, {"--categorical", "onehot", "--dates", "days"}).err,
                Names({"1 of 40", "'31/02/2024'", "line 9", "1 row"}));
    EXPECT_EQ(fit("v", [](int i) { return i == 7 ? "unknown" : std::to_string(i % 4); }, {"--categorical", "v=onehot"})
                  .exit_code,
              0)
        << "who names the column means it";
    EXPECT_THAT(
        fit("v", [](int i) { return i == 7   ? "soon"
                                    : i == 8 ? "-"
                                    : i == 9 ? ""
                                             : std::to_string(i % 4); }).err,
        HasSubstr("add --missing v=mean --bad-rows 1\n"));
}

TEST_F(FileValues, OddDatesAreReadByBothOptions) {
    const auto dates = [](int i) { return i == 7 ? "soon" : "2026-01-" + std::to_string(10 + i % 20); };
    EXPECT_THAT(fit("v", dates).err, HasSubstr("add --dates v=days --bad-rows 1\n"));
    const test::Finished read = fit("v", dates, {"--dates", "v=days", "--bad-rows", "1"});
    EXPECT_EQ(read.exit_code, 0) << read.err;
}

TEST_F(FileValues, DatesInTwoOrdersAreReported) {
    const auto dates = [](int i) {
        return i % 2 == 0 ? "2" + std::to_string(i % 9) + "/03/2026" : "03/2" + std::to_string(i % 9) + "/2026";
    };
    EXPECT_THAT(fit("v", dates).err, AllOf(Names({"'v'", "dates"}), EndsWith("add --leave-out v\n")));
    // A few dates are in another order than the others.
    const auto few = [](int i) { return i == 6 ? "12/31/2024" : std::to_string(13 + i % 9) + "/04/2024"; };
    EXPECT_THAT(fit("v", few).err, Names({"'v'", "dates", "1 row"}));
    EXPECT_EQ(fit("v", few, {"--bad-rows", "1", "--dates", "v=days"}).exit_code, 0);
}

TEST_F(FileValues, TheErrorSaysHowManyRowsAreBad) {
    const auto cells = [](int i) { return i % 10 == 3 ? "\"" + std::to_string(i) : std::to_string(i); };
    EXPECT_THAT(fit("v", cells).err, AllOf(Names({"4 of 40 rows"}), EndsWith(": add --bad-rows 4\n")));
    EXPECT_THAT(fit("v", cells, {"--bad-rows", "2"}).err, Names({"4 of 40 rows", ": add --bad-rows 4 ", " 2\n"}));
    EXPECT_EQ(fit("v", cells, {"--bad-rows", "4"}).exit_code, 0);
}

TEST_F(FileValues, GeneralOptionsAreCheckedAndNoted) {
    const auto numbers = [](int i) { return std::to_string(i % 7); };
    EXPECT_THAT(fit("v", numbers, {"--dates", "days", "--categorical", "onehot"}).err,
                Names({"note: --dates days ", "note: --categorical onehot "}));
    EXPECT_THAT(fit("v", numbers, {"--missing", "zero"}).err, Names({"--missing zero", "drop, mean"}));
    EXPECT_THAT(fit("v", numbers, {"--dates", "weeks"}).err, Names({"--dates weeks", "seconds"}));
    EXPECT_THAT(fit("v", numbers, {"--categorical", "foo"}).err, Names({"--categorical foo", "onehot"}));
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
    EXPECT_THAT(fit("v,w,u", gaps, {"--missing", "v=mean,wrong=drop"}).err, Names({"--missing ", "mean,wrong=drop"}));
}

TEST_F(FileValues, ProbableIdIsNoted) {
    const auto ids = [](int i) { return std::to_string(1000 + i); };
    EXPECT_THAT(fit("customer_id", ids).err,
                AllOf(StartsWith("note: "), Names({"'customer_id'", "add --id customer_id\n"})));
    EXPECT_THAT(fit("row", [](int i) { return std::to_string(i); }).err,
                AllOf(StartsWith("note: "), Names({"'row'", "add --id row\n"})));
    EXPECT_EQ(fit("row", [](int i) { return std::to_string(i == 9 ? 99 : i); }).err, "");
    EXPECT_EQ(fit("customer_id", ids, {"--id", "customer_id"}).err, "");
    EXPECT_EQ(fit("customer_id", [](int i) { return std::to_string(i % 5); }).err, "");
    EXPECT_THAT(fit("ID", [](int i) { return std::to_string(i / 2); }, {"--id", "ID", "--batch", "1"}).err,
                StartsWith("note: 20 rows "));
}

TEST_F(FileValues, PredictionsAreMeasuredAsTheyAre) {
    const auto scores = [](int i) { return std::to_string(i + 1); };
    const std::vector<std::string> all{"--set", "prediction=v"};
    EXPECT_THAT(fit("v", scores, all, "group_metrics").err,
                Names({"note: ", "1 to 40", "threshold=0.5", "--set threshold=X"}));
    EXPECT_EQ(fit("v", scores, {"--set", "prediction=v", "--set", "threshold=20"}, "group_metrics").err, "");
    for (const char* scaled : {"--standardise", "--unit-rows"})
        EXPECT_THAT(fit("v", scores, {"--set", "prediction=v", scaled}, "group_metrics").err,
                    Names({scaled, "group_metrics"}));
    EXPECT_THAT(fit("v", scores, {}, "group_metrics").err, HasSubstr("--set prediction=COL"));
}

TEST_F(FileValues, PredictionOnBinEdgeBelongsToUpperBin) {
    // Seven tenths are slightly smaller as float32; in one bin with 0.6 their errors would cancel.
    const auto scores = [](int i) {
        return i % 2 == 0 ? std::string("0.6,1") : "0.7," + std::to_string(i < 12 ? 1 : 0);
    };
    const test::Finished fitted =
        fit("v,t", scores, {"--set", "prediction=v", "--target", "t", "--json"}, "group_metrics");
    EXPECT_EQ(fitted.exit_code, 0) << fitted.err;
    EXPECT_NEAR(json::parse(fitted.out)["all"]["calibration_error"].get<double>(), 0.4, 1e-6);
}

TEST_F(FileValues, IdsKeepTheirLeadingZeros) {
    const std::string labels = (directory / "labels.csv").string();
    const auto ids = [](int i) { return (i % 2 == 0 ? "00" : "0") + std::to_string(i / 2); };
    const test::Finished fitted = fit("key", ids, {"--id", "key", "--labels", labels});
    EXPECT_EQ(fitted.exit_code, 0) << fitted.err;
    EXPECT_EQ(fitted.err, "") << "007 and 07 are two";
    EXPECT_THAT(test::file_bytes(labels), Names({"\n007,", "\n07,", "\n0019,"}));
}

TEST_F(FileValues, NamelessColumnsAtTheEndMustBeEmpty) {
    const test::Finished fitted = fit("v,,", [](int i) { return std::to_string(i % 7) + ",,"; });
    EXPECT_EQ(fitted.exit_code, 0) << fitted.err;
    EXPECT_THAT(fit("v,,", [](int i) { return i == 7 ? "1,,2" : "1,,"; }).err,
                Names({"points.csv:9:", "5 cells", " 3"}));
    EXPECT_EQ(fit(",v", [](int) { return ",1"; }, {"--leave-out", "column 3"}).exit_code, 0);
    EXPECT_THAT(fit(",v", [](int i) { return std::to_string(i) + ",1"; }).err, HasSubstr("'column 3'"));
}

TEST_F(FileValues, ImpossibleNumberIsBadRow) {
    const auto huge = [](int i) { return i == 3 ? std::string("1e40") : std::to_string(i); };
    const test::Finished refused = fit("v", huge, {});
    EXPECT_EQ(refused.exit_code, 2);
    EXPECT_THAT(refused.err, Names({":5:", "'v'", "'1e40'", "1e15", "1 of 40 rows", ": add --bad-rows 1\n"}));
    const auto often = [](int i) { return i % 8 == 3 ? std::string("1e308") : std::to_string(i); };
    EXPECT_THAT(fit("v", often).err, Names({"'1e308'", "5 of 40 rows", ": add --leave-out v\n"}));
    EXPECT_EQ(fit("v", huge, {"--bad-rows", "1"}).exit_code, 0);
    EXPECT_EQ(fit("v", huge, {"--standardise"}).exit_code, 0) << "once it is scaled it is small";
}

// The rows arrive in batches, and all must be filled in alike.
TEST_F(FileValues, GapsAreFilledFromWholeFile) {
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

TEST_F(FileValues, PossiblyMissingGroupsAreNoted) {
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
    EXPECT_THAT(fitted(pending, yes).err, Names({"'y'", "'no'", "'open'", "'yes'"}));
    EXPECT_THAT(fitted(coded, y).err,
                Names({"'y'", "'2'", "14 of 40 rows", "add --positive 2;", "add --missing-text y=2"}));
    EXPECT_EQ(fitted(coded, {"--target", "y", "--positive", "2"}).err, "");
    EXPECT_EQ(fitted(gaps, {"--target", "y", "--unknown-group", "unknown"}).err, "");
    EXPECT_THAT(fitted(percent, y).err, Names({"0 to 39", "threshold=0.5"}));
}

TEST_F(FileValues, ExistingFileIsNotOverwritten) {
    const std::string there = directory.write("keep.csv", "hello\n").string();
    EXPECT_THAT(fit("v", [](int i) { return std::to_string(i); }, {"--save", there}).err, HasSubstr("--save"));
    EXPECT_EQ(test::file_bytes(there), "hello\n");
}

TEST_F(FileValues, GivenMissingTextsAreMissing) {
    const auto cells = [](int i) { return i % 10 == 3 ? std::string("-999") : std::to_string(i * i % 17); };
    const test::Finished taken = fit("v", cells, {"--missing-text", "v=-999", "--missing", "mean"});
    EXPECT_EQ(taken.exit_code, 0) << taken.err;
    EXPECT_THAT(taken.err, Not(HasSubstr("-999")));
    EXPECT_THAT(taken.out, HasSubstr("10.0 % missing: the mean"));
    EXPECT_THAT(fit("v", cells, {"--missing-text", "-999"}).err, HasSubstr(": add --missing v=mean"));
    EXPECT_THAT(fit("v", cells, {"--missing-text", "x=-999", "--missing-text", "none=3"}).err,
                Names({"--missing-text x=-999 ", "--missing-text none=3 "}));
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
    EXPECT_THAT(fit("v", target, {"--target", "v"}, "partial_fair_scorer").err, Names({"'v'", "-1", "14 points"}));
    const auto above = [](int i) { return std::to_string(i % 3); };
    EXPECT_THAT(fit("v", above, {"--target", "v"}, "partial_fair_scorer").err,
                Names({"'v'", "has 2", "13 points", "add --missing-text v=2 --missing v=drop"}));
    const auto codes = [](int i) { return i % 10 == 0 ? "8.0" : i % 10 == 1 ? "-9" : i % 2 == 0 ? "0" : "1"; };
    EXPECT_THAT(
        fit("v", codes, {"--target", "v"}, "partial_fair_scorer").err,
        Names({"-9 (4 points)", "8.0 (4 points)", "add --missing-text v=-9 --missing-text v=8.0 --missing v=drop"}));
    EXPECT_THAT(
        fit("v", codes, {"--target", "v", "--missing-text", "v=-9", "--missing-text", "v=8.0", "--missing", "v=drop"},
            "partial_fair_scorer")
            .err,
        Not(HasSubstr("target column")));
}

TEST_F(FileValues, ManyTargetsAreNotedAsCutAtZero) {
    const auto stars = [](int i) { return std::to_string(i % 8); };
    EXPECT_THAT(fit("v", stars, {"--target", "v"}, "partial_fair_scorer").err,
                Names({"'v'", "8 values", "0 to 7", "35 of 40 points", "--positive VALUE"}));
    const auto rest = [](int i) { return std::to_string(i - 5.5); };
    EXPECT_THAT(fit("v", rest, {"--target", "v"}, "partial_fair_scorer").err,
                Names({"'v'", "20 values", "-5.5 to 33.5", "34 of 40 points"}));
    EXPECT_THAT(fit("v", rest, {"--target", "v", "--set", "loss=squared"}, "partial_fair_scorer").err,
                Not(HasSubstr("target column")));
}

TEST_F(FileValues, OneTextAmongNumbersIsTakenForMissing) {
    const auto cells = [](int i) { return i % 4 == 3 ? std::string("gone") : std::to_string(i * i % 17); };
    EXPECT_THAT(fit("v", cells).err,
                Names({"'v'", "10 of 40", "'gone'", "line 5", ": add --missing-text v=gone --missing v=mean\n"}));
    EXPECT_EQ(fit("v", cells, {"--missing-text", "v=gone", "--missing", "v=mean"}).exit_code, 0);
    const auto days = [](int i) { return i % 4 == 3 ? "gone" : "2026-01-" + std::to_string(10 + i % 20); };
    EXPECT_THAT(fit("v", days).err, HasSubstr("add --dates v=days --missing-text v=gone --missing v=mean"));
}

TEST_F(FileValues, RepeatedHeaderIsBadRow) {
    const auto lines = [](int i) {
        return std::to_string(i % 7) + "," + std::to_string(i % 5) + (i % 15 == 9 ? "\nx,sex,v,w" : "");
    };
    EXPECT_THAT(fit("v,w", lines).err, Names({"points.csv:12:", "header", "3 of 43 rows", "add --bad-rows 3"}));
    const test::Finished read = fit("v,w", lines, {"--bad-rows", "3"});
    EXPECT_EQ(read.exit_code, 0) << read.err;
    EXPECT_THAT(read.out, ::testing::ContainsRegex("balance +f +m\n")) << "no group is called sex";
}

TEST_F(FileValues, DatesWithoutHyphensAreDates) {
    const auto days = [](int i) { return "202601" + std::to_string(10 + i % 20); };
    EXPECT_THAT(fit("v", days).err, Names({"'v'", ": add --dates v=days"}));
    const test::Finished read = fit("v", days, {"--dates", "v=days"});
    EXPECT_EQ(read.exit_code, 0) << read.err;
    EXPECT_THAT(read.out, HasSubstr("v  dates    days since 1970"));
}

TEST_F(FileValues, CodesAmongNumbersAreNoMissingValues) {
    const auto codes = [](int i) { return i % 10 == 3 ? std::string("4+") : std::to_string(2 + i % 3); };
    const test::Finished refused = fit("v", codes);
    EXPECT_THAT(refused.err, Names({"'v'", "4 of 40", "'4+'", "line 5", "4 rows", ": add --bad-rows 4\n"}));
    EXPECT_THAT(refused.err, Not(HasSubstr("--missing-text")));
    const auto often = [](int i) { return i % 4 == 3 ? std::string("4+") : std::to_string(2 + i % 3); };
    EXPECT_THAT(fit("v", often).err, HasSubstr("add --categorical v=onehot"));
}

TEST_F(FileValues, DatesUseMostFittingOrder) {
    const auto dates = [](int i) { return i % 9 == 0 ? "12/31/2026" : "2026-01-" + std::to_string(10 + i % 20); };
    const test::Finished read = fit("v", dates, {"--dates", "v=days", "--bad-rows", "20"});
    EXPECT_EQ(read.exit_code, 0) << read.err;
    EXPECT_THAT(read.out, HasSubstr("dates, month"));
    EXPECT_THAT(read.err, Not(HasSubstr("left out")));
    const auto months = [](int i) { return "2026-" + std::to_string(10 + i % 3); };
    EXPECT_THAT(fit("v", months, {"--dates", "v=days"}).out, HasSubstr("v  dates    days since 1970"));
}

TEST_F(FileValues, NegligibleColumnsAreNoted) {
    const auto cells = [](const char* income) {
        return [=](int i) {
            return std::to_string(20 + i % 50) + "," + std::to_string(i * 7919 % 30000) + income + "," +
                   std::to_string(i * 6007 % 29000) + income + (i == 7 ? ",1" : ",0");
        };
    };
    EXPECT_THAT(fit("age,income,debt,rare", cells("")).err,
                Names({"note:", "'x', 'age'", "'income'", "--standardise"}));
    EXPECT_EQ(fit("age,income,debt,rare", cells(""), {"--standardise"}).err, "");
}

TEST_F(FileValues, RowCounterIsNotedBesideIds) {
    const auto cells = [](int i) {
        return std::to_string(i) + ",C" + std::to_string(i * 7) + "," + std::to_string(i % 7);
    };
    EXPECT_THAT(fit(",id,v", cells, {"--id", "id"}).err, Names({"'column 3'", "add --leave-out 'column 3'"}));
    EXPECT_THAT(fit("n,v", [](int i) { return std::to_string(i) + "," + std::to_string(i % 7); }).err,
                Names({"'n'", "add --id n"}));
}

TEST_F(FileValues, OrderTakesSeparatorsAndMissingWords) {
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
                HasSubstr("'region' (14 of 40) lacks values"));
}

TEST_F(FileValues, UniformlyLongRowsAreNoted) {
    EXPECT_THAT(fit("v", [](int i) { return std::to_string(i) + ",0,"; }).err, Names({"5 cells", " 3", "40 rows"}));
}

TEST_F(FileValues, NamesSuchAsYearsAreAHeader) {
    std::string years = "country,2019,2020,sex\n";
    for (int i = 0; i < 40; ++i)
        years += (i % 3 == 0 ? "at," : "de,") + std::to_string(i) + "," + std::to_string(i * i % 13) +
                 (i % 2 == 0 ? ",m\n" : ",f\n");
    EXPECT_THAT(fairstream({"fit", "safairkm", "--clusters", "2", "--input",
                            directory.write("years.csv", years).string(), "--group", "sex"})
                    .err,
                Not(HasSubstr("header")));
}

TEST_F(FileValues, UnsaveableTextNamesItsColumn) {
    const auto towns = [](int i) { return i % 2 == 0 ? "K\xf6ln" : "Bonn"; };
    const std::vector<std::string> onehot{"--categorical", "v=onehot"};
    EXPECT_EQ(fit("v", towns, onehot).exit_code, 0);
    EXPECT_THAT(fit("v", towns, {"--categorical", "v=onehot", "--save", (directory / "l.fairstream").string()}).err,
                Names({"'v'", "'K\xf6ln'", "UTF-8"}));
}

TEST_F(FileValues, TextIdsUnderGeneralTextOptionAreNoted) {
    const auto keys = [](int i) { return "k" + std::to_string(i * 7919); };
    EXPECT_THAT(fit("v", keys, {"--categorical", "onehot"}).err, Names({"'v'", "add --id v"}));
}

TEST_F(FileValues, NamesThatNoColumnHasAreToldOf) {
    const auto cells = [](int i) { return std::to_string(i % 9); };
    EXPECT_THAT(fit("v", cells, {"--features", "x,v", "--leave-out", "bogus"}).err, HasSubstr("'bogus'"));
    EXPECT_THAT(fit("age", cells, {"--missing-text", "agee=0"}).err, Names({"--missing-text agee=0", "'age'"}));
}

}  // namespace
}  // namespace fairstream::command
