/// Outputs of `fairstream predict` for saved, recorded and running models.

#include <algorithm>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <limits>
#include <map>
#include <sstream>

#include <fairstream/engine.hpp>
#include <fairstream/log/sqlite/recording.hpp>
#include <fairstream/models.hpp>
#include <fairstream/models/model_kind.hpp>
#include <fairstream/replay/run.hpp>

#include "applicants.hpp"
#include "recordings.hpp"

namespace fairstream::command {
namespace {

using ::testing::AllOf;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

/// Returns the cells of a file of two columns, by id.
std::map<std::string, std::string> cells_by_id(const std::string& path, const std::string& heading) {
    std::istringstream text(test::file_bytes(path));
    std::string line;
    std::getline(text, line);
    EXPECT_EQ(line, "id," + heading);
    std::map<std::string, std::string> cells;
    while (std::getline(text, line)) cells[line.substr(0, line.find(','))] = line.substr(line.find(',') + 1);
    return cells;
}

/// Returns the stdout of a command; fails the test if it does not end well. The exit code may report a missed target.
std::string out_of(std::vector<std::string> arguments) {
    const test::Finished finished = fairstream(std::move(arguments));
    const bool misses = (finished.err + finished.out).find("target missed") != std::string::npos;
    EXPECT_EQ(finished.exit_code, misses ? 3 : 0) << finished.err;
    return finished.out;
}

/// Fits; a target may be missed.
void fit_model(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), "fit");
    const test::Finished finished = fairstream(std::move(arguments));
    EXPECT_THAT(finished.exit_code, ::testing::AnyOf(0, 3)) << finished.err;
}

/// Returns the engine of a saved model, whose checkpoint is as of its last event.
Engine saved_engine(const std::string& path) {
    const auto recording = log::sqlite::Recording::open_read_only(path);
    const auto checkpoint = recording.newest_checkpoint();
    EXPECT_TRUE(checkpoint && checkpoint->sequence == recording.last_sequence());
    return Engine::load(replay::recorded_options(recording), checkpoint->state);
}

/// People with text ids, text columns, dates and gaps.
std::string people_csv(int first, int n, bool with_groups = true) {
    std::string text = std::string("key,age,work,joined,hours") + (with_groups ? ",sex\n" : "\n");
    for (int i = first; i < first + n; ++i)
        text += "p" + std::to_string(i * 7919) + "," + (i % 9 == 0 ? "" : std::to_string(20 + i * 5 % 40)) + "," +
                std::vector<std::string>{"clerk", "nurse", "smith"}.at(static_cast<std::size_t>(i % 3)) + ",2026-0" +
                std::to_string(1 + i % 9) + "-1" + std::to_string(i % 10) + "," + std::to_string(30 + i * 3 % 17) +
                ".5" + (with_groups ? (i % 5 < 3 ? ",male\n" : ",female\n") : "\n");
    return text;
}

class Predict : public ::testing::Test {
protected:
    [[nodiscard]] std::string path(const std::string& name) const { return (directory / name).string(); }
    [[nodiscard]] std::string write(const std::string& name, const std::string& text) const {
        return directory.write(name, text).string();
    }
    /// Fits made-up points, and saves the model under its name.
    [[nodiscard]] std::string saved(const std::string& model, const std::vector<std::string>& more = {}) const {
        const std::string file = path(model + ".fairstream");
        std::vector<std::string> arguments{model, "--points", "400", "--save", file};
        if (std::ranges::count(more, "--generate") == 0) arguments.insert(arguments.end(), {"--generate", "loans"});
        arguments.insert(arguments.end(), more.begin(), more.end());
        fit_model(arguments);
        return file;
    }
    /// Fits the people by safairkm, and saves the model.
    [[nodiscard]] std::string saved_people(const std::vector<std::string>& more = {},
                                           const std::string& scaling = "--standardise") const {
        const std::string file = path("people.fairstream");
        std::vector<std::string> arguments{"safairkm",
                                           "--input",
                                           write("people.csv", people_csv(0, 90)),
                                           "--id",
                                           "key",
                                           "--group",
                                           "sex",
                                           "--categorical",
                                           "onehot",
                                           "--missing",
                                           "mean",
                                           "--dates",
                                           "days",
                                           "--clusters",
                                           "3",
                                           "--save",
                                           file,
                                           scaling};
        arguments.insert(arguments.end(), more.begin(), more.end());
        fit_model(arguments);
        return file;
    }

    test::TemporaryDirectory directory;
};

class ScaledPredict : public Predict, public testing::WithParamInterface<std::string> {};

TEST_P(ScaledPredict, LabelsAreNearestPreparedCentres) {
    const std::string model = saved_people({"--set", "balance_at_least=0"}, GetParam());
    out_of({"predict", "--by", model, "--input", path("people.csv"), "--id", "key", "--nearest", "--labels",
            path("labels.csv")});
    const auto labels = cells_by_id(path("labels.csv"), "label");
    const Engine engine = saved_engine(model);
    const std::vector<float> centres = engine.report("safairkm").centres;
    const std::size_t d = engine.window().dimensions();
    ASSERT_EQ(labels.size(), 90U);
    ASSERT_EQ(engine.window().size(), 90U);
    ASSERT_EQ(centres.size(), 3 * d);
    for (Slot slot = 0; slot < engine.window().size(); ++slot) {
        std::vector<double> away(3, 0);
        for (std::size_t l = 0; l < 3; ++l)
            for (std::size_t j = 0; j < d; ++j)
                away[l] += std::pow(engine.window().points().features[slot * d + j] - centres[l * d + j], 2);
        const std::string id(engine.id_text(engine.window().id(slot)));
        ASSERT_TRUE(labels.contains(id)) << id;
        EXPECT_LE(away.at(std::stoul(labels.at(id))), *std::ranges::min_element(away) * (1 + 1e-5)) << id;
    }
}

INSTANTIATE_TEST_SUITE_P(Scalings, ScaledPredict, testing::Values("--standardise", "--unit-range"));

TEST_F(Predict, WritesLinePerPointInFileOrder) {
    const std::string model = saved_people();
    const std::string all =
        out_of({"predict", "--by", model, "--input", path("people.csv"), "--id", "key", "--nearest"});
    EXPECT_THAT(all, StartsWith("id,label\np0,"));
    EXPECT_EQ(std::ranges::count(all, '\n'), 91);
    const std::string twice = test::file_bytes(path("people.csv")), header = twice.substr(0, twice.find('\n') + 1);
    const std::string file = directory.write("twice.csv", twice + twice.substr(header.size())).string();
    const test::Finished repeated = fairstream({"predict", "--by", model, "--input", file, "--id", "key", "--nearest"});
    EXPECT_EQ(std::ranges::count(repeated.out, '\n'), 181);
    EXPECT_THAT(repeated.err, StartsWith("90 rows"));
    // Each row is labelled on its own, whichever rows stand beside it; without ids, by its number.
    const std::string some = write("some.csv", people_csv(40, 30));
    const std::string numbered = out_of({"predict", "--by", model, "--input", some, "--nearest"});
    const std::string named = out_of({"predict", "--by", model, "--input", some, "--id", "key", "--nearest"});
    EXPECT_THAT(all, HasSubstr(named.substr(named.find('\n'))));
    std::istringstream lines(named), numbers(numbered);
    int row = -1;
    for (std::string line, number; std::getline(lines, line) && std::getline(numbers, number); ++row) {
        if (row < 0) continue;
        EXPECT_EQ(number, std::to_string(row) + line.substr(line.find(',')));
    }
    EXPECT_EQ(row, 30);
    EXPECT_EQ(out_of({"predict", "--by", model, "--input", path("people.csv"), "--id", "key", "--nearest"}), all);
}

TEST_F(Predict, NeedsGroupsOnlyForTargets) {
    const std::string model = saved_people({"--set", "balance_at_least=0.9"});
    const std::string without = write("without.csv", people_csv(0, 90, false));
    const std::string nearest =
        out_of({"predict", "--by", model, "--input", path("people.csv"), "--id", "key", "--nearest"});
    const test::Finished without_groups = fairstream({"predict", "--by", model, "--input", without, "--id", "key"});
    EXPECT_EQ(without_groups.exit_code, 0);
    EXPECT_EQ(without_groups.out, nearest);
    EXPECT_THAT(without_groups.err, Names({"'sex'", "balance 0."}));
    EXPECT_THAT(refusal({"predict", "--by", model, "--input", without, "--fair"}), HasSubstr("'sex'"));

    const std::string fair = out_of({"predict", "--by", model, "--input", path("people.csv"), "--id", "key"});
    EXPECT_NE(fair, nearest);
    EXPECT_EQ(out_of({"predict", "--by", model, "--input", path("people.csv"), "--id", "key", "--fair"}), fair);
    const Engine engine = saved_engine(model);
    std::istringstream people(test::file_bytes(path("people.csv"))), lines(fair);
    std::string person, line;
    std::getline(people, person), std::getline(lines, line);
    EXPECT_EQ(line, "id,label");
    std::vector<float> rows;
    std::vector<GroupId> groups;
    std::vector<std::pair<std::string, std::string>> labelled;  // the id, and its line
    while (std::getline(people, person) && std::getline(lines, line)) {
        std::vector<std::string> cells;
        std::istringstream stream(person);
        for (std::string cell; std::getline(stream, cell, ',');) cells.push_back(cell);
        const std::string& joined = cells[3];
        const auto days = std::chrono::sys_days(std::chrono::year(2026) / std::stoi(joined.substr(5, 2)) /
                                                std::stoi(joined.substr(8)));
        rows.insert(rows.end(), {cells[1].empty() ? std::numeric_limits<float>::quiet_NaN() : std::stof(cells[1]),
                                 cells[2] == "clerk"   ? 0.F
                                 : cells[2] == "nurse" ? 1.F
                                                       : 2.F,
                                 static_cast<float>(days.time_since_epoch().count()), std::stof(cells[4])});
        groups.push_back(static_cast<GroupId>(cells[5] == "male" ? 1 : 0));
        labelled.emplace_back(cells[0], line);
    }
    std::vector<ClusterId> labels(labelled.size());
    engine.assign_fair("safairkm", rows, groups, labels);
    for (std::size_t i = 0; i < labels.size(); ++i)
        EXPECT_EQ(labelled[i].second, labelled[i].first + "," + std::to_string(labels[i]));
    // A file whose columns have other names is read by position, with a note.
    std::string renamed = test::file_bytes(path("people.csv"));
    renamed.replace(0, renamed.find('\n'), "key,years,job,since,load,gender");
    EXPECT_EQ(out_of({"predict", "--by", model, "--input", write("renamed.csv", renamed), "--id", "key", "--features",
                      "years,job,since,load", "--group", "gender"}),
              fair);
}

TEST_F(Predict, FairLabelsKeepTheTargetsAmongThePoints) {
    const std::string model =
        saved("safairkm", {"--set", "parity_at_least=0.9", "--clusters", "4", "--labels", path("fit.csv")});
    const std::vector<std::string> points{"predict", "--by",     model,           "--generate",
                                          "loans",   "--points", "2000",          "--generate-seed",
                                          "9",       "--labels", path("new.csv"), "--json"};
    const auto with = [&](const std::vector<std::string>& more) {
        std::vector<std::string> arguments = points;
        arguments.insert(arguments.end(), more.begin(), more.end());
        return json_of(arguments);
    };
    const auto fair = with({});
    EXPECT_EQ(fair["assignment"], "together");
    EXPECT_GE(fair["attributes"][0]["parity"], 0.9);
    EXPECT_EQ(fair["attributes"][0]["attribute"], "sex");
    EXPECT_TRUE(fair["missed_targets"].empty() && fair["warnings"].empty()) << fair;
    const std::map<std::string, std::string> fair_labels = cells_by_id(path("new.csv"), "label");
    const auto nearest = with({"--nearest"});
    EXPECT_EQ(nearest["assignment"], "nearest");
    EXPECT_LT(fair["attributes"][0]["nearest_parity"], 0.9);
    EXPECT_FALSE(nearest.contains("attributes"));
    EXPECT_FALSE(nearest["cluster_sizes"] == fair["cluster_sizes"]);
    std::uint64_t differ = 0;
    for (const auto& [id, label] : cells_by_id(path("new.csv"), "label")) differ += label != fair_labels.at(id) ? 1 : 0;
    EXPECT_EQ(fair["not_nearest"], differ);
    EXPECT_FALSE(nearest.contains("not_nearest"));
    EXPECT_THAT(out_of({"predict", "--by", model, "--generate", "loans", "--points", "2000", "--generate-seed", "9",
                        "--labels", path("new.csv")}),
                HasSubstr("  sex: balance "));
    EXPECT_THAT(refusal({"predict", "--by", model, "--generate", "loans", "--points", "5", "--fair", "--nearest"}),
                Names({"--fair", "--nearest"}));
}

// The model's own file: the model keeps targets there that nearest clusters miss.
TEST_F(Predict, KeepsTargetsOnModelsOwnPoints) {
    for (const std::string target : {"balance_at_least=0.5", "parity_at_least=0.9", "share_delta=0.1"}) {
        const std::string model = path("own.fairstream");
        const json fitted = json_of({"fit", "safairkm", "--generate", "loans", "--points", "2000", "--clusters", "5",
                                     "--set", target, "--save", model, "--json"});
        const json own = json_of({"predict", "--by", model, "--generate", "loans", "--points", "2000", "--labels",
                                  path("own.csv"), "--json"});
        EXPECT_EQ(own["assignment"], "together") << target;
        EXPECT_TRUE(own["missed_targets"].empty()) << target << own["missed_targets"];
        EXPECT_GT(own["attributes"][0]["balance"].get<double>(), own["attributes"][0]["nearest_balance"].get<double>())
            << target;
        std::filesystem::remove(model);
    }
}

TEST_F(Predict, FewPointsAreLabelledOneByOne) {
    const std::string model =
        saved("safairkm", {"--set", "parity_at_least=0.9", "--clusters", "4", "--labels", path("fit.csv")});
    const auto few = json_of({"predict", "--by", model, "--generate", "loans", "--points", "5", "--generate-seed", "9",
                              "--labels", path("few.csv"), "--report", path("few.json"), "--json"});
    EXPECT_EQ(few["assignment"], "one by one");
    EXPECT_TRUE(few["missed_targets"].empty()) << few;
    EXPECT_FALSE(few["warnings"].empty()) << few;
    const std::string told = out_of({"predict", "--by", model, "--generate", "loans", "--points", "2",
                                     "--generate-seed", "9", "--labels", path("few.csv")});
    EXPECT_THAT(told, Names({"2 points", "together", "safairkm"}));
}

TEST_F(Predict, WarningsOfUnknownGroupsAndMissedTargetsAgree) {
    // Three of five people are male: no clustering has this balance.
    const std::string model = saved_people({"--set", "balance_at_least=0.9", "--unknown-group", "unknown"});
    const auto warned = [&](const std::string& sex) {
        std::string text;
        for (const std::string& line : lines_of(people_csv(0, 4, false)))
            text += line + (text.empty() ? ",sex\n" : "," + sex + "\n");
        const test::Finished finished = fairstream({"predict", "--by", model, "--input", write("new.csv", text), "--id",
                                                    "key", "--labels", path("labels.csv"), "--json"});
        EXPECT_EQ(finished.exit_code, 3) << finished.err;
        return json::parse(finished.out)["warnings"].dump();
    };
    EXPECT_THAT(warned("male"), AllOf(Names({"one after another", "target missed", "balance_at_least = 0.9"}),
                                      Not(HasSubstr("hold for"))));
    EXPECT_THAT(warned(""),
                AllOf(HasSubstr("no point has a known group"), HasSubstr("'sex' is empty"), Not(HasSubstr("spelled"))));
    EXPECT_THAT(warned("Weib"), HasSubstr("spelled"));
}

TEST_F(Predict, EveryTargetIsKeptByFewAndMany) {
    const std::vector<std::string> bounds{"share_delta=0.2", "share_at_least=0.3,0.3", "share_at_most=0.7,0.7",
                                          "balance_at_least=0.4", "parity_at_least=0.8"};
    for (const std::string& bound : bounds) {
        const std::string model = path(bound.substr(0, bound.find('=')) + ".fairstream");
        fit_model({"safairkm", "--generate", "loans", "--points", "600", "--clusters", "4", "--save", model, "--labels",
                   path("fit.csv"), "--set", bound});
        const auto of_points = [&](const char* points) {
            return json_of({"predict", "--by", model, "--generate", "loans", "--points", points, "--generate-seed", "9",
                            "--labels", path("new.csv"), "--fair", "--json"});
        };
        EXPECT_EQ(of_points("5")["assignment"], "one by one") << bound;
        EXPECT_TRUE(of_points("5")["missed_targets"].empty()) << bound;
        EXPECT_TRUE(of_points("200")["warnings"].empty()) << bound;
    }
}

TEST_F(Predict, LargeInputIsAssignedInParts) {
    const Site site(applicants_config() + "\n[ingest]\nmax_message_bytes = 65536\n");
    test::Process engine(site.serve_arguments());
    ASSERT_EQ(test::run(site.send_arguments({"--generate", "loans", "--points", "3000", "--batch", "100"})).exit_code,
              0);
    const auto asked = [&](const char* points) {
        return json::parse(out_of({"predict", "--by", site.endpoint("control"), "--timeout", "60", "--model", "fair",
                                   "--generate", "loans", "--generate-seed", "9", "--points", points, "--fair",
                                   "--labels", path("out.csv"), "--json"}));
    };
    const auto told = [](const json& report) {
        return std::ranges::any_of(
            report["warnings"], [](const std::string& warning) { return warning.find(" parts") != std::string::npos; });
    };
    EXPECT_FALSE(told(asked("2000")));
    const json many = asked("3000");
    EXPECT_TRUE(told(many)) << many;
    EXPECT_EQ(many["points"], 3000);
    // Each part keeps the target, and so do all parts together.
    EXPECT_TRUE(many["missed_targets"].empty()) << many["missed_targets"];
    EXPECT_GE(many["attributes"][0]["balance"].get<double>(), 0.3);
    EXPECT_EQ(std::ranges::count(test::file_bytes(path("out.csv")), '\n'), 3001);
    // Points sorted by group still appear in all parts.
    std::string sorted = "x0,x1,x2,x3,x4,x5,sex,age_band\n";
    for (int i = 0; i < 3000; ++i) {
        for (int j = 0; j < 6; ++j) sorted += std::to_string((i * (7 + j)) % 101) + ",";
        sorted += i < 1500 ? "female,under_30\n" : "male,under_30\n";
    }
    const json by_group = json::parse(
        fairstream({"predict", "--by", site.endpoint("control"), "--timeout", "60", "--model", "fair", "--input",
                    write("sorted.csv", sorted), "--fair", "--labels", path("out.csv"), "--json"})
            .out);
    EXPECT_TRUE(by_group["missed_targets"].empty()) << by_group["missed_targets"];
    Site::stop(engine);
}

TEST_F(Predict, MissingValueIsNamedWithRemedy) {
    std::string text = "id,pay,age,sex\n";
    for (int i = 0; i < 60; ++i)
        text += std::to_string(i) + (i == 5 ? ",unknown," : "," + std::to_string(100 + i * 7 % 50) + ",") +
                std::to_string(20 + i * 3 % 40) + (i % 2 == 0 ? ",f\n" : ",m\n");
    const std::string input = write("pay.csv", text), model = path("pay.fairstream");
    ASSERT_EQ(fairstream({"fit", "safairkm", "--input", input, "--id", "id", "--group", "sex", "--clusters", "2",
                          "--missing-text", "pay=unknown", "--missing", "pay=drop", "--save", model})
                  .exit_code,
              0);
    std::vector<std::string> predict{"predict", "--by", model, "--input", input, "--id", "id"};
    EXPECT_THAT(refusal(predict),
                Names({"pay.csv:7:", "'pay'", "'unknown'", "1 of 60 rows", "add --missing pay=drop;"}));
    predict.insert(predict.end(), {"--missing", "pay=drop"});
    const std::string labels = out_of(predict);
    EXPECT_EQ(std::ranges::count(labels, '\n'), 60);
}

TEST_F(Predict, FitKeepsFoundDecimalMark) {
    std::string text = "id;x;sex\n";
    for (int i = 0; i < 40; ++i)
        text += std::to_string(i) + ";" + std::to_string(i % 5) + ",5;" + (i % 2 ? "f\n" : "m\n");
    const std::string model = path("found.fairstream");
    EXPECT_EQ(fairstream({"fit", "safairkm", "--input", write("found.csv", text), "--id", "id", "--group", "sex",
                          "--clusters", "2", "--save", model})
                  .exit_code,
              0);
    const std::string thousands = write("thousands.csv", "id;x;sex\n1;1.500;f\n2;2.500;m\n");
    EXPECT_THAT(fairstream({"predict", "--by", model, "--input", thousands, "--id", "id"}).err,
                Names({"'x'", "'1.500'"}));
}

TEST_F(Predict, AFitKeepsItsDecimalMark) {
    std::string text = "id,income,age,sex\n", plain = text;
    for (int i = 0; i < 60; ++i) {
        const std::string rest = "," + std::to_string(20 + i * 7 % 50) + (i % 2 == 0 ? ",f\n" : ",m\n");
        const std::string whole = std::to_string(1 + i * 5 % 9), part = std::to_string(100 + i * 13 % 900);
        text += std::to_string(i) + ",\"" + whole + "," + part + "\"" + rest;
        plain += std::to_string(i) + "," + whole + "." + part + rest;
    }
    const std::string input = write("german.csv", text), model = path("german.fairstream");
    EXPECT_EQ(fairstream({"fit", "safairkm", "--input", input, "--id", "id", "--group", "sex", "--clusters", "3",
                          "--decimal-mark", "comma", "--save", model, "--save-config", path("german.toml")})
                  .exit_code,
              0);
    EXPECT_THAT(test::file_bytes(path("german.toml")), HasSubstr("\ndecimal_mark = \"comma\"\n"));
    const auto predicted = [&](const std::string& file, std::vector<std::string> more = {}) {
        more.insert(more.begin(), {"predict", "--by", model, "--input", file, "--id", "id"});
        return out_of(more);
    };
    const std::string labels = predicted(input), points = write("plain.csv", plain);
    EXPECT_THAT(refusal({"predict", "--by", model, "--input", points, "--id", "id"}),
                Names({"60 of 60 rows", "1.100", "add --decimal-mark point"}));
    EXPECT_EQ(predicted(points, {"--decimal-mark", "point"}), labels) << "an option of the command goes first";
    // Numbers in JSON have decimal points.
    EXPECT_THAT(predicted(write("one.jsonl", R"({"id": 1, "income": 1500.5, "age": 30})")), StartsWith("id,label\n1,"));
}

TEST_F(Predict, RecordMayLackFilledKeys) {
    std::string text;
    for (int i = 0; i < 60; ++i)
        text += "{\"id\":" + std::to_string(i) + R"(,"g":")" + (i % 2 == 0 ? "a" : "b") +
                "\",\"x\":" + std::to_string(i * 13 % 30) + (i % 5 == 0 ? "" : ",\"y\":" + std::to_string(i * 7 % 11)) +
                "}\n";
    const std::string model = path("optional.fairstream");
    fit_model({"safairkm", "--input", write("optional.jsonl", text), "--id", "id", "--group", "g", "--missing", "mean",
               "--clusters", "2", "--save", model, "--save-config", path("optional.toml")});
    const auto predicted = [&](const std::string& record, std::vector<std::string> more = {}) {
        more.insert(more.begin(), {"predict", "--by", model, "--input", write("one.jsonl", record), "--id", "id"});
        return fairstream(more);
    };
    const test::Finished without = predicted("{\"id\":500,\"x\":0.5}\n");
    EXPECT_EQ(without.exit_code, 0);
    EXPECT_EQ(without.out, predicted("{\"id\":500,\"x\":0.5,\"y\":null}\n").out);
    EXPECT_THAT(without.err, HasSubstr("'y'"));
    EXPECT_THAT(without.err, HasSubstr("'g'"));
    EXPECT_THAT(predicted("{\"id\":500,\"x\":0.5}\n", {"--features", "x,z"}).err, Names({"'z'", "'id', 'x'"}));
    EXPECT_THAT(predicted("{\"id\":500,\"z\":0.5}\n").err, HasSubstr("'x'"));
    EXPECT_THAT(fairstream({"fit", "safairkm", "--input", write("ones.jsonl", "{\"id\":1,\"x\":2}\n"), "--id", "id",
                            "--config", path("optional.toml"), "--clusters", "1"})
                    .err,
                AllOf(StartsWith("note: "), HasSubstr("'y'")));
}

TEST_F(Predict, ColumnsInAnotherUnitAreTold) {
    const auto file = [&](const char* name, double of_rate, double of_age) {
        std::string text = "rate,age,sex\n";
        for (int i = 0; i < 60; ++i)
            text += std::to_string(of_rate * (i * 37 % 100)) + "," + std::to_string(of_age * (20 + i * 7 % 50)) +
                    (i % 2 == 0 ? ",f\n" : ",m\n");
        return write(name, text);
    };
    const std::string model = path("units.fairstream");
    EXPECT_EQ(fairstream({"fit", "safairkm", "--input", file("units.csv", 1, 1), "--group", "sex", "--clusters", "3",
                          "--standardise", "--save", model})
                  .exit_code,
              0);
    const auto warnings = [&](const std::string& input) {
        return fairstream({"predict", "--by", model, "--input", input, "--labels", path("labels.csv")}).err;
    };
    EXPECT_EQ(warnings(file("same.csv", 1, 1)), "");
    EXPECT_THAT(warnings(file("fractions.csv", 0.01, 1)),
                AllOf(Names({"'rate'", "0.4983", " 0.01 times"}), Not(HasSubstr("'age'"))));
    EXPECT_THAT(warnings(file("months.csv", 1, 12)), Names({"'age'", "standard deviations"}));
}

TEST_F(Predict, ScoresAreThoseOfTheFit) {
    const Applicants applicants;
    const std::string input = applicants.file.string();
    const auto predicted = [&](const std::string& model, const std::string& file) {
        out_of({"predict", "--by", model, "--input", file, "--id", "id", "--scores", path("out.csv")});
        return cells_by_id(path("out.csv"), "score");
    };
    const auto fitted = [&](const std::string& terms) {
        const std::string model = path(terms + ".fairstream");
        EXPECT_EQ(fairstream(applicants.fit({"--split", "three", "--set", "kappa=0.5", "--set", "group_terms=" + terms,
                                             "--save", model, "--scores", path("fit.csv")}))
                      .exit_code,
                  0);
        return model;
    };
    const auto same_as_fit = [&](const std::map<std::string, std::string>& scores) {
        std::size_t seen = 0;
        for (const auto& part : scores_in(path("fit.csv")))
            for (const auto& [i, score] : part) {
                EXPECT_EQ(std::stod(scores.at(std::to_string(5000 - i))), score);
                ++seen;
            }
        EXPECT_EQ(scores.size(), seen);
    };
    const std::string with_groups = fitted("all");
    same_as_fit(predicted(with_groups, input));
    // The file of new points has neither groups nor targets.
    std::string text = test::file_bytes(input), bare;
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
        std::size_t end = 0;
        for (int comma = 0; comma < 3; ++comma) end = line.find(',', end + 1);
        bare += line.substr(0, end) + "\n";
    }
    const std::string new_points = write("bare.csv", bare);
    EXPECT_THAT(refusal({"predict", "--by", with_groups, "--input", new_points}), HasSubstr("no column 'sex'"));
    const std::string without_groups = fitted("none");
    same_as_fit(predicted(without_groups, new_points));
}

TEST_F(Predict, PredictionsMatchFit) {
    const Applicants applicants;
    const std::string model = path("esvd.fairstream");
    const test::Finished fitted = fairstream({"fit",        "esvd_fair",     "--input", applicants.file.string(),
                                              "--features", "x,y",           "--group", "sex",
                                              "--target",   "good",          "--id",    "id",
                                              "--split",    "three",         "--set",   "hidden=8",
                                              "--set",      "epochs=40",     "--curve", "0.1",
                                              "--scores",   path("fit.csv"), "--save",  model});
    ASSERT_EQ(fitted.exit_code, 0) << fitted.err;
    const json report = json::parse(out_of({"predict", "--by", model, "--input", applicants.file.string(), "--id", "id",
                                            "--scores", path("out.csv"), "--json"}));
    EXPECT_EQ(report["points"], Applicants::n);
    EXPECT_LT(report["score_least"], report["score_mean"]);
    EXPECT_LT(report["score_mean"], report["score_largest"]);
    const auto predictions = cells_by_id(path("out.csv"), "prediction");
    std::istringstream lines(test::file_bytes(path("fit.csv")));
    std::string line;
    std::getline(lines, line);
    std::size_t seen = 0;
    for (; std::getline(lines, line); ++seen)
        EXPECT_EQ(predictions.at(line.substr(0, line.find(','))), line.substr(line.rfind(',') + 1));
    EXPECT_EQ(predictions.size(), seen);
}

TEST_F(Predict, EveryModelIsSavedAndAsked) {
    for (const ModelKind* kind : model_kinds()) {
        const std::string name(kind->name());
        const bool learns = kind->outputs() == OutputKind::scores || kind->outputs() == OutputKind::predictions;
        const std::string made = kind->outputs() == OutputKind::labels ? "loans" : "loan_decisions";
        std::vector<std::string> more{"--generate", made};
        if (name == "group_metrics") more.insert(more.end(), {"--set", "prediction=income"});
        if (name == "esvd_fair") more.insert(more.end(), {"--set", "hidden=4", "--set", "epochs=20"});
        const std::string file = path(name + ".fairstream");
        std::vector<std::string> arguments{name, "--points", "300", "--save", file};
        arguments.insert(arguments.end(), more.begin(), more.end());
        fit_model(arguments);
        const json checked = json_of({"check", file, "--json"});
        EXPECT_EQ(checked["checkpoint"], checked["last_sequence"]) << name;
        EXPECT_EQ(checked["sent"], 300) << name;
        const std::string bytes = test::file_bytes(file);
        EXPECT_EQ(fairstream({"replay", file}).exit_code, 0) << name;
        const std::vector<std::string> asked{"predict",         "--by", file, "--generate", made, "--points", "50",
                                             "--generate-seed", "5"};
        if (kind->outputs() == OutputKind::none) {
            EXPECT_THAT(refusal(asked), HasSubstr(name + " measures groups"));
        } else {
            const std::string predicted = out_of(asked);
            EXPECT_THAT(predicted, StartsWith(!learns               ? "id,label\n0,"
                                              : name == "esvd_fair" ? "id,prediction\n0,"
                                                                    : "id,score\n0,"));
            EXPECT_EQ(std::ranges::count(predicted, '\n'), 51) << name;
        }
        EXPECT_EQ(test::file_bytes(file), bytes) << name;
        EXPECT_FALSE(std::filesystem::exists(file + ".part"));
        EXPECT_FALSE(std::filesystem::exists(file + "-wal"));
    }
}

TEST_F(Predict, ProbabilitiesAreThoseOfTheEngine) {
    const std::string model = saved("lord", {"--clusters", "3"});
    const std::vector<std::string> asked{"predict", "--by", model, "--generate", "loans", "--points", "40"};
    const auto with = [&](std::vector<std::string> more) {
        more.insert(more.begin(), asked.begin(), asked.end());
        return more;
    };
    out_of(with({"--probabilities", path("p.csv"), "--labels", path("labels.csv")}));
    const auto labels = cells_by_id(path("labels.csv"), "label");
    const auto shares = cells_by_id(path("p.csv"), "p0,p1,p2");
    EXPECT_EQ(shares.size(), 40U);
    for (const auto& [id, cells] : shares) {
        std::vector<double> row;
        std::istringstream stream(cells);
        for (std::string cell; std::getline(stream, cell, ',');) row.push_back(std::stod(cell));
        ASSERT_EQ(row.size(), 3U);
        EXPECT_NEAR(row[0] + row[1] + row[2], 1, 1e-5);
        EXPECT_EQ(row.at(std::stoul(labels.at(id))), *std::ranges::max_element(row));
    }
    EXPECT_EQ(out_of(with({"--probabilities", "-"})), test::file_bytes(path("p.csv")));
    EXPECT_THAT(refusal(with({"--fair"})), Names({"fair assignment", "safairkm, live_front"}));
    EXPECT_THAT(refusal(with({"--scores", "-"})), HasSubstr("use --labels"));
}

TEST_F(Predict, RecordingEngineAndEndAgree) {
    // The target is close to the possible, so that many points do not get their nearest cluster.
    std::string config = applicants_config();
    config.replace(config.find("balance_at_least = 0.4"), 22, "balance_at_least = 0.5");
    const Site site(config);
    const auto asked = [&](const std::string& by, const std::string& model, std::vector<std::string> more = {}) {
        more.insert(more.begin(), {"predict", "--by", by, "--timeout", "60", "--model", model, "--generate", "loans",
                                   "--points", "700", "--generate-seed", "9"});
        return out_of(more);
    };
    std::string fair, plain;
    {
        test::Process engine(site.serve_arguments());
        ASSERT_EQ(
            test::run(site.send_arguments({"--generate", "loans", "--points", "3000", "--batch", "100"})).exit_code, 0);
        fair = asked(site.endpoint("control"), "fair", {"--fair"});
        plain = asked(site.endpoint("control"), "plain");
        EXPECT_EQ(asked(site.recording(), "fair", {"--fair"}), fair);
        EXPECT_EQ(asked(site.recording(), "plain"), plain);
        EXPECT_EQ(asked(site.endpoint("control"), "fair", {"--fair"}), fair) << "nothing is taken in";
        EXPECT_NE(asked(site.endpoint("control"), "fair", {"--nearest"}), fair);
        EXPECT_EQ(json::parse(out_of({"status", "--control", site.endpoint("control"), "--json"}))["sequence"], 30);
        Site::stop(engine);
    }
    const std::string bytes = test::file_bytes(site.recording());
    EXPECT_EQ(asked(site.recording(), "fair", {"--fair"}), fair);
    EXPECT_EQ(asked(site.recording(), "plain"), plain);
    EXPECT_EQ(test::file_bytes(site.recording()), bytes);
}

TEST_F(Predict, ASavedModelIsServedAndGoesOn) {
    const Site site;
    const std::string model =
        saved("safairkm", {"--set", "balance_at_least=0.4", "--clusters", "4", "--labels", path("fit.csv")});
    const std::vector<std::string> points{"--generate", "loans", "--points", "300", "--generate-seed", "4"};
    const auto asked = [&](const std::string& by) {
        std::vector<std::string> arguments{"predict", "--by", by, "--timeout", "60", "--fair"};
        arguments.insert(arguments.end(), points.begin(), points.end());
        return out_of(arguments);
    };
    const std::string before = asked(model);
    json_of({"replay", model, "--labels", path("replayed.csv"), "--json"});
    EXPECT_EQ(cells_by_id(path("replayed.csv"), "safairkm"), cells_by_id(path("fit.csv"), "label"));
    {
        test::Process engine({program(), "serve", "--recording", model, "--ingest", site.endpoint("ingest"),
                              "--updates", site.endpoint("updates"), "--control", site.endpoint("control")});
        EXPECT_EQ(asked(site.endpoint("control")), before);
        ASSERT_EQ(test::run(site.send_arguments({"--generate", "loans", "--points", "500", "--generate-seed", "8"}))
                      .exit_code,
                  0);
        const std::string after = asked(site.endpoint("control"));
        EXPECT_EQ(asked(model), after);
        const test::Finished watched =
            test::run(site.watch_arguments("safairkm", {"--labels", path("watched.csv"), "--until-sequence", "1"}));
        EXPECT_EQ(watched.exit_code, 0) << watched.err;
        Site::stop(engine);
    }
    // The fit's state is that of its events: taken in from the first one, they lead to the same state.
    json_of({"replay", model, "--labels", path("replayed.csv"), "--json"});
    EXPECT_EQ(cells_by_id(path("replayed.csv"), "safairkm"), cells_by_id(path("watched.csv"), "safairkm"));
}

TEST_F(Predict, RunningEngineMatchesRecording) {
    const auto served_as_saved = [&](const std::string& model, const std::vector<std::string>& asked) {
        const Site site;
        test::Process engine({program(), "serve", "--recording", model, "--ingest", site.endpoint("ingest"),
                              "--updates", site.endpoint("updates"), "--control", site.endpoint("control")});
        const auto by = [&](const std::string& source) {
            std::vector<std::string> arguments{"predict", "--by", source, "--timeout", "60", "--points", "300"};
            arguments.insert(arguments.end(), asked.begin(), asked.end());
            return out_of(arguments);
        };
        EXPECT_EQ(by(site.endpoint("control")), by(model)) << model;
        Site::stop(engine);
    };
    const std::vector<std::string> decisions{"--generate", "loan_decisions"};
    served_as_saved(saved("lord", {"--clusters", "3"}), {"--generate", "loans", "--probabilities", "-"});
    served_as_saved(saved("partial_fair_scorer", decisions), decisions);
    std::vector<std::string> small = decisions;
    small.insert(small.end(), {"--set", "hidden=4", "--set", "epochs=20"});
    served_as_saved(saved("esvd_fair", small), decisions);
}

TEST_F(Predict, GroupColumnsAreNoFeatures) {
    const Site site;
    site.record(2000, 100);
    out_of({"export", site.recording(), "--points", path("points.csv"), "--to", "1"});
    const std::string by_name = out_of({"predict", "--by", site.recording(), "--model", "plain", "--input",
                                        path("points.csv"), "--id", "id", "--features", "x0,x1,x2,x3,x4,x5"});
    EXPECT_EQ(out_of({"predict", "--by", site.recording(), "--model", "plain", "--input", path("points.csv"), "--id",
                      "id", "--leave-out", "sequence,time"}),
              by_name);
    EXPECT_EQ(std::ranges::count(by_name, '\n'), 101);
    EXPECT_THAT(refusal({"predict", "--by", site.recording(), "--model", "plain", "--input", path("points.csv")}),
                Names({"9 features", site.recording() + " has 6"}));
}

TEST_F(Predict, LeavesOutRequestedRows) {
    const std::string model = saved_people();
    const std::string file = write(
        "odd.csv", people_csv(0, 3) + "x,30,pilot,2026-01-01,40,female\n" + "y,thirty,clerk,2026-01-01,40,female\n");
    EXPECT_THAT(refusal({"predict", "--by", model, "--input", file, "--labels", path("labels.csv")}),
                Names({"odd.csv:6", "'thirty'"}));
    EXPECT_FALSE(std::filesystem::exists(path("labels.csv"))) << "half a file is none";
    EXPECT_FALSE(std::filesystem::exists(path("labels.csv.part")));
    const test::Finished summary = fairstream({"predict", "--by", model, "--input", file, "--id", "key", "--bad-rows",
                                               "1", "--missing", "drop", "--bad-rows-to", path("bad.csv")});
    EXPECT_EQ(summary.exit_code, 0) << summary.err;
    EXPECT_EQ(std::ranges::count(summary.out, '\n'), 4) << summary.out;
    EXPECT_THAT(summary.err,
                Names({"3 points of " + file, "safairkm", model, "1 row without", "1 row that", "'pilot'"}));
    EXPECT_THAT(test::file_bytes(path("bad.csv")), HasSubstr("thirty"));
    const json report = json_of({"predict", "--by", model, "--input", file, "--bad-rows", "1", "--missing", "drop",
                                 "--labels", path("labels.csv"), "--json"});
    EXPECT_EQ(report["bad_rows"], 1);
    EXPECT_EQ(report["rows_without"], (json{{"age", 1}}));
    EXPECT_EQ(report["unlisted"][0]["column"], "work");
    EXPECT_EQ(report["cluster_sizes"].size(), 3U);
}

TEST_F(Predict, ReadsOtherWordsAndNewGaps) {
    const auto rows = [](const char* no, const char* yes, const char* first_income) {
        std::string text = std::string("income,owner,sex\n") + first_income;
        for (int i = 0; i < 40; ++i)
            text += std::string(",") + (i % 3 == 0 ? yes : no) + (i % 2 == 0 ? ",f\n" : ",m\n") +
                    (i == 39 ? "" : std::to_string(i % 7));
        return text;
    };
    const std::string model = path("owners.fairstream");
    fit_model({"safairkm", "--input", write("owners.csv", rows("False", "True", "3")), "--group", "sex", "--clusters",
               "3", "--save", model});
    const auto labels = [&](const std::string& text) {
        return out_of({"predict", "--by", model, "--input", write("others.csv", text)});
    };
    const std::string as_fitted = labels(rows("False", "True", "3"));
    for (const auto& [no, yes] : {std::pair("FALSE", "TRUE"), std::pair("no", "Yes"), std::pair("0", "1")})
        EXPECT_EQ(labels(rows(no, yes, "3")), as_fitted) << yes;
    EXPECT_EQ(std::ranges::count(labels(rows("False", "True", "")), '\n'), 41) << "the mean is filled in";
    EXPECT_THAT(fairstream({"predict", "--by", model, "--input", write("others.csv", rows("never", "True", "3"))}).err,
                HasSubstr("'never'"));
}

TEST_F(Predict, RefusesWhatCannotBe) {
    const std::string model = saved_people();
    const std::string input = path("people.csv");
    const auto refused = [&](std::vector<std::string> more) {
        more.insert(more.begin(), {"predict", "--input", input});
        return refusal(more);
    };
    EXPECT_THAT(refusal({"predict", "--input", input}), HasSubstr("--by"));
    EXPECT_THAT(refusal({"predict", "--by", model}), HasSubstr("no points"));
    EXPECT_THAT(refused({"--by", path("nosuch.fairstream")}), HasSubstr("nosuch.fairstream: "));
    EXPECT_THAT(refused({"--by", "http://engine"}), Names({"http://engine", "tcp://", "ipc://"}));
    EXPECT_THAT(refused({"--by", model, "--model", "other"}), AllOf(HasSubstr("--model other"), EndsWith(" safairkm")));
    EXPECT_THAT(refused({"--by", model, "--scores", path("s.csv")}), EndsWith("use --labels"));
    EXPECT_THAT(refused({"--by", model, "--probabilities", path("p.csv")}), EndsWith("lord does"));
    EXPECT_THAT(refused({"--by", model, "--labels", model}), HasSubstr("--labels"));
    EXPECT_THAT(refused({"--by", model, "--labels", input}), HasSubstr("--labels"));
    EXPECT_THAT(refused({"--by", model, "--report", "-"}), Names({"--labels", "standard output"}));
    EXPECT_THAT(refusal({"predict", "--by", model, "--input", write("few.csv", "age,work\n3,clerk\n")}),
                HasSubstr("'joined'"));
    const test::Finished no_recording = fairstream({"predict", "--by", input, "--input", input});
    EXPECT_EQ(no_recording.exit_code, 2) << "bad input";
    EXPECT_EQ(std::ranges::count(no_recording.err, '\n'), 1) << no_recording.err;
    const test::Finished silent =
        fairstream({"predict", "--by", "ipc://" + path("nobody"), "--input", input, "--timeout", "1"});
    EXPECT_EQ(silent.exit_code, 1);
    EXPECT_THAT(silent.err, HasSubstr("'ipc://" + path("nobody")));

    const Site site;
    site.record(3, 3);
    EXPECT_THAT(refusal({"predict", "--by", site.recording(), "--generate", "loans"}),
                Names({"--model", "fair, plain"}));
    EXPECT_THAT(refusal({"predict", "--by", site.recording(), "--model", "fair", "--generate", "loans"}),
                Names({"fair of " + site.recording(), "3 points", "4 clusters"}));
}

TEST_F(Predict, TextsThatMeantMissingValuesMeanThemAgain) {
    const auto file = [&](const std::string& name, const std::string& columns, const std::string& gap,
                          const std::string& day) {
        std::string text = columns;
        for (int i = 0; i < 80; ++i)
            text += std::to_string(i) + "," + (i % 6 == 0 ? gap : std::to_string(i * i % 37)) + "," +
                    (i % 8 == 0 ? day : "19" + std::to_string(50 + i % 40) + "-03-12") + "," +
                    (i % 3 == 0 ? "a\n" : "b\n");
        return write(name, text);
    };
    const std::string told = file("told.csv", "id,x,born,g\n", "-999", "9999-12-31");
    const std::string model = path("gaps.fairstream"), config = path("gaps.toml");
    fit_model({"safairkm",
               "--input",
               told,
               "--id",
               "id",
               "--group",
               "g",
               "--clusters",
               "3",
               "--dates",
               "years",
               "--missing",
               "mean",
               "--missing-text",
               "-999",
               "--missing-text",
               "born=9999-12-31",
               "--save",
               model,
               "--save-config",
               config});
    const auto predicted = [&](const std::string& input, const std::vector<std::string>& more = {}) {
        std::vector<std::string> arguments{"predict", "--by", model, "--input", input, "--id", "id"};
        arguments.insert(arguments.end(), more.begin(), more.end());
        return out_of(arguments);
    };
    const std::string expected = predicted(file("empty.csv", "id,x,born,g\n", "", ""));
    EXPECT_EQ(predicted(told), expected);
    EXPECT_EQ(predicted(file("renamed.csv", "id,a,b,g\n", "-999", "9999-12-31"), {"--features", "a,b"}), expected);
    EXPECT_EQ(predicted(file("other.csv", "id,x,born,g\n", "gone", ""), {"--missing-text", "gone"}), expected);
    EXPECT_THAT(test::file_bytes(config), Names({"missing_texts = [\"-999\", \"born=9999-12-31\"]",
                                                 "fairstream send --input " + told + " --id id\n"}));
}

TEST_F(Predict, UnitRowsAreScaledBySavedModel) {
    // Points in three directions, and the same points with other lengths.
    const auto file = [&](const std::string& name, double length) {
        std::string text = "id,x,y,kind,g\n";
        for (int i = 0; i < 60; ++i) {
            const double angle = 1.5 * (i % 3) + 0.01 * i, own = length * (1 + i % 7);
            text += std::to_string(i) + "," + std::to_string(own * std::cos(angle)) + "," +
                    std::to_string(own * std::sin(angle)) + "," + (i % 3 == 0 ? "p" : "q") + "," +
                    (i % 2 == 0 ? "a\n" : "b\n");
        }
        return write(name, text);
    };
    const std::string near = file("near.csv", 1), far = file("far.csv", 30);
    for (const std::string features : {"x,y", "x,y,kind"}) {
        const std::string model = path("unit-" + features + ".fairstream"), config = path("unit-" + features + ".toml");
        const std::vector<std::string> unit{"fit",        "safairkm", "--input",    near,
                                            "--id",       "id",       "--group",    "g",
                                            "--features", features,   "--set",      "balance_at_least=0",
                                            "--clusters", "3",        "--unit-rows"};
        const auto fit_with = [&](std::vector<std::string> more) {
            more.insert(more.begin(), unit.begin(), unit.end());
            if (features == "x,y,kind") more.insert(more.end(), {"--categorical", "kind=onehot"});
            return out_of(more);
        };
        const std::string labels = path("labels.csv"), saved_labels = path("saved.csv");
        (void)fit_with({"--labels", labels});
        EXPECT_THAT(fit_with({"--labels", saved_labels, "--save", model, "--save-config", config}),
                    HasSubstr("length 1\n"));
        EXPECT_EQ(test::file_bytes(saved_labels), test::file_bytes(labels));
        EXPECT_THAT(test::file_bytes(config), HasSubstr("\nunit_rows = true\n"));
        const auto predicted = [&](const std::string& input) {
            return out_of({"predict", "--by", model, "--input", input, "--id", "id"});
        };
        EXPECT_EQ(predicted(near), test::file_bytes(labels));
        if (features == "x,y") {
            EXPECT_EQ(predicted(far), predicted(near));
        }
    }
}

TEST_F(Predict, ModelIsSavedWholeWithoutOverwriting) {
    const std::string model = path("safairkm.fairstream");
    for (const std::string file : {"safairkm.fairstream.part", "safairkm.fairstream.part-wal"})
        (void)write(file, "left by a process that was killed");
    EXPECT_EQ(saved("safairkm"), model);
    EXPECT_FALSE(std::filesystem::exists(model + ".part"));
    EXPECT_FALSE(std::filesystem::exists(model + ".part-wal"));
    const auto refused = [&](std::vector<std::string> more) {
        more.insert(more.begin(), {"fit", "safairkm", "--clusters", "3"});
        return refusal(more);
    };
    EXPECT_THAT(refused({"--generate", "loans", "--save", model}), HasSubstr("--save"));
    EXPECT_THAT(refused({"--generate", "loans", "--save", "-"}), HasSubstr("--save -"));
    EXPECT_THAT(refusal({"fit", "lord", "--generate", "msbm", "--points", "200", "--save", path("g.fairstream")}),
                Names({"--save", "graph"}));
}

}  // namespace
}  // namespace fairstream::command
