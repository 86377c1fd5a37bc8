#include <algorithm>
#include <filesystem>
#include <map>
#include <sstream>

#include <support/temporary_directory.hpp>

#include "command.hpp"

namespace fairstream::command {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::StartsWith;

/// A complete graph of 36 nodes. Heavy edges form three clusters, node % 3, each half red and half blue. Edges within a
/// colour also have weight, so that colour is the second best cut.
class FitGraph : public ::testing::Test {
protected:
    static constexpr int n = 36;

    static int cluster(int node) { return node % 3; }
    static bool red(int node) { return node / 3 % 2 == 0; }

    FitGraph() {
        std::string edge_text = "u,v,weight\n", node_text = "node,colour,shape\n";
        for (int u = n - 1; u >= 0; --u) {
            node_text += std::to_string(u) + (red(u) ? ",red," : ",blue,") + (u < 20 ? "round" : "square") + "\n";
            for (int v = 0; v < u; ++v) {
                const char* weight = cluster(u) == cluster(v) ? "1" : red(u) == red(v) ? "0.2" : "0.01";
                edge_text += std::to_string(u) + "," + std::to_string(v) + "," + weight + "\n";
            }
        }
        edges = directory.write("edges.csv", edge_text);
        nodes = directory.write("nodes.csv", node_text);
    }

    std::vector<std::string> fit(std::vector<std::string> more) const {
        std::vector<std::string> arguments{"fit",          "fair_spectral", "--edges", edges.string(), "--nodes",
                                           nodes.string(), "--group",       "colour",  "--clusters",   "3"};
        arguments.insert(arguments.end(), more.begin(), more.end());
        return arguments;
    }

    test::TemporaryDirectory directory;
    std::filesystem::path edges, nodes;
};

/// Returns the labels that a fit writes, by node.
std::vector<int> labels(const std::filesystem::path& path) {
    std::istringstream text(test::file_bytes(path));
    std::string line;
    std::getline(text, line);
    EXPECT_EQ(line, "id,label");
    std::vector<int> result;
    while (std::getline(text, line)) {
        EXPECT_EQ(std::stoul(line), result.size());
        result.push_back(std::stoi(line.substr(line.find(',') + 1)));
    }
    return result;
}

TEST_F(FitGraph, FindsClustersAndReportsLabels) {
    const auto path = directory / "labels.csv";
    const json report = json_of(fit({"--json", "--labels", path.string()}));
    const std::vector<int> label = labels(path);
    ASSERT_EQ(label.size(), std::size_t{n});
    std::vector<std::int64_t> sizes(3);
    std::vector<std::vector<std::int64_t>> counts(3, {0, 0});  // blue, red
    for (int node = 0; node < n; ++node) {
        EXPECT_EQ(label[node], label[cluster(node)]) << node;
        ++sizes.at(label[node]), ++counts.at(label[node])[red(node)];
    }
    EXPECT_EQ(report["cluster_sizes"], json(sizes));
    EXPECT_EQ(report["cluster_group_counts"], json(counts));
    EXPECT_EQ(report["attributes"][0]["cluster_group_counts"], json(counts));
    for (const char* name : {"balance", "average_balance", "best_balance"}) EXPECT_EQ(report[name], 1.0) << name;
}

TEST_F(FitGraph, ReportsProblemAndRun) {
    const json report = json_of(fit({"--json", "--seed", "7", "--set", "starts=3", "--threads", "2"}));
    EXPECT_EQ(report["model"], "fair_spectral");
    EXPECT_EQ(report["points"], n);
    EXPECT_EQ(report["edges"], n * (n - 1) / 2);
    EXPECT_EQ(report["clusters"], 3);
    EXPECT_EQ(report["attribute"], "colour");
    EXPECT_EQ(report["groups"], json({"blue", "red"}));
    EXPECT_EQ(report["outcome"], "converged");
    EXPECT_EQ(report["options"]["seed"], 7);
    EXPECT_EQ(report["options"]["starts"], 3);
    EXPECT_EQ(report["threads"], 2);
    EXPECT_EQ(report["input"], json({{"edges_file", edges.string()}, {"nodes_file", nodes.string()}}));
    for (const char* name : {"cost", "seconds", "iterations", "normalised_cut", "fairness_residual", "orthogonality"})
        EXPECT_TRUE(report[name].is_number()) << name;
    EXPECT_TRUE(report.contains("cpu_level"));
    EXPECT_TRUE(report.contains("version"));
    for (const char* name : {"batch", "passes", "window", "churn", "d", "centres"})
        EXPECT_FALSE(report.contains(name)) << name;
}

TEST_F(FitGraph, CutMatchesWeights) {
    double cut = 0, total = 0;  // of one cluster; the three are equal
    for (int u = 0; u < n; ++u) {
        for (int v = 0; v < n; ++v) {
            if (u == v || cluster(u) != 0) continue;
            const double weight = cluster(u) == cluster(v) ? 1 : red(u) == red(v) ? 0.2 : 0.01;
            total += weight;
            cut += cluster(v) != 0 ? weight : 0;
        }
    }
    EXPECT_NEAR(json_of(fit({"--json"}))["normalised_cut"].get<double>(), 3 * cut / total, 1e-4);
}

TEST_F(FitGraph, IsIndependentOfThreadsAndNodeOrder) {
    const json once = without_times(json_of(fit({"--json", "--threads", "1"})));
    EXPECT_EQ(without_times(json_of(fit({"--json", "--threads", "2"}))), once);
    std::istringstream text(test::file_bytes(nodes));
    std::vector<std::string> rows;
    for (std::string line; std::getline(text, line);) rows.push_back(line + "\n");
    std::reverse(rows.begin() + 1, rows.end());
    std::string reversed;
    for (const std::string& row : rows) reversed += row;
    directory.write("nodes.csv", reversed);
    EXPECT_EQ(without_times(json_of(fit({"--json"}))), once);
}

TEST_F(FitGraph, LabelsNodesByTheirNames) {
    const auto name = [](int node) {
        return "node " + std::string(1, static_cast<char>('a' + node % 26)) + std::to_string(node);
    };
    std::string edge_text = "u,v,weight\n", node_text = "node,colour\n";
    for (int u = 0; u < n; ++u) {
        node_text += name(u) + (red(u) ? ",red\n" : ",blue\n");
        for (int v = 0; v < u; ++v)
            edge_text += name(u) + "," + name(v) + "," +
                         (cluster(u) == cluster(v) ? "1"
                          : red(u) == red(v)       ? "0.2"
                                                   : "0.01") +
                         "\n";
    }
    const std::string by_name = (directory / "named.csv").string(), shares = (directory / "shares.csv").string();
    const test::Finished finished =
        fairstream({"fit", "lord", "--edges", directory.write("e.csv", edge_text).string(), "--nodes",
                    directory.write("n.csv", node_text).string(), "--group", "colour", "--clusters", "3", "--labels",
                    by_name, "--probabilities", shares});
    EXPECT_EQ(finished.exit_code, 0) << finished.err;
    std::istringstream lines(test::file_bytes(by_name));
    std::map<std::string, std::string> labels;
    for (std::string line; std::getline(lines, line);)
        labels[line.substr(0, line.find(','))] = line.substr(line.find(',') + 1);
    EXPECT_EQ(labels.size(), n + 1U);
    for (int node = 0; node < n; ++node) EXPECT_EQ(labels.at(name(node)), labels.at(name(cluster(node)))) << node;
    EXPECT_THAT(test::file_bytes(shares), HasSubstr("\n" + name(7) + ","));
}

TEST_F(FitGraph, ReportsAttributesThatItDoesNotBalance) {
    const json report = json_of({"fit", "fair_spectral", "--edges", edges.string(), "--nodes", nodes.string(),
                                 "--group", "shape,colour", "--clusters", "3", "--set", "attribute=1", "--json"});
    EXPECT_EQ(report["attribute"], "colour");
    EXPECT_EQ(report["attributes"][0]["attribute"], "shape");
    EXPECT_EQ(report["attributes"][1]["balance"], report["balance"]);
}

TEST_F(FitGraph, SummaryIsShort) {
    const test::Finished finished = fairstream(fit({}));
    EXPECT_EQ(finished.exit_code, 0);
    EXPECT_EQ(finished.err, "");
    EXPECT_THAT(finished.out,
                AllOf(StartsWith("fair_spectral on " + edges.string()),
                      Names({"36 nodes, 630 edges, 3 clusters", "average balance", "normalised cut", "blue"})));
    const auto path = directory / "report.json";
    EXPECT_THAT(fairstream(fit({"--report", path.string()})).out, HasSubstr("36 nodes"));
    EXPECT_EQ(json::parse(test::file_bytes(path))["points"], n);
}

TEST(FitGenerated, GraphsAreMadeByName) {
    const json planted = json_of({"fit", "fair_spectral", "--generate", "msbm", "--points", "500", "--generate-seed",
                                  "3", "--clusters", "50", "--json"});
    EXPECT_EQ(planted["points"], 500);
    EXPECT_EQ(planted["groups"], json({"0", "1", "2", "3", "4"}));
    EXPECT_EQ(planted["best_balance"], 1.0);
    EXPECT_EQ(planted["input"], json({{"generate", "msbm"}, {"points", 500}, {"seed", 3}}));
    const json random = json_of({"fit", "fair_spectral", "--generate", "rand_laplace", "--clusters", "5", "--json"});
    EXPECT_EQ(random["points"], 1'000);
    EXPECT_EQ(random["edges"], 499'500);
    EXPECT_EQ(random["groups"], json({"0", "1"}));
    EXPECT_EQ(random["input"], json({{"generate", "rand_laplace"}, {"points", 1'000}, {"seed", 1}}));
}

TEST(FitGenerated, GraphKeepsEllipsesWhole) {
    const auto ellipses = [](const char* model, std::vector<std::string> more) {
        more.insert(more.begin(), {"fit", model, "--generate", "elliptical", "--clusters", "2", "--json"});
        return json_of(std::move(more));
    };
    const json spectral = ellipses("fair_spectral", {});
    EXPECT_EQ(spectral["balance"], 1.0);
    EXPECT_THAT(spectral["cluster_group_counts"], ElementsAre(json({250, 250}), json({250, 250})));
    EXPECT_LT(ellipses("safairkm", {"--set", "parity_at_least=0"})["balance"], 0.15);
}

TEST(FitGenerated, ModelFiguresAreReported) {
    const json report = json_of({"fit", "fair_spectral", "--generate", "elliptical", "--clusters", "2", "--json"});
    for (const char* name : {"fairness_residual", "fairness_residual_before_polish", "orthogonality", "residual",
                             "normalised_cut", "operator_applications"}) {
        EXPECT_TRUE(report[name].is_number()) << name;
    }
    EXPECT_EQ(report["features"], 2);
    EXPECT_THAT(fairstream({"fit", "fair_spectral", "--generate", "elliptical", "--clusters", "2"}).out,
                Names({"normalised cut", "fairness residual"}));
}

TEST_F(FitGraph, RefusesWhatOnlyStreamsHave) {
    for (const char* option : {"--batch", "--passes", "--window", "--refine-rounds"}) {
        EXPECT_THAT(refusal(fit({option, "1"})), HasSubstr(option));
    }
    for (const char* option : {"--features", "--id", "--rows"})
        EXPECT_THAT(refusal(fit({option, "x"})), Names({option, "--input", "--edges"}));
    EXPECT_THAT(refusal(fit({"--unit-rows"})), Names({"--unit-rows", "--input"}));
}

// All points come in one event, whatever their number.
TEST(FitSpectral, AffinitiesAndSolversAreNamed) {
    for (const std::string affinity : {"knn", "rbf", "dense", "nystrom"})
        for (const std::string solver : {"krylov", "admm"}) {
            const json report =
                json_of({"fit", "fair_spectral", "--generate", "elliptical", "--points", "400", "--clusters", "2",
                         "--set", "affinity=" + affinity, "--set", "solver=" + solver, "--json"});
            EXPECT_EQ(report["options"]["affinity"], affinity);
            EXPECT_EQ(report["options"]["solver"], solver);
            EXPECT_EQ(report["batch"], 400);
            EXPECT_EQ(report["steps"], 1);
            EXPECT_LE(report["fairness_residual"], 1e-20) << affinity << " " << solver;
            EXPECT_LE(report["orthogonality"], 1e-20);
            EXPECT_GT(report["operator_applications"], 0);
            EXPECT_GE(report["normalised_cut"], 0);
            EXPECT_GE(report["average_balance"], report["balance"]);
        }
    EXPECT_THAT(fairstream({"fit", "fair_spectral", "--generate", "elliptical", "--set", "affinity=cosine"}).err,
                Names({"affinity = cosine", "knn|rbf|dense|nystrom"}));
    EXPECT_THAT(fairstream({"fit", "safairkm", "--generate", "elliptical", "--set", "solver=admm"}).err,
                HasSubstr("'solver'"));
}

TEST_F(FitGraph, RefusesHalfAGraphAndTwoInputs) {
    const auto with = [](std::vector<std::string> more) {
        more.insert(more.begin(), {"fit", "fair_spectral"});
        return refusal(std::move(more));
    };
    EXPECT_THAT(with({"--edges", edges.string()}), EndsWith("--edges requires --nodes"));
    EXPECT_THAT(with({"--nodes", nodes.string()}), EndsWith("--nodes requires --edges"));
    EXPECT_THAT(with({"--edges", edges.string(), "--nodes", nodes.string()}), HasSubstr("no --group"));
    EXPECT_THAT(with({"--group", "colour"}), EndsWith("--group requires --input or --nodes"));
    EXPECT_THAT(with({"--generate", "msbm", "--group", "colour"}), EndsWith("--group requires --input or --nodes"));
    EXPECT_THAT(refusal(fit({"--input", nodes.string()})), Names({"excludes", "--edges"}));
    EXPECT_THAT(refusal(fit({"--generate", "msbm"})), Names({"excludes", "--edges"}));
    EXPECT_THAT(refusal(fit({"--labels", nodes.string()})), Names({"--labels", nodes.string()}));
    EXPECT_THAT(refusal(fit({"--report", edges.string()})), Names({"--report", edges.string()}));
}

TEST_F(FitGraph, RefusesAGraphWherePointsAreNeeded) {
    std::vector<std::string> arguments = fit({});
    arguments[1] = "safairkm";
    EXPECT_THAT(refusal(arguments), Names({"safairkm", "fair_spectral", "lord"}));
    EXPECT_THAT(refusal({"fit", "live_front", "--generate", "rand_laplace"}), Names({"'rand_laplace'", "live_front"}));
    EXPECT_THAT(refusal({"front", "--generate", "msbm"}), Names({"'msbm'", "fairstream front fair_spectral"}));
    EXPECT_THAT(refusal({"send", "--ingest", "tcp://127.0.0.1:1", "--generate", "msbm"}),
                Names({"'msbm'", "fairstream fit fair_spectral"}));
    EXPECT_THAT(refusal({"front", "--edges", edges.string()}), EndsWith("--edges requires --nodes"));
}

TEST_F(FitGraph, BadGraphIsRefusedWithPlace) {
    EXPECT_THAT(refusal({"fit", "fair_spectral", "--generate", "msbm", "--points", "100"}),
                EndsWith("nodes = 100 must be 250 to 32768"));
    std::vector<std::string> too_many = fit({});
    too_many.back() = "37";
    EXPECT_THAT(refusal(too_many), Names({"36", "37"}));
    directory.write("edges.csv", "u,v\n0,1\n1,2\n1,0\n3,3\n");
    EXPECT_THAT(fairstream(fit({})).err, Names({"1 edge between", "1 edge from"}));
    directory.write("edges.csv", "u,v,weight\n0,1,1\n1,2,1\n1,0,2\n");
    EXPECT_THAT(refusal(fit({})), AllOf(StartsWith("fairstream fit: "), Names({"edges.csv:4:", "line 2"})));
    directory.write("edges.csv", "u,v\n0,36\n");
    EXPECT_THAT(refusal(fit({})), Names({"edges.csv:2:", "'v'", "'36'", "0 to 35"}));
    directory.write("nodes.csv", "node,colour\n0,red\n1,red\n");
    directory.write("edges.csv", "u,v\n0,1\n");
    EXPECT_THAT(refusal(fit({})), Names({"'colour'", "('red')"}));
}

}  // namespace
}  // namespace fairstream::command
