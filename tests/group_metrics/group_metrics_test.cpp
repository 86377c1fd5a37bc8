/// Figures by group, against definitions evaluated row by row.

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <fairstream/engine.hpp>
#include <fairstream/fairness/group_tally.hpp>
#include <fairstream/models.hpp>
#include <fairstream/numeric/detail/normal.hpp>
#include <fairstream/numeric/detail/random.hpp>

namespace fairstream::test {
namespace {

constexpr float unknown = std::numeric_limits<float>::quiet_NaN();

StreamFormat format() {
    StreamFormat made{2, {{"sex", {"f", "m"}}, {"race", {"a", "b", "c", "?"}, true}}, true};
    made.columns = {{"score"}, {"age"}};
    made.targets_come_later = true;
    return made;
}

group_metrics::Options options() {
    group_metrics::Options made;
    made.prediction.text = "score";
    return made;
}

EngineOptions engine_options(const group_metrics::Options& model = options(),
                             WindowOptions window = {.capacity = 200}) {
    return {.format = format(), .window = window, .models = {{"monitor", model, {}}}};
}

/// Points whose predictions and outcomes depend on their groups; every fifth has no outcome.
PointColumns points(std::size_t n, std::uint64_t seed, PointId first = 0) {
    Random random(seed);
    PointColumns made;
    for (std::size_t i = 0; i < n; ++i) {
        const auto sex = static_cast<GroupId>(random.below(2)), race = static_cast<GroupId>(random.below(4));
        const double chance = std::min(1.0, 0.8 * random.unit() + 0.1 * sex + 0.03 * race);
        made.ids.push_back(first + i);
        made.features.insert(made.features.end(), {static_cast<float>(chance), 40});
        made.groups.insert(made.groups.end(), {sex, race});
        made.targets.push_back(i % 5 == 4 ? unknown : random.unit() < chance ? 1.0F : 0.0F);
    }
    return made;
}

/// A slow oracle: sums over rows.
struct Rows {
    const Window& window;
    double threshold = 0.5;

    template <class Part, class Whole> std::optional<double> share(const Part& part, const Whole& whole) const {
        double of = 0, all = 0;
        std::size_t rows = 0;
        for (Slot slot = 0; slot < window.size(); ++slot) {
            if (!whole(slot)) continue;
            ++rows;
            all += window.weight(slot);
            if (part(slot)) of += window.weight(slot);
        }
        return rows == 0 ? std::nullopt : std::optional(of / all);
    }
    [[nodiscard]] bool selected(Slot slot) const { return window.features(slot)[0] >= static_cast<float>(threshold); }
    [[nodiscard]] bool known(Slot slot) const { return !std::isnan(window.target(slot)); }
    [[nodiscard]] bool positive(Slot slot) const { return known(slot) && window.target(slot) > 0; }

    template <class In> std::map<std::string, std::optional<double>> rates(const In& in) const {
        const auto chosen = [&](Slot s) { return selected(s); };
        return {{"selection_rate", share(chosen, in)},
                {"true_positive_rate", share(chosen, [&](Slot s) { return in(s) && positive(s); })},
                {"false_positive_rate", share(chosen, [&](Slot s) { return in(s) && known(s) && !positive(s); })},
                {"false_negative_rate",
                 share([&](Slot s) { return !selected(s); }, [&](Slot s) { return in(s) && positive(s); })},
                {"accuracy",
                 share([&](Slot s) { return selected(s) == positive(s); }, [&](Slot s) { return in(s) && known(s); })},
                {"precision",
                 share([&](Slot s) { return positive(s); }, [&](Slot s) { return in(s) && known(s) && selected(s); })}};
    }
    template <class In> std::pair<double, double> calibration(const In& in, int bins) const {
        std::vector<double> expected(static_cast<std::size_t>(bins)), met(expected);
        double all = 0, gap = 0, error = 0;
        for (Slot slot = 0; slot < window.size(); ++slot) {
            if (!in(slot) || !known(slot)) continue;
            const double p = window.features(slot)[0];
            // Edges are rounded as predictions are.
            std::size_t bin = 0;
            while (bin + 1 < expected.size() &&
                   p >= static_cast<float>(static_cast<double>(bin + 1) / static_cast<double>(bins)))
                ++bin;
            expected[bin] += window.weight(slot) * p;
            met[bin] += positive(slot) ? window.weight(slot) : 0;
            all += window.weight(slot);
        }
        for (std::size_t b = 0; b < expected.size(); ++b) {
            gap += (expected[b] - met[b]) / all;
            error += std::abs(expected[b] - met[b]) / all;
        }
        return {error, gap};
    }
};

template <class In> void expect_figures(const GroupFigures& figures, const Rows& rows, const In& in) {
    for (const auto& [name, value] : rows.rates(in)) {
        const auto at = std::ranges::find(group_rate_names, name) - group_rate_names.begin();
        const RateFigure& rate = figures.rates[static_cast<std::size_t>(at)];
        ASSERT_EQ(rate.points > 0, value.has_value()) << name;
        if (!value) continue;
        EXPECT_NEAR(rate.value, *value, 1e-12) << name;
        EXPECT_TRUE(rate.interval.contains(rate.value)) << name;
    }
    if (figures.calibration.points == 0) return;
    const auto [error, gap] = rows.calibration(in, 10);
    EXPECT_NEAR(figures.calibration.error, error, 1e-9);
    EXPECT_NEAR(figures.calibration.gap, gap, 1e-9);
}

// The definitions of fairlearn: largest less smallest, smallest over largest, and the worse of two rates for odds.
void expect_comparisons(const AttributeMetrics& of) {
    const auto extremes = [&](GroupRate rate) {
        std::vector<double> values;
        for (const GroupFigures& group : of.groups)
            if (group.rate(rate).is_compared) values.push_back(group.rate(rate).value);
        return std::pair(*std::ranges::min_element(values), *std::ranges::max_element(values));
    };
    const auto [least, most] = extremes(GroupRate::selection);
    const auto [least_tpr, most_tpr] = extremes(GroupRate::true_positive);
    const auto [least_fpr, most_fpr] = extremes(GroupRate::false_positive);
    EXPECT_EQ(of.demographic_parity.difference, most - least);
    EXPECT_EQ(of.demographic_parity.ratio, least / most);
    EXPECT_EQ(of.equal_opportunity.difference, most_tpr - least_tpr);
    EXPECT_EQ(of.equalised_odds.difference, std::max(most_tpr - least_tpr, most_fpr - least_fpr));
    EXPECT_EQ(of.equalised_odds.ratio, std::min(least_tpr / most_tpr, least_fpr / most_fpr));
    for (const NamedComparison& named : group_comparisons)
        EXPECT_TRUE((of.*named.comparison).interval.contains((of.*named.comparison).difference)) << named.name;
}

void expect_all(const GroupMetrics& metrics, const Rows& rows) {
    const Window& window = rows.window;
    expect_figures(metrics.all, rows, [](Slot) { return true; });
    ASSERT_EQ(metrics.attributes.size(), 3U);
    for (std::size_t a = 0; a < 3; ++a)
        for (const GroupFigures& group : metrics.attributes[a].groups) {
            const auto in = [&](Slot slot) {
                for (std::size_t i = 0; i < group.groups.size(); ++i) {
                    const std::size_t attribute = a == 2 ? i : a;
                    const Attribute& of = window.format().attributes[attribute];
                    if (of.groups[window.group(slot, static_cast<std::uint32_t>(attribute))] != group.groups[i])
                        return false;
                }
                return true;
            };
            expect_figures(group, rows, in);
            EXPECT_EQ(group.is_known, group.groups.back() != "?");
        }
    for (const AttributeMetrics& attribute : metrics.attributes) expect_comparisons(attribute);
}

TEST(GroupMetrics, MatchDefinitionsOnStream) {
    Engine engine(engine_options());
    for (PointId first = 0; first < 600; first += 60) {
        const Update& update = engine.ingest(points(60, first + 1, first).view());
        expect_all(update.models[0].group_metrics(), {engine.window()});
    }
    EXPECT_EQ(engine.report("monitor").group_metrics().all.points, 200);
}

TEST(GroupMetrics, CalibrationNeedsProbabilities) {
    Engine engine(engine_options());
    PointColumns batch = points(40, 1);
    batch.features[0] = 3;
    const GroupMetrics metrics = engine.ingest(batch.view()).models[0].group_metrics();
    EXPECT_EQ(metrics.all.calibration.points, 0);
    EXPECT_EQ(metrics.attributes[0].groups[batch.groups[0]].calibration.points, 0);
    EXPECT_GT(metrics.attributes[0].groups[1U - batch.groups[0]].calibration.points, 0);
    expect_figures(metrics.all, {engine.window()}, [](Slot) { return true; });
}

TEST(GroupMetrics, APointOfWeightTwoIsTwoPoints) {
    EngineOptions weighed = engine_options();
    weighed.format.has_weights = true;
    Engine heavy(weighed), twice(weighed);
    PointColumns one = points(50, 3);
    PointColumns two = one;
    two.append(one.view());
    for (std::size_t i = 50; i < 100; ++i) two.ids[i] += 1000;
    one.weights.assign(50, 2.0);
    GroupMetrics a = heavy.ingest(one.view()).models[0].group_metrics();
    const GroupMetrics b = twice.ingest(two.view()).models[0].group_metrics();
    EXPECT_EQ(a.all.weight, b.all.weight);
    for (std::size_t i = 0; i < group_rates; ++i) {
        EXPECT_NEAR(a.all.rates[i].value, b.all.rates[i].value, 1e-15);
        EXPECT_NEAR(a.all.rates[i].interval.low, b.all.rates[i].interval.low, 1e-15);
    }
    EXPECT_NEAR(a.all.calibration.error, b.all.calibration.error, 1e-15);
    EXPECT_NEAR(a.attributes[1].equalised_odds.interval.high, b.attributes[1].equalised_odds.interval.high, 1e-15);
}

TEST(GroupMetrics, RatioNeedsSelectedPoints) {
    group_metrics::Options none = options(), all = options();
    none.threshold = 2;
    all.threshold = -1;
    Engine never(engine_options(none)), always(engine_options(all));
    const PointColumns batch = points(50, 5);
    const AttributeMetrics of_none = never.ingest(batch.view()).models[0].group_metrics().attributes[0];
    EXPECT_EQ(of_none.demographic_parity.difference, 0);
    EXPECT_FALSE(of_none.demographic_parity.ratio.has_value());
    EXPECT_FALSE(of_none.equalised_odds.ratio.has_value());
    const AttributeMetrics of_all = always.ingest(batch.view()).models[0].group_metrics().attributes[0];
    EXPECT_EQ(of_all.demographic_parity.ratio, 1.0);
    EXPECT_EQ(of_all.equalised_odds.ratio, 1.0);
}

TEST(GroupMetrics, OneGroupIsComparedWithNone) {
    Engine engine(engine_options());
    PointColumns batch = points(30, 5);
    for (std::size_t i = 0; i < batch.groups.size(); i += 2) batch.groups[i] = 1;
    const GroupMetrics metrics = engine.ingest(batch.view()).models[0].group_metrics();
    const AttributeMetrics& sex = metrics.attributes[0];
    EXPECT_EQ(sex.groups[0].points, 0);
    EXPECT_EQ(sex.groups[0].rate(GroupRate::selection).points, 0);
    EXPECT_EQ(sex.demographic_parity.groups, 1);
    EXPECT_FALSE(sex.demographic_parity.is_measured());
    for (const GroupFigures& group : metrics.attributes[2].groups) EXPECT_GT(group.points, 0) << "of intersections";
}

TEST(GroupMetrics, SmallGroupsAreNotCompared) {
    group_metrics::Options few = options();
    few.least_points = 20;
    Engine engine(engine_options(few));
    const GroupMetrics metrics = engine.ingest(points(80, 7).view()).models[0].group_metrics();
    bool left_out = false;
    for (const AttributeMetrics& attribute : metrics.attributes)
        for (const GroupFigures& group : attribute.groups)
            for (const RateFigure& rate : group.rates) {
                EXPECT_EQ(rate.is_compared, group.is_known && rate.points >= 20);
                left_out = left_out || (rate.points > 0 && !rate.is_compared);
            }
    EXPECT_TRUE(left_out);
    EXPECT_TRUE(metrics.attributes[0].demographic_parity.is_measured());
}

TEST(GroupMetrics, IntervalsAreThoseOfThePapers) {
    // Newcombe 1998, "Two-sided confidence intervals for the single proportion", table I: 81 of 263 and 1 of 29.
    const double z = normal_quantile(0.975);
    EXPECT_NEAR(wilson_interval(81.0 / 263, 263, z).low, 0.2553, 5e-5);
    EXPECT_NEAR(wilson_interval(81.0 / 263, 263, z).high, 0.3662, 5e-5);
    EXPECT_NEAR(wilson_interval(1.0 / 29, 29, z).low, 0.0061, 5e-5);
    EXPECT_NEAR(wilson_interval(1.0 / 29, 29, z).high, 0.1718, 5e-5);
    EXPECT_EQ(wilson_interval(0, 20, z).low, 0);
    EXPECT_EQ(wilson_interval(1, 20, z).high, 1);
    // Newcombe 1998, "Interval estimation for the difference", table II, method 10: 56 of 70 less 48 of 80.
    const std::vector<RateFigure> rates{{70, 70, 56.0 / 70, {}, true}, {80, 80, 48.0 / 80, {}, true}};
    const GroupComparison comparison = compare_rates(rates);
    EXPECT_NEAR(comparison.difference, 0.2, 1e-12);
    EXPECT_NEAR(comparison.interval.low, 0.0524, 5e-5);
    EXPECT_NEAR(comparison.interval.high, 0.3339, 5e-5);
}

TEST(GroupMetrics, IntervalsIgnoreGroupOrder) {
    const RateFigure few{3, 3, 0, {}, true}, many{100, 100, 0, {}, true}, one_of_many{100, 100, 0.01, {}, true};
    for (const RateFigure& other : {many, one_of_many}) {
        const Interval interval = compare_rates(std::vector{few, other}).interval;
        EXPECT_EQ(interval, compare_rates(std::vector{other, few}).interval);
        EXPECT_EQ(interval.low, 0);
        // Of the three points only one thing is known: their rate is below Wilson's end, .5615.
        EXPECT_NEAR(interval.high, 0.5615, 0.02);
    }
}

TEST(GroupMetrics, IntervalsCoverWithoutFalseAlarms) {
    Random random(11);
    std::size_t covered = 0, alarms = 0;
    constexpr std::size_t rounds = 2000;
    for (std::size_t round = 0; round < rounds; ++round) {
        std::vector<RateFigure> rates;
        for (int group = 0; group < 8; ++group) {
            int selected = 0;
            for (int i = 0; i < 100; ++i) selected += random.unit() < 0.3;
            rates.push_back({100, 100, selected / 100.0, {}, true});
        }
        const GroupComparison comparison = compare_rates(rates);
        covered += comparison.interval.low <= 0;
        alarms += bound_status(comparison, false, 0.01) == BoundStatus::left;
    }
    EXPECT_GE(covered, rounds * 95 / 100);
    EXPECT_LE(alarms, rounds * 5 / 100);
}

TEST(GroupMetrics, ABoundIsWithinUnclearOrLeft) {
    GroupComparison comparison{2, 0.2, {0.1, 0.3}, 0.5};
    EXPECT_EQ(bound_status(comparison, false, 0), BoundStatus::none);
    EXPECT_EQ(bound_status(comparison, false, 0.2), BoundStatus::within);
    EXPECT_EQ(bound_status(comparison, false, 0.1), BoundStatus::unclear);
    EXPECT_EQ(bound_status(comparison, false, 0.05), BoundStatus::left);
    comparison.groups = 1;
    EXPECT_EQ(bound_status(comparison, false, 0.05), BoundStatus::unmeasured) << "there is no difference";
    EXPECT_EQ(bound_status(comparison, false, 0), BoundStatus::none);
}

/// A table of decisions in which some groups have no positives, no negatives, no outcome or no points.
PointColumns table_with_gaps(Random& random) {
    std::array<std::uint32_t, 8> lacks{};
    for (std::uint32_t& of_group : lacks) of_group = random.below(8);  // 4 and more: it has all
    PointColumns made;
    for (PointId i = 0; i < 60; ++i) {
        const auto sex = static_cast<GroupId>(random.below(2)), race = static_cast<GroupId>(random.below(4));
        const std::uint32_t lack = lacks[sex * 4U + race];
        const bool is_positive = lack == 0 || (lack != 1 && random.below(2) == 0);
        if (lack == 3) continue;
        made.ids.push_back(i);
        made.features.insert(made.features.end(), {random.below(6) == 0 ? 0.0F : 1.0F, 40});
        made.groups.insert(made.groups.end(), {sex, race});
        made.targets.push_back(lack == 2 ? unknown : is_positive ? 1.0F : 0.0F);
    }
    return made;
}

/// Returns whether a known group with points lacks one of the rates, from the points alone.
bool lacks_a_rate(const PointColumns& table, const std::vector<std::size_t>& attributes,
                  std::initializer_list<bool> of_classes, std::size_t least) {
    std::map<std::vector<GroupId>, std::array<std::size_t, 2>> by_group;
    for (std::size_t i = 0; i < table.ids.size(); ++i) {
        std::vector<GroupId> group;
        for (const std::size_t a : attributes) group.push_back(table.groups[2 * i + a]);
        if (attributes.back() == 1 && group.back() == 3) continue;  // not known
        std::array<std::size_t, 2>& classes = by_group[group];
        if (of_classes.size() == 0)
            ++classes[0];
        else if (!std::isnan(table.targets[i]))
            ++classes[table.targets[i] > 0 ? 1 : 0];
    }
    return std::ranges::any_of(by_group, [&](const auto& of) {
        if (of_classes.size() == 0) return of.second[0] < least;
        return std::ranges::any_of(of_classes, [&](bool positive) { return of.second[positive ? 1 : 0] < least; });
    });
}

TEST(GroupMetrics, MissingRateNeverMeetsBound) {
    Random random(52);
    std::size_t lacking = 0, within = 0, left = 0;
    for (int round = 0; round < 400; ++round) {
        group_metrics::Options bounded = options();
        bounded.parity_difference_at_most = bounded.odds_difference_at_most = 0.5;
        bounded.least_points = round % 2 == 0 ? 1 : 3;
        Engine engine(engine_options(bounded));
        const PointColumns table = table_with_gaps(random);
        const GroupMetrics metrics = engine.ingest(table.view()).models[0].group_metrics();
        const std::vector<std::vector<std::size_t>> sets{{0}, {1}, {0, 1}};
        for (std::size_t s = 0; s < sets.size(); ++s) {
            const AttributeMetrics& of = metrics.attributes[s];
            const auto least = static_cast<std::size_t>(bounded.least_points);
            const std::array lacks{lacks_a_rate(table, sets[s], {}, least), lacks_a_rate(table, sets[s], {true}, least),
                                   lacks_a_rate(table, sets[s], {false, true}, least)};
            for (std::size_t c = 0; c < group_comparisons.size(); ++c)
                EXPECT_EQ(!missing_rates(of, group_comparisons[c]).empty(), lacks[c]) << round;
            for (const auto& [status, is_lacking, comparison] :
                 {std::tuple(of.parity, lacks[0], of.demographic_parity), {of.odds, lacks[2], of.equalised_odds}}) {
                lacking += is_lacking;
                within += status == BoundStatus::within;
                left += is_lacking && comparison.difference > 0.5;
                if (is_lacking) {
                    EXPECT_NE(status, BoundStatus::within) << round;
                }
                // A difference above the bound proves a violation, whether or not a rate is missing.
                if (comparison.is_measured() && comparison.difference > 0.5) {
                    EXPECT_NE(status, BoundStatus::unmeasured) << round;
                }
            }
        }
    }
    EXPECT_GT(lacking, 400U);
    EXPECT_GT(within, 200U);
    EXPECT_GT(left, 20U);
}

TEST(GroupMetrics, OddsNeedPositives) {
    group_metrics::Options bounded = options();
    bounded.odds_difference_at_most = 0.1;
    Engine engine(engine_options(bounded));
    PointColumns table;
    for (PointId i = 0; i < 8; ++i) {
        table.ids.push_back(i);
        table.features.insert(table.features.end(), {i % 2 == 0 ? 1.0F : 0.0F, 40});
        table.groups.insert(table.groups.end(), {static_cast<GroupId>(i / 4), 0});
        table.targets.push_back(i < 2 ? 1.0F : 0.0F);
    }
    const GroupMetrics metrics = engine.ingest(table.view()).models[0].group_metrics();
    const AttributeMetrics& sex = metrics.attributes[0];
    EXPECT_EQ(sex.equalised_odds.difference, 0) << "of false positive rates";
    EXPECT_EQ(sex.odds, BoundStatus::unmeasured);
    EXPECT_EQ(missing_rates_text(sex, odds_comparison), "true positive rate of m");
    EXPECT_EQ(missing_rates_text(sex, parity_comparison), "");
}

std::string refusal(const EngineOptions& options) {
    try {
        check(options);
    } catch (const InvalidInput& error) {
        return error.what();
    }
    return "";
}

TEST(GroupMetrics, PredictionMustStayUnprepared) {
    EngineOptions prepared = engine_options();
    prepared.prepare.columns = {{.scale = Scale::running}, {}};
    EXPECT_NE(refusal(prepared).find("[prepare]"), std::string::npos) << refusal(prepared);
    prepared.prepare.columns = {{}, {.scale = Scale::running}};
    EXPECT_EQ(refusal(prepared), "");
    group_metrics::Options other = options();
    other.prediction.text = "0";
    EXPECT_NE(refusal(engine_options(other)).find("score"), std::string::npos) << "the columns are named";
    EngineOptions unnamed = engine_options(other);
    unnamed.format.columns.clear();
    EXPECT_EQ(refusal(unnamed), "");
    EngineOptions scheduled = engine_options();
    scheduled.models[0].schedule.every = 10;
    EXPECT_NE(refusal(scheduled).find("schedule"), std::string::npos);
    EngineOptions many = engine_options();
    many.format.attributes[1].groups.assign(1, "a");
    for (int g = 0; g < 600; ++g) many.format.attributes[1].groups.push_back(std::to_string(g));
    EXPECT_NE(refusal(many).find("intersections"), std::string::npos);
}

TEST(GroupMetrics, PredictionIsFoundBehindSplitColumns) {
    EngineOptions split = engine_options();
    split.format.columns = {{"age", {"young", "old"}}, {"score"}};
    split.prepare.columns = {{.missing = Missing::most_frequent}, {}};
    Engine engine(split);
    PointColumns batch = points(50, 9);
    for (std::size_t at = 0; at < batch.features.size(); at += 2) {
        batch.features[at + 1] = batch.features[at];
        batch.features[at] = static_cast<float>(at / 2 % 2);
    }
    Engine plain(engine_options());
    EXPECT_EQ(engine.ingest(batch.view()).models[0].group_metrics(),
              plain.ingest(points(50, 9).view()).models[0].group_metrics());
}

// ---------------------------------------------------------------- outcomes that come later

TEST(Outcomes, LateOutcomesMatchEarlyOnes) {
    const PointColumns known = points(150, 13);
    PointColumns before = known;
    std::ranges::fill(before.targets, unknown);
    Engine later(engine_options()), at_once(engine_options());
    EXPECT_EQ(later.ingest(before.view()).models[0].group_metrics().all.without_outcome, 150);
    std::vector<PointId> ids;
    std::vector<float> targets;
    for (std::size_t i = 150; i-- > 0;)
        if (!std::isnan(known.targets[i])) ids.push_back(known.ids[i]), targets.push_back(known.targets[i]);
    const Update& update = later.ingest(Outcomes{ids, targets});
    EXPECT_EQ(update.counts.not_retained, 0U);
    EXPECT_TRUE(update.models[0].changed);
    EXPECT_EQ(update.models[0].group_metrics(), at_once.ingest(known.view()).models[0].group_metrics());
    EXPECT_EQ(later.window().size(), 150U);
}

TEST(Outcomes, DepartedAndRepeatedIdsAreCounted) {
    Engine engine(engine_options(options(), {.capacity = 50}));
    engine.ingest(points(50, 1, 0).view());
    engine.ingest(points(30, 2, 50).view());  // the first 30 leave
    PointColumns again = points(1, 3, 5);
    again.targets[0] = unknown;
    engine.ingest(again.view());  // 5 comes again, 30 leaves
    const std::vector<PointId> ids{3, 5, 30, 79, 1000};
    const std::vector<float> targets{1, 1, 1, 1, 1};
    EXPECT_EQ(engine.ingest(Outcomes{ids, targets}).counts.not_retained, 3U);
    EXPECT_EQ(engine.window().target(engine.window().find(5).value()), 1);
    expect_all(engine.report("monitor").group_metrics(), {engine.window()});
    // A point that is replaced also takes over the new point's outcome: none.
    EXPECT_EQ(engine.ingest(again.view()).counts, (EventCounts{.replaced = 1, .outcomes_dropped = 1}));
    EXPECT_TRUE(std::isnan(engine.window().target(engine.window().find(5).value())));
    EXPECT_EQ(engine.ingest(again.view()).counts, (EventCounts{.replaced = 1}));
    // A batch above the capacity evicts its own points, which does not count as replacement by id.
    EXPECT_EQ(engine.ingest(points(120, 4, 2000).view()).counts, EventCounts{});
    expect_all(engine.report("monitor").group_metrics(), {engine.window()});
    const std::vector<float> changed{0, 0, 0, 0, 0};
    engine.ingest(Outcomes{ids, changed});
    expect_all(engine.report("monitor").group_metrics(), {engine.window()});
}

TEST(Outcomes, AreExactInEveryWindowAndReplay) {
    const WindowOptions windows[] = {{.capacity = 80},
                                     {.capacity = 80, .policy = WindowPolicy::reservoir},
                                     {.capacity = 80, .max_age = 5},
                                     {.capacity = 80, .half_life = {.points = 20}},
                                     {.capacity = 80, .max_age = 5, .half_life = {.time = 3}}};
    for (const WindowOptions& window : windows) {
        EngineOptions weighed = engine_options(options(), window);
        weighed.format.has_weights = true;
        Engine engine(weighed), resumed(weighed);
        Random random(5);
        for (PointId round = 0; round < 30; ++round) {
            PointColumns batch = points(20, round, 20 * round);
            batch.event_time = static_cast<std::int64_t>(round);
            for (std::size_t i = 0; i < 20; ++i) batch.weights.push_back(0.5 * (1 + random.below(4)));
            std::vector<PointId> ids;
            std::vector<float> targets;
            for (PointId id = round < 3 ? 0 : 20 * (round - 3); id < 20 * round; id += 3)
                ids.push_back(id), targets.push_back(static_cast<float>(random.below(2)));
            resumed = Engine::load(weighed, engine.save());
            for (Engine* each : {&engine, &resumed}) {
                each->ingest(batch.view());
                each->ingest(Outcomes{ids, targets});
            }
            ASSERT_EQ(engine.save(), resumed.save());
            expect_all(engine.report("monitor").group_metrics(), {engine.window()});
        }
    }
}

TEST(Outcomes, AreRefusedWhereTheyCannotBeTaken) {
    Engine engine(engine_options());
    engine.ingest(points(10, 1).view());
    const auto before = engine.save();
    const auto refused = [&](std::vector<PointId> ids, std::vector<float> targets, Reason reason) {
        try {
            engine.ingest(Outcomes{ids, targets});
            ADD_FAILURE() << "taken";
        } catch (const InvalidInput& error) {
            EXPECT_EQ(error.reason(), reason) << error.what();
        }
        EXPECT_EQ(engine.save(), before);
    };
    refused({1, 2}, {1}, Reason::wrong_shape);
    refused({1, 1}, {1, 0}, Reason::repeated_id);
    refused({no_point}, {1}, Reason::reserved_id);
    refused({1}, {unknown}, Reason::bad_feature);
    refused({1}, {1e16F}, Reason::bad_feature);
    EXPECT_EQ(engine.ingest(Outcomes{}).counts.not_retained, 0U);

    EngineOptions at_once = engine_options();
    at_once.format.targets_come_later = false;
    Engine other(at_once);
    const std::vector<PointId> id{1};
    const std::vector<float> target{1};
    EXPECT_THROW(other.ingest(Outcomes{id, target}), InvalidInput);
    PointColumns missing = points(5, 1);
    EXPECT_THROW(other.ingest(missing.view()), InvalidInput) << "NaN is no target there";
}

TEST(Outcomes, LearnersRefuseLateTargets) {
    EngineOptions learns = engine_options();
    learns.models.push_back({"scores", partial_fair_scorer::Options{}, {}});
    EXPECT_NE(refusal(learns).find("come later"), std::string::npos) << refusal(learns);
    EngineOptions clusters = engine_options();
    clusters.models.push_back({"clusters", safairkm::Options{.clusters = 3}, {}});
    clusters.models.push_back({"later", safairkm::Options{.clusters = 3}, {.every = 30}});
    Engine engine(clusters);
    for (PointId round = 0; round < 6; ++round) {
        engine.ingest(points(40, round, 40 * round).view());
        const std::vector<ClusterId> labels(engine.labels("clusters").begin(), engine.labels("clusters").end());
        const std::vector<PointId> ids{40 * round, 40 * round + 1};
        const std::vector<float> targets{1, 0};
        const Update& update = engine.ingest(Outcomes{ids, targets});
        EXPECT_FALSE(update.models[1].changed) << "labels have nothing to do with outcomes";
        const auto now = engine.labels("clusters");
        EXPECT_TRUE(std::ranges::equal(labels, now));
        Engine loaded = Engine::load(clusters, engine.save());
        EXPECT_EQ(loaded.save(), engine.save());
    }
}

}  // namespace
}  // namespace fairstream::test
