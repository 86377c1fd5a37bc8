/// `fit lord`: graphs, probabilities of clusters, and the scan for tau.

#include <algorithm>
#include <filesystem>
#include <map>
#include <random>
#include <sstream>

#include <support/temporary_directory.hpp>

#include "command.hpp"

namespace fairstream::command {
namespace {

using ::testing::AllOf;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

using Labels = std::map<std::uint64_t, int>;
using Rows = std::map<std::uint64_t, std::vector<float>>;

/// Returns the lines after the heading, split at commas; the ids, in the first cell, must rise.
std::vector<std::vector<std::string>> cells(const std::filesystem::path& path, const std::string& heading) {
    std::istringstream text(test::file_bytes(path));
    std::string line;
    std::getline(text, line);
    EXPECT_EQ(line, heading);
    std::vector<std::vector<std::string>> rows;
    while (std::getline(text, line)) {
        std::istringstream cut(line);
        std::vector<std::string>& row = rows.emplace_back();
        for (std::string cell; std::getline(cut, cell, ',');) row.push_back(cell);
        if (rows.size() > 1) {
            EXPECT_LT(std::stoull(rows[rows.size() - 2][0]), std::stoull(row[0]));
        }
    }
    return rows;
}

Labels labels_in(const std::filesystem::path& path) {
    Labels labels;
    for (const auto& row : cells(path, "id,label")) labels[std::stoull(row[0])] = std::stoi(row[1]);
    return labels;
}

Rows probabilities_in(const std::filesystem::path& path, std::size_t k) {
    std::string heading = "id";
    for (std::size_t j = 0; j < k; ++j) heading += ",p" + std::to_string(j);
    Rows rows;
    for (const auto& row : cells(path, heading)) {
        EXPECT_EQ(row.size(), k + 1);
        for (std::size_t j = 1; j < row.size(); ++j) rows[std::stoull(row[0])].push_back(std::stof(row[j]));
    }
    return rows;
}

int most_probable(const std::vector<float>& row) {
    return static_cast<int>(std::ranges::max_element(row) - row.begin());
}

void expect_probabilities(const Rows& rows, std::size_t points) {
    EXPECT_EQ(rows.size(), points);
    for (const auto& [id, row] : rows) {
        double sum = 0;
        for (const float p : row) {
            EXPECT_GE(p, 0);
            sum += static_cast<double>(p);
        }
        EXPECT_NEAR(sum, 1, 1e-5) << id;
    }
}

/// Four cliques of ten nodes each, node % 4, half red and half blue; a weak edge joins each to the next. Node 40 is red
/// and has no edge.
class FitLordGraph : public ::testing::Test {
protected:
    static constexpr int cliques = 4, n = 41;
    static int clique(int node) { return node % cliques; }
    static bool red(int node) { return node / cliques % 2 == 0; }

    FitLordGraph() {
        std::string edge_text = "u,v,weight\n", node_text = "node,colour,kind\n";
        for (int u = 0; u < n; ++u) {
            node_text += std::to_string(u) + (red(u) ? ",red,c" : ",blue,c") + std::to_string(clique(u)) + "\n";
            for (int v = 0; v < u && u < n - 1; ++v)
                if (clique(u) == clique(v)) edge_text += std::to_string(u) + "," + std::to_string(v) + ",1\n";
        }
        edges = directory.write("edges.csv", edge_text + "0,1,0.25\n1,2,0.25\n2,3,0.25\n").string();
        nodes = directory.write("nodes.csv", node_text).string();
    }

    std::vector<std::string> fit(std::vector<std::string> more) const {
        more.insert(more.begin(), {"fit", "lord", "--edges", edges, "--nodes", nodes, "--clusters", "4"});
        return more;
    }

    test::TemporaryDirectory directory;
    std::string edges, nodes;
    const std::vector<std::string> by_colour{"--group", "colour"};
};

TEST_F(FitLordGraph, FindsCliquesAndReportsLabels) {
    const auto path = directory / "labels.csv";
    const json report = json_of(fit({"--group", "colour", "--json", "--labels", path.string()}));
    Labels labels = labels_in(path);
    ASSERT_EQ(labels.size(), std::size_t{n});
    std::vector<std::int64_t> sizes(cliques);
    for (const auto& [node, label] : labels) {
        if (node < n - 1) {
            EXPECT_EQ(label, labels[node % cliques]) << node;
        }
        ++sizes.at(static_cast<std::size_t>(label));
    }
    EXPECT_EQ(report["model"], "lord");
    EXPECT_EQ(report["points"], n);
    EXPECT_EQ(report["edges"], cliques * 45 + 3);
    EXPECT_EQ(report["clusters"], cliques);
    EXPECT_EQ(report["cluster_sizes"], json(sizes));
    EXPECT_EQ(report["groups"], json({"blue", "red"}));
    EXPECT_EQ(report["outcome"], "converged");
    EXPECT_EQ(report["missed_targets"], json::array());
    // Each clique has weight 90 inside; the outer two have one edge of 0.25 to others, the inner ones two.
    EXPECT_NEAR(report["normalised_cut"].get<double>(), 2 * 0.25 / 90.25 + 2 * 0.5 / 90.5, 1e-6);
    for (const char* name : {"block_diagonality", "confidence"}) {
        EXPECT_GT(report[name], 0.25) << name;
        EXPECT_LE(report[name], 1 + 1e-9) << name;
    }
    EXPECT_GT(report["tau"], 0);
    EXPECT_LT(report["share_gap"], 1e-6) << "groups have their shares of the probabilities exactly";
    for (const char* name : {"cost", "seconds", "iterations", "balance", "average_balance", "projection_rounds"})
        EXPECT_TRUE(report[name].is_number()) << name;
    for (const char* name : {"batch", "passes", "window", "churn", "d", "centres"})
        EXPECT_FALSE(report.contains(name)) << name;
}

TEST_F(FitLordGraph, SummaryIsShort) {
    const test::Finished finished = fairstream(fit({"--group", "colour"}));
    EXPECT_EQ(finished.exit_code, 0) << finished.err;
    EXPECT_THAT(finished.out, AllOf(StartsWith("lord on " + edges),
                                    Names({"41 nodes, 183 edges, 4 clusters\n", "mean probability", "blue"})));
    const test::Finished plain = fairstream(fit({}));
    EXPECT_EQ(plain.exit_code, 0) << plain.err;
    EXPECT_THAT(plain.out, AllOf(HasSubstr("4 clusters"), Not(HasSubstr("balance"))));
}

TEST_F(FitLordGraph, WritesHowProbableClustersAreForItsNodes) {
    const auto labels = directory / "labels.csv", path = directory / "p.csv";
    for (const std::string method : {"b_lord", "lord"}) {
        (void)json_of(fit(
            {"--set", "method=" + method, "--probabilities", path.string(), "--labels", labels.string(), "--json"}));
        const Rows rows = probabilities_in(path, cliques);
        expect_probabilities(rows, n);
        for (const auto& [node, label] : labels_in(labels)) EXPECT_EQ(label, most_probable(rows.at(node))) << node;
    }
}

TEST_F(FitLordGraph, IsSameAtAnyThreadCount) {
    const auto bytes = [&](const char* threads) {
        const auto labels = directory / "labels.csv", path = directory / "p.csv";
        const json report = json_of(fit({"--group", "colour", "--target", "kind", "--probabilities", path.string(),
                                         "--labels", labels.string(), "--threads", threads, "--json"}));
        return without_times(report).dump() + test::file_bytes(labels) + test::file_bytes(path);
    };
    EXPECT_EQ(bytes("1"), bytes("2"));
}

TEST_F(FitLordGraph, SaysWhichTargetItMisses) {
    // 21 red and 20 blue nodes: no four clusters have equal numbers of both.
    const json report = json_of_a_miss(fit({"--group", "colour", "--set", "balance_at_least=1", "--json"}));
    EXPECT_EQ(report["missed_targets"].size(), 1U);
    const json met = json_of(fit({"--group", "colour", "--set", "balance_at_least=0.8", "--json"}));
    EXPECT_GE(met["balance"], 0.8);
    EXPECT_THAT(refusal(fit({"--set", "balance_at_least=0.8"})), Names({"balance_at_least", "--group"}));
}

TEST_F(FitLordGraph, RefusesTooManyClustersAndStreamOptions) {
    std::vector<std::string> many = fit({});
    many.back() = "42";
    EXPECT_THAT(refusal(many), Names({"clusters = 42", " 41"}));
    EXPECT_THAT(refusal(fit({"--window", "10"})), HasSubstr("--window"));
    EXPECT_THAT(refusal(fit({"--set", "affinity=rbf"})), HasSubstr("'affinity'"));
}

TEST_F(FitLordGraph, ScansTauByTheClassesOfItsNodes) {
    const json report = json_of(fit({"--set", "tau=scan", "--set", "starts=2", "--target", "kind", "--json"}));
    EXPECT_EQ(report["tau_oracle"], true);
    EXPECT_EQ(report["tau_scanned"].size(), 101U);
    EXPECT_GE(report["accuracy"], 40.0 / 41) << "but for the node without an edge, whose class nothing tells";
    EXPECT_EQ(report["options"]["tau"], report["tau"]);
}

TEST(FitLord, GraphsAreMadeByName) {
    const json report = json_of({"fit", "lord", "--generate", "msbm", "--points", "500", "--generate-seed", "3",
                                 "--clusters", "10", "--set", "starts=2", "--set", "parity_at_least=0", "--json"});
    EXPECT_EQ(report["points"], 500);
    EXPECT_EQ(report["input"], json({{"generate", "msbm"}, {"points", 500}, {"seed", 3}}));
    EXPECT_TRUE(report["normalised_cut"].is_number());
}

/// Sixty overlapping points of three groups, with falling ids.
class FitLordPoints : public ::testing::Test {
protected:
    static constexpr int n = 60;

    FitLordPoints() {
        std::mt19937_64 random(5);
        const auto unit = [&] { return static_cast<double>(random() % 2000) / 1000 - 1; };
        std::string text = "id,x,y,kind,sex\n";
        for (int i = 0; i < n; ++i) {
            const int kind = i % 10 < 5 ? 0 : i % 10 < 8 ? 1 : 2;
            text += std::to_string(900 - i) + "," + std::to_string(2 * (kind % 2) + unit() + unit()) + "," +
                    std::to_string(2 * (kind / 2) + unit() + unit()) + ",k" + std::to_string(kind) +
                    (i % 2 == 0 ? ",f\n" : ",m\n");
        }
        file = directory.write("points.csv", text).string();
    }

    std::vector<std::string> fit(std::vector<std::string> more) const {
        more.insert(more.begin(), {"fit", "lord", "--input", file, "--id", "id", "--features", "x,y", "--clusters", "3",
                                   "--set", "starts=3"});
        return more;
    }

    test::TemporaryDirectory directory;
    std::string file;
};

TEST_F(FitLordPoints, LargestProbabilityIsLabel) {
    const auto labels = directory / "labels.csv", path = directory / "p.csv";
    (void)json_of(fit({"--probabilities", path.string(), "--labels", labels.string(), "--json"}));
    const Rows rows = probabilities_in(path, 3);
    expect_probabilities(rows, n);
    EXPECT_EQ(rows.begin()->first, 841U);
    for (const auto& [id, label] : labels_in(labels)) EXPECT_EQ(label, most_probable(rows.at(id))) << id;
    (void)json_of(fit({"--probabilities", path.string(), "--window", "40", "--json"}));
    const Rows retained = probabilities_in(path, 3);
    expect_probabilities(retained, 40);
    EXPECT_EQ(retained.rbegin()->first, 880U);
}

TEST_F(FitLordPoints, TargetsMoveLabelsAndNoProbability) {
    const auto path = directory / "p.csv";
    const auto bytes = [&](std::vector<std::string> more) {
        more.insert(more.begin(), {"--group", "sex", "--probabilities", path.string(), "--json"});
        EXPECT_EQ(fairstream(fit(std::move(more))).exit_code, 0);
        return test::file_bytes(path);
    };
    EXPECT_EQ(bytes({"--set", "balance_at_least=0.9"}), bytes({"--set", "parity_at_least=0"}));
}

TEST_F(FitLordPoints, NotesGroupsWithoutSharesAndWeakLabels) {
    const auto told = [&](std::vector<std::string> more) {
        more.insert(more.begin(), {"--group", "sex"});
        return fairstream(fit(std::move(more))).err;
    };
    EXPECT_THAT(told({"--set", "small_below=40"}),
                Names({"40 points", "small_below", "'f' of 'sex' (30 points)", "'m' of 'sex' (30 points)"}));
    EXPECT_THAT(told({"--set", "small_below=40", "--set", "fair=off"}), Not(HasSubstr("'f' of 'sex'")));
    EXPECT_THAT(told({}), Not(HasSubstr("'f' of 'sex'")));
    EXPECT_THAT(told({"--set", "tau=0"}), HasSubstr("block_diagonality 0.3333"));
    // Targets change labels, but no probabilities.
    EXPECT_THAT(told({"--set", "size_at_most=5", "--set", "tau=0.5"}), Not(HasSubstr("block_diagonality")));
    EXPECT_EQ(json_of_a_miss(fit({"--set", "size_at_most=5", "--json"}))["outcome"], "unattainable");
}

TEST_F(FitLordPoints, NotesPointsSharingWithLargestGroup) {
    std::string text = "x,y,race\n";
    for (int i = 0; i < 90; ++i)
        text += std::to_string(i % 3 * 8 + i % 7) + "," + std::to_string(i % 5) +
                (i < 50   ? ",a\n"
                 : i < 84 ? ",b\n"
                          : ",\n");
    const std::string of_some_unknown = directory.write("unknown.csv", text).string();
    const auto told = [&](std::vector<std::string> more) {
        more.insert(more.begin(), {"fit", "lord", "--input", of_some_unknown, "--group", "race", "--clusters", "3",
                                   "--unknown-group", "not said"});
        const test::Finished finished = fairstream(more);
        EXPECT_TRUE(finished.exit_code == 0 || finished.exit_code == 3) << finished.err;
        return finished.err;
    };
    EXPECT_THAT(told({}), Names({"6 points", "'a'", "'race'"}));
    EXPECT_THAT(told({"--set", "small_below=0"}), Not(HasSubstr("'a'")));
    EXPECT_THAT(told({"--set", "small_below=40"}), Not(HasSubstr("'a'"))) << "they are 40: a group of its own";
}

TEST_F(FitLordPoints, ProbabilitiesAreRefusedWhereThereAreNone) {
    const std::string path = (directory / "p.csv").string();
    for (const std::string model : {"safairkm", "fair_spectral", "live_front"})
        EXPECT_THAT(refusal({"fit", model, "--generate", "loans", "--probabilities", path}),
                    Names({"--probabilities", model, "lord"}));
    EXPECT_THAT(refusal({"fit", "partial_fair_scorer", "--generate", "loan_decisions", "--probabilities", path}),
                Names({"--probabilities", "partial_fair_scorer"}));
    EXPECT_THAT(refusal(fit({"--probabilities", path, "--labels", path})), Names({"--probabilities", "--labels"}));
    EXPECT_FALSE(std::filesystem::exists(path));
}

TEST_F(FitLordPoints, TauScanTakesMostAccurate) {
    const json report = json_of(fit({"--target", "kind", "--set", "tau=scan", "--json"}));
    EXPECT_EQ(report["tau_oracle"], true);
    EXPECT_THAT(report["class_use"].get<std::string>(), HasSubstr("oracle"));
    const json& scanned = report["tau_scanned"];
    ASSERT_EQ(scanned.size(), 101U);
    const json* best = &scanned[0];
    for (std::size_t i = 0; i <= 100; ++i) {
        EXPECT_EQ(scanned[i]["tau"], static_cast<double>(i) / 100);
        if (scanned[i]["accuracy"] > (*best)["accuracy"]) best = &scanned[i];
    }
    EXPECT_LT(scanned[0]["accuracy"], (*best)["accuracy"]);
    EXPECT_EQ(report["options"]["tau"], (*best)["tau"]);
    EXPECT_EQ(report["tau"], (*best)["tau"]);
    EXPECT_EQ(report["accuracy"], (*best)["accuracy"]);
    for (const std::size_t i : {5U, 30U, 77U}) {
        const json one = json_of(fit(
            {"--target", "kind", "--set", "tau=0." + std::string(i < 10 ? "0" : "") + std::to_string(i), "--json"}));
        EXPECT_EQ(one["accuracy"], scanned[i]["accuracy"]) << i;
        EXPECT_FALSE(one.contains("tau_oracle"));
    }
    json alone = without_times(json_of(fit({"--target", "kind", "--set", "tau=" + (*best)["tau"].dump(), "--json"})));
    json with = without_times(report);
    for (json* each : {&alone, &with})
        for (const char* name : {"tau_oracle", "tau_scanned", "class_use"}) each->erase(name);
    EXPECT_EQ(alone, with) << "the fit of a scan is the one of its tau";
}

TEST_F(FitLordPoints, TauScanIsLabelledAnOracle) {
    const test::Finished finished = fairstream(fit({"--target", "kind", "--set", "tau=scan"}));
    EXPECT_EQ(finished.exit_code, 0) << finished.err;
    EXPECT_THAT(finished.out, AllOf(Names({"'kind'", "oracle"}), Not(HasSubstr("never fitted"))));
    EXPECT_THAT(fairstream({"fit", "lord", "--help"}).out, Names({"tau=scan", "an oracle"}));
}

TEST_F(FitLordPoints, TauScanNeedsClassesAndTau) {
    EXPECT_THAT(refusal(fit({"--set", "tau=scan"})),
                Names({"--set tau=scan", "--target", "--set tau=tau1", "--set tau=tau2"}));
    EXPECT_THAT(refusal(fit({"--target", "kind", "--set", "tau=scan", "--set", "method=lord"})),
                Names({"method = lord", "method = b_lord"}));
    EXPECT_THAT(refusal(fit({"--target", "kind", "--set", "tau=scan", "--set", "tau=0.3"})),
                Names({"--set tau=0.3", "--set tau=scan"}));
    EXPECT_THAT(refusal({"fit", "safairkm", "--input", file, "--target", "kind", "--set", "tau=scan"}),
                HasSubstr("no option 'tau'"));
}

TEST_F(FitLordPoints, NoConfigurationMayScanForTau) {
    const auto config = directory.write("engine.toml",
                                        "[stream]\ndimensions = 2\n[window]\ncapacity = 100\n"
                                        "[[model]]\nname = \"soft\"\nkind = \"lord\"\n"
                                        "[model.options]\nclusters = 3\ntau = \"scan\"\n");
    EXPECT_THAT(refusal({"serve", "--config", config.string(), "--recording", (directory / "r.fairstream").string()}),
                HasSubstr("tau = scan: must be 0 to 1 or tau2 or tau1"));
}

}  // namespace
}  // namespace fairstream::command
