/// Targets close to the best possible: they are met, and a looser one costs hardly more than a stricter one.

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <string>
#include <vector>

#include <fairstream/engine.hpp>
#include <fairstream/fairness/attainable.hpp>
#include <fairstream/models/safairkm/safairkm.hpp>
#include <fairstream/numeric/detail/random.hpp>

#include "safairkm/from_scratch.hpp"
#include "support/streams.hpp"

namespace fairstream {
namespace {

// Separate clusters with different compositions: group j of cluster l is drawn with probability proportional to
// `odds[l][j]`.
struct Mixed {
    std::uint64_t seed = 0;
    std::size_t points = 0;
    std::vector<std::vector<double>> odds;

    [[nodiscard]] std::size_t groups() const { return odds[0].size(); }
    [[nodiscard]] StreamFormat format() const {
        Attribute attribute{"group", {}};
        for (std::size_t j = 0; j < groups(); ++j) attribute.groups.push_back(std::to_string(j));
        return {2, {attribute}, false};
    }
    [[nodiscard]] PointColumns draw() const {
        PointColumns drawn;
        Random random(seed, 3);
        std::vector<float> centres;
        for (std::size_t i = 0; i < 2 * odds.size(); ++i) centres.push_back(4 * test::normal(random));
        for (std::size_t i = 0; i < points; ++i) {
            const std::size_t l = random.below(static_cast<std::uint32_t>(odds.size()));
            drawn.ids.push_back(i + 1);
            drawn.groups.push_back(draw_group(random, odds[l]));
            for (std::size_t j = 0; j < 2; ++j) drawn.features.push_back(centres[2 * l + j] + test::normal(random));
        }
        return drawn;
    }

private:
    static GroupId draw_group(Random& random, const std::vector<double>& odds) {
        double sum = 0;
        for (const double odd : odds) sum += odd;
        double left = sum * random.unit();
        GroupId group = 0;
        while (std::size_t{group} + 1 < odds.size() && left >= odds[group]) left -= odds[group++];
        return group;
    }
};

enum class Measure { balance, parity };

struct Fit {
    double target = 0, reached = 0, cost = 0;
    Outcome outcome = Outcome::warming;
};

class NearlyBestTargets : public testing::Test {
protected:
    static Fit fit(const Mixed& mixed, Measure measure, double target, safairkm::Options options = {}) {
        options.clusters = static_cast<int>(mixed.odds.size());
        options.starts = 3;
        (measure == Measure::balance ? options.targets.balance_at_least : options.targets.parity_at_least) = {target};
        const PointColumns points = mixed.draw();
        Engine engine({mixed.format(), {static_cast<Slot>(mixed.points)}, {{"m", options, {}}}}, 1);
        engine.ingest(points.view());
        const ModelUpdate& update = engine.ingest(Refinement{"m", 0}).models[0];
        const auto of = measure == Measure::balance ? safairkm::balance : safairkm::parity;
        return {target, of(engine.window(), engine.labels("m"), mixed.odds.size(), 0), update.cost,
                update.solve.outcome};
    }

    static double best(const Mixed& mixed, Measure measure) {
        std::vector<std::int64_t> counts(mixed.groups());
        for (const GroupId group : mixed.draw().groups) ++counts[group];
        const auto k = static_cast<std::int64_t>(mixed.odds.size());
        return measure == Measure::balance ? attainable_balance(counts, k) : attainable_parity(counts, k);
    }

    // Local searches end in different places: costs are compared to within a few percent.
    static void expect_monotone(const Mixed& mixed, Measure measure, std::vector<double> parts) {
        constexpr double about = 1.03;
        double least = std::numeric_limits<double>::infinity();
        std::ranges::sort(parts, std::greater<>());
        for (const double part : parts) {
            const Fit found = fit(mixed, measure, part * best(mixed, measure));
            EXPECT_EQ(found.outcome, Outcome::converged) << part;
            EXPECT_GE(found.reached, found.target * (1 - 1e-12)) << part;
            EXPECT_LE(found.cost, about * least) << part;
            least = std::min(least, found.cost);
        }
    }
};

const Mixed two_groups{12, 1000, {{1, 9}, {3, 7}, {5, 5}, {7, 3}, {9, 1}}};
const Mixed unequal_groups{2, 1500, {{1, 9}, {2, 3}, {1, 4}, {1, 2}, {3, 7}, {1, 19}}};
const Mixed three_groups{12, 1200, {{1, 3, 6}, {2, 2, 2}, {1, 5, 1}, {3, 3, 4}}};
const std::vector<double> near_the_end = {0.98, 0.99, 0.995, 0.998, 0.999, 0.9995};

TEST_F(NearlyBestTargets, LooserBalanceIsNotMoreExpensive) {
    expect_monotone(two_groups, Measure::balance, near_the_end);
    expect_monotone(unequal_groups, Measure::balance, near_the_end);
    expect_monotone(three_groups, Measure::balance, near_the_end);
}

TEST_F(NearlyBestTargets, LooserParityIsNotMoreExpensive) {
    expect_monotone(two_groups, Measure::parity, near_the_end);
    expect_monotone(unequal_groups, Measure::parity, near_the_end);
    expect_monotone(three_groups, Measure::parity, near_the_end);
}

// Few integer counts keep the balance, but more than clusters of two points beside one of nearly all.
TEST_F(NearlyBestTargets, NearlyBestBalanceIsAffordable) {
    const double most = best(unequal_groups, Measure::balance);
    const Fit loose = fit(unequal_groups, Measure::balance, 0.99 * most);
    const Fit tight = fit(unequal_groups, Measure::balance, 0.9995 * most);
    EXPECT_EQ(tight.outcome, Outcome::converged);
    EXPECT_LE(tight.cost, 1.1 * loose.cost);
}

}  // namespace
}  // namespace fairstream
