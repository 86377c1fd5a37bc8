/// Measures fair regression: what the closed forms cost and give. Prints one JSON object.
///
///   bench_regression fronts FILE GROUP TARGET raw|standardised FIRST_SPLIT LAST_SPLIT
///   bench_regression networks FILE GROUP TARGET raw|standardised FIRST_SPLIT LAST_SPLIT
///   bench_regression penalised FILE GROUP TARGET raw|standardised FIRST_SPLIT LAST_SPLIT
///   bench_regression solve WIDTH ROWS
///   bench_regression moments WIDTH ROWS THREADS

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <numeric>
#include <string>
#include <vector>

#include <tbb/global_control.h>

#include <fairstream/files/points/table.hpp>
#include <fairstream/models/esvd_fair/fair_network.hpp>
#include <fairstream/network/train.hpp>
#include <fairstream/numeric/draws.hpp>

#include "moment_penalty.hpp"

namespace fairstream::benchmarks {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point begun) {
    return std::chrono::duration<double>(Clock::now() - begun).count();
}

struct Sample {
    std::vector<float> rows, targets;
    std::vector<GroupId> groups;
    [[nodiscard]] TargetRows view() const { return {rows, targets}; }
    [[nodiscard]] esvd_fair::LabelledRows labelled() const { return {view(), groups, 2}; }
};

struct Split {
    Sample training, validation, test;
};

/// 70, 15 and 15 per cent of the rows.
Split split(const files::Table& table, std::uint64_t seed) {
    const std::size_t n = table.size(), d = table.format.dimensions;
    std::vector<std::size_t> order(n);
    std::iota(order.begin(), order.end(), std::size_t{0});
    Draws draws(seed);
    for (std::size_t i = n; i > 1; --i) std::swap(order[i - 1], order[draws.below(static_cast<std::uint32_t>(i))]);
    Split out;
    for (std::size_t at = 0; at < n; ++at) {
        Sample& part = at < n * 7 / 10 ? out.training : at < n * 85 / 100 ? out.validation : out.test;
        const std::size_t i = order[at];
        for (std::size_t j = 0; j < d; ++j) part.rows.push_back(static_cast<float>(table.features[i * d + j]));
        part.targets.push_back(static_cast<float>(table.targets[i]));
        part.groups.push_back(table.groups[i]);
    }
    return out;
}

void print(bool& first, std::uint64_t seed, const std::string& model, double wish, const Network& network,
           const Split& data) {
    const esvd_fair::Fit test = measure(network, data.test.labelled()),
                         validation = measure(network, data.validation.labelled());
    std::printf("%s{\"split\": %llu, \"model\": \"%s\", \"wish\": %.6g, \"mse\": %.6f, \"ks\": %.6f, ",
                first ? "" : ",\n", static_cast<unsigned long long>(seed), model.c_str(), wish, test.mse, test.ks);
    std::printf("\"validation_mse\": %.6f, \"validation_ks\": %.6f}", validation.mse, validation.ks);
    first = false;
}

/// Returns the paper's network with its last layer trained further, as in its experiments.
Network as_in_the_paper(const Network& network, const Sample& sample, double part, TrainOptions training) {
    esvd_fair::FairOptions options = esvd_fair::papers_options();
    options.refits = false;
    options.means = part, options.spreads = part / 10;
    training.epochs = 50;
    training.first_layer = network.layers.size() - 1;
    return trained(equalised(network, sample.labelled(), options).network, sample.view(), training);
}

/// The paper's network: four hidden layers of 256, twenty epochs.
Network network_of(const Split& data, std::size_t dimensions, TrainOptions& training) {
    const std::size_t widths[] = {dimensions, 256, 256, 256, 256, 1};
    return trained(random_network(widths, Activation::relu, training.seed), data.training.view(), training);
}

template <class Values> void print(const char* name, const Values& values) {
    std::printf("\"%s\": [", name);
    for (std::size_t i = 0; i < values.size(); ++i)
        std::printf("%s%.7g", i == 0 ? "" : ", ", static_cast<double>(values[i]));
    std::printf("]");
}

void print(const char* name, const Sample& sample) {
    std::printf("\"%s\": {", name);
    print("rows", sample.rows);
    std::printf(", ");
    print("groups", sample.groups);
    std::printf(", ");
    print("targets", sample.targets);
    std::printf("}");
}

/// Prints networks and rows, for peers in Python.
void networks(const files::Table& table, std::uint64_t from, std::uint64_t to) {
    std::printf("{\"splits\": [");
    for (std::uint64_t seed = from; seed < to; ++seed) {
        const Split data = split(table, seed);
        TrainOptions training;
        training.seed = seed;
        const Network network = network_of(data, table.format.dimensions, training);
        std::printf("%s{\"layers\": [", seed == from ? "" : ",\n");
        for (std::size_t l = 0; l < network.layers.size(); ++l) {
            std::printf("%s{", l == 0 ? "" : ", ");
            print("weights", network.layers[l].weights.values);
            std::printf(", ");
            print("bias", network.layers[l].bias);
            std::printf("}");
        }
        std::printf("], ");
        print("training", data.training);
        std::printf(", ");
        print("test", data.test);
        std::printf("}");
    }
    std::printf("]}\n");
}

/// Trains networks further with penalties, on the last two layers or all. Also does so without a penalty, and makes
/// those networks fair: the effect of longer training is not the penalty's.
void penalised(const files::Table& table, std::uint64_t from, std::uint64_t to) {
    const MomentPenalty penalties[] = {{1, 0}, {3, 0}, {10, 0}, {30, 0}, {10, 10}};
    bool first = true;
    std::printf("{\"rows\": [\n");
    for (std::uint64_t seed = from; seed < to; ++seed) {
        const Split data = split(table, seed);
        TrainOptions training;
        training.seed = seed;
        const Network none = network_of(data, table.format.dimensions, training);
        training.epochs = 30, training.batch = 256, training.rate = 2e-3, training.decay = 0.92;
        for (const bool all : {false, true}) {
            training.first_layer = all ? 0 : none.layers.size() - 2;
            const std::string layers = all ? "all layers" : "two layers";
            const auto trained_on = [&](const MomentPenalty& penalty) {
                return trained_with_penalty(none, data.training.view(), data.training.groups, penalty, training);
            };
            for (const MomentPenalty& penalty : penalties)
                print(first, seed,
                      layers +
                          (penalty.spreads > 0 ? ", penalty on means and 10 times on variances" : ", penalty on means"),
                      penalty.strength, trained_on(penalty), data);
            const Network longer = trained_on({0, 0});
            print(first, seed, layers + " trained on without penalty", 0, longer, data);
            const esvd_fair::FairOptions options;
            print(first, seed, layers + " trained on without penalty, then the default", options.means,
                  equalised(longer, data.training.labelled(), options).network, data);
        }
    }
    std::printf("\n]}\n");
}

void fronts(const files::Table& table, std::uint64_t from, std::uint64_t to) {
    bool first = true;
    std::printf("{\"rows\": [\n");
    for (std::uint64_t seed = from; seed < to; ++seed) {
        const Split data = split(table, seed);
        TrainOptions training;
        training.seed = seed;
        const Network none = network_of(data, table.format.dimensions, training);
        print(first, seed, "none", 1, none, data);
        for (const double part : {1.0 / 1.5, 1.0 / 5, 1.0 / 15, 1.0 / 50})
            print(first, seed, "paper", part, as_in_the_paper(none, data.training, part, training), data);
        for (const double part : {0.3, 0.1, 0.05, 0.03, 0.01, 1e-3}) {
            esvd_fair::FairOptions options;
            options.means = part;
            print(first, seed, "last layer", part, equalised(none, data.training.labelled(), options).network, data);
            options.layers = {1, 2};
            print(first, seed, "two layers", part, equalised(none, data.training.labelled(), options).network, data);
        }
        const esvd_fair::LabelledRows fitted = data.training.labelled(), held_back = data.validation.labelled();
        for (const double at_most : {0.3, 0.2, 0.16, 0.13, 0.1}) {
            const esvd_fair::KsWish wish = wish_for_new_rows(at_most, fitted, held_back).value();
            print(first, seed, "by wish", at_most, equalised_to(none, fitted, held_back, wish).network, data);
        }
    }
    std::printf("\n]}\n");
}

Sample random_sample(std::size_t n, std::size_t d) {
    Sample out;
    Draws draws(7);
    for (std::size_t i = 0; i < n; ++i) {
        out.groups.push_back(static_cast<GroupId>(i % 2));
        for (std::size_t j = 0; j < d; ++j)
            out.rows.push_back(static_cast<float>((1 + 0.3 * static_cast<double>(i % 2)) * (draws.unit() - 0.4)));
    }
    return out;
}

void solve(std::size_t width, std::size_t rows) {
    const Sample sample = random_sample(rows, width);
    GroupMoments moments(2, width);
    moments.add({sample.rows, sample.groups});
    const Network network = random_network(std::vector<std::size_t>{width, width, 1}, Activation::relu, 1);
    const Matrix& weights = network.layers[0].weights;
    std::printf("{");
    for (const esvd_fair::Form form : {esvd_fair::Form::paper, esvd_fair::Form::optimal}) {
        double all = 1e300;
        for (int trial = 0; trial < 5; ++trial) {
            const auto begun = Clock::now();
            const esvd_fair::Equaliser equaliser(esvd_fair::input_moments(moments, 1e-5), form);
            const Matrix spread = equaliser.spreads(weights, spread_gap(weights, equaliser.inputs()) / 150).weights;
            const double change = equaliser.means(spread, mean_gap(spread, equaliser.inputs()) / 15).change;
            if (change >= 0) all = std::min(all, seconds_since(begun));
        }
        std::printf("%s\"%s\": %.6f", form == esvd_fair::Form::paper ? "" : ", ",
                    form == esvd_fair::Form::paper ? "paper" : "optimal", all);
    }
    std::printf("}\n");
}

void update(std::size_t width, std::size_t rows, std::size_t threads) {
    const tbb::global_control allowed(tbb::global_control::max_allowed_parallelism, threads);
    const Sample sample = random_sample(rows, width);
    double least = 1e300;
    for (int trial = 0; trial < 30; ++trial) {
        GroupMoments moments(2, width);
        const auto begun = Clock::now();
        moments.add({sample.rows, sample.groups});
        least = std::min(least, seconds_since(begun));
    }
    std::printf("{\"seconds\": %.6f}\n", least);
}

int run(int count, char** arguments) {
    const std::vector<std::string> given(arguments + 1, arguments + count);
    const auto number = [&](std::size_t i) {
        return static_cast<std::size_t>(std::strtoull(given[i].c_str(), nullptr, 10));
    };
    const bool of_splits = given.size() == 7;
    if (of_splits && (given[0] == "fronts" || given[0] == "networks" || given[0] == "penalised")) {
        files::Roles columns;
        columns.groups = {{given[2], {}}};
        columns.target = given[3];
        files::Table table = files::read_table(given[1], columns);
        if (given[4] == "standardised") files::standardise(table);
        (given[0] == "fronts" ? fronts : given[0] == "networks" ? networks : penalised)(table, number(5), number(6));
        return 0;
    }
    if (given.size() == 3 && given[0] == "solve") return solve(number(1), number(2)), 0;
    if (given.size() == 4 && given[0] == "moments") return update(number(1), number(2), number(3)), 0;
    std::fprintf(stderr, "usage: bench_regression fronts|networks|penalised|solve|moments ...\n");
    return 2;
}

}  // namespace
}  // namespace fairstream::benchmarks

int main(int argc, char** argv) {
    try {
        return fairstream::benchmarks::run(argc, argv);
    } catch (const std::exception& error) {
        std::fprintf(stderr, "bench_regression: %s\n", error.what());
        return 1;
    }
}
