/// A monitor of predictions through the program: sent points, later outcomes, watched, killed, replayed and fitted.

#include <sstream>
#include <string>
#include <vector>

#include "command/recordings.hpp"

namespace fairstream::command {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

const char* const monitor_config = R"([stream]
columns = ["score", "age"]
targets = "later"
[[stream.attribute]]
name = "sex"
groups = ["f", "m"]
[window]
capacity = 30
[prepare]
scale = "running"
[[prepare.column]]
name = "score"
scale = "none"
[[model]]
name = "monitor"
kind = "group_metrics"
[model.options]
prediction = "score"
parity_difference_at_most = 0.2
[recording]
checkpoint_events = 4
)";

/// Women with even ids and all men are selected; half of each group are positive.
std::string decisions() {
    std::string text = "id,score,age,sex\n";
    for (int i = 0; i < 40; ++i) {
        const bool woman = i % 2 == 0;
        text += std::to_string(i) + "," + (!woman || i % 4 == 0 ? "0.75" : "0.25") + "," + std::to_string(20 + i) +
                (woman ? ",f\n" : ",m\n");
    }
    return text;
}
std::string outcomes() {
    std::string text = "id,paid\n";
    for (int i = 0; i < 40; ++i) text += std::to_string(i) + "," + (i == 39 ? "" : i % 8 < 4 ? "1" : "0") + "\n";
    return text;
}

json figures_of(const Site& site, const std::string& until) {
    const test::Finished watched = test::run(site.watch_arguments("monitor", {"--until-sequence", until, "--json"}));
    EXPECT_EQ(watched.exit_code, 0) << watched.err;
    json figures;
    std::istringstream lines(watched.out);
    for (std::string line; std::getline(lines, line);)
        if (json event = json::parse(line); event["line"] == "fairness") figures = std::move(event);
    return figures;
}

TEST(Monitor, IsSentToKilledWatchedAndReplayed) {
    const Site site(monitor_config);
    const std::string points = site.directory().write("decisions.csv", decisions());
    const std::string known = site.directory().write("outcomes.csv", outcomes());
    test::Process engine(site.serve_arguments());
    const test::Finished sent =
        test::run(site.send_arguments({"--input", points, "--id", "id", "--batch", "10", "--name", "desk"}));
    ASSERT_EQ(sent.exit_code, 0) << sent.err;
    const json before = figures_of(site, "4");
    EXPECT_EQ(before["all"]["without_outcome"], 30);
    EXPECT_TRUE(before["all"]["true_positive_rate"].is_null());
    EXPECT_NEAR(before["comparisons"][0]["demographic_parity_difference"].get<double>(), 0.5, 0.04);
    EXPECT_EQ(before["parity_bound"], "left");

    const test::Finished told = test::run(site.send_arguments(
        {"--outcomes", known, "--id", "id", "--target", "paid", "--batch", "20", "--name", "later", "--json"}));
    ASSERT_EQ(told.exit_code, 0) << told.err;
    EXPECT_EQ(json::parse(told.out)["not_retained"], 10) << told.out;
    engine.signal(SIGKILL);
    engine.wait();

    test::Process again(site.serve_arguments());
    const json after = figures_of(site, "6");
    EXPECT_EQ(after["all"]["without_outcome"], 1) << "its outcome is missing in the file";
    EXPECT_EQ(after["comparisons"][0]["by_group"][1]["true_positive_rate"], 1);
    const std::string same = site.directory().write("same.csv", "id,score,age,sex\n37,0.75,57,m\n39,0.75,59,m\n");
    std::vector<std::string> once_more = site.send_arguments({"--input", same, "--id", "id"});
    std::erase(once_more, "--json");
    const test::Finished decided_again = test::run(once_more);
    EXPECT_THAT(decided_again.out, Names({"2 of 2 points", "1 outcome ", "--outcomes FILE"}));
    // Outcomes that come with points need their column's name; unknown ones are counted.
    const std::string both = site.directory().write("both.csv", "id,score,age,sex,paid\n37,0.75,57,m,1\n");
    EXPECT_THAT(json::parse(test::run(site.send_arguments({"--input", both, "--id", "id"})).out)["warnings"].dump(),
                Names({"'paid'", "--target COL"}));
    const std::string empty = site.directory().write("empty.csv", "id,paid\n37,\n39,NA\n");
    const json none =
        json::parse(test::run(site.send_arguments({"--outcomes", empty, "--id", "id", "--target", "paid"})).out);
    EXPECT_EQ(none["sent"], 0);
    EXPECT_EQ(none["rows_without"], json({{"paid", 2}}));
    EXPECT_THAT(test::run({program(), "status", "--control", site.endpoint("control"), "--timeout", "60"}).out,
                Names({"monitor:", "parity", "left"}));
    Site::stop(again);

    const test::Finished replayed = test::run({program(), "replay", site.recording()});
    EXPECT_EQ(replayed.exit_code, 0) << replayed.err;
    EXPECT_THAT(replayed.out, Names({"monitor at", "LEFT ITS BOUND", "no outcome"}));
    EXPECT_THAT(test::run({program(), "check", site.recording()}).out, HasSubstr("39 outcomes"));
    const std::string sent_again = site.file("again.csv");
    const test::Finished exported =
        fairstream({"export", site.recording(), "--points", site.file("points.csv"), "--outcomes", sent_again});
    EXPECT_THAT(exported.err,
                Names({"38 outcomes", "fairstream send --outcomes " + sent_again + " --id id --target outcome\n"}));
    const Site other(monitor_config);
    test::Process twin(other.serve_arguments());
    (void)test::run(other.send_arguments({"--input", site.file("points.csv"), "--id", "id"}));
    const test::Finished resent =
        test::run(other.send_arguments({"--outcomes", sent_again, "--id", "id", "--target", "outcome"}));
    EXPECT_EQ(json::parse(resent.out)["sent"], 38) << resent.err;
    Site::stop(twin);
    EXPECT_EQ(json_of({"replay", other.recording(), "--json"})["runs"][0]["models"][0]["final"]["all"],
              json_of({"replay", site.recording(), "--json"})["runs"][0]["models"][0]["final"]["all"]);
}

TEST(Monitor, WatcherReportsLostEvents) {
    const Site site(monitor_config);
    const std::string points = site.directory().write("decisions.csv", decisions());
    const auto send = [&] {
        EXPECT_EQ(test::run(site.send_arguments({"--input", points, "--id", "id", "--batch", "20"})).exit_code, 0);
    };
    {
        test::Process engine(site.serve_arguments());
        send();
        Site::stop(engine);
    }
    const std::string earlier = test::file_bytes(site.recording());
    test::Process engine(site.serve_arguments());
    send();
    test::Process watcher(site.watch_arguments("monitor", {"--reconnect", "--until-sequence", "6"}));
    EXPECT_TRUE(watcher.writes(R"("line":"connected")"));
    Site::stop(engine);
    EXPECT_TRUE(watcher.writes(R"("line":"ended")"));
    (void)site.directory().write(std::filesystem::path(site.recording()).filename().string(), earlier);
    test::Process again(site.serve_arguments());
    EXPECT_TRUE(watcher.writes(R"("line":"lost_events")"));
    send();
    send();
    const test::Finished watched = watcher.wait();
    EXPECT_EQ(watched.exit_code, 0) << watched.err;
    EXPECT_THAT(watched.err, HasSubstr("event 4"));
    EXPECT_THAT(watched.out, HasSubstr(R"("line":"fairness","sequence":6)"));
    Site::stop(again);
}

TEST(Monitor, TakesRowsBeforeTheirOutcomes) {
    const Site site(monitor_config);
    const std::string points = site.directory().write("decisions.csv", decisions());
    const std::string rows = site.directory().write("rows", "2\n39\n");
    test::Process engine(site.serve_arguments());
    const test::Finished sent = test::run(site.send_arguments({"--input", points, "--id", "id", "--rows", rows}));
    EXPECT_EQ(sent.exit_code, 0) << sent.err;
    EXPECT_EQ(figures_of(site, "1")["all"]["without_outcome"], 2);
    Site::stop(engine);
}

TEST(Monitor, MeasuresAFile) {
    const Site site(monitor_config);
    const std::string points = site.directory().write("decisions.csv", decisions());
    const test::Finished fitted = test::run({program(), "fit", "group_metrics", "--input", points, "--id", "id",
                                             "--group", "sex", "--set", "prediction=score", "--json"});
    ASSERT_EQ(fitted.exit_code, 0) << fitted.err;
    const json report = json::parse(fitted.out);
    EXPECT_EQ(report["points"], 40);
    EXPECT_EQ(report["comparisons"][0]["by_group"][0]["selection_rate"], 0.5);
    EXPECT_EQ(report["comparisons"][0]["by_group"][1]["selection_rate"], 1);
    EXPECT_EQ(report["comparisons"][0]["demographic_parity_ratio"], 0.5);
    const test::Finished labels = test::run({program(), "fit", "group_metrics", "--input", points, "--group", "sex",
                                             "--set", "prediction=score", "--labels", site.file("labels.csv")});
    EXPECT_EQ(labels.exit_code, 2);
    EXPECT_THAT(labels.err, HasSubstr("measures groups"));
}

TEST(Monitor, OddsWithoutPositivesAreUnclear) {
    const test::TemporaryDirectory directory;
    std::string text = "g,p,y\n";
    for (const char* rows : {"a,1,1\na,1,0\na,0,1\na,0,0\n", "c,1,1\nc,1,0\nc,0,1\nc,0,0\n", "b,1,0\nb,0,0\n"})
        for (int i = 0; i < 40; ++i) text += rows;
    const std::vector<std::string> fit{
        "fit",   "group_metrics", "--input", directory.write("decisions.csv", text), "--group", "g", "--target", "y",
        "--set", "prediction=p",  "--set",   "odds_difference_at_most=0.1"};
    const test::Finished shown = fairstream(fit);
    EXPECT_EQ(shown.exit_code, 4) << shown.err;
    EXPECT_THAT(shown.out, AllOf(Names({"not measured", ">= 0.000", "rate of b\n"}), Not(HasSubstr("within"))));
    std::vector<std::string> as_json = fit;
    as_json.emplace_back("--json");
    const json report = json::parse(fairstream(as_json).out);
    EXPECT_EQ(report["odds_bound"], "unmeasured");
    EXPECT_EQ(report["largest_equalised_odds_complete"], false);
    EXPECT_EQ(report["largest_demographic_parity_complete"], true);
    const json missing = json::parse(R"([{"rate":"true_positive_rate","group_names":["b"]}])");
    EXPECT_EQ(report["comparisons"][0]["equalised_odds_missing"], missing);
    EXPECT_EQ(report["comparisons"][0]["equal_opportunity_missing"], missing);
    EXPECT_EQ(report["comparisons"][0]["demographic_parity_missing"], json::array());
}

TEST(Monitor, MeasuresFileWithMissingOutcomes) {
    const Site site(monitor_config);
    std::string text = decisions(), known = "id,score,age,sex,paid\n";
    std::istringstream lines(text.substr(text.find('\n') + 1));
    int row = 0;
    for (std::string line; std::getline(lines, line); ++row)
        known += line + "," + (row % 5 == 0 ? "" : row % 8 < 4 ? "1" : "0") + "\n";
    const std::string file = site.directory().write("known.csv", known);
    const std::vector<std::string> plain{"fit",   "group_metrics",    "--input", file,       "--id", "id",
                                         "--set", "prediction=score", "--json",  "--target", "paid"};
    const auto with = [&](std::vector<std::string> more) {
        more.insert(more.begin(), plain.begin(), plain.end());
        return json_of(more);
    };
    const std::vector<std::string> saving{"--group", "sex", "--window", "40", "--save-config", site.file("saved.toml")};
    std::vector<std::string> of_config = plain;
    of_config.insert(of_config.end(), {"--config", site.config()});
    const test::Finished fitted = fairstream(of_config);
    EXPECT_THAT(fitted.err, HasSubstr("only [stream] and [prepare] are read"));
    const json by_config = json::parse(fitted.out), by_file = with(saving);
    std::vector<std::string> without_window = plain;
    without_window.insert(without_window.end(), {"--group", "sex", "--save-config", site.file("window.toml")});
    EXPECT_THAT(fairstream(without_window).err, Names({"monitor", "40 points"}));
    // The saved monitor accepts the file, and later outcomes.
    const Site saved(test::file_bytes(site.file("saved.toml")));
    test::Process engine(saved.serve_arguments());
    EXPECT_EQ(test::run(saved.send_arguments({"--input", file, "--id", "id", "--target", "paid"})).exit_code, 0);
    const std::string later = site.directory().write("outcomes.csv", outcomes());
    EXPECT_EQ(test::run(saved.send_arguments({"--outcomes", later, "--id", "id", "--target", "paid"})).exit_code, 0);
    const std::string twice = site.directory().write("twice.csv", "id,paid\n3,1\n4,1\n3,0\n").string();
    const json again =
        json::parse(test::run(saved.send_arguments({"--outcomes", twice, "--id", "id", "--target", "paid"})).out);
    EXPECT_EQ(again["sent"], 3);
    EXPECT_EQ(again["events"], 2) << "of the same point the last one counts";
    EXPECT_EQ(again["acked"], 2);
    Site::stop(engine);
    const json figures = json_of({"replay", saved.recording(), "--json"})["runs"][0]["models"][0]["final"];
    EXPECT_EQ(figures["all"]["without_outcome"], 0) << figures;
    // A clustering sees no outcomes.
    EXPECT_EQ(fairstream({"fit", "safairkm", "--input", file, "--config", site.config(), "--id", "id", "--clusters",
                          "2", "--set", "parity_at_least=0"})
                  .exit_code,
              0);
}

TEST(Monitor, BadOutcomesAreLeftOutOrStopFile) {
    const Site site(monitor_config);
    test::Process engine(site.serve_arguments());
    const std::string points = site.directory().write("decisions.csv", decisions());
    ASSERT_EQ(test::run(site.send_arguments({"--input", points, "--id", "id"})).exit_code, 0);
    const std::string odd = site.directory().write("odd.csv", "id,paid\n1,1\n2,0\n3,often\n4,1\n").string();
    const std::vector<std::string> to_send{"--outcomes", odd, "--id", "id", "--target", "paid", "--batch", "2"};
    const test::Finished ended = test::run(site.send_arguments(to_send));
    EXPECT_EQ(ended.exit_code, 2);
    EXPECT_THAT(ended.err, Names({"odd.csv:4:", "'paid'", "'often'", ": add --bad-rows ", "1 of 4 rows"}));
    EXPECT_EQ(json::parse(ended.out)["acked"], 1) << ended.out;
    std::vector<std::string> but_one = to_send;
    but_one.insert(but_one.end(), {"--bad-rows", "1"});
    const test::Finished left = test::run(site.send_arguments(but_one));
    EXPECT_EQ(left.exit_code, 0) << left.err;
    const json report = json::parse(left.out);
    EXPECT_EQ(report["sent"], 3);
    EXPECT_EQ(report["bad_rows"], 1);
    const std::string words = site.directory().write("words.csv", "id,paid\n1,yes\n2,no\n3,Maybe\n4,no\n").string();
    const json report_of_words = json::parse(
        test::run(site.send_arguments({"--outcomes", words, "--id", "id", "--target", "paid", "--positive", "yes"}))
            .out);
    EXPECT_EQ(report_of_words["unlisted"][0],
              json({{"column", "paid"}, {"taken_for", "0"}, {"cells", 3}, {"first", {{"no", 2}, {"Maybe", 1}}}}));
    const std::string reserved =
        site.directory().write("reserved.csv", "id,paid\n18446744073709551615,1\n7,1\n").string();
    const json but_reserved = json::parse(
        test::run(site.send_arguments({"--outcomes", reserved, "--id", "id", "--target", "paid", "--bad-rows", "1"}))
            .out);
    EXPECT_EQ(but_reserved["acked"], 1) << but_reserved;
    EXPECT_EQ(but_reserved["bad_rows"], 1);
    const std::string truths = site.directory().write("truths.csv", "id,paid\n1,Yes\n2,no\n3,TRUE\n").string();
    EXPECT_EQ(json::parse(
                  test::run(site.send_arguments({"--outcomes", truths, "--id", "id", "--target", "paid"})).out)["sent"],
              3)
        << "as fit reads them";
    const auto with_yes = [&](const char* rows) {
        return test::run(site.send_arguments(
            {"--outcomes", site.directory().write("yes.csv", "id,paid\n" + std::string(rows)).string(), "--id", "id",
             "--target", "paid", "--positive", "yes"}));
    };
    const test::Finished none = with_yes("1,no\n2,no\n");
    EXPECT_EQ(json::parse(none.out)["acked"], 1) << "a day without a yes";
    EXPECT_THAT(none.err, Names({"--positive yes", "'paid'"}));
    EXPECT_EQ(json::parse(with_yes("1,yes\n2,no\n").out)["unlisted"], json::array());
    EXPECT_EQ(json::parse(with_yes("1,yes\n2,pending\n").out)["unlisted"][0]["first"], json({{"pending", 1}}));
    const std::string unknown = site.directory().write("unknown.csv", "id,paid\n1,1\n2,999\n").string();
    std::vector<std::string> of_unknown{"--outcomes", unknown, "--id", "id", "--target", "paid"};
    EXPECT_THAT(test::run(site.send_arguments(of_unknown)).err,
                Names({"'paid'", "'999'", "1 of 2 rows", ": add --bad-rows 1"}));
    of_unknown.insert(of_unknown.end(), {"--missing-text", "paid=999"});
    EXPECT_EQ(json::parse(test::run(site.send_arguments(of_unknown)).out)["acked"], 1);
    Site::stop(engine);
}

TEST(Monitor, OddsBoundIsIdleWithoutOutcomes) {
    const Site site;
    const std::string points = site.directory().write("decisions.csv", decisions()).string();
    const char* const idle = "odds_difference_at_most ";
    EXPECT_THAT(fairstream({"fit", "group_metrics", "--input", points, "--id", "id", "--group", "sex", "--set",
                            "prediction=score", "--set", "odds_difference_at_most=0.1"})
                    .err,
                HasSubstr(idle));
    std::string config = monitor_config;
    const std::string later = "targets = \"later\"\n", parity = "parity_difference_at_most";
    config.replace(config.find(parity), parity.size(), "odds_difference_at_most");
    EXPECT_THAT(fairstream({"check", "--config", site.directory().write("later.toml", config).string()}).err,
                Not(HasSubstr(idle)));
    config.erase(config.find(later), later.size());
    EXPECT_THAT(fairstream({"check", "--config", site.directory().write("none.toml", config).string()}).err,
                HasSubstr(std::string("monitor.") + idle));
}

TEST(Monitor, LateOutcomesNeedStreamSetting) {
    const Site site;
    std::string config = monitor_config, text = "score,age,sex,paid\n";
    const std::string later = "targets = \"later\"";
    config.replace(config.find(later), later.size(), "targets = true");
    for (int i = 0; i < 20; ++i) text += i % 2 == 0 ? "0.7,30,f,1\n" : "0.2,40,m,999\n";
    const test::Finished refused =
        fairstream({"fit", "group_metrics", "--set", "prediction=score", "--config",
                    site.directory().write("known.toml", config).string(), "--input",
                    site.directory().write("coded.csv", text).string(), "--target", "paid", "--group", "sex"});
    EXPECT_EQ(refused.exit_code, 2);
    EXPECT_THAT(refused.err, Names({"'paid'", "999"}));
}

TEST(Monitor, LateEventKeepsExportedOutcome) {
    std::string config = monitor_config;
    const std::string capacity = "capacity = 30\n";
    config.replace(config.find(capacity), capacity.size(), "capacity = 30\nmax_age = \"1h\"\n");
    const Site site(config);
    test::Process engine(site.serve_arguments());
    const auto send = [&](const std::string& text, std::vector<std::string> more) {
        const std::string file = site.directory().write("sent.csv", text).string();
        more.insert(more.end(), {"--id", "id"});
        for (std::string& each : more)
            if (each == "FILE") each = file;
        const test::Finished sent = test::run(site.send_arguments(more));
        EXPECT_EQ(sent.exit_code, 0) << sent.err;
    };
    const std::string columns = "id,score,age,sex,t\n";
    send(columns + "1,0.9,30,m,1700000000\n2,0.9,30,f,1700000000\n3,0.9,30,f,1700000000\n",
         {"--input", "FILE", "--time", "t"});
    send("id,paid\n1,1\n2,1\n3,0\n", {"--outcomes", "FILE", "--target", "paid"});
    send(columns + "1,0.9,30,m,1699990000\n", {"--input", "FILE", "--time", "t"});  // late
    send(columns + "2,0.9,30,f,1699999000\n", {"--input", "FILE", "--time", "t"});  // not
    Site::stop(engine);
    const test::Finished exported = fairstream({"export", site.recording(), "--outcomes", "-"});
    EXPECT_EQ(exported.out, "sequence,id,outcome\n2,1,1\n2,3,0\n") << exported.err;
}

TEST(Monitor, OneSidedThresholdIsWarnedOf) {
    std::string config = monitor_config;
    const std::string capacity = "capacity = 30\n";
    config.replace(config.find(capacity), capacity.size(), "capacity = 300\n");
    const Site site(config);
    test::Process engine(site.serve_arguments());
    std::string text = "id,score,age,sex\n";
    for (int i = 0; i < 150; ++i)
        text += std::to_string(i) + "," + std::to_string(10 + i % 90) + ",30," + (i % 2 == 0 ? "f\n" : "m\n");
    const std::string per_cent = site.directory().write("per_cent.csv", text).string();
    ASSERT_EQ(test::run(site.send_arguments({"--input", per_cent, "--id", "id"})).exit_code, 0);
    EXPECT_THAT(test::run({program(), "status", "--control", site.endpoint("control"), "--timeout", "60"}).out,
                HasSubstr("all predictions"));
    engine.signal(SIGTERM);
    EXPECT_THAT(engine.wait().err, Names({"monitor", "150 predictions", "threshold"}));
}

TEST(Monitor, MissingOutcomeNamesSuitableStreams) {
    std::string config = monitor_config, text = "id,score,age,sex,paid\n1,0.7,30,f,1\n2,0.7,30,m,\n";
    const std::string later = "targets = \"later\"\n", known = "targets = true\n";
    const auto sent = [&](const std::string& targets) {
        std::string of = config;
        of.replace(of.find(later), later.size(), targets);
        const Site site(of);
        test::Process engine(site.serve_arguments());
        const std::string file = site.directory().write("points.csv", text).string();
        test::Finished finished = test::run(site.send_arguments({"--input", file, "--id", "id", "--target", "paid"}));
        Site::stop(engine);
        return finished;
    };
    EXPECT_THAT(sent(known).err, HasSubstr("targets = \"later\" under [stream]"));
    const test::Finished without = sent("");
    EXPECT_EQ(without.exit_code, 0) << without.err;
    EXPECT_EQ(json::parse(without.out)["sent"], 2) << "the column is not read";
}

TEST(Monitor, OptionsOfOutcomesAreRefusedByName) {
    const Site site(monitor_config);
    const std::string known = site.directory().write("outcomes.csv", outcomes());
    const std::string words = site.directory().write("words.csv", "id,paid\n3,paid\n4,default\n").string();
    for (const char* option : {"--outcomes", "--input"})
        EXPECT_THAT(
            test::run(site.send_arguments({option, words, "--id", "id", "--target", "paid", "--positive", "Paid"})).err,
            Names({"--positive Paid", "'paid'", "default,paid"}));
    const test::Finished bare = test::run(site.send_arguments({"--outcomes", known}));
    EXPECT_EQ(bare.exit_code, 2);
    EXPECT_THAT(bare.err, HasSubstr("--id COL and --target COL"));
    const test::Finished both = test::run(site.send_arguments({"--generate", "loans", "--id", "id"}));
    EXPECT_EQ(both.exit_code, 2);
    EXPECT_THAT(both.err, HasSubstr("--input or --outcomes"));
}

}  // namespace
}  // namespace fairstream::command
