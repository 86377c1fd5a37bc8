/// Missed and unattainable targets of `fairstream fit`.

#include <set>

#include "command.hpp"
#include "support/temporary_directory.hpp"

namespace fairstream::command {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::StartsWith;

class FitTargets : public ::testing::Test {
protected:
    // Rows of "x,sex", and the output of a fit with two clusters.
    test::Finished fit(const std::string& rows, std::vector<std::string> more) const {
        const auto file = directory.write("points.csv", "x,sex\n" + rows);
        more.insert(more.begin(), {"fit", "safairkm", "--input", file.string(), "--group", "sex", "--clusters", "2"});
        return fairstream(std::move(more));
    }
    static std::string rows_of(int of_x, int of_y) {
        std::string rows;
        for (int i = 0; i < of_x; ++i) rows += std::to_string(i % 7) + ",x\n";
        for (int i = 0; i < of_y; ++i) rows += std::to_string(20 + i % 5) + ",y\n";
        return rows;
    }

    test::TemporaryDirectory directory;
};

TEST_F(FitTargets, UnattainableTargetIsReportedBeforeFitting) {
    const auto labels = directory / "labels.csv";
    const test::Finished finished =
        fit(rows_of(5, 1), {"--set", "balance_at_least=0.5", "--labels", labels.string(), "--json"});
    EXPECT_EQ(finished.exit_code, 3);
    EXPECT_THAT(finished.err, AllOf(StartsWith("warning: balance_at_least = 0.5: "),
                                    Names({"6 points, 1 ", "'y' of 'sex'", " 0 ", "2 clusters\n"})));
    const json report = json::parse(finished.out);
    EXPECT_EQ(report["outcome"], "unattainable");
    EXPECT_THAT(only_warning(report["missed_targets"]), Names({"balance_at_least = 0.5: ", " 0 ", "'sex'"}));
    EXPECT_EQ(report["best_balance"], 0);
    const std::string written = test::file_bytes(labels);
    EXPECT_EQ(std::count(written.begin(), written.end(), '\n'), 7);
}

// 4 to 6 points in two clusters allow two thirds, rounded down: a value reported as possible must be accepted.
TEST_F(FitTargets, WhatIsSaidToBePossibleIsMet) {
    EXPECT_THAT(fit(rows_of(4, 6), {"--set", "balance_at_least=0.1"}).out, HasSubstr("0.6666 is possible"));
    EXPECT_EQ(fit(rows_of(4, 6), {"--set", "balance_at_least=0.6666"}).exit_code, 0);
    EXPECT_THAT(fit(rows_of(4, 6), {"--set", "balance_at_least=0.6667"}).err, HasSubstr(" 0.6666 "));
}

TEST_F(FitTargets, WindowCountsRetainedPoints) {
    const std::string rows = rows_of(5, 1) + rows_of(20, 20);
    EXPECT_EQ(fit(rows, {"--set", "balance_at_least=0.9", "--window", "40"}).err, "");
    EXPECT_EQ(fit(rows, {"--set", "balance_at_least=0.9", "--window", "40"}).exit_code, 0);
    EXPECT_THAT(fit(rows, {"--set", "balance_at_least=0.9", "--window", "22"}).err,
                Names({"22 points, 2 ", "'x' of 'sex'", " 0.1 ", "2 clusters"}));
}

TEST_F(FitTargets, MissedTargetIsReportedAtEnd) {
    // Bounds on sizes and shares together are not checked beforehand: clusters of 3 points have no share in [.4, .6].
    const test::Finished finished =
        fit(rows_of(3, 3), {"--set", "share_at_least=0.4", "--set", "size_at_least=3", "--set", "size_at_most=3"});
    EXPECT_EQ(finished.exit_code, 3);
    EXPECT_THAT(finished.err, Names({"fairstream fit: target missed: share_at_least = 0.4: group '",
                                     " of 'sex' is 0.3333 of cluster "}));
    EXPECT_EQ(std::count(finished.err.begin(), finished.err.end(), '\n'), 1);
    EXPECT_THAT(finished.out, HasSubstr("2 clusters"));
}

TEST_F(FitTargets, MetTargetsOnlyReportPrice) {
    const test::Finished finished = fit(rows_of(40, 30), {"--json"});
    EXPECT_EQ(finished.exit_code, 0) << finished.err;
    EXPECT_EQ(besides_the_price(finished.err), "");
    const json report = json::parse(finished.out);
    EXPECT_GE(report["parity"], 0.8) << "the default";
    EXPECT_GT(report["price_of_fairness"], 1);
    EXPECT_THAT(finished.err, Names({"note:", "parity_at_least=0.8", "fairstream front"}));
    EXPECT_EQ(fit(rows_of(40, 30), {"--set", "parity_at_least=0.8"}).err, "") << "who asks for it wants it";
    EXPECT_GE(report["best_parity"], report["parity"]);
    EXPECT_THAT(report["missed_targets"], IsEmpty());
    EXPECT_THAT(report["left_out_groups"], IsEmpty());
    EXPECT_EQ(report["options"]["parity_at_least"], "auto");
    EXPECT_GT(report["plain_cost"], 0);
    EXPECT_NEAR(report["price_of_fairness"].get<double>(),
                report["cost"].get<double>() / report["plain_cost"].get<double>() - 1, 1e-12);
    const json plain = json::parse(fit(rows_of(40, 30), {"--json", "--set", "parity_at_least=0"}).out);
    EXPECT_TRUE(plain["price_of_fairness"].is_null());
    EXPECT_NEAR(plain["cost"].get<double>(), report["plain_cost"].get<double>(), 1e-6);
    EXPECT_THAT(fit(rows_of(40, 30), {}).out, Names({"price of", "parity"}));
}

TEST_F(FitTargets, TheDefaultTargetIsSaidToBeOne) {
    for (const std::string setting : {"balance_at_least=0", "starts=3"}) {
        EXPECT_THAT(fit(rows_of(40, 30), {"--set", setting}).out,
                    Names({"\n  targets ", "met  parity_at_least=0.8 ", "default", "--set parity_at_least=0 "}));
        EXPECT_EQ(json::parse(fit(rows_of(40, 30), {"--set", setting, "--json"}).out)["default_target"],
                  "parity_at_least=0.8");
    }
    for (const std::string setting : {"parity_at_least=0", "parity_at_least=0.8", "balance_at_least=0.4", "swaps=4"}) {
        EXPECT_THAT(fit(rows_of(40, 30), {"--set", setting}).out, Not(HasSubstr("default")));
        EXPECT_TRUE(json::parse(fit(rows_of(40, 30), {"--set", setting, "--json"}).out)["default_target"].is_null());
    }
    EXPECT_THAT(fit(rows_of(40, 30), {"--set", "parity_at_least=0"}).out, Not(HasSubstr("targets")));
    EXPECT_THAT(fit(rows_of(40, 1), {}).err,
                Names({"warning: parity_at_least = 0.8: ", "default", "--set parity_at_least=0 "}));
    EXPECT_THAT(fit(rows_of(40, 1), {"--set", "parity_at_least=0.8"}).err, Not(HasSubstr("default")));
}

TEST_F(FitTargets, CountedRoundsEndByNumber) {
    const std::vector<std::string> rounds{"--set", "balance_at_least=0.5", "--refine-rounds", "2"};
    const auto with = [&](std::vector<std::string> more) {
        more.insert(more.begin(), rounds.begin(), rounds.end());
        return fit(rows_of(40, 30), std::move(more));
    };
    EXPECT_THAT(with({}).out, Names({"2 rounds, iteration_limit\n", "\n  targets "}));
    const json report = json::parse(with({"--json"}).out);
    EXPECT_EQ(report["outcome"], "iteration_limit");
    EXPECT_THAT(report["missed_targets"], IsEmpty());
    EXPECT_THAT(fit(rows_of(5, 1), rounds).out, Names({"2 rounds, unattainable\n", "  missed\n"}));
}

TEST_F(FitTargets, PriceNeedsPlainCost) {
    for (const std::string rounds : {"0", "2"}) {
        EXPECT_THAT(fit(rows_of(400, 300), {"--batch", "50", "--refine-rounds", rounds}).out, Not(HasSubstr("price")));
        const json report =
            json::parse(fit(rows_of(400, 300), {"--batch", "50", "--refine-rounds", rounds, "--json"}).out);
        EXPECT_TRUE(report["plain_cost"].is_null()) << rounds;
        EXPECT_TRUE(report["price_of_fairness"].is_null()) << rounds;
    }
}

TEST_F(FitTargets, GroupsThatAreTooRareAreNoted) {
    const test::Finished finished = fit(rows_of(40, 30) + "3,z\n4,z\n5,w\n", {"--json"});
    EXPECT_EQ(finished.exit_code, 4) << "met, but not by all groups";
    EXPECT_EQ(fit(rows_of(40, 30) + "3,z\n4,z\n5,w\n", {"--set", "balance_at_least=0.99"}).exit_code, 3);
    EXPECT_THAT(besides_the_price(finished.err),
                one_note({"10 points", "rare_below", "'w' of 'sex' (1 point), 'z' of 'sex' (2 points)",
                          "--set named_groups=0,3 counts them\n"}));
    EXPECT_THAT(fit(rows_of(40, 30) + "3,z\n4,z\n5,w\n", {"--set", "named_groups=0"}).err,
                HasSubstr("'z' of 'sex' (2 points); --set named_groups=0,3 counts it\n"));
    EXPECT_THAT(fit(rows_of(40, 30) + "3,z\n4,z\n5,w\n", {"--set", "named_groups=0,3"}).err,
                Not(HasSubstr("rare_below")));
    EXPECT_EQ(json::parse(finished.out)["left_out_groups"],
              json({{{"attribute", "sex"}, {"group", "w"}, {"points", 1}},
                    {{"attribute", "sex"}, {"group", "z"}, {"points", 2}}}));
    EXPECT_THAT(fit(rows_of(40, 30) + "3,z\n4,z\n5,w\n", {}).out,
                Names({"rare groups", "'w' of 'sex' (1 point), 'z' of 'sex' (2 points)", "parity_at_least=0.8"}));
}

TEST_F(FitTargets, FiguresWithoutRareGroupsStandUnderThoseOfAll) {
    // Each cluster has 10 of x and 10 of y, and one of them z: 1 point, where 10 would count.
    std::string rows = "3,z\n";
    for (int i = 0; i < 40; ++i)
        rows += std::to_string(i % 2 * 20 + i / 2 % 2 + i / 4 % 3) + (i / 2 % 2 == 0 ? ",x\n" : ",y\n");
    for (const std::string target : {"parity_at_least=0.8", "parity_at_least=0"}) {
        EXPECT_THAT(fit(rows, {"--set", target}).out,
                    ::testing::ContainsRegex("\n  parity +0.0000 [^\n]*\n  balance without rare +1.0000 [^\n]*"
                                             "\n  parity without rare +1.0000 [^\n]*\n  average balance "))
            << target;
        const json report = json::parse(fit(rows, {"--set", target, "--json"}).out);
        EXPECT_EQ(report["balance"], 0);
        EXPECT_EQ(report["balance_without_rare"], 1) << target;
        EXPECT_EQ(report["parity_without_rare"], 1) << target;
        const std::vector<std::string> all{"--set", target, "--set", "rare_below=0"};
        EXPECT_THAT(fit(rows, all).out, Not(HasSubstr("without rare")));
    }
}

TEST_F(FitTargets, TheHelpSaysWhatTheExitCodesMean) {
    EXPECT_THAT(fairstream({"fit", "--help"}).out, HasSubstr("3 done"));
    EXPECT_THAT(fairstream({"fit", "lord", "--help"}).out, HasSubstr("3 done"));
    EXPECT_THAT(fairstream({"front", "--help"}).out, HasSubstr("Exit codes: 0 done"));
    EXPECT_THAT(fairstream({"fit", "--help"}).out, HasSubstr("4 done"));
    EXPECT_THAT(fairstream({"fit", "esvd_fair", "--help"}).out, HasSubstr("3 done"));
}

TEST_F(FitTargets, GraphLabelsAreJudged) {
    const auto fit_graph = [](std::vector<std::string> more) {
        more.insert(more.begin(), {program(), "fit", "fair_spectral", "--generate", "msbm", "--points", "300",
                                   "--clusters", "5", "--json"});
        return test::run(std::move(more));
    };
    const test::Finished met = fit_graph({});
    EXPECT_EQ(met.exit_code, 0) << met.err;
    const json report = json::parse(met.out);
    EXPECT_GE(report["parity"], 0.8 - 1e-9);
    EXPECT_EQ(report["default_target"], "parity_at_least=0.8");
    EXPECT_THAT(report["missed_targets"], IsEmpty());
    const test::Finished missed = fit_graph({"--set", "size_at_least=61"});
    EXPECT_EQ(missed.exit_code, 3);
    EXPECT_THAT(missed.err, HasSubstr("warning: size_at_least = 61: "));
    EXPECT_EQ(json::parse(missed.out)["missed_targets"].size(), 1U);
}

TEST_F(FitTargets, TableShowsLargestGroups) {
    std::string rows;
    for (int i = 0; i < 300; ++i) {
        const int group = i % 4 == 0 ? i / 4 % 14 : 20;
        rows += std::to_string(i * i % 11) + ",g" + std::to_string(group) + "\n";
    }
    const std::string out = fit(rows, {"--set", "parity_at_least=0"}).out;
    EXPECT_THAT(out, ::testing::ContainsRegex("  g20 +g3 +g4  7 others\n"));
    const json report = json::parse(fit(rows, {"--set", "parity_at_least=0", "--json"}).out);
    EXPECT_EQ(report["groups"].size(), 15U);
    const std::string line = out.substr(out.find("\n  0 "));
    const json& counts = report["cluster_group_counts"][0];
    double all = 0, shown = 0;
    for (std::size_t g = 0; g < 15; ++g) {
        const double count = counts[g].get<double>();
        all += count;
        const std::set<std::string> largest{"g0", "g1", "g10", "g11", "g2", "g20", "g3", "g4"};
        if (largest.contains(report["groups"][g])) shown += count;
    }
    std::istringstream cells(line);
    std::vector<std::string> words;
    for (std::string word; cells >> word && words.size() < 22;) words.push_back(word);
    // Columns: cluster, points, share and its sign, balance, shares of eight groups and of the others, each with its
    // sign.
    EXPECT_NEAR(std::stod(words.at(21)), 100 * (all - shown) / all, 0.05 + 1e-9) << line;
}

TEST(FitTargetsOfFewPoints, NamesAClusterWithoutAPoint) {
    const test::TemporaryDirectory directory;
    const std::string file = directory
                                 .write("few.csv",
                                        "x,y,sex\n0.803,-1.014,a\n0.373,1.588,a\n-0.696,-0.047,a\n0.563,1.569,b\n"
                                        "-1.079,1.61,a\n0.875,-0.29,b\n1.791,0.971,a\n3.023,3.037,c\n2.147,2.281,c\n"
                                        "0.724,0.918,a\n")
                                 .string();
    const auto fitted = [&](const char* target) {
        return fairstream({"fit", "fair_spectral", "--input", file, "--group", "sex", "--clusters", "3", "--set",
                           "rare_below=0", "--set", target})
            .err;
    };
    EXPECT_THAT(fitted("balance_at_least=0.5"), HasSubstr("note: cluster 2"));
    EXPECT_THAT(fitted("parity_at_least=0"), Not(HasSubstr("note: cluster")));
}

}  // namespace
}  // namespace fairstream::command
