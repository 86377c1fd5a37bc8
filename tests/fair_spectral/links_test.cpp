/// Pairs of points that must be together, or opposite each other.

#include <gtest/gtest.h>

#include "model_bench.hpp"

namespace fairstream::fair_spectral {
namespace {

using namespace fairstream::test;

const SeparatedStream blobs{two_attributes(3), 2};

// The rows of T less, or plus, each other; relative to their length.
double row_gap(const SpectralBench& bench, PointId a, PointId b, double sign) {
    const Slot one = *bench.window.find(a), other = *bench.window.find(b);
    const Matrix& t = bench.state.embedding;
    double most = 0, length = 1e-300;
    for (std::size_t j = 0; j < static_cast<std::size_t>(bench.options.clusters); ++j) {
        most = std::max(most, std::abs(t.at(one, j) - sign * t.at(other, j)));
        length = std::max({length, std::abs(t.at(one, j)), std::abs(t.at(other, j))});
    }
    return most / length;
}
ClusterId label(const SpectralBench& bench, PointId id) {
    return bench.state.labels[*bench.window.find(id)];
}

TEST(Links, MustLinkSharesRowAndLabel) {
    for (const AffinityKind affinity : affinity_kinds)
        for (const Solver solver : {Solver::krylov, Solver::admm}) {
            Options options = spectral(3, affinity);
            options.solver = solver;
            options.must_link = {{{0, 1}, {1, 2}, {10, 201}, {50, 51}}};  // three connected points
            SpectralBench bench(options);
            for (const PointColumns& batch : batches(two_attributes(), 5, 60, 1)) {
                bench.ingest(batch.view());
                expect_sound(bench);
                for (const auto& [a, b] : options.must_link.pairs) {
                    if (!bench.window.find(a) || !bench.window.find(b)) continue;
                    EXPECT_LE(row_gap(bench, a, b, 1), 1e-9);
                    EXPECT_EQ(label(bench, a), label(bench, b));
                }
            }
        }
}

// With two clusters, rows that are opposite get different clusters, unless both are at the origin.
TEST(Links, CannotLinkedRowsAreOppositeAndApart) {
    for (const AffinityKind affinity : affinity_kinds) {
        Options options = spectral(2, affinity);
        options.cannot_link = {{{0, 1}, {20, 31}, {40, 53}}};  // of different blobs
        SpectralBench bench(options, blobs.format);
        bench.ingest(blobs.points(0, 200).view());
        expect_sound(bench);
        for (const auto& [a, b] : options.cannot_link.pairs) {
            EXPECT_LE(row_gap(bench, a, b, -1), 1e-9);
            EXPECT_NE(label(bench, a), label(bench, b));
        }
    }
}

TEST(Links, ContradictoryPairMeetsAtOrigin) {
    Options options = spectral(3);
    options.must_link = {{{4, 5}}};
    options.cannot_link = {{{4, 5}}};
    SpectralBench bench(options);
    bench.ingest(mixture(two_attributes(), 150, 1).view());
    expect_sound(bench);
    for (const PointId id : {4, 5})
        for (std::size_t j = 0; j < 3; ++j)
            EXPECT_LE(std::abs(bench.state.embedding.at(*bench.window.find(id), j)),
                      1e-12 * largest(bench.state.embedding));
}

TEST(Links, APairThatRepeatsAnotherAddsNothing) {
    Options once = spectral(3), often = once;
    once.must_link = {{{4, 5}}};
    often.must_link = {{{4, 5}, {5, 4}, {4, 5}}};
    SpectralBench one(once), three(often);
    one.ingest(mixture(two_attributes(), 150, 1).view());
    three.ingest(mixture(two_attributes(), 150, 1).view());
    EXPECT_LE(row_gap(three, 4, 5, 1), 1e-9);
    EXPECT_NEAR(one.state.quality.cost, three.state.quality.cost, 1e-3);
}

TEST(Links, DepartedPairsAreIgnored) {
    Options plain = spectral(3), linked = plain;
    linked.must_link = {{{0, 1'000'000}, {2'000'000, 3'000'000}}};
    linked.cannot_link = {{{5'000'000, 1}}};
    SpectralBench one(plain), other(linked);
    for (const PointColumns& batch : batches(two_attributes(), 5, 60, 1)) {
        one.ingest(batch.view());
        other.ingest(batch.view());
        ASSERT_TRUE(one.state == other.state);
    }
}

TEST(Links, HoldWhileBothAreRetained) {
    Options options = spectral(2, AffinityKind::dense);
    options.cannot_link = {{{40, 100}}};  // of one blob
    SpectralBench bench(options, blobs.format, 100);
    for (PointId next = 0; next < 240; next += 20) {
        bench.ingest(blobs.points(next, 20).view());
        const bool retained = bench.window.find(40) && bench.window.find(100);
        EXPECT_EQ(retained, next == 100 || next == 120);
        EXPECT_TRUE(!retained || row_gap(bench, 40, 100, -1) <= 1e-9);
        expect_sound(bench);
    }
}

// Only as many pairs as leave room are taken: more constraints than points would leave no H.
TEST(Links, ExcessPairsAreDroppedInOrder) {
    Options options = spectral(3);
    for (PointId id = 0; id < 12; ++id)
        for (PointId other = 0; other < id; ++other) options.must_link.pairs.emplace_back(other, id);
    SpectralBench bench(options);
    for (PointId next = 0; next < 20; ++next) {
        bench.ingest(mixture(two_attributes(), 1, next, next).view());
        expect_sound(bench);
        EXPECT_EQ(bench.state.started, next >= 3);
    }
    EXPECT_LE(row_gap(bench, 0, 1, 1), 1e-9);
}

}  // namespace
}  // namespace fairstream::fair_spectral
