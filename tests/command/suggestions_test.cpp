/// What an error about a misspelt or misplaced word says was probably meant.

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
    EXPECT_THAT(refusal({"fits"}), HasSubstr("unknown command 'fits' (did you mean 'fit'?); there are "));
    EXPECT_THAT(refusal({"fti"}), HasSubstr("(did you mean 'fit'?)"));
    EXPECT_THAT(refusal({"frobnicate"}), Not(HasSubstr("did you mean")));
    EXPECT_THAT(refusal({"fit", "safairm"}), HasSubstr("no model 'safairm' (did you mean 'safairkm'?)"));
    EXPECT_THAT(refused({"--standardize"}),
                HasSubstr("unknown option '--standardize' (did you mean '--standardise'?)"));
    EXPECT_THAT(refused({"--set", "startz=3"}), HasSubstr("no option 'startz' (did you mean 'starts'?)"));
    EXPECT_THAT(refused({"--set", "balance=0.4"}), HasSubstr("no option 'balance' (did you mean 'balance_at_least'?)"));
    EXPECT_THAT(refused({"--fair"}),
                HasSubstr("unknown option '--fair': it is an option of predict; lord has one of that name"));
    EXPECT_THAT(refused({"--kappa", "3"}),
                HasSubstr("'--kappa': partial_fair_scorer has one of that name, --set kappa=VALUE"));
    EXPECT_THAT(refusal({"send", "--inptu", people}), HasSubstr("unknown option '--inptu' (did you mean '--input'?)"));
    for (const char* option : {"--group", "--features", "--target", "--id"})
        EXPECT_THAT(refused({option, "sexe"}), HasSubstr("there is no column 'sexe' (did you mean 'sex'?)")) << option;
    EXPECT_THAT(refused({"--categorical", "Y=onehot"}), HasSubstr("--categorical: 'Y' (did you mean 'y'?)"));
    EXPECT_THAT(refusal({"front", "--input", people, "--group", "sex", "--attribute", "sx"}),
                HasSubstr("--attribute sx (did you mean 'sex'?): must be one of the group columns, sex"));
}

TEST_F(Suggestions, SayWhatIsMissing) {
    EXPECT_THAT(refusal({"fit"}), HasSubstr("MODEL is missing: one of safairkm, "));
    EXPECT_THAT(refusal({"set"}), HasSubstr("MODEL.KEY=VALUE is missing: the option and its new value"));
    EXPECT_EQ(fairstream({"help", "fit"}).out, fairstream({"fit", "--help"}).out);
    EXPECT_EQ(fairstream({"help"}).out, fairstream({"--help"}).out);
    EXPECT_THAT(refused({"--features", "x", "--leave-out", "x"}),
                HasSubstr("--leave-out x: --features names that column"));
    EXPECT_THAT(refused({"--group", "sex", "--features", "x,x"}), HasSubstr("twice"));
}

TEST_F(Suggestions, AreOfTheOptionThatTakesAFile) {
    EXPECT_THAT(refusal({"fit", "safairkm", people}),
                HasSubstr("unexpected argument '" + people + "', which is a file: name it with --input " + people));
    EXPECT_THAT(refusal({"fit", "safairkm", people, "--group", "sex"}), HasSubstr("name it with --input " + people));
    EXPECT_THAT(refusal({"fit", people}), HasSubstr("is a file: name it with --input " + people));
    EXPECT_THAT(refusal({"fit", "safairkm", "nofile.csv"}),
                AllOf(HasSubstr("unexpected argument 'nofile.csv'"), Not(HasSubstr("--input"))));
    const std::string config = directory.write("engine.toml", "[stream]\ndimensions = 2\n").string();
    EXPECT_THAT(refusal({"check", config}),
                HasSubstr("is no recording: a configuration is checked with --config " + config));
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
    EXPECT_EQ(checked.err,
              "note: shapes.landmarks is of use only with affinity=nystrom, and affinity "
              "is knn\n");
    test::Process engine(site.serve_arguments());
    EXPECT_EQ(test::run(site.send_arguments({"--generate", "loans", "--points", "50"})).exit_code, 0);
    EXPECT_THAT(engine.errors(), HasSubstr("shapes.landmarks is of use only with affinity=nystrom"));
    Site::stop(engine);
}

TEST(Serve, TwoValuesForOneOptionAreRefused) {
    const Site site;
    EXPECT_THAT(refusal({"serve", "--config", site.config(), "--recording", site.recording(), "--set",
                         "fair.clusters=3", "--set", "fair.clusters=5"}),
                HasSubstr("fair.clusters=3 and fair.clusters=5 give one option two values"));
    EXPECT_THAT(
        refusal({"serve", "--config", site.config(), "--recording", site.recording(), "--set", "fairr.clusters=3"}),
        HasSubstr("there is no model 'fairr' (did you mean 'fair'?)"));
}

TEST(Serve, SaysThatARecordingHoldsAConfigurationThatCannotBeRead) {
    const Site site;
    site.record(100, 50);
    const std::string broken = site.directory().write("broken.toml", "[stream]\ndimensions = 0\n").string();
    EXPECT_THAT(refusal({"serve", "--config", broken, "--recording", site.recording()}),
                HasSubstr("; without --config, or without [stream] and models in it, it goes on with what " +
                          site.recording() + " holds, networks included"));
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
    EXPECT_THAT(several.err, HasSubstr("the engine has several models: name one of fair, plain with --model"));
    const test::Finished one = watched(
        Site(applicants_stream() + "[[model]]\nname = \"only\"\nkind = \"safairkm\"\n[model.options]\nclusters = 3\n"));
    EXPECT_EQ(one.exit_code, 0) << one.err;
    EXPECT_THAT(one.out, HasSubstr("\"only\""));
    EXPECT_THAT(fairstream({"watch", "--control", "ipc:///nowhere/control", "--updates", "ipc:///nowhere/updates"}).err,
                HasSubstr("no engine tells its models at ipc:///nowhere/control: name one with --model NAME"));
}

}  // namespace
}  // namespace fairstream::command
