/// The output of `fairstream watch`, as a table and as lines.

#include <sstream>
#include <string>

#include "recordings.hpp"
#include "terminal.hpp"

namespace fairstream::command {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;

/// A window by age with points of different weights, some of unknown sex, scaled by the first four.
std::string weighted_config() {
    return R"([stream]
columns = ["income", "age"]
weights = true
[[stream.attribute]]
name = "sex"
groups = ["f", "m"]
unknown = "not said"
[window]
max_age = "1h"
[[model]]
name = "fair"
kind = "safairkm"
[model.options]
clusters = 1
parity_at_least = 0
[prepare]
scale = "first:4"
)";
}

class WatchShows : public ::testing::Test {
protected:
    WatchShows() : engine_(site_.serve_arguments()) {}
    [[nodiscard]] json send(std::string_view text) const {
        const std::string file = site_.directory().write("points.csv", text).string();
        return json_of({"send", "--ingest", site_.endpoint("ingest"), "--timeout", "60", "--input", file, "--id", "n",
                        "--weight", "w", "--time", "at", "--json"});
    }
    /// Four events: points for the scale; points that have moved from it; one of them again, when drift is checked; and
    /// a late one.
    void fill() const {
        EXPECT_EQ(send("n,income,age,sex,w,at\n1,10,20,f,1,2026-01-01T10:00Z\n2,20,30,m,3.5,2026-01-01T10:00Z\n"
                       "3,30,40,,0.5,2026-01-01T10:00Z\n4,40,50,m,1,2026-01-01T10:00Z\n")["acked"],
                  1);
        EXPECT_EQ(send("n,income,age,sex,w,at\n5,1000,20,f,1,2026-01-01T10:01Z\n6,2000,30,m,1,2026-01-01T10:01Z\n"
                       "7,1000,20,f,1,2026-01-01T10:01Z\n8,2000,30,m,1,2026-01-01T10:01Z\n")["acked"],
                  1);
        EXPECT_EQ(send("n,income,age,sex,w,at\n8,2000,30,m,1,2026-01-01T10:02Z\n")["acked"], 1);
        EXPECT_EQ(send("n,income,age,sex,w,at\n9,10,20,f,1,2026-01-01T08:00Z\n")["late_points"], 1);
    }

    const Site site_{weighted_config()};
    test::Process engine_;
};

TEST_F(WatchShows, WeightsAndUnknownGroup) {
    fill();
    for (const char* text :
         {"cluster  points   weight    share  sex f (weight)  sex m (weight)  sex not said (unknown) (weight)",
          "10.0000  100.0 %          3.0000          6.5000                           0.5000", "1 point came",
          "column income "}) {
        const Terminal terminal;
        std::vector<std::string> arguments = site_.watch_arguments("fair");
        arguments.insert(arguments.begin(), {"/bin/sh", "-c", "exec \"$@\" >\"$0\"", terminal.name()});
        const test::Process watcher(arguments);
        EXPECT_TRUE(terminal.shows(text)) << text;
    }
    Site::stop(engine_);
}

TEST_F(WatchShows, TableFitsNarrowTerminal) {
    fill();
    const Terminal terminal(60);
    std::vector<std::string> arguments = site_.watch_arguments("fair");
    arguments.insert(arguments.begin(), {"/bin/sh", "-c", "exec \"$@\" >\"$0\"", terminal.name()});
    const test::Process watcher(arguments);
    EXPECT_TRUE(terminal.shows("\r\n  cluster  points   weight    share  sex f (weight)  sex m …"));
    std::string points = "n,income,age,sex,w\n";
    for (int i = 0; i < 60; ++i) points += std::to_string(i) + "," + std::to_string(1000 + i) + ",30,f,1\n";
    const std::string file = site_.directory().write("many.csv", points).string();
    EXPECT_EQ(json_of({"send", "--ingest", site_.endpoint("ingest"), "--input", file, "--id", "n", "--weight", "w",
                       "--batch", "1", "--future-times", "--json"})["acked"],
              60);
    EXPECT_TRUE(terminal.shows("event 64"));
    EXPECT_TRUE(terminal.shows("churn")) << "more events than its plot has room for";
    EXPECT_TRUE(terminal.shows("▁  0 to 0.02\r\n")) << "the oldest are left out, not the scale";
    Site::stop(engine_);
}

TEST_F(WatchShows, LatePointsAndDriftByColumnName) {
    fill();
    const test::Finished watched = test::run(site_.watch_arguments("fair", {"--until-sequence", "4"}));
    EXPECT_EQ(watched.exit_code, 0) << watched.err;
    EXPECT_THAT(watched.out, HasSubstr(R"("groups_by_attribute":{"sex":["f","m","not said"]})"));
    Site::stop(engine_);
    json told;
    std::istringstream lines(watched.out);
    for (std::string line; std::getline(lines, line);)
        if (json event = json::parse(line); event["line"] == "condition") told = std::move(event);
    EXPECT_EQ(told["model"], "fair");
    EXPECT_EQ(told["late_points"], 1);
    EXPECT_GT(told["drift"], 1);
    EXPECT_EQ(told["drift_column"], "income");
    const json run = json_of({"replay", site_.recording(), "--json"})["runs"][0];
    for (const char* field : {"late_points", "scale_renewals", "drift", "drift_column"})
        EXPECT_EQ(run[field], told[field]);
    EXPECT_THAT(fairstream({"replay", site_.recording()}).out, HasSubstr("column income "));
}

TEST_F(WatchShows, PlotRangeAboveNoise) {
    fill();
    const Terminal terminal;
    std::vector<std::string> arguments = site_.watch_arguments("fair");
    arguments.insert(arguments.begin(), {"/bin/sh", "-c", "exec \"$@\" >\"$0\"", terminal.name()});
    const test::Process watcher(arguments);
    // The only value lies in the middle of a tenth of it, and not at the top or the bottom.
    EXPECT_TRUE(terminal.shows("▅  "));
    EXPECT_TRUE(terminal.shows(" to "));
    Site::stop(engine_);
}

TEST_F(WatchShows, ConnectionAndEngineStop) {
    fill();
    test::Process watcher(site_.watch_arguments("fair"));
    EXPECT_TRUE(watcher.writes(R"("line":"connected")"));
    Site::stop(engine_);
    const test::Finished ended = watcher.wait();
    EXPECT_EQ(ended.exit_code, 3);
    EXPECT_THAT(ended.err, AllOf(HasSubstr(std::filesystem::canonical(site_.recording()).string() + " at event 4\n"),
                                 testing::EndsWith(" event 4\n")));
    EXPECT_EQ(lines_of(ended.err).size(), 2U);
    EXPECT_THAT(ended.out, testing::EndsWith(R"({"line":"ended","sequence":4,"in_order":true,"model":"fair"})"
                                             "\n"));
}

TEST_F(WatchShows, KilledEngineAsSilent) {
    fill();
    test::Process watcher(site_.watch_arguments("fair"));
    EXPECT_TRUE(watcher.writes(R"("line":"connected")"));
    engine_.signal(SIGKILL);
    (void)engine_.wait();
    const test::Finished ended = watcher.wait();
    EXPECT_EQ(ended.exit_code, 3);
    EXPECT_THAT(ended.err, HasSubstr("was killed"));
    EXPECT_THAT(ended.out, HasSubstr(R"("in_order":false)"));
}

TEST_F(WatchShows, NextStartWithReconnect) {
    fill();
    test::Process watcher(site_.watch_arguments("fair", {"--reconnect", "--until-sequence", "5"}));
    EXPECT_TRUE(watcher.writes(R"("line":"connected")"));
    Site::stop(engine_);
    EXPECT_TRUE(watcher.writes(R"("line":"ended")"));
    test::Process again(site_.serve_arguments());
    EXPECT_EQ(send("n,income,age,sex,w,at\n10,10,20,f,1,2026-01-01T10:03Z\n")["acked"], 1);
    EXPECT_EQ(watcher.wait().exit_code, 0);
    Site::stop(again);
}

TEST_F(WatchShows, LostAndRestoredEngine) {
    fill();
    const Terminal terminal;
    std::vector<std::string> arguments = site_.watch_arguments("fair", {"--reconnect"});
    arguments.insert(arguments.begin(), {"/bin/sh", "-c", "exec \"$@\" >\"$0\"", terminal.name()});
    const test::Process watcher(arguments);
    EXPECT_TRUE(terminal.shows("live"));
    engine_.signal(SIGKILL);
    (void)engine_.wait();
    EXPECT_TRUE(terminal.shows("no engine"));
    EXPECT_TRUE(terminal.shows("waiting"));
    test::Process again(site_.serve_arguments());
    EXPECT_TRUE(terminal.shows("live"));
    Site::stop(again);
}

TEST_F(WatchShows, ThatItsEndpointsAreThoseOfTwoEngines) {
    fill();
    const Site other(weighted_config());
    test::Process another(other.serve_arguments());
    const test::Finished mixed =
        fairstream({"watch", "--updates", site_.endpoint("updates"), "--control", other.endpoint("control"), "--model",
                    "fair", "--json", "--timeout", "60", "--until-sequence", "1"});
    EXPECT_EQ(mixed.exit_code, 2);
    EXPECT_THAT(mixed.err, HasSubstr("two engines"));
    EXPECT_EQ(mixed.out, "") << "nothing of either is shown as the other's";
    Site::stop(another);
    Site::stop(engine_);
}

TEST_F(WatchShows, LabelsLikeReplay) {
    fill();
    const test::Finished watched =
        test::run(site_.watch_arguments("fair", {"--until-sequence", "4", "--labels", site_.file("watched.csv")}));
    EXPECT_EQ(watched.exit_code, 0) << watched.err;
    Site::stop(engine_);
    (void)json_of({"replay", site_.recording(), "--labels", site_.file("replayed.csv"), "--json"});
    const std::string labels = test::file_bytes(site_.file("watched.csv"));
    EXPECT_THAT(labels, StartsWith("id,fair\n1,0\n"));
    EXPECT_EQ(labels, test::file_bytes(site_.file("replayed.csv")));
}

}  // namespace
}  // namespace fairstream::command
