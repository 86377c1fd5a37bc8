/// An engine's answers about its clusters, against values computed from the window and the labels alone.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include <fairstream/fairness/measures.hpp>

#include "engine_setups.hpp"
#include "support/rounding.hpp"

namespace fairstream::test {
namespace {

// Means and cost in long double, in two passes.
struct Recomputed {
    std::vector<std::vector<long double>> means;
    std::vector<std::int64_t> sizes;
    double cost = 0;
    FairnessTally tally;
};

Recomputed recompute(const Engine& engine, std::string_view name, int k) {
    const Window& window = engine.window();
    const std::size_t d = window.dimensions();
    std::vector<int> groups;
    for (const Attribute& attribute : window.format().attributes)
        groups.push_back(static_cast<int>(attribute.groups.size()));
    Recomputed r{std::vector(static_cast<std::size_t>(k), std::vector<long double>(d)),
                 std::vector<std::int64_t>(static_cast<std::size_t>(k)), 0, FairnessTally(k, groups)};
    const std::span<const ClusterId> labels = engine.labels(name);
    for (Slot slot = 0; slot < window.size(); ++slot) {
        const auto l = static_cast<std::size_t>(labels[slot]);
        ++r.sizes[l];
        r.tally.add(labels[slot], window.groups(slot));
        for (std::size_t j = 0; j < d; ++j) r.means[l][j] += static_cast<long double>(window.features(slot)[j]);
    }
    for (std::size_t l = 0; l < r.means.size(); ++l)
        for (long double& mean : r.means[l]) mean /= static_cast<long double>(std::max<std::int64_t>(r.sizes[l], 1));
    long double total = 0;
    for (Slot slot = 0; slot < window.size(); ++slot)
        for (std::size_t j = 0; j < d; ++j) {
            const long double gap =
                static_cast<long double>(window.features(slot)[j]) - r.means[static_cast<std::size_t>(labels[slot])][j];
            total += gap * gap;
        }
    r.cost = static_cast<double>(total / window.size());
    return r;
}

void expect_report_recomputed(const Engine& engine, std::string_view name, int k) {
    const ModelReport report = engine.report(name);
    const Recomputed r = recompute(engine, name, k);
    EXPECT_EQ(report.model, name);
    EXPECT_EQ(report.tally(), r.tally);
    EXPECT_NEAR(report.cost, r.cost, 1e-9 * r.cost);
    const std::size_t d = engine.window().dimensions();
    ASSERT_EQ(report.centres.size(), static_cast<std::size_t>(k) * d);
    for (std::size_t l = 0; l < r.means.size(); ++l) {
        EXPECT_EQ(report.tally().size(static_cast<ClusterId>(l)), r.sizes[l]);
        // A centre is a double mean, which agrees far better, rounded to float.
        for (std::size_t j = 0; j < r.means[l].size() && r.sizes[l] > 0; ++j)
            EXPECT_NEAR(report.centres[l * d + j], static_cast<double>(r.means[l][j]),
                        2 * float_unit * std::abs(static_cast<double>(r.means[l][j])) + 1e-12);
    }
}

TEST(Reports, AgreeWithTheWindowAndTheLabels) {
    for (const WindowPolicy policy : {WindowPolicy::sliding, WindowPolicy::reservoir}) {
        EngineOptions options =
            setup({model("plain", {{"swaps", "0"}}), model("fair", {{"balance_at_least", "0.5"}, {"clusters", "6"}}),
                   model("paper", {{"swap", "nearest"}})},
                  150);
        options.window.policy = policy;
        Engine engine(options);
        for (const PointColumns& batch : batches(options.format, 12, 40, 3, 0.2F)) {
            const Update& update = engine.ingest(event(batch));
            const std::vector<Seen> seen(update.models.begin(), update.models.end());
            for (const auto& [i, k] : {std::pair<std::size_t, int>{0, 4}, {1, 6}, {2, 4}}) {
                ASSERT_NO_FATAL_FAILURE(expect_report_recomputed(engine, seen[i].model, k));
                const ModelReport report = engine.report(seen[i].model);
                EXPECT_EQ(report.cost, seen[i].cost);
                EXPECT_EQ(report.churn, seen[i].churn);
                EXPECT_EQ(report.tally(), seen[i].tally);
                EXPECT_EQ(report.solve, seen[i].solve);
            }
            ASSERT_FALSE(HasFailure());
        }
    }
}

// Replacing a retained id's features, evictions and refinements must leave no rounding behind that shows.
TEST(Reports, StayExactOverALongStreamOfReplacements) {
    Engine engine(setup({model("fair")}, 60, 2));
    for (std::uint64_t round = 0; round < 400; ++round) {
        PointColumns batch = mixture(engine.options().format, 30, round, 0);
        for (std::size_t i = 0; i < 30; ++i) batch.ids[i] = (round * 17 + i * 3) % 90;
        engine.ingest(event(batch));
    }
    expect_report_recomputed(engine, "fair", 4);
    engine.ingest(Refinement{"fair", 0});
    expect_report_recomputed(engine, "fair", 4);
}

TEST(Reports, AnyNumberOfAttributesIncludingNone) {
    for (std::size_t attributes = 0; attributes <= 3; ++attributes) {
        EngineOptions options = setup({model("m", {{"swaps", "0"}})}, 60, 3);
        options.format.attributes.resize(attributes, {"third", {"x", "y", "z", "w"}});
        Engine engine(options);
        for (const PointColumns& batch : batches(options.format, 4, 25, 8)) engine.ingest(event(batch));
        EXPECT_EQ(engine.report("m").tally().attributes(), static_cast<int>(attributes));
        expect_report_recomputed(engine, "m", 4);
    }
}

// -- assignment

double squared_distance(const float* row, std::span<const float> centre) {
    double total = 0;
    for (std::size_t j = 0; j < centre.size(); ++j)
        total += (double{row[j]} - double{centre[j]}) * (double{row[j]} - double{centre[j]});
    return total;
}

// Returns a row of k x 4 centres.
std::span<const float> centre_of(std::span<const float> centres, ClusterId cluster) {
    return centres.subspan(4 * static_cast<std::size_t>(cluster), 4);
}

TEST(Assign, GivesANearestCentreOfTheReport) {
    Engine engine(setup({model("fair", {{"clusters", "9"}})}));
    for (const PointColumns& batch : batches(engine.options().format, 4, 100, 2)) engine.ingest(event(batch));
    const std::vector<float> centres = engine.report("fair").centres;
    const PointColumns fresh = mixture(engine.options().format, 300, 77);
    std::vector<ClusterId> labels(300);
    engine.assign("fair", fresh.features, labels);
    for (std::size_t i = 0; i < 300; ++i) {
        double least = std::numeric_limits<double>::infinity();
        for (ClusterId cluster = 0; cluster < 9; ++cluster)
            least = std::min(least, squared_distance(&fresh.features[4 * i], centre_of(centres, cluster)));
        const double chosen = squared_distance(&fresh.features[4 * i], centre_of(centres, labels[i]));
        EXPECT_LE(chosen * (1 - gamma(10, float_unit)), least * (1 + gamma(10, float_unit)));
    }
}

// Returns the balance of a cluster's counts with one more point of `group`.
double balance_with(std::span<const std::int64_t> counts, int group) {
    std::int64_t least = std::numeric_limits<std::int64_t>::max(), most = 0;
    for (std::size_t j = 0; j < counts.size(); ++j) {
        const std::int64_t count = counts[j] + (static_cast<int>(j) == group);
        least = std::min(least, count);
        most = std::max(most, count);
    }
    return most == 0 ? 0 : static_cast<double>(least) / static_cast<double>(most);
}

// A cluster qualifies for a point that does not push it below the target: it meets the target with the point, or was
// below before and does not fall further. The nearest of these is chosen; if there is none, the cluster that falls
// least.
void expect_fair_choices(const std::string& attribute, const std::string& target, std::size_t& departures) {
    Engine engine(setup(
        {model("fair",
               {{"balance_at_least", target}, {"attribute", attribute}, {"clusters", "7"}, {"kmeans_updates", "0"}})}));
    for (const PointColumns& batch : batches(engine.options().format, 3, 80, 4)) engine.ingest(event(batch));
    const ModelReport report = engine.report("fair");
    const int a = std::stoi(attribute);
    const double goal = std::stod(target);
    const PointColumns fresh = mixture(engine.options().format, 200, 78);
    for (int group = 0; group < report.tally().groups(a); ++group) {
        std::vector<ClusterId> nearest(200), chosen(200);
        engine.assign("fair", fresh.features, nearest);
        const auto of_point = static_cast<GroupId>(group);
        for (std::size_t i = 0; i < 200; ++i)
            engine.assign_fair("fair", std::span(fresh.features).subspan(4 * i, 4), {&of_point, 1}, {&chosen[i], 1});
        const auto qualifies = [&](ClusterId l) {
            const auto counts = report.tally().counts(l, a);
            return balance_with(counts, group) >= goal || balance_with(counts, group) >= balance_with(counts, -1);
        };
        const auto distance = [&](std::size_t i, ClusterId l) {
            return squared_distance(&fresh.features[4 * i], centre_of(report.centres, l));
        };
        // By how many points the cluster falls further short with the point.
        const auto added = [&](ClusterId l) {
            const auto lacking = [&](int with) {
                double most = 0, sum = 0;
                const auto counts = report.tally().counts(l, a);
                const auto points = [&](std::size_t j) {
                    return static_cast<double>(counts[j] + (static_cast<int>(j) == with ? 1 : 0));
                };
                for (std::size_t j = 0; j < counts.size(); ++j) most = std::max(most, points(j));
                for (std::size_t j = 0; j < counts.size(); ++j) sum += std::max(0.0, goal * most - points(j));
                return sum;
            };
            return lacking(group) - lacking(-1);
        };
        for (std::size_t i = 0; i < 200; ++i) {
            bool any = false;
            for (ClusterId l = 0; l < 7; ++l) {
                if (!qualifies(l)) continue;
                any = true;
                ASSERT_LE(distance(i, chosen[i]) * (1 - gamma(10, float_unit)),
                          distance(i, l) * (1 + gamma(10, float_unit)));
            }
            ASSERT_TRUE(!any || qualifies(chosen[i]))
                << "group " << group << " pushes cluster " << chosen[i] << " below " << target;
            for (ClusterId l = 0; l < 7 && !any; ++l) ASSERT_LE(added(chosen[i]), added(l) * (1 + 1e-12)) << l;
            departures += chosen[i] != nearest[i];
        }
    }
}

TEST(AssignFair, KeepsTheTargetAndElseStaysNearest) {
    std::size_t departures = 0;
    for (const std::string attribute : {"0", "1"})
        for (const std::string target : {"0.2", "0.4", "0.6", "0.8", "1"})
            ASSERT_NO_FATAL_FAILURE(expect_fair_choices(attribute, target, departures)) << attribute << " " << target;
    EXPECT_GT(departures, 100U) << "a target that never turns a point away tests nothing";
}

TEST(AssignFair, WithoutATargetIsAssign) {
    Engine engine(setup());
    for (const PointColumns& batch : batches(engine.options().format, 3, 80, 4)) engine.ingest(event(batch));
    const PointColumns fresh = mixture(engine.options().format, 100, 79);
    std::vector<ClusterId> plain(100), fair(100);
    engine.assign("fair", fresh.features, plain);
    engine.assign_fair("fair", fresh.features, std::vector<GroupId>(100, 1), fair);
    EXPECT_EQ(plain, fair);
}

}  // namespace
}  // namespace fairstream::test
