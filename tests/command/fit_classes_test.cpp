/// `fit` of clusterings whose file has a column of true classes.

#include <algorithm>
#include <cmath>

#include <support/temporary_directory.hpp>

#include "command.hpp"

namespace fairstream::command {
namespace {

using ::testing::AllOf;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

/// A point of an unmistakable cluster, with the class and weight in its row.
struct Row {
    int cluster;
    std::string of_class;
    int weight = 1;
};

struct Figures {
    std::size_t classes;
    double accuracy, nmi, ari, purity, f1;
};

void expect_agreement(const json& report, const Figures& expected) {
    EXPECT_EQ(report["classes"], expected.classes);
    EXPECT_NEAR(report["accuracy"].get<double>(), expected.accuracy, 1e-12);
    EXPECT_NEAR(report["nmi"].get<double>(), expected.nmi, 1e-12);
    EXPECT_NEAR(report["ari"].get<double>(), expected.ari, 1e-12);
    EXPECT_NEAR(report["purity"].get<double>(), expected.purity, 1e-12);
    EXPECT_NEAR(report["f1"].get<double>(), expected.f1, 1e-12);
}

class FitClasses : public ::testing::Test {
protected:
    /// Writes points whose clusters lie 100 apart. `kind` is their class, `mass` their weight.
    std::string write(const std::string& name, const std::vector<Row>& rows) const {
        std::string text = "x,kind,y,sex,mass\n";
        for (std::size_t i = 0; i < rows.size(); ++i) {
            text += std::to_string(100 * rows[i].cluster + static_cast<int>(i % 3)) + "," + rows[i].of_class + "," +
                    std::to_string(i % 2 * 10) + (i % 2 == 0 ? ",f," : ",m,") + std::to_string(rows[i].weight) + "\n";
        }
        return directory.write(name, text).string();
    }
    std::vector<std::string> fit(const std::string& file, const std::string& clusters,
                                 std::vector<std::string> more = {}) const {
        more.insert(more.begin(), {"fit", "safairkm", "--input", file, "--features", "x,y", "--clusters", clusters});
        return more;
    }
    json judged(const std::vector<Row>& rows, const std::string& clusters, std::vector<std::string> more = {}) const {
        more.insert(more.end(), {"--target", "kind", "--json"});
        return json_of(fit(write("rows.csv", rows), clusters, std::move(more)));
    }

    test::TemporaryDirectory directory;
    // scikit-learn 1.2.1 gives the figures below for these classes, and likewise for all others here.
    const std::vector<Row> wines{{0, "red"},
                                 {0, "red"},
                                 {0, "\"white, dry\""},
                                 {1, "\"white, dry\""},
                                 {1, "\"white, dry\""},
                                 {1, "\"white, dry\""},
                                 {2, "rose"},
                                 {2, "rose"},
                                 {2, "red"},
                                 {2, "rose"}};
    const Figures wine_figures{3, 0.8, 0.6180656462921542, 0.4318181818181818, 0.8, 0.5833333333333334};
};

TEST_F(FitClasses, ReportsAgreementForAnyClassText) {
    const json report = judged(wines, "3");
    expect_agreement(report, wine_figures);
    EXPECT_EQ(report["class_column"], "kind");
    EXPECT_THAT(report["class_use"].get<std::string>(), HasSubstr("compared"));
    EXPECT_EQ(report["features"], 2);
    for (const char* name : {"class_column", "class_use", "classes", "accuracy", "nmi", "ari", "purity", "f1"})
        EXPECT_FALSE(json_of(fit(write("rows.csv", wines), "3", {"--json"})).contains(name)) << name;
}

TEST_F(FitClasses, TellsAPersonTheSame) {
    const test::Finished finished = fairstream(fit(write("rows.csv", wines), "3", {"--target", "kind"}));
    EXPECT_EQ(finished.exit_code, 0) << finished.err;
    EXPECT_THAT(finished.out,
                Names({"'kind'", "mutual information", "0.6181", "adjusted Rand index", "0.4318", "0.5833"}));
    EXPECT_THAT(fairstream(fit(write("rows.csv", wines), "3")).out, Not(HasSubstr("purity")));
}

TEST_F(FitClasses, AnyNumberOfClassesIsAllowed) {
    expect_agreement(judged({{0, "0"}, {0, "1"}, {0, "2"}, {0, "3"}, {1, "0"}, {1, "1"}, {1, "2"}, {1, "3"}}, "2"),
                     {4, 0.25, 0, -0.2727272727272727, 0.25, 0});
    expect_agreement(judged({{0, "a"}, {0, "a"}, {1, "a"}, {1, "a"}, {2, "b"}, {2, "b"}}, "3"),
                     {2, 2.0 / 3, 0.7336804366512113, 0.4444444444444444, 1, 0.6});
    expect_agreement(judged({{0, "a"}, {0, "a"}, {1, "a"}, {1, "a"}, {2, "a"}, {2, "a"}}, "3"),
                     {1, 1.0 / 3, 0, 0, 1, 1.0 / 3});
    expect_agreement(judged({{0, "a"}, {0, "a"}, {0, "a"}}, "1"), {1, 1, 1, 1, 1, 1});
}

TEST_F(FitClasses, WeightsCountAsPointsDo) {
    const std::vector<Row> rows{{0, "-1"}, {0, "1.5", 2}, {0, "-1"}, {1, "1.5", 3}, {1, "1.5"}, {1, "-1"}};
    std::vector<Row> repeated;
    for (const Row& row : rows) repeated.insert(repeated.end(), static_cast<std::size_t>(row.weight), row);
    const Figures expected{2, 2.0 / 3, 0.0762347304016852, 0, 2.0 / 3, 0.47058823529411764};
    expect_agreement(judged(rows, "2", {"--weight", "mass"}), expected);
    expect_agreement(judged(repeated, "2"), expected);
}

TEST_F(FitClasses, OnlyRetainedPointsAreJudged) {
    // The last seven rows: the cluster of the first three, and its class, are gone.
    std::vector<Row> rows = wines;
    for (std::size_t i = 0; i < 3; ++i) rows[i].of_class = "gone";
    expect_agreement(judged(rows, "2", {"--window", "7"}),
                     {3, 0.8571428571428571, 0.8095401960023786, 0.6956521739130435, 0.8571428571428571, 0.8});
    const auto kept = directory.write("kept.txt", "3\n4\n5\n6\n7\n8\n9\n");
    expect_agreement(judged(rows, "2", {"--rows", kept.string()}),
                     {3, 0.8571428571428571, 0.8095401960023786, 0.6956521739130435, 0.8571428571428571, 0.8});
}

TEST_F(FitClasses, RepeatedPointHasClassOfLastRow) {
    const auto path = directory.write("again.csv", "id,x,kind\n1,0,b\n2,1,a\n3,100,c\n4,101,b\n1,0,a\n3,100,b\n");
    const test::Finished finished = fairstream({"fit", "safairkm", "--input", path.string(), "--id", "id", "--target",
                                                "kind", "--clusters", "2", "--batch", "4", "--passes", "2", "--json"});
    EXPECT_THAT(finished.err, one_note({"2 rows"}));
    const json report = json::parse(finished.out);
    EXPECT_EQ(report["points"], 4);
    EXPECT_EQ(report["features"], 1) << "x: neither the ids nor the classes are features";
    expect_agreement(report, {2, 1, 1, 1, 1, 1});
}

// By default all columns without a role are features; a column of text would be refused.
TEST_F(FitClasses, LabelsAreTheSameBytesWithoutTheColumn) {
    std::string with = "x,y,sex,kind\n", without = "x,y,sex\n";
    for (int i = 0; i < 120; ++i) {
        const std::string point =
            std::to_string(i % 4 * 3 + i % 7) + "," + std::to_string(i * i % 11) + (i % 3 == 0 ? ",f" : ",m");
        with += point + "," + (i % 5 == 0 ? "this" : "that") + "\n";
        without += point + "\n";
    }
    const std::string judged_file = directory.write("with.csv", with).string(),
                      plain_file = directory.write("without.csv", without).string();
    for (const std::string model : {"safairkm", "fair_spectral", "live_front"}) {
        const auto labels = [&](const std::string& file, std::vector<std::string> more) {
            const std::filesystem::path path = directory / "labels.csv";
            more.insert(more.begin(), {"fit", model, "--input", file, "--group", "sex", "--labels", path.string()});
            const test::Finished finished = fairstream(std::move(more));
            EXPECT_TRUE(finished.exit_code == 0 || finished.exit_code == 3) << finished.err;
            return test::file_bytes(path);
        };
        const std::string plain = labels(plain_file, {});
        EXPECT_THAT(plain, StartsWith("id,label\n")) << model;
        EXPECT_EQ(labels(judged_file, {"--target", "kind"}), plain) << model;
        EXPECT_EQ(labels(judged_file, {"--features", "x,y"}), plain) << model;
        EXPECT_EQ(labels(judged_file, {"--features", "x,y", "--target", "kind"}), plain) << model;
    }
}

TEST_F(FitClasses, RefusesMissingEmptyOrFeatureColumn) {
    const std::string file = write("rows.csv", wines);
    EXPECT_THAT(refusal(fit(file, "3", {"--target", "kin"})),
                AllOf(StartsWith("fairstream fit: "), Names({"'kin'", "'kind'?", "'x', 'kind', 'y', 'sex', 'mass'"})));
    EXPECT_THAT(refusal(fit(file, "3", {"--target", "x"})), Names({"'x'", "classes"}));
    EXPECT_THAT(refusal(fit(file, "3", {"--target", "sex", "--group", "kind,sex"})),
                Names({"--target sex", "--group"}));
    EXPECT_THAT(refusal(fit(file, "3", {"--target", "mass", "--weight", "mass"})),
                Names({"--target mass", "--weight"}));
    EXPECT_THAT(refusal(fit(write("gap.csv", {{0, "a"}, {1, ""}}), "2", {"--target", "kind"})),
                Names({"gap.csv:3:", "'kind'", "''"}));
    EXPECT_THAT(refusal({"fit", "safairkm", "--generate", "loans", "--target", "kind"}),
                EndsWith("--target requires --input or --nodes"));
}

TEST_F(FitClasses, HelpExplainsTargetByModelKind) {
    EXPECT_THAT(fairstream({"fit", "partial_fair_scorer", "--help"}).out, HasSubstr("is learned"));
    EXPECT_THAT(fairstream({"fit", "safairkm", "--help"}).out, HasSubstr("true classes"));
    EXPECT_THAT(fairstream({"fit", "--help"}).out, HasSubstr("never see"));
}

// Two triangles joined by one weak edge, each of both colours; node 5 is in the second triangle, with the class of the
// first.
class FitGraphClasses : public ::testing::Test {
protected:
    std::vector<std::string> fit(std::vector<std::string> more) const {
        more.insert(more.begin(), {"fit", "fair_spectral", "--edges", edges, "--nodes", nodes, "--group", "colour",
                                   "--clusters", "2", "--set", "parity_at_least=0"});
        return more;
    }

    test::TemporaryDirectory directory;
    const std::string edges =
        directory.write("edges.csv", "u,v,weight\n0,1,1\n1,2,1\n2,0,1\n3,4,1\n4,5,1\n5,3,1\n2,3,0.01\n").string();
    const std::string nodes = directory
                                  .write("nodes.csv",
                                         "kind,node,colour\nleft,5,red\nleft,0,red\nleft,1,blue\n"
                                         "left,2,red\nright,3,blue\nright,4,blue\n")
                                  .string();
};

// Scikit-learn 1.2.1 on [0, 0, 0, 1, 1, 1] and [0, 0, 0, 1, 1, 0].
TEST_F(FitGraphClasses, ReportHowWellLabelsAgreeWithThem) {
    const json report = json_of(fit({"--target", "kind", "--json"}));
    expect_agreement(report, {2, 0.8333333333333334, 0.47870397138567977, 0.32432432432432434, 0.8333333333333334,
                              0.6153846153846154});
    EXPECT_EQ(report["class_column"], "kind");
    EXPECT_THAT(report["class_use"].get<std::string>(), HasSubstr("compared"));
    EXPECT_THAT(fairstream(fit({"--target", "kind"})).out, HasSubstr("'kind'"));
    EXPECT_FALSE(json_of(fit({"--json"})).contains("accuracy"));
}

TEST_F(FitGraphClasses, LabelsAreTheSameBytesWithoutThem) {
    const std::filesystem::path path = directory / "labels.csv";
    EXPECT_EQ(fairstream(fit({"--labels", path.string()})).exit_code, 0);
    const std::string plain = test::file_bytes(path);
    EXPECT_EQ(fairstream(fit({"--labels", path.string(), "--target", "kind"})).exit_code, 0);
    EXPECT_EQ(test::file_bytes(path), plain);
}

TEST_F(FitGraphClasses, AreRefusedWhereThereIsNoSuchColumn) {
    EXPECT_THAT(refusal(fit({"--target", "sort"})), Names({"nodes.csv:1:", "'sort'", "'kind', 'node', 'colour'"}));
    EXPECT_THAT(refusal({"front", "fair_spectral", "--edges", edges, "--nodes", nodes, "--group", "colour", "--target",
                         "kind"}),
                Names({"--target", "--input"}));
    EXPECT_THAT(refusal(fit({"--target", "colour"})), Names({"--target colour", "--group"}));
}

}  // namespace
}  // namespace fairstream::command
