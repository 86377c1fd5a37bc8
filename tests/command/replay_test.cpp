#include "recordings.hpp"
#include "terminal.hpp"

namespace fairstream::command {
namespace {

using ::testing::HasSubstr;

/// One recording for all tests; none writes to it.
class Replay : public ::testing::Test {
protected:
    static void SetUpTestSuite() {
        site_ = new Site;
        site_->record(3000, 100);
    }
    static void TearDownTestSuite() {
        delete site_;
        site_ = nullptr;
    }
    static const Site& site() { return *site_; }
    static std::string with(const std::string& name, const std::string& before, const std::string& after) {
        std::string text = applicants_config();
        text.replace(text.find(before), before.size(), after);
        return site().directory().write(name, text).string();
    }

private:
    static Site* site_;
};
Site* Replay::site_ = nullptr;

TEST_F(Replay, IsReproducibleAtAnyThreadCount) {
    const auto run = [](const char* threads, const char* file) {
        const json report =
            json_of({"replay", site().recording(), "--threads", threads, "--updates-to", site().file(file), "--json"});
        return report["runs"][0]["digest"].get<std::string>();
    };
    const std::string digest = run("1", "one.bin");
    EXPECT_EQ(digest.size(), 32U);
    EXPECT_EQ(run("1", "again.bin"), digest);
    EXPECT_EQ(run("2", "two.bin"), digest);
    const std::string updates = test::file_bytes(site().file("one.bin"));
    EXPECT_EQ(test::file_bytes(site().file("again.bin")), updates);
    EXPECT_EQ(test::file_bytes(site().file("two.bin")), updates);
    EXPECT_GT(updates.size(), 30'000U);
}

TEST_F(Replay, ComparesTheRecordedConfigurationWithAnother) {
    const std::string other = with("other.toml", "balance_at_least = 0.4", "balance_at_least = 0.2");
    const json report = json_of({"replay", site().recording(), "--config", other, "--compare", "--json"});
    ASSERT_EQ(report["runs"].size(), 2U);
    const json &recorded = report["runs"][0], &given = report["runs"][1];
    EXPECT_EQ(recorded["config"], "recorded");
    EXPECT_EQ(given["config"], "other");
    EXPECT_EQ(recorded["digest"], json_of({"replay", site().recording(), "--json"})["runs"][0]["digest"]);
    EXPECT_NE(recorded["digest"], given["digest"]);
    EXPECT_GT(recorded["models"][0]["final"]["attributes"][0]["balance"],
              given["models"][0]["final"]["attributes"][0]["balance"]);
    EXPECT_GT(recorded["models"][0]["final"]["cost"], given["models"][0]["final"]["cost"]);
    EXPECT_EQ(recorded["models"][1]["final"], given["models"][1]["final"]);  // the plain model is the same in both runs
    for (const json& run : report["runs"]) {
        EXPECT_EQ(run["events"], 30);
        EXPECT_EQ(run["sent"], 3000);
        EXPECT_EQ(run["left_out"], 0);
        ASSERT_EQ(run["models"][0]["samples"].size(), 10U);
        EXPECT_EQ(run["models"][0]["samples"][9], run["models"][0]["final"]);
    }
    const test::Finished shown = fairstream({"replay", site().recording(), "--config", other, "--compare"});
    EXPECT_THAT(shown.out, Names({"recorded: fair", "other: fair", "mean churn", "digest"}));
    EXPECT_EQ(shown.err, "");
}

TEST_F(Replay, SaysWhereCostsAreInDifferentMeasures) {
    const std::string scaled =
        site().directory().write("scaled.toml", applicants_config() + "[prepare]\nscale = 'running'\n").string();
    const std::string alike = with("alike.toml", "balance_at_least = 0.4", "balance_at_least = 0.2");
    const auto compare = [](const std::string& config) {
        return std::vector<std::string>{"replay", site().recording(), "--config", config, "--compare"};
    };
    const std::string warning = "compared";
    EXPECT_THAT(fairstream(compare(scaled)).out, HasSubstr(warning));
    EXPECT_THAT(fairstream(compare(alike)).out, testing::Not(HasSubstr(warning)));
    for (const auto& [config, in_one] : {std::pair(scaled, false), std::pair(alike, true)}) {
        std::vector<std::string> arguments = compare(config);
        arguments.emplace_back("--json");
        EXPECT_EQ(json_of(arguments)["costs_in_one_measure"], in_one);
    }
}

TEST_F(Replay, RunsTheOtherConfigurationAlone) {
    const std::string other = with("single.toml", "clusters = 4", "clusters = 3");
    const json report =
        json_of({"replay", site().recording(), "--config", other, "--labels", site().file("labels.csv"), "--json"});
    ASSERT_EQ(report["runs"].size(), 1U);
    EXPECT_EQ(report["runs"][0]["models"][0]["options"]["clusters"], 3);
    std::istringstream labels(test::file_bytes(site().file("labels.csv")));
    std::string line;
    std::getline(labels, line);
    EXPECT_EQ(line, "id,fair,plain");
    std::size_t rows = 0;
    while (std::getline(labels, line)) {
        EXPECT_LT(std::stoi(line.substr(line.find(',') + 1)), 3);
        ++rows;
    }
    EXPECT_EQ(rows, 2000U);
}

TEST_F(Replay, KeepsTheRecordedPaceWhenAskedTo) {
    // At a thousand times the pace the run takes a moment; without a clock, only the equality of the result can be
    // tested.
    EXPECT_EQ(json_of({"replay", site().recording(), "--speed", "1000", "--json"})["runs"][0]["digest"],
              json_of({"replay", site().recording(), "--json"})["runs"][0]["digest"]);
}

// At such a slow pace the second event is never due.
TEST_F(Replay, InterruptedReplayLeavesNoFile) {
    const auto updates = site().file("cut.updates");
    const Terminal terminal;
    test::Process process({"/bin/sh", "-c", "terminal=$1; shift; exec \"$@\" 2>\"$terminal\"", "sh", terminal.name(),
                           program(), "replay", site().recording(), "--speed", "0.000001", "--updates-to", updates});
    ASSERT_TRUE(terminal.shows("replaying "));
    process.signal(SIGINT);
    const test::Finished finished = process.wait();
    EXPECT_EQ(finished.exit_code, 1);
    EXPECT_EQ(finished.out, "");
    EXPECT_FALSE(std::filesystem::exists(updates));
    EXPECT_FALSE(std::filesystem::exists(updates + ".part"));
}

TEST_F(Replay, RefusesWrongUseInOneLine) {
    EXPECT_THAT(refusal({"replay", site().recording(), "--compare"}), HasSubstr("--compare"));
    EXPECT_THAT(refusal({"replay", site().file("none.fairstream")}), HasSubstr("none.fairstream:"));
    EXPECT_THAT(refusal({"replay"}), HasSubstr("RECORDING"));
    const std::string before = test::file_bytes(site().recording());
    EXPECT_THAT(refusal({"replay", site().recording(), "--labels", site().recording()}),
                Names({"--labels", site().recording()}));
    const auto copy = site().file("copy.fairstream");
    std::filesystem::copy_file(site().recording(), copy);
    EXPECT_THAT(refusal({"replay", site().recording(), "--updates-to", copy}), Names({"--updates-to", "a recording"}));
    EXPECT_THAT(refusal({"replay", site().recording(), "--updates-to", copy + "-wal"}),
                Names({"--updates-to", "belongs to"}));
    EXPECT_EQ(test::file_bytes(site().recording()), before);
    EXPECT_THAT(refusal({"replay", site().recording(), "--speed", "0"}), Names({"--speed", "'0'"}));
    const std::string other = with("stream.toml", "dimensions = 6", "dimensions = 5");
    EXPECT_THAT(refusal({"replay", site().recording(), "--config", other}), HasSubstr("[stream]"));
}

TEST(ReplayOfNamedColumns, KeepsTheirOrder) {
    Site site;
    const auto config = [&](const std::string& columns) {
        return site.directory()
            .write("named.toml", "[stream]\ncolumns = [" + columns +
                                     "]\n[[stream.attribute]]\nname = \"sex\"\ngroups = [\"f\", \"m\"]\n"
                                     "[window]\ncapacity = 100\n[[model]]\nname = \"fair\"\nkind = \"safairkm\"\n"
                                     "[model.options]\nclusters = 2\n")
            .string();
    };
    const std::string points = site.directory().write("points.csv", "sex,score,income\nf,1,70\nm,2,80\n").string();
    const std::string named = config(R"("score", "income")");
    const std::string saved = site.file("named.fairstream");
    ASSERT_EQ(fairstream({"fit", "safairkm", "--input", points, "--group", "sex", "--clusters", "2", "--set",
                          "parity_at_least=0", "--save", saved})
                  .exit_code,
              0);
    EXPECT_EQ(fairstream({"replay", saved, "--config", named}).exit_code, 0);
    for (const char* other : {R"("income", "score")", R"("score", "wealth")"})
        EXPECT_THAT(refusal({"replay", saved, "--config", config(other)}), HasSubstr("columns"));
}

TEST_F(Replay, CheckFindsAWholeRecordingInOrder) {
    const json report = json_of({"check", site().recording(), "--json"});
    EXPECT_EQ(report["valid"], true);
    EXPECT_EQ(report["events"], 30);
    EXPECT_EQ(report["sent"], 3000);
    EXPECT_EQ(report["checkpoint"], 30);
    EXPECT_EQ(report["refused"], 0);
    EXPECT_EQ(report["models"],
              json({{{"model", "fair"}, {"kind", "safairkm"}}, {{"model", "plain"}, {"kind", "safairkm"}}}));
    EXPECT_THAT(fairstream({"check", site().recording()}).out, Names({"in order", "3,000 in 30 batches"}));
}

TEST_F(Replay, ADamagedRecordingIsRefusedByEveryCommand) {
    std::string bytes = test::file_bytes(site().recording());
    // Damages events and the checkpoint alike: a service reads the state it continues from, wherever it lies in the
    // file.
    for (std::size_t i = bytes.size() / 4; i < bytes.size(); ++i) bytes[i] = static_cast<char>(~bytes[i]);
    const auto path = site().directory().write("damaged.fairstream", bytes).string();
    for (const std::vector<std::string>& arguments : {std::vector<std::string>{"check", path},
                                                      {"replay", path},
                                                      {"serve", "--config", site().config(), "--recording", path}}) {
        const test::Finished finished = fairstream(arguments);
        EXPECT_EQ(finished.exit_code, 1);
        EXPECT_EQ(finished.out, "");
        EXPECT_THAT(finished.err, HasSubstr("damaged.fairstream"));
        EXPECT_EQ(std::count(finished.err.begin(), finished.err.end(), '\n'), 1) << finished.err;
    }
}

TEST(ReplayOfChanges, ReportsAndSkipsOverridingChanges) {
    const Site site;
    test::Process engine(site.serve_arguments());
    const std::vector<std::string> points{"--generate", "loans", "--points", "1000", "--batch", "100"};
    EXPECT_EQ(test::run(site.send_arguments(points)).exit_code, 0);
    for (const char* value : {"0.1", "0.3"})
        EXPECT_EQ(fairstream({"set", "--control", site.endpoint("control"), "--timeout", "60",
                              std::string("fair.balance_at_least=") + value})
                      .exit_code,
                  0);
    EXPECT_EQ(test::run(site.send_arguments(points)).exit_code, 0);
    Site::stop(engine);
    const auto config_with = [&](const std::string& balance) {
        std::string text = applicants_config();
        text.replace(text.find("balance_at_least = 0.4"), 22, "balance_at_least = " + balance);
        return site.directory().write("other.toml", text).string();
    };
    const test::Finished warned = fairstream({"replay", site.recording(), "--config", config_with("0.2")});
    EXPECT_EQ(warned.exit_code, 0);
    EXPECT_THAT(warned.err,
                Names({"warning: ", "fair.balance_at_least=0.3", "event 12", "event 11", "0.2", "--without-changes"}));
    EXPECT_THAT(warned.out, Names({"last step:", "retained points:"}));
    const json without =
        json_of({"replay", site.recording(), "--config", config_with("0.2"), "--without-changes", "--json"})["runs"][0];
    EXPECT_EQ(without["changes_left_out"], 2);
    EXPECT_EQ(without["models"][0]["options"]["balance_at_least"], 0.2);
    const auto balance = [](const json& run) {
        return run["models"][0]["final"]["attributes"][0]["balance"].get<double>();
    };
    EXPECT_LT(balance(without), 0.3);
    EXPECT_GE(balance(json_of({"replay", site.recording(), "--json"})["runs"][0]), 0.3);
    const json recorded = json_of({"replay", site.recording(), "--without-changes", "--json"})["runs"][0];
    EXPECT_THAT(recorded["config"].get<std::string>(), HasSubstr("without changes"));
    EXPECT_GE(balance(recorded), 0.4);
}

TEST(Check, CountsOneThingAsOne) {
    const Site site(R"([stream]
dimensions = 1
[[stream.attribute]]
name = "sex"
groups = ["f", "m"]
[[model]]
name = "it"
kind = "safairkm"
options = { clusters = 2 }
)");
    EXPECT_THAT(fairstream({"check", "--config", site.config()}).out, Names({"1 feature, 1 protected", "models: it"}));
}

TEST(Check, ValidatesConfigurations) {
    const Site site;
    EXPECT_EQ(json_of({"check", "--config", site.config(), "--json"})["models"],
              json({{{"model", "fair"}, {"kind", "safairkm"}}, {{"model", "plain"}, {"kind", "safairkm"}}}));
    EXPECT_EQ(fairstream({"check", "--config", std::string(FAIRSTREAM_SOURCE_DIR) + "/demos/loans.toml"}).exit_code, 0);
    const auto bad = site.directory().write("bad.toml", "[window]\ncapacity = 5\nsize = 3\n").string();
    EXPECT_THAT(refusal({"check", "--config", bad}),
                Names({"bad.toml:3:1:", "'size'", "[window]", "capacity, policy, seed"}));
    EXPECT_THAT(refusal({"check", "--config", site.file("none.toml")}), HasSubstr("none.toml"));
    const std::string sound = test::file_bytes(site.config());
    const auto without_keys = site.directory().write(
        "keys.toml", sound + "\n[security]\nkeys = \"none.keys\"\nclients = [\"" + std::string(40, '0') + "\"]\n");
    EXPECT_THAT(refusal({"check", "--config", without_keys.string()}), HasSubstr("none.keys"));
    EXPECT_THAT(refusal({"check"}), HasSubstr("one thing"));
    EXPECT_THAT(refusal({"check", "--config", site.config(), site.recording()}), HasSubstr("one thing"));
    EXPECT_THAT(refusal({"check", site.recording()}), HasSubstr(site.recording()));
}

}  // namespace
}  // namespace fairstream::command
