/// `fairstream front fair_spectral`: fronts of the normalised cut, for graphs and for points.

#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include <support/temporary_directory.hpp>

#include "front_files.hpp"

namespace fairstream::command {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::StartsWith;

/// A complete graph of 36 nodes. Heavy edges form three clusters, node % 3; in each, one colour is more frequent.
class FrontGraph : public ::testing::Test {
protected:
    static constexpr int n = 36;

    static bool red(int node) { return (node / 3) % 4 < 1 + node % 3; }
    static double weight(int u, int v) { return (u % 3 == v % 3 ? 1 : 0.05) + (red(u) == red(v) ? 0.25 : 0); }

    FrontGraph() {
        std::string edge_text = "u,v,weight\n", node_text = "node,colour\n";
        for (int u = 0; u < n; ++u) {
            node_text += std::to_string(u) + (red(u) ? ",red\n" : ",blue\n");
            for (int v = 0; v < u; ++v)
                edge_text += std::to_string(u) + "," + std::to_string(v) + "," + std::to_string(weight(u, v)) + "\n";
        }
        edges = directory.write("edges.csv", edge_text);
        nodes = directory.write("nodes.csv", node_text);
    }
    [[nodiscard]] std::vector<std::string> front(const std::vector<std::string>& more) const {
        std::vector<std::string> arguments{"front",      "fair_spectral",
                                           "--edges",    edges.string(),
                                           "--nodes",    nodes.string(),
                                           "--group",    "colour",
                                           "--clusters", "3",
                                           "--stages",   "8",
                                           "--starts",   "3",
                                           "--rounds",   "1"};
        arguments.insert(arguments.end(), more.begin(), more.end());
        return arguments;
    }
    [[nodiscard]] std::string path(const std::string& name) const { return (directory / name).string(); }

    test::TemporaryDirectory directory;
    std::filesystem::path edges, nodes;
};

TEST_F(FrontGraph, ReportsTheCutsAndBalancesOfItsLabels) {
    const json report = json_of(front({"--json", "--pick", "balance>=0.5", "--labels", path("l.csv"), "--csv",
                                       path("f.csv"), "--report", path("f.json"), "--plot", path("f.svg")}));
    EXPECT_EQ(report["model"], "fair_spectral");
    EXPECT_EQ(report["points"], n);
    EXPECT_EQ(report["edges"], n * (n - 1) / 2);
    EXPECT_FALSE(report.contains("d"));
    EXPECT_EQ(report["clusters"], 3);
    EXPECT_EQ(report["attribute"], "colour");
    EXPECT_EQ(report["reference_normalised_cut"], 3);
    EXPECT_EQ(report["stages"], 8);
    EXPECT_EQ(report["options"]["starts"], 3);
    EXPECT_FALSE(report.contains("pairs"));
    EXPECT_EQ(report["input"], json({{"edges_file", edges.string()}, {"nodes_file", nodes.string()}}));
    ASSERT_GT(report["front"].size(), 1U);
    for (std::size_t i = 1; i < report["front"].size(); ++i) {
        EXPECT_GT(report["front"][i]["normalised_cut"], report["front"][i - 1]["normalised_cut"]);
        EXPECT_GT(report["front"][i]["balance"], report["front"][i - 1]["balance"]);
    }
    std::vector<int> label;
    for (const auto& row : rows_of(path("l.csv"), "id,label")) {
        EXPECT_EQ(row.at(0), std::to_string(label.size()));
        label.push_back(std::stoi(row.at(1)));
    }
    ASSERT_EQ(label.size(), std::size_t{n});
    double cut = 0, balance = 1;
    for (int l = 0; l < 3; ++l) {
        double leaving = 0, all = 0;
        std::vector<double> counts(2);
        for (int u = 0; u < n; ++u) {
            if (label[u] != l) continue;
            ++counts[red(u) ? 1 : 0];
            for (int v = 0; v < n; ++v) {
                if (u == v) continue;
                all += weight(u, v);
                leaving += label[v] != l ? weight(u, v) : 0;
            }
        }
        cut += leaving / all;
        balance = std::min(balance, std::ranges::min(counts) / std::ranges::max(counts));
    }
    EXPECT_NEAR(report["picked"]["normalised_cut"].get<double>(), cut, 1e-5);
    EXPECT_EQ(report["picked"]["balance"], balance);
    EXPECT_EQ(report["picked"]["attributes"][0]["balance"], balance);
    EXPECT_EQ(rows_of(path("f.csv"), "normalised_cut,balance").size(), report["front"].size());
    EXPECT_EQ(json::parse(test::file_bytes(path("f.json"))), report);
    EXPECT_THAT(xml_texts(test::file_bytes(path("f.svg"))),
                AllOf(Contains(Names({"edges.csv", "36 nodes", "3 clusters", "balance", "colour"})),
                      Contains(StartsWith("normalised cut: "))));
}

TEST_F(FrontGraph, IsTheSameAtAnyNumberOfThreads) {
    const auto points = [&](const char* threads) { return json_of(front({"--json", "--threads", threads}))["front"]; };
    const json once = points("1");
    for (const char* threads : {"2", "4", "0"}) EXPECT_EQ(points(threads), once);
}

TEST_F(FrontGraph, SummaryIsShort) {
    const test::Finished finished = fairstream(front({"--pick", "normalised_cut<=3"}));
    EXPECT_EQ(finished.exit_code, 0);
    EXPECT_EQ(finished.err, "");
    EXPECT_THAT(finished.out,
                AllOf(StartsWith("front on "), Names({"36 nodes, 630 edges, 3 clusters", "colour\n", "cut 3.0000",
                                                      "balance  normalised cut", "picked"})));
}

TEST_F(FrontGraph, OverlaysNeedSameCost) {
    const People people;
    json_of(front({"--json", "--report", path("cuts.json")}));
    json_of(people.front({"--json", "--report", path("costs.json")}));
    EXPECT_THAT(refusal(front({"--plot", path("p.svg"), "--overlay", path("costs.json")})),
                AllOf(HasSubstr("costs.json"), EndsWith(" normalised_cut")));
    EXPECT_THAT(refusal(people.front({"--plot", path("p.svg"), "--overlay", path("cuts.json")})),
                AllOf(HasSubstr("cuts.json"), EndsWith(" cost")));
    json_of(front({"--json", "--plot", path("p.svg"), "--overlay", path("cuts.json")}));
    EXPECT_THAT(xml_texts(test::file_bytes(path("p.svg"))), Contains(StartsWith("cuts")));
}

TEST_F(FrontGraph, RefusesWhatIsNotForIt) {
    EXPECT_THAT(refusal(front({"--pairs", "1:0"})), Names({"--pairs", "safairkm", "fair_spectral"}));
    EXPECT_THAT(refusal(front({"--iterations-per-pair", "2"})), Names({"--iterations-per-pair", "safairkm"}));
    EXPECT_THAT(refusal(front({"--pick", "cost<=1"})), Names({"knee", "balance>=X", "normalised_cut<=X"}));
    EXPECT_THAT(refusal(front({"--set", "balance_at_least=0.4"})), HasSubstr("use --pick"));
    EXPECT_THAT(refusal(front({"--set", "swap=nearest"})), HasSubstr("no option 'swap'"));
    EXPECT_THAT(refusal(front({"--labels", edges.string(), "--pick", "knee"})), Names({"--labels", edges.string()}));
    EXPECT_THAT(refusal(front({"--csv", nodes.string()})), Names({"--csv", nodes.string()}));
    std::vector<std::string> other = front({});
    other[1] = "safairkm";
    EXPECT_THAT(refusal(other), HasSubstr("fairstream front fair_spectral"));
    other[1] = "live_front";
    EXPECT_THAT(refusal(other), Names({"'live_front'", "safairkm", "fair_spectral"}));
    std::vector<std::string> many = front({});
    many[9] = "36";
    EXPECT_THAT(refusal(many), Names({"36 clusters", "1 constraints"}));
    directory.write("nodes.csv", "node,colour\n0,red\n1,red\n");
    directory.write("edges.csv", "u,v\n0,1\n");
    EXPECT_THAT(refusal(front({})), Names({"'colour'", "('red')"}));
}

TEST(FrontOfModels, SafairkmIsMeantWhereNoneIsNamed) {
    const People people;
    std::vector<std::string> named = people.front({"--json"});
    named.insert(named.begin() + 1, "safairkm");
    const json plain = json_of(people.front({"--json"}));
    EXPECT_EQ(plain["model"], "safairkm");
    EXPECT_EQ(json_of(named)["front"], plain["front"]);
}

TEST(FrontOfModels, PointsHaveFrontsOfTheCut) {
    const People people;
    std::vector<std::string> arguments = people.front({"--json", "--stages", "6", "--set", "neighbours=7", "--id", "id",
                                                       "--pick", "balance>=0", "--labels", people.path("l.csv")});
    arguments.insert(arguments.begin() + 1, "fair_spectral");
    const json report = json_of(arguments);
    EXPECT_EQ(report["features"], 2);
    EXPECT_EQ(report["points"], People::n);
    EXPECT_EQ(report["options"]["neighbours"], 7);
    EXPECT_EQ(report["picked"]["index"], 0);
    const auto rows = rows_of(people.path("l.csv"), "id,label");
    ASSERT_EQ(rows.size(), People::n);
    EXPECT_EQ(rows.front().at(0), std::to_string(1000 - People::n + 1)) << "ids of the file";
    const json made = json_of({"front", "fair_spectral", "--generate", "msbm", "--points", "250", "--clusters", "5",
                               "--stages", "2", "--starts", "2", "--rounds", "0", "--json"});
    EXPECT_EQ(made["points"], 250);
    EXPECT_TRUE(made.contains("edges"));
}

}  // namespace
}  // namespace fairstream::command
