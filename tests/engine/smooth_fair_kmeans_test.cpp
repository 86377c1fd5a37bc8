/// Smoothed fair k-means: values against definitions, gradients against differences, starts and rounding.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <vector>

#include <fairstream/optimisation/smooth_fair_kmeans.hpp>

#include "grouped_points.hpp"
#include "support/refusal.hpp"
#include "support/rounding.hpp"

namespace fairstream::test {
namespace {

using Variables = std::vector<double>;

// Every group occurs: point p < group_count has group p.
GroupedPoints random_points(Draws& draws, std::size_t n, std::size_t d, std::uint32_t group_count) {
    GroupedPoints points;
    for (std::size_t p = 0; p < n; ++p)
        points.groups.push_back(static_cast<GroupId>(p < group_count ? p : draws.below(group_count)));
    for (std::size_t i = 0; i < n * d; ++i) points.rows.push_back(static_cast<float>(4 * draws.unit() - 2));
    return points;
}

struct Case {
    SmoothFairKmeans::Options options;
    GroupedPoints points;
    Variables x;

    [[nodiscard]] SmoothFairKmeans objectives() const { return {options, points.rows, points.groups}; }
    [[nodiscard]] std::size_t d() const { return static_cast<std::size_t>(options.dimensions); }
    [[nodiscard]] std::size_t k() const { return static_cast<std::size_t>(options.clusters); }
    [[nodiscard]] std::size_t group_count() const { return static_cast<std::size_t>(options.groups); }
    [[nodiscard]] std::size_t logits() const { return k() * d(); }
};

// Centres in [-2, 2], logits in [-2, 2].
Case random_case(std::uint64_t seed) {
    Draws draws(seed);
    Case c;
    c.options = {.dimensions = static_cast<int>(1 + draws.below(3)),
                 .clusters = static_cast<int>(1 + draws.below(4)),
                 .groups = static_cast<int>(2 + draws.below(3)),
                 .temperature = 0.05 + draws.unit(),
                 .batch = static_cast<int>(1 + draws.below(5))};
    const std::size_t n = 5 + draws.below(10);
    c.points = random_points(draws, n, c.d(), static_cast<std::uint32_t>(c.options.groups));
    for (std::size_t i = 0; i < c.logits() + n * c.k(); ++i) {
        const double value = 4 * draws.unit() - 2;
        c.x.push_back(i < c.logits() ? value : value / std::sqrt(static_cast<double>(n)));
    }
    return c;
}

// The definitions, term by term.
namespace naive {

double share(const Case& c, std::size_t p, std::size_t l) {
    const double scale = std::sqrt(static_cast<double>(c.points.size()));
    const double* u = &c.x[c.logits() + p * c.k()];
    double sum = 0;
    for (std::size_t m = 0; m < c.k(); ++m) sum += std::exp(scale * u[m]);
    return std::exp(scale * u[l]) / sum;
}
double cost(const Case& c) {
    double sum = 0;
    for (std::size_t p = 0; p < c.points.size(); ++p)
        for (std::size_t l = 0; l < c.k(); ++l)
            for (std::size_t i = 0; i < c.d(); ++i)
                sum += share(c, p, l) * std::pow(c.points.rows[p * c.d() + i] - c.x[l * c.d() + i], 2);
    return sum / static_cast<double>(c.points.size());
}
std::vector<double> ratios(const Case& c) {
    std::vector<double> all;
    const auto count = [&](std::size_t l, std::size_t j) {
        double sum = 0;
        for (std::size_t p = 0; p < c.points.size(); ++p) sum += c.points.groups[p] == j ? share(c, p, l) : 0;
        return sum;
    };
    for (std::size_t l = 0; l < c.k(); ++l)
        for (std::size_t j = 0; j < c.group_count(); ++j)
            for (std::size_t other = 0; other < c.group_count(); ++other)
                if (j != other) all.push_back(count(l, j) / count(l, other));
    return all;
}
double imbalance(const Case& c) {
    double sum = 0;
    for (const double r : ratios(c)) sum += std::exp(-r / c.options.temperature);
    return c.options.temperature * std::log(sum);
}

}  // namespace naive

// Values are sums of at most 15 * 4 * 3 terms of one sign, each of some 40 operations, an exponential of an argument
// below 100 among them, which multiplies its rounding by that.
const double tolerance = gamma(200 + 100 * 40, double_unit);

TEST(SmoothFairKmeans, ValuesAreThoseOfTheDefinition) {
    for (std::uint64_t seed = 0; seed < 100; ++seed) {
        const Case c = random_case(seed);
        SmoothFairKmeans objectives = c.objectives();
        ASSERT_EQ(objectives.size(), c.x.size());
        const double cost = naive::cost(c), imbalance = naive::imbalance(c);
        EXPECT_NEAR(objectives.cost(c.x), cost, tolerance * cost);
        const double least = std::ranges::min(naive::ratios(c)), terms = static_cast<double>(naive::ratios(c).size());
        EXPECT_NEAR(objectives.imbalance(c.x), imbalance, tolerance * (1 + c.options.temperature * 10));
        EXPECT_LE(-objectives.imbalance(c.x), least + tolerance);
        EXPECT_GE(-objectives.imbalance(c.x), least - c.options.temperature * std::log(terms) - tolerance);
    }
}

// Central differences D(h) = f' + f''' h^2 / 6 + O(h^4), off by rounding at most 2 tolerance max |f| / (2 h). As D(2 h)
// - D(h) = f''' h^2 / 2 to that order, D(h) is a third of it off.
void expect_gradient(const Variables& x, const std::function<double(const Variables&)>& f, const Variables& gradient) {
    const double h = 1e-4, size = std::abs(f(x)) + 1;
    for (std::size_t i = 0; i < x.size(); ++i) {
        const auto difference = [&](double step) {
            Variables right = x, left = x;
            right[i] += step, left[i] -= step;
            return (f(right) - f(left)) / (2 * step);
        };
        const double near = difference(h), far = difference(2 * h);
        ASSERT_NEAR(gradient[i], near, std::abs(far - near) + 2 * tolerance * size / h) << "variable " << i;
        ASSERT_LT(std::abs(far - near), 1e-3 * size) << "not smooth enough to tell";
    }
}

TEST(SmoothFairKmeans, GradientsAreThoseOfFiniteDifferences) {
    for (std::uint64_t seed = 0; seed < 40; ++seed) {
        const Case c = random_case(seed);
        SmoothFairKmeans objectives = c.objectives();
        // Earlier contents are overwritten.
        Variables of_cost(c.x.size(), 7), of_imbalance(c.x.size(), 7);
        objectives.cost_gradient(c.x, of_cost);
        objectives.imbalance_gradient(c.x, of_imbalance);
        expect_gradient(
            c.x, [&](const Variables& x) { return objectives.cost(x); }, of_cost);
        expect_gradient(
            c.x, [&](const Variables& x) { return objectives.imbalance(x); }, of_imbalance);
        // Shares do not change if all logits of a point change by the same amount; the balance does not change with the
        // centres.
        for (std::size_t p = 0; p < c.points.size(); ++p)
            for (const Variables* gradient : {&of_cost, &of_imbalance}) {
                double sum = 0, size = 0;
                for (std::size_t l = 0; l < c.k(); ++l) {
                    const double place = (*gradient)[c.logits() + p * c.k() + l];
                    sum += place, size += std::abs(place);
                }
                EXPECT_NEAR(sum, 0, tolerance * (size + 100));
            }
        for (std::size_t i = 0; i < c.logits(); ++i) EXPECT_EQ(of_imbalance[i], 0);
    }
}

// Over the n equally likely points, the estimates from one point average to the gradient; an estimate from a batch is
// the mean of such estimates.
TEST(SmoothFairKmeans, TheSampledGradientIsUnbiased) {
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
        Case c = random_case(seed);
        const int batch = c.options.batch;
        SmoothFairKmeans batches = c.objectives();
        c.options.batch = 1;
        SmoothFairKmeans objectives = c.objectives();
        const auto n = static_cast<std::uint32_t>(c.points.size());
        std::vector<Variables> of_point(n);
        Draws draws(seed);
        for (std::size_t missing = n; missing > 0;) {
            Draws ahead = draws;
            Variables& estimate = of_point[ahead.below(n)];
            missing -= estimate.empty();
            estimate.assign(c.x.size(), 7);
            objectives.sampled_cost_gradient(c.x, draws, estimate);
            EXPECT_EQ(draws, ahead) << "a point takes one draw";
        }
        const auto expect_mean = [&](const Variables& of, const std::vector<std::uint32_t>& points) {
            for (std::size_t i = 0; i < of.size(); ++i) {
                double mean = 0, size = 0;
                for (const std::uint32_t p : points) {
                    mean += of_point[p][i] / static_cast<double>(points.size());
                    size += std::abs(of_point[p][i]);
                }
                ASSERT_NEAR(of[i], mean, tolerance * (size + 1)) << i;
            }
        };
        std::vector<std::uint32_t> points(n);
        for (std::uint32_t p = 0; p < n; ++p) points[p] = p;
        Variables gradient(c.x.size());
        objectives.cost_gradient(c.x, gradient);
        expect_mean(gradient, points);

        Draws ahead = draws;
        points.assign(static_cast<std::size_t>(batch), 0);
        for (std::uint32_t& p : points) p = ahead.below(n);
        batches.sampled_cost_gradient(c.x, draws, gradient);
        expect_mean(gradient, points);
    }
}

TEST(SmoothFairKmeans, StartsAtLabelsAndRoundsToThem) {
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
        Case c = random_case(seed);
        c.options.temperature = 1e-3;
        SmoothFairKmeans objectives = c.objectives();
        Draws draws(seed);
        std::vector<ClusterId> labels(c.points.size()), rounded(c.points.size());
        for (ClusterId& label : labels)
            label = static_cast<ClusterId>(draws.below(static_cast<std::uint32_t>(c.options.clusters)));
        for (const double confidence : {1e-3, 0.5, 1 - 1e-9}) {
            c.x = objectives.start(labels, confidence);
            objectives.round(c.x, rounded);
            EXPECT_EQ(rounded, labels);
            const double rest = (1 - confidence) / static_cast<double>(c.k());
            for (std::size_t p = 0; p < labels.size(); ++p)
                for (std::size_t l = 0; l < c.k(); ++l)
                    EXPECT_NEAR(naive::share(c, p, l),
                                rest + (static_cast<std::size_t>(labels[p]) == l ? confidence : 0), tolerance);
            // The centres are the best ones for the shares.
            Variables gradient(c.x.size());
            objectives.cost_gradient(c.x, gradient);
            for (std::size_t i = 0; i < c.logits(); ++i) EXPECT_NEAR(gradient[i], 0, tolerance * 100);
        }
    }
    Case c{{.dimensions = 1, .clusters = 3, .groups = 2}, {{1, 2}, {0, 1}}, {0, 0, 0, 5, 5, 4, 0, 1, 1}};
    std::vector<ClusterId> labels(2);
    c.objectives().round(c.x, labels);
    EXPECT_EQ(labels, (std::vector<ClusterId>{0, 1})) << "ties go to the lower index";
}

TEST(SmoothFairKmeans, ExtremeLogitsGiveNumbers) {
    Case c = random_case(1);
    c.options.clusters = 3;
    for (const double size : {1e3, 1e300}) {
        c.x.assign(c.logits() + c.points.size() * 3, 0);
        for (std::size_t p = 0; p < c.points.size(); ++p) c.x[c.logits() + p * 3 + p % 2] = size;  // cluster 2 is empty
        SmoothFairKmeans objectives = c.objectives();
        Variables gradient(c.x.size());
        EXPECT_TRUE(std::isfinite(objectives.cost(c.x)));
        EXPECT_LE(-objectives.imbalance(c.x), 0) << "an empty cluster has balance 0";
        EXPECT_TRUE(std::isfinite(objectives.imbalance(c.x)));
        objectives.imbalance_gradient(c.x, gradient);
        EXPECT_TRUE(std::ranges::all_of(gradient, [](double place) { return std::isfinite(place); }));
    }
}

SmoothFairKmeans::Options two_groups() {
    return {.dimensions = 2, .clusters = 2};
}

TEST(SmoothFairKmeans, RefusesBadOptions) {
    const std::vector<float> rows{0, 0, 1, 1, 2, 2};
    const std::vector<GroupId> groups{0, 1, 0};
    const auto refused = [&](std::initializer_list<std::string_view> parts, auto&& change) {
        SmoothFairKmeans::Options options = two_groups();
        change(options);
        expect_refused(Reason::bad_option, parts, [&] { SmoothFairKmeans(options, rows, groups); });
    };
    EXPECT_NO_THROW(SmoothFairKmeans(two_groups(), rows, groups));
    refused({"dimensions = 0", "at least 1"}, [](auto& o) { o.dimensions = 0; });
    refused({"dimensions = -2"}, [](auto& o) { o.dimensions = -2; });
    refused({"clusters = 0", "1 to 32767"}, [](auto& o) { o.clusters = 0; });
    refused({"clusters = 32768"}, [](auto& o) { o.clusters = 32768; });
    refused({"groups = 1", "2 to 65535"}, [](auto& o) { o.groups = 1; });
    refused({"groups = 65536"}, [](auto& o) { o.groups = 65536; });
    refused({"groups = 3", "group 2 "}, [](auto& o) { o.groups = 3; });
    refused({"batch = 0", "1 to 1e9"}, [](auto& o) { o.batch = 0; });
    for (const double bad :
         {0.0, -1.0, std::numeric_limits<double>::infinity(), std::numeric_limits<double>::quiet_NaN()})
        refused({"temperature = ", "finite"}, [bad](auto& o) { o.temperature = bad; });
}

TEST(SmoothFairKmeans, RefusesBadPoints) {
    const auto refused = [](Reason reason, std::initializer_list<std::string_view> parts, std::vector<float> rows,
                            std::vector<GroupId> groups) {
        expect_refused(reason, parts, [&] { SmoothFairKmeans(two_groups(), rows, groups); });
    };
    refused(Reason::wrong_shape, {"0 features and 0 groups"}, {}, {});
    refused(Reason::wrong_shape, {"3 features and 2 groups", "n x 2"}, {1, 2, 3}, {0, 1});
    refused(Reason::bad_feature, {"feature 1 of row 0 is nan"}, {1, std::nanf(""), 2, 3}, {0, 1});
    refused(Reason::bad_feature, {"feature 0 of row 1", "1e15"}, {1, 1, 2e15F, 3}, {0, 1});
    refused(Reason::unknown_group, {"row 1 has group 2: must be below 2"}, {1, 1, 2, 3}, {0, 2});
}

TEST(SmoothFairKmeans, RefusesBadStarts) {
    const std::vector<float> rows{0, 0, 1, 1};
    const std::vector<GroupId> groups{0, 1};
    const SmoothFairKmeans objectives(two_groups(), rows, groups);
    const auto refused = [&](Reason reason, std::initializer_list<std::string_view> parts,
                             const std::vector<ClusterId>& labels, double confidence) {
        expect_refused(reason, parts, [&] { (void)objectives.start(labels, confidence); });
    };
    refused(Reason::wrong_shape, {"1 labels", "must be 2"}, {0}, 0.5);
    refused(Reason::wrong_shape, {"label 2 of row 1", "0 to 1"}, {0, 2}, 0.5);
    refused(Reason::wrong_shape, {"label -1 of row 0"}, {no_cluster, 1}, 0.5);
    for (const double bad : {0.0, 1.0, -0.5, std::numeric_limits<double>::quiet_NaN()})
        refused(Reason::bad_option, {"confidence = ", "above 0 and below 1"}, {0, 1}, bad);
}

TEST(SmoothFairKmeans, RefusesVariablesOfTheWrongSize) {
    Case c = random_case(3);
    SmoothFairKmeans objectives = c.objectives();
    Variables gradient(c.x.size());
    std::vector<ClusterId> labels(c.points.size());
    Draws draws(1);
    const auto refuse_all = [&](std::string_view what) {
        const auto refused = [&](auto&& call) { expect_refused(Reason::wrong_shape, {what, "must be"}, call); };
        refused([&] { objectives.cost_gradient(c.x, gradient); });
        refused([&] { objectives.sampled_cost_gradient(c.x, draws, gradient); });
        refused([&] { objectives.imbalance_gradient(c.x, gradient); });
        if (what != "variables") return;
        refused([&] { (void)objectives.cost(c.x); });
        refused([&] { (void)objectives.imbalance(c.x); });
        refused([&] { objectives.round(c.x, labels); });
    };
    gradient.pop_back(), labels.pop_back();
    refuse_all("entries of a gradient");
    expect_refused(Reason::wrong_shape, {"labels", "must be"}, [&] { objectives.round(c.x, labels); });
    gradient.push_back(0), labels.push_back(0);
    c.x.pop_back();
    refuse_all("variables");
}

}  // namespace
}  // namespace fairstream::test
