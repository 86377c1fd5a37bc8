/// Measures fair regression: what the closed forms cost and give. Prints one JSON object.
///
///   bench_regression fronts FILE GROUP TARGET raw|standardised FIRST_SPLIT LAST_SPLIT
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

#include <fairstream/csv/table.hpp>
#include <fairstream/fairness/distribution_gaps.hpp>
#include <fairstream/models/esvd_fair/layer_adjustment.hpp>
#include <fairstream/network/train.hpp>
#include <fairstream/numeric/draws.hpp>

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
};

struct Split {
    Sample training, validation, test;
};

/// 70, 15 and 15 per cent of the rows.
Split split(const csv::Table& table, std::uint64_t seed) {
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

struct Figures {
    double mse, ks;
};

Figures figures_of(const Network& network, const Sample& sample) {
    const std::vector<float> outputs = Evaluation(network)(sample.rows);
    return {mean_squared_error(network, sample.view()), distribution_gaps(outputs, sample.groups, 2).ks};
}

struct Parts {
    double means, spreads;  ///< c_e and c_v in parts of what they are before
};

/// Adjusts the layer before the last.
Network adjusted(Network network, const Sample& sample, Parts parts, esvd_fair::Form form) {
    const std::size_t at = network.layers.size() - 2;
    const std::vector<float> inputs = Evaluation(network, 0, at)(sample.rows);
    Layer& layer = network.layers[at];
    GroupMoments moments(2, layer.weights.cols);
    moments.add({inputs, sample.groups});
    const esvd_fair::InputMoments known = esvd_fair::input_moments(moments, 1e-5);
    const auto apply = [&](const esvd_fair::Adjustment& found) {
        layer.weights = found.weights;
        for (std::size_t i = 0; i < layer.bias.size(); ++i) layer.bias[i] += found.bias_shift[i];
    };
    apply(equalise_spreads(layer.weights, known, parts.spreads * spread_gap(layer.weights, known), form));
    apply(equalise_means(layer.weights, known, parts.means * mean_gap(layer.weights, known), form));
    return network;
}

constexpr Parts all_parts[] = {{1.0 / 1.5, 1.0 / 15}, {1.0 / 5, 1.0 / 50},      {1.0 / 15, 1.0 / 150},
                               {1.0 / 50, 1.0 / 500}, {1.0 / 150, 1.0 / 1'500}, {1e-3, 1e-4}};

void print(bool& first, std::uint64_t seed, const char* model, Parts parts, const char* last, const Network& network,
           const Split& data) {
    const Figures test = figures_of(network, data.test), validation = figures_of(network, data.validation);
    std::printf(
        "%s{\"split\": %llu, \"model\": \"%s\", \"c_e\": %.6g, \"c_v\": %.6g, \"last\": \"%s\", \"mse\": %.6f, \"ks\": "
        "%.6f, \"validation_mse\": %.6f, \"validation_ks\": %.6f}",
        first ? "" : ",\n", static_cast<unsigned long long>(seed), model, parts.means, parts.spreads, last, test.mse,
        test.ks, validation.mse, validation.ks);
    first = false;
}

void fronts(const csv::Table& table, std::uint64_t from, std::uint64_t to) {
    bool first = true;
    std::printf("{\"rows\": [\n");
    for (std::uint64_t seed = from; seed < to; ++seed) {
        const Split data = split(table, seed);
        const std::size_t widths[] = {table.format.dimensions, 256, 256, 256, 256, 1};
        TrainOptions options;
        options.seed = seed;
        const Network none = trained(random_network(widths, Activation::relu, seed), data.training.view(), options);
        print(first, seed, "none", {1, 1}, "trained", none, data);
        for (const esvd_fair::Form form : {esvd_fair::Form::paper, esvd_fair::Form::optimal})
            for (const Parts parts : all_parts) {
                const char* const name = form == esvd_fair::Form::paper ? "paper" : "optimal";
                const Network moved = adjusted(none, data.training, parts, form);
                print(first, seed, name, parts, "kept", moved, data);
                print(first, seed, name, parts, "refitted", with_last_layer_refitted(moved, data.training.view()),
                      data);
                TrainOptions fine = options;
                fine.epochs = 50;
                fine.first_layer = widths[0] > 0 ? none.layers.size() - 1 : 0;
                print(first, seed, name, parts, "fine-tuned", trained(moved, data.training.view(), fine), data);
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
            const esvd_fair::InputMoments known = esvd_fair::input_moments(moments, 1e-5);
            const Matrix spread = equalise_spreads(weights, known, spread_gap(weights, known) / 150, form).weights;
            const double change = equalise_means(spread, known, mean_gap(spread, known) / 15, form).change;
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
    if (given.size() == 7 && given[0] == "fronts") {
        csv::Columns columns;
        columns.groups = {{given[2], {}}};
        columns.target = given[3];
        csv::Table table = csv::read_table(given[1], columns);
        if (given[4] == "standardised") csv::standardise(table);
        fronts(table, number(5), number(6));
        return 0;
    }
    if (given.size() == 3 && given[0] == "solve") return solve(number(1), number(2)), 0;
    if (given.size() == 4 && given[0] == "moments") return update(number(1), number(2), number(3)), 0;
    std::fprintf(stderr, "usage: bench_regression fronts|solve|moments ...\n");
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
