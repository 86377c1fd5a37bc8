/// Notes of `fairstream fit` and `front` on requests that have no effect, are missed, or are probably not meant.

#include <algorithm>
#include <cmath>
#include <map>
#include <sstream>

#include "command.hpp"
#include "support/temporary_directory.hpp"

namespace fairstream::command {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

/// People with two attributes, features of similar scale, a class and a column of words.
class Notes : public ::testing::Test {
protected:
    Notes() {
        std::string text = "x,y,z,sex,age,paid,approved,pay\n";
        for (int i = 0; i < 120; ++i) {
            const bool man = i % 3 == 0;
            text += std::to_string(i % 7 + (man ? 2 : 0)) + "," + std::to_string(i % 11) + "," + std::to_string(i % 5) +
                    (man ? ",m" : ",f") + (i % 2 == 0 ? ",young" : ",old") + (i % 7 > 2 ? ",1" : ",-1") +
                    (i % 4 == 0 ? ",yes," : ",no,") + std::to_string(1000 * (i % 13)) + "\n";
        }
        people = directory.write("people.csv", text).string();
    }
    std::vector<std::string> fit(const std::string& model, std::vector<std::string> more) const {
        more.insert(more.begin(), {"fit", model, "--input", people});
        return more;
    }
    std::vector<std::string> clusters(std::vector<std::string> more) const {
        more.insert(more.begin(), {"--features", "x,y,z", "--group", "sex", "--clusters", "3"});
        return fit("safairkm", std::move(more));
    }
    std::vector<std::string> spectral(std::vector<std::string> more) const {
        more.insert(more.begin(),
                    {"--features", "x,y,z", "--group", "sex", "--clusters", "2", "--set", "parity_at_least=0"});
        return fit("fair_spectral", std::move(more));
    }

    test::TemporaryDirectory directory;
    std::string people;
};

std::string notes_of(const std::vector<std::string>& arguments) {
    return besides_the_price(fairstream(arguments).err);
}

TEST_F(Notes, SayHowManyEqualPointsWereParted) {
    std::string text = "x,y,sex\n";
    for (int i = 0; i < 45; ++i)
        text += std::to_string(i % 9) + "," + std::to_string(i % 9 * 2 % 9) + (i % 9 < 5 ? ",f\n" : ",m\n");
    const std::string places = directory.write("places.csv", text).string();
    const test::Finished plain = fairstream({"fit", "safairkm", "--input", places, "--features", "x,y", "--clusters",
                                             "10", "--labels", (directory / "plain.csv").string()});
    EXPECT_THAT(plain.err, Names({"only 9", "10 clusters"}));
    EXPECT_EQ(lines_of(plain.err).size(), 2U) << plain.err;
    // Each place has points of one group only, which a balance target separates.
    const test::Finished fair =
        fairstream({"fit", "safairkm", "--input", places, "--features", "x,y", "--group", "sex", "--clusters", "4",
                    "--set", "balance_at_least=0.7", "--labels", (directory / "fair.csv").string(), "--json"});
    std::map<std::string, std::map<std::string, int>> by_place;
    std::istringstream labels(test::file_bytes(directory / "fair.csv"));
    std::string line;
    std::getline(labels, line);
    for (int i = 0; std::getline(labels, line); ++i) ++by_place[std::to_string(i % 9)][line.substr(line.find(',') + 1)];
    int parted = 0;
    for (const auto& [place, counts] : by_place) {
        int all = 0, most = 0;
        for (const auto& [label, count] : counts) all += count, most = std::max(most, count);
        parted += all - most;
    }
    ASSERT_GT(parted, 1);
    EXPECT_EQ(json::parse(fair.out)["parted_points"], parted);
    EXPECT_EQ(json::parse(fair.out)["different_points"], 9);
}

TEST_F(Notes, NameFeaturesAndDoubtfulOnes) {
    std::string text = "x,y2,code,applicant_race,label,sex\n";
    for (int i = 0; i < 120; ++i) {
        const bool man = i % 3 == 0;
        text += std::to_string(i % 7) + "," + std::to_string(i % 5) + (man ? ",4," : ",3,") + std::to_string(i % 4) +
                "," + std::to_string(i % 2) + (man ? ",m\n" : ",f\n");
    }
    const std::string file = directory.write("hidden.csv", text).string();
    const std::vector<std::string> all{"fit", "safairkm", "--input", file, "--group", "sex", "--clusters", "2"};
    const test::Finished fit = fairstream(all);
    EXPECT_THAT(fit.out, HasSubstr("120 points, 5 features (x, y2, code, applicant_race, label), 2 clusters"));
    EXPECT_THAT(fit.err,
                Names({"note:", "'code'", "'sex'", "100 %", "'applicant_race'", "'label'", "--leave-out COL"}));
    std::vector<std::string> named = all;
    named.insert(named.end(), {"--features", "x,code", "--json"});
    const test::Finished chosen = fairstream(named);
    EXPECT_THAT(chosen.err, Not(HasSubstr("'code'")));
    EXPECT_EQ(json::parse(chosen.out)["feature_names"], (json{"x", "code"}));
}

TEST_F(Notes, OfSeveralGroupsSayWhichAreBalanced) {
    const std::vector<std::string> both{"--features", "x,y,z", "--group", "sex,age", "--clusters", "3"};
    const auto with = [&](std::vector<std::string> more) {
        more.insert(more.begin(), both.begin(), both.end());
        return fairstream(fit("safairkm", more));
    };
    EXPECT_THAT(with({}).err, one_note({"'sex'", "'age'", "--set attribute=sex,age"}));
    EXPECT_EQ(with({"--set", "attribute=sex"}).err, "");
    EXPECT_EQ(with({"--set", "attribute=0,1"}).err, "");
    EXPECT_THAT(fairstream(fit("live_front", both)).err, Names({"'sex'", "'age'", "one column"}));
    EXPECT_THAT(notes_of(fit("partial_fair_scorer",
                             {"--features", "x,y,z", "--group", "sex,age", "--target", "paid", "--set", "kappa=1"})),
                AllOf(StartsWith("note: "), Names({"'sex'", "'age'"})));
    EXPECT_EQ(notes_of(fit("group_metrics", {"--group", "sex,age", "--set", "prediction=x", "--set", "threshold=4"})),
              "");
    const std::vector<std::string> front{"front",   "--input",  people,       "--features", "x,y,z",
                                         "--group", "sex,age",  "--clusters", "2",          "--starts",
                                         "1",       "--rounds", "0",          "--stages",   "2"};
    EXPECT_THAT(notes_of(front), Names({"'sex'", "--attribute sex,age"}));
    std::vector<std::string> chosen = front;
    chosen.insert(chosen.end(), {"--attribute", "sex"});
    EXPECT_EQ(notes_of(chosen), "");
}

TEST_F(Notes, SayWhichOptionsHaveNoEffect) {
    EXPECT_THAT(notes_of(spectral({"--set", "landmarks=50"})), one_note({"landmarks", "affinity=nystrom", "knn"}));
    EXPECT_THAT(notes_of(spectral({"--set", "penalty=0.4"})), one_note({"penalty", "solver=admm", "krylov"}));
    EXPECT_EQ(notes_of(spectral({"--set", "penalty=0.4", "--set", "solver=admm"})), "");
    EXPECT_THAT(notes_of(clusters({"--set", "effort=8"})), one_note({"effort", "--refine-rounds N"}));
    EXPECT_EQ(notes_of(clusters({"--set", "effort=8", "--refine-rounds", "3"})), "");
    EXPECT_EQ(notes_of(clusters({"--set", "effort=8", "--save-config", (directory / "saved.toml").string()})), "");
    const std::vector<std::string> lord{"--features", "x,y,z",        "--group", "sex",   "--clusters",
                                        "2",          "--set",        "tau=1",   "--set", "parity_at_least=0",
                                        "--set",      "fresh_every=2"};
    EXPECT_THAT(notes_of(fit("lord", lord)), AllOf(StartsWith("note: fresh_every "), HasSubstr("--batch N")));
    EXPECT_THAT(refusal({"front", "--generate", "loans", "--set", "effort=2"}),
                Names({"--set effort=2", "--rounds", "--stages"}));
}

TEST_F(Notes, SayWhatAGraphHasNoUseFor) {
    std::string edges = "u,v\n", nodes = "node,sex\n";
    for (int i = 0; i < 24; ++i) {
        nodes += std::to_string(i) + (i % 2 == 0 ? ",f\n" : ",m\n");
        for (int j = 0; j < i; ++j)
            if (i / 12 == j / 12 || i - j == 12) edges += std::to_string(j) + "," + std::to_string(i) + "\n";
    }
    const auto on_graph = [&](const std::string& model, std::vector<std::string> more) {
        more.insert(more.begin(), {"fit", model, "--edges", directory.write("edges.csv", edges).string(), "--nodes",
                                   directory.write("nodes.csv", nodes).string(), "--group", "sex", "--clusters", "2"});
        return notes_of(more);
    };
    for (const char* option : {"neighbours", "bandwidth", "landmarks", "fresh_every", "change_price"})
        EXPECT_THAT(on_graph("fair_spectral", {"--set", std::string(option) + "=3"}), one_note({option, "graph"}));
    EXPECT_THAT(on_graph("fair_spectral", {"--set", "affinity=knn"}), one_note({"affinity", "graph"}));
    EXPECT_THAT(on_graph("lord", {"--set", "neighbours=3", "--set", "tau=1"}), HasSubstr("note: neighbours "));
}

TEST_F(Notes, NameTheColumnThatOutweighsTheOthers) {
    const std::vector<std::string> unscaled{"--features", "x,y,pay", "--group", "sex", "--clusters", "3"};
    const auto with = [&](const std::string& more) {
        std::vector<std::string> all = unscaled;
        if (!more.empty()) all.push_back(more);
        return notes_of(fit("safairkm", all));
    };
    EXPECT_THAT(with(""), one_note({"'pay'", "99.9 %", "--standardise"}));
    EXPECT_EQ(with("--standardise"), "");
    EXPECT_EQ(with("--unit-rows"), "");
    EXPECT_EQ(notes_of(clusters({})), "");
    EXPECT_EQ(notes_of(fit("safairkm", {"--features", "x,pay", "--group", "sex", "--clusters", "3"})), with(""))
        << "of two columns, too";
    EXPECT_EQ(notes_of(fit("safairkm", {"--features", "pay", "--group", "sex", "--clusters", "3"})), "");
    EXPECT_THAT(notes_of({"front", "--input", people, "--features", "x,y,pay", "--group", "sex", "--clusters", "2",
                          "--starts", "1", "--rounds", "0", "--stages", "2"}),
                StartsWith("note: column 'pay'"));
}

TEST_F(Notes, TheDecimalMarkMayBeSaid) {
    const auto fitted = [&](const std::string& name, const std::string& text, std::vector<std::string> more) {
        more.insert(more.begin(),
                    {"fit", "safairkm", "--input", directory.write(name, text).string(), "--clusters", "2", "--json"});
        const test::Finished finished = fairstream(more);
        EXPECT_EQ(finished.exit_code, 0) << finished.err;
        return std::pair(finished.exit_code == 0 ? json::parse(finished.out)["cost"] : json(), finished.err);
    };
    const std::string plain = "x,pay\n1,1200\n2,1300.5\n3,19103\n4,20000.25\n";
    const auto by_points = fitted("plain.csv", plain, {});
    EXPECT_THAT(by_points.second, StartsWith("note: column 'pay'"));
    EXPECT_EQ(fitted("found.csv", "x;pay\n1;1200\n2;1300,5\n3;19103\n4;20000,25\n", {}), by_points);
    EXPECT_EQ(
        fitted("said.csv", "x,pay\n1,1200\n2,\"1300,5\"\n3,19103\n4,\"20000,25\"\n", {"--decimal-mark", "comma"}).first,
        by_points.first);
    const auto refused = [&](const std::string& text, const std::string& mark) {
        return refusal({"fit", "safairkm", "--input", directory.write("marks.csv", text).string(), "--clusters", "2",
                        "--decimal-mark", mark});
    };
    EXPECT_THAT(refused(plain, ","), Names({"--decimal-mark ,:", "point", "comma"}));
    EXPECT_THAT(refused(plain, "comma"), HasSubstr("'1300.5'"));
    EXPECT_THAT(refused("x;pay\n1;1.234,5\n2;2.345,5\n", "comma"), HasSubstr("'1.234,5' in line 2"));
}

TEST_F(Notes, WrongQuoteIsBadRowAndLastRepeatedIdCounts) {
    std::string text = "id,x,y\n";
    for (int i = 0; i < 30; ++i)
        text += (i == 9 ? "4" : std::to_string(i)) + (i == 20 ? ",\"" : ",") + std::to_string(i % 5) + ",1." +
                std::to_string(i) + "\n";
    const std::string file = directory.write("bad.csv", text).string();
    const std::vector<std::string> fit{"fit", "safairkm", "--input", file, "--id", "id", "--clusters", "2"};
    const auto with = [&](const std::string& bad_rows) {
        std::vector<std::string> all = fit;
        if (!bad_rows.empty()) all.insert(all.end(), {"--bad-rows", bad_rows, "--json"});
        return all;
    };
    EXPECT_THAT(refusal(with("")), HasSubstr("bad.csv:22:"));
    const test::Finished finished = fairstream(with("1"));
    EXPECT_EQ(finished.exit_code, 0) << finished.err;
    EXPECT_EQ(json::parse(finished.out)["points"], 28);
    EXPECT_THAT(finished.err, Names({"1 row that", "1 row has"}));
}

TEST_F(Notes, PredictionsMayBeWordsForNoAndYes) {
    const json words = json_of(fit("group_metrics", {"--group", "sex", "--set", "prediction=approved", "--json"}));
    EXPECT_THAT(
        fairstream(fit("group_metrics", {"--group", "sex", "--set", "prediction=x", "--target", "approved"})).out,
        HasSubstr("'yes' of approved"));
    std::string text = test::file_bytes(people);
    for (std::size_t at = 0; (at = text.find(",yes,")) != std::string::npos;) text.replace(at, 5, ",1,");
    for (std::size_t at = 0; (at = text.find(",no,")) != std::string::npos;) text.replace(at, 4, ",0,");
    json numbers = json_of({"fit", "group_metrics", "--input", directory.write("numbers.csv", text).string(), "--group",
                            "sex", "--set", "prediction=approved", "--json"});
    for (const char* name : {"points", "all", "comparisons"}) EXPECT_EQ(words[name], numbers[name]) << name;
    EXPECT_THAT(refusal(fit("group_metrics", {"--group", "sex", "--set", "prediction=approved", "--save-config",
                                              (directory / "monitor.toml").string()})),
                Names({"'approved'", " 0 ", " 1 "}));
    EXPECT_THAT(refusal(fit("group_metrics", {"--group", "sex", "--set", "prediction=age"})),
                AllOf(Names({"prediction = age", "2 values", "0 and 1"}), Not(HasSubstr("onehot"))));
}

TEST_F(Notes, MissedKappaSetsExitCode) {
    const std::vector<std::string> asked{"--features", "x,y,z", "--group", "sex", "--target", "paid"};
    const auto with = [&](std::vector<std::string> more) {
        more.insert(more.begin(), asked.begin(), asked.end());
        return fairstream(fit("partial_fair_scorer", more));
    };
    // The rank distributions of two points in a group agree at best to a half.
    const test::Finished missed = with({"--set", "interval=0.05,0.1", "--set", "kappa=0"});
    EXPECT_EQ(missed.exit_code, 3) << missed.err;
    EXPECT_THAT(missed.err, AllOf(StartsWith("fairstream fit: kappa = 0 "), HasSubstr(" psp is 0.")));
    EXPECT_EQ(with({"--set", "kappa=1"}).exit_code, 0);
    EXPECT_EQ(with({"--set", "metric=none"}).exit_code, 0);
    EXPECT_THAT(with({"--set", "metric=none", "--set", "kappa=0.1"}).err,
                Names({"note: kappa ", "metric=psp|pdp|eop|eod|gauc|eop_in_class|eod_in_class"}));
}

TEST_F(Notes, MissedDistanceSetsExitCode) {
    const auto with = [&](std::vector<std::string> more) {
        more.insert(more.begin(), {"--features", "x,y,z", "--group", "sex", "--target", "pay", "--set", "hidden=4",
                                   "--set", "epochs=2"});
        return fairstream(fit("esvd_fair", more));
    };
    const test::Finished missed = with({"--set", "ks_at_most=0.001", "--set", "means=0.5"});
    EXPECT_EQ(missed.exit_code, 3) << missed.err;
    EXPECT_THAT(missed.err, Names({"note: means ", "ks_at_most=1", "0.001\n", "fairstream fit: ks_at_most = 0.001"}));
    EXPECT_EQ(with({}).exit_code, 0);
    EXPECT_EQ(with({}).err, "");
}

TEST_F(Notes, AGivenNetworkLeavesNothingToTrain) {
    const std::string network =
        directory.write("net.json", R"({"layers": [{"weights": [[1, 2, 3]], "bias": [0], "activation": "identity"}]})")
            .string();
    EXPECT_THAT(notes_of(fit("esvd_fair", {"--features", "x,y,z", "--group", "sex", "--target", "pay", "--network",
                                           network, "--set", "hidden=4", "--set", "seed=2"})),
                Names({"note: hidden ", "note: seed ", "network=none"}));
}

TEST_F(Notes, SmallComparedGroupsAreNoted) {
    std::string text = "x,y,sex,t\n";
    for (int i = 0; i < 120; ++i)
        text += std::to_string(i % 7) + "," + std::to_string(i % 11) +
                (i < 4        ? ",d,"
                 : i % 2 == 0 ? ",f,"
                              : ",m,") +
                std::to_string(i % 3 - 1) + "\n";
    const std::string file = directory.write("three.csv", text).string();
    const Names note({"note: ", "'sex'", "'d' (4 points)", "--unknown-group NAME"});
    for (const char* model : {"esvd_fair", "partial_fair_scorer"}) {
        std::vector<std::string> arguments{"fit", model, "--input", file, "--group", "sex", "--target", "t"};
        EXPECT_THAT(fairstream(arguments).err, note) << model;
        arguments.insert(arguments.end(), {"--unknown-group", "d"});
        EXPECT_THAT(fairstream(arguments).err, Not(HasSubstr("4 points"))) << model;
    }
}

}  // namespace
}  // namespace fairstream::command
