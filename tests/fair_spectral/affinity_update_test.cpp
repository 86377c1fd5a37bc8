/// An affinity updated row by row equals a newly made one, bit for bit.

#include <gtest/gtest.h>

#include <limits>

#include "support/affinities.hpp"
#include "support/threads.hpp"

namespace fairstream::test {
namespace {

// The points of a moving window: some are replaced by new ones or by copies of others, sometimes more than half,
// sometimes none; sometimes it grows.
class MovingCloud {
public:
    MovingCloud(CloudKind kind, std::size_t n, std::size_t d, std::uint64_t seed) : kind_(kind), random_(seed) {
        cloud_ = cloud_of(kind, n, seed, d);
    }
    [[nodiscard]] const Cloud& now() const { return cloud_; }
    void move() {
        const auto n = static_cast<std::uint32_t>(cloud_.size());
        const std::uint32_t most[] = {0, 1, 3, n / 8, n / 3, n};
        for (std::uint32_t i = random_.below(most[random_.below(6)] + 1); i > 0; --i) replace(random_.below(n));
        if (random_.below(3) == 0)
            for (std::uint32_t i = random_.below(n / 4 + 3); i > 0; --i) add_point(cloud_, kind_, random_);
    }

private:
    void replace(std::size_t slot) {
        Cloud fresh{cloud_.d, {}};
        add_point(fresh, kind_, random_);
        const float* from = fresh.rows.data();
        if (random_.below(4) == 0)
            from = &cloud_.rows[random_.below(static_cast<std::uint32_t>(cloud_.size())) * cloud_.d];
        std::copy_n(from, cloud_.d, &cloud_.rows[slot * cloud_.d]);
    }

    CloudKind kind_;
    Random random_;
    Cloud cloud_;
};

// The visible state: degrees, the product of a random block, rows.
struct Seen {
    std::vector<double> degrees;
    Matrix product, rows;
    bool operator==(const Seen&) const = default;
};
Seen seen(const Affinity& affinity) {
    Seen all{{affinity.degrees().begin(), affinity.degrees().end()}, {}, {}};
    const Matrix x = random_matrix(affinity.rows(), 3, 9);
    affinity.multiply(x, all.product);
    const std::vector<Slot> some{static_cast<Slot>(affinity.rows() - 1), 0};
    affinity.multiply_rows(some, x, all.rows);
    return all;
}

class Updates : public ::testing::TestWithParam<PointAffinityKind> {};

void follow(const PointAffinityKind& kind, MovingCloud moving, int moves) {
    const auto affinity = kind.make();
    PackedPoints points;
    for (int move = 0; move < moves; ++move, moving.move()) {
        const Cloud& cloud = moving.now();
        affinity->update(points, points.update(cloud.rows.data(), cloud.size(), cloud.d));
        ASSERT_TRUE(seen(*affinity) == seen(*new_point_affinity(kind, cloud)))
            << kind.name << " after " << move << " moves";
    }
}

TEST_P(Updates, EqualMakingItAnewBitForBit) {
    for (const CloudKind shape : cloud_kinds)
        for (const std::size_t n : {1, 2, 5, 40, 250}) follow(GetParam(), {shape, n, 3, n}, 15);
}

TEST_P(Updates, EqualRebuildInAnyDimension) {
    for (const std::size_t d : {1, 2, 17, 40}) follow(GetParam(), {CloudKind::clusters, 70, d, d}, 12);
}

TEST_P(Updates, EqualRebuildBeyondOneBlock) {
    follow(GetParam(), {CloudKind::clusters, 1'400, 3, 1}, 4);
}

TEST_P(Updates, TakeOtherPointsOfAnotherDimension) {
    const PointAffinityKind& kind = GetParam();
    const auto affinity = kind.make();
    PackedPoints points;
    for (const auto& [n, d] : {std::pair<std::size_t, std::size_t>{60, 3}, {60, 2}, {20, 2}, {90, 5}, {89, 5}}) {
        const Cloud cloud = cloud_of(CloudKind::clusters, n, d, d);
        affinity->update(points, points.update(cloud.rows.data(), n, d));
        ASSERT_TRUE(seen(*affinity) == seen(*new_point_affinity(kind, cloud))) << n << " points of " << d;
    }
}

TEST_P(Updates, DoNotDependOnThreads) {
    expect_same_at_any_thread_count([&] {
        const auto affinity = GetParam().make();
        PackedPoints points;
        MovingCloud moving(CloudKind::clusters, 900, 3, 5);
        for (int move = 0; move < 4; ++move, moving.move()) {
            const Cloud& cloud = moving.now();
            affinity->update(points, points.update(cloud.rows.data(), cloud.size(), cloud.d));
        }
        return seen(*affinity);
    });
}

INSTANTIATE_TEST_SUITE_P(All, Updates, ::testing::ValuesIn(point_affinities()),
                         [](const auto& kind) { return kind.param.name; });

TEST(PackedPoints, UpdateListsChangedRows) {
    PackedPoints points;
    std::vector<float> rows{1, 2, 3, 4, 5, 6};
    EXPECT_EQ(points.update(rows.data(), 3, 2), (std::vector<Slot>{0, 1, 2}));
    EXPECT_EQ(points.update(rows.data(), 3, 2), std::vector<Slot>());
    rows[5] = 7, rows[0] = 0;
    rows.insert(rows.end(), {8, 9});
    EXPECT_EQ(points.update(rows.data(), 4, 2), (std::vector<Slot>{0, 2, 3}));
    EXPECT_EQ(points.update(rows.data(), 2, 2), (std::vector<Slot>{0, 1})) << "fewer: all anew";
    EXPECT_EQ(points.update(rows.data(), 2, 4), (std::vector<Slot>{0, 1})) << "of another d: all anew";
    float row[4];
    points.copy_row(1, row);
    EXPECT_TRUE(std::equal(row, row + 4, rows.data() + 4));
}

TEST(PackedPoints, PaddingIsInfinitelyFarAwayAfterAnyUpdate) {
    PackedPoints points;
    for (std::size_t n = 1; n < 40; n += 3) {
        const Cloud cloud = cloud_of(CloudKind::clusters, n, 1);
        points.update(cloud.rows.data(), n, 3);
        EXPECT_EQ(points.padded() % 16, 0U);
        std::vector<float> out(points.padded());
        points.distances(cloud.rows.data(), 0, n, out.data());
        for (std::size_t i = 0; i < points.padded(); ++i)
            ASSERT_EQ(static_cast<double>(out[i]),
                      i < n ? squared_distance(cloud, 0, i) : std::numeric_limits<double>::infinity());
    }
}

}  // namespace
}  // namespace fairstream::test
