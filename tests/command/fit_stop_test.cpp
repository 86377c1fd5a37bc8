/// The end of `fairstream fit` by a signal.

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <fstream>
#include <map>
#include <sstream>

#include "command.hpp"
#include "support/temporary_directory.hpp"
#include "terminal.hpp"

namespace fairstream::command {
namespace {

using ::testing::HasSubstr;

// A fit with its progress on a terminal, and more rounds than anyone waits for.
class EndlessFit {
public:
    explicit EndlessFit(std::vector<std::string> more)
        : process_([&] {
              std::vector<std::string> arguments{"/bin/sh",
                                                 "-c",
                                                 "terminal=$1; shift; exec \"$@\" 2>\"$terminal\"",
                                                 "sh",
                                                 terminal_.name(),
                                                 program(),
                                                 "fit",
                                                 "safairkm"};
              arguments.insert(arguments.end(), more.begin(), more.end());
              return arguments;
          }()) {}

    [[nodiscard]] const Terminal& terminal() const { return terminal_; }
    [[nodiscard]] test::Process& process() { return process_; }

    static std::vector<std::string> of_loans(std::vector<std::string> more) {
        more.insert(more.begin(), {"--generate", "loans", "--points", "2000", "--refine-rounds", "1000000000000"});
        return more;
    }

private:
    Terminal terminal_;
    test::Process process_;
};

std::map<std::string, int> sizes_in(const std::filesystem::path& labels) {
    std::istringstream rows(test::file_bytes(labels));
    std::map<std::string, int> sizes;
    std::string row;
    std::getline(rows, row);
    EXPECT_EQ(row, "id,label");
    while (std::getline(rows, row)) ++sizes[row.substr(row.find(',') + 1)];
    return sizes;
}

class FitStop : public ::testing::TestWithParam<int> {};

TEST_P(FitStop, SignalEndsWithBestSoFar) {
    const test::TemporaryDirectory directory;
    const auto labels = directory / "labels.csv", report = directory / "report.json";
    EndlessFit fit(EndlessFit::of_loans({"--labels", labels.string(), "--report", report.string()}));
    ASSERT_TRUE(fit.terminal().shows("improving 2,000 points"));
    ASSERT_TRUE(fit.terminal().shows("%  rounds "));
    fit.process().signal(GetParam());
    EXPECT_TRUE(fit.terminal().shows("\r\x1b[Kfairstream fit: "));
    const test::Finished finished = fit.process().wait();
    EXPECT_EQ(finished.exit_code, 1);
    EXPECT_THAT(finished.out, ::testing::HasSubstr("stopped"));
    const json said = json::parse(test::file_bytes(report));
    EXPECT_EQ(said["stopped"], true);
    EXPECT_EQ(said["outcome"], "iteration_limit");
    EXPECT_EQ(said["points"], 2000);
    EXPECT_EQ(said["sent"], 2000);
    EXPECT_GT(said["iterations"], 0);
    const std::map<std::string, int> sizes = sizes_in(labels);
    for (std::size_t cluster = 0; cluster < said["cluster_sizes"].size(); ++cluster)
        EXPECT_EQ(said["cluster_sizes"][cluster], sizes.at(std::to_string(cluster))) << cluster;
}

TEST_P(FitStop, ASummarySaysThatTheFitWasStopped) {
    EndlessFit fit(EndlessFit::of_loans({}));
    ASSERT_TRUE(fit.terminal().shows("%  rounds "));
    fit.process().signal(GetParam());
    const test::Finished finished = fit.process().wait();
    EXPECT_EQ(finished.exit_code, 1);
    EXPECT_THAT(finished.out, HasSubstr("stopped"));
}

TEST_P(FitStop, BeforeThereIsAnythingNothingIsWritten) {
    const test::TemporaryDirectory directory;
    const auto pipe = directory / "points.csv", report = directory / "report.json";
    ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
    EndlessFit fit({"--input", pipe.string(), "--group", "sex", "--report", report.string()});
    // Opening waits for the reader.
    std::ofstream writer(pipe);
    fit.process().signal(GetParam());
    const test::Finished finished = fit.process().wait();
    EXPECT_EQ(finished.exit_code, 128 + GetParam());
    EXPECT_FALSE(std::filesystem::exists(report));
}

INSTANTIATE_TEST_SUITE_P(Signals, FitStop, ::testing::Values(SIGINT, SIGTERM));

// The labels go to a pipe without a reader, so that the fit cannot have ended when the second signal arrives.
TEST(FitStop, SecondSignalEndsWithoutOutput) {
    const test::TemporaryDirectory directory;
    const auto labels = directory / "labels.csv", report = directory / "report.json";
    ASSERT_EQ(::mkfifo(labels.c_str(), 0600), 0);
    EndlessFit fit(EndlessFit::of_loans({"--labels", labels.string(), "--report", report.string()}));
    ASSERT_TRUE(fit.terminal().shows("%  rounds "));
    fit.process().signal(SIGINT);
    ASSERT_TRUE(fit.terminal().shows("Ctrl-C"));
    fit.process().signal(SIGINT);
    EXPECT_EQ(fit.process().wait().exit_code, 128 + SIGINT);
    EXPECT_FALSE(std::filesystem::exists(report));
}

}  // namespace
}  // namespace fairstream::command
