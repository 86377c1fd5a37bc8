/// Keeping cluster ids over a new solution.

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <vector>

#include <fairstream/numeric/detail/match_labels.hpp>
#include <fairstream/numeric/detail/random.hpp>

namespace fairstream::test {
namespace {

using Labels = std::vector<ClusterId>;

Labels random_labels(Random& random, std::size_t n, std::size_t k) {
    Labels labels(n);
    for (ClusterId& label : labels) label = static_cast<ClusterId>(random.below(static_cast<std::uint32_t>(k)));
    return labels;
}

std::vector<ClusterId> identity(std::size_t k) {
    std::vector<ClusterId> names(k);
    std::iota(names.begin(), names.end(), 0);
    return names;
}

std::size_t kept(const Labels& old, const Labels& fresh, const std::vector<ClusterId>& names) {
    std::size_t count = 0;
    for (std::size_t i = 0; i < old.size(); ++i)
        count += old[i] != no_cluster && names[static_cast<std::size_t>(fresh[i])] == old[i];
    return count;
}

std::size_t best_kept(const Labels& old, const Labels& fresh, std::size_t k) {
    std::vector<ClusterId> names = identity(k);
    std::size_t best = 0;
    do best = std::max(best, kept(old, fresh, names));
    while (std::ranges::next_permutation(names).found);
    return best;
}

// The documented rule: among all free pairs, the one with most common points; ties go to the lower fresh, then the
// lower old id. Ids without common points are matched in order.
std::vector<ClusterId> by_the_rule(const Labels& old, const Labels& fresh, std::size_t k) {
    std::vector<ClusterId> names(k, no_cluster);
    for (;;) {
        std::size_t most = 0, best_fresh = 0, best_old = 0;
        for (std::size_t f = 0; f < k; ++f)
            for (std::size_t o = 0; o < k; ++o) {
                if (names[f] != no_cluster || std::ranges::count(names, static_cast<ClusterId>(o)) > 0) continue;
                std::size_t common = 0;
                for (std::size_t i = 0; i < old.size(); ++i)
                    common += old[i] == static_cast<ClusterId>(o) && fresh[i] == static_cast<ClusterId>(f);
                if (common > most) most = common, best_fresh = f, best_old = o;
            }
        if (most == 0) break;
        names[best_fresh] = static_cast<ClusterId>(best_old);
    }
    for (ClusterId& name : names)
        for (ClusterId o = 0; name == no_cluster; ++o)
            if (std::ranges::count(names, o) == 0) name = o;
    return names;
}

TEST(MatchLabels, EqualLabelsKeepTheirIds) {
    Random random(1);
    for (std::size_t k = 1; k <= 20; ++k) {
        const Labels labels = random_labels(random, 200, k);
        EXPECT_EQ(match_labels(labels, labels, k), identity(k));
    }
}

TEST(MatchLabels, ARenumberingIsRecoveredExactly) {
    Random random(2);
    for (std::size_t k = 1; k <= 20; ++k) {
        const Labels old = random_labels(random, 50 * k, k);
        std::vector<ClusterId> fresh_name = identity(k), back(k);
        for (std::size_t i = k; i > 1; --i)
            std::swap(fresh_name[i - 1], fresh_name[random.below(static_cast<std::uint32_t>(i))]);
        for (std::size_t o = 0; o < k; ++o) back[static_cast<std::size_t>(fresh_name[o])] = static_cast<ClusterId>(o);
        Labels fresh = old;
        for (ClusterId& label : fresh) label = fresh_name[static_cast<std::size_t>(label)];
        EXPECT_EQ(match_labels(old, fresh, k), back);

        // A fifth of each cluster moved on: each pair still shares most of both, so the matching is the same.
        for (std::size_t i = 0; i < fresh.size(); i += 5)
            fresh[i] = static_cast<ClusterId>(random.below(static_cast<std::uint32_t>(k)));
        EXPECT_EQ(match_labels(old, fresh, k), back);
        EXPECT_GE(kept(old, fresh, back), old.size() * 4 / 5);
    }
}

TEST(MatchLabels, FollowsGreedyRule) {
    Random random(3);
    bool short_of_best = false;
    for (int round = 0; round < 2000; ++round) {
        const std::size_t k = 1 + random.below(5), n = random.below(20);
        Labels old = random_labels(random, n, k);
        const Labels fresh = random_labels(random, n, k);
        for (ClusterId& label : old)
            if (random.below(4) == 0) label = no_cluster;
        const std::vector<ClusterId> names = match_labels(old, fresh, k);
        ASSERT_TRUE(std::ranges::is_permutation(names, identity(k)));
        ASSERT_EQ(names, by_the_rule(old, fresh, k));
        const std::size_t best = best_kept(old, fresh, k);
        ASSERT_GE(2 * kept(old, fresh, names), best);
        short_of_best |= kept(old, fresh, names) < best;
    }
    EXPECT_TRUE(short_of_best) << "no case among these where greedy is not best";
}

TEST(MatchLabels, UnlabelledPointsCountForNothing) {
    EXPECT_EQ(match_labels(Labels{-1, -1, -1, 1}, Labels{0, 0, 0, 0}, 2), (std::vector<ClusterId>{1, 0}));
    EXPECT_EQ(match_labels(Labels{-1, -1}, Labels{1, 0}, 3), identity(3));
    EXPECT_EQ(match_labels({}, {}, 4), identity(4));
}

TEST(MatchLabels, MoreClustersThanLabelsInUse) {
    // Fresh 5 goes on as old 2, fresh 0 as old 7; the others take the free ids in order.
    EXPECT_EQ(match_labels(Labels{2, 2, 7}, Labels{5, 5, 0}, 8), (std::vector<ClusterId>{7, 0, 1, 3, 4, 2, 5, 6}));
}

}  // namespace
}  // namespace fairstream::test
