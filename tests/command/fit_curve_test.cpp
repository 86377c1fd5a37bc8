/// Reports and plots of `fairstream fit --curve`.

#include <gtest/gtest.h>

#include "applicants.hpp"
#include "front_files.hpp"

namespace fairstream::command {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::StartsWith;

std::vector<json> all_points(const json& report) {
    std::vector<json> points(report["curve"].begin(), report["curve"].end());
    points.push_back(report["unconstrained"]);
    return points;
}

TEST(FitCurve, HasPointPerKappaAndUnbounded) {
    const Applicants applicants;
    const json report = json_of_scores(applicants.fit({"--split", "three", "--json", "--curve", "0.3,0.02,0.1"}));
    ASSERT_EQ(report["curve"].size(), 3U);
    std::vector<double> kappas;
    for (const json& point : report["curve"]) {
        kappas.push_back(point["kappa"]);
        for (const char* name : {"train", "validation", "test", "loss", "kkt_residual", "infeasibility", "bound",
                                 "outer_iterations", "inner_iterations", "outcome", "seconds", "on_front"})
            EXPECT_TRUE(point.contains(name)) << name;
        EXPECT_EQ(point["train"]["points"], report["train"]["points"]);
        EXPECT_LE(point["train"]["psp"], point["bound"]);
    }
    EXPECT_EQ(kappas, (std::vector<double>{0.02, 0.1, 0.3}));
    EXPECT_FALSE(report["unconstrained"].contains("kappa"));
    EXPECT_FALSE(report["unconstrained"].contains("bound"));
    EXPECT_TRUE(report["unconstrained"]["on_front"].is_boolean());
}

TEST(FitCurve, LooserBoundIsCheaperAndLessFair) {
    const Applicants applicants;
    const std::vector<json> points =
        all_points(json_of_scores(applicants.fit({"--json", "--set", "loss=logistic", "--curve"})));
    ASSERT_EQ(points.size(), 9U);
    for (std::size_t i = 1; i < points.size(); ++i) {
        // Local optima, each within 1e-3 of stationary.
        EXPECT_LT(points[i]["cost"].get<double>(), points[i - 1]["cost"].get<double>() + 2e-3) << i;
        // The error of the surrogate on 800 points.
        EXPECT_GT(points[i]["train"]["psp"].get<double>(), points[i - 1]["train"]["psp"].get<double>() - 0.1) << i;
    }
    EXPECT_GT(points.back()["train"]["psp"].get<double>(), points.front()["train"]["psp"].get<double>() + 0.2);
    EXPECT_LT(points.back()["cost"].get<double>(), points.front()["cost"].get<double>());
}

TEST(FitCurve, FrontIsNondominatedOnChoosingPart) {
    const Applicants applicants;
    for (const auto& [split, chosen_on] :
         std::vector<std::pair<std::string, std::string>>{{"three", "validation"}, {"two", "test"}, {"", "train"}}) {
        std::vector<std::string> arguments = applicants.fit({"--json", "--curve"});
        if (!split.empty()) arguments.insert(arguments.end(), {"--split", split});
        const json report = json_of_scores(arguments);
        EXPECT_EQ(report["curve_chosen_on"], chosen_on);
        const std::string part = chosen_on;
        const std::vector<json> points = all_points(report);
        const auto figures = [&](const json& point) {
            return std::pair(point[part]["accuracy"].get<double>(), -point[part]["psp"].get<double>());
        };
        for (const json& point : points) {
            const auto [accuracy, fairness] = figures(point);
            bool is_dominated = false;
            for (const json& other : points) {
                const auto [a, f] = figures(other);
                is_dominated = is_dominated || (a >= accuracy && f >= fairness && (a > accuracy || f > fairness));
            }
            // Among points equal in both figures, the first is on the front.
            const bool is_alone = std::ranges::count(points, figures(point), figures) == 1;
            if (is_dominated || is_alone) {
                EXPECT_EQ(point["on_front"], !is_dominated) << part << point;
            }
        }
    }
}

TEST(FitCurve, EachPointContinuesFromPrevious) {
    const Applicants applicants;
    const auto with = [&](std::vector<std::string> more) {
        more.insert(more.begin(), {"--json", "--refine-rounds", "0", "--set", "loss=logistic"});
        return json_of_scores(applicants.fit(more));
    };
    const json report = with({"--curve", "0.02,0.3", "--set", "enforce=surrogate"});
    EXPECT_NE(report["curve"][0]["train"]["psp"], report["curve"][1]["train"]["psp"]);
    const json alone = with({"--set", "kappa=0.02", "--set", "enforce=surrogate"});
    EXPECT_EQ(report["curve"][0]["train"], alone["train"]) << "the first starts from nothing";
    const json unconstrained = with({"--set", "metric=none"});
    EXPECT_EQ(report["unconstrained"]["train"], unconstrained["train"]);
}

// A refinement under a new kappa raises the surrogate's kappa only half-way.
TEST(FitCurve, EnforcedKappaFitsFromScratch) {
    const Applicants applicants;
    const std::vector<std::string> empirical{"--json", "--set", "loss=sigmoid"};
    const auto with = [&](std::vector<std::string> more) {
        more.insert(more.begin(), empirical.begin(), empirical.end());
        return json_of_scores(applicants.fit(more));
    };
    const json curve = with({"--curve", "0.1,0.3"})["curve"];
    for (const json& point : curve) {
        EXPECT_EQ(point["train"], with({"--set", "kappa=" + point["kappa"].dump()})["train"]);
        EXPECT_EQ(point["measured"], point["train"]["psp"]);
    }
}

// The choice uses the part on which models are chosen, so it differs from the scorer's own choice.
TEST(FitCurve, DefaultLossTakesMoreAccurate) {
    const Applicants applicants;
    const auto with = [&](std::vector<std::string> more) {
        more.insert(more.end(), {"--json", "--split", "three", "--curve", "0.05,0.2"});
        return json_of_scores(applicants.fit(more));
    };
    const json both = with({}), sigmoid = with({"--set", "loss=sigmoid"}), logistic = with({"--set", "loss=logistic"});
    for (std::size_t i = 0; i < 2; ++i) {
        const auto accuracy = [&](const json& report) { return report["curve"][i]["validation"]["accuracy"]; };
        EXPECT_EQ(accuracy(both), std::max(accuracy(sigmoid), accuracy(logistic)));
        const json& taken = both["curve"][i]["loss"] == "sigmoid" ? sigmoid : logistic;
        EXPECT_EQ(both["curve"][i]["test"], taken["curve"][i]["test"]);
    }
}

TEST(FitCurve, ThePictureHasEveryPoint) {
    const Applicants applicants;
    const std::string svg_file = applicants.path("curve.svg"), html_file = applicants.path("curve.html");
    json_of_scores(applicants.fit({"--split", "three", "--json", "--curve", "0.02,0.1,0.3", "--plot", svg_file}));
    const json report =
        json_of_scores(applicants.fit({"--split", "three", "--json", "--curve", "0.02,0.1,0.3", "--plot", html_file}));
    const std::string svg = test::file_bytes(svg_file), html = test::file_bytes(html_file);
    EXPECT_THAT(svg, StartsWith("<svg xmlns=\"http://www.w3.org/2000/svg\""));
    EXPECT_THAT(html, AllOf(StartsWith("<!doctype html>"), HasSubstr(svg), EndsWith("</html>\n")));
    const std::vector<json> points = all_points(report);
    const auto on_front = static_cast<std::size_t>(
        std::ranges::count_if(points, [](const json& point) { return point["on_front"].get<bool>(); }));
    EXPECT_EQ(occurrences(svg, "r=\"3\""), on_front);
    EXPECT_EQ(occurrences(svg, "r=\"2.2\""), points.size() - on_front + points.size())
        << "dominated, and the test part";
    EXPECT_EQ(occurrences(svg, "<path"), 1U);
    EXPECT_EQ(occurrences(html, "<tr"), points.size() + 1);
    const std::vector<std::string> texts = xml_texts(svg);
    EXPECT_THAT(texts, AllOf(Contains(Names({"applicants.csv", "800 points", "partial_fair_scorer"})),
                             Contains(HasSubstr("1 - psp")), Contains(StartsWith("accuracy")),
                             Contains(HasSubstr("test (4)"))));
    for (const char* name : {"kappa 0.02", "kappa 0.1", "kappa 0.3", "unconstrained"})
        for (const char* part : {"validation", "test"})
            EXPECT_THAT(texts, Contains(StartsWith(std::string(name) + ", " + part + ": accuracy 0.")));
}

TEST(FitCurve, FairnessIsByTheFigureThatIsBound) {
    const Applicants applicants;
    const std::string plot = applicants.path("curve.svg");
    for (const auto& [metric, axis, figure, scale] :
         std::vector<std::tuple<std::string, std::string, std::string, double>>{{"pdp", "1 - pdp", "pdp", 1},
                                                                                {"gauc", "1 - 2 gauc", "gauc", 2},
                                                                                {"eop", "1 - eop", "eop", 1},
                                                                                {"eod", "1 - eod", "eod", 1}}) {
        const json report =
            json_of_scores(applicants.fit({"--json", "--set", "metric=" + metric, "--curve", "0.1", "--plot", plot}));
        const std::vector<std::string> texts = xml_texts(test::file_bytes(plot));
        EXPECT_THAT(texts, Contains(HasSubstr(axis)));
        std::array<char, 16> fairness{};
        std::snprintf(fairness.data(), fairness.size(), "%.4f",
                      1 - scale * report["unconstrained"]["train"][figure].get<double>());
        EXPECT_THAT(texts, Contains(AllOf(StartsWith("unconstrained, train"),
                                          EndsWith("fairness " + std::string(fairness.data())))));
        EXPECT_FALSE(report["curve"][0].contains("bound"));
    }
}

}  // namespace
}  // namespace fairstream::command
