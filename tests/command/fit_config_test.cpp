/// Fits and fronts of raw files by the [stream] and [prepare] of a configuration.

#include <gtest/gtest.h>

#include <map>

#include <fairstream/fairness/measures.hpp>
#include <fairstream/models/safairkm/front.hpp>

#include "front_files.hpp"
#include "raw_people.hpp"

namespace fairstream::command {
namespace {

using ::testing::AllOf;
using ::testing::EndsWith;
using ::testing::HasSubstr;

/// Ingests the points in batches of `batch` points, as the engine receives them from a stream.
void ingest_batches(Engine& engine, const PointBatch& points, std::size_t batch) {
    for (std::size_t first = 0; first < points.size(); first += batch)
        engine.ingest(points.slice(first, std::min(batch, points.size() - first)));
}

std::map<PointId, ClusterId> labels_by_id(const std::string& path) {
    std::map<PointId, ClusterId> labels;
    for (const auto& row : rows_of(path, "id,label")) labels[std::stoull(row.at(0))] = std::stoi(row.at(1));
    return labels;
}

class FitConfig : public ::testing::Test {
protected:
    [[nodiscard]] std::vector<std::string> with(std::vector<std::string> arguments,
                                                const std::vector<std::string>& more) const {
        arguments.insert(arguments.end(), {"--input", people.file, "--id", "id"});
        arguments.insert(arguments.end(), more.begin(), more.end());
        return arguments;
    }
    [[nodiscard]] std::string path(const std::string& name) const { return (people.directory / name).string(); }

    RawPeople people;
};

TEST_F(FitConfig, FitsWhatAnEngineOfThatStreamFits) {
    for (const std::string scale : {"first:150", "running", "range"})
        for (const std::size_t batch : {RawPeople::n, std::size_t{32}}) {
            const std::string config = people.config(scale);
            const json report = json_of(with(
                {"fit", "safairkm"}, {"--config", config, "--weight", "w", "--clusters", "3", "--refine-rounds", "20",
                                      "--batch", std::to_string(batch), "--labels", path("labels.csv"), "--json"}));
            Engine engine(RawPeople::engine(config, "safairkm", {{"clusters", "3"}}, RawPeople::n, false));
            PointColumns points = people.points;
            points.targets.clear();
            ingest_batches(engine, points.view(), batch);
            engine.ingest(Refinement{"safairkm", 20});
            const ModelReport expected = engine.report("safairkm");

            std::map<PointId, ClusterId> labels;
            for (Slot slot = 0; slot < engine.window().size(); ++slot)
                labels[engine.window().id(slot)] = engine.labels("safairkm")[slot];
            EXPECT_EQ(labels_by_id(path("labels.csv")), labels) << scale << batch;
            EXPECT_EQ(report["cost"], expected.cost);
            EXPECT_EQ(report["balance"], attribute_fairness(expected.tally(), 0).balance);
            EXPECT_EQ(report["groups"], json({"female", "male", "not said"}));
            EXPECT_EQ(report["features"], 3);
            EXPECT_EQ(report["centres"][0].size(), 6U) << "age, income, its gaps, Berlin, Paris, other cities";
            double weight = 0;
            for (const json& cluster : report["cluster_weights"]) weight += cluster.get<double>();
            EXPECT_DOUBLE_EQ(weight, expected.tally().total_weight());
            EXPECT_EQ(report["prepare"]["scale_renewals"], engine.preparation().renewals);
            EXPECT_EQ(report["prepare"]["drift"], engine.preparation().drift);
            EXPECT_EQ(engine.preparation().renewals > 0, batch < RawPeople::n);
        }
}

TEST_F(FitConfig, NotesUnreadModelOptions) {
    const std::string config = people.config("first:100");
    const auto told = [&](const std::vector<std::string>& more) {
        std::vector<std::string> all = with({"fit", "safairkm"}, {"--config", config, "--set", "parity_at_least=0"});
        all.insert(all.end(), more.begin(), more.end());
        return fairstream(all).err;
    };
    EXPECT_THAT(told({}), AllOf(Names({"[stream]", "[prepare]", "'safairkm'"}), EndsWith(" --set clusters=5\n")));
    EXPECT_EQ(told({"--set", "clusters=5"}), "");
    EXPECT_EQ(told({"--clusters", "3"}), "") << "who names an option knows it";
}

TEST_F(FitConfig, ScoresAsAnEngineOfThatStreamScores) {
    const std::string config = people.config("first:100", "targets = true\n");
    const json report = json_of_a_miss(with({"fit", "partial_fair_scorer"},
                                            {"--config", config, "--weight", "w", "--target", "good", "--split", "test",
                                             "--set", "loss=logistic", "--scores", path("scores.csv"), "--json"}));
    PointColumns training;
    for (std::size_t i = 0; i < RawPeople::n; ++i)
        if (i % 3 != 2) training.append(people.points.view().slice(i, 1));
    Engine engine(RawPeople::engine(config, "partial_fair_scorer", {{"loss", "logistic"}}, training.ids.size(), true));
    engine.ingest(training.view());
    engine.ingest(Refinement{"partial_fair_scorer", 0});
    std::vector<Score> scores(RawPeople::n);
    engine.score("partial_fair_scorer", people.points.features, people.points.groups, scores);
    std::map<PointId, std::pair<std::string, double>> written;
    for (const auto& row : rows_of(path("scores.csv"), "id,part,score"))
        written[std::stoull(row.at(0))] = {row.at(1), std::stod(row.at(2))};
    double right = 0, weight = 0;
    for (std::size_t i = 0; i < RawPeople::n; ++i) {
        const bool held_out = i % 3 == 2;
        EXPECT_EQ(written.at(people.points.ids[i]), std::pair(std::string(held_out ? "test" : "train"), scores[i]));
        if (!held_out) continue;
        weight += people.points.weights[i];
        right += (scores[i] > 0) == (people.points.targets[i] > 0) ? people.points.weights[i] : 0;
    }
    EXPECT_NEAR(report["test"]["accuracy"].get<double>(), right / weight, 1e-12) << "by weight";
    EXPECT_EQ(report["groups"], json({"female", "male", "not said"}));
    EXPECT_EQ(report["train"]["psp"], std::get<ScoreFairness>(engine.report("partial_fair_scorer").fairness).sp)
        << "the unknown group is in no gap";
    EXPECT_EQ(report["prepare"]["scale_renewals"], 0);
}

TEST_F(FitConfig, FindsTheFrontOfPreparedPoints) {
    const std::string config = people.config("running");
    const json report =
        json_of(with({"front"}, {"--config", config, "--weight", "w", "--clusters", "3", "--starts", "2", "--stages",
                                 "6", "--rounds", "1", "--pick", "knee", "--labels", path("labels.csv"), "--json"}));
    Engine engine(RawPeople::engine(config, "safairkm", {{"clusters", "3"}}, RawPeople::n, false));
    PointColumns points = people.points;
    points.targets.clear();
    engine.ingest(points.view());
    safairkm::FrontOptions options{.rounds = 1, .stages = 6};
    options.model.clusters = 3;
    options.model.starts = 2;
    const Front front = safairkm::find_front(options, engine.window());
    ASSERT_EQ(report["front"].size(), front.points.size());
    for (std::size_t i = 0; i < front.points.size(); ++i) {
        EXPECT_EQ(report["front"][i]["cost"], front.points[i].cost);
        EXPECT_EQ(report["front"][i]["balance"], front.points[i].balance);
    }
    EXPECT_EQ(report["features"], 3);
    EXPECT_EQ(report["attribute"], "sex");
    EXPECT_EQ(report["picked"]["attributes"][0]["balance"], report["picked"]["balance"]) << "by weight";
    EXPECT_EQ(report["prepare"]["columns"].size(), 3U);
    EXPECT_EQ(labels_by_id(path("labels.csv")).size(), RawPeople::n);
    EXPECT_THAT(refusal(with({"front", "fair_spectral"}, {"--config", config, "--clusters", "3"})),
                HasSubstr("unknown group"));
}

TEST_F(FitConfig, ReportsPreparationAndConfig) {
    const std::string config = people.config("first:150");
    const std::vector<std::string> fit =
        with({"fit", "safairkm"},
             {"--config", config, "--clusters", "3", "--refine-rounds", "0", "--set", "parity_at_least=0"});
    std::vector<std::string> as_json = fit;
    as_json.emplace_back("--json");
    const json report = json_of(as_json);
    EXPECT_EQ(report["input"]["config"], config);
    EXPECT_FALSE(report.contains("cluster_weights")) << "without --weight all weigh 1";
    const json& prepare = report["prepare"];
    EXPECT_EQ(prepare["columns"][0], json({{"column", "age"},
                                           {"clip", {nullptr, 1e5}},
                                           {"log", false},
                                           {"scale", "first:150"},
                                           {"missing", "mean"}}));
    EXPECT_EQ(prepare["columns"][1]["log"], true);
    EXPECT_EQ(prepare["columns"][1]["missing"], "indicator");
    EXPECT_EQ(prepare["columns"][2], json({{"column", "city"},
                                           {"levels", {"Berlin", "Paris"}},
                                           {"encoding", "onehot"},
                                           {"missing", "most_frequent"}}));
    EXPECT_EQ(prepare["renew_every"], 0);
    EXPECT_THAT(fairstream(fit).out,
                Names({"(age, income, city), 3 clusters\n", "137 missing", "0 renewals", "drift", "cells of 'sex'"}));
}

TEST_F(FitConfig, TakesOtherColumnNamesByPosition) {
    std::string text = test::file_bytes(people.file);
    text.replace(0, text.find('\n'), "id,w,gender,town,good,pay,years,test");
    const std::string renamed = people.directory.write("renamed.csv", text).string();
    const std::vector<std::string> common = {
        "--config", people.config("running"), "--id",   "id",         "--weight", "w",
        "--labels", path("labels.csv"),       "--json", "--clusters", "3"};
    const auto labels = [&](std::vector<std::string> arguments) {
        arguments.insert(arguments.begin(), {"fit", "safairkm"});
        arguments.insert(arguments.end(), common.begin(), common.end());
        EXPECT_EQ(json_of(arguments)["attribute"], "sex");
        return labels_by_id(path("labels.csv"));
    };
    EXPECT_EQ(labels({"--input", renamed, "--features", "years,pay,town", "--group", "gender"}),
              labels({"--input", people.file}));
}

TEST_F(FitConfig, TakesStreamNamesInAnyOrder) {
    std::string text = test::file_bytes(people.file);
    for (const std::string cell : {"female,", "Berlin,", "Rome,"})
        for (std::size_t at = text.find(cell); at != std::string::npos; at = text.find(cell, at + cell.size() + 1))
            text.replace(at, cell.size(), " " + cell);
    const std::string blanks = people.directory.write("blanks.csv", text).string();
    const std::string config = people.config("running");
    const auto labels = [&](const std::string& command, const std::string& file, std::vector<std::string> more) {
        std::vector<std::string> arguments{command,    "safairkm", "--config",   config, "--id",    "id",
                                           "--weight", "w",        "--clusters", "3",    "--input", file};
        if (command == "front") more.insert(more.end(), {"--starts", "2", "--stages", "6", "--pick", "knee"});
        arguments.insert(arguments.end(), more.begin(), more.end());
        arguments.insert(arguments.end(), {"--labels", path("labels.csv"), "--json"});
        EXPECT_EQ(json_of(arguments)["attribute"], "sex");
        return labels_by_id(path("labels.csv"));
    };
    for (const std::string command : {"fit", "front"})
        EXPECT_EQ(labels(command, blanks, {"--features", "city,age,income", "--group", "sex"}),
                  labels(command, people.file, {}));
}

TEST_F(FitConfig, ClusteringsUseTargetOnlyAsClasses) {
    const std::string config = people.config("running", "targets = true\n");
    const std::vector<std::string> fit = with({"fit", "safairkm"}, {"--config", config, "--clusters", "3", "--json"});
    const json report = json_of(fit);
    std::vector<std::string> judged = fit;
    judged.insert(judged.end(), {"--target", "good"});
    const json with_classes = json_of(judged);
    EXPECT_EQ(with_classes["classes"], 2);
    EXPECT_EQ(with_classes["cost"], report["cost"]);
    judged.back() = "city";
    EXPECT_THAT(refusal(judged), Names({"'city'", "classes"}));
}

TEST_F(FitConfig, GeneratedPointsArePreparedToo) {
    const auto config = people.directory
                            .write("loans.toml", R"([stream]
dimensions = 6
[[stream.attribute]]
name = "sex"
groups = ["female", "male"]
[[stream.attribute]]
name = "age_band"
groups = ["under_30", "30_to_54", "55_plus"]
[prepare]
scale = "first:100"
)")
                            .string();
    const std::vector<std::string> fit = {"fit",      "safairkm", "--generate", "loans",  "--points", "500",
                                          "--config", config,     "--json",     "--seed", "1"};
    const json report = json_of(fit);
    EXPECT_EQ(report["prepare"]["columns"][5]["column"], "5");
    EXPECT_EQ(report["input"]["config"], config);
    EXPECT_THAT(refusal({"fit", "safairkm", "--generate", "syn_equal_ds1", "--config", config}),
                Names({config, "2 features"}));
}

TEST_F(FitConfig, RefusesOptionsThatContradictTheConfiguration) {
    const std::string config = people.config("running");
    const auto refused = [&](std::vector<std::string> more) {
        more.insert(more.end(), {"--config", config});
        return refusal(with({"fit", "safairkm"}, more));
    };
    for (const std::string option : {"--standardise", "--unit-rows"})
        EXPECT_THAT(refused({option}), Names({option, "[prepare]", config}));
    EXPECT_THAT(refused({"--features", "good,test"}), Names({"2 features", config, " 3"}));
    EXPECT_THAT(refused({"--group", "good,test"}), Names({"2 group", config, " 1"}));
    EXPECT_THAT(refused({"--features", "good,test,town"}), HasSubstr("'town'"));
    EXPECT_THAT(refused({"--features", "age,income,town"}), HasSubstr("'town'"));
    for (const std::string some : {"age,income", "age,town", "age,income,sex"})
        EXPECT_THAT(refused({"--features", some}), Names({"--features", config, "age, income, city"}));
    EXPECT_THAT(refused({"--group", "sex,city"}), Names({"--group", config, "sex"}));
    EXPECT_THAT(refused({"--report", config}), Names({"--report", config}));
    EXPECT_THAT(refusal({"fit", "fair_spectral", "--generate", "msbm", "--config", config}),
                Names({"--config", "graph"}));
    EXPECT_THAT(refusal(with({"fit", "partial_fair_scorer"}, {"--target", "good", "--config", config})),
                Names({config, "targets = true", "[stream]"}));
    const std::string unweighted = people.directory
                                       .write("unweighted.toml", R"([stream]
columns = ["age"]
[[stream.attribute]]
name = "sex"
groups = ["female", "male"]
)")
                                       .string();
    const auto refused_unweighted = [&](const std::vector<std::string>& more) {
        std::vector<std::string> arguments{"--config", unweighted};
        arguments.insert(arguments.end(), more.begin(), more.end());
        return refusal(with({"fit", "safairkm"}, arguments));
    };
    EXPECT_THAT(refused_unweighted({"--weight", "w"}), EndsWith("weights = true under [stream] in " + unweighted));
    EXPECT_THAT(refused_unweighted({}), Names({"[prepare]", unweighted, "missing values"}));
}

TEST_F(FitConfig, ErrorsOnRawCellsSayWhatToDo) {
    const auto refused = [&](const std::string& command, std::string_view text) {
        const std::string file = people.directory.write("bad.csv", text).string();
        return command == "fit" ? refusal({"fit", "safairkm", "--input", file, "--group", "sex"})
                                : refusal({"front", "--input", file, "--group", "sex"});
    };
    for (const std::string command : {"fit", "front"}) {
        EXPECT_THAT(refused(command, "city,sex\nParis,f\n"),
                    Names({"bad.csv", "'city'", "'Paris'", ": add --categorical city=onehot"}));
        EXPECT_THAT(refused(command, "age,x,sex\n,1,f\n,2,m\n"), Names({"'age'", ": add --leave-out age"}));
        EXPECT_THAT(refused(command, "age,sex\n,f\n"), AllOf(HasSubstr("'age'"), ::testing::Not(HasSubstr("add --"))))
            << "without it there would be no feature";
        EXPECT_THAT(refused(command, "age,sex\nNA,f\n3,m\n"),
                    HasSubstr("column 'age' (1 of 2) lacks values: add --missing age=mean"));
        EXPECT_THAT(refused(command, "age,sex\n1,\n2,f\n"),
                    Names({"'sex'", "1 empty", "line 2", ": add --unknown-group unknown"}));
    }
}

}  // namespace
}  // namespace fairstream::command
