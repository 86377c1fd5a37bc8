/// Suggestions in errors about misspelt or misplaced words.

#include "recordings.hpp"

namespace fairstream::command {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

class Suggestions : public ::testing::Test {
protected:
    test::TemporaryDirectory directory;
    std::string people = directory.write("people.csv", "x,y,sex\n1,2,f\n3,4,m\n5,6,f\n7,8,m\n").string();
    std::string refused(const std::vector<std::string>& more) const {
        std::vector<std::string> all{"fit", "safairkm", "--input", people, "--clusters", "2"};
        all.insert(all.end(), more.begin(), more.end());
        return refusal(all);
    }
};

TEST_F(Suggestions, AreOfCommandsModelsOptionsAndColumns) {
    EXPECT_THAT(refusal({"fits"}), Names({"'fits'", "'fit'?"}));
    EXPECT_THAT(refusal({"fti"}), HasSubstr("'fit'?"));
    EXPECT_THAT(refusal({"frobnicate"}), Not(HasSubstr("'?")));
    EXPECT_THAT(refusal({"fit", "safairm"}), Names({"'safairm'", "'safairkm'?"}));
    EXPECT_THAT(refused({"--standardize"}), Names({"'--standardize'", "'--standardise'?"}));
    EXPECT_THAT(refused({"--set", "startz=3"}), Names({"'startz'", "'starts'?"}));
    EXPECT_THAT(refused({"--set", "balance=0.4"}), Names({"'balance'", "'balance_at_least'?"}));
    EXPECT_THAT(refused({"--fair"}), Names({"'--fair'", "predict", "lord"}));
    EXPECT_THAT(refused({"--kappa", "3"}), Names({"'--kappa'", "partial_fair_scorer", "--set kappa=VALUE"}));
    EXPECT_THAT(refusal({"send", "--inptu", people}), Names({"'--inptu'", "'--input'?"}));
    for (const char* option : {"--group", "--features", "--target", "--id"})
        EXPECT_THAT(refused({option, "sexe"}), Names({"'sexe'", "'sex'?"})) << option;
    EXPECT_THAT(refused({"--categorical", "Y=onehot"}), Names({"--categorical", "'Y'", "'y'?"}));
    EXPECT_THAT(refusal({"front", "--input", people, "--group", "sex", "--attribute", "sx"}),
                Names({"--attribute sx", "'sex'?"}));
}

TEST_F(Suggestions, SayWhatIsMissing) {
    EXPECT_THAT(refusal({"fit"}), Names({"MODEL", "safairkm"}));
    EXPECT_THAT(refusal({"set"}), HasSubstr("MODEL.KEY=VALUE"));
    EXPECT_EQ(fairstream({"help", "fit"}).out, fairstream({"fit", "--help"}).out);
    EXPECT_EQ(fairstream({"help"}).out, fairstream({"--help"}).out);
    EXPECT_THAT(refused({"--features", "x", "--leave-out", "x"}), Names({"--leave-out x", "--features"}));
    EXPECT_THAT(refused({"--group", "sex", "--features", "x,x"}), HasSubstr("twice"));
}

TEST_F(Suggestions, AreOfTheOptionThatTakesAFile) {
    EXPECT_THAT(refusal({"fit", "safairkm", people}), Names({"'" + people + "'", "--input " + people}));
    EXPECT_THAT(refusal({"fit", "safairkm", people, "--group", "sex"}), HasSubstr("--input " + people));
    EXPECT_THAT(refusal({"fit", people}), HasSubstr("--input " + people));
    EXPECT_THAT(refusal({"fit", "safairkm", "nofile.csv"}),
                AllOf(HasSubstr("unexpected argument 'nofile.csv'"), Not(HasSubstr("--input"))));
    const std::string config = directory.write("engine.toml", "[stream]\ndimensions = 2\n").string();
    EXPECT_THAT(refusal({"check", config}), HasSubstr("--config " + config));
}

TEST(CheckAndServe, NoteOptionsThatHaveNoEffect) {
    const Site site(applicants_stream() + R"([[model]]
name = "shapes"
kind = "fair_spectral"
[model.options]
clusters = 4
landmarks = 100
)");
    const test::Finished checked = fairstream({"check", "--config", site.config()});
    EXPECT_EQ(checked.exit_code, 0);
    EXPECT_THAT(checked.err, one_note({"shapes.landmarks", "affinity=nystrom", "knn"}));
    test::Process engine(site.serve_arguments());
    EXPECT_EQ(test::run(site.send_arguments({"--generate", "loans", "--points", "50"})).exit_code, 0);
    EXPECT_THAT(engine.errors(), Names({"shapes.landmarks", "affinity=nystrom"}));
    Site::stop(engine);
}

TEST(Serve, TwoValuesForOneOptionAreRefused) {
    const Site site;
    EXPECT_THAT(refusal({"serve", "--config", site.config(), "--recording", site.recording(), "--set",
                         "fair.clusters=3", "--set", "fair.clusters=5"}),
                Names({"fair.clusters=3", "fair.clusters=5"}));
    EXPECT_THAT(
        refusal({"serve", "--config", site.config(), "--recording", site.recording(), "--set", "fairr.clusters=3"}),
        Names({"'fairr'", "'fair'?"}));
}

TEST(Serve, ReportsUnreadableRecordedConfig) {
    const Site site;
    site.record(100, 50);
    const std::string broken = site.directory().write("broken.toml", "[stream]\ndimensions = 0\n").string();
    EXPECT_THAT(refusal({"serve", "--config", broken, "--recording", site.recording()}),
                Names({"--config", "[stream]", site.recording(), "networks"}));
    EXPECT_THAT(refusal({"serve", "--config", broken, "--recording", site.file("new.fairstream")}),
                Not(HasSubstr("without --config")));
}

TEST(Watch, TakesTheOnlyModelOrListsThem) {
    const auto watched = [](const Site& site) {
        std::vector<std::string> arguments = site.watch_arguments("x", {"--until-sequence", "2"});
        const auto model = std::ranges::find(arguments, "--model");
        arguments.erase(model, model + 2);
        test::Process engine(site.serve_arguments());
        EXPECT_EQ(
            test::run(site.send_arguments({"--generate", "loans", "--points", "200", "--batch", "100"})).exit_code, 0);
        const test::Finished finished = test::run(arguments);
        Site::stop(engine);
        return finished;
    };
    const test::Finished several = watched(Site());
    EXPECT_EQ(several.exit_code, 2);
    EXPECT_THAT(several.err, Names({"fair, plain", "--model"}));
    const test::Finished one = watched(
        Site(applicants_stream() + "[[model]]\nname = \"only\"\nkind = \"safairkm\"\n[model.options]\nclusters = 3\n"));
    EXPECT_EQ(one.exit_code, 0) << one.err;
    EXPECT_THAT(one.out, HasSubstr("\"only\""));
    EXPECT_THAT(fairstream({"watch", "--control", "ipc:///nowhere/control", "--updates", "ipc:///nowhere/updates"}).err,
                Names({"ipc:///nowhere/control", "--model NAME"}));
}

}  // namespace
}  // namespace fairstream::command
