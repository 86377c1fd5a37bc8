/// Options and states that are refused.

#include <gtest/gtest.h>

#include <functional>
#include <limits>
#include <string_view>
#include <vector>

#include "model_bench.hpp"
#include "support/refusal.hpp"

namespace fairstream::partial_fair_scorer {
namespace {

using namespace test;
using fairstream::test::expect_refused;

TEST(ScorerOptions, ThatCannotBeAreRefusedByName) {
    const auto refused = [](std::initializer_list<std::string_view> parts, const std::function<void(Options&)>& change,
                            const StreamFormat& format = labelled()) {
        Options options;
        change(options);
        expect_refused(Reason::bad_option, parts, [&] { partial_fair_scorer::Model::check(options, format); });
    };
    refused({"interval = 0.1", "pairs"}, [](Options& o) { o.interval = {0.1}; });
    refused({"0.3", "0.3"}, [](Options& o) { o.interval = {0.3, 0.3}; });
    refused({"0.5"}, [](Options& o) { o.interval = {0.1, 0.5, 0.4, 0.6}; });
    refused({"1 intervals for 2 groups"}, [](Options& o) { o.interval_for = IntervalFor::group; });
    refused({"gauc", "one interval"}, [](Options& o) {
        o.metric = Metric::gauc;
        o.interval = {0.1, 0.2, 0.3, 0.4};
    });
    refused({"kappa = 1.5", "0 to 1"}, [](Options& o) { o.kappa = 1.5; });
    refused({"kappa = nan"}, [](Options& o) { o.kappa = std::numeric_limits<double>::quiet_NaN(); });
    refused({"confidence = 1"}, [](Options& o) { o.confidence = 1; });
    refused({"fresh_every = -1"}, [](Options& o) { o.fresh_every = -1; });
    refused({"rank_levels = 1"}, [](Options& o) { o.rank_levels = 1; });
    refused({"false_positives = 0.5,0.2"}, [](Options& o) { o.false_positives = {0.5, 0.2}; });
    refused({"attribute = 1"}, [](Options& o) { o.attribute = 1; });
    StreamFormat without = labelled();
    without.has_targets = false;
    refused(
        {"targets"}, [](Options&) {}, without);
}

TEST(ScorerState, BadShapeOrNumbersAreRefused) {
    ScorerBench bench(among(0.1, 0.5, 0.1));
    bench.ingest(stream_part(0, 300).view());
    const double nan = std::numeric_limits<double>::quiet_NaN();
    const std::vector<std::function<void(State&)>> damages{
        [](State& s) { s.weights.pop_back(); },
        [&](State& s) { s.weights[0] = nan; },
        [](State& s) { s.weights[0] = 1e200; },
        [](State& s) { s.thresholds.push_back(0); },
        [&](State& s) { s.thresholds[0] = nan; },
        [](State& s) { s.multipliers.assign(100'000, 0.0); },
        [](State& s) { s.multipliers[0] = -1; },
        [](State& s) { s.scores.pop_back(); },
        [&](State& s) { s.scores[0] = nan; },
        [](State& s) { s.scores[0] = no_score; },
        [](State& s) { s.started = false; },
        [](State& s) { s.dimensions = 5; },
        [](State& s) { s.groups = 3; },
        [](State& s) { s.attributes = 0; },
        [](State& s) { s.kappa = 2; },
        [](State& s) { s.levels = 1000; },
        [](State& s) { s.quality.levels = -1; },
        [&](State& s) { s.quality.limit = nan; },
        [](State& s) { s.choice.loss = Loss::hinge; },
        [](State& s) { s.choice.sigmoid_accuracy = 1.5; },
        [&](State& s) { s.choice.standard_error = nan; },
        [&](State& s) { s.quality.loss = nan; },
        [](State& s) { s.quality.stationarity = -1; },
        [&](State& s) { s.inner_iterations = nan; },
        [&](State& s) { s.shift = nan; },
    };
    EXPECT_NO_THROW(partial_fair_scorer::Model::verify(bench.options, bench.state, bench.window));
    for (std::size_t i = 0; i < damages.size(); ++i) {
        SCOPED_TRACE(i);
        State damaged = bench.state;
        damages[i](damaged);
        expect_refused(Reason::bad_state, {"partial_fair_scorer"},
                       [&] { partial_fair_scorer::Model::verify(bench.options, damaged, bench.window); });
    }
}

}  // namespace
}  // namespace fairstream::partial_fair_scorer
