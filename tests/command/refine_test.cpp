/// `fairstream refine`: improves a model of a running engine.

#include "recordings.hpp"

namespace fairstream::command {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;

std::vector<std::string> refine(const Site& site, std::vector<std::string> more) {
    more.insert(more.begin(), {"refine", "--control", site.endpoint("control"), "--timeout", "60"});
    return more;
}

TEST(Refine, LowersTheCostAndIsRecorded) {
    const Site site;
    test::Process engine(site.serve_arguments());
    ASSERT_EQ(test::run(site.send_arguments({"--generate", "loans", "--points", "2000", "--batch", "500"})).exit_code,
              0);
    const json once = json_of(refine(site, {"plain", "--rounds", "1", "--json"}));
    EXPECT_EQ(once["model"], "plain");
    EXPECT_EQ(once["rounds"], 1);
    EXPECT_EQ(once["sequence"], 5);
    EXPECT_LE(once["cost"], once["cost_before"]);
    EXPECT_EQ(once["figures_before"]["cost"], once["cost_before"]);
    EXPECT_EQ(once["figures"]["attributes"][0]["attribute"], "sex");
    const json to_the_end = json_of(refine(site, {"plain", "--json"}));
    EXPECT_EQ(to_the_end["outcome"], "converged");
    EXPECT_EQ(to_the_end["cost_before"], once["cost"]);
    EXPECT_LE(to_the_end["cost"], once["cost"]);
    const test::Finished told = fairstream(refine(site, {"plain"}));
    EXPECT_EQ(told.exit_code, 0) << told.err;
    EXPECT_THAT(told.out, AllOf(StartsWith("plain"), Names({"event 7: cost ", "balance of", " after; converged\n"})));
    Site::stop(engine);
    const test::Finished exported =
        fairstream({"export", site.recording(), "--points", site.file("p.csv"), "--events", site.file("events.csv")});
    EXPECT_EQ(exported.exit_code, 0);
    EXPECT_EQ(test::file_bytes(site.file("events.csv")),
              "sequence,kind,model,option,value\n5,refinement,plain,rounds,1\n6,refinement,plain,rounds,0\n"
              "7,refinement,plain,rounds,0\n");
}

// Returns the requested rounds of the recorded refinements, in order.
std::vector<int> recorded_rounds(const Site& site) {
    EXPECT_EQ(
        fairstream({"export", site.recording(), "--points", site.file("p.csv"), "--events", site.file("events.csv")})
            .exit_code,
        0);
    std::istringstream lines(test::file_bytes(site.file("events.csv")));
    std::vector<int> rounds;
    for (std::string line; std::getline(lines, line);)
        if (line.find(",refinement,plain,rounds,") != std::string::npos)
            rounds.push_back(std::stoi(line.substr(line.rfind(',') + 1)));
    return rounds;
}

TEST(Refine, SplitsAtWorkLimit) {
    const Site site("step_work_limit = 300000\n" + applicants_config());
    test::Process engine(site.serve_arguments());
    ASSERT_EQ(test::run(site.send_arguments({"--generate", "loans", "--points", "2000", "--batch", "500"})).exit_code,
              0);
    const json to_the_end = json_of(refine(site, {"plain", "--json"}));
    const std::vector<int> first = recorded_rounds(site);
    EXPECT_GT(first.size(), 1U);
    EXPECT_EQ(to_the_end["sequence"], 4 + first.size());
    EXPECT_THAT(first, ::testing::Each(0));
    (void)json_of(refine(site, {"plain", "--rounds", "40", "--json"}));
    std::vector<int> second = recorded_rounds(site);
    second.erase(second.begin(), second.begin() + static_cast<std::ptrdiff_t>(first.size()));
    ASSERT_FALSE(second.empty());
    EXPECT_EQ(second.front(), 40);
    EXPECT_TRUE(std::ranges::is_sorted(second, std::ranges::greater_equal()) &&
                std::ranges::adjacent_find(second) == second.end())
        << "each event is asked for the rounds that are left";
    Site::stop(engine);
}

TEST(Refine, ThatIsNotWaitedForGoesOn) {
    const Site site(patient_config());
    test::Process engine(site.serve_arguments());
    ASSERT_EQ(test::run(site.send_arguments({"--generate", "loans", "--points", "400"})).exit_code, 0);
    const std::vector<std::string> long_one{"plain", "--rounds", "1000000000"};
    std::vector<std::string> arguments = refine(site, long_one);
    arguments.insert(arguments.begin(), program());
    test::Process refiner(arguments);
    while (!site.is_at_work("refining plain")) {
    }
    refiner.signal(SIGINT);
    const test::Finished stopped = refiner.wait();
    EXPECT_EQ(stopped.exit_code, 130);
    EXPECT_THAT(stopped.err, HasSubstr("stopped"));
    std::ranges::replace(arguments, std::string("60"), std::string("1"));
    const test::Finished timed_out = test::run(arguments);
    EXPECT_EQ(timed_out.exit_code, 1);
    EXPECT_THAT(timed_out.err, HasSubstr("refining plain"));
    EXPECT_TRUE(site.is_at_work("refining plain"));
    Site::stop(engine);
}

TEST(Refine, EndsWhereTheEngineIsStartedAgain) {
    const Site site(patient_config());
    auto engine = std::make_unique<test::Process>(site.serve_arguments());
    ASSERT_EQ(test::run(site.send_arguments({"--generate", "loans", "--points", "400"})).exit_code, 0);
    std::vector<std::string> arguments = refine(site, {"plain", "--rounds", "1000000000"});
    arguments.insert(arguments.begin(), program());
    std::ranges::replace(arguments, std::string("60"), std::string("600"));
    test::Process refiner(arguments);
    while (!site.is_at_work("refining plain")) {
    }
    engine->signal(SIGKILL);
    (void)engine->wait();
    engine = std::make_unique<test::Process>(site.serve_arguments());
    const test::Finished ended = refiner.wait();
    EXPECT_EQ(ended.exit_code, 1);
    EXPECT_THAT(ended.err, HasSubstr("started again"));
    engine->signal(SIGKILL);
    (void)engine->wait();
}

TEST(Refine, IsRefusedWithTheReason) {
    const Site site;
    test::Process engine(site.serve_arguments());
    EXPECT_THAT(refusal(refine(site, {"nobody"})), HasSubstr("no model 'nobody'"));
    EXPECT_THAT(refusal(refine(site, {"plain", "--rounds", "-1"})), Names({"--rounds", "'-1'"}));
    EXPECT_THAT(refusal({"refine", "plain", "--control", "nowhere"}), HasSubstr("--control nowhere: must be"));
    Site::stop(engine);
    EXPECT_EQ(fairstream({"refine", "plain", "--control", site.endpoint("nobody"), "--timeout", "1"}).exit_code, 1);
}

}  // namespace
}  // namespace fairstream::command
