/// Three models known only to their own folders go through everything that the program does.

#include <algorithm>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "command/recordings.hpp"
#include "support/names.hpp"

namespace fairstream::command {
namespace {

using test::Names;
using ::testing::HasSubstr;

std::string with_toys() {
    return std::string(FAIRSTREAM_BIN_DIR) + "/fairstream_with_toys";
}
test::Finished run_with_toys(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), with_toys());
    return test::run(std::move(arguments));
}
json json_with_toys(std::vector<std::string> arguments) {
    const test::Finished finished = run_with_toys(std::move(arguments));
    EXPECT_EQ(finished.exit_code, 0) << finished.err;
    return json::parse(finished.out, nullptr, false);
}

std::string toy_config() {
    return applicants_stream(true, 500) + R"([[model]]
name = "halves"
kind = "threshold"
[[model]]
name = "later"
kind = "threshold"
every = 300
[[model]]
name = "line"
kind = "trend"
[model.options]
bonus = 0.25
[recording]
checkpoint_events = 7
)";
}

TEST(SixthModel, FitShowsFigures) {
    const json clusters = json_with_toys({"fit", "threshold", "--generate", "loans", "--points", "400", "--json"});
    EXPECT_EQ(clusters["clusters"], 2);
    EXPECT_EQ(clusters["outcome"], "converged");
    EXPECT_EQ(clusters["threshold"], clusters["cost"]);
    EXPECT_EQ(clusters["options"]["offset"], 0);
    EXPECT_EQ(clusters["batch"], 400) << "a model that solves the window is given all points at once";
    const test::Finished summary = run_with_toys({"fit", "threshold", "--generate", "loans", "--points", "400"});
    EXPECT_THAT(summary.out, Names({"mean of the first feature, and the offset", "the threshold"}));

    const json scores = json_with_toys({"fit", "trend", "--generate", "loan_decisions", "--points", "400", "--json"});
    EXPECT_EQ(scores["outcome"], "converged");
    EXPECT_EQ(scores["cost"].get<double>(), -std::abs(scores["slope"].get<double>()));
    EXPECT_TRUE(scores["train"]["accuracy"].is_number());
    EXPECT_THAT(run_with_toys({"fit", "trend", "--generate", "loan_decisions", "--points", "400"}).out,
                HasSubstr("its covariance with the sign of the target"));
}

TEST(SixthModel, FitShowsPredictions) {
    const test::TemporaryDirectory directory;
    const std::string network = (directory / "network.json").string();
    const std::vector<std::string> fit{"fit", "ruler", "--generate", "loan_decisions", "--points", "400"};
    const auto with = [&](std::vector<std::string> more) {
        more.insert(more.begin(), fit.begin(), fit.end());
        return more;
    };
    const json report = json_with_toys(with({"--save-network", network, "--json"}));
    EXPECT_EQ(report["outcome"], "converged");
    EXPECT_EQ(report["network"], "trained");
    EXPECT_GT(report["train"]["after"]["mse"].get<double>(), 0);
    EXPECT_EQ(report["train"]["before"], report["train"]["after"]) << "nothing adjusts the network";
    EXPECT_EQ(json::parse(test::file_bytes(network))["layers"].size(), 1U);
    EXPECT_THAT(run_with_toys(fit).out, HasSubstr("a trained network, least squares"));
    for (const std::vector<std::string>& foreign :
         {std::vector<std::string>{"--curve", "0.1"}, {"--network", network}, {"--set", "ks_at_most=0.1"}}) {
        const test::Finished refused = run_with_toys(with(foreign));
        EXPECT_EQ(refused.exit_code, 2) << foreign[0] << refused.err;
    }
}

TEST(SixthModel, OptionsOfTheOthersAreRefusedByName) {
    const test::Finished curve =
        run_with_toys({"fit", "trend", "--generate", "loan_decisions", "--points", "400", "--curve"});
    EXPECT_EQ(curve.exit_code, 2);
    EXPECT_THAT(curve.err, HasSubstr("kappa"));
    const test::Finished rounds =
        run_with_toys({"fit", "threshold", "--generate", "loans", "--points", "400", "--refine-rounds", "2"});
    EXPECT_EQ(rounds.exit_code, 2);
    EXPECT_THAT(rounds.err, Names({"--refine-rounds:", "threshold"}));
    const test::Finished graph = run_with_toys({"fit", "threshold", "--generate", "msbm", "--points", "400"});
    EXPECT_EQ(graph.exit_code, 2) << graph.err;
    EXPECT_THAT(run_with_toys({"fit", "threshold", "--help"}).out,
                Names({"offset=0", "added to the mean", "mean of the first feature"}));
}

TEST(SixthModel, IsSavedAndPredicts) {
    const test::TemporaryDirectory directory;
    for (const std::string model : {"threshold", "trend", "ruler"}) {
        const std::string saved = (directory / model).string(), out = (directory / (model + ".csv")).string();
        (void)json_with_toys(
            {"fit", model, "--generate", "loan_decisions", "--points", "400", "--save", saved, "--json"});
        std::vector<std::string> asked{"predict",    "--by",           saved,
                                       "--generate", "loan_decisions", "--points",
                                       "100",        "--json",         model == "threshold" ? "--labels" : "--scores",
                                       out};
        EXPECT_EQ(json_with_toys(asked)["kind"], model);
        const std::string predicted = test::file_bytes(out);
        EXPECT_EQ(std::count(predicted.begin(), predicted.end(), '\n'), 101) << model;
        asked.emplace_back("--fair");
        const test::Finished fair = run_with_toys(asked);
        EXPECT_EQ(fair.exit_code, 2);
        EXPECT_THAT(fair.err, HasSubstr("--fair: " + model));
    }
}

TEST(SixthModel, IsServedKilledRecoveredWatchedAndReplayed) {
    const Site site(toy_config(), with_toys());
    const auto send = [&](const char* points, const char* seed) {
        return test::run(site.send_arguments({"--generate", "loan_decisions", "--points", points, "--generate-seed",
                                              seed, "--batch", "50", "--name", "desk"}));
    };
    {
        test::Process engine(site.serve_arguments());
        const test::Finished sent = send("1000", "1");
        ASSERT_EQ(sent.exit_code, 0) << sent.err;
        engine.signal(SIGKILL);
        engine.wait();
    }
    test::Process engine(site.serve_arguments());
    const test::Finished set =
        test::run({with_toys(), "set", "--control", site.endpoint("control"), "halves.offset=1.5"});
    EXPECT_EQ(set.exit_code, 0) << set.err;
    const test::Finished sent = send("500", "2");
    ASSERT_EQ(sent.exit_code, 0) << sent.err;
    for (const std::string model : {"halves", "later", "line"}) {
        const test::Finished watched = test::run(
            site.watch_arguments(model, {"--until-sequence", "31", "--labels", site.file(model + ".csv"), "--json"}));
        ASSERT_EQ(watched.exit_code, 0) << watched.err;
        json figures;
        std::istringstream lines(watched.out);
        for (std::string line; std::getline(lines, line);)
            if (json event = json::parse(line); event["line"] == "fairness") figures = std::move(event);
        EXPECT_EQ(figures["sequence"], 31) << model;
        EXPECT_TRUE(figures[model == "line" ? "slope" : "threshold"].is_number()) << watched.out;
        EXPECT_TRUE(figures.contains(model == "line" ? "accuracy" : "attributes")) << watched.out;
    }
    Site::stop(engine);

    EXPECT_EQ(run_with_toys({"check", site.recording()}).exit_code, 0);
    const json replayed = json_with_toys({"replay", site.recording(), "--json", "--labels", site.file("replayed.csv")});
    const json& models = replayed["runs"][0]["models"];
    ASSERT_EQ(models.size(), 3U);
    EXPECT_GT(models[0]["final"]["threshold"].get<double>(), models[1]["final"]["threshold"].get<double>() + 1)
        << "the knob of the first was recorded";
    EXPECT_TRUE(models[2]["final"]["auc"].is_number());
    const test::Finished unknown = test::run({program(), "replay", site.recording(), "--json"});
    EXPECT_EQ(unknown.exit_code, 2);
    EXPECT_THAT(unknown.err, HasSubstr("no model 'threshold'"));
}

}  // namespace
}  // namespace fairstream::command
