/// Checks every report against the schema of its command, and the list of names against the program.

#include <gtest/gtest-spi.h>

#include <map>
#include <set>

#include <fairstream/options.hpp>

#include "applicants.hpp"
#include "command.hpp"
#include "recordings.hpp"

namespace fairstream::command {
namespace {

using Words = std::vector<std::string>;

/// A folder of schemas and reports, which another program than their maker validates together.
class Reports {
public:
    /// Runs a command, and keeps its output.
    void add(Words arguments, const std::set<int>& exit_codes = {0}) {
        const std::string command = arguments.at(0);
        const test::Finished finished = fairstream(std::move(arguments));
        EXPECT_TRUE(exit_codes.contains(finished.exit_code)) << command << ": " << finished.err;
        keep(command, finished.out);
    }
    void keep(const std::string& command, const std::string& text) {
        EXPECT_NE(text, "") << command;
        directory_.write(command + "." + std::to_string(++kept_[command]) + ".json", text);
    }
    [[nodiscard]] std::size_t count(const std::string& command) const {
        const auto found = kept_.find(command);
        return found == kept_.end() ? 0 : found->second;
    }
    void validate() const {
        for (const auto& [command, count] : kept_)
            directory_.write(command + ".schema.json", fairstream({"schema", command}).out);
        const test::Finished finished =
            test::run({"/usr/bin/python3", std::string(FAIRSTREAM_SOURCE_DIR) + "/tests/command/validate_reports.py",
                       directory_.path().string()});
        EXPECT_EQ(finished.exit_code, 0) << finished.out << finished.err;
    }

private:
    test::TemporaryDirectory directory_;
    std::map<std::string, std::size_t> kept_;
};

TEST(Schema, HoldsForFitsOfEveryModel) {
    Reports reports;
    const auto fit = [&](Words more, const std::set<int>& exit_codes = {0, 3}) {
        more.insert(more.begin(), "fit");
        more.emplace_back("--json");
        reports.add(std::move(more), exit_codes);
    };
    for (const std::string& model : model_names()) {
        Words made{model, "--generate", "loan_decisions", "--points", "600"};
        if (model == "group_metrics") made.insert(made.end(), {"--set", "prediction=income"});
        fit(std::move(made));
    }
    fit({"safairkm", "--generate", "loans", "--points", "500", "--clusters", "4", "--set", "attribute=sex,age_band"});
    fit({"fair_spectral", "--generate", "msbm", "--points", "300", "--clusters", "3"});
    fit({"lord", "--generate", "msbm", "--points", "300", "--clusters", "3"});
    fit({"partial_fair_scorer", "--generate", "loan_decisions", "--points", "600", "--split", "0.5,0.2,0.3", "--curve",
         "0.1,0.01", "--set", "confidence=0.9"});
    fit({"esvd_fair", "--generate", "loan_decisions", "--points", "600", "--split", "0.7,0.3", "--curve", "1,0.1"});
    // Clusters that lack a group have an infinite divergence.
    fit({"safairkm", "--generate", "loans", "--points", "20", "--clusters", "12", "--set", "parity_at_least=0"});
    reports.validate();
}

TEST(Schema, HoldsForFilesAsPeopleHaveThem) {
    const Applicants applicants;
    const test::TemporaryDirectory directory;
    std::string text = "key;x;y;sex;work;joined;weight;kind\n";
    for (int i = 0; i < 60; ++i)
        text += "k" + std::to_string(i) + ";" + (i % 7 == 0 ? "" : std::to_string(i % 11)) + ";" +
                std::to_string(i * i % 17) + (i % 2 ? ";f;" : ";m;") + (i % 3 ? "clerk" : "nurse") + ";2026-01-" +
                std::to_string(10 + i % 20) + ";" + std::to_string(1 + i % 3) + (i % 4 ? ";a\n" : ";b\n");
    text += "bad;row\n";
    const std::string file = directory.write("people.csv", text).string();
    Reports reports;
    const Words described{"--input",       file,      "--id",   "key",        "--group", "sex",       "--weight",
                          "weight",        "--dates", "days",   "--bad-rows", "1",       "--missing", "mean",
                          "--categorical", "onehot",  "--json", "--clusters", "3"};
    Words fit = described, with_classes = described, front = described;
    fit.insert(fit.begin(), {"fit", "safairkm"});
    with_classes.insert(with_classes.begin(), {"fit", "lord", "--target", "kind", "--set", "tau=scan"});
    std::erase(with_classes, "--weight");
    std::erase(with_classes, "weight");
    with_classes.insert(with_classes.end(), {"--leave-out", "weight"});
    front.insert(front.begin(), {"front"});
    front.insert(front.end(), {"--pick", "cost<=1e9"});
    reports.add(fit, {0, 3});
    reports.add(with_classes, {0, 3});
    reports.add(front);
    reports.add(applicants.fit({"--split", "three", "--json"}), {0, 3});
    reports.validate();
}

TEST(Schema, HoldsForFronts) {
    Reports reports;
    const auto front = [&](Words more) {
        more.insert(more.begin(), "front");
        more.insert(more.end(), {"--json", "--rounds", "1", "--starts", "2"});
        reports.add(std::move(more));
    };
    front({"--generate", "loans", "--points", "300", "--clusters", "3"});
    front({"--generate", "loans", "--points", "300", "--clusters", "3", "--attribute", "sex,age_band", "--measure",
           "parity", "--pick", "parity>=0"});
    front({"fair_spectral", "--generate", "msbm", "--points", "300", "--clusters", "3"});
    reports.validate();
}

const std::string& every_model() {
    static const std::string text = [] {
        std::string models = applicants_stream(true);
        for (const std::string& kind : model_names()) {
            models += "[[model]]\nname = \"" + kind + "\"\nkind = \"" + kind + "\"\n";
            if (kind == "lord" || kind == "fair_spectral") models += "every = 500\n";
            models += "[model.options]\n";
            if (kind == "group_metrics") models += "prediction = \"0\"\nattribute = \"sex,age_band\"\n";
            if (kind == "esvd_fair") models += "attribute = \"age_band\"\nhidden = 4\nepochs = 2\n";
        }
        return models;
    }();
    return text;
}

TEST(Schema, HoldsForARunningEngine) {
    Reports reports;
    const Site site(every_model());
    const Words nobody{"status", "--control", site.endpoint("control"), "--timeout", "1", "--json"};
    reports.add(nobody, {1});
    test::Process engine(site.serve_arguments());
    const test::Finished sent = test::run(
        site.send_arguments({"--generate", "loan_decisions", "--points", "2500", "--batch", "500", "--name", "desk"}));
    ASSERT_EQ(sent.exit_code, 0) << sent.err;
    reports.keep("send", sent.out);
    reports.add({"status", "--control", site.endpoint("control"), "--json"});
    for (const std::string& model : model_names()) {
        const test::Finished seen = test::run(site.watch_arguments(model, {"--json", "--until-sequence", "5"}));
        EXPECT_EQ(seen.exit_code, 0) << model << seen.err;
        reports.keep("watch", seen.out);
    }
    const test::Finished probable = test::run(site.watch_arguments(
        "lord", {"--json", "--until-sequence", "5", "--probabilities", site.file("probabilities.csv")}));
    reports.keep("watch", probable.out);
    reports.add({"refine", "safairkm", "--rounds", "2", "--control", site.endpoint("control"), "--json"});
    reports.add({"set", "safairkm.swaps=1", "safairkm.effort=1", "--control", site.endpoint("control"), "--json"});
    reports.add({"producers", "--control", site.endpoint("control"), "--json"});
    reports.add({"producers", "--forget", "desk", "--control", site.endpoint("control"), "--json"});
    const std::string ids = site.directory().write("ids.txt", "7\n8\n").string();
    reports.add({"remove", "--ids", ids, "--control", site.endpoint("control"), "--json"});
    const Words points{"--generate", "loan_decisions", "--points", "30", "--json"};
    for (const char* model : {"safairkm", "partial_fair_scorer"}) {
        Words predict{"predict", "--by", site.endpoint("control"), "--model", model};
        predict.insert(predict.end(), points.begin(), points.end());
        predict.insert(predict.end(),
                       {model == std::string("safairkm") ? "--labels" : "--scores", site.file("out.csv")});
        reports.add(predict);
    }
    Site::stop(engine);
    reports.add({"erase", site.recording(), "--ids", ids, "--to", site.file("erased.fairstream"), "--json"});
    reports.add({"check", site.file("erased.fairstream"), "--json"});
    reports.add({"check", site.recording(), "--json"});
    reports.add({"salvage", site.recording(), "--json", "--points", site.file("points.csv")});
    reports.add({"check", "--config", site.config(), "--json"});
    reports.add({"check", "nowhere.fairstream", "--json"}, {1, 2});
    reports.add({"check", "--config", "nowhere.toml", "--json"}, {1, 2});
    reports.add({"replay", site.recording(), "--json"});
    reports.add({"replay", site.recording(), "--config", site.config(), "--compare", "--json"});
    EXPECT_GT(reports.count("watch"), 6U);
    reports.validate();
}

// A command has --json if and only if it has a schema.
TEST(Schema, IsThereForEveryCommandWithJson) {
    std::size_t with_json = 0;
    for (const std::string& command : commands()) {
        const bool has_json = fairstream({command, "--help"}).out.find("--json") != std::string::npos;
        EXPECT_EQ(fairstream({"schema", command}).exit_code, has_json ? 0 : 2) << command;
        with_json += has_json ? 1 : 0;
    }
    EXPECT_GE(with_json, 7U);
    EXPECT_THAT(refusal({"schema", "keys"}), Names({"'keys'", "check, erase, fit"}));
}

TEST(Schema, RefusesWhatItDoesNotKnow) {
    Reports reports;
    reports.keep("check", R"({"config": "a", "valid": true, "features": 2, "models": [], "surprise": 1})");
    EXPECT_NONFATAL_FAILURE(reports.validate(), "surprise");
}

}  // namespace
}  // namespace fairstream::command
