#include <fcntl.h>
#include <sqlite3.h>
#include <sys/stat.h>

#include <algorithm>
#include <chrono>
#include <iterator>
#include <optional>

#include <zmq.hpp>

#include <fairstream/zmq/producer.hpp>
#include <fairstream/zmq/subscriber.hpp>

#include "recordings.hpp"
#include "support/bare_connection.hpp"

namespace fairstream::command {
namespace {

using ::testing::AllOf;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

TEST(Serve, WatchersMatchRecording) {
    const Site site;
    test::Process engine(site.serve_arguments());
    test::Process early(site.watch_arguments("fair", {"--until-sequence", "40", "--labels", site.file("early.csv")}));
    const json sent =
        json::parse(test::run(site.send_arguments({"--generate", "loans", "--points", "4000", "--batch", "100"})).out);
    EXPECT_EQ(sent["sent"], 4000);
    EXPECT_EQ(sent["acked"], 40);
    EXPECT_EQ(sent["refused"], 0);
    EXPECT_EQ(sent["last_sequence"], 40);
    const test::Finished late =
        test::run(site.watch_arguments("fair", {"--until-sequence", "40", "--labels", site.file("late.csv")}));
    EXPECT_EQ(late.exit_code, 0) << late.err;
    EXPECT_EQ(early.wait().exit_code, 0);
    Site::stop(engine);

    const std::string labels = test::file_bytes(site.file("early.csv"));
    EXPECT_EQ(std::count(labels.begin(), labels.end(), '\n'), 2001);
    EXPECT_EQ(test::file_bytes(site.file("late.csv")), labels);
    json_of({"replay", site.recording(), "--labels", site.file("replayed.csv"), "--json"});
    std::istringstream replayed(test::file_bytes(site.file("replayed.csv")));
    std::string line, first_columns;
    while (std::getline(replayed, line)) first_columns += line.substr(0, line.rfind(',')) + "\n";
    EXPECT_EQ(first_columns.substr(first_columns.find('\n')), labels.substr(labels.find('\n')));
}

TEST(Serve, MembershipWatcherIsWithinOnePercent) {
    const Site site(R"([stream]
dimensions = 2
[[stream.attribute]]
name = "group"
groups = ["left", "right"]
[window]
capacity = 500
[[model]]
name = "soft"
kind = "lord"
every = 100
options = { clusters = 3, starts = 1 }
[[model]]
name = "plain"
kind = "safairkm"
options = { clusters = 3 }
)");
    test::Process engine(site.serve_arguments());
    test::Process early(
        site.watch_arguments("soft", {"--until-sequence", "20", "--probabilities", site.file("early.csv")}));
    EXPECT_EQ(
        test::run(site.send_arguments({"--generate", "elliptical", "--points", "1000", "--batch", "50"})).exit_code, 0);
    const test::Finished late =
        test::run(site.watch_arguments("soft", {"--until-sequence", "20", "--probabilities", site.file("late.csv")}));
    EXPECT_EQ(late.exit_code, 0) << late.err;
    EXPECT_THAT(late.out, HasSubstr(R"("line":"memberships")"));
    EXPECT_EQ(early.wait().exit_code, 0);
    const test::Finished refused = test::run(site.watch_arguments("plain", {"--probabilities", site.file("none.csv")}));
    EXPECT_EQ(refused.exit_code, 2);
    EXPECT_THAT(refused.err, HasSubstr("no topic 'memberships.plain'"));
    Site::stop(engine);

    std::istringstream folded(test::file_bytes(site.file("early.csv"))), exact(test::file_bytes(site.file("late.csv")));
    std::string one, other;
    std::size_t lines = 0;
    while (std::getline(folded, one) && std::getline(exact, other)) {
        if (++lines == 1) {
            EXPECT_EQ(one, "id,p0,p1,p2");
            EXPECT_EQ(other, one);
            continue;
        }
        std::istringstream cells(one), others(other);
        for (int column = 0; column < 4; ++column) {
            std::getline(cells, one, ',');
            std::getline(others, other, ',');
            EXPECT_NEAR(std::stod(one), std::stod(other), column == 0 ? 0 : 0.01) << lines;
        }
    }
    EXPECT_EQ(lines, 501U);
}

TEST(Serve, WatchedFiguresAreJsonLinesInOrder) {
    const Site site;
    test::Process engine(site.serve_arguments());
    test::Process watcher(site.watch_arguments("fair", {"--until-sequence", "10"}));
    EXPECT_EQ(test::run(site.send_arguments({"--generate", "loans", "--points", "1000", "--batch", "100"})).exit_code,
              0);
    const test::Finished watched = watcher.wait();
    EXPECT_EQ(watched.exit_code, 0) << watched.err;
    Site::stop(engine);

    std::istringstream lines(watched.out);
    std::string line;
    std::int64_t fairness = -1, labels = -1;
    for (json event; std::getline(lines, line);) {
        event = json::parse(line);
        EXPECT_EQ(event["model"], "fair");
        if (event["line"] == "fairness") {
            EXPECT_GE(event["sequence"], fairness);
            fairness = event["sequence"];
            EXPECT_TRUE(event["attributes"][0]["balance"].is_number());
        } else if (event["line"] == "labels") {
            EXPECT_GE(event["sequence"], labels);
            labels = event["sequence"];
        }
    }
    EXPECT_EQ(fairness, 10);
    EXPECT_EQ(labels, 10);
}

TEST(Serve, KilledEngineContinues) {
    const std::vector<std::string> points{"--generate", "loans", "--points", "6000", "--batch", "20"};
    const Site whole, killed;
    {
        test::Process engine(whole.serve_arguments());
        EXPECT_EQ(test::run(whole.send_arguments(points)).exit_code, 0);
        Site::stop(engine);
    }
    auto engine = std::make_unique<test::Process>(killed.serve_arguments());
    test::Process sender(killed.send_arguments(points));
    for (const char* moment : {"3", "150"}) {
        EXPECT_EQ(test::run(killed.watch_arguments("fair", {"--until-sequence", moment})).exit_code, 0);
        engine->signal(SIGKILL);
        EXPECT_EQ(engine->wait().exit_code, 128 + SIGKILL);
        engine = std::make_unique<test::Process>(killed.serve_arguments());
    }
    const test::Finished sent = sender.wait();
    EXPECT_EQ(sent.exit_code, 0) << sent.err;
    EXPECT_EQ(json::parse(sent.out)["acked"], 300);
    // A signal before the engine is up would end it silently.
    EXPECT_EQ(test::run(killed.watch_arguments("fair", {"--until-sequence", "300"})).exit_code, 0);
    Site::stop(*engine);

    EXPECT_EQ(json_of({"check", killed.recording(), "--json"})["sent"], 6000);
    const auto end = [](const Site& site) {
        const json run =
            json_of({"replay", site.recording(), "--labels", site.file("labels.csv"), "--json"})["runs"][0];
        return std::pair(run["models"][0]["final"], test::file_bytes(site.file("labels.csv")));
    };
    EXPECT_EQ(end(killed), end(whole));
}

TEST(Serve, SignalsEndWithCheckpoint) {
    for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
        const Site site;
        test::Process engine(site.serve_arguments());
        EXPECT_EQ(
            test::run(site.send_arguments({"--generate", "loans", "--points", "300", "--batch", "100"})).exit_code, 0);
        engine.signal(signal);
        if (signal == SIGTERM) engine.signal(signal);  // as `timeout` does: to the process, and to its group
        const test::Finished finished = engine.wait();
        EXPECT_EQ(finished.exit_code, 0);
        EXPECT_EQ(finished.out, "");
        EXPECT_THAT(finished.err, Names({"2,000 points", "ipc://", "event 3"}));
        EXPECT_EQ(json_of({"check", site.recording(), "--json"})["checkpoint"], 3);

        test::Process again(site.serve_arguments());
        EXPECT_EQ(test::run(site.watch_arguments("plain", {"--until-sequence", "3"})).exit_code, 0);
        EXPECT_THAT(again.errors(), Names({"3 events", "300 points", " 0 events"}));
        Site::stop(again);
    }
}

TEST(Serve, GoesOnWithoutATerminalWhenToldTo) {
    const Site site;
    std::vector<std::string> arguments = site.serve_arguments();
    arguments.insert(arguments.begin(), {"/bin/sh", "-c", "trap '' HUP; exec \"$0\" \"$@\""});
    test::Process engine(arguments);
    const std::vector<std::string> points{"--generate", "loans", "--points", "100", "--batch", "100"};
    EXPECT_EQ(test::run(site.send_arguments(points)).exit_code, 0);
    engine.signal(SIGHUP);
    EXPECT_EQ(test::run(site.send_arguments(points)).exit_code, 0);
    Site::stop(engine);
}

TEST(Serve, SurvivesClosedLogPipe) {
    const Site site;
    std::vector<std::string> arguments = site.serve_arguments();
    arguments.insert(arguments.begin(), {"/bin/sh", "-c", "exec \"$@\" 2>\"$0\"", site.file("log")});
    ASSERT_EQ(::mkfifo(site.file("log").c_str(), 0600), 0);
    test::Process engine(arguments);
    const int log = ::open(site.file("log").c_str(), O_RDONLY);  // waits for the engine to open it
    EXPECT_EQ(test::run(site.send_arguments({"--generate", "loans", "--points", "300", "--batch", "100"})).exit_code,
              0);
    ::close(log);
    Site::stop(engine);
    EXPECT_EQ(json_of({"check", site.recording(), "--json"})["checkpoint"], 3);
}

TEST(Serve, FailedStartLeavesNoRecording) {
    ::zmq::context_t context;
    ::zmq::socket_t other(context, ::zmq::socket_type::rep);
    other.bind("tcp://127.0.0.1:*");
    const Site site;
    std::vector<std::string> arguments = site.serve_arguments();
    *(std::ranges::find(arguments, "--control") + 1) = other.get(::zmq::sockopt::last_endpoint);
    const auto fails = [&] {
        const test::Finished finished = test::run(arguments);
        EXPECT_EQ(finished.exit_code, 1);
        EXPECT_THAT(finished.err, HasSubstr("already in"));
    };
    fails();
    for (const auto& entry : std::filesystem::directory_iterator(site.directory().path()))
        EXPECT_THAT(entry.path().filename().string(), testing::Not(StartsWith("stream.fairstream")));
    site.record(100, 50);  // an earlier one stays
    const std::string before = test::file_bytes(site.recording());
    fails();
    EXPECT_EQ(test::file_bytes(site.recording()), before);
}

TEST(Serve, RefusesTooFewDescriptors) {
    const Site site(applicants_config() + "[control]\nconnections = 1000\n");
    std::vector<std::string> arguments = site.serve_arguments();
    arguments.insert(arguments.begin(), {"/bin/sh", "-c", "ulimit -n 512; exec \"$0\" \"$@\""});
    const test::Finished finished = test::run(arguments);
    EXPECT_EQ(finished.exit_code, 2);
    EXPECT_THAT(finished.err, Names({"1,192", "64", "512"}));
    EXPECT_FALSE(std::filesystem::exists(site.recording()));
}

TEST(Serve, ServesDespiteIdleStrangers) {
    const Site site(applicants_config() +
                    "[ingest]\nconnections = 8\n[updates]\nconnections = 8\n[control]\nconnections = 8\n");
    std::vector<std::string> arguments = site.serve_arguments();
    arguments.insert(arguments.begin(), {"/bin/sh", "-c", "ulimit -n 128; exec \"$0\" \"$@\""});
    test::Process engine(arguments);
    EXPECT_EQ(test::run(site.send_arguments({"--generate", "loans", "--points", "100"})).exit_code, 0);
    std::vector<std::unique_ptr<test::BareConnection>> strangers;
    for (std::size_t i = 0; i < 300; ++i) {
        strangers.push_back(std::make_unique<test::BareConnection>(site.endpoint("ingest").substr(6)));
        if (i >= 8) {
            ASSERT_TRUE(strangers[i - 8]->ends()) << i;
        }
    }
    EXPECT_EQ(test::run(site.send_arguments({"--generate", "loans", "--points", "100"})).exit_code, 0);
    Site::stop(engine);
}

TEST(Keys, ThatOthersMayReadAreRefused) {
    const Site site;
    ASSERT_EQ(fairstream({"keys", site.file("client.keys")}).exit_code, 0);
    const std::string key = fairstream({"keys", site.file("engine.keys")}).out.substr(0, 40);
    for (const auto mode : {0640, 0604, 0620}) {
        std::filesystem::permissions(site.file("client.keys"), static_cast<std::filesystem::perms>(mode));
        EXPECT_THAT(refusal({"send", "--ingest", site.endpoint("ingest"), "--generate", "loans", "--server-key", key,
                             "--keys", site.file("client.keys")}),
                    Names({"client.keys", "owner"}));
    }
}

TEST(Send, ThatIsStoppedSaysSoAndFails) {
    const Site site;
    test::Process engine(site.serve_arguments());
    test::Process sender(site.send_arguments({"--generate", "loans", "--points", "1000000", "--rate", "1000"}));
    EXPECT_EQ(test::run(site.watch_arguments("plain", {"--until-sequence", "1"})).exit_code, 0);
    sender.signal(SIGINT);
    const test::Finished finished = sender.wait();
    EXPECT_EQ(finished.exit_code, 1);
    EXPECT_THAT(finished.out, HasSubstr("\"stopped\": true"));
    Site::stop(engine);
}

TEST(Serve, RefusesDifferentOptionsByName) {
    const Site site;
    site.record(100, 50);
    const std::string before = test::file_bytes(site.recording());
    const auto refused = [&](const std::string& setting) {
        std::vector<std::string> arguments = site.serve_arguments({"--set", setting});
        arguments.erase(arguments.begin());
        return refusal(arguments);
    };
    EXPECT_THAT(refused("fair.clusters=5"), AllOf(Names({"fair.clusters", " 4", " 5", "--config", "--set",
                                                         "fairstream replay " + site.recording() + " --config FILE"}),
                                                  Not(HasSubstr("fairstream set"))));
    EXPECT_THAT(refused("fair.balance_at_least=0.3"),
                AllOf(Names({"0.4", "--config", "--set"}), EndsWith("fairstream set fair.balance_at_least=0.3")));
    EXPECT_THAT(refused("fair.clustres=5"), HasSubstr("clustres"));
    EXPECT_THAT(refused("unfair.clusters=5"), HasSubstr("'unfair'"));
    EXPECT_THAT(refused("clusters=5"), HasSubstr("MODEL.OPTION=VALUE"));
    EXPECT_EQ(test::file_bytes(site.recording()), before);
}

TEST(Serve, ContinuesWithRecordedConfig) {
    const Site site;
    site.record(500, 50);
    std::vector<std::string> arguments = site.serve_arguments();
    const auto config = std::ranges::find(arguments, "--config");
    arguments.erase(config, config + 2);
    test::Process engine(arguments);
    EXPECT_EQ(test::run(site.send_arguments({"--generate", "loans", "--points", "500", "--batch", "50"})).exit_code, 0);
    Site::stop(engine);
    const json checked = json_of({"check", site.recording(), "--json"});
    EXPECT_EQ(checked["events"], 20);
    EXPECT_EQ(checked["models"],
              json({{{"model", "fair"}, {"kind", "safairkm"}}, {{"model", "plain"}, {"kind", "safairkm"}}}));
    std::vector<std::string> with_setting = arguments;
    with_setting.erase(with_setting.begin());
    with_setting.insert(with_setting.end(), {"--set", "fair.clusters=5"});
    EXPECT_THAT(refusal(with_setting), Names({"fair.clusters", " 4", " 5"}));
}

TEST(Serve, TakesEngineFromRecording) {
    const Site site;
    site.record(100, 50);
    const std::string own =
        site.directory().write("own.toml", "[ingest]\nendpoint = '" + site.endpoint("other") + "'\n").string();
    EXPECT_THAT(fairstream({"check", "--config", own}).out, HasSubstr("fairstream serve"));
    test::Process engine({program(), "serve", "--config", own, "--recording", site.recording(), "--updates",
                          site.endpoint("updates"), "--control", site.endpoint("control")});
    const test::Finished sent = test::run({program(), "send", "--ingest", site.endpoint("other"), "--timeout", "60",
                                           "--generate", "loans", "--points", "20"});
    EXPECT_EQ(sent.exit_code, 0) << sent.err;
    Site::stop(engine);
    EXPECT_THAT(refusal({"serve", "--config", own, "--recording", site.file("none.fairstream")}),
                Names({"own.toml", "[stream]", "recording"}));
}

TEST(Serve, ContinuesWithoutNetworkFile) {
    const Site site(R"([stream]
dimensions = 2
targets = true
[[stream.attribute]]
name = "group"
groups = ["a", "b"]
[[model]]
name = "it"
kind = "esvd_fair"
[model.options]
network = "@net.json"
refits = "no"
)");
    const std::string network = site.directory()
                                    .write("net.json", R"({"layers": [{"weights": [[0.5, -2]], "bias": [1],
                                                          "activation": "identity"}]})")
                                    .string();
    std::string text = test::file_bytes(site.config());
    text.replace(text.find("@net.json"), 9, "@" + network);
    site.directory().write("config.toml", text);
    {
        test::Process engine(site.serve_arguments());
        EXPECT_EQ(fairstream({"status", "--control", site.endpoint("control"), "--timeout", "60"}).exit_code, 0);
        Site::stop(engine);
    }
    std::filesystem::remove(network);
    std::vector<std::string> arguments = site.serve_arguments();
    const auto config = std::ranges::find(arguments, "--config");
    arguments.erase(config, config + 2);
    test::Process engine(arguments);
    const json status = json_of({"status", "--control", site.endpoint("control"), "--timeout", "60", "--json"});
    EXPECT_EQ(status["models"][0]["option_states"]["network"]["value"], "given");
    Site::stop(engine);
}

TEST(Serve, RefusesWrongUseInOneLine) {
    const Site site;
    for (const std::vector<std::string>& arguments :
         {std::vector<std::string>{"serve"}, {"serve", "--recording", site.file("none.fairstream")}})
        EXPECT_THAT(refusal(arguments), Names({"fairstream serve", "--config"}));
    EXPECT_THAT(refusal({"serve", "--config", site.config()}), HasSubstr("--recording"));
    EXPECT_THAT(refusal({"serve", "--config", site.file("none.toml")}), HasSubstr("none.toml"));
    EXPECT_THAT(refusal({"serve", "--config", site.config(), "--recording", site.recording(), "--ingest",
                         "tcp://0.0.0.0:7400"}),
                HasSubstr("tcp://0.0.0.0:7400"));
    EXPECT_THAT(
        refusal({"serve", "--config", site.config(), "--recording", site.recording(), "--ingest", "carrier://pigeon"}),
        HasSubstr("carrier://pigeon"));
    EXPECT_FALSE(std::filesystem::exists(site.recording()));
    const auto bad = site.directory().write("bad.toml", applicants_config() + "nonsense = 1\n");
    EXPECT_THAT(refusal({"serve", "--config", bad.string(), "--recording", site.recording()}),
                Names({"bad.toml:25:1:", "'nonsense'", "[recording]"}));
}

TEST(Serve, LetsInOnlyThoseWhoseKeysItKnows) {
    const Site site;
    const auto make_keys = [&](const std::string& name) {
        const test::Finished made = fairstream({"keys", site.file(name)});
        EXPECT_EQ(made.exit_code, 0);
        EXPECT_EQ(std::filesystem::status(site.file(name)).permissions() & std::filesystem::perms::all,
                  std::filesystem::perms::owner_read | std::filesystem::perms::owner_write);
        return made.out.substr(0, made.out.size() - 1);
    };
    const std::string engine_key = make_keys("engine.keys"), friend_key = make_keys("friend.keys");
    make_keys("stranger.keys");
    const auto config =
        site.directory().write("secure.toml", applicants_config() + "[security]\nkeys = '" + site.file("engine.keys") +
                                                  "'\nclients = ['" + friend_key + "']\n");
    std::vector<std::string> arguments = site.serve_arguments();
    arguments[3] = config.string();
    test::Process engine(arguments);

    const auto send = [&](std::vector<std::string> more) {
        more.insert(more.begin(),
                    {program(), "send", "--ingest", site.endpoint("ingest"), "--generate", "loans", "--points", "100"});
        return test::run(more);
    };
    const test::Finished sent =
        send({"--server-key", engine_key, "--keys", site.file("friend.keys"), "--timeout", "60"});
    EXPECT_EQ(sent.exit_code, 0) << sent.err;
    for (const test::Finished& denied :
         {send({"--server-key", engine_key, "--keys", site.file("stranger.keys"), "--timeout", "1"}),
          send({"--timeout", "1"})}) {
        EXPECT_EQ(denied.exit_code, 1);
        EXPECT_THAT(denied.err, HasSubstr(site.endpoint("ingest")));
    }
    EXPECT_TRUE(engine.warns("[security]"));
    EXPECT_THAT(
        refusal({"send", "--ingest", "ipc:///nowhere", "--generate", "loans", "--keys", site.file("friend.keys")}),
        Names({"--server-key", "--keys"}));
    EXPECT_THAT(refusal({"keys", site.file("friend.keys")}), Names({"friend.keys", "already"}));
    Site::stop(engine);
}

TEST(Send, WaitsForBusyEngine) {
    const Site site(patient_config());
    test::Process engine(site.serve_arguments());
    const std::vector<std::string> loans{"--generate", "loans", "--points", "400"};
    ASSERT_EQ(test::run(site.send_arguments(loans)).exit_code, 0);
    const test::Process refiner({program(), "refine", "fair", "--rounds", "1000000000", "--control",
                                 site.endpoint("control"), "--timeout", "600"});
    while (!site.is_at_work("refining fair")) {
    }
    EXPECT_THAT(fairstream({"status", "--control", site.endpoint("control")}).out,
                Names({"refining fair", "balance ", "may change"}))
        << "as of the event before";
    test::Process watcher(site.watch_arguments("fair"));
    EXPECT_TRUE(watcher.warns("refining fair"));
    std::vector<std::string> arguments = site.send_arguments({"--control", site.endpoint("control")});
    arguments.insert(arguments.end(), loans.begin(), loans.end());
    std::ranges::replace(arguments, std::string("60"), std::string("1"));
    test::Process sender(arguments);
    EXPECT_TRUE(sender.warns("refining fair"));
    sender.signal(SIGINT);
    EXPECT_THAT(sender.wait().err, HasSubstr("stopped"));
    Site::stop(engine);  // which undoes the refinement
}

TEST(Send, SendsAFileWithTheEnginesGroups) {
    const Site site(R"([stream]
dimensions = 2
[[stream.attribute]]
name = "sex"
groups = ["male", "female", "other"]
[[model]]
kind = "safairkm"
[model.options]
clusters = 2
)");
    test::Process engine(site.serve_arguments());
    const auto file = site.directory()
                          .write("people.csv", "x,y,sex,rich\n1,2,female,0\n3,4,male,1\n5,6,male,0\n7,9,female,1\n")
                          .string();
    const auto send = [&](std::vector<std::string> more) {
        more.insert(more.begin(), {"send", "--ingest", site.endpoint("ingest"), "--timeout", "60", "--input", file,
                                   "--target", "rich"});
        return more;
    };
    EXPECT_EQ(json_of(send({"--json"}))["acked"], 1);
    EXPECT_EQ(json_of(send({"--json", "--standardise", "--batch", "1"}))["acked"], 4);
    EXPECT_THAT(refusal(send({"--features", "x"})), Names({"1 feature", " 2"}));
    EXPECT_THAT(refusal(send({"--features", "x,y", "--group", "rich"})), Names({"'rich'", "'0'"}));
    EXPECT_THAT(refusal(send({"--features", "x,z"})), HasSubstr("'z'"));
    EXPECT_THAT(refusal(send({"--features", "x,sex"})), Names({"[prepare]", "levels"}));
    EXPECT_THAT(refusal(send({"--weight", "x"})), HasSubstr("weights"));
    EXPECT_THAT(refusal({"send", "--ingest", site.endpoint("ingest"), "--generate", "syn_equal_ds1"}),
                Names({"2 features", "group: black, purple", "targets"}));

    const auto repeated = site.directory().write("repeated.csv", "n,x,y,sex\n1,1,2,female\n1,0,4,male\n").string();
    const std::vector<std::string> to_send{
        "send", "--ingest", site.endpoint("ingest"), "--timeout", "60", "--input", repeated, "--id", "n"};
    std::vector<std::string> of_rows = to_send;
    of_rows.insert(of_rows.end(), {"--rows", site.directory().write("rows.txt", "0\n1\n").string()});
    for (const std::vector<std::string>& each : {to_send, of_rows})
        EXPECT_THAT(fairstream(each).out, HasSubstr("2 on disk, 0 refused"));
    EXPECT_THAT(fairstream(to_send).out, HasSubstr("2 of 2 points"));
    const test::Finished sent = fairstream({"send", "--ingest", site.endpoint("ingest"), "--timeout", "60",
                                            "--outcomes", repeated, "--batch", "1", "--id", "n", "--target", "x"});
    EXPECT_EQ(sent.exit_code, 1);
    EXPECT_THAT(sent.err, StartsWith("event 1 was refused: "));
    EXPECT_THAT(sent.out, HasSubstr("2 refused"));
    Site::stop(engine);
    EXPECT_EQ(json_of({"check", site.recording(), "--json"})["refused"], 2);
}

TEST(Send, SendsRawFilesToPreparingEngine) {
    for (const std::string scale : {"first:4", "running", "range"}) {
        const Site site(R"([stream]
columns = ["income", "age", "job"]
weights = true
[[stream.attribute]]
name = "sex"
groups = ["female", "male"]
unknown = "not said"
[window]
max_age = "1h"
[[model]]
kind = "safairkm"
[model.options]
clusters = 2
parity_at_least = 0
[prepare]
missing = "mean"
scale = ")" + scale + R"("
[[prepare.column]]
name = "job"
levels = ["clerk", "nurse"]
)");
        test::Process engine(site.serve_arguments());
        const auto send = [&](const std::string& name, std::string_view text) {
            const auto file = site.directory().write(name, text).string();
            return json_of({"send", "--ingest", site.endpoint("ingest"), "--timeout", "60", "--input", file, "--id",
                            "n", "--weight", "w", "--time", "at", "--json"});
        };
        EXPECT_EQ(send("small.csv",
                       "n,age,job,income,sex,w,at\n1,20,nurse,1,female,1,2026-01-01T10:00Z\n"
                       "2,,clerk,2,male,2,2026-01-01T10:01Z\n3,40,?,3,,1,2026-01-01T10:02Z\n"
                       "4,50,pilot,NA,other,0.5,2026-01-01T10:03Z\n")["acked"],
                  1);
        EXPECT_EQ(send("large.csv",
                       "n,age,job,income,sex,w,at\n5,20,nurse,100000,female,1,2026-01-01T10:30Z\n"
                       "6,30,clerk,200000,male,2,2026-01-01T10:31Z\n")["acked"],
                  1);
        EXPECT_EQ(send("late.csv", "n,age,job,income,sex,w,at\n7,20,nurse,1,female,1,2026-01-01T09:00Z\n")["acked"], 1)
            << "late points are acked, too";
        EXPECT_THAT(
            refusal({"send", "--ingest", site.endpoint("ingest"), "--timeout", "60", "--input",
                     site.directory().write("two.csv", "n,x,y,sex\n1,2,3,male\n").string(), "--features", "x,y"}),
            Names({"2 features", " 3"}));
        engine.signal(SIGTERM);
        EXPECT_THAT(engine.wait().err, Names({"1 point ", "too late", " 0 refused"}));
        const auto digest = [&] { return json_of({"replay", site.recording(), "--json"})["runs"][0]["digest"]; };
        const json once = digest();
        EXPECT_TRUE(once.is_string());
        EXPECT_EQ(once, digest());
    }
}

TEST(Serve, ReportsUnclosedLog) {
    const Site site;
    site.record(1000, 100);
    const json closed = json_of({"check", site.recording(), "--json"});
    EXPECT_EQ(closed["events_of_unclosed_log"], 0);
    EXPECT_EQ(closed["running_hash"].get<std::string>().size(), 16U);
    {
        test::Process engine(site.serve_arguments());
        const test::Finished sent =
            test::run(site.send_arguments({"--generate", "loans", "--points", "300", "--batch", "100"}));
        EXPECT_EQ(sent.exit_code, 0) << sent.err;
        engine.signal(SIGKILL);
        EXPECT_THAT(engine.wait().err, Not(HasSubstr(" of its ")));
    }
    const json killed = json_of({"check", site.recording(), "--json"});
    EXPECT_EQ(killed["events_of_unclosed_log"], 3);
    EXPECT_NE(killed["running_hash"], closed["running_hash"]);
    EXPECT_THAT(test::run({program(), "check", site.recording()}).out, HasSubstr("3 of its 13 events"));
    test::Process engine(site.serve_arguments());
    EXPECT_EQ(test::run(site.watch_arguments("fair", {"--until-sequence", "13"})).exit_code, 0);
    engine.signal(SIGTERM);
    EXPECT_THAT(engine.wait().err, HasSubstr("3 of its 13 events"));
    EXPECT_EQ(json_of({"check", site.recording(), "--json"})["running_hash"], killed["running_hash"]);
}

/// Another program that is about to write to a recording, such as a database browser with an open edit.
class Holder {
public:
    explicit Holder(const std::string& recording) {
        EXPECT_EQ(sqlite3_open(recording.c_str(), &database_), SQLITE_OK);
        EXPECT_EQ(sqlite3_exec(database_, "BEGIN IMMEDIATE", nullptr, nullptr, nullptr), SQLITE_OK);
    }
    ~Holder() { sqlite3_close(database_); }
    Holder(const Holder&) = delete;
    Holder& operator=(const Holder&) = delete;

private:
    sqlite3* database_ = nullptr;
};

constexpr const char* told_of_lock = "locked";

TEST(Serve, ReportsLockedRecordingAtStart) {
    const Site site;
    site.record(100, 100);
    auto holder = std::make_optional<Holder>(site.recording());
    test::Process engine(site.serve_arguments());
    EXPECT_TRUE(engine.warns(told_of_lock));
    EXPECT_THAT(engine.errors(), Not(HasSubstr("ready")));
    holder.reset();
    EXPECT_TRUE(engine.warns("ready"));
    Site::stop(engine);
}

TEST(Serve, ReportsLockedRecordingInStatus) {
    const Site site;
    test::Process engine(site.serve_arguments());
    const auto sending = site.send_arguments({"--generate", "loans", "--points", "100", "--batch", "100"});
    EXPECT_EQ(test::run(sending).exit_code, 0);
    const std::vector<std::string> asking{"status", "--control", site.endpoint("control"), "--timeout", "60"};
    EXPECT_THAT(fairstream(asking).out, HasSubstr("healthy"));
    auto holder = std::make_optional<Holder>(site.recording());
    test::Process sender(sending);
    EXPECT_TRUE(engine.warns(told_of_lock));
    const test::Finished stuck = fairstream(asking);
    EXPECT_EQ(stuck.exit_code, 1);
    EXPECT_THAT(stuck.out, AllOf(HasSubstr(" 1 s"), Not(HasSubstr("healthy"))));
    const json status = json::parse(fairstream({"status", "--control", site.endpoint("control"), "--json"}).out);
    EXPECT_EQ(status["healthy"], false);
    EXPECT_GT(status["uncommitted_seconds"], 1);
    holder.reset();
    EXPECT_EQ(sender.wait().exit_code, 0);
    const json after = json_of({"status", "--control", site.endpoint("control"), "--json"});
    EXPECT_EQ(after["healthy"], true);
    EXPECT_EQ(after["uncommitted_seconds"], 0);
    Site::stop(engine);
}

TEST(Serve, ReportsUnreadableLogEnd) {
    const Site site;
    site.record(100, 100);
    {
        test::Process engine(site.serve_arguments());
        EXPECT_EQ(
            test::run(site.send_arguments({"--generate", "loans", "--points", "300", "--batch", "100"})).exit_code, 0);
        engine.signal(SIGKILL);
        (void)engine.wait();
    }
    const std::string log = site.recording() + "-wal";
    std::string bytes = test::file_bytes(log);
    bytes[bytes.size() - 100] = static_cast<char>(bytes[bytes.size() - 100] ^ 1);
    site.directory().write(std::filesystem::path(log).filename().string(), bytes);
    const char* const told = "acked events";
    const test::Finished checked = test::run({program(), "check", site.recording()});
    EXPECT_EQ(checked.exit_code, 0);
    EXPECT_THAT(checked.out, HasSubstr(told));
    test::Process engine(site.serve_arguments());
    EXPECT_TRUE(engine.warns(told));
    EXPECT_TRUE(engine.warns("ready"));
    Site::stop(engine);
    EXPECT_THAT(test::run({program(), "check", site.recording()}).out, Not(HasSubstr(told)));
}

TEST(Serve, EscapesPathsInLog) {
    const Site site;
    std::vector<std::string> arguments = site.serve_arguments();
    *std::next(std::ranges::find(arguments, "--recording")) = site.file("a\x1b[2Jb.fairstream");
    test::Process engine(arguments);
    EXPECT_TRUE(engine.warns("a\\x1b[2Jb.fairstream: new"));
    EXPECT_TRUE(engine.warns("ready"));
    EXPECT_THAT(engine.errors(), Not(HasSubstr("\x1b")));
    Site::stop(engine);
}

TEST(Send, EndsWithEngineAndNamesNextRow) {
    const Site site;
    test::Process engine(site.serve_arguments());
    test::Process sender({program(), "send", "--ingest", site.endpoint("ingest"), "--timeout", "60", "--generate",
                          "loans", "--points", "1000000", "--batch", "1", "--rate", "100", "--json"});
    const std::string sequence = "4";  // points have come by this event
    EXPECT_EQ(test::run(site.watch_arguments("fair", {"--until-sequence", sequence})).exit_code, 0);
    Site::stop(engine);
    const test::Finished ended = sender.wait();
    EXPECT_EQ(ended.exit_code, 1);
    EXPECT_THAT(ended.err, AllOf(HasSubstr(" ended"), Not(HasSubstr(" 60 s"))));
    const json report = json::parse(ended.out);
    EXPECT_EQ(json_of({"check", site.recording(), "--json"})["events"], report["answered"])
        << "all the others were not taken";
    EXPECT_THAT(ended.err, HasSubstr("point " + std::to_string(report["answered"].get<int>() + 1) + " "));
}

TEST(Serve, ClientsDetectCutLog) {
    using namespace std::chrono_literals;
    const Site site;
    zmq::ProducerOptions producer_options{.endpoint = site.endpoint("ingest"), .name = "p"};
    zmq::Producer producer(producer_options);
    auto send = [&, event = PointId{0}]() mutable {
        const std::vector<PointId> ids{++event};
        const std::vector<float> features{1, 2, 3, 4, 5, static_cast<float>(event % 7)};
        const std::vector<GroupId> groups{static_cast<GroupId>(event % 2), 0};
        EXPECT_TRUE(producer.send({.ids = ids, .features = features, .groups = groups}, 60s).has_value());
        EXPECT_TRUE(producer.flush(60s));
    };
    zmq::SubscriberOptions subscriber_options;
    subscriber_options.updates_endpoint = site.endpoint("updates");
    subscriber_options.control_endpoint = site.endpoint("control");
    subscriber_options.model = "fair";
    zmq::LabelSubscriber subscriber(subscriber_options);

    constexpr Sequence events = 12;
    const std::filesystem::path log = site.recording() + "-wal";
    std::uintmax_t half = 0;
    {
        test::Process engine(site.serve_arguments());
        for (Sequence event = 1; event <= events; ++event) {
            send();
            if (event == events / 2) half = std::filesystem::file_size(log);
        }
        while (subscriber.sequence() < events) (void)subscriber.poll(60s);
        engine.signal(SIGKILL);
        (void)engine.wait();
    }
    ASSERT_LT(half, std::filesystem::file_size(log));
    std::filesystem::resize_file(log, half);

    test::Process engine(site.serve_arguments());
    std::optional<zmq::LostEvents> lost;
    while (!lost)
        for (const zmq::LabelSubscriber::Event& event : subscriber.poll(60s))
            if (const auto* const told = std::get_if<zmq::LostEvents>(&event)) lost = *told;
    EXPECT_EQ(lost->known, events);
    try {
        send();
        FAIL() << "the engine lacks events that this producer was acked";
    } catch (const zmq::ProducerError& error) {
        EXPECT_EQ(error.fault(), zmq::ProducerFault::lost_events);
        EXPECT_THAT(error.what(), Names({"event 12", "event 6"}));
    }
    engine.signal(SIGTERM);
    EXPECT_THAT(engine.wait().err, Names({"subscriber", "producer 'p'", "event 12", "2 times"}));
}

TEST(Serve, EndsWhenRecordingIsDeleted) {
    const Site site;
    test::Process engine(site.serve_arguments());
    const test::Finished sent =
        test::run(site.send_arguments({"--generate", "loans", "--points", "300", "--batch", "100"}));
    EXPECT_EQ(sent.exit_code, 0) << sent.err;
    std::filesystem::remove(site.recording());
    const test::Finished ended = engine.wait();
    EXPECT_EQ(ended.exit_code, 1);
    EXPECT_THAT(ended.err, HasSubstr("deleted"));
}

TEST(Send, SendsASyntheticSetToItsEnd) {
    const Site site(R"([stream]
dimensions = 2
[[stream.attribute]]
name = "group"
groups = ["black", "purple"]
[[model]]
name = "fair"
kind = "safairkm"
[model.options]
clusters = 2
swaps = 0
)");
    test::Process engine(site.serve_arguments());
    const json sent =
        json::parse(test::run(site.send_arguments({"--generate", "syn_unequal_ds2", "--batch", "150"})).out);
    EXPECT_EQ(sent["sent"], 400);
    EXPECT_EQ(sent["acked"], 3);
    EXPECT_THAT(refusal({"send", "--ingest", site.endpoint("ingest"), "--generate", "loans"}),
                Names({"6 features", "sex: female, male", "age_band: under_30, 30_to_54, 55_plus", "targets"}));
    Site::stop(engine);
    const json final = json_of({"replay", site.recording(), "--json"})["runs"][0]["models"][0]["final"];
    EXPECT_EQ(final["attributes"][0]["attribute"], "group");
    EXPECT_DOUBLE_EQ(final["attributes"][0]["best_balance"], 1.0 / 3);
}

TEST(Send, RefusesMissingInputFirst) {
    const Site site;
    const auto send = [&](std::vector<std::string> more) {
        more.insert(more.begin(), {"send", "--ingest", site.endpoint("nobody")});
        return more;
    };
    EXPECT_THAT(refusal(send({"--input", site.file("none.csv")})), HasSubstr("none.csv: No such"));
    EXPECT_THAT(refusal(send({"--generate", "people"})), HasSubstr("'people'"));
    EXPECT_THAT(refusal(send({})), HasSubstr("--input"));
    EXPECT_THAT(refusal({"send", "--ingest", "nowhere", "--generate", "loans"}),
                Names({"--ingest nowhere", "tcp://", "ipc://"}));
    EXPECT_THAT(refusal(send({"--generate", "loans", "--rate", "-5"})), Names({"--rate", "'-5'"}));
}

TEST(Watch, RefusesUnknownModel) {
    const Site site;
    test::Process engine(site.serve_arguments());
    EXPECT_THAT(refusal({"watch", "--updates", "ipc:///u", "--control", "tcp:/c", "--model", "fair"}),
                HasSubstr("--control tcp:/c: must be"));
    std::vector<std::string> arguments = site.watch_arguments("unfair");
    arguments.erase(arguments.begin());
    EXPECT_THAT(refusal(arguments), Names({"'unfair'", "'fair'"}));
    Site::stop(engine);
    const test::Finished finished = fairstream({"watch", "--updates", site.endpoint("updates"), "--control",
                                                site.endpoint("control"), "--model", "fair", "--timeout", "0.2"});
    EXPECT_EQ(finished.exit_code, 1);
    EXPECT_THAT(finished.err, HasSubstr("0.2 s"));
}

}  // namespace
}  // namespace fairstream::command
