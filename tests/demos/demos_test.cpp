/// The demos, run like a reader of the README does, on small streams.

#include <signal.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <regex>
#include <set>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <support/names.hpp>
#include <support/process.hpp>
#include <support/temporary_directory.hpp>

namespace fairstream::test {
namespace {

using testing::HasSubstr;

std::string program(const std::string& name) {
    return FAIRSTREAM_BIN_DIR "/" + name;
}

/// Returns the numbers that the first group of `pattern` matches, in order.
std::vector<double> numbers(const std::string& text, const std::string& pattern) {
    const std::regex regex(pattern);
    std::vector<double> found;
    for (std::sregex_iterator at(text.begin(), text.end(), regex), end; at != end; ++at)
        found.push_back(std::stod((*at)[1]));
    return found;
}

/// Runs the demo of a stream, with its temporary files in `files`.
std::vector<std::string> stream_demo(const TemporaryDirectory& files, std::vector<std::string> options) {
    options.insert(options.begin(), {"/usr/bin/env", "TMPDIR=" + files.path().string(), program("stream_demo")});
    return options;
}

TEST(EmbeddingService, KeepsTheBalanceThatItAskedFor) {
    const Finished finished = run({program("embedding_service")});
    EXPECT_EQ(finished.exit_code, 0) << finished.err;
    const std::vector<double> balances = numbers(finished.out, "balance ([0-9.]+)");
    EXPECT_EQ(balances.size(), 20U);
    for (const double balance : balances) EXPECT_GE(balance, 0.5);
    EXPECT_THAT(finished.out, ::testing::HasSubstr("a woman"));
    EXPECT_THAT(finished.out, HasSubstr("refused: feature 0 of point 1 is nan"));
}

TEST(TensorService, ShowsSegmentsThatKeepTheirBalance) {
    const Finished finished = run({program("tensor_service")});
    EXPECT_EQ(finished.exit_code, 0) << finished.err;
    const std::vector<double> balances =
        numbers(finished.out.substr(finished.out.find("balance of")), "([0-9]\\.[0-9]+)");
    EXPECT_EQ(balances.size(), 4U) << finished.out;
    for (const double balance : balances) EXPECT_GE(balance, 0.5);
    EXPECT_THAT(finished.out, ::testing::HasSubstr(": {"));
    EXPECT_THAT(finished.out, Names({"(2, 1)", "(2, 2)"}));
}

TEST(StreamDemo, ShowsBothModelsAndChecksItself) {
    const TemporaryDirectory files;
    const Finished finished = run(stream_demo(files, {"--points", "20000", "--rate", "0", "--balance", "0.4"}));
    ASSERT_EQ(finished.exit_code, 0) << finished.err;
    EXPECT_EQ(numbers(finished.out, "\n *([0-9]+),?[0-9]* │").size(), 10U) << finished.out;
    const auto table = numbers(finished.out, "SAfairKM, balance >= 0.40 +[0-9.]+ +([0-9.]+)");
    ASSERT_EQ(table.size(), 1U) << finished.out;
    EXPECT_GE(table[0], 0.4);
    EXPECT_THAT(finished.out, ::testing::HasSubstr("online k-means"));
    EXPECT_THAT(finished.out, HasSubstr("checked"));
    EXPECT_EQ(finished.out.find('\x1b'), std::string::npos) << "escape sequences where there is no terminal";
    EXPECT_TRUE(std::filesystem::is_empty(files.path()));
}

TEST(StreamDemo, TakesAnyFile) {
    const TemporaryDirectory files, temporary;
    std::string csv = "name,height,weight,sex,country\n";
    for (int i = 0; i < 3000; ++i) {
        const int sex = i % 7 < 3 ? 1 : 0;
        csv += "p" + std::to_string(i) + "," + std::to_string(150 + 17 * sex + i * 31 % 23) + "," +
               std::to_string(50 + i * 13 % 41) + "," + (sex != 0 ? "m" : "f") + "," + (i % 3 == 0 ? "de" : "pt") +
               "\n";
    }
    std::vector<std::string> options{
        "--data", files.write("people.csv", csv), "--group", "sex,country", "--clusters", "3", "--rate", "0"};
    const Finished refused = run(stream_demo(temporary, options));
    EXPECT_EQ(refused.exit_code, 2);
    EXPECT_THAT(refused.err, Names({"people.csv", "'name'", "'p0'", ": add --id name"}));
    options.insert(options.end(), {"--id", "name"});
    const Finished finished = run(stream_demo(temporary, options));
    ASSERT_EQ(finished.exit_code, 0) << finished.err;
    EXPECT_THAT(finished.out, Names({"3,000 rows", "people.csv, by sex (f, m)"}));
    EXPECT_THAT(finished.out, HasSubstr("features: height, weight\n"));
    EXPECT_THAT(finished.out, HasSubstr("checked"));
    EXPECT_TRUE(std::filesystem::is_empty(temporary.path()));
}

TEST(StreamDemo, TakesAPipeWithTextAndGaps) {
    const TemporaryDirectory files, temporary;
    std::string csv = "joined;size;height;sex\n";
    for (int i = 0; i < 1000; ++i)
        csv += std::to_string(10 + i % 19) + ".11.2026;" +
               (i % 4 == 0   ? "small;"
                : i % 7 == 0 ? "?;"
                             : "large;") +
               std::to_string(150 + i * 31 % 23) + ",5;" +
               (i % 3 == 0    ? "m\n"
                : i % 50 == 1 ? "\n"
                              : "f\n");
    std::string command = "cat '" + files.write("people.csv", csv).string() + "' |";
    for (const std::string& word :
         stream_demo(temporary, {"--data", "-", "--group", "sex", "--clusters", "2", "--rate", "0", "--dates", "days",
                                 "--categorical", "onehot", "--missing", "mean", "--unknown-group", "unknown"}))
        command += " " + word;
    const Finished finished = run({"/bin/sh", "-c", command});
    ASSERT_EQ(finished.exit_code, 0) << finished.err;
    EXPECT_THAT(finished.out, Names({"1,000 rows", "by sex (f, m, unknown)"}));
    EXPECT_THAT(finished.out, HasSubstr("checked"));
    EXPECT_TRUE(std::filesystem::is_empty(temporary.path()));
}

TEST(StreamDemo, ControlCLeavesNothingBehind) {
    const TemporaryDirectory files;
    std::string command = "echo $$; exec";
    for (const std::string& word : stream_demo(files, {"--points", "100000", "--rate", "5000"})) command += " " + word;
    const std::unique_ptr<FILE, int (*)(FILE*)> output(::popen(command.c_str(), "r"), ::pclose);
    std::string text;
    for (int c = 0; !text.ends_with(" subscribes") && (c = std::fgetc(output.get())) != EOF;)
        text += static_cast<char>(c);
    ASSERT_THAT(text, ::testing::HasSubstr("subscribes"));
    const std::vector<double> own = numbers(text, "^([0-9]+)\n"), others = numbers(text, "process ([0-9]+)");
    ASSERT_EQ(own.size(), 1U);
    ASSERT_EQ(others.size(), 2U);
    ::kill(static_cast<pid_t>(own[0]), SIGINT);
    while (std::fgetc(output.get()) != EOF) {
    }
    for (const double pid : others)
        EXPECT_EQ(::kill(static_cast<pid_t>(pid), 0), -1) << "process " << pid << " is still there";
    EXPECT_TRUE(std::filesystem::is_empty(files.path()));
}

TEST(FiveSystems, AreReproducibleAtAnyThreadCount) {
    const Finished finished = run({program("five_systems")});
    EXPECT_EQ(finished.exit_code, 0) << finished.err;
    for (const char* const name : {"safairkm", "fair_spectral", "lord", "partial_fair_scorer", "esvd_fair"})
        EXPECT_THAT(finished.out, HasSubstr(name));
    const std::regex digest("digest.*: ([0-9a-f]{32})\n");
    std::set<std::string> digests;
    std::size_t lines = 0;
    for (std::sregex_iterator at(finished.out.begin(), finished.out.end(), digest), end; at != end; ++at, ++lines)
        digests.insert((*at)[1]);
    EXPECT_EQ(lines, 3U);
    EXPECT_EQ(digests.size(), 1U);
    const std::vector<double> ks = numbers(finished.out, "KS [a-z ]*([0-9.]+)");
    ASSERT_EQ(ks.size(), 1U) << finished.out;
    EXPECT_LT(ks[0], 0.2);
}

TEST(StreamDemo, WrongUseIsOneLineAndExitCode2) {
    const TemporaryDirectory files;
    const std::filesystem::path csv = files.write("a.csv", "x,sex\n1,f\n2,m\n");
    const Finished finished = run({program("stream_demo"), "--data", csv, "--group", "gender"});
    EXPECT_EQ(finished.exit_code, 2);
    EXPECT_THAT(finished.err, ::testing::HasSubstr("'gender'"));
    const Finished kept = run({program("stream_demo"), "--recording", csv});
    EXPECT_EQ(kept.exit_code, 2);
    EXPECT_THAT(kept.err, HasSubstr("already"));
}

/// An engine process with a stream of made-up applicants.
class Recorded : public testing::Test {
protected:
    static constexpr const char* events = "20";

    [[nodiscard]] std::string endpoint(const char* name) const { return "ipc://" + (files_ / name).string(); }
    [[nodiscard]] std::string recording() const { return (files_ / "loans.fairstream").string(); }
    void send() const {
        const Finished sent = run({program("fairstream"), "send", "--ingest", endpoint("ingest"), "--generate", "loans",
                                   "--points", "10000", "--batch", "500"});
        ASSERT_EQ(sent.exit_code, 0) << sent.err;
    }
    [[nodiscard]] Finished live_table(const char* model) const {
        return run({program("live_table"), endpoint("updates"), endpoint("control"), model, events});
    }

    TemporaryDirectory files_;
    Process engine_{{program("fairstream"), "serve", "--config", FAIRSTREAM_SOURCE_DIR "/demos/loans.toml",
                     "--recording", recording(), "--ingest", endpoint("ingest"), "--updates", endpoint("updates"),
                     "--control", endpoint("control"), "--quiet"}};
};

TEST_F(Recorded, LiveTableAndWhatIfAgree) {
    send();
    const Finished table = live_table("fair");
    ASSERT_EQ(table.exit_code, 0) << table.err;
    EXPECT_THAT(table.out, HasSubstr("model fair  event 20  10,000 labels"));
    const std::vector<double> sizes = numbers(table.out, "\n +[0-9]+ +([0-9,]+) ");
    EXPECT_EQ(sizes.size(), 8U) << table.out;

    engine_.signal(SIGINT);
    EXPECT_EQ(engine_.wait().exit_code, 0);
    const Finished what_if = run({program("what_if"), recording(), "fair.balance_at_least=0.2"});
    ASSERT_EQ(what_if.exit_code, 0) << what_if.err;
    std::string fair = what_if.out.substr(what_if.out.find("\nfair\n"));
    fair.resize(std::min(fair.find("\n\n"), fair.size()));
    const std::vector<double> live_cost = numbers(table.out, "cost ([0-9.]+)"),
                              cost = numbers(fair, "cost at the end +([0-9.]+)"),
                              other_cost = numbers(fair, "cost at the end +[0-9.]+ +([0-9.]+)"),
                              balance = numbers(fair, "\n  balance of sex +([0-9.]+)"),
                              other_balance = numbers(fair, "\n  balance of sex +[0-9.]+ +([0-9.]+)");
    ASSERT_TRUE(live_cost.size() == 1 && cost.size() == 1 && balance.size() == 1) << table.out << what_if.out;
    EXPECT_NEAR(live_cost[0], cost[0], 0.00051);  // 3 digits and 4
    EXPECT_GE(balance[0], 0.4);
    EXPECT_GE(other_balance.at(0), 0.2);
    EXPECT_LT(other_balance.at(0), balance[0]);
    EXPECT_LT(other_cost.at(0), cost[0]);
}

TEST_F(Recorded, TheLiveTableRefusesAnUnknownModel) {
    const Finished table = live_table("nobody");
    EXPECT_EQ(table.exit_code, 1);
    EXPECT_THAT(table.err, HasSubstr("labels.nobody"));
}

}  // namespace
}  // namespace fairstream::test
