/// Treatment by `fairstream fit` of options that contradict each other, are out of range, or ask nothing of groups.

#include "command.hpp"
#include "support/temporary_directory.hpp"

namespace fairstream::command {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

class FitOptionValues : public ::testing::Test {
protected:
    FitOptionValues() {
        std::string rows = "x,y,sex\n";
        for (int i = 0; i < 40; ++i)
            rows += std::to_string(i % 7) + "," + std::to_string(i % 11) + (i % 3 == 0 ? ",f\n" : ",m\n");
        file = directory.write("people.csv", rows);
        plain = directory.write("plain.csv", without_last_column(rows));
    }
    static std::string without_last_column(const std::string& rows) {
        std::string kept;
        for (std::size_t first = 0, end = 0; first < rows.size(); first = end + 1) {
            end = rows.find('\n', first);
            kept += rows.substr(first, rows.rfind(',', end) - first) + "\n";
        }
        return kept;
    }
    std::vector<std::string> fit(std::vector<std::string> more) const {
        more.insert(more.begin(), {"fit", "safairkm", "--input", file.string(), "--group", "sex"});
        return more;
    }
    std::vector<std::string> fit_without_groups(std::vector<std::string> more) const {
        more.insert(more.begin(), {"fit", "safairkm", "--input", plain.string()});
        return more;
    }

    test::TemporaryDirectory directory;
    std::filesystem::path file, plain;
};

TEST_F(FitOptionValues, TwoValuesForOneOptionAreRefused) {
    const auto refused = [&](std::vector<std::string> more) { return refusal(fit(std::move(more))); };
    EXPECT_THAT(refused({"--clusters", "5", "--set", "clusters=6"}), Names({"--clusters 5", "--set clusters=6"}));
    EXPECT_THAT(refused({"--set", "seed=2", "--seed", "3"}), Names({"--seed 3", "--set seed=2"}));
    EXPECT_THAT(refused({"--set", "starts=2", "--set", "starts=3"}), Names({"--set starts=2", "--set starts=3"}));
    EXPECT_THAT(refusal({"front", "--generate", "loans", "--set", "candidates=2", "--set", "candidates=3"}),
                Names({"--set candidates=2", "--set candidates=3"}));
}

TEST_F(FitOptionValues, OneValueMayBeGivenTwice) {
    const json report = json_of(fit({"--clusters", "3", "--set", "clusters=3", "--set", "balance_at_least=0.1", "--set",
                                     "balance_at_least=.10", "--json"}));
    EXPECT_EQ(report["clusters"], 3);
}

TEST_F(FitOptionValues, RequiresIntegers) {
    const auto refused = [&](const std::string& setting) { return refusal(fit({"--set", setting})); };
    EXPECT_THAT(refused("size_at_least=2.5"), Names({"size_at_least = 2.5", "0 to 2147483647"}));
    EXPECT_THAT(refused("attribute=0.5"), Names({"attribute = 0.5", "0 to 255"}));
    EXPECT_THAT(refused("balance_at_least=2"), HasSubstr("balance_at_least = 2: must be 0 to 1"));
}

TEST_F(FitOptionValues, GroupOrderOfListsIsNamed) {
    const auto refused = [&](const std::string& setting) { return refusal(fit({"--set", setting})); };
    EXPECT_THAT(refused("share_at_least=0.1,0.2,0.3"), Names({"2 groups", "'f', 'm'"}));
    EXPECT_THAT(refused("named_groups=2"), HasSubstr("named_groups = 2: there are 2 groups, 0: 'f', 1: 'm'"));
    EXPECT_THAT(refused("named_groups=0,0"), HasSubstr("named_groups = 0,0"));
    EXPECT_THAT(refused("attribute=0,0"), Names({"attribute = 0,0", "'sex'"}));
    // The first value applies to 'f', a third of the points.
    EXPECT_EQ(fairstream(fit({"--clusters", "2", "--set", "share_at_least=0.2,0.5"})).exit_code, 0);
    EXPECT_EQ(fairstream(fit({"--clusters", "2", "--set", "share_at_least=0.5,0.2"})).exit_code, 3);
    EXPECT_THAT(fairstream({"fit", "safairkm", "--help"}).out, HasSubstr("sorted:"));
}

TEST_F(FitOptionValues, TooFewPointsAreSpokenOfAsPoints) {
    EXPECT_THAT(refusal(fit({"--clusters", "41"})),
                AllOf(Names({"clusters = 41", " 40 "}), Not(HasSubstr("capacity"))));
    EXPECT_THAT(refusal(fit({"--clusters", "5", "--window", "4"})),
                HasSubstr("clusters = 5: --window retains 4 points only"));
}

TEST_F(FitOptionValues, WithoutGroupsAFitIsPlainKMeans) {
    const json bare = json_of(fit_without_groups({"--clusters", "3", "--json"}));
    const json unasked = json_of(fit({"--clusters", "3", "--set", "parity_at_least=0", "--json"}));
    EXPECT_EQ(bare["cost"], unasked["cost"]);
    EXPECT_EQ(bare["cluster_sizes"], unasked["cluster_sizes"]);
    EXPECT_EQ(bare["outcome"], "converged");
    EXPECT_TRUE(bare["default_target"].is_null());
    for (const char* name :
         {"attribute", "groups", "attributes", "balance", "average_balance", "parity", "cluster_group_counts"})
        EXPECT_FALSE(bare.contains(name)) << name;
    EXPECT_THAT(fairstream(fit_without_groups({"--clusters", "3"})).out,
                AllOf(Names({"40 points, 2 features (x, y), 3 clusters", "cluster  points"}), Not(HasSubstr("balance")),
                      Not(HasSubstr("parity"))));
}

TEST_F(FitOptionValues, SizesAreKeptWithoutGroups) {
    const json report = json_of(
        fit_without_groups({"--clusters", "3", "--set", "size_at_least=12", "--set", "size_at_most=14", "--json"}));
    for (const json& size : report["cluster_sizes"]) {
        EXPECT_GE(size, 12);
        EXPECT_LE(size, 14);
    }
    const test::Finished missed = fairstream(fit_without_groups({"--clusters", "3", "--set", "size_at_least=14"}));
    EXPECT_EQ(missed.exit_code, 3);
    EXPECT_THAT(missed.err,
                AllOf(StartsWith("warning: "), Names({"size_at_least = 14", "40 points", "13", "3 clusters"})));
}

TEST_F(FitOptionValues, WhatIsOfGroupsNeedsThem) {
    for (const std::string setting : {"balance_at_least=0.4", "parity_at_least=0.8", "share_delta=0.2",
                                      "share_at_least=0.1", "share_at_most=0.9", "named_groups=0", "swaps=4"})
        EXPECT_THAT(refusal(fit_without_groups({"--set", setting})),
                    Names({setting.substr(0, setting.find('=')) + " ", "--group"}));
    for (const char* model : {"fair_spectral", "live_front"})
        EXPECT_THAT(refusal({"fit", model, "--input", plain.string()}), HasSubstr("no --group")) << model;
}

TEST(FitLiveFront, ReportsAllItsClusterings) {
    const std::vector<std::string> fit{"fit", "live_front", "--generate", "loans", "--points", "300"};
    std::vector<std::string> as_json = fit;
    as_json.emplace_back("--json");
    const json report = json_of(as_json);
    int published = 0;
    for (const json& point : report["front"]) {
        if (!point["published"]) continue;
        ++published;
        EXPECT_EQ(point["cost"], report["cost"]);
        EXPECT_EQ(point["balance"], report["balance"]);
    }
    EXPECT_EQ(published, 1);
    EXPECT_GT(report["front"].size(), 1U);
    EXPECT_THAT(fairstream(fit).out, HasSubstr("published\n"));
}

}  // namespace
}  // namespace fairstream::command
