/// `fairstream export`: it writes what was recorded, and `send` reads that back.

#include <bit>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <random>
#include <sstream>

#include <fairstream/config/config.hpp>
#include <fairstream/zmq/producer.hpp>

#include "recordings.hpp"

namespace fairstream::command {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

/// Names that need quotes, a category, missing values, an unknown group, targets and weights.
std::string households_config() {
    return R"([stream]
columns = ["income, net", "city", "id"]
targets = true
weights = true
[[stream.attribute]]
name = "sex"
groups = ["f", "m"]
unknown = "not said"
[window]
capacity = 500
[[model]]
name = "fair"
kind = "safairkm"
[model.options]
clusters = 2
balance_at_least = 0.3
[prepare]
missing = "mean"
[[prepare.column]]
name = "city"
levels = ["Paris", "Lyon \"Centre\""]
)";
}

/// Returns the arguments of `send` that an export prints for sending its points again.
std::vector<std::string> words_of_sending(const std::string& told) {
    const std::string command = "fairstream send";
    EXPECT_THAT(told, HasSubstr(command + " --input "));
    const std::size_t at = told.find(command);
    std::istringstream options(at == std::string::npos ? "" : told.substr(at + command.size()));
    std::vector<std::string> words;
    for (std::string word; options >> word;) words.push_back(word);
    return words;
}

TEST(Export, OfTheConfigurationServesAndReplaysTheSame) {
    const Site site;
    site.record(100, 50);
    const std::string saved = site.file("saved.toml");
    const test::Finished exported = fairstream({"export", site.recording(), "--save-config", saved});
    EXPECT_EQ(exported.exit_code, 0);
    EXPECT_EQ(exported.out, "");
    EXPECT_EQ(config::load(saved).engine, config::load(site.config()).engine);
    std::string text = fairstream({"export", site.recording(), "--save-config", "-"}).out;
    EXPECT_THAT(text, HasSubstr("fairstream send --input points.csv --event sequence --id id --time time --features"));
    text.replace(text.find("--config FILE --recording again"), 31, "--config " + saved + " --recording saved");
    EXPECT_EQ(text, test::file_bytes(saved));
    EXPECT_THAT(fairstream({"export", site.recording(), "--save-config", saved, "--points", "-"}).out,
                StartsWith("sequence,"));
    // The exported points must not go back into the same recording.
    const std::string same = std::filesystem::path(site.recording()).replace_extension(".toml").string();
    EXPECT_EQ(fairstream({"export", site.recording(), "--save-config", same}).exit_code, 0);
    EXPECT_THAT(test::file_bytes(same), HasSubstr(" --recording stream_again.fairstream\n"));
    EXPECT_THAT(refusal({"export", site.recording(), "--save-config", "-", "--points", "-"}), HasSubstr("--points"));
}

TEST(Export, NamesLevelsAndGroupsAndLeavesGapsEmpty) {
    const Site site(households_config());
    test::Process engine(site.serve_arguments());
    {
        zmq::Producer producer({.endpoint = site.endpoint("ingest"), .name = "p"});
        const std::vector<PointId> ids{7, 8, 9};
        const float missing = std::numeric_limits<float>::quiet_NaN();
        const std::vector<float> features{0.1F, 1, 3, missing, 0, 4, -16777216, 9, 5};
        const std::vector<GroupId> groups{0, 1, 2};
        const std::vector<float> targets{1, 0.5F, 0};
        const std::vector<double> weights{1, 0.1, 3};
        const PointBatch batch{ids, features, groups, targets, 1'767'261'600'250'000, weights};
        ASSERT_TRUE(producer.send(batch, std::chrono::seconds(60)).has_value());
        ASSERT_TRUE(producer.flush(std::chrono::seconds(60)));
    }
    // Export works while the engine runs, as do check and replay.
    const test::Finished exported = fairstream({"export", site.recording()});
    EXPECT_EQ(exported.exit_code, 0) << exported.err;
    EXPECT_THAT(lines_of(exported.out),
                ElementsAre("sequence,time,id_,\"income, net\",city,id,sex,target,weight",
                            "1,2026-01-01T10:00:00.250000Z,7,0.1,\"Lyon \"\"Centre\"\"\",3,f,1,1",
                            "1,2026-01-01T10:00:00.250000Z,8,,Paris,4,m,0.5,0.1",
                            "1,2026-01-01T10:00:00.250000Z,9,-16777216,9,5,not said,0,3"));
    EXPECT_THAT(exported.err, AllOf(StartsWith("1 event, 3 points; "), HasSubstr(" --batch 3 --id id_ --time time ")));
    Site::stop(engine);
}

TEST(Export, Float32RoundTripsExactly) {
    const Site site(households_config()), again(households_config());
    constexpr std::size_t n = 3000;
    std::mt19937 random(5);
    std::vector<float> features;
    std::vector<PointId> ids;
    std::vector<GroupId> groups;
    std::vector<float> targets;
    std::vector<double> weights;
    while (ids.size() < n) {
        const auto income = std::bit_cast<float>(static_cast<std::uint32_t>(random()));
        if (!std::isfinite(income) || std::abs(income) > 1e14F) continue;
        features.insert(features.end(), {income, static_cast<float>(random() % 3), static_cast<float>(ids.size())});
        ids.push_back(ids.size());
        groups.push_back(static_cast<GroupId>(random() % 3));
        targets.push_back(static_cast<float>(random()) / 7);
        weights.push_back(static_cast<double>(1 + random() % 1000) / 3);
    }
    test::Process engine(site.serve_arguments());
    {
        zmq::Producer producer({.endpoint = site.endpoint("ingest"), .name = "p"});
        const PointBatch all{ids, features, groups, targets, 1, weights};
        for (std::size_t first = 0; first < n; first += 100) {
            PointBatch batch = all.slice(first, 100);
            batch.features = std::span(features).subspan(3 * first, 300);
            ASSERT_TRUE(producer.send(batch, std::chrono::seconds(60)).has_value());
        }
        ASSERT_TRUE(producer.flush(std::chrono::seconds(60)));
    }
    Site::stop(engine);
    EXPECT_EQ(fairstream({"export", site.recording(), "--points", site.file("points.csv")}).exit_code, 0);
    const std::vector<std::string> rows = lines_of(test::file_bytes(site.file("points.csv")));
    ASSERT_EQ(rows.size(), n + 1);
    for (std::size_t i = 0; i < n; ++i) {
        std::size_t at = 0;
        for (int comma = 0; comma < 3; ++comma) at = rows[i + 1].find(',', at) + 1;
        EXPECT_EQ(std::strtof(rows[i + 1].c_str() + at, nullptr), features[3 * i]) << rows[i + 1];
    }

    // A name with a comma cannot be listed: then all columns without another role are features.
    test::Process second(again.serve_arguments());
    const test::Finished sent =
        test::run(again.send_arguments({"--input", site.file("points.csv"), "--batch", "100", "--id", "id_", "--time",
                                        "time", "--target", "target", "--weight", "weight"}));
    EXPECT_EQ(sent.exit_code, 0) << sent.err;
    Site::stop(second);
    EXPECT_EQ(fairstream({"export", again.recording(), "--points", again.file("points.csv")}).exit_code, 0);
    const std::vector<std::string> second_rows = lines_of(test::file_bytes(again.file("points.csv")));
    ASSERT_EQ(second_rows.size(), rows.size());
    // An unlisted level has the number after the last one, whatever its text.
    EXPECT_EQ(second_rows, rows);
    for (const Site* each : {&site, &again})
        json_of({"replay", each->recording(), "--labels", each->file("labels.csv"), "--json"});
    EXPECT_EQ(test::file_bytes(site.file("labels.csv")), test::file_bytes(again.file("labels.csv")));
}

TEST(Export, UnnamedStreamIsSentAgain) {
    const Site site, again;
    site.record(2000, 100);
    const test::Finished exported = fairstream({"export", site.recording(), "--points", site.file("points.csv")});
    EXPECT_EQ(exported.exit_code, 0) << exported.err;
    test::Process engine(again.serve_arguments());
    const test::Finished sent = test::run(again.send_arguments(words_of_sending(exported.err)));
    EXPECT_EQ(sent.exit_code, 0) << sent.err;
    Site::stop(engine);
    for (const Site* each : {&site, &again})
        json_of({"replay", each->recording(), "--labels", each->file("labels.csv"), "--json"});
    EXPECT_EQ(test::file_bytes(site.file("labels.csv")), test::file_bytes(again.file("labels.csv")));
}

// If points separated thousands, as with decimal commas, each value would become a thousand times as large.
TEST(Export, DecimalCommaStreamIsSentAgain) {
    const std::string config =
        "[stream]\ncolumns = [\"x\", \"y\"]\ndecimal_mark = \"comma\"\n[window]\ncapacity = 50\n[[model]]\nname = "
        "\"m\"\nkind = \"safairkm\"\n[model.options]\nclusters = 2\n";
    const Site site(config), again(config);
    std::string rows = "id;x;y\n";
    for (int i = 0; i < 40; ++i)
        rows += std::to_string(i) + ";" + std::to_string(1 + i % 7) + ",859;" + std::to_string(20 + i) + ",578\n";
    const std::string file = site.directory().write("first.csv", rows).string();
    test::Process engine(site.serve_arguments());
    EXPECT_EQ(test::run(site.send_arguments({"--input", file, "--id", "id"})).exit_code, 0);
    Site::stop(engine);
    const test::Finished exported = fairstream({"export", site.recording(), "--points", site.file("points.csv")});
    EXPECT_THAT(test::file_bytes(site.file("points.csv")), HasSubstr(",1.859,20.578\n"));
    test::Process second(again.serve_arguments());
    const test::Finished sent = test::run(again.send_arguments(words_of_sending(exported.err)));
    EXPECT_EQ(sent.exit_code, 0) << sent.err;
    Site::stop(second);
    EXPECT_EQ(fairstream({"export", again.recording(), "--points", again.file("points.csv")}).exit_code, 0);
    EXPECT_EQ(test::file_bytes(again.file("points.csv")), test::file_bytes(site.file("points.csv")));
}

TEST(Export, UnevenEventsAndUnknownTargetsAreSentAgain) {
    std::string config = households_config();
    const std::string known = "targets = true";
    config.replace(config.find(known), known.size(), "targets = \"later\"");
    const Site site(config), again(config);
    test::Process engine(site.serve_arguments());
    const std::string rows = "pay,town,no,sex,good,w\n1,Paris,3,f,1,1\n2,Paris,4,m,,2\n3,Paris,5,f,NA,1\n";
    const std::string file = site.directory().write("first.csv", rows).string();
    const auto send = [&](std::vector<std::string> more) {
        std::vector<std::string> arguments{"--input",  file,   "--features", "pay,town,no",
                                           "--target", "good", "--weight",   "w"};
        arguments.insert(arguments.end(), more.begin(), more.end());
        const test::Finished sent = test::run(site.send_arguments(arguments));
        EXPECT_EQ(sent.exit_code, 0) << sent.err;
    };
    send({});
    send({"--batch", "1"});
    send({});
    Site::stop(engine);
    const test::Finished exported = fairstream({"export", site.recording(), "--points", site.file("points.csv")});
    EXPECT_THAT(exported.err, HasSubstr(" --event sequence --id id_ --time time "));
    const std::vector<std::string> lines = lines_of(test::file_bytes(site.file("points.csv")));
    EXPECT_THAT(lines.at(2), EndsWith(",m,,2"));
    const std::vector<std::string> words{"--input",  site.file("points.csv"),
                                         "--event",  "sequence",
                                         "--id",     "id_",
                                         "--time",   "time",
                                         "--target", "target",
                                         "--weight", "weight"};
    test::Process second(again.serve_arguments());
    const test::Finished sent = test::run(again.send_arguments(words));
    EXPECT_EQ(sent.exit_code, 0) << sent.err;
    EXPECT_EQ(json::parse(sent.out)["events"], 5);
    const test::Finished scaled = test::run(again.send_arguments(
        {"--input", site.file("points.csv"), "--event", "sequence", "--id", "id_", "--unit-rows"}));
    EXPECT_EQ(scaled.exit_code, 2);
    EXPECT_THAT(scaled.err, HasSubstr("--event sequence"));
    Site::stop(second);
    EXPECT_EQ(fairstream({"export", again.recording(), "--points", again.file("points.csv")}).exit_code, 0);
    EXPECT_EQ(test::file_bytes(site.file("points.csv")), test::file_bytes(again.file("points.csv")));
}

TEST(Export, ListsOtherEventsAndKeepsToItsRange) {
    const Site site;
    test::Process engine(site.serve_arguments());
    const std::vector<std::string> points{"--generate", "loans", "--points", "300", "--batch", "100"};
    EXPECT_EQ(test::run(site.send_arguments(points)).exit_code, 0);
    EXPECT_EQ(fairstream({"set", "--control", site.endpoint("control"), "--timeout", "60", "fair.balance_at_least=0.3"})
                  .exit_code,
              0);
    EXPECT_EQ(test::run(site.send_arguments(points)).exit_code, 0);
    Site::stop(engine);
    const test::Finished exported =
        fairstream({"export", site.recording(), "--from", "3", "--to", "5", "--events", site.file("events.csv")});
    EXPECT_EQ(exported.exit_code, 0) << exported.err;
    const std::vector<std::string> rows = lines_of(exported.out);
    ASSERT_EQ(rows.size(), 201U);
    EXPECT_THAT(rows[1], StartsWith("3,"));
    EXPECT_THAT(rows[200], StartsWith("5,"));
    EXPECT_EQ(test::file_bytes(site.file("events.csv")),
              "sequence,kind,model,option,value\n4,option,fair,balance_at_least,0.3\n");

    EXPECT_EQ(fairstream({"export", site.recording(), "--events", "-"}).out, test::file_bytes(site.file("events.csv")))
        << "without the points";

    const auto refused = [&](std::vector<std::string> more) {
        more.insert(more.begin(), {"export", site.recording()});
        return refusal(more);
    };
    EXPECT_THAT(refused({"--from", "8"}), EndsWith("event 7"));
    EXPECT_THAT(refused({"--from", "3", "--to", "2"}), HasSubstr("--from"));
    EXPECT_THAT(refused({"--events", "-", "--outcomes", "-"}), HasSubstr("standard output"));
    EXPECT_THAT(refused({"--events", "-", "--points", "-"}), HasSubstr("standard output"));
    EXPECT_THAT(refused({"--points", site.recording()}), Names({site.recording(), "--points"}));
    EXPECT_THAT(refusal({"export", site.file("none")}), HasSubstr(site.file("none")));
}

TEST(Export, NamesFirstCompleteEvent) {
    std::string config = applicants_config();
    const std::string kept = "checkpoint_events = 16";
    config.replace(config.find(kept), kept.size(), "checkpoint_events = 4\nkeep_events = 1");
    const Site site(config);
    // Each end of an engine writes a checkpoint; later events cause the deletion of events before the older of two.
    for (int life = 0; life < 3; ++life) site.record(1500, 100);
    const json checked = json_of({"check", site.recording(), "--json"});
    const auto first = checked["first_sequence"].get<std::uint64_t>();
    ASSERT_GT(first, 1U);
    const test::Finished exported = fairstream({"export", site.recording()});
    EXPECT_EQ(exported.exit_code, 0) << exported.err;
    EXPECT_THAT(exported.err, HasSubstr("events from " + std::to_string(first)));
    EXPECT_THAT(lines_of(exported.out).at(1), StartsWith(std::to_string(first) + ","));
    EXPECT_THAT(refusal({"export", site.recording(), "--from", std::to_string(first - 1)}),
                HasSubstr("events from " + std::to_string(first)));
}

/// Returns a file of `count` points with ids from `first` on, all at this time.
std::string points_at(std::int64_t seconds, int first, int count) {
    std::string text = "id,x,y,sex,at\n";
    for (int id = first; id < first + count; ++id)
        text += std::to_string(id) + "," + std::to_string(id) + ",1," + (id % 2 == 0 ? "f," : "m,") +
                std::to_string(seconds) + "\n";
    return text;
}

std::string aged_config(const std::string& ingest) {
    return R"([stream]
columns = ["x", "y"]
[[stream.attribute]]
name = "sex"
groups = ["f", "m"]
[window]
capacity = 100
max_age = "1h"
[[model]]
name = "fair"
kind = "safairkm"
[model.options]
clusters = 2
parity_at_least = 0
)" + ingest;
}

class FutureTimes : public ::testing::Test {
protected:
    static constexpr std::int64_t days = 86'400;

    [[nodiscard]] static test::Finished send(const Site& site, const std::string& points,
                                             const std::vector<std::string>& more = {}) {
        std::vector<std::string> all{
            "--input", site.directory().write("points.csv", points).string(), "--id", "id", "--time", "at"};
        all.insert(all.end(), more.begin(), more.end());
        return test::run(site.send_arguments(all));
    }

    const std::int64_t now_ =
        std::chrono::duration_cast<std::chrono::seconds>(std::chrono::system_clock::now().time_since_epoch()).count();
};

TEST_F(FutureTimes, EngineRefusesThemDespiteSendOption) {
    const Site site(aged_config(""));
    test::Process engine(site.serve_arguments());
    for (const std::vector<std::string>& more : {std::vector<std::string>{}, {"--future-times"}}) {
        const test::Finished refused = send(site, points_at(now_ + 10 * days, 0, 1), more);
        EXPECT_EQ(refused.exit_code, 2);
        EXPECT_THAT(refused.err, Names({"clock", "ahead_at_most"}));
    }
    zmq::Producer producer({.endpoint = site.endpoint("ingest"), .name = "p"});
    const std::vector<PointId> ids{1};
    const std::vector<float> features{0, 0};
    const std::vector<GroupId> groups{0};
    const auto queue = [&](std::int64_t seconds) {
        const PointBatch batch{.ids = ids, .features = features, .groups = groups, .event_time = seconds * 1'000'000};
        ASSERT_TRUE(producer.send(batch, std::chrono::seconds(20)).has_value());
    };
    queue(now_);
    queue(now_ + 10 * days);
    queue(now_);
    try {
        EXPECT_FALSE(producer.flush(std::chrono::seconds(20)));
    } catch (const zmq::ProducerError& error) {
        EXPECT_EQ(error.fault(), zmq::ProducerFault::ahead_of_clock);
        EXPECT_THAT(error.what(), Names({"event 2", "'p'", "9 days", "6 minutes", "ahead_at_most"}));
    }
    EXPECT_EQ(producer.first_unanswered(), 2U);
    Site::stop(engine);
    EXPECT_EQ(json_of({"check", site.recording(), "--json"})["events"], 1);
}

TEST_F(FutureTimes, ExportLeavesThemOut) {
    const Site old(aged_config("[ingest]\nahead_at_most = \"any\"\n"));
    test::Process poisoned(old.serve_arguments());
    const auto late = [](const test::Finished& sent) { return json::parse(sent.out)["late_points"].get<int>(); };
    EXPECT_EQ(late(send(old, points_at(now_ - 60, 0, 10))), 0);
    EXPECT_EQ(late(send(old, points_at(now_ + 10 * days, 10, 3), {"--future-times"})), 0);
    EXPECT_EQ(late(send(old, points_at(now_, 13, 10))), 10) << "for good";
    poisoned.signal(SIGTERM);
    EXPECT_THAT(poisoned.wait().err, HasSubstr("fairstream export --leave-out-ahead"));

    const std::string config = old.file("again.toml");
    const test::Finished exported = fairstream(
        {"export", old.recording(), "--leave-out-ahead", "--points", old.file("points.csv"), "--save-config", config});
    EXPECT_EQ(exported.exit_code, 0);
    EXPECT_THAT(exported.err, Names({"2 events", "20 points"}));
    EXPECT_THAT(exported.err, Names({"1 event", "3 points"}));
    const Site fresh(test::file_bytes(config));
    test::Process engine(fresh.serve_arguments());
    EXPECT_EQ(late(test::run(fresh.send_arguments(words_of_sending(lines_of(exported.err)[0])))), 0);
    EXPECT_EQ(late(send(fresh, points_at(now_, 23, 5))), 0);
    EXPECT_EQ(json_of({"status", "--control", fresh.endpoint("control"), "--json"})["retained"], 25);
    Site::stop(engine);
}

TEST(Export, EmptyFileIsReported) {
    const test::TemporaryDirectory directory;
    const std::string empty = directory.write("empty.fairstream", "").string();
    for (const char* const command : {"export", "check", "replay"})
        EXPECT_THAT(refusal({command, empty}), AllOf(HasSubstr("is empty"), Not(HasSubstr("salvage")))) << command;
}

}  // namespace
}  // namespace fairstream::command
