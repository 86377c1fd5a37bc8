/// Attainable targets are met: instances whose groups were counted out so that some clustering keeps the target.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>
#include <string>

#include <fairstream/engine.hpp>
#include <fairstream/fairness/measures.hpp>
#include <fairstream/models/safairkm/safairkm.hpp>
#include <fairstream/numeric/detail/random.hpp>

#include "support/repetitions.hpp"

namespace fairstream {
namespace {

// Points of k planted clusters whose counts keep a balance, independent of their positions.
struct Planted {
    int clusters = 0;
    double balance = 0;
    StreamFormat format;
    PointColumns points;
    std::string what;
};

class Planter {
public:
    explicit Planter(std::uint64_t seed) : random_(seed, 77) {}

    Planted plant() {
        Planted p;
        p.clusters = 2 + static_cast<int>(random_.below(49));
        const std::size_t groups = 2 + random_.below(7);
        const bool tiny = random_.below(3) == 0;  // clusters of a few points
        p.balance =
            tiny ? std::vector{0.25, 1.0 / 3, 0.4, 0.5, 2.0 / 3}[random_.below(5)] : 0.05 + 0.9 * random_.unit();
        Attribute attribute{"group", {}};
        for (std::size_t j = 0; j < groups; ++j) attribute.groups.push_back(std::to_string(j));
        const auto d = static_cast<std::uint32_t>(1 + random_.below(5));
        p.format = {d, {attribute}, false};
        std::vector<GroupId> drawn;
        for (int l = 0; l < p.clusters; ++l) plant_cluster(p.balance, groups, tiny, drawn);
        for (std::size_t i = drawn.size(); i > 1; --i)
            std::swap(drawn[i - 1], drawn[random_.below(static_cast<std::uint32_t>(i))]);
        const bool heavy = random_.below(2) == 0;
        for (std::size_t i = 0; i < drawn.size(); ++i) {
            p.points.ids.push_back(i + 1);
            p.points.groups.push_back(drawn[i]);
            // Groups that lie apart make balance expensive.
            for (std::uint32_t j = 0; j < d; ++j)
                p.points.features.push_back(static_cast<float>((heavy ? cauchy() : random_.unit()) + drawn[i]));
        }
        p.what = std::to_string(p.clusters) + " clusters, " + std::to_string(groups) + " groups, " +
                 std::to_string(drawn.size()) + " points, balance " + std::to_string(p.balance) +
                 (heavy ? ", heavy tails" : "");
        return p;
    }

private:
    double cauchy() { return std::tan(std::numbers::pi * (random_.unit() - 0.5)); }

    // One group is the largest; every other one has between `balance` times and exactly as many points.
    void plant_cluster(double balance, std::size_t groups, bool tiny, std::vector<GroupId>& drawn) {
        const auto most = static_cast<double>(1 + random_.below(tiny ? 6 : 14));
        const std::size_t largest = random_.below(static_cast<std::uint32_t>(groups));
        for (std::size_t j = 0; j < groups; ++j) {
            const double least = std::ceil(balance * most - 1e-9);
            const double count = j == largest ? most : least + std::floor((most - least) * random_.unit());
            drawn.insert(drawn.end(), static_cast<std::size_t>(count), static_cast<GroupId>(j));
        }
    }

    Random random_;
};

double smallest_balance(const Engine& engine, int clusters, std::size_t groups) {
    std::vector<std::int64_t> counts(static_cast<std::size_t>(clusters) * groups);
    const std::span<const ClusterId> labels = engine.labels("m");
    for (Slot slot = 0; slot < labels.size(); ++slot)
        ++counts[static_cast<std::size_t>(labels[slot]) * groups + engine.window().group(slot, 0)];
    double smallest = 1;
    for (std::size_t l = 0; l < static_cast<std::size_t>(clusters); ++l) {
        const auto [least, most] = std::ranges::minmax(std::span(counts).subspan(l * groups, groups));
        smallest = std::min(smallest, most == 0 ? 0.0 : static_cast<double>(least) / static_cast<double>(most));
    }
    return smallest;
}

// Number of instances: FAIRSTREAM_INSTANCES, by default 40. `FAIRSTREAM_INSTANCES=1000 build/release/bin/test_safairkm
// --gtest_filter='FeasibleTargets*'` takes some minutes.
std::uint64_t instance_count() {
    return test::repetitions("FAIRSTREAM_INSTANCES", 40);
}

TEST(FeasibleTargets, EveryPlantedBalanceIsMet) {
    const std::uint64_t instances = instance_count();
    ASSERT_GT(instances, 0U);
    int missed = 0;
    for (std::uint64_t seed = 1; seed <= instances; ++seed) {
        const Planted planted = Planter(seed).plant();
        safairkm::Options options;
        options.clusters = planted.clusters;
        options.targets.balance_at_least = planted.balance;
        options.targets.rare_below = 0;
        options.starts = 1;
        Engine engine({planted.format, {static_cast<Slot>(planted.points.ids.size())}, {{"m", options, {}}}}, 1);
        engine.ingest(planted.points.view());
        const Solve solve = engine.ingest(Refinement{"m", 0}).models[0].solve;
        const double reached = smallest_balance(engine, planted.clusters, planted.format.attributes[0].groups.size());
        if (solve.outcome != Outcome::converged || reached < planted.balance) {
            ++missed;
            ADD_FAILURE() << "seed " << seed << ": " << planted.what << ": reached " << reached;
        }
    }
    EXPECT_EQ(missed, 0) << "of " << instances;
}

}  // namespace
}  // namespace fairstream
