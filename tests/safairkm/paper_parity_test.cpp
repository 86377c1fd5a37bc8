/// The paper's own rule on the rows that its authors drew: costs and balances within a few percent of theirs.

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <filesystem>
#include <numeric>
#include <random>

#include <fairstream/engine.hpp>
#include <fairstream/fairness/measures.hpp>
#include <fairstream/files/points/table.hpp>
#include <fairstream/models/safairkm/safairkm.hpp>

namespace fairstream::safairkm {
namespace {

struct Case {
    const char* name;
    std::vector<std::string> features;
    SwapWith swap_with;
    std::int64_t iterations;
    double cost, balance;  // of the authors' program, one seed
};

// Returns the first `count` entries of a permutation of [0, n) as made by NumPy's RandomState(seed).permutation.
std::vector<std::uint64_t> drawn_rows(std::uint32_t seed, std::size_t n, std::size_t count) {
    std::mt19937 random(seed);
    std::vector<std::uint64_t> rows(n);
    std::iota(rows.begin(), rows.end(), 0);
    for (std::size_t i = n - 1; i > 0; --i) {
        const std::size_t mask = std::bit_ceil(i + 1) - 1;
        std::size_t j = random() & mask;
        while (j > i) j = random() & mask;
        std::swap(rows[i], rows[j]);
    }
    rows.resize(count);
    return rows;
}

class PaperParity : public ::testing::TestWithParam<Case> {};

TEST_P(PaperParity, MatchesAuthorsWithinPercent) {
    const Case& expected = GetParam();
    const auto file = std::filesystem::path(FAIRSTREAM_SOURCE_DIR) / "../shared/data" / expected.name /
                      (std::string(expected.name) + ".csv.gz");
    if (!std::filesystem::exists(file)) {
        std::printf("%s is not at hand: nothing compared\n", expected.name);
        return;
    }
    files::Table table = files::read_table(file, {expected.features, {{"group", {}}}, "", ""});
    files::standardise(table);
    files::unit_rows(table);
    files::select_rows(table, drawn_rows(1, table.size(), 5000));
    PointColumns points;
    files::copy_points(table, 0, table.size(), points);

    Options options;
    options.clusters = 10;
    options.kmeans_updates = 20;
    options.swaps = 2;  // their n_b = 4 counts moves
    options.swap = Swap::nearest;
    options.centre_update = CentreUpdate::paper;
    options.candidates = 1;
    options.candidate_growth = std::sqrt(1.005);  // theirs grows every second iteration
    options.swap_with = expected.swap_with;
    options.starts = 1;
    options.effort = 0;
    std::vector<double> costs, balances;
    for (options.seed = 1; options.seed <= 9; ++options.seed) {
        Engine engine({table.format, {5000, WindowPolicy::sliding, 1}, {{"paper", options, {}}}}, 1);
        engine.ingest(points.view());
        engine.ingest(Refinement{"paper", expected.iterations});
        const ModelReport report = engine.report("paper");
        costs.push_back(report.cost);
        balances.push_back(minimum_balance(report.tally(), 0));
    }
    std::ranges::sort(costs);
    std::ranges::sort(balances);
    // Theirs is one seed. Over ten seeds a transcription of their program spreads by 7 % in cost and, on Adult with
    // local targets, from .18 to .39 in balance (the benchmark paper_parity shows it).
    EXPECT_NEAR(costs[4] / expected.cost, 1, 0.06) << "median of nine seeds " << costs[4];
    EXPECT_NEAR(balances[4], expected.balance, 0.05) << "median of nine seeds";
}

const std::vector<std::string> adult{"age", "fnlwgt", "education_num", "capital_gain", "hours_per_week"};
const std::vector<std::string> bank{"age", "duration", "euribor3m", "nr_employed", "cons_price_idx", "campaign"};
INSTANTIATE_TEST_SUITE_P(Published, PaperParity,
                         ::testing::Values(Case{"adult", adult, SwapWith::local, 2500, .3240, .376},
                                           Case{"adult", adult, SwapWith::global, 2500, .3944, .492},
                                           Case{"bank", bank, SwapWith::local, 1500, .2283, .099},
                                           Case{"bank", bank, SwapWith::global, 1500, .3039, .185}),
                         [](const auto& parameter) {
                             return std::string(parameter.param.name) +
                                    (parameter.param.swap_with == SwapWith::local ? "Local" : "Global");
                         });

}  // namespace
}  // namespace fairstream::safairkm
