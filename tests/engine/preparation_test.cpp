// Preparation of features, against an oracle that keeps every point as sent and computes all measures again.

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <optional>
#include <vector>

#include <fairstream/base/archive.hpp>
#include <fairstream/data/detail/preparer.hpp>
#include <fairstream/numeric/detail/random.hpp>

#include "support/names.hpp"
#include "support/streams.hpp"

namespace fairstream::test {
namespace {

constexpr float missing_value = std::numeric_limits<float>::quiet_NaN();

/// A window with its preparation, as an engine has them.
class PreparedWindow {
public:
    PreparedWindow(const StreamFormat& format, const PrepareOptions& options, const WindowOptions& window)
        : preparer_(options, format, window.capacity), window_(prepared_format(options, format), window) {
        check(format);
        check(options, format);
    }

    /// Takes in a batch; returns the change of the measure before it, if any.
    std::optional<MeasureChange> apply(const PointBatch& batch) {
        const std::optional<MeasureChange> changed = preparer_.renew(window_, batch);
        (void)window_.renew_weight_unit(batch);
        PointBatch prepared = batch;
        prepared.features = preparer_.prepare(batch.features);
        preparer_.note(window_, window_.apply(prepared), batch);
        return changed;
    }
    [[nodiscard]] const Window& window() const { return window_; }
    [[nodiscard]] const Preparer& preparer() const { return preparer_; }
    [[nodiscard]] std::vector<std::byte> saved() const {
        StateWriter writer;
        writer.nested(1, [&](StateWriter& inner) { window_.save(inner); });
        writer.nested(2, [&](StateWriter& inner) { preparer_.save(inner, window_); });
        return writer.take();
    }
    void load(std::span<const std::byte> bytes) {
        StateReader reader(bytes);
        StateReader window = reader.nested(1), preparer = reader.nested(2);
        window_.load(window);
        preparer_.load(preparer, window_);
    }
    [[nodiscard]] std::vector<float> row(PointId id) const {
        const Slot slot = window_.find(id).value();
        return {window_.features(slot), window_.features(slot) + window_.dimensions()};
    }

private:
    Preparer preparer_;
    Window window_;
};

StreamFormat numbers(std::uint32_t d) {
    return {.dimensions = d, .attributes = {{"sex", {"f", "m"}}}};
}

PrepareOptions all(std::uint32_t d, const ColumnPreparation& how) {
    return {.columns = std::vector<ColumnPreparation>(d, how)};
}

PointColumns rows(std::vector<float> features, std::uint32_t d, PointId first = 0) {
    PointColumns points{.ids = {}, .features = std::move(features), .groups = {}, .targets = {}};
    for (std::size_t i = 0; i < points.features.size() / d; ++i) {
        points.ids.push_back(first + i);
        points.groups.push_back(0);
    }
    return points;
}

TEST(Preparation, StepsAreMadeInTheirOrder) {
    PreparedWindow stream(numbers(1),
                          all(1, {.at_least = -10,
                                  .at_most = 99,
                                  .log = true,
                                  .scale = Scale::fixed,
                                  .mean = std::log(10.0),
                                  .deviation = 2}),
                          {.capacity = 10});
    stream.apply(rows({1e6F, -5, 0, 9}, 1).view());
    const auto expect = [&](PointId id, double logarithm) {
        EXPECT_NEAR(stream.row(id)[0], (logarithm - std::log(10.0)) / 2, 1e-6);
    };
    expect(0, std::log(100.0));
    expect(1, -std::log(6.0));
    expect(2, 0);
    expect(3, std::log(10.0));
}

TEST(Preparation, LevelsHaveColumnsOthersShareOne) {
    StreamFormat format = numbers(2);
    format.columns = {{"job", {"clerk", "farmer"}}, {"age"}};
    ColumnPreparation level{.missing = Missing::most_frequent};
    PreparedWindow stream(format, {.columns = {level, {}}}, {.capacity = 10});
    ASSERT_EQ(stream.window().dimensions(), 4U);
    stream.apply(rows({0, 30, 1, 40, 2, 50, 77, 60}, 2).view());
    EXPECT_EQ(stream.row(0), (std::vector<float>{1, 0, 0, 30}));
    EXPECT_EQ(stream.row(1), (std::vector<float>{0, 1, 0, 40}));
    EXPECT_EQ(stream.row(2), (std::vector<float>{0, 0, 1, 50}));
    EXPECT_EQ(stream.row(3), (std::vector<float>{0, 0, 1, 60}));
}

TEST(Preparation, MissingValuesAreFilledInOrSaid) {
    StreamFormat format = numbers(4);
    format.columns = {{"mean", {}, true}, {"often", {}, true}, {"said", {}, true}, {"job", {"a", "b"}, true}};
    PreparedWindow stream(format,
                          {.columns = {{.missing = Missing::mean},
                                       {.missing = Missing::most_frequent},
                                       {.missing = Missing::indicator},
                                       {.missing = Missing::indicator}}},
                          {.capacity = 10});
    stream.apply(rows({1, 5, 2, 0,                                                   //
                       3, 5, 4, 1,                                                   //
                       8, 1, 6, 7,                                                   //
                       missing_value, missing_value, missing_value, missing_value},  //
                      4)
                     .view());
    EXPECT_EQ(stream.row(0), (std::vector<float>{1, 5, 2, 0, 1, 0, 0, 0}));
    EXPECT_EQ(stream.row(3), (std::vector<float>{4, 5, 4, 1, 0, 0, 0, 1}));
}

TEST(Preparation, WhatIsGivenIsFilledInWhateverComes) {
    StreamFormat format = numbers(4);
    format.columns = {{"mean", {}, true}, {"often", {}, true}, {"scaled", {}, true}, {"job", {"a", "b"}, true}};
    PreparedWindow stream(format,
                          {.columns = {{.missing = Missing::mean, .fill = 7},
                                       {.missing = Missing::most_frequent, .fill = -2},
                                       {.scale = Scale::fixed, .mean = 1, .deviation = 2, .fill = 9},
                                       {.missing = Missing::most_frequent, .fill = 1}}},
                          {.capacity = 10});
    const auto gaps = [](PointId id) {
        return rows({missing_value, missing_value, missing_value, missing_value}, 4, id);
    };
    const std::vector<float> filled{7, -2, 4, 0, 1, 0};
    stream.apply(gaps(0).view());
    stream.apply(rows({100, 100, 100, 0, 100, 100, 100, 0, 100, 100, 100, 0}, 4, 1).view());
    EXPECT_FALSE(stream.apply(gaps(4).view()).has_value());
    EXPECT_EQ(stream.row(0), filled);
    EXPECT_EQ(stream.row(4), filled);
}

TEST(Preparation, OrdinalColumnIsLevelNumber) {
    StreamFormat format = numbers(3);
    format.columns = {{"size", {"s", "m", "l"}}, {"often", {"s", "m"}, true}, {"said", {"s", "m"}, true}};
    PreparedWindow stream(format,
                          {.columns = {{.encoding = Encoding::ordinal, .scale = Scale::running},
                                       {.encoding = Encoding::ordinal, .missing = Missing::most_frequent},
                                       {.encoding = Encoding::ordinal, .missing = Missing::indicator}}},
                          {.capacity = 10});
    ASSERT_EQ(stream.window().dimensions(), 4U);
    stream.apply(rows({0, 1, 0,              //
                       2, 1, 1,              //
                       3, 7, missing_value,  //
                       1, 0, 5},             //
                      3)
                     .view());
    const auto scaled = [](double level) { return static_cast<float>((level - 1) / std::sqrt(2.0 / 3)); };
    EXPECT_EQ(stream.row(0), (std::vector<float>{scaled(0), 1, 0, 0}));
    EXPECT_EQ(stream.row(1), (std::vector<float>{scaled(2), 1, 1, 0}));
    EXPECT_EQ(stream.row(2), (std::vector<float>{0, 1, 0.5, 1}));
    EXPECT_EQ(stream.row(3), (std::vector<float>{0, 0, 0.5, 0})) << "a level that is not listed is not missing";
}

TEST(Preparation, AnOrdinalColumnIsSavedAsItCame) {
    StreamFormat format = numbers(1);
    format.columns = {{"size", {"s", "m", "l"}}};
    const PrepareOptions options{.columns = {{.encoding = Encoding::ordinal, .scale = Scale::running}},
                                 .renew_every = 1};
    PreparedWindow stream(format, options, {.capacity = 4}), again(format, options, {.capacity = 4});
    stream.apply(rows({0, 2, 9}, 1).view());
    again.load(stream.saved());
    for (PreparedWindow* each : {&stream, &again}) each->apply(rows({2, 2, 2, 8}, 1, 3).view());
    for (PreparedWindow* each : {&stream, &again}) each->apply(rows({1}, 1, 7).view());
    EXPECT_EQ(stream.saved(), again.saved());
    EXPECT_EQ(stream.row(6)[0], 0) << "filled in with the mean of the levels that are listed";
}

TEST(Preparation, HashedColumnHasBucketColumns) {
    StreamFormat format = numbers(1);
    format.columns = {{.name = "city", .may_be_missing = true, .buckets = 3}};
    PreparedWindow stream(format, {.columns = {{.missing = Missing::indicator}}}, {.capacity = 10});
    ASSERT_EQ(stream.window().dimensions(), 4U);
    stream.apply(rows({0, 2, missing_value}, 1).view());
    EXPECT_EQ(stream.row(0), (std::vector<float>{1, 0, 0, 0}));
    EXPECT_EQ(stream.row(1), (std::vector<float>{0, 0, 1, 0}));
    EXPECT_EQ(stream.row(2), (std::vector<float>{0, 0, 0, 1}));
}

TEST(Preparation, KindsOfColumnsThatContradictAreRefused) {
    const auto refused = [](const FeatureColumn& column, const ColumnPreparation& how) -> std::string {
        StreamFormat format = numbers(1);
        format.columns = {column};
        try {
            check(format);
            check(PrepareOptions{.columns = {how}}, format);
        } catch (const InvalidInput& error) {
            return error.what();
        }
        return "taken";
    };
    const ColumnPreparation category{.missing = Missing::most_frequent};
    EXPECT_THAT(refused({.name = "a", .levels = {"x"}, .buckets = 2}, category), Names({"'a'", "levels, hash"}));
    EXPECT_THAT(refused({.name = "a", .buckets = 1}, category), Names({"'a'", "1 buckets", "2 to 65535"}));
    EXPECT_THAT(refused({.name = "a", .buckets = 2}, {.encoding = Encoding::ordinal}), Names({"'a'", "ordinal"}));
    EXPECT_THAT(refused({.name = "a", .dates = DateUnit::days}, {.encoding = Encoding::ordinal}),
                Names({"'a'", "ordinal"}));
    EXPECT_THAT(refused({.name = "a", .buckets = 2}, {.scale = Scale::running, .missing = Missing::most_frequent}),
                Names({"'a'", "clip", "scale", "log"}));
}

TEST(Preparation, AConstantColumnBecomesZero) {
    PreparedWindow stream(numbers(1), all(1, {.scale = Scale::running}), {.capacity = 10});
    stream.apply(rows({123456.7F, 123456.7F, 123456.7F}, 1).view());
    for (PointId id = 0; id < 3; ++id) EXPECT_EQ(stream.row(id)[0], 0);
}

TEST(Preparation, TheLargestValuesStayWithinTheLimit) {
    PreparedWindow stream(numbers(1), all(1, {.scale = Scale::running}), {.capacity = 4});
    stream.apply(rows({1, 1.0000001F}, 1).view());
    stream.apply(rows({1e15F, -1e15F}, 1, 2).view());
    for (PointId id = 0; id < 4; ++id) EXPECT_LE(std::abs(stream.row(id)[0]), feature_limit);
    stream.window().validate(rows({0}, 1, 9).view());
}

/// Computes scales and means from all points as sent.
class PreparationOracle {
public:
    PreparationOracle(std::uint32_t d, ScaleUnit unit) : d_(d), unit_(unit) {}

    void add(const PointBatch& batch) {
        for (std::size_t i = 0; i < batch.size(); ++i)
            raw_[batch.ids[i]] = {batch.features.begin() + static_cast<std::ptrdiff_t>(i * d_),
                                  batch.features.begin() + static_cast<std::ptrdiff_t>((i + 1) * d_)};
    }
    struct Measure {
        double origin = 0, unit = 0, mean = 0;
        /// Returns the scaled value; a missing one is filled in with the mean.
        [[nodiscard]] double scaled(double x) const { return ((std::isnan(x) ? mean : x) - origin) / unit; }
    };
    /// Returns the measure of the points retained in `window` that stay when an event of this time comes, by their
    /// weights there.
    [[nodiscard]] Measure of_retained(const Window& window, std::int64_t time, std::size_t column) const {
        const std::int64_t age = window.options().max_age;
        std::vector<std::pair<double, double>> values;
        for (Slot slot = 0; slot < window.size(); ++slot)
            if (age == 0 || window.time(slot) >= time - age)
                values.emplace_back(raw_.at(window.id(slot))[column], window.weight(slot));
        return of(values);
    }
    /// Returns the measure of a batch, by the weights it carries.
    [[nodiscard]] Measure of_batch(const PointBatch& batch, std::size_t column) const {
        std::vector<std::pair<double, double>> values;
        for (std::size_t i = 0; i < batch.size(); ++i)
            values.emplace_back(batch.features[i * d_ + column], batch.weights.empty() ? 1 : batch.weights[i]);
        return of(values);
    }
    [[nodiscard]] Measure of(const std::vector<std::pair<double, double>>& values) const {
        double sum = 0, weight = 0, squares = 0, least = std::numeric_limits<double>::infinity(), greatest = -least;
        for (const auto& [x, w] : values)
            if (!std::isnan(x)) sum += w * x, weight += w, least = std::min(least, x), greatest = std::max(greatest, x);
        if (unit_ == ScaleUnit::range) return {least, greatest - least, sum / weight};
        for (const auto& [x, w] : values)
            if (!std::isnan(x)) squares += w * (x - sum / weight) * (x - sum / weight);
        return {sum / weight, std::sqrt(squares / weight), sum / weight};
    }
    [[nodiscard]] double value(PointId id, std::size_t column) const { return raw_.at(id)[column]; }

private:
    std::size_t d_;
    ScaleUnit unit_;
    std::map<PointId, std::vector<float>> raw_;
};

/// Points whose columns drift and spread, with occasional missing values.
PointColumns wandering(Random& random, std::uint32_t d, std::size_t n, PointId first, double progress, bool missing) {
    PointColumns points = rows({}, d, first);
    for (std::size_t i = 0; i < n; ++i) {
        points.ids.push_back(first + i);
        points.groups.push_back(0);
        points.weights.push_back(1 + random.below(4));
        for (std::uint32_t j = 0; j < d; ++j) {
            const double x = 1000 * j + progress * (j + 1) * 20 + (1 + progress * j) * normal(random);
            points.features.push_back(missing && random.below(10) == 0 ? missing_value : static_cast<float>(x));
        }
    }
    return points;
}

struct RunningCase {
    std::string name;
    WindowOptions window;
    bool weighted = false, missing = false;
    std::uint64_t every = 0;
    ScaleUnit unit = ScaleUnit::deviation;
};

class RunningScale : public testing::TestWithParam<RunningCase> {};

TEST_P(RunningScale, MatchesRetainedPointsAtRenewal) {
    constexpr std::uint32_t d = 3;
    const RunningCase& chosen = GetParam();
    StreamFormat format = numbers(d);
    format.has_weights = chosen.weighted;
    if (chosen.missing) format.columns = {{"a", {}, true}, {"b", {}, true}, {"c", {}, true}};
    PrepareOptions options = all(d, {.scale = Scale::running, .unit = chosen.unit});
    options.renew_every = chosen.every;
    PreparedWindow stream(format, options, chosen.window);
    PreparationOracle oracle(d, chosen.unit);
    Random random(5);
    std::array<PreparationOracle::Measure, d> measure{};
    std::uint64_t renewals = 0;
    for (std::size_t b = 0; b < 200; ++b) {
        PointColumns points =
            wandering(random, d, 1 + random.below(40), 1000 * b, static_cast<double>(b) / 50, chosen.missing);
        if (!chosen.weighted) points.weights.clear();
        points.event_time = static_cast<std::int64_t>(b);
        std::array<PreparationOracle::Measure, d> there{};
        for (std::size_t j = 0; j < d && b > 0; ++j)
            there[j] = oracle.of_retained(stream.window(), points.event_time, j);
        const std::vector<float> before(stream.window().points().features.begin(),
                                        stream.window().points().features.end());
        const std::vector<PointId> ids(stream.window().points().ids.begin(), stream.window().points().ids.end());
        const std::optional<MeasureChange> change = stream.apply(points.view());
        oracle.add(points.view());
        if (b == 0)
            for (std::size_t j = 0; j < d; ++j) measure[j] = oracle.of_batch(points.view(), j);
        EXPECT_EQ(change.has_value(), stream.preparer().figures().renewals > renewals);
        renewals = stream.preparer().figures().renewals;
        if (change) {
            double drift = 0;
            for (std::size_t j = 0; j < d; ++j) {
                const double of_mean = chosen.missing ? std::abs(there[j].mean - measure[j].mean) : 0;
                drift = std::max({drift, std::abs(there[j].origin - measure[j].origin) / measure[j].unit,
                                  of_mean / measure[j].unit, std::abs(std::log(there[j].unit / measure[j].unit))});
                EXPECT_NEAR(change->factors[j], measure[j].unit / there[j].unit, 1e-6);
                EXPECT_NEAR(change->shifts[j], (measure[j].origin - there[j].origin) / there[j].unit, 1e-5);
            }
            EXPECT_NEAR(stream.preparer().figures().drift, drift, 1e-6 * drift);
            EXPECT_GT(drift, drift_tolerance);
            measure = there;
        }
        for (Slot slot = 0; slot < stream.window().size(); ++slot)
            for (std::size_t j = 0; j < d; ++j) {
                const double wanted = measure[j].scaled(oracle.value(stream.window().id(slot), j));
                ASSERT_NEAR(stream.window().features(slot)[j], wanted, 1e-5 * (1 + std::abs(wanted)));
            }
    }
    EXPECT_GT(renewals, 5U);
}

INSTANTIATE_TEST_SUITE_P(
    All, RunningScale,
    testing::Values(RunningCase{"Plain", {.capacity = 300}}, RunningCase{"Weighted", {.capacity = 300}, true},
                    RunningCase{"Missing", {.capacity = 300}, false, true},
                    RunningCase{"Decaying", {.capacity = 300, .half_life = {.points = 40}}, true, true},
                    RunningCase{"ByAge", {.capacity = 300, .max_age = 4}, true},
                    RunningCase{"Reservoir", {.capacity = 100, .policy = WindowPolicy::reservoir}},
                    RunningCase{"Often", {.capacity = 300}, false, false, 1},
                    RunningCase{"Range", {.capacity = 300}, false, false, 0, ScaleUnit::range},
                    RunningCase{"RangeMissing", {.capacity = 300}, true, true, 0, ScaleUnit::range},
                    RunningCase{"RangeByAge", {.capacity = 300, .max_age = 4}, true, false, 0, ScaleUnit::range}),
    [](const auto& chosen) { return chosen.param.name; });

class FirstScale : public testing::TestWithParam<ScaleUnit> {};

TEST_P(FirstScale, MatchesFirstPointsExactly) {
    constexpr std::uint32_t d = 2;
    constexpr std::size_t first = 137;
    PreparedWindow stream(numbers(d), all(d, {.scale = Scale::first, .unit = GetParam(), .first = first}),
                          {.capacity = 50});
    Random random(3);
    std::vector<std::vector<std::pair<double, double>>> values(d);
    PreparationOracle oracle(d, GetParam());
    for (std::size_t b = 0; b < 60; ++b) {
        PointColumns points = wandering(random, d, 10, 10 * b, static_cast<double>(b) / 10, false);
        points.weights.clear();
        for (std::size_t i = 0; i < 10; ++i)
            for (std::size_t j = 0; j < d && 10 * b + i < first; ++j)
                values[j].emplace_back(points.features[i * d + j], 1);
        stream.apply(points.view());
        oracle.add(points.view());
        // The batch after the last of the first points is in the new measure.
        if (10 * b < first) continue;
        for (std::size_t j = 0; j < d; ++j) {
            const auto measure = oracle.of(values[j]);
            for (Slot slot = 0; slot < stream.window().size(); ++slot)
                ASSERT_NEAR(stream.window().features(slot)[j],
                            measure.scaled(oracle.value(stream.window().id(slot), j)), 2e-4);
        }
    }
    EXPECT_GT(stream.preparer().figures().drift, 1) << "the points have wandered off";
}

INSTANTIATE_TEST_SUITE_P(Units, FirstScale, testing::Values(ScaleUnit::deviation, ScaleUnit::range),
                         [](const auto& unit) {
                             return std::string(unit.param == ScaleUnit::range ? "Range" : "Deviation");
                         });

TEST(FirstScaleEdges, WaitsForDifferingValues) {
    StreamFormat format = numbers(2);
    format.columns = {{"constant"}, {"missing", {}, true}};
    PreparedWindow stream(format, all(2, {.scale = Scale::first, .first = 3}), {.capacity = 20});
    stream.apply(rows({7, missing_value, 7, missing_value, 7, missing_value}, 2).view());
    stream.apply(rows({7, 100, 9, 300, 7, 100, 9, 300}, 2, 3).view());
    stream.apply(rows({1e6F, 1e6F}, 2, 7).view());
    stream.apply(rows({8, 200}, 2, 8).view());
    // The mean and deviation of 7, 7, 7, 7, 9 and of 100, 300: up to the value that was the first to differ.
    EXPECT_NEAR(stream.row(8)[0], (8 - 7.4) / 0.8, 1e-5);
    EXPECT_NEAR(stream.row(8)[1], 0, 1e-5);
    EXPECT_NEAR(stream.row(4)[1], 1, 1e-5);
}

TEST(RunningScaleEdges, FollowsRetainedPointsByAge) {
    constexpr std::int64_t age = 10;
    PreparedWindow stream(numbers(1), all(1, {.scale = Scale::running}), {.capacity = 100'000, .max_age = age});
    Random random(1);
    const auto batch = [&](std::int64_t time, float mean) {
        std::vector<float> features(10);
        for (float& x : features) x = mean + static_cast<float>(random.unit());
        PointColumns points = rows(std::move(features), 1, static_cast<PointId>(10 * time));
        points.event_time = time;
        return points;
    };
    std::int64_t time = 0;
    for (; time < 1000; ++time) stream.apply(batch(time, 0).view());
    for (; time < 1000 + 4 * age; ++time) stream.apply(batch(time, 1000).view());
    EXPECT_LT(std::abs(stream.row(static_cast<PointId>(10 * (time - 1)))[0]), 10)
        << "a look after every 110 points or less, as many as are retained";
}

TEST(RunningScaleEdges, ExcludesPointsLeavingWithEvent) {
    PreparedWindow stream(numbers(1), all(1, {.scale = Scale::running}), {.capacity = 100, .max_age = 10});
    stream.apply(rows({0, 2}, 1).view());
    PointColumns later = rows({1000, 1004}, 1, 2);
    later.event_time = 100;
    stream.apply(later.view());
    EXPECT_EQ(stream.window().size(), 2U);
    EXPECT_EQ(stream.row(2)[0], -1);
    EXPECT_EQ(stream.row(3)[0], 1);
}

TEST(RangeScale, RetainedPointsFillTheUnitInterval) {
    StreamFormat format = numbers(4);
    format.columns = {{"x"}, {"constant"}, {"clipped"}, {"missing", {}, true}};
    PrepareOptions options = all(4, {.scale = Scale::running, .unit = ScaleUnit::range});
    options.columns[2].at_most = 5;
    PreparedWindow stream(format, options, {.capacity = 10});
    stream.apply(rows({-3, 7, 1, 2,              //
                       -1, 7, 3, missing_value,  //
                       5, 7, 9, 10,              //
                       1, 7, 2, 3},
                      4)
                     .view());
    EXPECT_EQ(stream.row(0), (std::vector<float>{0, 0, 0, 0}));
    EXPECT_EQ(stream.row(1), (std::vector<float>{0.25F, 0, 0.5F, 0.375F})) << "5, the mean of 2, 10 and 3";
    EXPECT_EQ(stream.row(2), (std::vector<float>{1, 0, 1, 1}));
    EXPECT_EQ(stream.row(3), (std::vector<float>{0.5F, 0, 0.25F, 0.125F}));
}

// Later points outside the range lie outside [0, 1] until the range is renewed.
TEST(RangeScale, IsRenewedWithNewExtremes) {
    PrepareOptions options = all(1, {.scale = Scale::running, .unit = ScaleUnit::range});
    options.renew_every = 1;
    PreparedWindow stream(numbers(1), options, {.capacity = 10});
    stream.apply(rows({0, 10}, 1).view());
    stream.apply(rows({20}, 1, 2).view());
    EXPECT_EQ(stream.row(2)[0], 2);
    stream.apply(rows({15}, 1, 3).view());
    EXPECT_EQ(stream.row(1)[0], 0.5F);
    EXPECT_EQ(stream.row(2)[0], 1);
    EXPECT_EQ(stream.row(3)[0], 0.75F);
}

TEST(RangeScale, GivenRangeStaysAndIsFilledInWithTheMean) {
    StreamFormat format = numbers(2);
    format.columns = {{"plain"}, {"missing", {}, true}};
    PrepareOptions options = all(2, {.scale = Scale::fixed, .unit = ScaleUnit::range, .low = -10, .high = 30});
    options.renew_every = 1;
    PreparedWindow stream(format, options, {.capacity = 4});
    stream.apply(rows({-10, 0, 30, missing_value, 0, 20, 70, 10}, 2).view());
    EXPECT_EQ(stream.row(0), (std::vector<float>{0, 0.25F}));
    EXPECT_EQ(stream.row(1), (std::vector<float>{1, 0.5F}));
    EXPECT_EQ(stream.row(3), (std::vector<float>{2, 0.5F}));
    stream.apply(rows({0, 30, 0, 30, 0, missing_value, 40, 0}, 2, 4).view());
    stream.apply(rows({10, missing_value}, 2, 8).view());
    EXPECT_EQ(stream.row(8), (std::vector<float>{0.5F, 0.75F})) << "20, the mean of the points before";
    EXPECT_EQ(stream.row(6)[1], 0.75F);
}

TEST(RangeScale, DriftComparesRanges) {
    PrepareOptions options = all(1, {.scale = Scale::fixed, .unit = ScaleUnit::range, .low = 0, .high = 10});
    options.renew_every = 1;
    PreparedWindow stream(numbers(1), options, {.capacity = 10});
    stream.apply(rows({0, 1, 1, 10}, 1).view());
    stream.apply(rows({5}, 1, 4).view());
    EXPECT_EQ(stream.preparer().figures().drift, 0);
    stream.apply(rows({20}, 1, 5).view());
    stream.apply(rows({5}, 1, 6).view());
    EXPECT_NEAR(stream.preparer().figures().drift, std::log(2), 1e-12);
}

TEST(Preparation, DriftIgnoresFilledValues) {
    StreamFormat format = numbers(1);
    format.columns = {{"age", {}, true}};
    PreparedWindow stream(format, all(1, {.scale = Scale::fixed, .mean = 0, .deviation = 1}), {.capacity = 1000});
    PointId next = 0;
    for (int batch = 0; batch < 20; ++batch) {
        std::vector<float> features;
        for (int i = 0; i < 10; ++i) features.push_back(i < 8 ? missing_value : i == 8 ? -1.0F : 1.0F);
        stream.apply(rows(std::move(features), 1, next).view());
        next += 10;
    }
    EXPECT_NEAR(stream.preparer().figures().drift, 0, 1e-6) << "the values that are there have mean 0 and deviation 1";
}

TEST(Preparation, PointsAreScaledToLength1AfterAllElse) {
    StreamFormat format = numbers(3);
    format.columns = {{"x"}, {"y", {}, true}, {"city", {"a", "b"}}};
    PrepareOptions options{.columns = {{.scale = Scale::fixed, .mean = 1, .deviation = 2},
                                       {.missing = Missing::mean, .fill = 4},
                                       {.missing = Missing::most_frequent}},
                           .unit_rows = true};
    PreparedWindow stream(format, options, {.capacity = 10});
    stream.apply(rows({7, -2, 1, 1, missing_value, 0}, 3).view());
    const double first = std::sqrt(9 + 4 + 1), second = std::sqrt(16 + 1);
    const std::vector<double> expected{3 / first, -2 / first, 0, 1 / first, 0, 0, 4 / second, 1 / second, 0, 0};
    for (std::size_t i = 0; i < expected.size(); ++i) EXPECT_NEAR(stream.row(i / 5)[i % 5], expected[i], 1e-7) << i;
}

TEST(Preparation, ZeroPointStays) {
    PrepareOptions options = all(2, {});
    options.unit_rows = true;
    PreparedWindow stream(numbers(2), options, {.capacity = 10});
    stream.apply(rows({0, 0, 1e15F, -1e15F, 1e-30F, 0}, 2).view());
    EXPECT_EQ(stream.row(0), (std::vector<float>{0, 0}));
    EXPECT_NEAR(stream.row(1)[0], std::sqrt(0.5), 1e-7);
    EXPECT_EQ(stream.row(2), (std::vector<float>{1, 0})) << "the square underflows in float32, not in double";
}

TEST(Preparation, UnitRowDriftIsByColumn) {
    Random random(4);
    PrepareOptions options = all(2, {.scale = Scale::fixed, .mean = 0, .deviation = 1});
    PreparedWindow plain(numbers(2), options, {.capacity = 100});
    options.unit_rows = true;
    PreparedWindow unit(numbers(2), options, {.capacity = 100}), loaded(numbers(2), options, {.capacity = 100});
    for (std::size_t b = 0; b < 20; ++b) {
        std::vector<float> features;
        for (int i = 0; i < 20; ++i) features.push_back(3 + static_cast<float>(random.unit()));
        const PointColumns points = rows(features, 2, 10 * b);
        EXPECT_EQ(plain.apply(points.view()), std::nullopt);
        EXPECT_EQ(unit.apply(points.view()), std::nullopt);
        loaded.load(unit.saved());
        ASSERT_EQ(loaded.saved(), unit.saved());
        EXPECT_NEAR(unit.preparer().figures().drift, plain.preparer().figures().drift, 1e-5);
    }
    EXPECT_GT(unit.preparer().figures().drift, 3);
}

TEST(Preparation, UnitRowsNeedFixedScales) {
    StreamFormat format = numbers(2);
    format.columns = {{"x", {}, true}, {"city", {"a", "b"}, true}};
    const auto refusal = [&](const ColumnPreparation& x, const ColumnPreparation& city) -> std::string {
        try {
            check(PrepareOptions{.columns = {x, city}, .unit_rows = true}, format);
            return "";
        } catch (const InvalidInput& error) {
            return error.what();
        }
    };
    const ColumnPreparation number{.fill = 1}, level{.missing = Missing::most_frequent, .fill = 1};
    EXPECT_EQ(refusal(number, level), "");
    EXPECT_EQ(refusal(number, {.missing = Missing::indicator}), "");
    EXPECT_THAT(refusal({.scale = Scale::running, .fill = 1}, level), Names({"'x'", "unit_rows", "scale = none"}));
    EXPECT_THAT(refusal({}, level), Names({"'x'", "unit_rows", "fill"}));
    EXPECT_NE(refusal({.missing = Missing::most_frequent}, level), "");
    EXPECT_NE(refusal(number, {.missing = Missing::most_frequent}), "");
    EXPECT_THROW(check(PrepareOptions{.unit_rows = true}, numbers(2)), InvalidInput) << "no columns";
}

TEST(Preparation, ContinuesAfterLoad) {
    constexpr std::uint32_t d = 3;
    StreamFormat format = numbers(d);
    format.has_weights = true;
    format.columns = {{"a", {}, true}, {"b", {}, true}, {"c", {}, true}};
    PrepareOptions options = all(d, {.scale = Scale::running, .missing = Missing::most_frequent});
    options.columns[1] = {.scale = Scale::first, .first = 77, .missing = Missing::indicator};
    const WindowOptions window{.capacity = 60, .max_age = 9, .half_life = {.points = 100}};
    PreparedWindow stream(format, options, window);
    Random random(9);
    for (std::size_t b = 0; b < 100; ++b) {
        PreparedWindow loaded(format, options, window);
        loaded.load(stream.saved());
        ASSERT_EQ(loaded.saved(), stream.saved());
        PointColumns points = wandering(random, d, random.below(12), 100 * b, static_cast<double>(b) / 20, true);
        points.event_time = static_cast<std::int64_t>(b);
        ASSERT_EQ(loaded.apply(points.view()), stream.apply(points.view()));
        ASSERT_EQ(loaded.saved(), stream.saved());
    }
}

TEST(Preparation, ExtremeFixedScaleIsSaved) {
    for (const double deviation : {least_deviation, largest_deviation}) {
        PrepareOptions options = all(3, {.scale = Scale::fixed, .mean = largest_mean, .deviation = deviation});
        options.columns[2].mean = -largest_mean;
        PreparedWindow stream(numbers(3), options, {.capacity = 5}), loaded(numbers(3), options, {.capacity = 5});
        stream.apply(rows({1, 2, 3}, 3).view());
        loaded.load(stream.saved());
        EXPECT_EQ(loaded.saved(), stream.saved());
    }
}

TEST(Preparation, OptionsThatCannotBeAreRefusedByColumn) {
    StreamFormat format = numbers(2);
    format.columns = {{"age"}, {"job", {"a", "b"}}};
    const auto refused = [&](const ColumnPreparation& age, const ColumnPreparation& job, const std::string& named) {
        try {
            check(PrepareOptions{.columns = {age, job}}, format);
            ADD_FAILURE() << named;
        } catch (const InvalidInput& error) {
            EXPECT_EQ(error.reason(), Reason::bad_option);
            EXPECT_NE(std::string(error.what()).find(named), std::string::npos) << error.what();
        }
    };
    const ColumnPreparation level{.missing = Missing::most_frequent};
    EXPECT_NO_THROW(check(PrepareOptions{.columns = {{}, level}}, format));
    refused({.at_least = 1, .at_most = 1}, level, "'age'");
    refused({.at_least = 1e16}, level, "1e+16");
    refused({.at_most = -2e15}, level, "-2e+15");
    refused({.at_least = std::numeric_limits<double>::infinity(), .at_most = std::nan("")}, level, "'age'");
    refused({.scale = Scale::first}, level, "'age'");
    refused({.first = 3}, level, "'age'");
    refused({.scale = Scale::fixed, .deviation = 0}, level, "'age'");
    refused({.scale = Scale::fixed, .mean = std::nan("")}, level, "'age'");
    refused({.mean = 1}, level, "'age'");
    refused({.unit = ScaleUnit::range}, level, "'age'");
    refused({.scale = Scale::fixed, .low = -1}, level, "'age'");
    refused({.scale = Scale::running, .unit = ScaleUnit::range, .high = 2}, level, "'age'");
    refused({.scale = Scale::fixed, .unit = ScaleUnit::range, .mean = 1}, level, "'age'");
    for (const double low : {1.0, 2.0, std::nan(""), -2e15})
        refused({.scale = Scale::fixed, .unit = ScaleUnit::range, .low = low}, level, "'age': range");
    refused({}, {}, "'job'");
    refused({.fill = 1}, level, "'age'");
    format.columns[0].may_be_missing = format.columns[1].may_be_missing = true;
    EXPECT_NO_THROW(check(PrepareOptions{.columns = {{.fill = 1e15}, {.missing = level.missing, .fill = 1}}}, format));
    refused({.fill = 2e15}, level, "'age': fill = 2e+15");
    for (const double none : {-1.0, 2.0, 0.5, std::nan("")})
        refused({}, {.missing = level.missing, .fill = none}, "'job'");
    refused({}, {.missing = Missing::indicator, .fill = 1}, "indicator");
    refused({}, {.scale = Scale::running, .missing = Missing::most_frequent}, "'job'");
    EXPECT_THROW(check(PrepareOptions{}, format), InvalidInput) << "levels without preparation";
    EXPECT_THROW(check(PrepareOptions{.columns = {{}}}, format), InvalidInput);
}

class DamagedPreparation : public testing::TestWithParam<ScaleUnit> {};

TEST_P(DamagedPreparation, IsRefused) {
    constexpr std::uint32_t d = 2;
    const PrepareOptions options = all(d, {.scale = Scale::running, .unit = GetParam()});
    PreparedWindow stream(numbers(d), options, {.capacity = 20});
    stream.apply(rows({1, 2, 3, 5}, d).view());
    const std::vector<std::byte> bytes = stream.saved();
    for (std::size_t at = 0; at < bytes.size(); ++at) {
        for (const std::uint8_t value : {0x00, 0xff, 0x7f}) {
            std::vector<std::byte> damaged = bytes;
            damaged[at] = std::byte{value};
            PreparedWindow loaded(numbers(d), options, {.capacity = 20});
            try {
                loaded.load(damaged);
                loaded.apply(rows({1, 2}, d, 50).view());
                for (const float x : loaded.window().points().features) EXPECT_LE(std::abs(x), feature_limit);
            } catch (const InvalidInput& error) {
                EXPECT_EQ(error.reason(), Reason::bad_state);
            }
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Units, DamagedPreparation, testing::Values(ScaleUnit::deviation, ScaleUnit::range),
                         [](const auto& unit) {
                             return std::string(unit.param == ScaleUnit::range ? "Range" : "Deviation");
                         });

}  // namespace
}  // namespace fairstream::test
