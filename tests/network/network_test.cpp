/// Networks: their outputs, and how they learn.

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include <fairstream/network/network.hpp>
#include <fairstream/network/train.hpp>

#include "support/matrices.hpp"
#include "support/refusal.hpp"
#include "support/threads.hpp"

namespace fairstream {
namespace {

using namespace fairstream::test;

const std::vector<std::size_t> small{3, 17, 9, 2};

std::vector<float> random_rows(std::size_t n, std::size_t d, std::uint64_t seed) {
    Random random(seed, 8);
    std::vector<float> rows(n * d);
    for (float& x : rows) x = normal(random);
    return rows;
}

double active(Activation activation, double z) {
    if (activation == Activation::relu) return std::max(z, 0.0);
    if (activation == Activation::tanh) return std::tanh(z);
    return activation == Activation::sigmoid ? 1 / (1 + std::exp(-z)) : z;
}

// Outputs of one row by the definition, in double.
std::vector<double> plain_outputs(const Network& network, const float* row) {
    std::vector<double> values(row, row + network.inputs());
    for (const Layer& layer : network.layers) {
        std::vector<double> next;
        for (std::size_t i = 0; i < layer.weights.rows; ++i) {
            double sum = layer.bias[i];
            for (std::size_t j = 0; j < layer.weights.cols; ++j) sum += layer.weights.at(i, j) * values[j];
            next.push_back(active(layer.activation, sum));
        }
        values = next;
    }
    return values;
}

TEST(Network, MakesOfRowsWhatItsLayersSay) {
    for (const Activation hidden : {Activation::identity, Activation::relu, Activation::tanh, Activation::sigmoid}) {
        const Network network = random_network(small, hidden, 1);
        check(network);
        const std::vector<float> rows = random_rows(301, 3, 2);
        const std::vector<float> out = Evaluation(network)(rows);
        ASSERT_EQ(out.size(), 602U);
        for (std::size_t i = 0; i < 301; ++i)
            for (std::size_t j = 0; j < 2; ++j)
                EXPECT_NEAR(out[2 * i + j], plain_outputs(network, &rows[3 * i])[j], 1e-5);
    }
}

TEST(Network, SplitEvaluationMatches) {
    const Network network = random_network(small, Activation::relu, 3);
    const std::vector<float> rows = random_rows(150, 3, 4);
    const std::vector<float> all = Evaluation(network)(rows);
    for (std::size_t cut = 0; cut <= 3; ++cut)
        EXPECT_EQ(Evaluation(network, cut)(Evaluation(network, 0, cut)(rows)), all) << cut;
    EXPECT_EQ(Evaluation(network, 0, 0)(rows), rows);
}

TEST(Network, RowsAreIndependent) {
    const Network network = random_network(std::vector<std::size_t>{3, 40, 1}, Activation::tanh, 5);
    const std::vector<float> rows = random_rows(500, 3, 6);
    const Evaluation evaluate(network);
    const std::vector<float> all = evaluate(rows);
    for (const std::size_t i : {0, 127, 128, 499})
        EXPECT_EQ(evaluate(ConstRows(rows).subspan(3 * i, 3))[0], all[i]) << i;
    expect_same_at_any_thread_count([&] { return evaluate(rows); });
    EXPECT_TRUE(evaluate({}).empty());
}

TEST(Network, MismatchIsRefusedByLayer) {
    const auto damaged = [](void (*damage)(Network&)) {
        Network network = random_network(small, Activation::relu, 1);
        damage(network);
        return network;
    };
    const auto refuse = [](const Network& network, std::string_view part) {
        expect_refused(Reason::bad_state, {part}, [&] { check(network); });
    };
    refuse({}, "no layers");
    refuse(damaged([](Network& n) { n.layers[1].bias.pop_back(); }), "layer 2");
    refuse(damaged([](Network& n) { n.layers[2].weights = Matrix(2, 8); }), "layer 3");
    refuse(damaged([](Network& n) { n.layers[0].weights.values.pop_back(); }), "layer 1");
    refuse(damaged([](Network& n) { n.layers[0].weights.values[3] = 1e16; }), "layer 1");
    refuse(damaged([](Network& n) { n.layers[0].bias[0] = std::numeric_limits<double>::quiet_NaN(); }), "layer 1");
    refuse(damaged([](Network& n) { n.layers[1].activation = static_cast<Activation>(9); }), "layer 2");
    refuse(damaged([](Network& n) { n.layers[1].weights = Matrix(); }), "layer 2");
}

// y = |x_0| + x_1 x_2 with noise: a network without hidden layers cannot approximate it.
struct Curve {
    Curve(std::size_t n, std::uint64_t seed) : rows(random_rows(n, 3, seed)) {
        Random random(seed, 12);
        for (std::size_t i = 0; i < n; ++i)
            y.push_back(std::abs(rows[3 * i]) + rows[3 * i + 1] * rows[3 * i + 2] + 0.1F * normal(random));
    }
    [[nodiscard]] TargetRows view() const { return {rows, y}; }
    std::vector<float> rows, y;
};

TEST(Training, LearnsACurve) {
    const Curve learned(3'000, 1), others(1'000, 2);
    const Network start = random_network(std::vector<std::size_t>{3, 32, 32, 1}, Activation::relu, 1);
    const Network found = trained(start, learned.view(), {.epochs = 30, .batch = 64, .rate = 5e-3, .decay = 0.9});
    check(found);
    EXPECT_GT(mean_squared_error(start, others.view()), 0.8);
    EXPECT_LT(mean_squared_error(found, others.view()), 0.06);
}

// One step of Adam over the whole sample moves each weight by `rate` against the sign of its derivative.
TEST(Training, FollowsTheDerivatives) {
    const Curve curve(40, 3);
    for (const Activation hidden : {Activation::tanh, Activation::sigmoid}) {
        const Network start = random_network(std::vector<std::size_t>{3, 5, 1}, hidden, 4);
        const Network next = trained(start, curve.view(), {.epochs = 1, .batch = 40, .rate = 1e-4});
        const auto error = [&](Network network, std::size_t l, std::size_t e, double step) {
            network.layers[l].weights.values[e] += step;
            double sum = 0;
            for (std::size_t i = 0; i < 40; ++i)
                sum += std::pow(plain_outputs(network, &curve.rows[3 * i])[0] - double{curve.y[i]}, 2);
            return sum / 40;
        };
        for (std::size_t l = 0; l < 2; ++l)
            for (std::size_t e = 0; e < start.layers[l].weights.values.size(); ++e) {
                const double slope = (error(start, l, e, 1e-5) - error(start, l, e, -1e-5)) / 2e-5;
                if (std::abs(slope) < 1e-3) continue;
                EXPECT_NEAR(next.layers[l].weights.values[e] - start.layers[l].weights.values[e],
                            slope > 0 ? -1e-4 : 1e-4, 1e-7);
            }
    }
}

TEST(Training, LeavesLayersBeforeTheFirstAlone) {
    const Curve curve(200, 5);
    const Network start = random_network(small, Activation::relu, 6);
    std::vector<float> both;
    for (const float y : curve.y) both.insert(both.end(), {y, -y});
    const Network found = trained(start, {curve.rows, both}, {.epochs = 2, .first_layer = 2});
    EXPECT_EQ(found.layers[0], start.layers[0]);
    EXPECT_EQ(found.layers[1], start.layers[1]);
    EXPECT_NE(found.layers[2], start.layers[2]);
}

// The network with the lowest error before `patience` epochs without a lower one, found from all shorter trainings.
TEST(Training, KeepsBestOnHeldBackRows) {
    constexpr int patience = 3;
    const Curve few(60, 7), held_back(500, 8);
    const Network start = random_network(std::vector<std::size_t>{3, 64, 1}, Activation::relu, 2);
    TrainOptions options{.epochs = 100, .batch = 20, .rate = 2e-2, .decay = 1};
    Network best = start;
    double least = mean_squared_error(start, held_back.view());
    bool ended = false;
    for (int epochs = 1, since = 0; epochs <= options.epochs && !ended; ++epochs) {
        TrainOptions shorter = options;
        shorter.epochs = epochs;
        const Network found = trained(start, few.view(), shorter);
        const double error = mean_squared_error(found, held_back.view());
        ++since;
        if (error < least) best = found, least = error, since = 0;
        ended = since == patience;
    }
    EXPECT_TRUE(ended) << "the errors of this training only fall, and say nothing of its end";
    options.patience = patience;
    EXPECT_EQ(trained(start, few.view(), options, held_back.view()), best);
}

TEST(Training, TakesAWeightForAsManyEqualRows) {
    const Curve curve(30, 9);
    std::vector<double> weights;
    std::vector<float> rows, targets;
    for (std::size_t i = 0; i < 30; ++i) {
        weights.push_back(static_cast<double>(1 + i % 3));
        for (std::size_t copy = 0; copy <= i % 3; ++copy) {
            rows.insert(rows.end(), &curve.rows[3 * i], &curve.rows[3 * i] + 3);
            targets.push_back(curve.y[i]);
        }
    }
    const Network start = random_network(std::vector<std::size_t>{3, 8, 1}, Activation::tanh, 3);
    const Network one = trained(start, {curve.rows, curve.y, weights}, {.epochs = 5, .batch = 1'000});
    const Network many = trained(start, {rows, targets}, {.epochs = 5, .batch = 1'000});
    for (std::size_t l = 0; l < 2; ++l)
        EXPECT_LE(largest_difference(one.layers[l].weights, many.layers[l].weights), 1e-9);
    EXPECT_NEAR(mean_squared_error(one, {curve.rows, curve.y, weights}), mean_squared_error(one, {rows, targets}),
                1e-9);
}

TEST(Training, MakesTheSameNetworkAtAnyThreadCount) {
    const Curve curve(700, 10);
    const Network start = random_network(std::vector<std::size_t>{3, 40, 40, 1}, Activation::relu, 3);
    expect_same_at_any_thread_count([&] { return trained(start, curve.view(), {.epochs = 2, .batch = 600}); });
}

TEST(Training, RefusesWhatItCannotDo) {
    const Curve curve(10, 1);
    const Network start = random_network(std::vector<std::size_t>{3, 4, 1}, Activation::relu, 3);
    const auto refuse = [&](std::string_view name, const TrainOptions& options) {
        expect_refused(Reason::bad_option, {name}, [&] { (void)trained(start, curve.view(), options); });
    };
    refuse("epochs", {.epochs = 0});
    refuse("batch", {.batch = 0});
    refuse("rate", {.rate = 0});
    refuse("rate", {.rate = std::numeric_limits<double>::quiet_NaN()});
    refuse("decay", {.decay = 2});
    refuse("first_layer", {.first_layer = 2});
    refuse("patience", {.patience = -1});
    expect_refused(Reason::wrong_shape, {"targets"}, [&] {
        (void)trained(start, {curve.rows, std::span(curve.y).first(9)}, {});
    });
}

// With a negligible ridge, no other last layer has a lower error.
TEST(Refit, OfTheLastLayerIsLeastSquares) {
    const Curve curve(400, 11);
    Network network = random_network(std::vector<std::size_t>{3, 6, 1}, Activation::tanh, 4);
    const double before = mean_squared_error(network, curve.view());
    network = with_last_layer_refitted(network, curve.view(), 1e-12);
    const double least = mean_squared_error(network, curve.view());
    EXPECT_LT(least, before);
    Random random(3);
    for (int draw = 0; draw < 200; ++draw) {
        Network other = network;
        for (double& value : other.layers[1].weights.values) value += 0.05 * (random.unit() - 0.5);
        other.layers[1].bias[0] += 0.05 * (random.unit() - 0.5);
        EXPECT_GE(mean_squared_error(other, curve.view()), least - 1e-6);
    }
}

TEST(Refit, OfInputsThatNeverVaryHolds) {
    const Curve curve(50, 12);
    Network network = random_network(std::vector<std::size_t>{3, 6, 1}, Activation::relu, 4);
    for (double& bias : network.layers[0].bias) bias = -1e3;  // no unit is ever active
    network = with_last_layer_refitted(network, curve.view());
    check(network);
    double mean = 0;
    for (const float y : curve.y) mean += double{y} / 50;
    EXPECT_NEAR(Evaluation(network)(ConstRows(curve.rows).first(3))[0], mean, 1e-5);
}

}  // namespace
}  // namespace fairstream
