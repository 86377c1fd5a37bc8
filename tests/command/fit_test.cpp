#include <cmath>
#include <map>
#include <random>

#include "command.hpp"

namespace fairstream::command {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;

/// Three blobs with unevenly distributed groups, mixed in file order.
class Fit : public ::testing::Test {
protected:
    static constexpr std::size_t n = 600;

    Fit() {
        std::mt19937_64 random(11);
        std::string text = "x,y,sex,age_group,rich\n";
        for (std::size_t i = 0; i < n; ++i) {
            const std::size_t blob = random() % 3;
            const double x = 4.0 * static_cast<double>(blob) + static_cast<double>(random() % 1000) / 500;
            const double y = (blob == 1 ? 5.0 : 0.0) + static_cast<double>(random() % 1000) / 500;
            const bool male = random() % 10 < (blob == 0 ? 8U : 4U);
            points.push_back({x, y});
            sexes.push_back(male);
            text += std::to_string(x) + "," + std::to_string(y) + (male ? ",male," : ",female,") +
                    std::to_string(random() % 3) + "," + std::to_string(blob) + "\n";
        }
        file = directory.write("people.csv", text);
    }

    std::vector<std::string> fit(std::vector<std::string> more) const {
        std::vector<std::string> arguments{"fit", "safairkm", "--input", file.string(), "--features",
                                           "x,y", "--group",  "sex",     "--clusters",  "3"};
        arguments.insert(arguments.end(), more.begin(), more.end());
        return arguments;
    }
    /// Returns the labels that a fit writes, by id.
    std::map<std::size_t, int> labels(const std::filesystem::path& path) const {
        std::istringstream text(test::file_bytes(path));
        std::string line;
        std::getline(text, line);
        EXPECT_EQ(line, "id,label");
        std::map<std::size_t, int> result;
        while (std::getline(text, line)) result[std::stoul(line)] = std::stoi(line.substr(line.find(',') + 1));
        return result;
    }

    test::TemporaryDirectory directory;
    std::filesystem::path file;
    std::vector<std::pair<double, double>> points;
    std::vector<bool> sexes;
};

TEST_F(Fit, ReportsWhatItsLabelsSay) {
    const auto path = directory / "labels.csv";
    const json report = json_of(fit({"--json", "--labels", path.string(), "--set", "balance_at_least=0.5"}));
    const std::map<std::size_t, int> label = labels(path);
    ASSERT_EQ(label.size(), n);

    std::vector<double> sum_x(3), sum_y(3);
    std::vector<std::int64_t> size(3);
    std::vector<std::vector<std::int64_t>> counts(3, {0, 0});
    for (const auto& [id, cluster] : label) {
        sum_x[cluster] += points[id].first, sum_y[cluster] += points[id].second;
        ++size[cluster], ++counts[cluster][sexes[id]];
    }
    double cost = 0, least = 1, mean = 0;
    for (const auto& [id, cluster] : label) {
        cost += std::pow(points[id].first - sum_x[cluster] / static_cast<double>(size[cluster]), 2) +
                std::pow(points[id].second - sum_y[cluster] / static_cast<double>(size[cluster]), 2);
    }
    for (const auto& row : counts) {
        const double balance =
            static_cast<double>(std::min(row[0], row[1])) / static_cast<double>(std::max(row[0], row[1]));
        least = std::min(least, balance), mean += balance / 3;
    }
    EXPECT_NEAR(report["cost"].get<double>(), cost / n, 1e-5 * cost / n);
    EXPECT_NEAR(report["balance"].get<double>(), least, 1e-12);
    EXPECT_NEAR(report["average_balance"].get<double>(), mean, 1e-12);
    EXPECT_GE(least, 0.5);
    EXPECT_EQ(report["cluster_sizes"], json(size));
    EXPECT_EQ(report["cluster_group_counts"], json(counts));
    EXPECT_EQ(report["attributes"][0]["cluster_group_counts"], json(counts));
}

TEST_F(Fit, ReportsProblemAndRun) {
    const json report = json_of(
        fit({"--json", "--batch", "100", "--passes", "2", "--refine-rounds", "3", "--seed", "5", "--set", "swaps=2"}));
    EXPECT_EQ(report["model"], "safairkm");
    EXPECT_EQ(report["points"], n);
    EXPECT_EQ(report["features"], 2);
    EXPECT_EQ(report["clusters"], 3);
    EXPECT_EQ(report["attribute"], "sex");
    EXPECT_EQ(report["groups"], json({"female", "male"}));
    EXPECT_EQ(report["sent"], 2 * n);
    EXPECT_EQ(report["steps"], 12);
    EXPECT_LE(report["iterations"], 3);
    EXPECT_EQ(report["options"]["clusters"], 3);
    EXPECT_EQ(report["options"]["seed"], 5);
    EXPECT_EQ(report["options"]["swaps"], 2);
    EXPECT_EQ(report["options"]["swap_with"], "local");
    EXPECT_GT(report["points_per_second"], 0);
    EXPECT_GT(report["seconds"], 0);
    for (const char* name :
         {"churn", "outcome", "cpu_level", "version", "centres", "batch", "passes", "window", "best_balance"}) {
        EXPECT_TRUE(report.contains(name)) << name;
    }
    for (const char* name : {"balance", "average_balance", "best_balance", "cluster_balance",
                             "demographic_parity_difference", "worst_gap", "kl_fairness_error", "cluster_entropy"}) {
        EXPECT_TRUE(report["attributes"][0][name].is_number()) << name;
    }
}

TEST_F(Fit, IsReproducibleAtAnyThreadCount) {
    const json once = without_times(json_of(fit({"--json", "--threads", "1", "--batch", "64"})));
    EXPECT_EQ(without_times(json_of(fit({"--json", "--threads", "1", "--batch", "64"}))), once);
    EXPECT_EQ(without_times(json_of(fit({"--json", "--threads", "2", "--batch", "64"}))), once);
    EXPECT_NE(without_times(json_of(fit({"--json", "--seed", "2", "--batch", "64"}))), once);
}

TEST_F(Fit, ImprovesUnlessToldNotTo) {
    const json none = json_of(fit({"--json", "--refine-rounds", "0", "--set", "parity_at_least=0"}));
    const json open_ended = json_of(fit({"--json", "--set", "parity_at_least=0"}));
    EXPECT_EQ(none["iterations"], 0);
    EXPECT_EQ(none["refine_seconds"], 0);
    EXPECT_GT(open_ended["iterations"], 0);
    EXPECT_EQ(open_ended["outcome"], "converged");
    EXPECT_LE(open_ended["cost"], none["cost"]);
}

TEST_F(Fit, RetainsOnlyItsWindow) {
    const auto path = directory / "labels.csv";
    const json report = json_of(fit({"--json", "--window", "100", "--labels", path.string()}));
    EXPECT_EQ(report["points"], 100);
    EXPECT_EQ(report["sent"], n);
    const std::map<std::size_t, int> label = labels(path);
    ASSERT_EQ(label.size(), 100U);
    EXPECT_EQ(label.begin()->first, n - 100);
}

TEST_F(Fit, BalancesTheAttributeAskedForAndReportsAll) {
    const json report =
        json_of({"fit", "safairkm", "--input", file.string(), "--group", "sex,age_group", "--target", "rich",
                 "--clusters", "3", "--set", "attribute=1", "--set", "balance_at_least=0.6", "--json"});
    EXPECT_EQ(report["features"], 2);
    EXPECT_EQ(report["attribute"], "age_group");
    EXPECT_EQ(report["groups"], json({"0", "1", "2"}));
    EXPECT_GE(report["balance"], 0.6);
    EXPECT_EQ(report["attributes"][0]["attribute"], "sex");
    EXPECT_EQ(report["attributes"][1]["balance"], report["balance"]);
}

TEST_F(Fit, WritesTheReportWhereItIsTold) {
    const auto path = directory / "report.json";
    const test::Finished finished = fairstream(fit({"--report", path.string()}));
    EXPECT_EQ(finished.exit_code, 0);
    EXPECT_THAT(finished.out, HasSubstr("average balance")) << "the summary is printed all the same";
    EXPECT_EQ(json::parse(test::file_bytes(path))["points"], n);
    EXPECT_FALSE(std::filesystem::exists(path.string() + ".part"));
    EXPECT_EQ(fairstream(fit({"--report", (directory / "none/report.json").string()})).exit_code, 2);
    EXPECT_EQ(fairstream(fit({"--report", "/dev/full"})).exit_code, 1);
}

TEST_F(Fit, SummaryIsShort) {
    const test::Finished finished = fairstream(fit({}));
    EXPECT_EQ(finished.exit_code, 0);
    EXPECT_EQ(besides_the_price(finished.err), "");
    EXPECT_THAT(finished.out, AllOf(StartsWith("safairkm on "),
                                    Names({"600 points, 2 features (x, y), 3 clusters", "average balance", "female"})));
}

TEST_F(Fit, MadeUpApplicantsAreUnbalancedUnlessBalanced) {
    const auto loans = [](const std::string& setting) {
        return json_of({"fit", "safairkm", "--generate", "loans", "--points", "4000", "--clusters", "8", "--set",
                        setting, "--json"});
    };
    const json plain = loans("parity_at_least=0"), fair = loans("balance_at_least=0.4");
    EXPECT_EQ(plain["attribute"], "sex");
    EXPECT_LT(plain["balance"], 0.2);
    EXPECT_GE(fair["balance"], 0.4);
    EXPECT_LT(plain["cost"], fair["cost"]);
    EXPECT_GT(plain["best_balance"], 0.45);
}

std::vector<std::string> generated(const std::string& name, std::vector<std::string> more) {
    more.insert(more.begin(), {"fit", "safairkm", "--generate", name, "--clusters", "2", "--json", "--set"});
    return more;
}
json fit_generated(const std::string& name, std::vector<std::string> more) {
    return json_of(generated(name, std::move(more)));
}

TEST(FitSynthetic, KMeansSplitsThePapersSetsByGroup) {
    // Within a cluster twice the squared spread; in ds2, also the square of half of 1.1, for each side.
    const std::map<std::string, double> costs = {{"syn_equal_ds1", 0.18},
                                                 {"syn_unequal_ds1", 0.18},
                                                 {"syn_equal_ds2", 0.02 + 0.3025},
                                                 {"syn_unequal_ds2", 0.0338 + 0.3025}};
    for (const auto& [name, cost] : costs) {
        const bool equal = name.find("_equal") != name.npos;
        const json report = fit_generated(name, {"parity_at_least=0"});
        EXPECT_EQ(report["points"], 400);
        EXPECT_EQ(report["features"], 2);
        EXPECT_EQ(report["attribute"], "group");
        EXPECT_EQ(report["groups"], json({"black", "purple"}));
        EXPECT_EQ(report["balance"], 0);
        EXPECT_DOUBLE_EQ(report["best_balance"], equal ? 1.0 : 1.0 / 3);
        EXPECT_NEAR(report["cost"].get<double>(), cost, 0.05 * cost) << name;
        EXPECT_THAT(report["cluster_group_counts"],
                    testing::UnorderedElementsAre(json({equal ? 200 : 300, 0}), json({0, equal ? 200 : 100})));
        EXPECT_EQ(report["input"], json({{"generate", name}, {"points", 400}, {"seed", 1}}));
    }
}

TEST(FitSynthetic, BalanceCostsUpToBest) {
    for (const char* name : {"syn_equal_ds1", "syn_unequal_ds1", "syn_equal_ds2", "syn_unequal_ds2"}) {
        const json plain = fit_generated(name, {"parity_at_least=0"}),
                   some = fit_generated(name, {"balance_at_least=0.17"}),
                   best = std::string(name).find("_equal") != std::string::npos
                              ? fit_generated(name, {"balance_at_least=1"})
                              : json_of_a_miss(generated(name, {"balance_at_least=1"}));
        EXPECT_GE(some["balance"], 0.17) << name;
        EXPECT_LT(some["balance"], 0.18) << name;
        EXPECT_EQ(best["balance"], best["best_balance"]) << name;
        EXPECT_LT(plain["cost"], some["cost"]) << name;
        EXPECT_LT(some["cost"], best["cost"]) << name;
    }
}

TEST(FitSynthetic, TheFrontOfUnequalDs2HasAGap) {
    const json above = fit_generated("syn_unequal_ds2", {"balance_at_least=0.25", "--set", "starts=20"});
    EXPECT_DOUBLE_EQ(above["balance"], 1.0 / 3);
    EXPECT_EQ(above["cluster_group_counts"], json({{150, 50}, {150, 50}}));
}

TEST(FitSynthetic, OtherNumbersAndSeedsMayBeAskedFor) {
    const json report =
        fit_generated("syn_unequal_ds1", {"parity_at_least=0", "--points", "4000", "--generate-seed", "9"});
    EXPECT_EQ(report["points"], 4000);
    EXPECT_THAT(report["cluster_group_counts"], testing::UnorderedElementsAre(json({3000, 0}), json({0, 1000})));
    EXPECT_EQ(report["input"], json({{"generate", "syn_unequal_ds1"}, {"points", 4000}, {"seed", 9}}));
    EXPECT_EQ(json_of({"fit", "safairkm", "--generate", "loans", "--refine-rounds", "0", "--json"})["points"], 100'000);
}

TEST_F(Fit, RefusesWrongUseInOneLine) {
    const auto refused = [&](std::vector<std::string> more) { return refusal(fit(std::move(more))); };
    EXPECT_THAT(refused({"--set", "clustres=3"}),
                AllOf(StartsWith("fairstream fit: "), Names({"clustres", "kmeans_updates"})));
    EXPECT_THAT(refused({"--set", "swaps"}), HasSubstr("--set swaps: must be OPTION=VALUE"));
    EXPECT_THAT(refused({"--set", "swaps=-1"}), HasSubstr("swaps = -1"));
    EXPECT_THAT(refused({"--frobnicate"}), HasSubstr("unknown option '--frobnicate'"));
    EXPECT_THAT(refused({"extra"}), HasSubstr("unexpected argument 'extra'"));
    EXPECT_THAT(refused({"--batch", "0"}), Names({"--batch", "'0'", "1 to 16777216"}));
    EXPECT_THAT(refused({"--batch", "010x"}), Names({"--batch", "'010x'"}));
    EXPECT_THAT(refused({"--refine-rounds", "-1"}), Names({"--refine-rounds", "'-1'"}));
    EXPECT_THAT(refused({"--window", "2"}), Names({" 3", " 2"}));
    EXPECT_THAT(refused({"--target", "none"}), HasSubstr("'none'"));
    EXPECT_THAT(refused({"--generate", "loans"}), HasSubstr("--generate"));
    EXPECT_THAT(refusal({"fit", "kmeans", "--input", file.string(), "--group", "sex"}), Names({"kmeans", "safairkm"}));
    EXPECT_THAT(refusal({"fit", "safairkm", "--input", file.string(), "--group", "sex", "--clusters", "0"}),
                Names({"--clusters", "'0'"}));
    EXPECT_THAT(refusal({"fit", "safairkm", "--input", file.string(), "--group", "sex", "--clusters", "601"}),
                Names({"601", "600"}));
    EXPECT_THAT(refusal({"fit", "safairkm", "--group", "sex"}), HasSubstr("--input"));
    EXPECT_THAT(refusal({"fit", "safairkm"}), HasSubstr("--input"));
    const std::string before = test::file_bytes(file.string());
    EXPECT_THAT(refused({"--labels", file.string()}), Names({"--labels", file.string()}));
    EXPECT_THAT(refused({"--labels", "same.csv", "--report", "./same.csv"}), Names({"--labels", "--report"}));
    EXPECT_EQ(test::file_bytes(file.string()), before);
    EXPECT_THAT(refusal({"fit"}), StartsWith("fairstream fit: "));
    EXPECT_THAT(
        refusal({"fit", "safairkm", "--generate", "people"}),
        Names({"'people'", "loans, loan_decisions, syn_equal_ds1, syn_unequal_ds1, syn_equal_ds2, syn_unequal_ds2"}));
    EXPECT_THAT(refusal({"fit", "safairkm", "--generate", "syn_equal_ds1", "--points", "0"}),
                Names({"--points", "'0'"}));
    EXPECT_THAT(refusal({"fit", "safairkm", "--points", "10"}), HasSubstr("--points"));
}

TEST_F(Fit, BadInputIsRefusedWithPlace) {
    const auto refused = [&](std::string_view text) {
        return refusal({"fit", "safairkm", "--input", directory.write("bad.csv", text).string(), "--group", "sex",
                        "--clusters", "1"});
    };
    EXPECT_THAT(refused("x,sex\n1,m\nnan,f\n"),
                AllOf(StartsWith("fairstream fit: "), Names({"bad.csv", "'x' (1 of 2)", ": add --missing x=mean"})));
    EXPECT_THAT(refused("x,sex\n1,m\n2,m\n"), HasSubstr("('m')"));
    EXPECT_THAT(refused("x,gender\n1,m\n2,f\n"), Names({"'sex'", "'x', 'gender'"}));
    EXPECT_THAT(refused("x,sex\n1,m\n2,\"f\n"), HasSubstr("bad.csv:3:"));
    EXPECT_THAT(refused("x,sex\n1e30,m\n2,f\n"), HasSubstr("column 'x'"));
    EXPECT_THAT(refused("x,sex\n1,m\n\"a\nb\",f\n"), Names({"'x'", "2 values", "'a\\x0ab'"}));
    EXPECT_THAT(refusal({"fit", "safairkm", "--input", (directory / "none.csv").string(), "--group", "sex"}),
                HasSubstr("none.csv: No such"));
}

TEST(Program, RefusesWhatItDoesNotKnow) {
    EXPECT_THAT(refusal({}), AllOf(StartsWith("fairstream: "), HasSubstr("fit")));
    EXPECT_THAT(refusal({"frobnicate"}), StartsWith("fairstream: unknown command 'frobnicate'"));
    EXPECT_THAT(refusal({"--frobnicate"}), StartsWith("fairstream: unknown option '--frobnicate'"));
}

TEST(Program, RefusesEmptyValues) {
    for (const char* option : {"--labels", "--report", "--group", "--network", "--clusters"})
        EXPECT_THAT(refusal({"fit", "safairkm", "--generate", "loans", option, ""}), HasSubstr(option)) << option;
    EXPECT_THAT(refusal({"check", ""}), HasSubstr("empty value"));
}

TEST(Program, HelpsWithAnExampleForEveryCommand) {
    const test::Finished all = fairstream({"--help"});
    EXPECT_EQ(all.exit_code, 0);
    for (const char* name : {"serve", "send", "watch", "status", "set", "refine", "producers", "replay", "export",
                             "fit", "front", "check", "keys"}) {
        EXPECT_THAT(all.out, HasSubstr(name));
        const test::Finished one = fairstream({name, "--help"});
        EXPECT_EQ(one.exit_code, 0);
        EXPECT_EQ(one.err, "");
        EXPECT_THAT(one.out, Names({"Example:\n  fairstream " + std::string(name), "--help"}));
    }
    for (const char* name : {"fit", "front", "send", "predict"}) {
        EXPECT_THAT(fairstream({name, "--help"}).out,
                    Names({"\n  loans  ", "\n  syn_equal_ds1  ", "\n  syn_unequal_ds1  ", "\n  syn_equal_ds2  ",
                           "\n  syn_unequal_ds2  ", "\n  elliptical  "}));
        EXPECT_EQ(fairstream({name, "--help"}).out.find("\n  msbm  ") == std::string::npos,
                  name == std::string("send") || name == std::string("predict"));
    }
    EXPECT_THAT(fairstream({"--version"}).out, StartsWith("fairstream 0."));
}

}  // namespace
}  // namespace fairstream::command
