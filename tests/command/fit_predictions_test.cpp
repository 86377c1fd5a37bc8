/// Reports, files and plots of `fairstream fit esvd_fair`.

#include <gtest/gtest.h>

#include <cmath>

#include <fairstream/fairness/prediction_fairness.hpp>

#include "applicants.hpp"
#include "front_files.hpp"

namespace fairstream::command {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;

/// People of two groups with a numeric target that follows their features, one of which reveals the group. Person i has
/// the id 5000 - i; `two` and `three` give the part.
struct PaidPeople {
    static constexpr std::size_t n = 600;

    PaidPeople() {
        std::mt19937_64 random(23);
        const auto unit = [&] { return static_cast<double>(random() % 2000) / 1000 - 1; };
        std::string text = "id,x,y,sex,pay,two,three\n";
        for (std::size_t i = 0; i < n; ++i) {
            const bool male = random() % 5 < 3;
            const double x = unit() + (male ? 1.5 : 0), y = unit();
            const std::size_t part = random() % 5, three = part < 3 ? 0 : part - 2;
            males.push_back(male), parts.push_back(three);
            pays.push_back(static_cast<float>(20 + 3 * x + 2 * y * y + 0.3 * unit()));
            text += std::to_string(5000 - i) + "," + std::to_string(x) + "," + std::to_string(y) +
                    (male ? ",male," : ",female,") + std::to_string(pays.back()) + "," + (three == 2 ? "1," : "0,") +
                    std::to_string(three) + "\n";
            pays.back() = std::stof(std::to_string(pays.back()));
        }
        file = directory.write("people.csv", text);
    }

    [[nodiscard]] std::string path(const std::string& name) const { return (directory / name).string(); }
    [[nodiscard]] std::vector<std::string> fit(const std::vector<std::string>& more) const {
        std::vector<std::string> arguments{"fit",     "esvd_fair", "--input",  file.string(), "--features", "x,y",
                                           "--group", "sex",       "--target", "pay",         "--id",       "id"};
        if (std::ranges::none_of(
                more, [](const std::string& word) { return word == "--network" || word.starts_with("network="); }))
            arguments.insert(arguments.end(), {"--set", "hidden=16", "--set", "epochs=150"});
        arguments.insert(arguments.end(), more.begin(), more.end());
        return arguments;
    }
    /// A network that uses x: relu(x) + relu(-x), and 0.5 y.
    [[nodiscard]] std::string network() const {
        return directory
            .write("net.json",
                   R"({"layers": [{"weights": [[1, 0], [0, 1], [-1, 0]], "bias": [0, 0.5, 0], "activation": "relu"},
                                  {"weights": [[3, 0.25, -3]], "bias": [20], "activation": "identity"}]})")
            .string();
    }

    test::TemporaryDirectory directory;
    std::filesystem::path file;
    std::vector<bool> males;
    std::vector<float> pays;
    std::vector<std::size_t> parts;  ///< from `three`
};

std::array<std::map<std::size_t, double>, 3> predictions_in(const std::string& path) {
    std::istringstream text(test::file_bytes(path));
    std::string line;
    std::getline(text, line);
    EXPECT_EQ(line, "id,part,prediction");
    std::array<std::map<std::size_t, double>, 3> predictions;
    while (std::getline(text, line)) {
        const std::size_t comma = line.find(','), second = line.rfind(',');
        const auto part = std::ranges::find(part_names, line.substr(comma + 1, second - comma - 1));
        predictions.at(static_cast<std::size_t>(part - part_names.begin()))[5000 - std::stoul(line)] =
            std::stod(line.substr(second + 1));
    }
    return predictions;
}

/// Returns the figures of a part, from its predictions, groups and targets alone.
json prediction_figures_of(const PaidPeople& people, const std::map<std::size_t, double>& predictions) {
    ScoreTally tally(2);
    for (const auto& [i, prediction] : predictions) tally.add(prediction, people.males[i] ? 1 : 0, people.pays[i]);
    tally.settle();
    const PredictionFairness f = prediction_fairness(tally, true);
    return {{"mse", *f.mse},
            {"ks", f.ks},
            {"wasserstein", f.wasserstein},
            {"mean_gap", f.mean_gap},
            {"ks_by_chance", f.ks_by_chance}};
}

json without_solve_times(json report) {
    report = without_times(std::move(report));
    report.erase("solve_seconds");
    return report;
}

TEST(FitPredictions, ReportsWhatItsPredictionsSay) {
    const PaidPeople people;
    const std::string after = people.path("after.csv"), before = people.path("before.csv");
    const json report = json_of(people.fit({"--split", "three", "--json", "--scores", after}));
    const auto predictions = predictions_in(after);
    // The trained network, found by another fit that adjusts nothing.
    json_of(people.fit({"--split", "three", "--json", "--set", "means=1", "--set", "refits=no", "--scores", before}));
    const auto unadjusted = predictions_in(before);
    for (std::size_t part = 0; part < 3; ++part) {
        const json& of_part = report[part_names[part]];
        EXPECT_EQ(of_part["points"], std::ranges::count(people.parts, part));
        EXPECT_EQ(of_part["after"], prediction_figures_of(people, predictions[part])) << part_names[part];
        EXPECT_EQ(of_part["before"], prediction_figures_of(people, unadjusted[part])) << part_names[part];
    }
    EXPECT_EQ(report["judged_on"], "test");
    const json &before_it = report["test"]["before"], &after_it = report["test"]["after"];
    EXPECT_LT(after_it["ks"], before_it["ks"].get<double>() - 0.3);
    for (const char* figure : {"mse", "ks"}) {
        EXPECT_EQ(report[std::string(figure) + "_before"], before_it[figure]) << "of the part that judges";
        EXPECT_EQ(report[std::string(figure) + "_after"], after_it[figure]);
        EXPECT_NE(after_it[figure], report["train"]["after"][figure]);
    }
    EXPECT_LT(before_it["mse"], 1);
    EXPECT_GT(after_it["mse"], before_it["mse"]);
}

TEST(FitPredictions, ReportsHowItRan) {
    const PaidPeople people;
    const std::string text = fairstream(people.fit({"--split", "0.7,0.3", "--json", "--seed", "4"})).out;
    const nlohmann::ordered_json ordered = nlohmann::ordered_json::parse(text);
    std::vector<std::string> names;
    for (const auto& [name, value] : ordered.items()) names.push_back(name);
    EXPECT_EQ(std::vector<std::string>(names.begin(), names.begin() + 12),
              (std::vector<std::string>{"model", "points", "features", "attribute", "groups", "solve_seconds",
                                        "seconds", "outcome", "judged_on", "network", "train", "test"}));
    const json report = json::parse(text);
    EXPECT_EQ(report["model"], "esvd_fair");
    EXPECT_EQ(report["points"], 420);
    EXPECT_EQ(report["train"]["points"], 420);
    EXPECT_EQ(report["features"], 2);
    EXPECT_EQ(report["groups"], json({"female", "male"}));
    EXPECT_EQ(report["batch"], 420) << "all at once";
    EXPECT_EQ(report["steps"], 1);
    EXPECT_EQ(report["solves"], 1);
    EXPECT_EQ(report["refine_seconds"], 0) << "trained once";
    EXPECT_EQ(report["options"]["start_after"], 1000) << "as it was given; the fit starts with all points";
    EXPECT_EQ(report["network"], "trained");
    EXPECT_EQ(report["c_v"], nullptr) << "the variances stay";
    EXPECT_GT(report["c_e"], 0);
    EXPECT_EQ(report["split"], json({{"fractions", {0.7, 0.3}}, {"seed", 4}}));
    EXPECT_EQ(report["outcome"], "converged");
    const json both = json_of(people.fit({"--json", "--set", "spreads=0.1"}));
    EXPECT_EQ(both["judged_on"], "train");
    EXPECT_GT(both["c_v"], 0);
    EXPECT_FALSE(both.contains("test"));
    EXPECT_EQ(both["ks_after"], both["train"]["after"]["ks"]) << "the model's own figure, of the same points";
}

TEST(FitPredictions, AcceptsPositiveTargetsAndFewPoints) {
    const PaidPeople people;  // all pays are far above 0; 600 points are fewer than start_after
    EXPECT_EQ(json_of(people.fit({"--json"}))["points"], PaidPeople::n);
    EXPECT_EQ(json_of(people.fit({"--json", "--set", "start_after=100", "--batch", "50"}))["steps"], 11);
    EXPECT_THAT(refusal(people.fit({"--set", "start_after=700", "--window", "2000"})),
                Names({"start_after = 700", "600 training points"}));
}

TEST(FitPredictions, RepeatedIdsReplaceTheirPoint) {
    test::TemporaryDirectory directory;
    std::string text = "id,x,g,t\n";
    for (int i = 0; i < 60; ++i)
        text += std::to_string(i % 40) + "," + std::to_string(i % 7) + "," + (i % 3 ? "a," : "b,") +
                std::to_string(i % 7 + i % 3) + "\n";
    const test::Finished finished = fairstream(
        {"fit", "esvd_fair", "--input", directory.write("twice.csv", text).string(), "--id", "id", "--features", "x",
         "--group", "g", "--target", "t", "--batch", "20", "--set", "epochs=2", "--json"});
    EXPECT_THAT(finished.err, one_note({"20 rows"}));
    EXPECT_EQ(json::parse(finished.out)["points"], 40);
}

TEST(FitPredictions, TheNetworkItSavesPredictsTheSame) {
    const PaidPeople people;
    for (const std::vector<std::string>& more : {std::vector<std::string>{},
                                                 {"--standardise", "--split", "two"},
                                                 {"--set", "ridge=0.1"},
                                                 {"--network", people.network(), "--split", "two"}}) {
        std::vector<std::string> arguments = people.fit(more);
        arguments.insert(arguments.end(),
                         {"--json", "--save-network", people.path("fair.json"), "--scores", people.path("first.csv")});
        const json first = json_of(arguments);
        std::vector<std::string> again = more;
        if (const auto given = std::ranges::find(again, "--network"); given != again.end())
            again.erase(given, given + 2);
        again.insert(again.end(), {"--json", "--network", people.path("fair.json"), "--set", "refits=no", "--set",
                                   "means=1", "--scores", people.path("second.csv")});
        const json second = json_of(people.fit(again));
        EXPECT_EQ(test::file_bytes(people.path("second.csv")), test::file_bytes(people.path("first.csv")));
        EXPECT_EQ(second["train"]["after"]["mse"], first["train"]["after"]["mse"]);
        EXPECT_EQ(second["train"]["before"]["mse"], first["train"]["after"]["mse"]);
        EXPECT_EQ(second["network"], people.path("fair.json"));
    }
}

TEST(FitPredictions, AGivenNetworkIsJudgedAsItIs) {
    const PaidPeople people;
    const std::string scores = people.path("scores.csv");
    const json report = json_of(people.fit(
        {"--network", people.network(), "--json", "--set", "means=1", "--set", "refits=no", "--scores", scores}));
    const auto predictions = predictions_in(scores)[0];
    EXPECT_EQ(report["train"]["before"], report["train"]["after"]);
    EXPECT_EQ(report["train"]["before"], prediction_figures_of(people, predictions));
    EXPECT_EQ(report["options"]["network"], "given");
    const json fair = json_of(people.fit({"--network", people.network(), "--json"}));
    EXPECT_EQ(fair["train"]["before"], report["train"]["before"]);
    EXPECT_LT(fair["train"]["after"]["ks"], fair["train"]["before"]["ks"]);
    const json by_setting = json_of(people.fit({"--set", "network=@" + people.network(), "--json"}));
    EXPECT_EQ(by_setting["train"], fair["train"]);
    EXPECT_EQ(by_setting["network"], "given");
}

TEST(FitPredictions, TrainsBySeedAtAnyThreadCount) {
    const PaidPeople people;
    const auto run = [&](const std::vector<std::string>& more) {
        std::vector<std::string> arguments =
            people.fit({"--split", "three", "--json", "--curve", "--plot", people.path("p.html"), "--densities",
                        people.path("d.html"), "--save-network", people.path("n.json")});
        arguments.insert(arguments.end(), more.begin(), more.end());
        const json report = json_of(arguments);
        return std::tuple(without_solve_times(report), test::file_bytes(people.path("p.html")),
                          test::file_bytes(people.path("d.html")), test::file_bytes(people.path("n.json")));
    };
    const auto once = run({"--threads", "1"});
    EXPECT_EQ(run({"--threads", "2"}), once);
    EXPECT_EQ(run({"--train"}), once) << "--train says what is so without it";
    EXPECT_NE(std::get<3>(run({"--seed", "2"})), std::get<3>(once));
}

TEST(FitPredictions, RoundsAreEpochsMore) {
    const PaidPeople people;
    const json more = json_of(people.fit({"--json", "--refine-rounds", "30"})), none = json_of(people.fit({"--json"}));
    EXPECT_LT(more["train"]["before"]["mse"], none["train"]["before"]["mse"]);
    EXPECT_GT(more["refine_seconds"], 0);
    EXPECT_EQ(without_solve_times(json_of(people.fit({"--json", "--refine-rounds", "0"}))), without_solve_times(none));
}

TEST(FitPredictions, CurveHasNetworkPerLimitAndUnadjusted) {
    const PaidPeople people;
    const json report =
        json_of(people.fit({"--split", "three", "--json", "--curve", "0.3,1,0.01", "--set", "means=0.3"}));
    ASSERT_EQ(report["curve"].size(), 3U);
    std::vector<double> means;
    for (const json& network : report["curve"]) means.push_back(network["means"]);
    EXPECT_EQ(means, (std::vector<double>{0.01, 0.3, 1}));
    EXPECT_EQ(report["curve_chosen_on"], "validation");
    for (const std::string& part : part_names) {
        json after = report["curve"][1][part];
        EXPECT_EQ(after["points"], report[part]["points"]);
        after.erase("points");
        EXPECT_EQ(after, report[part]["after"]) << "the fit's own limit";
        json before = report["unadjusted"][part];
        before.erase("points");
        EXPECT_EQ(before, report[part]["before"]);
    }
    EXPECT_LT(report["curve"][0]["test"]["ks"], report["curve"][2]["test"]["ks"]);
    EXPECT_LT(report["curve"][2]["train"]["mse"], report["curve"][0]["train"]["mse"]);
    EXPECT_GT(report["curve"][0]["c_e"], 0);
    EXPECT_EQ(report["curve"][2]["c_e"], nullptr);
    EXPECT_EQ(json_of(people.fit({"--json", "--curve"}))["curve"].size(), 6U);
}

TEST(FitPredictions, FrontIsNondominated) {
    const PaidPeople people;
    for (const auto& [split, chosen_on] :
         std::vector<std::pair<std::string, std::string>>{{"three", "validation"}, {"two", "test"}, {"", "train"}}) {
        std::vector<std::string> arguments = people.fit({"--json", "--curve"});
        if (!split.empty()) arguments.insert(arguments.end(), {"--split", split});
        const json report = json_of(arguments);
        EXPECT_EQ(report["curve_chosen_on"], chosen_on);
        std::vector<json> networks(report["curve"].begin(), report["curve"].end());
        networks.push_back(report["unadjusted"]);
        const std::string part = chosen_on;
        for (const json& network : networks) {
            const double mse = network[part]["mse"], ks = network[part]["ks"];
            const bool is_dominated = std::ranges::any_of(networks, [&](const json& other) {
                const double m = other[part]["mse"], k = other[part]["ks"];
                return m <= mse && k <= ks && (m < mse || k < ks);
            });
            EXPECT_EQ(network["on_front"], !is_dominated) << part << network;
        }
    }
}

TEST(FitPredictions, DrawsTheCurveAndTheDensities) {
    const PaidPeople people;
    for (const char* ending : {".svg", ".html"}) {
        const std::string plot = people.path("plot" + std::string(ending)),
                          densities = people.path("densities" + std::string(ending));
        json_of(people.fit({"--split", "two", "--json", "--curve", "--plot", plot, "--densities", densities}));
        const std::string curve = test::file_bytes(plot), drawn = test::file_bytes(densities);
        for (const std::string& text : {curve, drawn}) {
            EXPECT_THAT(text, Names({"<svg ", "</svg>"}));
            for (const char* bad : {" nan", "\"nan", "Lnan", " inf", "\"inf"})
                EXPECT_EQ(text.find(bad), std::string::npos) << bad;
            EXPECT_EQ(text.find("http", text.find("2000/svg")), std::string::npos) << "nothing is fetched";
        }
        EXPECT_THAT(curve, Names({"squared error", "Kolmogorov-Smirnov distance", "unadjusted, test: MSE "}));
        EXPECT_THAT(drawn, Names({"before its", "after: MSE ", "sex female (", "sex male (", "Gaussian kernel",
                                  "bandwidth 0.", "test part"}));
        // A curve and a mean for each group in both panels, and a line for each group in the legend.
        std::size_t paths = 0;
        for (std::size_t at = drawn.find("<path class=\"curve\""); at != std::string::npos;
             at = drawn.find("<path class=\"curve\"", at + 1))
            ++paths;
        EXPECT_EQ(paths, 4U);
    }
}

TEST(FitPredictions, SummaryIsShort) {
    const PaidPeople people;
    const test::Finished finished = fairstream(people.fit({"--split", "three", "--curve", "0.1,1"}));
    EXPECT_EQ(finished.exit_code, 0);
    EXPECT_EQ(finished.err, "");
    EXPECT_THAT(finished.out, AllOf(StartsWith("esvd_fair on "),
                                    Names({"layers 16, 150 epochs", "train before", "test before", "\n  mse ",
                                           "\n  ks ", "ks of 0.", "\n  unadjusted ", "the front"})));
    EXPECT_LE(std::ranges::count(finished.out, '\n'), 22);
}

TEST(FitPredictions, OptionsOfOtherModelsAreRefused) {
    const PaidPeople people;
    const auto refused = [&](const std::vector<std::string>& more) { return refusal(people.fit(more)); };
    EXPECT_THAT(refused({"--labels", "l.csv"}), Names({"--labels", "esvd_fair"}));
    EXPECT_THAT(refused({"--probabilities", "p.csv"}), Names({"--probabilities", "esvd_fair"}));
    for (const std::vector<std::string>& more : std::vector<std::vector<std::string>>{
             {"--network", people.network()}, {"--train"}, {"--save-network", "n.json"}, {"--densities", "d.svg"}})
        for (const std::string model : {"safairkm", "partial_fair_scorer"}) {
            std::vector<std::string> arguments{"fit",     model, "--input",  people.file.string(),
                                               "--group", "sex", "--target", "pay"};
            arguments.insert(arguments.end(), more.begin(), more.end());
            EXPECT_THAT(refusal(arguments), Names({more[0], model}));
        }
    EXPECT_THAT(refusal({"fit", "esvd_fair", "--generate", "msbm"}), HasSubstr("take graphs"));
}

TEST(FitPredictions, RefusesWrongUseInOneLine) {
    const PaidPeople people;
    const auto refused = [&](const std::vector<std::string>& more) { return refusal(people.fit(more)); };
    EXPECT_THAT(refusal({"fit", "esvd_fair", "--input", people.file.string(), "--group", "sex"}),
                Names({"targets", "--target"}));
    EXPECT_THAT(refusal({"fit", "esvd_fair", "--input", people.file.string(), "--target", "pay", "--features", "x"}),
                HasSubstr("no --group"));
    EXPECT_THAT(refused({"--train", "--network", people.network()}), HasSubstr("--network excludes --train"));
    EXPECT_THAT(refused({"--train", "--set", "network=@" + people.network()}), HasSubstr("--train"));
    EXPECT_THAT(refused({"--refine-rounds", "5", "--network", people.network()}), HasSubstr("--refine-rounds"));
    EXPECT_THAT(refused({"--network", people.path("none.json")}), HasSubstr("none.json: No such"));
    EXPECT_THAT(refused({"--network", people.directory.write("bad.json", "{\"layers\": [{}]}").string()}),
                HasSubstr("bad.json: layer 1: has no 'weights'"));
    EXPECT_THAT(refused({"--network", people.network(), "--save-network", people.network()}),
                Names({"--save-network", people.network()}));
    EXPECT_THAT(refused({"--scores", "a", "--densities", "b.pdf"}), HasSubstr("--densities b.pdf:"));
    EXPECT_THAT(refused({"--curve", "0.1,,0.2"}), HasSubstr("--curve 0.1,,0.2: means = "));
    EXPECT_THAT(refused({"--curve", "0.1,2"}), HasSubstr("means = 2"));
    EXPECT_THAT(refused({"--curve", "0.1,0.10"}), HasSubstr("0.1 comes twice"));
    EXPECT_THAT(refused({"--curve", "--set", "ks_at_most=0.2"}), HasSubstr("ks_at_most = 0.2 chooses means"));
    EXPECT_THAT(refused({"--plot", "p.svg"}), HasSubstr("--curve"));
    const std::string other =
        people.directory
            .write("wide.json", R"({"layers": [{"weights": [[1, 2, 3]], "bias": [0], "activation": "identity"}]})")
            .string();
    EXPECT_THAT(refused({"--network", other}), Names({"network", " 3 ", " 2"}));
}

TEST(FitPredictions, HelpNamesTheOptionsOfNetworks) {
    const std::string help = fairstream({"fit", "esvd_fair", "--help"}).out;
    EXPECT_THAT(help, Names({"--network FILE.json", "--train", "--save-network", "--densities OUT.html|OUT.svg",
                             "\"layers\"", "network=none", "ks_after"}));
}

}  // namespace
}  // namespace fairstream::command
