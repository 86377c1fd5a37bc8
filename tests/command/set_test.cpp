/// `fairstream set`, and its main use: switching a live front while it runs.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>

#include <nlohmann/json.hpp>

#include "recordings.hpp"

namespace fairstream::command {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;

const std::string& front_config() {
    static const std::string text = applicants_stream() + R"([[model]]
name = "choice"
kind = "live_front"
[model.options]
clusters = 4
balance_at_least = [0, 0.3, 0.45]
[recording]
checkpoint_events = 16
)";
    return text;
}

std::vector<json> events(const std::string& lines, const std::string& kind) {
    std::vector<json> found;
    std::istringstream stream(lines);
    for (std::string line; std::getline(stream, line);)
        if (json event = json::parse(line); event["line"] == kind) found.push_back(std::move(event));
    return found;
}

test::Finished set(const Site& site, const std::string& setting) {
    return test::run({program(), "set", "--control", site.endpoint("control"), "--timeout", "60", setting});
}

TEST(Set, MovesLabelsAlongLiveFront) {
    const Site site(front_config());
    test::Process engine(site.serve_arguments());
    ASSERT_EQ(test::run(site.send_arguments({"--generate", "loans", "--points", "2000", "--batch", "100"})).exit_code,
              0);
    test::Process watcher(site.watch_arguments("choice", {"--until-sequence", "21"}));
    const test::Finished changed = set(site, "choice.published=2");
    EXPECT_EQ(changed.exit_code, 0) << changed.err;
    EXPECT_EQ(changed.out, "choice.published = 2 from event 21 on\n");
    const test::Finished watched = watcher.wait();
    EXPECT_EQ(watched.exit_code, 0) << watched.err;
    const json fairness = events(watched.out, "fairness").back();
    EXPECT_EQ(fairness["sequence"], 21);
    EXPECT_GE(fairness["attributes"][0]["balance"], 0.45);

    const test::Finished late =
        test::run(site.watch_arguments("choice", {"--until-sequence", "21", "--labels", site.file("watched.csv")}));
    EXPECT_EQ(late.exit_code, 0) << late.err;
    Site::stop(engine);
    const test::Finished replayed =
        test::run({program(), "replay", site.recording(), "--json", "--labels", site.file("replayed.csv")});
    EXPECT_EQ(replayed.exit_code, 0) << replayed.err;
    const auto rows = [&](const char* file) {
        const std::string text = test::file_bytes(site.file(file));
        return text.substr(text.find('\n'));
    };
    EXPECT_EQ(rows("replayed.csv"), rows("watched.csv"));
}

TEST(Set, WarnsOfUnattainableTarget) {
    const Site site;
    test::Process engine(site.serve_arguments());
    EXPECT_EQ(set(site, "fair.balance_at_least=0.95").err, "") << "before there are points";
    ASSERT_EQ(test::run(site.send_arguments({"--generate", "loans", "--points", "500", "--batch", "100"})).exit_code,
              0);
    EXPECT_EQ(set(site, "fair.balance_at_least=0.2").err, "");
    const test::Finished changed = set(site, "fair.balance_at_least=0.9");
    EXPECT_EQ(changed.exit_code, 0);
    EXPECT_THAT(changed.err, Names({"warning: ", "balance"}));
    EXPECT_THAT(set(site, "fair.attribute=sex").err, Names({"'attribute'", "fair"}));
    Site::stop(engine);
}

// Events that do not change the watched model: its view reaches them as soon as a status says so.
TEST(Set, WatcherReachesUnrelatedEvent) {
    const Site site;
    test::Process engine(site.serve_arguments());
    ASSERT_EQ(test::run(site.send_arguments({"--generate", "loans", "--points", "500", "--batch", "100"})).exit_code,
              0);
    test::Process watcher(site.watch_arguments("plain", {"--until-sequence", "6"}));
    EXPECT_EQ(set(site, "fair.balance_at_least=0.2").out, "fair.balance_at_least = 0.2 from event 6 on\n");
    const test::Finished early = watcher.wait(),
                         late = test::run(site.watch_arguments("plain", {"--until-sequence", "6"})),
                         own = test::run(site.watch_arguments("fair", {"--until-sequence", "6"}));
    EXPECT_EQ(early.exit_code, 0) << early.err;
    EXPECT_EQ(late.exit_code, 0) << late.err;
    EXPECT_EQ(own.exit_code, 0) << own.err;
    Site::stop(engine);
}

TEST(Set, AWatcherSeesTheFront) {
    const Site site(front_config());
    test::Process engine(site.serve_arguments());
    test::Process watcher(site.watch_arguments("choice", {"--until-sequence", "20"}));
    ASSERT_TRUE(watcher.writes(R"("consistent":true)"));  // it sees the fronts of later events
    ASSERT_EQ(test::run(site.send_arguments({"--generate", "loans", "--points", "2000", "--batch", "100"})).exit_code,
              0);
    const test::Finished watched = watcher.wait();
    Site::stop(engine);
    const std::vector<json> fronts = events(watched.out, "front");
    ASSERT_FALSE(fronts.empty());
    for (const json& front : fronts) {
        ASSERT_EQ(front["front"].size(), 3U);
        EXPECT_EQ(front["front"][0]["published"], true);
        EXPECT_EQ(front["front"][1]["balance_at_least"], 0.3);
    }
    EXPECT_GE(fronts.back()["front"][2]["balance"], 0.45);
}

TEST(Set, RefusesWithReason) {
    const Site site(front_config());
    test::Process engine(site.serve_arguments());
    const auto refused = [&](const std::string& setting) {
        const test::Finished finished = set(site, setting);
        EXPECT_EQ(finished.exit_code, 2) << finished.out;
        EXPECT_EQ(std::count(finished.err.begin(), finished.err.end(), '\n'), 1) << finished.err;
        return finished.err;
    };
    EXPECT_THAT(refused("choice.published=3"), Names({"published = 3", " 3 "}));
    EXPECT_THAT(refused("choice.balance_at_least=0,2"), HasSubstr("balance_at_least = 0,2: must be 0 to 1"));
    EXPECT_THAT(refused("choice.clusters=5"), HasSubstr("'clusters'"));
    EXPECT_THAT(refused("other.swaps=5"), HasSubstr("no model 'other'"));
    EXPECT_THAT(refused("published=1"), HasSubstr("MODEL.OPTION=VALUE"));
    Site::stop(engine);
    const test::Finished silent =
        test::run({program(), "set", "--control", site.endpoint("nobody"), "--timeout", "1", "choice.published=1"});
    EXPECT_EQ(silent.exit_code, 1);
}

TEST(Set, ChecksAllChangesBeforeItMakesOne) {
    const Site site(front_config());
    test::Process engine(site.serve_arguments());
    const auto set_all = [&](std::vector<std::string> settings) {
        settings.insert(settings.begin(), {program(), "set", "--control", site.endpoint("control"), "--timeout", "60"});
        return test::run(settings);
    };
    for (const auto& [second, named] : {std::pair("choice.swaps=x", "swaps = x:"),
                                        {"choice.clusters=5", "'clusters'"},
                                        {"choise.swaps=5", "'choice'?"},
                                        {"choice.swapz=5", "'swaps'?"},
                                        {"choice.published=0", "two values"}}) {
        const test::Finished refused = set_all({"choice.published=1", second});
        EXPECT_EQ(refused.exit_code, 2) << second;
        EXPECT_EQ(refused.out, "") << second;
        EXPECT_THAT(refused.err, HasSubstr(named)) << second;
    }
    const test::Finished late = set_all({"choice.published=1", "choice.published=1", "choice.swaps=2"});
    EXPECT_EQ(late.exit_code, 0) << late.err;
    EXPECT_THAT(late.out, HasSubstr("choice.swaps = 2 from event 3 on"));
    Site::stop(engine);
}

}  // namespace
}  // namespace fairstream::command
