/// `fairstream status`: an engine on one screen, and as one JSON object.

#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "recordings.hpp"
#include "terminal.hpp"

namespace fairstream::command {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

class Status : public ::testing::Test {
protected:
    Status() : engine_(site_.serve_arguments()) {}
    [[nodiscard]] std::vector<std::string> arguments(std::vector<std::string> more = {}) const {
        more.insert(more.begin(), {"status", "--control", site_.endpoint("control"), "--timeout", "60"});
        return more;
    }
    void fill() const {
        EXPECT_EQ(
            test::run(site_.send_arguments({"--generate", "loans", "--points", "1000", "--batch", "100"})).exit_code,
            0);
        EXPECT_EQ(
            fairstream({"set", "--control", site_.endpoint("control"), "--timeout", "60", "fair.balance_at_least=0.3"})
                .exit_code,
            0);
    }

    const Site site_;
    test::Process engine_;
};

TEST_F(Status, ShowsModelsFiguresAndChangedOptions) {
    fill();
    const json status = json_of(arguments({"--json"}));
    Site::stop(engine_);
    EXPECT_EQ(status["healthy"], true);
    EXPECT_EQ(status["failure"], json());
    EXPECT_EQ(status["missing_answers"], json());
    EXPECT_EQ(status["recording"], std::filesystem::canonical(site_.recording()).string());
    EXPECT_EQ(status["sequence"], 11);
    EXPECT_EQ(status["events_since_start"], 11);
    EXPECT_EQ(status["sent_since_start"], 1000);
    EXPECT_EQ(status["retained"], 1000);
    EXPECT_EQ(status["window"], 2000);
    EXPECT_EQ(status["producers"], 1);
    ASSERT_EQ(status["models"].size(), 2U);
    const json &fair = status["models"][0], &plain = status["models"][1];
    EXPECT_EQ(fair["model"], "fair");
    EXPECT_EQ(fair["kind"], "safairkm");
    EXPECT_EQ(fair["option_states"]["balance_at_least"],
              (json{{"value", "0.3"}, {"configured", "0.4"}, {"live", true}, {"changed", true}}));
    EXPECT_EQ(fair["option_states"]["clusters"],
              (json{{"value", "4"}, {"configured", "4"}, {"live", false}, {"changed", false}}));
    EXPECT_EQ(plain["stepped_at"], 10);
    EXPECT_EQ(plain["events_since_step"], 1);
    const json final = json_of({"replay", site_.recording(), "--json"})["runs"][0]["models"][0]["final"];
    for (const char* figure : {"cost", "outcome", "attributes"}) EXPECT_EQ(fair["figures"][figure], final[figure]);
}

TEST_F(Status, IsAScreenThatMarksChangedOptions) {
    fill();
    const test::Finished shown = fairstream(arguments());
    EXPECT_EQ(shown.exit_code, 0) << shown.err;
    EXPECT_THAT(shown.out, AllOf(Names({"  healthy, up ", "stream.fairstream  id ", "11 events with 1,000 points",
                                        "2,000\n", "* fair.balance_at_least=0.3  (0.4", "plain: kmeans_updates="}),
                                 Not(HasSubstr("\x1b"))));
    const Terminal terminal;
    std::vector<std::string> watching = arguments({"--watch"});
    watching.insert(watching.begin(), {"/bin/sh", "-c", "exec \"$@\" >\"$0\"", terminal.name(), program()});
    test::Process watcher(watching);
    EXPECT_TRUE(terminal.shows("healthy"));
    EXPECT_TRUE(terminal.shows("healthy")) << "it is drawn once only";
    watcher.signal(SIGINT);
    EXPECT_EQ(watcher.wait().exit_code, 0);
    Site::stop(engine_);
}

TEST_F(Status, UntargetedAttributesAreNoFault) {
    fill();
    EXPECT_EQ(fairstream({"set", "--control", site_.endpoint("control"), "--timeout", "60", "plain.parity_at_least=0"})
                  .exit_code,
              0);
    EXPECT_EQ(test::run(site_.send_arguments({"--generate", "loans", "--points", "100", "--name", "more"})).exit_code,
              0);
    EXPECT_EQ(json_of(arguments({"--json"}))["models"][1]["figures"]["outcome"], "iteration_limit");
    const std::string shown = fairstream(arguments()).out;
    Site::stop(engine_);
    EXPECT_THAT(shown,
                ::testing::ContainsRegex("fair +safairkm +[0-9.]+  balance [0-9.]+ sex; no target: [0-9.]+ age_band"));
    EXPECT_THAT(shown, ::testing::ContainsRegex(
                           "plain +safairkm +[0-9.]+  no target: balance [0-9.]+ sex, [0-9.]+ age_band +done"));
    EXPECT_THAT(shown, Not(HasSubstr("iteration_limit")));
}

TEST_F(Status, OfAnEngineThatDoesNotAnswerFails) {
    fill();  // also waits until it is up
    EXPECT_THAT(fairstream({"status", "--control", site_.endpoint("ingest"), "--timeout", "1"}).out,
                HasSubstr("control endpoint"));
    Site::stop(engine_);
    const std::vector<std::string> asking{"status", "--control", site_.endpoint("control"), "--timeout", "1"};
    const test::Finished silent = fairstream(asking);
    EXPECT_EQ(silent.exit_code, 1);
    EXPECT_THAT(silent.out, Names({"no answer", "within 1000 ms", "nothing listens"}));
    std::vector<std::string> as_json = asking;
    as_json.emplace_back("--json");
    const test::Finished object = fairstream(as_json);
    EXPECT_EQ(object.exit_code, 1);
    EXPECT_EQ(json::parse(object.out)["healthy"], false);
    EXPECT_THAT(json::parse(object.out)["failure"], HasSubstr("no answer"));
    EXPECT_THAT(refusal({"status", "--control", "nowhere"}), HasSubstr("--control nowhere: must be"));
    EXPECT_THAT(refusal({"status", "--watch"}), Names({"--watch", "terminal"}));
    EXPECT_THAT(refusal({"status", "--watch", "--json"}), HasSubstr("--json"));
}

TEST(Defaults, EndpointsAgreeForEngineAndClients) {
    const std::string serve = fairstream({"serve", "--help"}).out;
    const auto shows = [](const std::string& help, const std::string& option, const std::string& endpoint) {
        const std::size_t at = help.find(option + " ENDPOINT");
        return at != std::string::npos && help.find("[" + endpoint + "]", at) < help.find('\n', help.find(']', at));
    };
    const std::string ingest = "tcp://127.0.0.1:7400", updates = "tcp://127.0.0.1:7401",
                      control = "tcp://127.0.0.1:7402";
    EXPECT_TRUE(shows(serve, "--ingest", ingest));
    EXPECT_TRUE(shows(fairstream({"send", "--help"}).out, "--ingest", ingest));
    for (const std::string& help : {serve, fairstream({"watch", "--help"}).out})
        EXPECT_TRUE(shows(help, "--updates", updates)) << help;
    for (const char* command : {"serve", "watch", "set", "status"})
        EXPECT_TRUE(shows(fairstream({command, "--help"}).out, "--control", control)) << command;
}

TEST(Reachability, NamesForeignListener) {
    const test::TemporaryDirectory directory;
    const auto failure = [](const std::string& endpoint) {
        return test::run({program(), "status", "--control", endpoint, "--timeout", "0.2"}).out;
    };
    const std::string path = (directory / "left").string();
    EXPECT_THAT(failure("ipc://" + path), Names({"no socket", path}));
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    path.copy(address.sun_path, sizeof(address.sun_path) - 1);
    const int socket = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    ASSERT_EQ(::bind(socket, reinterpret_cast<const sockaddr*>(&address), sizeof(address)), 0);
    EXPECT_THAT(failure("ipc://" + path), Names({"nothing listens", path}));
    ASSERT_EQ(::listen(socket, 8), 0);
    EXPECT_THAT(failure("ipc://" + path), Names({path, "no engine"}));
    ::close(socket);
    EXPECT_THAT(failure("tcp://127.0.0.1:1"), Names({"nothing listens", "tcp://127.0.0.1:1"}));
    EXPECT_THAT(failure("tcp://nohost.invalid:7402"), Names({"no host", "nohost.invalid"}));
}

}  // namespace
}  // namespace fairstream::command
