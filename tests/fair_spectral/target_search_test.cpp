/// Labels combined from parts of several labellings.

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include <fairstream/graph_labels/detail/normalised_cut.hpp>
#include <fairstream/graph_labels/detail/target_search.hpp>
#include <fairstream/models/fair_spectral/detail/embedded.hpp>
#include <fairstream/models/fair_spectral/detail/embedding.hpp>

#include "problems.hpp"

namespace fairstream::fair_spectral {
namespace {

using namespace fairstream::test;

/// Eight cliques of ten nodes in a chain, with a single edge between neighbours, as points on a line by clique.
struct Cliques {
    Cliques() {
        graph.nodes = 80;
        for (std::uint32_t v = 1; v < 80; ++v)
            for (std::uint32_t u = 0; u < v; ++u)
                if (u / 10 == v / 10 || (u + 1 == v && v % 10 == 0)) graph.edges.push_back({u, v, 1});
        affinity = graph_affinity(graph);
        options.clusters = 4;
        options.targets.parity_at_least = 0;
        for (std::uint32_t i = 0; i < 80; ++i) {
            groups.push_back(static_cast<GroupId>(i % 2));
            const std::uint32_t place = i / 10;
            for (int j = 0; j < 4; ++j) rows.push_back(j == 0 ? static_cast<float>(place) : 0.0F);
        }
    }
    [[nodiscard]] Rounding labelled(const std::vector<ClusterId>& by_clique) const {
        Rounding result{.labels = {}, .centres = std::vector<float>(16)};
        for (std::size_t i = 0; i < 80; ++i) result.labels.push_back(by_clique[i / 10]);
        result.cut = normalised_cut(*affinity, result.labels, 4);
        return result;
    }

    Graph graph;
    std::unique_ptr<Affinity> affinity;
    Options options;
    std::vector<float> rows;
    std::vector<GroupId> groups;
    StreamFormat format{1, {{"group", {"a", "b"}}}, false};
    LinkedRows links;
};

// Each of the two has half of the best division, and a part of ten nodes is too large for single moves.
TEST(TargetSearch, ThatCrossesTakesTheBestPartsOfBoth) {
    const Cliques cliques;
    const RoundingInput input{
        label_options(cliques.options), *cliques.affinity, cliques.rows, cliques.groups, cliques.format, cliques.links};
    const LabelProblem problem(input);
    const TargetSearch search(problem, targets_of(cliques.options), Random(1));
    const Rounding left = cliques.labelled({0, 0, 1, 1, 2, 3, 2, 3}),
                   right = cliques.labelled({0, 1, 0, 1, 2, 2, 2, 3}),
                   best = cliques.labelled({0, 0, 1, 1, 2, 2, 3, 3});
    for (const Rounding& one : {left, right})
        EXPECT_GT(search.improved(one.labels, one.centres).cut, best.cut + 0.01) << "moves of points alone";
    const Rounding found = search.crossed({left, right});
    EXPECT_NEAR(found.cut, best.cut, 1e-6);
    EXPECT_NEAR(found.cut, normalised_cut(*cliques.affinity, found.labels, 4), 1e-6);
}

// In all starts, cliques that lie apart on the line are joined: combinations of these starts stay above the least cut.
TEST(TargetSearch, PartsKeepCommonPairs) {
    const Cliques cliques;
    const RoundingInput input{
        label_options(cliques.options), *cliques.affinity, cliques.rows, cliques.groups, cliques.format, cliques.links};
    const LabelProblem problem(input);
    const double best = cliques.labelled({0, 0, 1, 1, 2, 2, 3, 3}).cut;
    for (const std::uint64_t seed : {1U, 2U, 3U}) {
        const TargetSearch search(problem, targets_of(cliques.options), Random(seed));
        const Rounding far = cliques.labelled({0, 1, 2, 3, 0, 1, 2, 3});
        const std::vector<Rounding> annealed =
            search.annealed_in_parts(std::vector<KMeans>{{.centres = far.centres, .labels = far.labels}});
        ASSERT_EQ(annealed.size(), 1);
        EXPECT_NEAR(annealed[0].cut, best, 1e-6);
        const Rounding near = cliques.labelled({0, 1, 1, 2, 2, 3, 3, 0});
        EXPECT_GT(search.improved(near.labels, near.centres).cut, best + 0.01) << "moves of points alone";
        EXPECT_NEAR(search.evolved(near).cut, best, 1e-6);
    }
}

TEST(TargetSearch, PartsKeepHeldPoints) {
    Cliques cliques;
    cliques.links.opposite = {{0, 79}};
    const RoundingInput input{
        label_options(cliques.options), *cliques.affinity, cliques.rows, cliques.groups, cliques.format, cliques.links};
    const LabelProblem problem(input);
    const TargetSearch search(problem, targets_of(cliques.options), Random(1));
    const Rounding start = cliques.labelled({0, 1, 2, 3, 0, 1, 2, 3});
    std::vector<Rounding> found =
        search.annealed_in_parts(std::vector<KMeans>{{.centres = start.centres, .labels = start.labels}});
    found.push_back(search.evolved(start));
    for (const Rounding& one : found)
        for (const std::size_t held : {0U, 79U}) EXPECT_EQ(one.labels[held], start.labels[held]);
}

TEST(TargetSearch, CrossingIsNeverWorse) {
    for (const std::uint32_t seed : {1U, 2U, 3U}) {
        const SpectralProblem p = neighbour_problem(150, 2);
        Options options;
        options.clusters = 5;
        options.targets.balance_at_least = 0.2;
        const std::vector<GroupId> groups = drawn_groups(150, 2, 150);
        Random random(seed);
        std::vector<float> rows(150 * 5);
        for (float& x : rows) x = static_cast<float>(random.unit());
        const StreamFormat format{1, {{"group", {"a", "b"}}}, false};
        const LinkedRows links;
        const RoundingInput input{label_options(options), *p.affinity, rows, groups, format, links};
        const LabelProblem problem(input);
        const TargetSearch search(problem, targets_of(options), Random(seed));
        std::vector<KMeans> starts;
        for (int s = 0; s < 10; ++s) starts.push_back(kmeans(rows.data(), 150, 5, 5, 1, random));
        const std::vector<Rounding> led = search.labels_from_starts(starts);
        const Rounding& best =
            *std::ranges::min_element(led, [](const Rounding& a, const Rounding& b) { return a.beats(b); });
        const Rounding found = search.crossed(led);
        EXPECT_FALSE(best.beats(found));
        EXPECT_EQ(found.shortfall, 0);
        EXPECT_NEAR(found.cut, normalised_cut(*p.affinity, found.labels, 5), 1e-5);
        for (const Rounding& annealed : search.annealed_in_parts(starts))
            EXPECT_NEAR(annealed.cut, normalised_cut(*p.affinity, annealed.labels, 5), 1e-5);
        const Rounding evolved = search.evolved(found);
        EXPECT_FALSE(found.beats(evolved));
        EXPECT_EQ(evolved.shortfall, 0);
        EXPECT_NEAR(evolved.cut, normalised_cut(*p.affinity, evolved.labels, 5), 1e-5);
    }
}

}  // namespace
}  // namespace fairstream::fair_spectral
