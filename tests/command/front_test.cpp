/// Reports and files of `fairstream front`.

#include <gtest/gtest.h>

#include <support/rounding.hpp>

#include "front_files.hpp"

namespace fairstream::command {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

// Returns the labels by point from rows "id,label"; ids are the points' numbers or, with `own_ids`, those of the file.
std::vector<std::size_t> labels_in(const std::string& path, bool own_ids = false) {
    std::vector<std::size_t> labels(People::n, 99);
    std::uint64_t last = 0;
    for (const auto& row : rows_of(path, "id,label")) {
        const std::uint64_t id = std::stoull(row.at(0));
        EXPECT_TRUE(id > last || id == 0) << "ids rise";
        last = id;
        labels.at(own_ids ? 1000 - id : id) = std::stoul(row.at(1));
    }
    return labels;
}

// Computes cost and balance, for the attribute in this column, from points and labels alone.
void expect_figures(const json& picked, const People& people, const std::vector<std::size_t>& labels,
                    std::size_t attribute = 0) {
    std::vector<std::array<double, 2>> sums(3);
    std::vector<std::vector<double>> counts(3, std::vector<double>(attribute == 0 ? 2 : 3));
    std::vector<double> sizes(3);
    double cost = 0, balance = 1, reach = 0;
    for (std::size_t i = 0; i < People::n; ++i) {
        for (std::size_t j = 0; j < 2; ++j) sums.at(labels[i])[j] += people.points[i][j];
        ++sizes[labels[i]], ++counts[labels[i]][people.groups[i][attribute]];
    }
    for (std::size_t i = 0; i < People::n; ++i) {
        for (std::size_t j = 0; j < 2; ++j)
            cost += std::pow(people.points[i][j] - sums[labels[i]][j] / sizes[labels[i]], 2) / People::n;
        reach = std::max<double>(reach, std::hypot(people.points[i][0], people.points[i][1]));
    }
    for (const std::vector<double>& row : counts)
        balance = std::min(balance, std::ranges::min(row) / std::max(1.0, std::ranges::max(row)));
    EXPECT_EQ(picked["balance"], balance);
    // A cost is kept over about 4 n updates of sums (derived in tests/safairkm/fronts.hpp).
    EXPECT_NEAR(picked["cost"].get<double>(), cost, test::gamma(12 * People::n, test::double_unit) * reach * reach);
}

void expect_front(const json& points, const char* measure = "balance") {
    ASSERT_GT(points.size(), 5U);
    for (std::size_t i = 1; i < points.size(); ++i) {
        EXPECT_GT(points[i]["cost"], points[i - 1]["cost"]);
        EXPECT_GT(points[i][measure], points[i - 1][measure]);
    }
}

TEST(FrontCommand, ReportsProblemAndSearch) {
    const People people;
    const json report = json_of(
        people.front({"--json", "--pairs", "10:0,6:4", "--rounds", "3", "--iterations-per-pair", "2", "--limit", "900",
                      "--gap", "0.001", "--seed", "5", "--set", "candidates=9", "--set", "swap=nearest"}));
    expect_front(report["front"]);
    EXPECT_EQ(report["model"], "safairkm");
    EXPECT_EQ(report["points"], People::n);
    EXPECT_EQ(report["features"], 2);
    EXPECT_EQ(report["clusters"], 3);
    EXPECT_EQ(report["attribute"], "sex");
    EXPECT_THAT(report["groups"].get<std::vector<std::string>>(), ::testing::UnorderedElementsAre("female", "male"));
    EXPECT_GT(report["reference_cost"], report["front"].back()["cost"]);
    EXPECT_GT(report["hypervolume"], 0);
    EXPECT_EQ(report["rounds"], 3);
    EXPECT_EQ(report["outcome"], "iteration_limit");
    EXPECT_EQ(report["stopped"], false);
    EXPECT_GT(report["seconds"], 0);
    EXPECT_GT(report["cpu_seconds"], 0);
    EXPECT_FALSE(report.contains("picked"));
    EXPECT_EQ(report["pairs"], json({{10, 0}, {6, 4}}));
    EXPECT_EQ(report["iterations_per_pair"], 2);
    EXPECT_EQ(report["rounds_limit"], 3);
    EXPECT_EQ(report["stages"], 12);
    EXPECT_EQ(report["point_limit"], 900);
    EXPECT_EQ(report["gap"], 0.001);
    EXPECT_EQ(report["options"]["starts"], 3);
    EXPECT_EQ(report["options"]["seed"], 5);
    EXPECT_EQ(report["options"]["candidates"], 9);
    EXPECT_EQ(report["options"]["swap"], "nearest");
    EXPECT_EQ(report["input"]["file"], people.file.string());
    EXPECT_TRUE(report.contains("cpu_level") && report.contains("version"));
}

TEST(FrontCommand, IsReproducibleAtAnyThreadCount) {
    const People people;
    const json once = without_times(json_of(people.front({"--json", "--threads", "1"})));
    for (const char* threads : {"1", "2", "4", "0"})
        EXPECT_EQ(without_times(json_of(people.front({"--json", "--threads", threads}))), once);
    EXPECT_NE(without_times(json_of(people.front({"--json", "--seed", "2"})))["front"], once["front"]);
}

TEST(FrontCommand, JsonAndTableAgree) {
    const People people;
    const test::Finished finished =
        fairstream(people.front({"--json", "--report", people.path("front.json"), "--csv", people.path("front.csv")}));
    EXPECT_EQ(finished.exit_code, 0) << finished.err;
    EXPECT_EQ(test::file_bytes(people.path("front.json")), finished.out);
    const json report = json::parse(finished.out);
    const auto rows = rows_of(people.path("front.csv"), "cost,balance");
    ASSERT_EQ(rows.size(), report["front"].size());
    for (std::size_t i = 0; i < rows.size(); ++i) {
        EXPECT_EQ(json::parse(rows[i].at(0)), report["front"][i]["cost"]) << "to the last bit";
        EXPECT_EQ(json::parse(rows[i].at(1)), report["front"][i]["balance"]);
    }
    for (const auto& entry : std::filesystem::directory_iterator(people.directory.path()))
        EXPECT_THAT(entry.path().string(), Not(EndsWith(".part")));
}

TEST(FrontCommand, SummaryIsShort) {
    const People people;
    const test::Finished finished = fairstream(people.front({"--pick", "balance>=0.5"}));
    EXPECT_EQ(finished.exit_code, 0);
    EXPECT_EQ(finished.err, "");
    EXPECT_THAT(finished.out, AllOf(StartsWith("front on "),
                                    Names({"240 points, 2 features, 3 clusters", "hypervolume", "\n  balance    cost",
                                           "+0.00 %", "  picked"}),
                                    Not(HasSubstr("stopped"))));
    EXPECT_LE(std::ranges::count(finished.out, '\n'), 18);
    EXPECT_THAT(fairstream(people.front({})).out, HasSubstr("the knee\n")) << "whether or not it is picked";
}

/// Returns the arguments of a front of the people and of more rows, "id,x,y,sex,age".
std::vector<std::string> front_with(const People& people, const std::string& rows,
                                    const std::vector<std::string>& more = {}) {
    const std::string file = people.directory.write("more.csv", test::file_bytes(people.file) + rows).string();
    std::vector<std::string> arguments{"front", "--input",    file, "--features", "x,y", "--group",  "sex", "--id",
                                       "id",    "--clusters", "3",  "--starts",   "3",   "--stages", "6"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return arguments;
}

TEST(FrontCommand, RareGroupsAreNamed) {
    const People people;
    std::string rows;
    for (int i = 0; i < 4; ++i) rows += std::to_string(2000 + i) + "," + std::to_string(i) + ".5,0.5,other,0\n";
    const std::string plot = people.path("rare.svg");
    const test::Finished finished = fairstream(front_with(people, rows, {"--plot", plot}));
    EXPECT_EQ(finished.exit_code, 0);
    EXPECT_THAT(finished.out, HasSubstr("balance of sex without 'other'\n"));
    EXPECT_THAT(xml_texts(test::file_bytes(plot)), Contains(EndsWith("balance of sex without 'other'")));
    EXPECT_THAT(finished.err, one_note({"left out of balance", "15 points", "'other' of 'sex' (4 points)",
                                        "--set named_groups=2 counts it\n"}));
    EXPECT_THAT(fairstream(front_with(people, rows, {"--measure", "parity"})).err, HasSubstr("left out of parity"));
    const test::Finished named = fairstream(front_with(people, rows, {"--set", "named_groups=2"}));
    EXPECT_EQ(named.err, "");
    EXPECT_THAT(named.out, HasSubstr("balance of sex\n"));
    std::string many;
    for (int i = 0; i < 9; ++i) many += std::to_string(2000 + i) + ",0.5,0.5,other " + std::to_string(i) + ",0\n";
    EXPECT_THAT(fairstream(front_with(people, many)).out, HasSubstr("balance of sex without 9 rare groups\n"));
}

TEST(FrontCommand, PickedLabelsHaveReportedFigures) {
    const People people;
    const std::string path = people.path("labels.csv");
    for (const char* pick : {"balance>=0.5", "balance>=0", "cost<=3", "cost<=1e9", "knee"}) {
        const json report = json_of(people.front({"--json", "--pick", pick, "--labels", path}));
        const json& picked = report["picked"];
        expect_figures(picked, people, labels_in(path));
        EXPECT_EQ(picked["cost"], report["front"][picked["index"].get<std::size_t>()]["cost"]);
        EXPECT_EQ(picked["balance"], report["front"][picked["index"].get<std::size_t>()]["balance"]);
        EXPECT_EQ(picked["attributes"][0]["attribute"], "sex");
        EXPECT_EQ(picked["attributes"][0]["balance"], picked["balance"]);
    }
}

TEST(FrontCommand, PickIsCheapestOrFairest) {
    const People people;
    const json points = json_of(people.front({"--json"}))["front"];
    const auto index = [&](const std::string& pick) {
        return json_of(people.front({"--json", "--pick", pick}))["picked"]["index"].get<std::size_t>();
    };
    for (const std::size_t i : {std::size_t{0}, points.size() / 2, points.size() - 1}) {
        EXPECT_EQ(index("balance>=" + points[i]["balance"].dump()), i);
        EXPECT_EQ(index("cost<=" + points[i]["cost"].dump()), i);
    }
    EXPECT_EQ(index("balance>=-1"), 0U);
    EXPECT_EQ(index("cost<=1e300"), points.size() - 1);
}

TEST(FrontCommand, KeepsFileIdsAndSelectsRows) {
    const People people;
    const std::string path = people.path("labels.csv");
    const json all = json_of(people.front({"--json", "--id", "id", "--pick", "balance>=0.4", "--labels", path}));
    expect_figures(all["picked"], people, labels_in(path, true));
    std::string rows;
    for (int i = 0; i < 90; ++i) rows += std::to_string(2 * i + 1) + "\n";
    const json some = json_of(people.front({"--json", "--rows", people.directory.write("rows.txt", rows).string(),
                                            "--pick", "balance>=0.4", "--labels", path}));
    EXPECT_EQ(some["points"], 90);
    const auto labels = rows_of(path, "id,label");
    ASSERT_EQ(labels.size(), 90U);
    for (std::size_t i = 0; i < 90; ++i) EXPECT_EQ(labels[i][0], std::to_string(2 * i + 1));
}

TEST(FrontCommand, BalancesTheAttributeAskedForAndReportsAll) {
    const People people;
    const std::string path = people.path("labels.csv");
    const json report = json_of(people.front(
        {"--group", "sex,age", "--attribute", "age", "--json", "--pick", "balance>=0.5", "--labels", path}));
    EXPECT_EQ(report["attribute"], "age");
    EXPECT_EQ(report["groups"].size(), 3U);
    expect_figures(report["picked"], people, labels_in(path), 1);
    EXPECT_EQ(report["picked"]["attributes"][0]["attribute"], "sex");
    EXPECT_EQ(report["picked"]["attributes"][1]["balance"], report["picked"]["balance"]);
    const test::Finished first = fairstream(people.front({"--group", "sex,age", "--json"}));
    EXPECT_EQ(json::parse(first.out)["attribute"], "sex");
    EXPECT_THAT(first.err, HasSubstr("'sex'"));
}

TEST(FrontCommand, BalancesSeveralAttributesTogether) {
    const People people;
    const json report = json_of(
        people.front({"--group", "sex,age", "--attribute", "sex,age", "--json", "--csv", people.path("f.csv")}));
    expect_front(report["front"], "balance_share");
    EXPECT_EQ(report["measure"], "balance_share");
    EXPECT_FALSE(report.contains("attribute"));
    EXPECT_EQ(report["attributes"][1]["attribute"], "age");
    EXPECT_EQ(report["attributes"][1]["groups"].size(), 3U);
    const auto rows = rows_of(people.path("f.csv"), "cost,balance_share,sex,age");
    ASSERT_EQ(rows.size(), report["front"].size());
    EXPECT_EQ(json::parse(rows.back().at(3)), report["front"].back()["by_attribute"]["age"]);
    EXPECT_THAT(fairstream(people.front({"--group", "sex,age", "--attribute", "sex,age"})).out,
                Names({"sex and age", "    sex     age"}));
}

TEST(FrontCommand, WeighsParityAgainstCost) {
    const People people;
    const std::string first = people.path("parity.json"), plot = people.path("parity.svg");
    const json report = json_of(people.front({"--measure", "parity", "--json", "--report", first, "--csv",
                                              people.path("f.csv"), "--pick", "parity>=0.8", "--plot", plot}));
    EXPECT_EQ(report["measure"], "parity");
    EXPECT_GE(report["picked"]["parity"], 0.8);
    EXPECT_NEAR(report["picked"]["parity"].get<double>(), report["picked"]["attributes"][0]["parity"].get<double>(),
                1e-12);
    EXPECT_EQ(rows_of(people.path("f.csv"), "cost,parity").size(), report["front"].size());
    EXPECT_THAT(test::file_bytes(plot), HasSubstr("parity of"));
    EXPECT_THAT(refusal(people.front({"--plot", plot, "--overlay", first})), Names({first, "parity"}));
    EXPECT_THAT(refusal(people.front({"--measure", "parity", "--pick", "balance>=0.3"})),
                Names({"knee", "parity>=X", "cost<=X"}));
    EXPECT_THAT(refusal(people.front({"--measure", "entropy"})), Names({"--measure", "balance", "parity"}));
}

TEST(FrontCommand, ReachesKMeansAndBestBalanceOnPaperSets) {
    for (const char* name : {"syn_equal_ds1", "syn_unequal_ds1", "syn_equal_ds2", "syn_unequal_ds2"}) {
        const json report = json_of({"front", "--generate", name, "--clusters", "2", "--starts", "4", "--json"});
        const json plain = json_of({"fit", "safairkm", "--generate", name, "--clusters", "2", "--set",
                                    "parity_at_least=0", "--set", "starts=10", "--json"});
        expect_front(report["front"]);
        EXPECT_EQ(report["front"].back()["balance"], plain["best_balance"]) << name;
        EXPECT_EQ(report["front"].front()["balance"], 0) << name;
        // Costs of at most 16 in a square around the origin, kept over some hundred thousand updates.
        EXPECT_LE(report["front"].front()["cost"].get<double>(),
                  plain["cost"].get<double>() + test::gamma(100'000, test::double_unit) * 16);
        EXPECT_EQ(report["input"], json({{"generate", name}, {"points", 400}, {"seed", 1}}));
    }
}

TEST(FrontCommand, ThePictureStandsForItself) {
    const People people;
    const std::string json_file = people.path("front.json"), svg_file = people.path("front.svg"),
                      html_file = people.path("front.html");
    json_of(people.front({"--json", "--report", json_file, "--plot", svg_file, "--pick", "balance>=0.5"}));
    json_of(people.front({"--json", "--plot", html_file, "--pick", "balance>=0.5"}));
    const json report = json::parse(test::file_bytes(json_file));
    const std::string svg = test::file_bytes(svg_file), html = test::file_bytes(html_file);
    EXPECT_THAT(svg, StartsWith("<svg xmlns=\"http://www.w3.org/2000/svg\""));
    EXPECT_THAT(html, AllOf(StartsWith("<!doctype html>"), HasSubstr(svg), EndsWith("</html>\n")));
    for (const std::string& text : {svg, html}) {
        EXPECT_EQ(occurrences(text, "://"), 1U) << "the namespace alone";
        for (const char* reference : {"src=", "href", "url(", "@import", "<script", "<link"})
            EXPECT_THAT(text, Not(HasSubstr(reference)));
    }
    EXPECT_EQ(occurrences(svg, "r=\"3\""), report["front"].size());
    EXPECT_EQ(occurrences(html, "<tr"), report["front"].size() + 1);
    EXPECT_EQ(occurrences(html, "<tr class=\"picked\"><td>" + report["picked"]["index"].dump() + "</td>"), 1U);
    EXPECT_THAT(xml_texts(svg), AllOf(Contains(Names({"people.csv", "240 points", "3 clusters", "balance", "sex"})),
                                      Contains(HasSubstr("picked")), Contains(StartsWith("this front ("))));
}

TEST(FrontCommand, NamesInThePictureAreEscaped) {
    const std::string column = "<sex> & \"age\"\x01", shown = "&lt;sex&gt; &amp; &quot;age&quot; ";
    const People people("a<b>&c.csv", "<sex> & \"\"age\"\"\x01");
    const std::string other = people.path("other.json");
    json_of(people.front({"--group", column, "--json", "--report", other}));
    for (const char* name : {"front.svg", "front.html"}) {
        const std::string path = people.path(name);
        const json report =
            json_of(people.front({"--group", column, "--json", "--plot", path, "--overlay", "<i>&\"x\"=" + other}));
        EXPECT_EQ(report["attribute"], column);
        const std::string text = test::file_bytes(path);
        const std::size_t svg = text.find("<svg");
        const auto texts = xml_texts(std::string_view(text).substr(svg, text.rfind("</svg>") + 6 - svg));
        EXPECT_THAT(texts, Contains(StartsWith("a&lt;b&gt;&amp;c.csv, k = 3 (")));
        EXPECT_THAT(texts, Contains(StartsWith("&lt;i&gt;&amp;&quot;x&quot;, k = 3 (")));
        for (const char* raw : {"<sex>", "<i>", "<b>", "\x01"}) EXPECT_THAT(text, Not(HasSubstr(raw)));
        json_of(people.front({"--group", column, "--json", "--plot", path}));
        EXPECT_THAT(test::file_bytes(path),
                    AllOf(HasSubstr("a&lt;b&gt;&amp;c.csv: 240 points, 3 clusters, balance of " + shown),
                          Not(HasSubstr("<sex>"))));
    }
}

TEST(FrontCommand, NamesThatAreNotUtf8AreReported) {
    const People people("people.csv", "\xe4ge");
    const json report = json_of(people.front({"--group", "\xe4ge", "--json"}));
    EXPECT_EQ(report["attribute"], "\xef\xbf\xbdge");
    expect_front(report["front"]);
}

TEST(FrontCommand, OtherFrontsAreDrawnBeside) {
    const People people;
    const std::string first = people.path("first.json"), plot = people.path("both.svg");
    const json report = json_of(people.front({"--json", "--report", first, "--stages", "0"}));
    std::string reversed = R"({"front": [{"cost": 9, "balance": 0.75}, {"cost": 2, "balance": 0.5}]})";
    const std::string second = people.directory.write("second.json", reversed).string();
    json_of(people.front({"--json", "--plot", plot, "--overlay", first, "--overlay", "by hand=" + second}));
    const std::string svg = test::file_bytes(plot);
    EXPECT_EQ(occurrences(svg, "r=\"2.2\""), report["front"].size() + 2);
    EXPECT_EQ(occurrences(svg, "<path"), 3U);
    EXPECT_THAT(xml_texts(svg), AllOf(Contains("first.json, k = 3 (" + std::to_string(report["front"].size()) + ")"),
                                      Contains("by hand (2)")));
    EXPECT_LT(svg.find("by hand: balance 0.5000"), svg.find("by hand: balance 0.7500"));
}

// Clusterings of equal cost give such fronts through rounding.
TEST(FrontCommand, DrawsFrontOfNearlyEqualCosts) {
    const People people;
    const test::TemporaryDirectory& directory = people.directory;
    const std::string two = directory.write("two.csv", "x,g\n-1,a\n1,b\n").string(),
                      near = directory
                                 .write("near.json", R"({"front": [{"cost": 1, "balance": 0.5},
                                        {"cost": 1.0000000000000002, "balance": 1}]})")
                                 .string();
    const std::string plot = people.path("near.svg");
    json_of({"front", "--input", two, "--group", "g", "--clusters", "1", "--json", "--plot", plot, "--overlay", near});
    EXPECT_THAT(xml_texts(test::file_bytes(plot)), Contains("near.json (2)"));
    EXPECT_LT(occurrences(test::file_bytes(plot), "class=\"grid\""), 40U);
}

TEST(FrontCommand, IdenticalPointsHaveOnePointOfNoCost) {
    const People people;
    std::string text = "x,g\n";
    for (int i = 0; i < 20; ++i) text += i % 2 == 0 ? "1,a\n" : "1,b\n";
    const std::string file = people.directory.write("same.csv", text).string(), plot = people.path("same.html");
    const test::Finished finished = fairstream({"front", "--input", file, "--group", "g", "--clusters", "2", "--json",
                                                "--plot", plot, "--pick", "balance>=1"});
    EXPECT_THAT(finished.err, one_note({"all points"}));
    const json report = json::parse(finished.out);
    EXPECT_EQ(report["front"], json({{{"cost", 0.0}, {"balance", 1.0}}}));
    EXPECT_THAT(test::file_bytes(plot), HasSubstr("picked: balance 1.0000, cost 0.0000"));
}

TEST(FrontCommand, ThePapersStartsNeedNoStages) {
    const People people;
    const json report = json_of(people.front({"--json", "--stages", "0", "--rounds", "0"}));
    EXPECT_LE(report["front"].size(), 3U);
    EXPECT_EQ(report["rounds"], 0);
    EXPECT_EQ(report["stages"], 0);
}

}  // namespace
}  // namespace fairstream::command
