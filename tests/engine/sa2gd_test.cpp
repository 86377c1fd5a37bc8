/// SA2GD as a procedure: the steps of Algorithm 4 in their order, its seeds, its ends, and its refusals.

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>
#include <stdexcept>
#include <vector>

#include <fairstream/base/types.hpp>
#include <fairstream/numeric/detail/random.hpp>
#include <fairstream/optimisation/sa2gd.hpp>

#include "support/largest_request.hpp"
#include "support/refusal.hpp"
#include "support/rounding.hpp"

namespace fairstream::test {
namespace {

constexpr double unlimited = std::numeric_limits<double>::infinity();
using Place = std::vector<double>;
using Span = std::span<const double>;

constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();
const sa2gd::Options one_of_each{.steps_a = 1, .steps_b = 1, .iterations = 20, .strong_convexity = 1};

// Gradients of integers: with steps that are powers of two, all results are exact.
sa2gd::Gradient drawing(int slope) {
    return [slope](Span, Draws& draws, std::span<double> out) {
        for (double& place : out) place = slope + static_cast<double>(draws.below(8));
    };
}

sa2gd::Gradient pulling_to(double centre) {
    return [centre](Span x, Draws&, std::span<double> out) {
        for (std::size_t i = 0; i < x.size(); ++i) out[i] = x[i] - centre;
    };
}

TEST(Sa2gd, TakesTheStepsOfAlgorithm4InTheirOrder) {
    const sa2gd::Options options{.steps_a = 3,
                                 .steps_b = 2,
                                 .iterations = 10,
                                 .step = [](std::int64_t t) { return std::ldexp(1, -static_cast<int>(t)); },
                                 .seed = 9};
    std::vector<Place> seen, seen_at_a, seen_at_b;
    const auto noting = [](std::vector<Place>& list, const sa2gd::Gradient& gradient) -> sa2gd::Gradient {
        return [&list, gradient](Span x, Draws& draws, std::span<double> out) {
            list.emplace_back(x.begin(), x.end());
            gradient(x, draws, out);
        };
    };
    const auto observe = [&](std::int64_t t, Span x) {
        seen.emplace_back(x.begin(), x.end());
        EXPECT_EQ(seen.size(), static_cast<std::size_t>(t));
    };
    const sa2gd::Result result =
        sa2gd::minimise(options, Place{1, -2}, noting(seen_at_a, drawing(-3)), noting(seen_at_b, drawing(1)), observe);

    Random random(9);
    Place y{1, -2};
    std::vector<Place> expected, at_a, at_b;
    for (int t = 0; t < 10; ++t) {
        for (int r = 0; r < 5; ++r) {
            (r < 3 ? at_a : at_b).push_back(y);
            for (double& place : y)
                place -= std::ldexp(1, -t) * ((r < 3 ? -3 : 1) + static_cast<double>(random.below(8)));
        }
        expected.push_back(y);
    }
    EXPECT_EQ(seen, expected);
    EXPECT_EQ(seen_at_a, at_a);
    EXPECT_EQ(seen_at_b, at_b);
    EXPECT_EQ(result.x, y);
    EXPECT_EQ(result.iterations, 10);
    EXPECT_EQ(result.outcome, sa2gd::Outcome::iteration_limit);
}

TEST(Sa2gd, StepsAreThoseOfTheTheorem) {
    // A gradient of -1 moves x by the step: after iteration t by n alpha_t more.
    const auto up = [](Span, Draws&, std::span<double> out) { out[0] = -1; };
    const sa2gd::Options options{.steps_a = 2, .steps_b = 3, .iterations = 50, .strong_convexity = 0.5};
    const double rounding = gamma(10, double_unit) * 20;  // x stays below 20
    double before = 0;
    const auto observe = [&](std::int64_t t, Span x) {
        EXPECT_NEAR(x[0] - before, 5 * 2 / (0.5 * static_cast<double>(t) * 5), rounding) << t;
        before = x[0];
    };
    (void)sa2gd::minimise(options, Place{0}, up, up, observe);
    EXPECT_EQ(sa2gd::weight(options), 0.4);
    EXPECT_EQ(sa2gd::weight({.steps_a = 0, .steps_b = 3}), 0);
    EXPECT_EQ(sa2gd::weight({.steps_a = 3, .steps_b = 0}), 1);
}

TEST(Sa2gd, TheSameSeedGivesTheSameBytes) {
    const auto noisy = [](Span x, Draws& draws, std::span<double> out) {
        for (std::size_t i = 0; i < x.size(); ++i) out[i] = x[i] + draws.unit();
    };
    const Place start{1, 2, 3};
    sa2gd::Options options = one_of_each;
    const Place x = sa2gd::minimise(options, start, noisy, noisy).x;
    EXPECT_EQ(sa2gd::minimise(options, start, noisy, noisy).x, x);
    options.seed = 2;
    EXPECT_NE(sa2gd::minimise(options, start, noisy, noisy).x, x);

    // A shorter run is the beginning of a longer one.
    options.iterations = 7;
    const Place seventh = sa2gd::minimise(options, start, noisy, noisy).x;
    options.iterations = 20;
    (void)sa2gd::minimise(options, start, noisy, noisy, [&](std::int64_t t, Span now) {
        EXPECT_TRUE(t != 7 || Place(now.begin(), now.end()) == seventh);
    });
}

TEST(Sa2gd, AnObjectiveWithoutStepsNeedsNoGradient) {
    sa2gd::Options options = one_of_each;
    options.steps_b = 0;
    EXPECT_EQ(sa2gd::minimise(options, Place{5}, pulling_to(3), {}).x[0], 3) << "exactly, by the second step";
    std::swap(options.steps_a, options.steps_b);
    EXPECT_EQ(sa2gd::minimise(options, Place{5}, {}, pulling_to(-4)).x[0], -4);
}

TEST(Sa2gd, NoIterationsGiveTheStart) {
    sa2gd::Options options = one_of_each;
    options.iterations = 0;
    const sa2gd::Result result = sa2gd::minimise(options, Place{5, 6}, pulling_to(0), pulling_to(0),
                                                 [](auto, auto) { ADD_FAILURE() << "nothing to observe"; });
    EXPECT_EQ(result.x, (Place{5, 6}));
    EXPECT_EQ(result.iterations, 0);
    EXPECT_EQ(result.outcome, sa2gd::Outcome::iteration_limit);
}

TEST(Sa2gd, EndsAtLastFiniteIteration) {
    for (const double bad : {not_a_number, unlimited, -unlimited}) {
        int calls = 0;
        const auto failing = [&](Span x, Draws& draws, std::span<double> out) {
            pulling_to(1)(x, draws, out);
            if (++calls == 12) out[1] = bad;
        };
        sa2gd::Options options = one_of_each;
        options.steps_b = 3;
        Place last;
        const sa2gd::Result result = sa2gd::minimise(options, Place{5, 6}, pulling_to(0), failing,
                                                     [&](auto, Span x) { last.assign(x.begin(), x.end()); });
        EXPECT_EQ(result.outcome, sa2gd::Outcome::not_finite);
        EXPECT_EQ(result.iterations, 3) << "the twelfth call is the last of the fourth iteration";
        EXPECT_EQ(result.x, last);
    }
    // A step that leaves the range, and a gradient that leaves a place unwritten.
    const auto steep = [](Span x, Draws&, std::span<double> out) { out[0] = -1e300 * x[0]; };
    EXPECT_EQ(sa2gd::minimise(one_of_each, Place{1}, steep, steep).outcome, sa2gd::Outcome::not_finite);
    const auto lazy = [](Span, Draws&, std::span<double> out) { out[0] = 0; };
    EXPECT_EQ(sa2gd::minimise(one_of_each, Place{1, 1}, lazy, lazy).outcome, sa2gd::Outcome::not_finite);
}

TEST(Sa2gd, WhatAGradientThrowsPassesThrough) {
    const auto throwing = [](Span, Draws&, std::span<double>) { throw std::runtime_error("no data"); };
    EXPECT_THROW((void)sa2gd::minimise(one_of_each, Place{1}, pulling_to(0), throwing), std::runtime_error);
}

TEST(Sa2gd, AllocatesNothingBetweenIterations) {
    const Place start(1000, 2);
    std::size_t largest = 0;
    std::int64_t observed = 0;
    const auto observe = [&](std::int64_t t, Span) {
        if (t == 1) request_watch = {true, 0};
        observed = t;
        largest = request_watch.largest;
    };
    (void)sa2gd::minimise(one_of_each, start, drawing(0), drawing(1), observe);
    request_watch.is_watching = false;
    EXPECT_EQ(observed, 20);
    EXPECT_EQ(largest, 0U);
}

void expect_option_refused(std::initializer_list<std::string_view> parts, const sa2gd::Options& options) {
    expect_refused(Reason::bad_option, parts, [&] { sa2gd::check(options); });
    expect_refused(Reason::bad_option, parts, [&] {
        (void)sa2gd::minimise(options, Place{1}, pulling_to(0), pulling_to(0), [](auto, auto) { ADD_FAILURE(); });
    });
}

TEST(Sa2gd, RefusesOptionsOutsideTheirRanges) {
    const auto with = [](auto&& change) {
        sa2gd::Options options = one_of_each;
        change(options);
        return options;
    };
    EXPECT_NO_THROW(sa2gd::check(one_of_each));
    expect_option_refused({"steps_a = -1", "0 to 1e9"}, with([](auto& o) { o.steps_a = -1; }));
    expect_option_refused({"steps_b = -7", "0 to 1e9"}, with([](auto& o) { o.steps_b = -7; }));
    expect_option_refused({"steps_a = 1000000001"}, with([](auto& o) { o.steps_a = 1'000'000'001; }));
    expect_option_refused({"steps_b = 9223372036854775807"},
                          with([](auto& o) { o.steps_b = std::numeric_limits<std::int64_t>::max(); }));
    expect_option_refused({"steps_a + steps_b = 0", "above 0"}, with([](auto& o) { o.steps_a = o.steps_b = 0; }));
    expect_option_refused({"iterations = -1", "at least 0"}, with([](auto& o) { o.iterations = -1; }));
    expect_option_refused({"strong_convexity = 0", "above 0"}, with([](auto& o) { o.strong_convexity = 0; }));
    expect_option_refused({"strong_convexity = -0.5"}, with([](auto& o) { o.strong_convexity = -0.5; }));
    expect_option_refused({"strong_convexity = inf"}, with([](auto& o) { o.strong_convexity = unlimited; }));
    expect_option_refused({"strong_convexity = nan"}, with([](auto& o) { o.strong_convexity = not_a_number; }));
    expect_option_refused({"strong_convexity = 1", "step"}, with([](auto& o) { o.step = [](auto) { return 1.0; }; }));
}

TEST(Sa2gd, RefusesStepSizesGradientsAndStarts) {
    const auto run = [](const sa2gd::Options& options, const Place& start, const sa2gd::Gradient& a,
                        const sa2gd::Gradient& b) { (void)sa2gd::minimise(options, start, a, b); };
    for (const auto& [size, text] :
         {std::pair{0.0, "= 0:"}, {-1.0, "= -1:"}, {unlimited, "inf"}, {not_a_number, "nan"}}) {
        sa2gd::Options options = one_of_each;
        options.strong_convexity = 0;
        options.step = [bad = size](std::int64_t t) { return t < 4 ? 0.5 : bad; };
        expect_refused(Reason::bad_option, {"step size 4", text, "above 0 and finite"},
                       [&] { run(options, {1}, pulling_to(0), pulling_to(0)); });
    }
    sa2gd::Options tiny = one_of_each;
    tiny.strong_convexity = 5e-324;
    expect_refused(Reason::bad_option, {"step size 0 = inf"}, [&] { run(tiny, {1}, pulling_to(0), pulling_to(0)); });
    expect_refused(Reason::bad_option, {"f^a"}, [&] { run(one_of_each, {1}, {}, pulling_to(0)); });
    expect_refused(Reason::bad_option, {"f^b"}, [&] { run(one_of_each, {1}, pulling_to(0), {}); });
    expect_refused(Reason::wrong_shape, {"0 coordinates"}, [&] { run(one_of_each, {}, pulling_to(0), pulling_to(0)); });
    expect_refused(Reason::bad_feature, {"start[1] = nan"}, [&] {
        run(one_of_each, {1, not_a_number}, pulling_to(0), pulling_to(0));
    });
    expect_refused(Reason::bad_feature, {"start[0] = -inf"},
                   [&] { run(one_of_each, {-unlimited}, pulling_to(0), pulling_to(0)); });
}

TEST(Draws, AreThoseOfTheEnginesGenerator) {
    Draws draws(42);
    Random random(42);
    for (int i = 0; i < 100; ++i) {
        ASSERT_EQ(draws.next(), random.next());
        ASSERT_EQ(draws.below(3'000'000'000), random.below(3'000'000'000));
        ASSERT_EQ(draws.unit(), random.unit());
        ASSERT_EQ(draws(), random.next());
    }
    Draws copy = draws;
    EXPECT_EQ(copy, draws);
    EXPECT_EQ(copy.next(), draws.next());
    (void)copy.next();
    EXPECT_NE(copy, draws);
    static_assert(std::uniform_random_bit_generator<Draws>);
}

}  // namespace
}  // namespace fairstream::test
