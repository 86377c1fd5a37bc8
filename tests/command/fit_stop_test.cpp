/// How `fairstream fit` ends when it is told to.

#include <gtest/gtest.h>

#include "command.hpp"
#include "support/temporary_directory.hpp"
#include "terminal.hpp"

namespace fairstream::command {
namespace {

class FitStop : public ::testing::TestWithParam<int> {};

// More rounds than anyone waits for; the line that is drawn when they begin is the sign.
TEST_P(FitStop, AnInterruptedFitSaysSoAndWritesNothing) {
    const test::TemporaryDirectory directory;
    const auto labels = directory / "labels.csv", report = directory / "report.json";
    const Terminal terminal;
    test::Process process({"/bin/sh", "-c", "terminal=$1; shift; exec \"$@\" 2>\"$terminal\"", "sh", terminal.name(),
                           program(), "fit", "safairkm", "--generate", "loans", "--points", "2000", "--refine-rounds",
                           "1000000000000", "--labels", labels.string(), "--report", report.string()});
    ASSERT_TRUE(terminal.shows("improving 2,000 points"));
    process.signal(GetParam());
    EXPECT_TRUE(terminal.shows("\r\x1b[Kfairstream fit: interrupted; nothing was written\r\n"));
    const test::Finished finished = process.wait();
    EXPECT_EQ(finished.exit_code, 128 + GetParam());
    EXPECT_EQ(finished.out, "");
    EXPECT_FALSE(std::filesystem::exists(labels));
    EXPECT_FALSE(std::filesystem::exists(report));
}

INSTANTIATE_TEST_SUITE_P(Signals, FitStop, ::testing::Values(SIGINT, SIGTERM));

}  // namespace
}  // namespace fairstream::command
