/// Moves of points by their change of the normalised cut, against its definition, and the targets they keep.

#include <gtest/gtest.h>

#include <numeric>
#include <utility>

#include <fairstream/fairness/attainable.hpp>
#include <fairstream/graph_labels/detail/cut_moves.hpp>
#include <fairstream/graph_labels/detail/normalised_cut.hpp>
#include <fairstream/graph_labels/detail/part_search.hpp>
#include <fairstream/models/fair_spectral/detail/embedding.hpp>
#include <fairstream/models/model_kind.hpp>
#include <fairstream/options.hpp>

#include "model_bench.hpp"
#include "problems.hpp"

namespace fairstream::fair_spectral {
namespace {

using namespace test;

/// Distinct points with an affinity in double, or points of few places, merged in a graph of neighbours.
std::unique_ptr<Affinity> drawn_affinity(std::size_t n, std::uint64_t seed, bool repeat) {
    if (repeat) return new_point_affinity(point_affinities()[3], cloud_of(CloudKind::few_places, n, seed));
    return std::make_unique<ExactAffinity>(exact_radial(cloud_of(CloudKind::clusters, n, seed)), true);
}

/// Points with an affinity, and groups drawn for them.
struct Drawn {
    Drawn(std::size_t n, std::size_t k, std::vector<std::size_t> counts, std::uint64_t seed, bool repeat = false)
        : made(drawn_affinity(n, seed, repeat)), affinity(*made), group_counts(std::move(counts)) {
        Random random(seed, 5);
        for (std::size_t i = 0; i < n; ++i) {
            for (const std::size_t groups : group_counts)
                table.push_back(static_cast<GroupId>(random.below(static_cast<std::uint32_t>(groups))));
            labels.push_back(static_cast<ClusterId>(i < k ? i : random.below(static_cast<std::uint32_t>(k))));
        }
    }
    [[nodiscard]] CutProblem problem(std::size_t k, Demands demands = {}) const {
        return {affinity, k, table, group_counts, std::move(demands), {}};
    }
    /// The counts of one attribute's groups in one cluster.
    [[nodiscard]] std::vector<std::int64_t> counts(std::span<const ClusterId> of, ClusterId l, std::size_t a) const {
        std::vector<std::int64_t> counted(group_counts[a], 0);
        for (std::size_t i = 0; i < of.size(); ++i)
            if (of[i] == l) ++counted[table[i * group_counts.size() + a]];
        return counted;
    }
    [[nodiscard]] double shortfall(std::span<const ClusterId> of, std::size_t k, const Demands& demands) const {
        double sum = 0;
        for (std::size_t l = 0; l < k; ++l) {
            const auto cluster = static_cast<ClusterId>(l);
            sum += fairstream::shortfall(demands.of_sizes, std::ranges::count(of, cluster));
            for (const Demand& demand : demands.of_groups)
                sum += fairstream::shortfall(demand, counts(of, cluster, demand.attribute));
        }
        return sum;
    }

    std::unique_ptr<Affinity> made;
    const Affinity& affinity;
    std::vector<std::size_t> group_counts;
    std::vector<GroupId> table;
    std::vector<ClusterId> labels;
};

Demands balance(double ratio, std::size_t attributes) {
    Demands demands;
    for (std::uint32_t a = 0; a < attributes; ++a) demands.of_groups.push_back({.attribute = a, .ratio = ratio});
    return demands;
}

TEST(CutMoves, EndInLocalMinimum) {
    for (const std::size_t k : {1, 2, 4})
        for (const std::uint64_t seed : {1, 2, 3, 4, 5, 6}) {
            const Drawn drawn(60, k, {}, seed, seed > 3);
            ASSERT_EQ(drawn.affinity.merged().has_value(), seed > 3);
            const CutProblem problem = drawn.problem(k);
            CutMoves moves(problem, drawn.labels, Random(seed));
            const double before = moves.cut();
            EXPECT_NEAR(before, normalised_cut(drawn.affinity, drawn.labels, k), 1e-9);
            moves.descend(1'000);
            const double after = moves.cut();
            EXPECT_LE(after, before);
            EXPECT_NEAR(after, normalised_cut(drawn.affinity, moves.labels(), k), 1e-6) << "cuts are kept up to date";
            std::vector<ClusterId> labels(moves.labels().begin(), moves.labels().end());
            for (ClusterId& label : labels) {
                const ClusterId own = label;
                if (std::ranges::count(labels, own) == 1) continue;
                for (ClusterId l = 0; l < static_cast<ClusterId>(k); ++l) {
                    label = l;
                    EXPECT_GE(normalised_cut(drawn.affinity, labels, k), after - 1e-6);
                }
                label = own;
            }
        }
}

TEST(CutMoves, KeepDemands) {
    for (const std::uint64_t seed : {1, 2, 3, 4, 5, 6}) {
        const Drawn drawn(90, 3, {2, 3}, seed, seed > 4);
        Demands demands = balance(0.4, 2);
        demands.of_sizes = {20, 50};
        const CutProblem problem = drawn.problem(3, demands);
        CutMoves moves(problem, drawn.labels, Random(seed));
        const double before = moves.shortfall();
        EXPECT_NEAR(before, drawn.shortfall(drawn.labels, 3, demands), 1e-9);
        moves.descend(100);
        EXPECT_LE(moves.shortfall(), before + 1e-9);
        EXPECT_NEAR(moves.shortfall(), drawn.shortfall(moves.labels(), 3, demands), 1e-9);
        EXPECT_NEAR(moves.cut(), normalised_cut(drawn.affinity, moves.labels(), 3), 1e-6);
    }
}

TEST(CutMoves, LeadToDemandsAndKeepThem) {
    for (const std::uint64_t seed : {1, 2, 3, 4, 5, 6})
        for (const double ratio : {0.2, 0.5}) {
            const Drawn drawn(120, 4, {2}, seed, seed > 4);
            const Demands demands = balance(ratio, 1);
            const CutProblem problem = drawn.problem(4, demands);
            CutMoves free(problem, drawn.labels, Random(seed)), led(problem, drawn.labels, Random(seed));
            EXPECT_TRUE(free.repair());
            led.lead_to_demands();
            EXPECT_TRUE(led.repair());
            for (CutMoves* moves : {&free, &led}) {
                const double before = moves->cut();
                moves->descend(100);
                EXPECT_LE(moves->cut(), before);
                EXPECT_EQ(drawn.shortfall(moves->labels(), 4, demands), 0);
                EXPECT_NEAR(moves->cut(), normalised_cut(drawn.affinity, moves->labels(), 4), 1e-6);
            }
        }
}

// Hardly any counts meet the best possible balance, so single steps that each lower the shortfall may end before.
TEST(CutMoves, MoveToCountsOfBestBalance) {
    int missed_by_steps = 0;
    for (const std::size_t groups : {2, 3})
        for (const std::uint64_t seed : {1, 2, 3, 4, 5, 6, 7, 8}) {
            constexpr std::size_t k = 5;
            const Drawn drawn(150, k, {groups}, seed, seed > 6);
            std::vector<std::int64_t> totals(groups, 0);
            for (const GroupId group : drawn.table) ++totals[group];
            const Demands demands = balance(attainable_balance(totals, k), 1);
            const CutProblem problem = drawn.problem(k, demands);
            CutMoves moves(problem, drawn.labels, Random(seed));
            missed_by_steps += moves.repair() ? 0 : 1;
            EXPECT_TRUE(moves.move_to_feasible_counts()) << groups << " groups, seed " << seed;
            EXPECT_EQ(drawn.shortfall(moves.labels(), k, demands), 0);
            EXPECT_NEAR(moves.cut(), normalised_cut(drawn.affinity, moves.labels(), k), 1e-6);
        }
    EXPECT_GT(missed_by_steps, 0) << "steps alone met all demands: the search was not tried";
}

/// The least cut over all labels with two clusters that keep the demands.
double least_cut(const Drawn& drawn, const Demands& demands) {
    const std::size_t n = drawn.labels.size();
    double least = 2;
    std::vector<ClusterId> labels(n);
    for (std::uint32_t set = 1; set + 1 < (1U << n); ++set) {
        for (std::size_t i = 0; i < n; ++i) labels[i] = static_cast<ClusterId>(set >> i & 1);
        if (drawn.shortfall(labels, 2, demands) == 0)
            least = std::min(least, normalised_cut(drawn.affinity, labels, 2));
    }
    return least;
}

// Exchanges and moves may end above the least cut; here the best of all starts with two distinct points does not.
TEST(CutMoves, ManyStartsFindLeastCut) {
    for (const std::uint64_t seed : {1, 2, 3})
        for (const double ratio : {0.0, 0.5}) {
            const Drawn drawn(10, 2, {2}, seed);
            const Demands demands = ratio > 0 ? balance(ratio, 1) : Demands{};
            const CutProblem problem = drawn.problem(2, demands);
            double best = 2;
            for (std::size_t i = 0; i < 10; ++i)
                for (std::size_t j = 0; j < i; ++j) {
                    std::vector<ClusterId> labels(10, 0);
                    labels[i] = labels[j] = 1;
                    CutMoves moves(problem, labels, Random(1));
                    if (!moves.repair()) continue;
                    moves.descend(100);
                    best = std::min(best, normalised_cut(drawn.affinity, moves.labels(), 2));
                }
            EXPECT_NEAR(best, least_cut(drawn, demands), 1e-9) << seed << ' ' << ratio;
        }
}

TEST(CutMoves, HoldTheLabelsTheyAreToldTo) {
    const Drawn drawn(60, 3, {2}, 1);
    CutProblem problem = drawn.problem(3, balance(0.6, 1));
    problem.held.assign(60, false);
    for (std::size_t i = 0; i < 60; i += 3) problem.held[i] = true;
    CutMoves moves(problem, drawn.labels, Random(1));
    moves.lead_to_demands();
    moves.repair();
    EXPECT_GT(moves.descend(100), 0);
    for (std::size_t i = 0; i < 60; i += 3) EXPECT_EQ(moves.labels()[i], drawn.labels[i]);
}

TEST(CutMoves, DegenerateCasesStay) {
    const Drawn one(1, 1, {2}, 1);
    const CutProblem of_one = one.problem(1, balance(1, 1));
    CutMoves alone(of_one, {0}, Random(1));
    EXPECT_FALSE(alone.repair());
    EXPECT_EQ(alone.descend(10), 0);
    const ExactAffinity nothing(Matrix(6, 6), true);
    const CutProblem unjoined{nothing, 2, {}, {}, {}, {}};
    CutMoves still(unjoined, {0, 1, 0, 1, 0, 1}, Random(1));
    EXPECT_EQ(still.descend(10), 0);
    EXPECT_EQ(still.cut(), 0);
}

std::int64_t away(std::span<const ClusterId> labels, std::span<const ClusterId> preferred_labels) {
    std::int64_t count = 0;
    for (std::size_t i = 0; i < preferred_labels.size(); ++i)
        count += preferred_labels[i] != no_cluster && preferred_labels[i] != labels[i] ? 1 : 0;
    return count;
}

TEST(CutMoves, ChargeWhatLeavesHomeAndGiveItBack) {
    for (const std::uint64_t seed : {1, 2, 3}) {
        const Drawn drawn(60, 3, {2}, seed), other(60, 3, {2}, seed + 10);
        CutProblem problem = drawn.problem(3);
        std::vector<ClusterId> preferred_labels = other.labels;
        for (std::size_t i = 0; i < 60; i += 5) preferred_labels[i] = no_cluster;
        problem.preferred_labels = preferred_labels;
        CutMoves dear(problem, drawn.labels, Random(seed));
        EXPECT_GT(dear.descend(100, 10), 0);
        EXPECT_EQ(away(dear.labels(), preferred_labels), 0) << "no cut is worth leaving home";
        for (const double price : {0.0, 0.002, 0.02}) {
            CutMoves moves(problem, drawn.labels, Random(seed));
            const auto sum = [&] {
                return moves.cut() + price * static_cast<double>(away(moves.labels(), preferred_labels));
            };
            const double before = sum();
            moves.descend(1'000, price);
            EXPECT_LE(sum(), before);
            const double after = sum();
            std::vector<ClusterId> labels(moves.labels().begin(), moves.labels().end());
            for (ClusterId& label : labels) {
                const ClusterId own = label;
                if (std::ranges::count(labels, own) == 1) continue;
                for (label = 0; label < 3; ++label)
                    EXPECT_GE(normalised_cut(drawn.affinity, labels, 3) +
                                  price * static_cast<double>(away(labels, preferred_labels)),
                              after - 1e-6);
                label = own;
            }
        }
    }
}

// The purpose of annealing: it finds the least cut of few points from one start, where moves end in a local minimum.
TEST(CutMoves, AnnealingFindsLeastCut) {
    int local = 0;
    for (std::uint64_t seed = 1; seed <= 8; ++seed) {
        const Drawn drawn(10, 2, {2}, seed);
        const CutProblem problem = drawn.problem(2);
        const double least = least_cut(drawn, {});
        CutMoves moves(problem, drawn.labels, Random(seed));
        moves.descend(100);
        local += normalised_cut(drawn.affinity, moves.labels(), 2) > least + 1e-9 ? 1 : 0;
        double best = 2;
        for (std::uint64_t draws = 1; draws <= 20; ++draws) {
            CutMoves annealed(problem, drawn.labels, Random(draws));
            annealed.anneal(100, 0.5, 0.001, 0, 0);
            annealed.descend(100);
            best = std::min(best, normalised_cut(drawn.affinity, annealed.labels(), 2));
        }
        EXPECT_NEAR(best, least, 1e-9) << seed;
    }
    EXPECT_GT(local, 0);
}

TEST(CutMoves, AnnealedKeepHeldLabelsHomesAndDemands) {
    for (const std::uint64_t seed : {1, 2, 3}) {
        const Drawn drawn(60, 3, {2}, seed);
        const Demands demands = balance(0.6, 1);
        CutProblem problem = drawn.problem(3, demands);
        problem.held.assign(60, false);
        for (std::size_t i = 0; i < 60; i += 3) problem.held[i] = true;
        CutMoves moves(problem, drawn.labels, Random(seed));
        moves.anneal(50, 0.05, 0.005, 0, 1);
        for (std::size_t i = 0; i < 60; i += 3) EXPECT_EQ(moves.labels()[i], drawn.labels[i]);
        EXPECT_NEAR(moves.shortfall(), drawn.shortfall(moves.labels(), 3, demands), 1e-9);
        EXPECT_EQ(moves.shortfall(), 0) << "no cut is worth a shortfall";
        problem.demands = {};
        problem.preferred_labels = drawn.labels;
        CutMoves dear(problem, drawn.labels, Random(seed)), free(problem, drawn.labels, Random(seed));
        dear.anneal(50, 0.05, 0.005, 10, 0);
        EXPECT_EQ(away(dear.labels(), drawn.labels), 0) << "no cut is worth leaving home";
        free.anneal(50, 0.05, 0.005, 0, 0);
        EXPECT_GT(away(free.labels(), drawn.labels), 0);
    }
}

// With each point a part of its own; the best of all starts with two distinct points.
TEST(PartSearch, ManyStartsFindLeastCutOfParts) {
    for (const std::uint64_t seed : {1, 2, 3})
        for (const double ratio : {0.0, 0.5}) {
            const Drawn drawn(10, 2, {2}, seed);
            const Demands demands = ratio > 0 ? balance(ratio, 1) : Demands{};
            const CutProblem problem = drawn.problem(2, demands);
            std::vector<ClusterId> each(10);
            std::iota(each.begin(), each.end(), 0);
            const PartSearch search(problem, std::vector{drawn.labels, each});
            PartSearch::Found best{{}, 1e9};
            for (std::size_t i = 0; i < 10; ++i)
                for (std::size_t j = 0; j < i; ++j) {
                    std::vector<ClusterId> labels(10, 0);
                    labels[i] = labels[j] = 1;
                    const PartSearch::Found found = search.improved(labels, 0, 10);
                    if (found.sum < best.sum) best = found;
                }
            EXPECT_EQ(drawn.shortfall(best.labels, 2, demands), 0);
            EXPECT_NEAR(best.sum, least_cut(drawn, demands), 1e-6) << seed << ' ' << ratio;
            EXPECT_NEAR(normalised_cut(drawn.affinity, best.labels, 2), best.sum, 1e-6);
        }
}

TEST(PartSearch, ObjectiveSumsCutChargesAndShortfalls) {
    for (const auto& [factored, repeat] : {std::pair{false, false}, {true, false}, {false, true}}) {
        const Drawn drawn(120, 3, {2, 3}, 5, repeat), other(120, 3, {2}, 6), third(120, 3, {2}, 7);
        Demands demands = balance(0.7, 2);
        demands.of_sizes = {30, 50};
        CutProblem problem = drawn.problem(3, demands);
        std::vector<ClusterId> preferred_labels = third.labels;
        std::fill_n(preferred_labels.begin(), 20, no_cluster);
        problem.preferred_labels = preferred_labels;
        Matrix entries(120, 120), identity(120, 120);
        for (std::size_t i = 0; i < 120; ++i) identity.at(i, i) = 1;
        drawn.affinity.multiply(identity, entries);
        const AffinityFactors factors{entries, identity};
        if (factored) problem.factors = &factors;
        const std::vector<std::vector<ClusterId>> labellings{drawn.labels, other.labels};
        const PartSearch search(problem, labellings);
        for (const auto& [price, shortfall_price] : {std::pair{0.0, 0.0}, {0.003, 0.0}, {0.003, 0.05}}) {
            const PartSearch::Found found = search.improved(drawn.labels, price, shortfall_price);
            const auto sum = [&](std::span<const ClusterId> labels) {
                return normalised_cut(drawn.affinity, labels, 3) +
                       price * static_cast<double>(away(labels, preferred_labels)) +
                       shortfall_price * drawn.shortfall(labels, 3, demands);
            };
            EXPECT_NEAR(found.sum, sum(found.labels), 1e-5);
            EXPECT_LT(found.sum, sum(drawn.labels));
        }
    }
}

TEST(PartSearch, HoldsTheLabelsItIsToldTo) {
    const Drawn drawn(60, 3, {2}, 1), other(60, 3, {2}, 2);
    CutProblem problem = drawn.problem(3);
    problem.held.assign(60, false);
    for (std::size_t i = 0; i < 60; i += 7) problem.held[i] = true;
    const std::vector<std::vector<ClusterId>> labellings{drawn.labels, other.labels};
    const std::vector<ClusterId> found = PartSearch(problem, labellings).improved(drawn.labels, 0, 0).labels;
    for (std::size_t i = 0; i < 60; i += 7) EXPECT_EQ(found[i], drawn.labels[i]);
}

/// Smallest over largest of the rates at which groups are selected for a cluster, over all clusters.
double parity(const SpectralBench& bench) {
    const FairnessTally& tally = bench.state.tally;
    std::vector<double> totals(static_cast<std::size_t>(tally.groups(0)), 0.0);
    for (ClusterId l = 0; l < tally.clusters(); ++l)
        for (std::size_t j = 0; j < totals.size(); ++j) totals[j] += static_cast<double>(tally.counts(l, 0)[j]);
    double least = 1;
    for (ClusterId l = 0; l < tally.clusters(); ++l) {
        double low = 1, high = 0;
        for (std::size_t j = 0; j < totals.size(); ++j) {
            const double rate = static_cast<double>(tally.counts(l, 0)[j]) / totals[j];
            low = std::min(low, rate), high = std::max(high, rate);
        }
        least = std::min(least, high > 0 ? low / high : 0);
    }
    return least;
}

TEST(SpectralTargets, DefaultParityIsKeptInMovingWindow) {
    for (const AffinityKind affinity : affinity_kinds) {
        Options options;
        options.clusters = 4;
        options.affinity = affinity;
        SpectralBench bench(options, two_attributes(), 400);
        bench.ingest(mixture(two_attributes(), 400, 1).view());
        EXPECT_GE(parity(bench), 0.8 - 1e-9);
        for (std::size_t b = 0; b < 12; ++b) {
            bench.ingest(mixture(two_attributes(), 40, 10 + b, 1'000 + 40 * b).view());
            expect_sound(bench);
            EXPECT_GE(parity(bench), 0.8 - 1e-9) << b;
            EXPECT_GE(bench.state.quality.normalised_cut, 0);
        }
    }
}

TEST(SpectralTargets, OfOptionsFromBeforeTheyExistedAreNone) {
    ModelOptions options = default_options("fair_spectral");
    options.kind().set_to_when_missing(options);
    const auto& missing = options.get<Options>();
    EXPECT_EQ(missing.sweeps, 0);
    EXPECT_EQ(missing.fresh_every, 0);
    EXPECT_EQ(missing.targets.parity_at_least.of(0), 0);
}

TEST(SpectralTargets, OfSizesAreKeptWithoutGroups) {
    Options options;
    options.clusters = 4;
    options.targets.size_at_least = 60;
    options.targets.size_at_most = 130;
    const StreamFormat bare{3, {}, false};
    SpectralBench bench(options, bare, 400);
    bench.ingest(mixture(bare, 400, 1).view());
    for (ClusterId l = 0; l < 4; ++l) {
        EXPECT_GE(std::ranges::count(bench.state.labels, l), 60);
        EXPECT_LE(std::ranges::count(bench.state.labels, l), 130);
    }
}

TEST(SpectralTargets, UnattainableTargetGivesBest) {
    const StreamFormat format{2, {{"g", {"a", "b"}}}, false};
    PointColumns points = mixture(format, 200, 1);
    for (std::size_t i = 0; i < 200; ++i) points.groups[i] = i % 20 == 0 || i % 2 == 1 ? 1 : 0;  // 90 and 110
    Options options = spectral(4);
    options.targets.balance_at_least = 1;
    SpectralBench bench(options, format, 200);
    bench.ingest(points.view());
    EXPECT_DOUBLE_EQ(attribute_fairness(bench.state.tally, 0).balance,
                     attainable_balance(std::vector<std::int64_t>{90, 110}, 4));
    options.targets.balance_at_least = 0;
    options.targets.size_at_least = 150;
    SpectralBench sized(options, format, 200);
    sized.ingest(points.view());
    for (ClusterId l = 0; l < 4; ++l) EXPECT_EQ(std::ranges::count(sized.state.labels, l), 50);
}

TEST(SpectralTargets, LeaveLinkedPointsTogether) {
    Options options;
    options.clusters = 4;
    options.targets.balance_at_least = 0.5;
    for (PointId id = 0; id < 20; id += 2) options.must_link.pairs.emplace_back(id, id + 1);
    SpectralBench bench(options, two_attributes(), 400);
    for (std::size_t b = 0; b < 6; ++b) {
        bench.ingest(mixture(two_attributes(), 60, 10 + b, 60 * b).view());
        for (Slot slot = 0; slot + 1 < 20; slot += 2)
            EXPECT_EQ(bench.state.labels[slot], bench.state.labels[slot + 1]) << b;
    }
}

}  // namespace
}  // namespace fairstream::fair_spectral
