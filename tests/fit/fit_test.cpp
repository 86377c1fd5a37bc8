/// A fit as a function: its reports to the caller and its results, for every kind of output.

#include <fairstream/fit/fit.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include <fairstream/fit/stages/equal_points.hpp>
#include <fairstream/fit/stages/fit_targets.hpp>
#include <fairstream/models.hpp>
#include <fairstream/text/numbers.hpp>

namespace fairstream::fit {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using Phase = Listener::Phase;

struct Recorder final : Listener {
    using Listener::note;
    void note(const std::string& text, std::span<const std::string>) override { noted.push_back(text); }
    void warn(const std::string& text) override { warned.push_back(text); }
    bool progress(const std::string& work, double share, std::string_view) override {
        EXPECT_LE(share, 1) << work;
        if (works.empty() || works.back() != work) works.push_back(work);
        return ++told < most_told;
    }
    void enter(Phase phase) override { phases.push_back(phase); }

    int most_told = 1'000'000'000, told = 0;
    std::vector<std::string> noted, warned, works;
    std::vector<Phase> phases;
};

FitOptions made_up(const std::string& model, const std::string& points, std::uint64_t number) {
    FitOptions options;
    options.model = model;
    options.input.generate = points;
    options.input.points = number;
    return options;
}

// A fit for each kind of output, except for a file of predictions.
std::vector<FitOptions> kinds() {
    return {made_up("safairkm", "loans", 500), made_up("fair_spectral", "rand_laplace", 100),
            made_up("lord", "loans", 300), made_up("partial_fair_scorer", "loan_decisions", 500),
            made_up("esvd_fair", "loan_decisions", 500)};
}

TEST(Fit, GivesItsReportAndPrintsNothing) {
    for (const FitOptions& options : kinds()) {
        Recorder listener;
        testing::internal::CaptureStdout();
        testing::internal::CaptureStderr();
        const FitResult result = fit(options, listener);
        EXPECT_EQ(testing::internal::GetCapturedStdout(), "") << options.model;
        EXPECT_EQ(testing::internal::GetCapturedStderr(), "") << options.model;
        const auto report = nlohmann::json::parse(result.json);
        EXPECT_EQ(report["model"], options.model);
        EXPECT_EQ(report["stopped"], false);
        EXPECT_THAT(result.summary, HasSubstr(options.input.generate));
        EXPECT_EQ(result.missed.empty(), result.code != target_missed) << options.model;
        EXPECT_THAT(listener.phases, ElementsAre(Phase::reading, Phase::working, Phase::writing)) << options.model;
        EXPECT_THAT(listener.works, Not(IsEmpty())) << options.model;
    }
}

TEST(Fit, IsTheSameWhateverItsListenerIsTold) {
    Recorder told;
    Listener nobody;
    const FitOptions options = made_up("safairkm", "loans", 500);
    const auto one = nlohmann::json::parse(fit(options, told).json),
               other = nlohmann::json::parse(fit(options, nobody).json);
    EXPECT_EQ(one["cost"], other["cost"]);
    EXPECT_EQ(one["centres"], other["centres"]);
}

TEST(Fit, ListenerEndsWithResult) {
    Recorder listener;
    listener.most_told = 3;
    FitOptions options = made_up("safairkm", "loans", 5000);
    options.batch = 100;
    const FitResult result = fit(options, listener);
    EXPECT_EQ(result.code, stopped_early);
    const auto report = nlohmann::json::parse(result.json);
    EXPECT_EQ(report["stopped"], true);
    EXPECT_LT(report["sent"], 5000);
    EXPECT_EQ(listener.phases.back(), Phase::writing);
}

TEST(Fit, ThrowsWhenEndedWithoutResult) {
    Recorder listener;
    listener.most_told = 1;
    FitOptions options = made_up("safairkm", "loans", 500);
    options.batch = 2;  // fewer than clusters
    EXPECT_THROW((void)fit(options, listener), Interrupted);
    EXPECT_THAT(listener.phases, ElementsAre(Phase::reading, Phase::working));
}

TEST(Fit, UnattainableTargetsAreReportedOnce) {
    Recorder listener;
    FitOptions options = made_up("safairkm", "syn_unequal_ds1", 400);
    options.settings = {"balance_at_least=0.9"};
    const FitResult result = fit(options, listener);
    EXPECT_EQ(result.code, target_missed);
    ASSERT_EQ(listener.warned.size(), 1U);
    EXPECT_THAT(listener.warned[0], HasSubstr("balance_at_least"));
    EXPECT_THAT(result.missed, IsEmpty());
    EXPECT_EQ(nlohmann::json::parse(result.json)["missed_targets"].size(), 1U);
}

TEST(FitNotes, NumbersAreShort) {
    Recorder listener;
    note_equal_points({.distinct = 1}, 3, listener);
    EXPECT_THAT(listener.noted.back(), HasSubstr(" is only 1 different point "));
    const StreamFormat format{1, {{"sex", {"f", "m"}}}};
    for (const auto& [price, times] : {std::pair(2.5, " 3.5 times "), std::pair(1e19, " 1e+19 times ")}) {
        note_price_of_fairness(safairkm::Options{}, format, {{"price_of_fairness", price}}, listener);
        EXPECT_THAT(listener.noted.back(), HasSubstr(times));
    }
}

TEST(FitNotes, ZeroHasNoSign) {
    EXPECT_EQ(fixed(-0.04, 1), "0.0");
    EXPECT_EQ(fixed(-0.4, 0), "0");
    EXPECT_EQ(fixed(-0.06, 1), "-0.1");
    EXPECT_EQ(fixed(-10, 1), "-10.0");
    EXPECT_EQ(brief(-0.0), "0");
    EXPECT_EQ(figure_text(-1e-9, "share"), "0.0 %");
}

TEST(Fit, RefusesOptionsBeforeAnyWork) {
    Recorder listener;
    EXPECT_THROW((void)fit(made_up("nothing", "loans", 500), listener), InvalidInput);
    EXPECT_THAT(listener.works, IsEmpty());
}

}  // namespace
}  // namespace fairstream::fit
